"""Hypothesis keeps no example database here: the repository stays as it is, and every run is a fresh
search."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("drift", database=None)
settings.load_profile("drift")
