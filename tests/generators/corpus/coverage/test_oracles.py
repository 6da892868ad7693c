"""Each registered function of the oracle is tied to requirements that vectors exercise."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from committed_corpus import SPECS
from sample_specs import changed, plan_sample

from onnx_conformance.generators.corpus.coverage import oracles as oracle_coverage
from onnx_conformance.generators.corpus.coverage.operators import operator_gaps, operator_page
from onnx_conformance.generators.corpus.coverage.oracles import implemented, oracle_gaps
from onnx_conformance.generators.corpus.making import plan_corpus
from onnx_conformance.generators.oracle.registry import Registration

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from onnx_conformance.generators.corpus.making import CorpusPlan
    from onnx_conformance.generators.oracle.registry import Call, Result


def older(_call: Call) -> Result:
    return ()


def newer(_call: Call) -> Result:
    return ()


def registered(monkeypatch: pytest.MonkeyPatch, *ranges: tuple[int, int | None]) -> None:
    """Reshape is answered by these functions instead of its own."""
    functions = (older, newer)
    found = tuple(
        Registration("Reshape", "", first, last, function)
        for (first, last), function in zip(ranges, functions, strict=False)
    )
    monkeypatch.setattr(oracle_coverage, "registrations_of", lambda *_: found)


@pytest.fixture
def corpus(tmp_path: Path) -> CorpusPlan:
    """Reshape in versions 1, 5 and 14; shape-int64 holds since 5, literal-zero since 14."""
    return plan_sample(tmp_path)


def found(corpus: CorpusPlan) -> list[str]:
    (spec,) = corpus.specs
    prefix = f"{spec.path}: "
    return [line.removeprefix(prefix) for line in oracle_gaps(spec, corpus.plans)]


def test_an_operator_whose_function_is_reached_by_all_requirements_has_no_gap(
    corpus: CorpusPlan,
) -> None:
    assert [] == found(corpus)


def test_an_operator_without_an_oracle_is_a_gap(
    corpus: CorpusPlan, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = replace(corpus.specs[0], operator="Nonesuch")
    assert [f"{spec.path}: Nonesuch has no oracle"] == list(oracle_gaps(spec, corpus.plans))
    registered(monkeypatch)
    assert ["Reshape has no oracle"] == found(corpus)


def test_a_version_that_no_function_answers_for_is_a_gap(
    corpus: CorpusPlan, monkeypatch: pytest.MonkeyPatch
) -> None:
    registered(monkeypatch, (5, None))
    assert ["Reshape-1 is answered by no function of the oracle"] == found(corpus)


def test_a_version_that_two_functions_answer_for_is_a_gap(
    corpus: CorpusPlan, monkeypatch: pytest.MonkeyPatch
) -> None:
    registered(monkeypatch, (1, 5), (5, None))
    names = [f"{__name__.rpartition('.')[2]}.{item}" for item in ("older", "newer")]
    assert [f"Reshape-5 is answered by {' and '.join(names)} of the oracle"] == found(corpus)


def test_a_function_that_no_version_asks_is_a_gap(
    corpus: CorpusPlan, monkeypatch: pytest.MonkeyPatch
) -> None:
    registered(monkeypatch, (1, None), (2, 4))
    (line,) = found(corpus)
    assert line.endswith(
        "newer of the oracle answers for no version of Reshape; correct its `versions`"
    )


def test_a_function_that_takes_over_where_no_requirement_begins_or_ends_is_a_gap(
    corpus: CorpusPlan, monkeypatch: pytest.MonkeyPatch
) -> None:
    registered(monkeypatch, (1, 1), (5, None))
    assert [] == found(corpus)  # shape-int64 begins at 5
    (spec,) = corpus.specs
    always = replace(spec.requirements["shape-int64"], since=1)
    spec = replace(spec, requirements={**spec.requirements, "shape-int64": always})
    (line,) = [item for item in found(replace(corpus, specs=(spec,))) if "changes from" in item]
    assert "at Reshape-5, and no requirement begins or ends there: state what changed" in line


def test_a_requirement_that_no_vector_exercises_at_a_functions_versions_is_a_gap(
    corpus: CorpusPlan, monkeypatch: pytest.MonkeyPatch
) -> None:
    registered(monkeypatch, (1, 5), (14, None))
    fewer = [
        plan
        for plan in corpus.plans
        if plan.version.since_version != 14 or "requested-shape" not in plan.case.covers
    ]
    (line,) = found(replace(corpus, plans=tuple(fewer)))
    assert line.endswith(
        "newer of the oracle implements requirement 'requested-shape', and no vector exercises it"
        " at Reshape-14"
    )


def test_a_function_at_whose_versions_no_requirement_holds_is_a_gap(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = changed("  - id: requested-shape\n", "  - id: requested-shape\n    since: 5\n")
    registered(monkeypatch, (1, 1), (5, None))
    (first, *_) = found(plan_sample(tmp_path, text))
    assert first.endswith("older of the oracle implements no requirement: none holds at Reshape-1")


def test_check_and_coverage_see_such_a_gap(
    corpus: CorpusPlan, monkeypatch: pytest.MonkeyPatch
) -> None:
    registered(monkeypatch, (5, None))
    assert "Reshape-1 is answered by no function of the oracle" in "\n".join(
        operator_gaps(corpus.specs[0], corpus.plans)
    )


@pytest.mark.parametrize("operators", [("clip",), ("add", "where")])
def test_what_the_functions_of_an_operator_implement_is_on_its_page(
    operators: Sequence[str],
) -> None:
    corpus = plan_corpus(SPECS, operators=operators)
    for spec in corpus.specs:
        planned = [plan for plan in corpus.plans if plan.spec is spec]
        page = operator_page(spec, planned)
        functions = implemented(spec, planned)
        assert functions
        for item in functions:
            assert all(item.vectors.values())
            assert f"| `{item.name}` |" in page
        assert set(spec.versions) == {number for item in functions for number in item.versions}
