"""`grader doctor`: probe an endpoint with a few cheap calls, and write down how to call it."""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.endpoint.client import Target, connected
from pipeline.endpoint.form import LADDER, Form
from pipeline.endpoint.probe_call import Asker, user
from pipeline.endpoint.probes import (
    probe_cache,
    probe_context,
    probe_form,
    probe_logprobs,
    probe_models,
    probe_seed,
    probe_system,
    read_limits,
    read_thoughts,
)
from pipeline.endpoint.profile import Finding, Profile
from pipeline.endpoint.remote import host_of
from pipeline.endpoint.retry import RetryPolicy


async def examine(
    target: Target, *, context: int | None = None, policy: RetryPolicy | None = None
) -> Profile:
    """Probe one model at one endpoint; `context` also tries prompts of up to so many tokens.

    Raises StopRun or CallError where not even a plain call works.
    """
    async with connected(target) as client:
        asker = Asker(client, target, policy or RetryPolicy(attempts=3))
        plain = await asker.ask(user("Answer with the word yes."), adapt=True)
        if plain.error:
            raise plain.error
        findings = [await probe_models(asker, target.model)]
        findings += [await probe_form(asker, form) for form in LADDER[:-1]]
        logprobs = await probe_logprobs(asker)
        seed, varies = await probe_seed(asker)
        system = await probe_system(asker)
        findings += [logprobs, seed, system, read_thoughts(plain), await probe_cache(asker)]
        findings.append(read_limits(plain))
        whole = None
        if context is not None:
            found, whole = await probe_context(asker, context)
            findings.append(found)
    return Profile(
        host=host_of(target.base_url),
        model=target.model,
        form=form_from(findings, asker.form, seed, system),
        logprobs=bool(logprobs.works),
        varies=varies,
        context_tokens=whole,
        findings=tuple(findings),
    )


def form_from(findings: Sequence[Finding], learned: Form, seed: Finding, system: Finding) -> Form:
    """The form of requests that follows: the highest rung that works."""
    works = {finding.name for finding in findings if finding.works}
    rejected = ("seed",) if seed.seen.startswith("refused") else ()
    return learned.model_copy(
        update={
            "reply": next((form for form in LADDER[:-1] if form in works), "text"),
            "dropped": (*learned.dropped, *rejected),
            "system": bool(system.works),
        }
    )
