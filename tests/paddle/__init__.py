"""Tests on a real PaddleOCR, in an environment of their own: make test-paddle."""
