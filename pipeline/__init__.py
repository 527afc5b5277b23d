"""Grade interview answers with an LLM against a written rubric."""
