from __future__ import annotations

import io
import json
import os
import struct
import threading
import time
import zipfile
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from PIL.TiffImagePlugin import TiffImageFile

from gigsheet.batch.crew import LocalCrew
from gigsheet.batch.intake import Missing, ahead, find, keep_all, pictures_in
from gigsheet.batch.parts import parts_of
from gigsheet.batch.run import LOST, Import, Tally
from gigsheet.batch.run import recipe as made_by
from gigsheet.batch.watch import Arrivals
from gigsheet.batch.worker import Part, read_part
from gigsheet.errors import UnreadableFileError
from gigsheet.pipeline import Options
from gigsheet.records import SheetReading
from gigsheet.store import Store, queries
from gigsheet.store.corrected import Spot
from gigsheet.store.scans import ScanFolder
from gigsheet.vision.load import Limits, PageFailure, Picture, load
from tests.event.stack import scripted, write_stack
from tests.event.state import state_of
from tests.vision.test_load import tiff_with_thumbnail


@pytest.fixture(scope="module")
def crew() -> Iterator[LocalCrew]:
    with LocalCrew(2) as made:
        yield made


def run(event: Path, crew: LocalCrew, *paths: Path, recipe: str = "first", **more: Any) -> Tally:
    with Store(event, create=True) as store:
        return Import(store, crew, Options(), recipe, work=scripted, **more).run(find(map(str, paths)))


def test_a_stack_is_read_once_and_the_same_files_again_change_nothing(tmp_path: Path, crew: LocalCrew) -> None:
    write_stack(tmp_path / "photos", 9)
    tally = run(tmp_path / "event", crew, tmp_path / "photos")
    assert (tally.pages, tally.sure, tally.flagged, tally.refused, tally.known) == (9, 6, 3, 0, 0)
    before = state_of(tmp_path / "event")
    again = run(tmp_path / "event", crew, tmp_path / "photos")
    assert (again.pages, again.known, again.sure) == (9, 9, 0)
    assert state_of(tmp_path / "event") == before


def test_the_order_of_the_stack_is_that_of_its_names(tmp_path: Path, crew: LocalCrew) -> None:
    write_stack(tmp_path / "photos", 11)
    run(tmp_path / "event", crew, tmp_path / "photos")
    with Store(tmp_path / "event") as store:
        assert [s.serial for s in queries.sheets(store)] == [f"7F3K-{k:03}" for k in range(1, 12)]


def test_a_bad_page_is_one_refusal_and_the_others_come(tmp_path: Path, crew: LocalCrew) -> None:
    photos = write_stack(tmp_path / "photos", 4)
    photos[1].write_text(json.dumps({"error": "no-sheet"}))
    photos[2].write_text(json.dumps({"fail": "the reader has a fault"}))
    tally = run(tmp_path / "event", crew, tmp_path / "photos", tmp_path / "nowhere.jpg")
    assert (tally.sure, tally.refused) == (2, 2)
    assert {r.error for r in tally.refusals} == {"no-sheet", LOST}
    assert [m.name for m in tally.missing] == [str(tmp_path / "nowhere.jpg")]


def test_a_page_whose_reading_failed_is_tried_again_and_one_refused_is_not(tmp_path: Path, crew: LocalCrew) -> None:
    (tmp_path / "bad.jpg").write_text(json.dumps({"error": "no-sheet"}))
    (tmp_path / "lost.jpg").write_text(json.dumps({"fail": "out of memory"}))
    run(tmp_path / "event", crew, tmp_path / "bad.jpg", tmp_path / "lost.jpg")
    again = run(tmp_path / "event", crew, tmp_path / "bad.jpg", tmp_path / "lost.jpg")
    assert (again.known, [r.error for r in again.refusals]) == (1, [LOST])


def test_a_reader_that_cannot_read_stops_the_import_and_keeps_what_was_read(tmp_path: Path, crew: LocalCrew) -> None:
    photos = write_stack(tmp_path / "photos", 9)
    whole = photos[3].read_text()
    photos[3].write_text(json.dumps({"broken": "second.onnx is damaged; install gigsheet anew"}))
    with pytest.raises(UnreadableFileError, match=r"^second\.onnx is damaged; install gigsheet anew$"):
        run(tmp_path / "event", crew, tmp_path / "photos")
    with Store(tmp_path / "event") as store:
        counts = queries.counts(store)
    assert counts.refused == 0
    assert counts.unread > 0
    photos[3].write_text(whole)
    tally = run(tmp_path / "event", crew, tmp_path / "photos")
    assert (tally.known, tally.pages, tally.refused) == (counts.sure + counts.flagged, 9, 0)


