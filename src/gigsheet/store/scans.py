"""The scans of an event, kept under the SHA-256 of their content: the same picture twice is one file."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import IO, BinaryIO

from gigsheet.errors import UnreadableFileError, UsageError

_CHUNK = 1 << 20
_LONG_CHUNK = 32 << 20
_SUFFIX_LENGTH = 8
_INCOMING = ".incoming-"


@dataclass(frozen=True, slots=True)
class ScanFile:
    """A delivered file in the event's folder: `path` is where it is kept, `name` what the user called it."""

    sha256: str
    suffix: str
    size: int
    name: str
    path: Path


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
        digest, size = hashlib.sha256(), 0
        with self._incoming(name) as copy:
            while chunk := source.read(_CHUNK):
                digest.update(chunk)
                copy.write(chunk)
                size += len(chunk)
            path = self._settle(copy, digest.hexdigest(), size, _suffix(name))
        return ScanFile(digest.hexdigest(), path.suffix, size, name, path)

    def keep_meanwhile(self, source: BufferedReader, path: Path, name: str) -> Iterator[ScanFile]:
        """Keeps a large file, opened from `path`: it comes once its hash is known, to be read where it lies, and then
        is copied. What the folder holds already is not copied again.

        Raises:
            UnreadableFileError: it has changed in the meantime.
            UsageError: the folder cannot be written to.
        """
        before = os.fstat(source.fileno())
        sha256 = hashlib.file_digest(source, "sha256").hexdigest()
        size, suffix = source.tell(), _suffix(name)
        kept = self._whole(sha256, suffix, size)
        yield ScanFile(sha256, kept.suffix if kept else suffix, size, name, kept or path)
        if kept is not None:
            return
        source.seek(0)
        with self._incoming(name) as copy:
            while chunk := source.read(_LONG_CHUNK):
                copy.write(chunk)
                _let_go(copy)
            after = os.fstat(source.fileno())
            if (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns):
                raise UnreadableFileError("this file changed while it was read; import it again once it is whole")
            self._settle(copy, sha256, size, suffix)

    @contextmanager
    def _incoming(self, name: str) -> Iterator[IO[bytes]]:
        """A new file in the folder; it goes again unless it is settled."""
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            with NamedTemporaryFile(prefix=_INCOMING, dir=self._folder, delete=False) as copy:
                try:
                    yield copy
                finally:
                    copy.close()
                    Path(copy.name).unlink(missing_ok=True)
        except OSError as error:
            raise UsageError(
                f"{name} cannot be copied into {self._folder} ({error.strerror or error}): "
                "make room there, or name another --event folder"
            ) from None

    def _settle(self, copy: IO[bytes], sha256: str, size: int, suffix: str) -> Path:
        """Gives a finished copy its final name, unless the folder has it already."""
        if whole := self._whole(sha256, suffix, size):
            return whole
        copy.flush()
        os.fsync(copy.fileno())
        copy.close()
        target = self.path(sha256, suffix)
        target.parent.mkdir(exist_ok=True)
        return Path(copy.name).replace(target)

    def _whole(self, sha256: str, suffix: str, size: int) -> Path | None:
        """The file with this content; one that a power failure cut short does not count, and is put right."""
        target = self.path(sha256, suffix)
        return target if target.exists() and target.stat().st_size == size else None

    def sweep(self, older_than: float) -> None:
        """Removes half copies that a killed import left, if last written before `older_than` (seconds since 1970)."""
        for path in self._folder.glob(f"{_INCOMING}*"):
            try:
                if path.stat().st_mtime < older_than:
                    path.unlink()
            except OSError:
                continue  # another import has just finished with it


def _let_go(copy: IO[bytes]) -> None:
    """Puts on the disk what was written of a large file, and frees the memory that the system holds it in."""
    copy.flush()
    os.fsync(copy.fileno())
    if hasattr(os, "posix_fadvise"):
        os.posix_fadvise(copy.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def _suffix(name: str) -> str:
    """The ending of a name as far as it may stand in a file name anywhere: ``.jpg``, or nothing."""
    suffix = Path(name).suffix.lower()
    plain = suffix[1:].isascii() and suffix[1:].isalnum() and len(suffix) <= _SUFFIX_LENGTH
    return suffix if plain else ""
