"""`gigsheet settle` as people have it, on a terminal, and as a script has it, at the end of a pipe."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

PRESSED_AGAIN = 5.0
"""Seconds."""


class Terminal:
    """The command on an event, as a program of its own; `live` on a terminal."""

    def __init__(self, event: Path, *, live: bool) -> None:
        self._live = live
        if live:
            self._in, given = os.openpty()
            self._out, shown = self._in, given
        else:
            (given, self._in), (self._out, shown) = os.pipe(), os.pipe()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "gigsheet", "settle", "--event", str(event)],
            stdin=given,
            stdout=shown,
            stderr=shown,
            env=os.environ | {"TERM": "xterm", "PROMPT_TOOLKIT_NO_CPR": "1", "PYTHONUNBUFFERED": "1"},
            start_new_session=True,
            preexec_fn=own_terminal if live else None,
        )
        for end in {given, shown}:
            os.close(end)
        os.set_blocking(self._out, False)
        self._said = ""
        self._pressed: float | None = None
        self._deadline = time.monotonic() + 60

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()
        for end in {self._in, self._out}:
            os.close(end)

    def wait_for(self, what: str) -> None:
        """Reads on until it says so; what comes behind that is kept for the next time."""
        while what not in self._said:
            assert self._read(), self._said
        self._said = self._said.partition(what)[2]

    def wait_to_be_asked(self, option: str) -> None:
        """Until it has shown an option and reads what is typed: before that a terminal would take Ctrl-D for itself."""
        self.wait_for(option)
        self.wait_for("\x1b[?2004h" if self._live else "> ")

    def _read(self) -> bool:
        """Whether there may be more."""
        assert time.monotonic() < self._deadline, self._said
        try:
            read = os.read(self._out, 65536)
        except BlockingIOError:
            time.sleep(0.02)
            return True
        except OSError:  # a terminal that nobody has open any more
            return False
        self._said += read.decode(errors="replace").replace("\r\n", "\n")
        return bool(read)

    def type(self, text: str) -> None:
        os.write(self._in, text.encode())

    def interrupt(self) -> None:
        """Ctrl-C: of a terminal, or the signal that it stands for."""
        self._pressed = time.monotonic()
        if self._live:
            self.type("\x03")
        else:
            self._process.send_signal(signal.SIGINT)

    def end_input(self) -> None:
        """Ctrl-D of a terminal, or the end of the pipe."""
        if self._live:
            self.type("\x04")
        else:
            os.close(self._in)
            self._in = self._out

    def ended(self) -> tuple[int, str]:
        """The exit status and the last line, without what gives a terminal back."""
        while self._read():
            # What is pressed between a prompt's being shown and its being waited at is seen only at the next key, where
            # the prompt is CPython's `input` with readline; people press again, too.
            if self._pressed is not None and time.monotonic() > self._pressed + PRESSED_AGAIN:
                self.interrupt()
        return self._process.wait(), self._said.splitlines()[-1].rpartition("\x1b[?2004l")[2]


def own_terminal() -> None:
    """Makes standard input the terminal of a process, which gets the signals of its keys."""
    import fcntl
    import termios

    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