def test_a_worker_that_dies_once_loses_nothing(tmp_path: Path) -> None:
    photos = write_stack(tmp_path / "photos", 6)
    once = tmp_path / "once"
    once.touch()
    photos[2].write_text(json.dumps({"serial": "7F3K-003", "kill": str(once)}))
    with LocalCrew(1) as crew:
        tally = run(tmp_path / "event", crew, tmp_path / "photos")
    assert (tally.pages, tally.refused) == (6, 0)
    with Store(tmp_path / "event") as store:
        assert [s.serial for s in queries.sheets(store)] == [f"7F3K-{k:03}" for k in range(1, 7)]


def test_a_page_that_kills_every_worker_is_refused_alone(tmp_path: Path) -> None:
    photos = write_stack(tmp_path / "photos", 6)
    photos[2].write_text(json.dumps({"kill": "always"}))
    with LocalCrew(1) as crew:
        tally = run(tmp_path / "event", crew, tmp_path / "photos")
    assert (tally.pages, tally.refused) == (6, 1)
    assert tally.refusals[0].source == str(photos[2])


def test_what_another_recipe_read_is_read_again_only_on_request(tmp_path: Path, crew: LocalCrew) -> None:
    (photo,) = write_stack(tmp_path / "photos", 1, doubt_every=1)
    event = tmp_path / "event"
    run(event, crew, photo)
    with Store(event) as store:
        reading_id = queries.sheets(store)[0].reading_id
        store.correct(reading_id, Spot(1, "row", 3), "B4 -B3")
    assert run(event, crew, photo, recipe="better").known == 1
    assert run(event, crew, photo, recipe="better", reread="outdated").known == 0
    assert run(event, crew, photo, recipe="better", reread="outdated").known == 1
    assert run(event, crew, photo, recipe="better", reread="all").known == 0
    with Store(event) as store:
        (sheet,) = queries.sheets(store)
        game = queries.current_state(store, sheet.reading_id).reading.games[0]
        assert game.rows[2].text == "B4 -B3"
        assert queries.pages_of(store, sheet.scan_id)[1][0] == 3


def test_scans_can_be_read_again_when_the_files_are_gone(tmp_path: Path, crew: LocalCrew) -> None:
    (photo,) = write_stack(tmp_path / "photos", 1)
    run(tmp_path / "event", crew, photo)
    photo.unlink()
    with Store(tmp_path / "event") as store:
        work = Import(store, crew, Options(), "better", reread="outdated", work=scripted)
        assert work.run_again(queries.scan_files(store)).known == 0
        store.scans.find(queries.scan_files(store)[0].sha256).unlink()  # type: ignore[union-attr]
        again = Import(store, crew, Options(), "best", reread="outdated", work=scripted)
        assert "import the picture again" in again.run_again(queries.scan_files(store)).missing[0].message


def test_archives_are_taken_apart_and_equal_pictures_are_one(tmp_path: Path, crew: LocalCrew) -> None:
    photos = write_stack(tmp_path / "photos", 3)
    archive = tmp_path / "more.zip"
    with zipfile.ZipFile(archive, "w") as packed:
        packed.write(photos[0], "day 1/first.jpg")
        packed.writestr("new.jpg", json.dumps({"serial": "NEW"}))
    (tmp_path / "broken.zip").write_bytes(b"PK\3\4 and nothing that follows")
    tally = run(tmp_path / "event", crew, tmp_path / "photos", archive, tmp_path / "broken.zip")
    assert tally.pages == 4
    assert tally.total == 4
    assert len(tally.missing) == 1
    with Store(tmp_path / "event") as store:
        names = {s.serial: s.source for s in queries.sheets(store)}
    assert names["NEW"] == f"{archive}/new.jpg"


