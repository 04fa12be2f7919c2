"""ZIP archives: their pictures one by one, never unpacked to disk, and never more than the limits allow."""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import BinaryIO

from gigsheet.errors import GigsheetError, UnreadableFileError
from gigsheet.vision.formats import PICTURES, sniff
from gigsheet.vision.limits import Limits
from gigsheet.vision.picture import PageFailure, Picture

_ENCRYPTED = 0x1
_ALWAYS_FINE = 10_000_000
"""A file that unpacks to fewer bytes may have grown as it likes: blank pages compress a thousandfold."""
DAMAGE = (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, RuntimeError)
"""What Python's unpacking may raise on an archive that does not hold, or is packed as it does not know."""
_OFFICE = "[Content_Types].xml"


def load_archive(file: BinaryIO, name: str, limits: Limits) -> Iterator[Picture | PageFailure]:
    """The pages of every picture in a ZIP, in its order; `source` is ``name/path within``, a path that never leads out.

    Raises UnreadableFileError for an archive that cannot be opened or holds too much.
    """
    from gigsheet.vision.load import load_open  # the two call each other: an archive holds any file

    for inside, content in unpack(file, name, limits):
        page = 0
        try:
            if isinstance(content, GigsheetError):
                raise content
            for item in load_open(io.BytesIO(content), inside, limits, nested=True):
                page = item.page
                yield item
        except GigsheetError as e:
            yield PageFailure(inside, page + 1, e)


def unpack(file: BinaryIO, name: str, limits: Limits) -> Iterator[tuple[str, bytes | GigsheetError]]:
    """Every picture in a ZIP, one by one in its order: ``name/path within``; its bytes, or why it cannot be unpacked.

    Raises UnreadableFileError for an archive that cannot be opened or holds too much.
    """
    try:
        archive = zipfile.ZipFile(file)
        members = [m for m in archive.infolist() if not _is_litter(m)]
    except DAMAGE as e:
        raise _damaged() from e
    if any(m.filename == _OFFICE for m in members):
        raise UnreadableFileError("this is an office document; export it as PDF", code="unreadable-file")
    if not members:
        raise UnreadableFileError("the archive is empty; put the pictures into it", code="empty-archive")
    if len(members) > limits.members:
        raise UnreadableFileError(
            f"the archive holds {len(members)} files, more than the {limits.members} that are read; split it",
            code="archive-too-large",
        )
    wanted = [member for member in members if _is_wanted(archive, member)]
    if not wanted:
        raise UnreadableFileError("there is no picture in the archive; put some into it", code="empty-archive")
    unpacked = 0
    for member in wanted:
        inside = f"{name}/{_harmless(member.filename)}"
        try:
            unpacked += member.file_size
            _check_growth(member, unpacked, limits)
            yield inside, _unpack(archive, member)
        except GigsheetError as e:
            yield inside, e


def _check_growth(member: zipfile.ZipInfo, unpacked: int, limits: Limits) -> None:
    limits.check_bytes(member.file_size)
    swollen = member.file_size > max(_ALWAYS_FINE, limits.growth * member.compress_size)
    if swollen or unpacked > limits.archive_bytes:
        raise UnreadableFileError(
            "the archive unpacks to too much; send the pictures as they are", code="archive-too-large"
        )


def _unpack(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes:
    """One file's bytes; zipfile stops at the size that the archive's directory states, which was checked."""
    if member.flag_bits & _ENCRYPTED:
        raise UnreadableFileError("this file is locked by a password; unpack the archive first", code="encrypted")
    try:
        with archive.open(member) as packed:
            return packed.read(member.file_size)
    except DAMAGE as e:
        raise _damaged() from e


def _is_wanted(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> bool:
    """Whether its name or its content is a picture's: readme.txt is passed over, here as in a folder."""
    if PurePosixPath(member.filename).suffix.lower() in PICTURES:
        return True
    try:
        with archive.open(member) as packed:
            return sniff(packed.read(1024)) is not None
    except DAMAGE:
        return True  # what is wrong with it is told when it is unpacked


def _is_litter(member: zipfile.ZipInfo) -> bool:
    """Directories, and what macOS leaves in archives under the names of pictures."""
    path = PurePosixPath(_harmless(member.filename))
    return member.is_dir() or path.name.startswith(".") or "__MACOSX" in path.parts


def _harmless(filename: str) -> str:
    """The path within the archive, relative and without steps upwards, whoever wrote it."""
    parts = filename.replace("\\", "/").replace(":", "_").split("/")
    return "/".join(p for p in parts if p not in ("", ".", "..")) or "unnamed"


def _damaged() -> UnreadableFileError:
    return UnreadableFileError("this ZIP archive is damaged; pack or send it again")
