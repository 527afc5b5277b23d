"""Probes: controlled changes of an answer whose effect on its score is known in advance."""
