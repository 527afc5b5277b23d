"""Measure how well the grader agrees with people. Stands on `pipeline`, never the other way."""
