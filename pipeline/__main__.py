"""`python -m pipeline`: the command line without the evals."""

from pipeline.cli import app, run_app

if __name__ == "__main__":
    run_app(app)
