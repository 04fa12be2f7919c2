"""Any file that a phone or a scanner delivers -> its pages as grey pictures, one at a time."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from gigsheet.errors import GigsheetError, UnreadableFileError
from gigsheet.vision.formats import sniff
from gigsheet.vision.jpeg import load_jpeg
from gigsheet.vision.limits import Limits
from gigsheet.vision.picture import PageFailure, Picture
from gigsheet.vision.regular import refuse_irregular

__all__ = ["Limits", "PageFailure", "Picture", "load"]


def load(
    source: str | Path | bytes, *, name: str | None = None, limits: Limits | None = None, page: int | None = None
) -> Iterator[Picture | PageFailure]:
    """The pages of a file, decoded one by one as they are asked for, so that memory stays flat.

    `source` is a path, ``-`` for standard input, or the file's own bytes. What it holds is told by its content, never
    by its name. `name` stands in `Picture.source` instead of the path. `page` (from 1) asks for this page alone; of a
    PDF no other is then decoded. Nothing is raised for a bad file or page: a `PageFailure` stands in its place (page 1
    for a whole file) with an error that says how to mend it, without the file's name, and later pages still come.
    """
    name = name or ("-" if isinstance(source, bytes) else str(source))
    reached = 0
    try:
        with _opened(source) as file:
            for item in load_open(file, name, limits or Limits(), page=page):
                reached = item.page
                if page in (None, reached):
                    yield item
    except GigsheetError as e:
        yield PageFailure(name, page or reached + 1, e)
    except MemoryError:
        yield PageFailure(
            name, page or reached + 1, UnreadableFileError("the picture does not fit into memory; make it smaller")
        )
    except (OSError, ValueError) as e:
        yield PageFailure(
            name, page or reached + 1, UnreadableFileError(f"cannot be read ({_reason(e)}); copy it anew")
        )


def load_open(
    file: BinaryIO, name: str, limits: Limits, *, nested: bool = False, page: int | None = None
) -> Iterator[Picture | PageFailure]:
    """The pages of an open, seekable file. `nested` when it lies in an archive, where no further archive may be.

    Of a PDF, `page` gives this page alone.

    Raises UnreadableFileError or MissingExtraError for a file of which no page can be loaded.
    """
    head = file.read(1024)
    file.seek(0)
    kind = sniff(head)
    if kind is None:
        raise _unknown(head)
    if kind == "ZIP":
        if nested:
            raise UnreadableFileError("this is an archive inside an archive; unpack it first", code="nested-archive")
        from gigsheet.vision.archive import load_archive

        yield from load_archive(file, name, limits)
        return
    if kind == "PDF":
        from gigsheet.vision.pdf import load_pdf

        yield from load_pdf(file, name, limits, page)
        return
    # The size first: memory is laid out for as many bytes as are asked for, and for the limit's that takes a while.
    size = file.seek(0, io.SEEK_END)
    limits.check_bytes(size)
    file.seek(0)
    data = file.read(size)
    if kind == "JPEG":
        yield load_jpeg(data, name, limits)
    elif kind == "HEIC":
        from gigsheet.vision.raster import load_heic

        yield load_heic(data, name, limits)
    else:
        from gigsheet.vision.raster import load_raster

        yield from load_raster(data, kind, name, limits)


def _opened(source: str | Path | bytes) -> BinaryIO:
    """A seekable file. What cannot be sought (standard input, a pipe) is read whole, up to the limit of a picture."""
    if isinstance(source, bytes):
        return io.BytesIO(source)
    if str(source) == "-":
        return _read_whole(sys.stdin.buffer)
    try:
        path = Path(source)
        if path.is_dir():
            raise UnreadableFileError("this is a directory; name the files in it", code="is-a-directory")
        refuse_irregular(path)
        file = path.open("rb")
    except FileNotFoundError:
        raise UnreadableFileError("no such file; check its name", code="no-such-file") from None
    except PermissionError:
        raise UnreadableFileError("this file may not be read; ask for permission", code="no-permission") from None
    if file.seekable() and path.is_file():
        return file
    with file:
        return _read_whole(file)


def _read_whole(stream: BinaryIO) -> BinaryIO:
    data = stream.read(Limits().file_bytes + 1)
    Limits().check_bytes(len(data))
    return io.BytesIO(data)


def _unknown(head: bytes) -> UnreadableFileError:
    if not head:
        return UnreadableFileError("the file is empty (0 bytes); copy or send it again")
    return UnreadableFileError(
        "this is no picture that can be read; give a JPEG, PNG, TIFF, PDF, HEIC or WebP file, or a ZIP of them"
    )


def _reason(error: Exception) -> str:
    return (getattr(error, "strerror", None) or str(error) or type(error).__name__).splitlines()[0]
