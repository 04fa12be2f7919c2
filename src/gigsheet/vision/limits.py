"""How much of a machine one file may use; beyond it a file is refused in words, before it is decoded."""

from __future__ import annotations

from dataclasses import dataclass

from gigsheet.errors import UnreadableFileError

_MEGA = 1_000_000


@dataclass(frozen=True, slots=True)
class Limits:
    """Attributes:
    pixels: the most pixels of one picture (an A4 page at 600 dpi has 35 million).
    compact_pixels: the same for a baseline JPEG, which is decoded at a part of its size (phones make 200 million).
    file_bytes: the most bytes of one picture file, and of one file inside an archive.
    pages: the most pages of one file.
    members: the most files in one archive.
    archive_bytes: the most bytes that an archive may unpack to, all files together.
    growth: the most that a large file inside an archive may grow when it is unpacked.
    """

    pixels: int = 100 * _MEGA
    compact_pixels: int = 220 * _MEGA
    file_bytes: int = 256 * _MEGA
    pages: int = 2000
    members: int = 5000
    archive_bytes: int = 8000 * _MEGA
    growth: int = 200

    def check_size(self, size: tuple[int, int], *, compact: bool = False) -> None:
        """Raises UnreadableFileError for a picture of more pixels than allowed, or of none."""
        width, height = size
        most = self.compact_pixels if compact else self.pixels
        if width * height > most:
            raise UnreadableFileError(
                f"{width} x {height} pixels are more than the {most // _MEGA} million that are read; "
                "scan at 300 dpi or make the picture smaller",
                code="picture-too-large",
            )
        if width < 1 or height < 1:
            raise UnreadableFileError(f"the picture is empty ({width} x {height} pixels); copy or send it again")

    def check_bytes(self, size: int) -> None:
        """Raises UnreadableFileError for a picture file of more bytes than allowed."""
        if size > self.file_bytes:
            raise UnreadableFileError(
                f"the file has {size // _MEGA} MB, more than the {self.file_bytes // _MEGA} MB that are read; "
                "scan at 300 dpi, or save it as JPEG or PDF",
                code="file-too-large",
            )

    def too_many_pages(self) -> UnreadableFileError:
        """The error that stands for all pages after the last one that is read."""
        return UnreadableFileError(
            f"only the first {self.pages} pages are read; split the file and read the rest",
            code="too-many-pages",
        )
