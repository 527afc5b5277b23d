# Two commands from a fresh clone: `make grade` and `make test`. Everything else is a part of them.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
# The demonstration and the tests never use a key or address that happens to be set.
CLEAN_ENV := env -u OPENAI_API_KEY -u OPENAI_BASE_URL -u GRADER_MODEL

.PHONY: setup model grade test lint types pytest lock clean

setup: $(READY)

$(READY): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Python 3.11 or newer is needed; set PYTHON=/path/to/python3.11"; exit 1; }
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

model: setup
	$(BIN)/grader model pull

grade: model
	$(CLEAN_ENV) $(BIN)/grader grade seeds/interviews --out runs/demo

test: lint types pytest

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: setup
	$(BIN)/mypy

# Without column numbers a traceback parses no source. On Python 3.11 that parsing, run by the
# garbage collector in the middle of an import, ends pytest with a SystemError.
pytest: model
	$(CLEAN_ENV) PYTHONNODEBUGRANGES=1 $(BIN)/python -m pytest

lock:
	uv pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
		--all-extras --no-header --quiet -o requirements.lock pyproject.toml

clean:
	rm -rf $(VENV) runs dist .pytest_cache .mypy_cache .ruff_cache
