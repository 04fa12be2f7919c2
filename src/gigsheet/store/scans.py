"""The scans of an event, kept under the SHA-256 of their content: the same picture twice is one file."""

from __future__ import annotations

import errno
import hashlib
import os
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from gigsheet.errors import UsageError
from gigsheet.store.database import MAY_NOT_WRITE

_CHUNK = 1 << 20
_LET_GO = 32 * _CHUNK
_SUFFIX_LENGTH = 8
_INCOMING = ".incoming-"
_FORBIDDEN = (errno.EACCES, errno.EPERM, errno.EROFS)


@dataclass(frozen=True, slots=True)
class ScanFile:
    """A delivered file in the event's folder: `path` is where it is kept, `name` what the user called it."""

    sha256: str
    suffix: str
    size: int
    name: str
    path: Path

    def is_whole(self) -> bool:
        """Whether the file that is kept is still what was delivered."""
        try:
            with self.path.open("rb") as file:
                return hashlib.file_digest(file, "sha256").hexdigest() == self.sha256
        except OSError:
            return False


class ScanFolder:
    """The folder `scans` of an event. A file appears under its final name only when it is whole."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def find(self, sha256: str) -> Path | None:
        """The file with this content, whatever ending it was delivered with."""
        return next((self._folder / sha256[:2]).glob(f"{sha256}*"), None)

    def path(self, sha256: str, suffix: str) -> Path:
        """Where the scan with this content lies, or should lie."""
        return self.find(sha256) or self._folder / sha256[:2] / f"{sha256}{suffix}"

    def keep(self, source: BinaryIO, name: str) -> ScanFile:
        """Copies a file into the folder while hashing it; memory stays flat whatever its size.

        Raises:
            UsageError: the folder cannot be written to.
        """
        try:
            return self._keep(source, name)
        except OSError as error:
            remedy = MAY_NOT_WRITE if error.errno in _FORBIDDEN else "make room there, or name another --event folder"
            raise UsageError(
                f"{name} cannot be copied into {self._folder} ({error.strerror or error}): {remedy}"
            ) from None

    def _keep(self, source: BinaryIO, name: str) -> ScanFile:
        self._folder.mkdir(parents=True, exist_ok=True)
        digest, size = hashlib.sha256(), 0
        handle, temporary = tempfile.mkstemp(prefix=_INCOMING, dir=self._folder)
        try:
            with os.fdopen(handle, "wb") as copy:
                while chunk := source.read(_CHUNK):
                    digest.update(chunk)
                    copy.write(chunk)
                    size += len(chunk)
                    if size % _LET_GO == 0:
                        _let_go(source, size)
                copy.flush()
                os.fsync(copy.fileno())
            kept = self._settle(Path(temporary), digest.hexdigest(), size, _suffix(name))
        finally:
            Path(temporary).unlink(missing_ok=True)
        return ScanFile(digest.hexdigest(), kept.suffix, size, name, kept)

    def _settle(self, copy: Path, sha256: str, size: int, suffix: str) -> Path:
        target = self.path(sha256, suffix)
        # A file cut short by a power failure is put right by the next import of the same picture.
        if target.exists() and target.stat().st_size == size:
            return target
        target.parent.mkdir(exist_ok=True)
        return copy.replace(target)

    def sweep(self, older_than: float) -> None:
        """Removes half copies that a killed import left, if last written before `older_than` (seconds since 1970)."""
        for path in self._folder.glob(f"{_INCOMING}*"):
            try:
                if path.stat().st_mtime < older_than:
                    path.unlink()
            except OSError:
                continue  # another import has just finished with it


def _let_go(source: BinaryIO, size: int) -> None:
    """Frees the memory in which the system holds what was copied of a large file: the copy needs as much."""
    if hasattr(os, "posix_fadvise"):
        with suppress(OSError):  # it lies in memory, or in no file
            os.posix_fadvise(source.fileno(), 0, size, os.POSIX_FADV_DONTNEED)


def _suffix(name: str) -> str:
    """The ending of a name as far as it may stand in a file name anywhere: ``.jpg``, or nothing."""
    suffix = Path(name).suffix.lower()
    plain = suffix[1:].isascii() and suffix[1:].isalnum() and len(suffix) <= _SUFFIX_LENGTH
    return suffix if plain else ""
