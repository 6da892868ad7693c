"""An installed wheel writes its corpus on first use: not for a backend that cannot be started."""

from __future__ import annotations

from importlib import metadata
from typing import TYPE_CHECKING, TextIO

import pytest
from misbehaviour import harness
from runnable_corpus import runnable_corpus

from onnx_conformance.core.commandline import dispatch
from onnx_conformance.core.errors import BadInputError
from onnx_conformance.validator.main import COMMANDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from onnx_conformance.core.corpus.sources import Holder


class Maker:
    """What an installation registers: writes a corpus where there is none, and says so first."""

    def __init__(self, folder: Path) -> None:
        self.root = folder
        self.made = self.closed = 0
        self.asked: list[str] = []
        self.lacks = ""
        self.messages: TextIO | None = None
        runnable_corpus(self.root, ["one"])

    def load(self) -> Maker:
        return self

    def __call__(self, messages: TextIO) -> Maker:
        self.messages = messages
        return self

    def missing(self, operator_versions: Iterable[str]) -> Sequence[str]:
        return () if self.made else tuple(operator_versions)

    def holder(self, operator_version: str) -> Holder:
        raise NotImplementedError(operator_version)  # its manifest lists folders

    def supply(self, operator_versions: Sequence[str]) -> Maker:
        assert operator_versions
        return self

    def start(self) -> None:
        if self.lacks:
            raise BadInputError(self.lacks)
        print("writing the corpus", file=self.messages)
        self.made += 1

    def is_there(self, operator_version: str, place: str) -> bool:
        """As if each vector were made while the one before it is judged."""
        self.asked.append(place)
        assert operator_version in place
        return self.asked.count(place) > 1

    def wait(self) -> None: ...

    def close(self) -> None:
        self.closed += 1


@pytest.fixture
def maker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Maker:
    made = Maker(tmp_path / "cache")
    real = metadata.entry_points
    ours = "onnx_conformance.corpus"

    def entry_points(**asked: str) -> object:
        return [made] if asked.get("group") == ours else real(**asked)

    monkeypatch.setattr(metadata, "entry_points", entry_points)
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path / "empty")
    return made


def run(name: str, *words: str) -> int:
    command = "command:" + " ".join(harness(name))
    return dispatch("onnx-validate", "", COMMANDS, ["run", "--backend", command, *words])


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("dies_at_start", "ImportError: librt"),
        ("bad_handshake", "by pigeon"),
        ("silent_at_start", "no reply"),
    ],
)
def test_a_backend_that_cannot_be_used_costs_no_corpus(
    maker: Maker, capsys: pytest.CaptureFixture[str], name: str, words: str
) -> None:
    assert 4 == run(name, "--start-timeout", "1")
    assert 0 == maker.made
    said = capsys.readouterr().err
    assert words in said
    assert "writing the corpus" not in said


def test_a_backend_that_works_is_run_on_the_corpus_that_is_made_once(
    maker: Maker, capsys: pytest.CaptureFixture[str]
) -> None:
    assert 0 == run("well_behaved")
    assert 0 == run("well_behaved")
    assert 1 == maker.made
    assert 1 == capsys.readouterr().err.count("writing the corpus")


def test_a_vector_that_is_not_made_yet_is_waited_for(maker: Maker, tmp_path: Path) -> None:
    results = tmp_path / "results.jsonl"
    assert 0 == run("well_behaved", "--results", str(results))
    assert 2 == len(maker.asked) == maker.asked.count(maker.asked[0])
    assert 1 == maker.closed


def test_an_environment_that_cannot_write_the_corpus_is_told_what_helps(
    maker: Maker, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    maker.lacks = "cannot be written here: No module named 'gmpy2'"
    results = tmp_path / "results.jsonl"
    results.write_text("")
    assert 3 == run("well_behaved", "--results", str(results))
    assert maker.lacks in capsys.readouterr().err
    assert "" == results.read_text()
