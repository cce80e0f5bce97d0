"""Mirrors the tree. A package, so that Ray's workers import the actor classes of tests from it."""
