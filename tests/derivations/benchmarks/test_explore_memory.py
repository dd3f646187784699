"""The report of `gdln bench explore-memory` on the memory that moves leave behind."""

from derivations.benchmarks import explore_memory


def sizes(*heaps):
    """Sizes after so many windows of ten moves; the page gains two nodes and a listener with each."""
    return [
        {"moves": 10.0 * k, "heap": heap, "server": 4096.0 * k, "nodes": 50.0 + 2 * k, "listeners": 7.0 + k}
        for k, heap in enumerate(heaps)
    ]


def test_the_last_two_windows_are_compared():
    found = sizes(0, 5000, 5100, 5300)
    assert explore_memory.growth(found, "heap") == (15.0, 5.0)
    assert explore_memory.growth(found, "server") == (409.6, 0.0)
    head, line = explore_memory.text({"memory": {"data": found}}).splitlines()
    assert "last two windows" in head
    assert line.split("page ")[1] == "15 (5); server 410 (0); +4 nodes, +2 listeners in all"
    assert line.split()[:3] == ["data,", "30", "moves"]
