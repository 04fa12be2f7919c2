"""Reads one value after the other out of a TOML file, with errors that name file, key and remedy."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from gigsheet.errors import TemplateError


def read_toml(path: Path) -> Table:
    """The root table of a file; raises `TemplateError` for a file that is missing or no TOML."""
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise TemplateError(f"{path}: cannot be read ({error.strerror}); name a template file") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise TemplateError(f"{path.name}: no TOML ({error}); mend the file there") from error
    return Table(data, path.name, "")


class Table:
    """A TOML table that knows where it stands, and which of its keys were asked for."""

    def __init__(self, data: dict[str, Any], file: str, place: str) -> None:
        self._data = data
        self._file = file
        self._place = place
        self._asked: set[str] = set()
        self._children: list[Table] = []

    def error(self, key: str, what: str) -> TemplateError:
        """A failure at this table's `key`."""
        return TemplateError(f"{self._file}: {self._name(key)}: {what}")

    def has(self, key: str) -> bool:
        """Whether the key is there at all."""
        self._asked.add(key)
        return key in self._data

    def string(self, key: str) -> str:
        value = self._get(key, "a text in quotes")
        if not isinstance(value, str) or not value:
            raise self.error(key, f"{value!r} is no text; write one in quotes")
        return value

    def flag(self, key: str, default: bool) -> bool:
        value = self._data[key] if self.has(key) else default
        if not isinstance(value, bool):
            raise self.error(key, f"{value!r} is neither true nor false; write one of the two")
        return value

    def one_of(self, key: str, options: tuple[str, ...], default: str | None = None) -> str:
        if default is not None and not self.has(key):
            return default
        value = self.string(key)
        if value not in options:
            raise self.error(key, f"{value!r} is not known here; write one of {', '.join(options)}")
        return value

    def whole(self, key: str) -> int:
        """A whole number, 0 or more."""
        value = self._get(key, "a whole number")
        if not isinstance(value, int) or isinstance(value, bool) or value < 0:
            raise self.error(key, f"{value!r} is no whole number; write one, 0 or more")
        return value

    def length(self, key: str) -> float:
        """Millimetres, 0 or more."""
        return self._number(key, self._get(key, "a length in millimetres"))

    def grey(self, key: str, default: float | None = None) -> float:
        """A shade between 0 (black) and 1 (white)."""
        if default is not None and not self.has(key):
            return default
        value = self._number(key, self._get(key, "a grey between 0 (black) and 1 (white)"))
        if value > 1:
            raise self.error(key, f"{value:g} is no grey; write a number between 0 (black) and 1 (white)")
        return value

    def numbers(self, key: str, count: int) -> tuple[float, ...]:
        value = self._get(key, f"a list of {count} numbers")
        if not isinstance(value, list) or len(value) != count:
            raise self.error(key, f"{value!r} is no list of {count} numbers; write one in square brackets")
        return tuple(self._number(key, v) for v in value)

    def box(self, key: str) -> tuple[float, float, float, float]:
        x0, y0, x1, y1 = self.numbers(key, 4)
        return x0, y0, x1, y1

    def table(self, key: str) -> Table:
        value = self._get(key, f"a table [{self._name(key)}]")
        if not isinstance(value, dict):
            raise self.error(key, f"{value!r} is no table; write [{self._name(key)}] and its keys below it")
        return self._child(value, key)

    def tables(self, key: str, least: int = 1) -> list[Table]:
        """An array of tables, [] when `least` is 0 and the key is missing."""
        if least == 0 and not self.has(key):
            return []
        value = self._get(key, f"one or more tables [[{self._name(key)}]]")
        if not isinstance(value, list) or len(value) < least or not all(isinstance(v, dict) for v in value):
            raise self.error(key, f"is no list of tables; write [[{self._name(key)}]] before each")
        return [self._child(v, f"{key}[{k}]") for k, v in enumerate(value, 1)]

    def refuse_unknown(self) -> None:
        """Raises for a key that nobody asked for, here or below: most often one that is misspelt."""
        for key in self._data:
            if key not in self._asked:
                known = ", ".join(sorted(self._asked))
                raise self.error(key, f"is not known here; take it out, or did you mean one of: {known}?")
        for child in self._children:
            child.refuse_unknown()

    def _name(self, key: str) -> str:
        return f"{self._place}.{key}" if self._place else key

    def _get(self, key: str, what: str) -> Any:
        if not self.has(key):
            raise self.error(key, f"is missing; add {what}")
        return self._data[key]

    def _number(self, key: str, value: Any) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 10_000:
            raise self.error(
                key, f"{value!r} is no number of 0 or more; write one, in millimetres where it is a length"
            )
        return float(value)

    def _child(self, data: dict[str, Any], key: str) -> Table:
        child = Table(data, self._file, self._name(key))
        self._children.append(child)
        return child
