"""What every test has: a cache of its own, so that none reads or fills that of the user.

A test fails that leaves its process otherwise than it was: a limit of memory that one left behind
ended Java in another.

Where slow tests are left out, the end of the run says how many, and who runs them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from process_state import process_state

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_LEFT_OUT = pytest.StashKey[int]()
_KEY = "slow_tests_left_out"


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ONNX_CONFORMANCE_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(autouse=True)
def process_as_it_was() -> Iterator[None]:
    before = process_state()
    yield
    assert before == process_state()


def pytest_deselected(items: Sequence[pytest.Item]) -> None:
    """Count what is slow; tests of `make endurance` are a matter of their own."""
    for item in items:
        if item.get_closest_marker("slow") and not item.get_closest_marker("endurance"):
            item.config.stash[_LEFT_OUT] = item.config.stash.get(_LEFT_OUT, 0) + 1


def pytest_sessionfinish(session: pytest.Session) -> None:
    """A worker of pytest-xdist tells the process that started it; each collects every test."""
    output: dict[str, Any] | None = getattr(session.config, "workeroutput", None)
    if output is not None:
        output[_KEY] = session.config.stash.get(_LEFT_OUT, 0)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:  # noqa: ANN401  a type of xdist's
    """Take what a worker told."""
    told = getattr(node, "workeroutput", {}).get(_KEY, 0)
    node.config.stash[_LEFT_OUT] = max(told, node.config.stash.get(_LEFT_OUT, 0))


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:  # noqa: ANN401
    """Say it last, where it is read."""
    count = config.stash.get(_LEFT_OUT, 0)
    if count:
        terminalreporter.write_line(
            f"LEFT OUT: {count} slow tests, which `make test SLOW=1` and .ci/run run",
            yellow=True,
            bold=True,
        )
