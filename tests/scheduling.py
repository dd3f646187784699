"""The order in which pytest-xdist hands tests to its processes."""

from typing import Any

from xdist.scheduler import LoadGroupScheduling


class Files(LoadGroupScheduling):
    """A group of tests is one unit of work, and so are the tests of a file that are in no group.

    Tests of a file share fixtures and caches. The scheduler of pytest-xdist hands out tests without a group one by one,
    each in a message of its own, and counts after each test all tests that a process has ever had: with ten thousand
    tests this takes longer than many of them.
    """

    def _split_scope(self, nodeid: str) -> str:
        """Return the group of a test, or its file."""
        scope = super()._split_scope(nodeid)
        return nodeid.partition("::")[0] if scope == nodeid else scope

    def mark_test_complete(self, node: Any, item_index: int, duration: float = 0) -> None:
        """Forget a finished test, and its unit with the last one."""
        nodeid = self.registered_collections[node][item_index]
        units, scope = self.assigned_work[node], self._split_scope(nodeid)
        del units[scope][nodeid]
        if not units[scope]:
            del units[scope]
        self._reschedule(node)