def test_two_imports_at_once_end_with_the_same_store_as_one(tmp_path: Path) -> None:
    write_stack(tmp_path / "photos", 12, sleep=0.01)
    tallies = []

    def work() -> None:
        with LocalCrew(1) as crew:
            tallies.append(run(tmp_path / "both", crew, tmp_path / "photos"))

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [tally.pages for tally in tallies] == [12, 12]
    with LocalCrew(1) as crew:
        run(tmp_path / "one", crew, tmp_path / "photos")
    assert state_of(tmp_path / "both") == state_of(tmp_path / "one")


def test_few_parts_are_in_flight_however_long_the_stack(tmp_path: Path) -> None:
    write_stack(tmp_path / "photos", 30)
    most = 0

    class Counting(LocalCrew):
        def submit(self, *args: Any) -> Any:
            nonlocal most
            future = super().submit(*args)
            flying.append(future)
            most = max(most, sum(not f.done() for f in flying))
            return future

    flying: list[Any] = []
    with Counting(1) as crew:
        run(tmp_path / "event", crew, tmp_path / "photos")
    assert len(flying) == 30
    assert most <= 2


def test_find_takes_folders_patterns_and_files_once_each(tmp_path: Path) -> None:
    write_stack(tmp_path / "a" / "b", 2)
    (tmp_path / "a" / ".hidden.jpg").touch()
    (tmp_path / "a" / "notes.txt").touch()
    found = list(find([str(tmp_path / "a"), str(tmp_path / "a" / "**" / "*1.jpg"), str(tmp_path / "a" / "notes.txt")]))
    assert [getattr(path, "name", "") for path in found] == ["sheet1.jpg", "sheet2.jpg", "notes.txt"]
    (missing,) = find([str(tmp_path / "*.png")])
    assert isinstance(missing, Missing)


def test_find_leaves_out_what_an_event_itself_wrote(tmp_path: Path) -> None:
    write_stack(tmp_path / "event" / "round 1", 1)
    own = [tmp_path / "event" / "scans", tmp_path / "event" / "crops"]
    for folder in own:
        write_stack(folder / "ab", 1)
    for name in (tmp_path, tmp_path / "event"):
        found = list(find([str(name)], leave_out=own))
        assert found == [tmp_path / "event" / "round 1" / "sheet1.jpg"]
    (missing,) = find([str(own[0])], leave_out=own)
    assert isinstance(missing, Missing)
    assert "the event itself wrote" in missing.message


def test_an_import_of_the_events_own_folder_takes_in_nothing_twice(tmp_path: Path, crew: LocalCrew) -> None:
    write_stack(tmp_path / "event" / "round 1", 2)
    for _ in range(2):
        with Store(tmp_path / "event", create=True) as store:
            paths = find([str(tmp_path / "event")], leave_out=store.own_folders)
            tally = Import(store, crew, Options(), "first", work=scripted).run(paths)
            assert tally.pages == 2
            assert len(queries.scan_files(store)) == 2


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes there")
def test_a_named_pipe_is_refused(tmp_path: Path, crew: LocalCrew) -> None:
    os.mkfifo(tmp_path / "pipe.jpg")
    (missing,) = keep_all([tmp_path / "pipe.jpg"], ScanFolder(tmp_path / "scans"))
    assert isinstance(missing, Missing)
    assert "no regular file" in missing.message


def test_ahead_hands_on_items_and_failures_and_stops_with_its_reader() -> None:
    def items() -> Iterator[Any]:
        yield from range(3)
        raise RuntimeError("disk full")

    got = []
    with pytest.raises(RuntimeError, match="disk full"):
        got.extend(ahead(items()))
    endless = ahead(iter(lambda: 1, 2))  # type: ignore[arg-type]
    assert next(endless) == 1  # type: ignore[comparison-overlap]
    started = time.monotonic()
    endless.close()
    assert time.monotonic() - started < 2
    assert not [t for t in threading.enumerate() if t.name == "gigsheet-intake"]


def test_a_file_arrives_when_nobody_writes_to_it_any_more(tmp_path: Path) -> None:
    arrivals = Arrivals([str(tmp_path)])
    photo = tmp_path / "a.jpg"
    photo.write_bytes(b"half")
    assert arrivals.look() == []
    photo.write_bytes(b"half and half")
    assert arrivals.look() == []
    assert arrivals.look() == [photo]
    assert arrivals.look() == []


