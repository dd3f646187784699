"""Files that users name: only regular, small, readable ones; nothing is waited for."""

import os

import pytest

from theory.problem import InputError
from theory.problem.user_files import open_regular, parse_json, read_json, read_text


def test_what_is_no_regular_file_is_refused(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for name, kind in (("pipe", "a pipe"), ("/dev/zero", "a device")):
        with pytest.raises(InputError, match=f"is no regular file but {kind}"):
            open_regular(tmp_path / name)
    with pytest.raises(InputError, match="no file has such a name"):
        open_regular("a\0b")
    for name in ("absent", "."):
        with pytest.raises(OSError, match=r"such|directory"):
            open_regular(tmp_path / name)


def test_text_is_utf8_with_or_without_its_mark(tmp_path):
    file = tmp_path / "text"
    for content, text in ((b"\xef\xbb\xbfa", "a"), ("µ".encode(), "µ")):
        file.write_bytes(content)
        assert read_text(file) == text
    file.write_bytes(b"\xff")
    with pytest.raises(InputError, match="not UTF-8"):
        read_text(file)


def test_what_is_no_json_is_refused(tmp_path):
    for text in ("", "{", "[NaN]", "[-Infinity]", "[1e999]", "[" * 100_000, "1" * 5000, "\x00"):
        with pytest.raises(ValueError):  # noqa: PT011 - of any kind
            parse_json(text)
        (tmp_path / "text.json").write_text(text)
        with pytest.raises(InputError, match=r"text\.json: not valid JSON"):
            read_json(tmp_path / "text.json")
