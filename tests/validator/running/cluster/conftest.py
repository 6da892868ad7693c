"""One Dask cluster for all tests here: starting one takes seconds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from dask_processes import DaskProcesses

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaskProcesses]:
    """A scheduler, two workers, and one that has another version of a runtime."""
    pytest.importorskip("distributed")
    with DaskProcesses(tmp_path_factory.mktemp("dask")) as found:
        found.scheduler()
        for variables in ({}, {}, {"HARNESS_VERSION": "2"}):
            found.worker("--no-nanny", **variables)
        found.wait_for(3)
        yield found