def test_a_pdf_and_a_tiff_are_cut_into_pages_and_one_part_is_the_whole_file(tmp_path: Path) -> None:
    pages = [Image.new("1", (60, 80), k % 2) for k in range(3)]
    pages[0].save(tmp_path / "a.tif", save_all=True, append_images=pages[1:])
    pages[0].save(tmp_path / "a.pdf", save_all=True, append_images=pages[1:])
    pages[0].save(tmp_path / "a.png")
    (tmp_path / "bad.pdf").write_bytes(b"%PDF-1.4 nothing more")
    for name in ("a.tif", "a.pdf"):
        parts = parts_of(tmp_path / name)
        assert parts.count == 3
        numbers, contents = zip(*parts.cut([1, 3]), strict=True)
        assert numbers == (1, 3)
        assert all(isinstance(content, bytes) for content in contents)
    with Image.open(io.BytesIO(next(parts_of(tmp_path / "a.tif").cut([2]))[1] or b"")) as second:
        assert second.getpixel((5, 5)) == 255
    for name in ("a.png", "bad.pdf"):
        parts = parts_of(tmp_path / name)
        assert list(parts.cut([1])) == [(1, None)]


TURNED = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_90,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_270,
}
"""EXIF orientation -> how an upright picture is stored under it."""


def scans(count: int) -> list[Image.Image]:
    """Sheets as a scanner sends them, small, and no two alike."""
    pages = []
    for k in range(count):
        pixels = np.full((120, 80), 255, np.uint8)
        pixels[10:30, 10 : 40 + 10 * k] = 0
        pages.append(Image.fromarray(pixels))
    return pages


def cut(path: Path) -> list[Picture | PageFailure]:
    """The pages as `import` has them read, one part a page."""
    parts = parts_of(path)
    return [item for _, part in parts.cut(range(1, parts.count + 1)) for item in load(path if part is None else part)]


@pytest.mark.parametrize("orientation", range(1, 9))
def test_uncompressed_pages_are_cut_whole_however_they_are_turned(orientation: int, tmp_path: Path) -> None:
    upright = scans(2)
    turn = TURNED.get(orientation)
    stored = [page if turn is None else page.transpose(turn) for page in upright]
    path = tmp_path / "a.tif"
    stored[0].save(path, save_all=True, append_images=stored[1:], tiffinfo={0x0112: orientation})
    for item, page in zip(cut(path), upright, strict=True):
        assert isinstance(item, Picture)
        assert np.array_equal(item.as_seen(), np.asarray(page))


@pytest.mark.parametrize("count", [1, 2])
@pytest.mark.parametrize("at", [0, 1, 2])
def test_a_thumbnail_is_no_page_of_an_import_either(count: int, at: int, tmp_path: Path) -> None:
    pages = scans(count)
    path = tmp_path / "a.tif"
    path.write_bytes(tiff_with_thumbnail(pages, at))
    parts = parts_of(path)
    assert parts.count == count
    for item, page in zip(cut(path), pages, strict=True):
        assert isinstance(item, Picture)
        assert np.array_equal(item.pixels, np.asarray(page))
    read = [reading.page for number, part in parts.cut(range(1, count + 1)) for reading in read_as(path, part, number)]
    assert read == [item.page for item in load(path)] == list(range(1, count + 1))


def read_as(path: Path, part: bytes | None, number: int) -> tuple[SheetReading, ...]:
    """What a worker hands back for a part of a scan."""
    return read_part(Part("a.tif", part or path, number if part else None), Options()).readings


LARGE = {256: 65_000, 257: 65_000}
"""The width and height of a page of 4,225 megapixels."""
PIXELS_GONE = {273: 60_000}
"""Pixels that would lie after the end of the file."""


def scans_saying(path: Path, page: int, tags: dict[int, int], **options: Any) -> None:
    """A TIFF of three scans, one of which says something wrong of itself; little or big endian, classic or BigTIFF."""
    pages = scans(3)
    if options.pop("big_endian", False):
        pages = [Image.fromarray(np.asarray(page).astype(np.uint16) * 257).convert("I;16B") for page in pages]
    pages[0].save(path, save_all=True, append_images=pages[1:], **options)
    data = bytearray(path.read_bytes())
    order = "<" if data[:2] == b"II" else ">"
    first, entry, value = (8, 20, 12) if 43 in data[2:4] else (2, 12, 8)
    with TiffImageFile(path) as image:
        image.seek(page - 1)
        directory = image.tag_v2
        for tag, wrong in tags.items():
            at = directory.offset + first + sorted(directory).index(tag) * entry + value
            struct.pack_into(order + {3: "H", 4: "L", 16: "Q"}[directory.tagtype[tag]], data, at, wrong)
    path.write_bytes(data)


