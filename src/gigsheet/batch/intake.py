"""What the user named -> scans kept in the event's folder."""

from __future__ import annotations

import io
import os
import re
import zipfile
from collections.abc import Generator, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from glob import glob, has_magic
from pathlib import Path
from queue import Queue
from threading import Event, Thread

from gigsheet.errors import GigsheetError, UnreadableFileError, one_line
from gigsheet.store.scans import ScanFile, ScanFolder
from gigsheet.vision.archive import DAMAGE, unpack
from gigsheet.vision.formats import PICTURES, sniff
from gigsheet.vision.limits import Limits
from gigsheet.vision.regular import refuse_irregular

_AHEAD = 4


@dataclass(frozen=True, slots=True)
class Missing:
    """Something that was named and cannot be taken in."""

    name: str
    message: str


def find(paths: Iterable[str], leave_out: Iterable[Path] = ()) -> Iterator[Path | Missing]:
    """The files that paths, folders (with all below them) and patterns stand for, each once, in natural order.

    Args:
        leave_out: folders of which nothing is taken: those into which the event itself writes pictures.
    """
    seen: set[Path] = set()
    own = {_real(folder) for folder in leave_out}
    for name in paths:
        found = [(path, _real(path)) for path in _expand(name)]
        delivered = [(path, key) for path, key in found if own.isdisjoint(key.parents)]
        if not found:
            yield Missing(name, _nothing(name))
        elif not delivered:
            yield Missing(name, "the event itself wrote what is there; name the pictures that were delivered")
        for path, key in delivered:
            if key not in seen:
                seen.add(key)
                yield path


def _real(path: Path) -> Path:
    """Where a path leads; one that leads round in circles is told of when it is opened, not here as by `resolve`."""
    return Path(os.path.realpath(path))


def _expand(name: str) -> Iterable[Path]:
    path = Path(name)
    if path.is_dir():
        return pictures_in(path)
    if path.exists() or not has_magic(name):
        return [path] if path.exists() else []
    matches = sorted(map(Path, glob(name, recursive=True)), key=natural)  # noqa: PTH207 - patterns may be absolute
    return [file for match in matches for file in (pictures_in(match) if match.is_dir() else [match])]


def pictures_in(folder: Path) -> list[Path]:
    """The pictures in a folder and below it, hidden ones left out, ``photo2`` before ``photo10``.

    They are known by their names; a name without an ending says nothing, and the content does.
    """
    files = (
        path
        for path in folder.rglob("*")
        if (path.suffix.lower() in PICTURES or not path.suffix)
        and not any(part.startswith(".") for part in path.relative_to(folder).parts)
        and path.is_file()
        and (path.suffix or _begins_like_one(path))
    )
    return sorted(files, key=natural)


def _begins_like_one(path: Path) -> bool:
    with suppress(OSError), path.open("rb") as file:
        return sniff(file.read(1024)) is not None
    return False


def natural(path: Path) -> list[tuple[int, str]]:
    """Sorts numbers in names by their value."""
    return [(int(part), "") if part.isdecimal() else (-1, part.lower()) for part in re.split(r"(\d+)", str(path))]


def _nothing(name: str) -> str:
    if Path(name).is_dir():
        return "there is no picture in this folder; name one with JPEG, PNG, TIFF, PDF, HEIC, WebP or ZIP files"
    if has_magic(name):
        return "nothing matches this pattern; check it, or name the folder"
    return "no such file; check its name"


def keep_all(paths: Iterable[Path | Missing], folder: ScanFolder) -> Iterator[ScanFile | Missing]:
    """Copies every file into the event; an archive is taken apart, so that each picture in it is a scan of its own."""
    for path in paths:
        if isinstance(path, Missing):
            yield path
            continue
        try:
            yield from _keep(path, folder)
        except UnreadableFileError as error:
            yield Missing(shown(path), error.message)
        except OSError as error:
            yield Missing(shown(path), f"cannot be read ({error.strerror or error}); check who may read it, or copy it")


def shown(path: str | Path) -> str:
    """A path as one line that any file and any database takes: line breaks and bytes that are not UTF-8 are escapes."""
    return one_line(os.fsencode(path).decode("utf-8", "backslashreplace"))


def _keep(path: Path, folder: ScanFolder) -> Iterator[ScanFile | Missing]:
    refuse_irregular(path)
    with path.open("rb") as file:
        head = file.read(1024)
        file.seek(0)
        if sniff(head) != "ZIP":
            yield folder.keep(file, shown(path))
            return
        for name, content in unpack(file, shown(path), Limits()):
            if isinstance(content, GigsheetError):
                yield Missing(name, content.message)
            else:
                yield folder.keep(io.BytesIO(content), name)


def files_in(path: Path | Missing) -> int:
    """About how many pictures a file holds before its pages are known: an archive's files, else one."""
    if isinstance(path, Path) and path.suffix.lower() == ".zip":
        with suppress(*DAMAGE), zipfile.ZipFile(path) as archive:
            return sum(not member.is_dir() for member in archive.infolist())
    return 1


def ahead(items: Iterator[ScanFile | Missing]) -> Generator[ScanFile | Missing]:
    """The same items, prepared by a thread a few at a time while the ones before them are being read.

    Raises:
        whatever `items` raises, at the place where it came.
    """
    queue: Queue[ScanFile | Missing | BaseException | None] = Queue(_AHEAD)
    stop = Event()

    def fill() -> None:
        try:
            for item in items:
                queue.put(item)
                if stop.is_set():
                    break
            queue.put(None)
        except BaseException as error:  # handed on to the thread that asked
            queue.put(error)

    thread = Thread(target=fill, name="gigsheet-intake", daemon=True)
    thread.start()
    try:
        while (item := queue.get()) is not None:
            if isinstance(item, BaseException):
                raise item
            yield item
    finally:
        stop.set()
        while thread.is_alive():  # it may be waiting for room in the queue
            if not queue.empty():
                queue.get()
            thread.join(0.01)
