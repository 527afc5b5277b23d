"""What a failed connection means: nobody is there, nobody can be trusted, too slow, or torn.

The SDK's transport reports most of these as time-outs; the causes behind tell them apart.
"""

from __future__ import annotations

import socket
import ssl
from collections.abc import Iterator
from typing import Literal

ConnectionFault = Literal["untrusted", "unreachable", "timeout", "connection"]
SWALLOWED, HUNG_UP = "ConnectionTimeoutError", "ServerDisconnectedError"
"""Errors of the SDK's transport, by name, since that library is the SDK's and not ours: no answer
to the first packet, and a connection that the other side closed."""

NOT_TLS = "WRONG_VERSION_NUMBER"
"""What the TLS library calls an answer in plain text."""


def connection_fault(error: BaseException, *, slow: bool) -> ConnectionFault:
    """What lies behind an error without a reply; `slow` is whether it calls itself a time-out."""
    causes = list(chain(error))
    if any(is_untrusted(cause) for cause in causes):
        return "untrusted"
    if any(is_unreachable(cause) for cause in causes):
        return "unreachable"
    if any(is_torn(cause) for cause in causes):
        return "connection"
    return "timeout" if slow else "connection"


def chain(error: BaseException | None) -> Iterator[BaseException]:
    """An error and all that led to it."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def is_untrusted(cause: BaseException) -> bool:
    """Whether a certificate was not accepted, or the other side does not speak TLS."""
    if isinstance(cause, ssl.SSLCertVerificationError):
        return True
    return isinstance(cause, ssl.SSLError) and getattr(cause, "reason", "") == NOT_TLS


def is_unreachable(cause: BaseException) -> bool:
    """Whether no connection came about: refused, no such host, no way there."""
    if isinstance(cause, ConnectionRefusedError | socket.gaierror):
        return True
    return type(cause).__name__ == SWALLOWED


def is_torn(cause: BaseException) -> bool:
    """Whether a connection broke off. Python counts its own time-out among the system's errors."""
    if type(cause).__name__ == HUNG_UP:
        return True
    return isinstance(cause, OSError) and not isinstance(cause, TimeoutError)
