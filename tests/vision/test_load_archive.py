"""ZIP archives: each picture within, and nothing that an archive could do to a machine."""

from __future__ import annotations

import zipfile

import pytest

from gigsheet.vision.load import Limits, PageFailure, Picture, load
from tests.support.files import archive, drawing, saved
from tests.vision.test_load import FORMATS, only_failure


def test_every_picture_of_an_archive_comes_and_bad_ones_spoil_none() -> None:
    two_pages = saved("TIFF", save_all=True, append_images=[drawing()])
    data = archive(
        {
            "round 1/table 1.jpg": FORMATS["jpeg"],
            "round 1/notes.txt": b"hello",
            "round 1/scan": FORMATS["pdf"],
            "two.tif": two_pages,
            "last.heic": FORMATS["png"],
        }
    )
    items = list(load(data, name="stack.zip"))
    assert [(i.source, i.page, isinstance(i, Picture)) for i in items] == [
        ("stack.zip/round 1/table 1.jpg", 1, True),
        ("stack.zip/round 1/scan", 1, True),
        ("stack.zip/two.tif", 1, True),
        ("stack.zip/two.tif", 2, True),
        ("stack.zip/last.heic", 1, True),
    ]


def test_what_systems_leave_in_archives_is_passed_over() -> None:
    data = archive({"__MACOSX/._a.jpg": b"x", ".DS_Store": b"x", "Thumbs.db": b"x", "a.jpg": FORMATS["jpeg"]})
    assert [i.source for i in load(data, name="s.zip")] == ["s.zip/a.jpg"]


def test_what_is_no_picture_is_passed_over_as_in_a_folder_and_a_damaged_picture_is_told() -> None:
    data = archive({"readme.txt": b"by Ana", "empty": b"", "broken.jpg": b"no jpeg", "a.jpg": FORMATS["jpeg"]})
    items = list(load(data, name="s.zip"))
    assert [(i.source, isinstance(i, Picture)) for i in items] == [("s.zip/broken.jpg", False), ("s.zip/a.jpg", True)]
    only = only_failure(archive({"readme.txt": b"by Ana"})).error
    assert (only.code, "no picture" in only.message) == ("empty-archive", True)


@pytest.mark.parametrize("path", ["../../etc/evil.jpg", "/etc/evil.jpg", "..\\..\\etc\\evil.jpg", "./etc/./evil.jpg"])
def test_no_path_leads_out_of_an_archive(path: str) -> None:
    plain = path.replace("\\", "|")  # zipfile itself writes no backslash
    data = archive({plain: FORMATS["jpeg"]}).replace(plain.encode(), path.encode())
    (item,) = load(data, name="s.zip")
    assert item.source == "s.zip/etc/evil.jpg"


def test_bombs_and_nested_archives_are_refused_and_the_rest_is_read() -> None:
    data = archive({"bomb.png": bytes(40_000_000), "in.zip": archive({"a": b"b"}), "a.jpg": FORMATS["jpeg"]})
    items = list(load(data))
    assert [i.error.code for i in items if isinstance(i, PageFailure)] == ["archive-too-large", "nested-archive"]
    assert isinstance(items[-1], Picture)


def test_limits_of_archives() -> None:
    many = archive({f"{k}.jpg": FORMATS["jpeg"] for k in range(4)}, zipfile.ZIP_STORED)
    assert only_failure(many, Limits(members=3)).error.code == "archive-too-large"
    items = list(load(many, limits=Limits(archive_bytes=len(FORMATS["jpeg"]) * 2)))
    assert [isinstance(i, Picture) for i in items] == [True, True, False, False]


def test_damaged_empty_and_foreign_archives() -> None:
    data = archive({"a.jpg": FORMATS["jpeg"]})
    only_failure(data[:-30])
    broken = bytearray(archive({"a.bmp": FORMATS["bmp"]}))
    broken[60:80] = bytes(20)
    assert isinstance(next(load(bytes(broken))), PageFailure)
    assert only_failure(archive({})).error.code == "empty-archive"
    assert "PDF" in only_failure(archive({"[Content_Types].xml": b"<xml/>"})).error.message


def test_a_locked_archive() -> None:
    data = bytearray(archive({"a.jpg": FORMATS["jpeg"]}))
    for signature, flags in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        data[data.index(signature) + flags] |= 1
    assert only_failure(bytes(data)).error.code == "encrypted"
