"""What decoders written in C print on standard error, caught: some of it says that a file is damaged."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

_STDERR = 2
_MOST_BYTES = 65536
_one_at_a_time = threading.Lock()


@contextmanager
def decoder_notes() -> Iterator[list[str]]:
    """Runs its block with the process's standard error caught; the list holds its lines once the block has ended.

    libjpeg and libtiff offer no other way to learn that they made up pixels, and whoever reads a stack of photographs
    should get one line a bad file, of ours. Where standard error cannot be redirected the list stays empty.
    """
    notes: list[str] = []
    with _one_at_a_time:
        try:
            kept = os.dup(_STDERR)
        except OSError:
            yield notes
            return
        reader, writer = os.pipe()
        os.set_blocking(writer, False)  # rather lose a decoder's chatter than wait for room
        os.set_blocking(reader, False)
        if sys.stderr is not None:  # in a worker whose parent's was closed
            with suppress(OSError, ValueError):
                sys.stderr.flush()
        os.dup2(writer, _STDERR)
        try:
            yield notes
        finally:
            os.dup2(kept, _STDERR)
            for end in (writer, kept):
                os.close(end)
            with suppress(BlockingIOError):
                notes += os.read(reader, _MOST_BYTES).decode(errors="replace").splitlines()
            os.close(reader)