@pytest.mark.parametrize("page", [1, 2])
@pytest.mark.parametrize("wrong", [LARGE, PIXELS_GONE])
@pytest.mark.parametrize("options", [{}, {"compression": "tiff_lzw"}, {"big_tiff": True}, {"big_endian": True}])
def test_what_is_wrong_with_a_page_is_told_as_read_tells_it(
    options: dict[str, Any], wrong: dict[int, int], page: int, tmp_path: Path
) -> None:
    path = tmp_path / "a.tif"
    scans_saying(path, page, wrong, **options)
    told = refusals(cut(path))
    assert told == refusals(load(path))
    assert [number for number, refusal in enumerate(told, 1) if refusal] == [page]


def refusals(items: Iterable[Picture | PageFailure]) -> list[tuple[str, str] | None]:
    """The code and the message of each page that was refused."""
    return [(item.error.code, item.error.message) if isinstance(item, PageFailure) else None for item in items]


def test_a_damaged_page_of_a_file_larger_than_is_read_is_refused_as_the_file_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.tif"
    scans_saying(path, 2, PIXELS_GONE)
    monkeypatch.setattr("gigsheet.batch.parts.Limits", partial(Limits, file_bytes=10_000))
    assert [content is None for _, content in parts_of(path).cut([1, 2, 3])] == [False, True, False]


def test_half_copies_of_a_killed_import_are_swept_once_they_are_old(tmp_path: Path) -> None:
    folder = ScanFolder(tmp_path)
    old, fresh = tmp_path / ".incoming-old", tmp_path / ".incoming-fresh"
    old.touch()
    fresh.touch()
    os.utime(old, (1, 1))
    kept = folder.keep(io.BytesIO(b"whole"), "a.JPG")
    folder.sweep(older_than=time.time() - 60)
    assert sorted(p.name for p in tmp_path.rglob("*") if p.is_file()) == sorted([fresh.name, kept.path.name])


def test_a_scan_that_was_cut_short_is_put_right_by_the_next_import(tmp_path: Path) -> None:
    folder = ScanFolder(tmp_path)
    kept = folder.keep(io.BytesIO(b"whole"), "a.jpg")
    kept.path.write_bytes(b"who")
    again = folder.keep(io.BytesIO(b"whole"), "renamed.jpeg")
    assert again.path == kept.path
    assert kept.path.read_bytes() == b"whole"


def test_a_name_that_is_not_utf8_is_taken_in_like_any_other(tmp_path: Path, crew: LocalCrew) -> None:
    photos = write_stack(tmp_path / "photos", 2)
    odd = Path(os.fsdecode(os.fsencode(photos[0].parent) + b"/l\xe9.jpg"))
    try:
        photos[0].rename(odd)
    except OSError:
        pytest.skip("this file system has UTF-8 names alone")
    tally = run(tmp_path / "event", crew, tmp_path / "photos")
    assert (tally.pages, tally.refused) == (2, 0)


def test_pages_read_with_another_calibration_are_outdated(monkeypatch: pytest.MonkeyPatch) -> None:
    before = made_by(Options(), "ctc")
    monkeypatch.setattr("gigsheet.batch.run.fingerprint", lambda: "another")
    assert made_by(Options(), "ctc") != before


def test_a_picture_in_a_folder_needs_no_ending(tmp_path: Path) -> None:
    (tmp_path / "IMG_0001").write_bytes(b"\xff\xd8\xff\xe0")
    (tmp_path / "Makefile").write_text("all:")
    (tmp_path / "scan.bak").write_bytes(b"\xff\xd8\xff\xe0")
    assert [path.name for path in pictures_in(tmp_path)] == ["IMG_0001"]


