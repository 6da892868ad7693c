"""The examples of docs/worked-examples.md, carried out from nothing in the page's own steps.

In a folder without specs: the skeleton, the oracle and the spec that are on the page, the
vectors, the backends, the mutants' calls, and what `make check` looks at.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

import onnx
import pytest
from committed_corpus import ROOT, SPECS
from written_oracles import written_oracle

from onnx_conformance.core.commandline import dispatch
from onnx_conformance.core.corpus.corpus import load, open_corpus
from onnx_conformance.generators.corpus.coverage.operators import operator_gaps
from onnx_conformance.generators.corpus.making import build_all, plan_corpus
from onnx_conformance.generators.main import COMMANDS
from onnx_conformance.generators.skeleton.documents import copied_text
from onnx_conformance.validator.main import COMMANDS as VALIDATOR

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from onnx_conformance.generators.corpus.making import CorpusPlan

pytestmark = pytest.mark.slow

PAGE = ROOT / "docs" / "worked-examples.md"


@dataclass(frozen=True)
class Worked:
    """An example of the page, and the folder in which it is carried out."""

    operator: str
    folder: Path
    corpus: CorpusPlan

    @property
    def specs(self) -> Path:
        return self.folder / "specs"


def blocks(operator: str) -> tuple[str, str]:
    """The oracle and the spec of an operator on the page."""
    text = PAGE.read_text("utf-8")
    section = re.split(rf"^## {operator}: .*$", text, flags=re.MULTILINE)[1]
    section = re.split(r"^##", section, flags=re.MULTILINE)[0]
    (oracle,) = re.findall(r"```python\n(.*?)```", section, re.DOTALL)
    (spec,) = re.findall(r"```yaml\n(.*?)```", section, re.DOTALL)
    return oracle, spec


def vectors_command(*words: str | Path) -> int:
    return dispatch("onnx-vectors", "", COMMANDS, [str(word) for word in words])


@pytest.fixture(scope="module", params=["Squeeze", "Add", "Concat"])
def worked(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Worked]:
    operator = str(request.param)
    folder = tmp_path_factory.mktemp(operator.lower())
    specs = folder / "specs"
    specs.mkdir()
    for name in ("types.yaml", "corpus.yaml", "schemas.json"):
        shutil.copy(SPECS / name, specs)
    oracle, spec = blocks(operator)
    with written_oracle(folder / "oracles", oracle):
        # A process of its own: ONNX collects its node tests once in the life of one.
        module = "onnx_conformance.generators.main"
        new = [sys.executable, "-m", module, "new", operator, "--specs", str(specs)]
        subprocess.run(new, check=True, capture_output=True)
        assert 3 == vectors_command("list", "--specs", specs)  # requirements are to be written
        (specs / f"{operator.lower()}.yaml").write_text(spec, "utf-8")
        yield Worked(operator, folder, plan_corpus(specs))


def test_every_version_type_and_form_has_vectors_and_nothing_is_missing(worked: Worked) -> None:
    assert [] == list(operator_gaps(worked.corpus.specs[0], worked.corpus.plans))
    (spec,) = worked.corpus.specs
    assert set(spec.versions) == {plan.version.since_version for plan in worked.corpus.plans}
    assert {"initializer", "loop_body"} <= {plan.form for plan in worked.corpus.plans}
    assert {"valid", "invalid"} <= {plan.kind for plan in worked.corpus.plans}


def test_the_spec_holds_no_text_of_onnx_and_lists_its_vectors(
    worked: Worked, capsys: pytest.CaptureFixture[str]
) -> None:
    path = worked.specs / f"{worked.operator.lower()}.yaml"
    assert copied_text(path) is None
    assert 0 == vectors_command("list", "--specs", worked.specs)
    listed = capsys.readouterr().out.split()
    assert {plan.id for plan in worked.corpus.plans} == set(listed)


def test_the_checker_accepts_its_valid_vectors(worked: Worked) -> None:
    for built in build_all(worked.corpus):
        if built.vector.kind == "valid" and "legacy" not in built.vector.id:
            onnx.checker.check_model(built.model)


def test_the_vectors_are_written_and_the_oracle_of_the_package_agrees_with_each(
    worked: Worked, capsys: pytest.CaptureFixture[str]
) -> None:
    vectors = worked.folder / "vectors"
    words = ("--specs", worked.specs, "--output", vectors, "--jobs", "1")
    assert 0 == vectors_command("generate", *words)
    corpus = open_corpus(vectors)
    assert {plan.id for plan in worked.corpus.plans} == set(corpus.entries)
    for entry in corpus.entries.values():
        load(entry)
    # Another process, whose oracle is the package's own and not the one of the page.
    words = ["run", "--backend", "oracle", "--vectors", str(vectors), "--jobs", "1"]
    code = dispatch("onnx-validate", "", VALIDATOR, words)
    assert 0 == code, capsys.readouterr().out


def test_the_page_names_each_example() -> None:
    text = PAGE.read_text("utf-8")
    assert ["Squeeze", "Add", "Concat"] == re.findall(r"^## (\w+):", text, re.MULTILINE)
