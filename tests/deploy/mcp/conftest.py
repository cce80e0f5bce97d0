"""The service of the clients' tests."""

from tests.deploy.client.conftest import served

__all__ = ["served"]