def test_signs_that_only_look_like_digits_are_sorted_too(tmp_path: Path) -> None:
    for name in ("1\u00b22.jpg", "10.jpg", "2.jpg", "\u0663.jpg"):
        (tmp_path / name).touch()
    assert [path.name for path in pictures_in(tmp_path)][:2] == ["1\u00b22.jpg", "2.jpg"]


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_a_link_to_itself_is_missing_and_stops_nothing(tmp_path: Path) -> None:
    (tmp_path / "loop.jpg").symlink_to(tmp_path / "loop.jpg")
    found = list(find([str(tmp_path / "*.jpg")]))
    assert len(found) == 1
    (missing,) = keep_all(found, ScanFolder(tmp_path / "scans"))
    assert isinstance(missing, Missing)


@pytest.mark.parametrize("share", [0.7, 0.97])
@pytest.mark.parametrize("compression", ["tiff_lzw", "jpeg", None])
def test_a_tiff_that_is_cut_off_is_refused_where_it_ends_and_stops_nothing(
    compression: str | None, share: float, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    photos = tmp_path / "photos"
    photos.mkdir()
    pages = [Image.fromarray(np.random.default_rng(k).integers(0, 255, (90, 120), np.uint8)) for k in range(3)]
    pages[0].save(tmp_path / "whole.tif", save_all=True, append_images=pages[1:], compression=compression)
    data = (tmp_path / "whole.tif").read_bytes()
    (photos / "cut.tif").write_bytes(data[: int(share * len(data))])
    (photos / "whole.tif").write_bytes(data)
    with Store(tmp_path / "event", create=True) as store, LocalCrew(1) as crew:
        for _ in range(2):
            Import(store, crew, Options(), "first").run(find([str(photos)]))
        counts = queries.counts(store)
        cut = [sheet for sheet in queries.sheets(store) if sheet.title.startswith(str(photos / "cut"))]
    assert (counts.scans, counts.unread) == (2, 0)
    assert cut[-1].error == "unreadable-file"
    assert [sheet.page for sheet in cut] == list(range(1, len(cut) + 1))
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("compression", ["tiff_lzw", "tiff_adobe_deflate", "packbits", "jpeg", "group4"])
def test_a_decoder_s_own_words_about_a_damaged_page_are_not_shown(
    compression: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    noise = [np.random.default_rng(k).integers(0, 255, (90, 120), np.uint8) for k in range(3)]
    pages = [Image.fromarray(page).convert("1" if compression == "group4" else "L") for page in noise]
    path = tmp_path / "a.tif"
    pages[0].save(path, save_all=True, append_images=pages[1:], compression=compression)
    with TiffImageFile(path) as image:
        image.seek(1)
        start, size = image.tag_v2[273][0], image.tag_v2[279][0]
    data = bytearray(path.read_bytes())
    data[start + size // 4 : start + size] = bytes([255, 216, 0] * size)[: size - size // 4]
    path.write_bytes(data)
    for _ in parts_of(path).cut([1, 2, 3]):
        pass
    assert capfd.readouterr().err == ""


@pytest.mark.filterwarnings("error")
def test_nor_are_pillow_s_of_a_directory_that_is_odd(tmp_path: Path) -> None:
    path = tmp_path / "a.tif"
    pages = scans(3)
    pages[0].save(path, save_all=True, append_images=pages[1:])
    with TiffImageFile(path) as image:
        at = image.tag_v2.offset + 2 + 12 * sorted(image.tag_v2).index(278) + 4
    data = bytearray(path.read_bytes())
    struct.pack_into("<L", data, at, 2)  # two values for the rows of a strip, of which there is one
    path.write_bytes(data)
    assert len(cut(path)) == 3


def test_a_damaged_copy_keeps_its_readings_and_is_told_of(tmp_path: Path) -> None:
    (photo,) = write_stack(tmp_path / "photos", 1)
    with Store(tmp_path / "event", create=True) as store, LocalCrew(1) as crew:
        Import(store, crew, Options(), "first", work=scripted).run(find([str(photo)]))
        (scan,) = queries.scan_files(store)
        scan.path.write_bytes(b"")
        again = Import(store, crew, Options(), "second", reread="all", work=scripted)
        (missing,) = again.run_again(queries.scan_files(store)).missing
        assert "damaged; import the picture again" in missing.message
        assert queries.counts(store).sure == 1
        Import(store, crew, Options(), "second", work=scripted).run(find([str(photo)]))
        assert scan.is_whole(), "sending it again mends the copy"
        healed = Import(store, crew, Options(), "second", reread="all", work=scripted)
        assert not healed.run_again(queries.scan_files(store)).missing
