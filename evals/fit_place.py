"""Where a fitted scorer goes: into a copy of the prompt set, which `grader grade` then takes."""

from __future__ import annotations

import shutil

from pipeline.config import fitted_set_folder
from pipeline.errors import ConfigError
from pipeline.prompt import PromptSet, load_prompts
from pipeline.scorer import SCORER


def own_copy(prompts: PromptSet, model: str) -> PromptSet:
    """The user's copy of a set for one model, made anew. Raises ConfigError.

    The set that came with the program stays as it was measured.
    """
    folder = fitted_set_folder(model)
    try:
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(prompts.folder, folder, ignore=shutil.ignore_patterns(SCORER))
    except OSError as error:
        raise ConfigError(f"{folder}: cannot be written ({error.strerror}).") from None
    return load_prompts(folder, with_scorer=False)
