"""Files that users name: only regular, small, readable ones; nothing is waited for."""

import os
import socket

import pytest

from theory.problem import InputError
from theory.problem.user_files import open_regular, parse_json, read_bytes, read_json, read_text


@pytest.fixture
def odd(tmp_path):
    """Things that are no regular file, by name."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "zeros").symlink_to("/dev/zero")
    heard = socket.socket(socket.AF_UNIX)
    heard.bind(str(tmp_path / "socket"))
    yield tmp_path
    heard.close()


@pytest.mark.parametrize(("name", "said"), [("pipe", "a pipe"), ("zeros", "a device"), ("/dev/null", "a device")])
def test_no_regular_file(odd, name, said):
    with pytest.raises(InputError, match=f"is no regular file but {said}"):
        open_regular(odd / name)


def test_what_the_system_refuses_stays_its_error(odd):
    for name in ("socket", "absent", "."):
        with pytest.raises(OSError, match=r"such|directory"):
            open_regular(odd / name)


@pytest.mark.parametrize("name", ["a\0b", "\ud800"])
def test_no_name_of_a_file(name):
    with pytest.raises(InputError, match="no file has such a name"):
        open_regular(name)


def test_links_to_files_are_followed_and_sizes_bounded(tmp_path):
    (tmp_path / "text").write_text("four")
    (tmp_path / "link").symlink_to("text")
    assert read_bytes(tmp_path / "link", 4) == b"four"
    with pytest.raises(InputError, match="larger than 3 bytes"):
        read_bytes(tmp_path / "link", 3)


def test_a_file_that_hides_its_size_is_bounded_too():
    """Files of /proc say that they have no bytes."""
    assert os.stat("/proc/self/maps").st_size == 0
    with pytest.raises(InputError, match="larger than 8 bytes"):
        read_bytes("/proc/self/maps", 8)


def test_a_huge_file_is_refused_before_it_is_read(tmp_path):
    with open(tmp_path / "sparse", "wb") as file:
        file.truncate(2**40)
    with pytest.raises(InputError, match="larger than 16 MiB"):
        read_text(tmp_path / "sparse")


def test_text_is_utf8_with_or_without_its_mark(tmp_path):
    file = tmp_path / "text"
    for content, text in ((b"\xef\xbb\xbfa", "a"), ("µ".encode(), "µ")):
        file.write_bytes(content)
        assert read_text(file) == text
    file.write_bytes(b"\xff")
    with pytest.raises(InputError, match="not UTF-8"):
        read_text(file)


@pytest.mark.parametrize("text", ["", "{", "[NaN]", "[-Infinity]", "[1e999]", "[" * 100_000, "1" * 5000, "\x00"])
def test_no_json(tmp_path, text):
    with pytest.raises(ValueError):  # noqa: PT011 - of any kind
        parse_json(text)
    (tmp_path / "text.json").write_text(text)
    with pytest.raises(InputError, match=r"text\.json: not valid JSON"):
        read_json(tmp_path / "text.json")
