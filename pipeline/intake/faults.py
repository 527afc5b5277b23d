"""What third-party parsers raise on damaged files.

They name no common base, so the families are listed; an InterruptedError or a MemoryError passes.
"""

from __future__ import annotations

import struct
import zipfile
import zlib

PARSER_FAULTS = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    EOFError,
    LookupError,
    NotImplementedError,
    OSError,
    RecursionError,
    RuntimeError,
    TypeError,
    ValueError,
    struct.error,
    zipfile.BadZipFile,
    zipfile.LargeZipFile,
    zlib.error,
)
