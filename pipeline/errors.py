"""The errors of the product.

GraderError
├── InputError          a file cannot be read or understood           exit 2
├── ConfigError         wrong usage, rubric, prompt set or setting    exit 2
│   └── ModelError      the embedded model cannot be used             exit 2
├── StopRun             no later call can succeed; results are kept   exit 4
└── CallError           this one item ends without a grade; the run goes on
    ├── PromptTruncated     the server saw only a part of the prompt
    ├── TruncatedReply      cut by the token limit, twice
    ├── Refused             the model declined
    ├── ContentFiltered     the provider's filter stopped it
    ├── Unparseable         no valid verdict after the re-ask
    └── EndpointError       no reply within the retry policy

Messages never carry text of a candidate: ids, places and codes only.
"""

from __future__ import annotations

from typing import ClassVar, Literal


class GraderError(Exception):
    """Base of all errors that a user can do something about."""

    exit_code: ClassVar[int] = 70


class InputError(GraderError):
    """An input that cannot be read. `str()` names the file, the line and what to do."""

    exit_code = 2

    def __init__(
        self, problem: str, *, source: str, line: int | None = None, remedy: str = ""
    ) -> None:
        place = source if line is None else f"{source}, line {line}"
        super().__init__(f"{place}: {problem}" + (f" {remedy}" if remedy else ""))
        self.problem, self.source, self.line, self.remedy = problem, source, line, remedy


class UnreadableInputs(InputError):
    """Several inputs that cannot be read, all of them listed."""

    def __init__(self, errors: tuple[InputError, ...]) -> None:
        GraderError.__init__(self, "\n".join(str(error) for error in errors))
        self.errors = errors


class ConfigError(GraderError):
    """Wrong usage, rubric, prompt set or setting. `str()` says what to change."""

    exit_code = 2


class ModelError(ConfigError):
    """The embedded model cannot be used: extra missing, file missing or damaged, memory short."""


class StopRun(GraderError):
    """No later call can succeed (bad key, spent quota, unknown model): stop, keep what is done."""

    exit_code = 4


class CallError(GraderError):
    """One item that ends without a grade; `status` is the outcome's status."""

    status: ClassVar[
        Literal[
            "refused",
            "content_filtered",
            "truncated_reply",
            "prompt_truncated",
            "unparseable",
            "endpoint_error",
        ]
    ] = "endpoint_error"

    def __init__(self, reason: str, *, attempts: int = 0) -> None:
        super().__init__(reason)
        self.attempts = attempts
        """HTTP requests made in vain before this error."""


class PromptTruncated(CallError):
    """The server reports far fewer prompt tokens than the prompt must have."""

    status = "prompt_truncated"


class TruncatedReply(CallError):
    """The reply was cut by the token limit, and again with the larger allowance."""

    status = "truncated_reply"


class Refused(CallError):
    """The model declined to grade."""

    status = "refused"


class ContentFiltered(CallError):
    """The provider's content filter stopped the request or the reply."""

    status = "content_filtered"


class Unparseable(CallError):
    """No valid verdict came back, also after the re-ask."""

    status = "unparseable"


class EndpointError(CallError):
    """No reply within the retry policy."""
