"""A client for apps, without a server."""

import warnings

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # Starlette would rather have another client under it
    from starlette.testclient import TestClient

__all__ = ["TestClient"]
