"""What every test has: a cache of its own, so that none reads or fills that of the user."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ONNX_CONFORMANCE_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield
