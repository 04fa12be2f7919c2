"""Failures a user can meet, each with a code, a sentence and its remedy; the CLI turns them into exit statuses."""

from __future__ import annotations


class GigsheetError(Exception):
    """A failure with a remedy.

    Attributes:
        code: short, stable and machine-readable, such as ``no-sheet`` (SPEC 6).
        message: one sentence: what is wrong, then how to mend it.
        exit_status: what a command that ends by this failure returns to the shell.
    """

    exit_status = 2

    def __init__(self, message: str, *, code: str = "error") -> None:
        super().__init__(message)
        self.code = code
        self.message = message


class UsageError(GigsheetError):
    """The command or the call was given something it cannot work with."""

    def __init__(self, message: str, *, code: str = "usage") -> None:
        super().__init__(message, code=code)


class UnreadableFileError(GigsheetError):
    """A file that is missing, empty, damaged, too large, or of a kind that is not read."""

    def __init__(self, message: str, *, code: str = "unreadable-file") -> None:
        super().__init__(message, code=code)


class PageError(GigsheetError):
    """A picture that was decoded, but on which no sheet can be read (``no-sheet``, ``too-blurred``, ...)."""


class TemplateError(GigsheetError):
    """A template file that does not hold; the message names file, key and remedy."""

    def __init__(self, message: str, *, code: str = "template") -> None:
        super().__init__(message, code=code)


class MissingExtraError(GigsheetError):
    """An optional dependency is not installed; the message names the extra that brings it."""

    def __init__(self, feature: str, extra: str) -> None:
        super().__init__(f"{feature} needs the extra {extra!r}: pip install 'gigsheet[{extra}]'", code="missing-extra")


class InterruptedWorkError(GigsheetError):
    """Ctrl-C during work that can be taken up again; the message says how far it came."""

    exit_status = 130

    def __init__(self, message: str) -> None:
        super().__init__(message, code="interrupted")


def one_line(text: str) -> str:
    """Text in which what is not printable, such as a line break in a file's name, is written as an escape."""
    return "".join(sign if sign.isprintable() else f"\\x{ord(sign):02x}" for sign in text)
