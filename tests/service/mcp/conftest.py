"""The service of the clients' tests."""

from tests.service.client.conftest import served

__all__ = ["served"]
