"""The lock: what the manifests beside specs list is the corpus, whatever the rules would choose."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from committed_corpus import SPECS
from sample_specs import RESHAPE, changed, line_of, write_specs

from onnx_conformance.core.commandline import dispatch
from onnx_conformance.core.errors import ExitCode
from onnx_conformance.generators.corpus.lock import chosen, lock_beside, lock_folder
from onnx_conformance.generators.corpus.making import manifests, plan_corpus
from onnx_conformance.generators.corpus.parallel import make_corpus, make_operator
from onnx_conformance.generators.corpus.planned import planned_ids
from onnx_conformance.generators.corpus.stems import stems_for
from onnx_conformance.generators.main import COMMANDS
from onnx_conformance.generators.situations import making

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from onnx_conformance.core.corpus.listing.model import Listed

KEPT = "reshape-14/two_dims/float32"
COMBINED = RESHAPE.replace(
    "invalid:\n",
    """\
families:
  - family: combinations
    covers: [requested-shape]
    since: 14
    with:
      common: {data: {shape: [0, 4]}}
      values: {shape: [[0, 4], [4, 0], [0, -1], [3]], allowzero: [0, 1]}

invalid:
""",
    1,
)


def locked(specs: Path, change: Callable[[list[Listed]], list[Listed]] = list) -> Path:
    """The specs, with a lock of all that the rules propose, or of a part of it."""
    made = list(make_corpus(specs))
    lines = change([item.listed for corpus in made for item in corpus.vectors])
    files = manifests(plan_corpus(specs).facts, "standard", lines)
    for name, content in files.items():
        path = lock_folder(specs) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return specs


def ids_of(specs: Path) -> set[str]:
    return {plan.id for plan in plan_corpus(specs).plans}


@pytest.fixture
def specs(tmp_path: Path) -> Path:
    return write_specs(tmp_path / "specs")


@pytest.fixture
def no_oracle(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("the oracle was asked")

    monkeypatch.setattr(making, "ask", refuse)


# --- plans from the lock ---


def test_the_plans_of_the_lock_are_those_that_the_rules_made(specs: Path) -> None:
    by_rules = {plan.id: plan for plan in plan_corpus(specs).plans}
    locked(specs)
    by_lock = {plan.id: plan for plan in plan_corpus(specs).plans}
    assert by_rules.keys() == by_lock.keys()
    for name, plan in by_rules.items():
        for key in ("version", "operator_opset", "model_opset", "types", "form", "control", "kind"):
            assert getattr(plan, key) == getattr(by_lock[name], key), (name, key)


def test_a_vector_that_the_rules_would_not_choose_stays(specs: Path) -> None:
    before = ids_of(locked(specs))
    text = RESHAPE.replace("    spread: [everywhere, types]\n", "    spread: everywhere\n")
    write_specs(specs, text)
    assert before == ids_of(specs)


def test_a_new_case_is_not_in_the_corpus_before_it_is_admitted(specs: Path) -> None:
    before = ids_of(locked(specs))
    new = "  - {id: new, covers: [requested-shape], inputs: {data: [6], shape: [6]},"
    text = changed("cases:\n", f"cases:\n{new} outputs: {{reshaped: [6]}}}}\n")
    write_specs(specs, text)
    assert before == ids_of(specs)
    (made,) = make_corpus(specs)
    place = f"{specs}/reshape.yaml:{line_of('- {id: new', text)}"
    assert (f"{place}: case 'new' has no vector in the lock",) == made.unlisted


def test_a_newer_opset_loses_nothing(specs: Path) -> None:
    before = ids_of(locked(specs))
    text = (specs / "corpus.yaml").read_text()
    (specs / "corpus.yaml").write_text(text.replace("newest_opset: 18", "newest_opset: 19"))
    assert before == ids_of(specs)
    assert [False] * len(before) == [item.differs for item in make_operator_of(specs)]


def make_operator_of(specs: Path) -> list:  # type: ignore[type-arg]
    return list(make_operator(specs, "reshape", "standard").vectors)


def test_planning_asks_no_oracle(specs: Path, no_oracle: None) -> None:  # noqa: ARG001
    with pytest.raises(AssertionError, match="the oracle was asked"):
        plan_corpus(specs)


def test_planning_from_the_lock_asks_no_oracle(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    specs = locked(write_specs(tmp_path / "specs", COMBINED))

    def refuse(*_: object) -> None:
        raise AssertionError("the oracle was asked")

    monkeypatch.setattr(making, "ask", refuse)
    assert [item for item in ids_of(specs) if "/comb_" in item]


def test_combinations_of_the_lock_stay_where_others_would_be_chosen(tmp_path: Path) -> None:
    specs = locked(write_specs(tmp_path / "specs", COMBINED))
    before = ids_of(specs)
    write_specs(specs, COMBINED.replace("[[0, 4], [4, 0]", "[[4, -1], [2, 0], [0, 4], [4, 0]"))
    assert before == ids_of(specs)


def test_the_full_profile_asks_the_rules(specs: Path) -> None:
    locked(specs, lambda lines: lines[:1])
    assert 1 == len(plan_corpus(specs).plans)
    assert 1 < len(plan_corpus(specs, "full").plans)


def test_a_vector_whose_case_is_gone_is_named(specs: Path) -> None:
    locked(specs)
    start, end = RESHAPE.index("  - id: allowzero_2"), RESHAPE.index("\ninvalid:")
    write_specs(specs, RESHAPE[:start] + RESHAPE[end:])
    (line, *_) = plan_corpus(specs).lost
    assert line == (
        f"reshape-14/allowzero_2/float32: {specs}/reshape.yaml has no case 'allowzero_2'; bring it"
        " back, or withdraw the vector in specs/rulings.yaml"
    )


def test_a_line_whose_types_are_not_those_of_its_id_is_named(specs: Path) -> None:
    def other(lines: list[Listed]) -> list[Listed]:
        return [
            replace(item, facts=replace(item.facts, types={"T": "float64"}))
            if item.id == KEPT
            else item
            for item in lines
        ]

    locked(specs, other)
    (line,) = plan_corpus(specs).lost
    expected = f"{KEPT}: its types, opset and form are those of reshape-14/two_dims/float64; "
    assert line.startswith(expected)


def test_a_selection_brings_the_controls(specs: Path) -> None:
    locked(specs)
    lock = lock_beside(specs)
    assert lock is not None
    found = [item.id for item in chosen(lock.lines(), ["reshape-14/too_many"])]
    assert found == [KEPT, "reshape-14/too_many/float32"]


# --- vectors compared with it ---


def test_a_vector_that_comes_out_otherwise_is_marked(specs: Path) -> None:
    def spoilt(lines: list[Listed]) -> list[Listed]:
        return [replace(item, digest="0" * 64) if item.id == KEPT else item for item in lines]

    locked(specs, spoilt)
    assert [KEPT] == [item.listed.id for item in make_operator_of(specs) if item.differs]


def test_what_the_lock_says_of_a_vector_s_past_stays_with_it(specs: Path) -> None:
    def older(lines: list[Listed]) -> list[Listed]:
        return [replace(item, since="0.2.0", was={"0.2.0": "0"}, rule="types") for item in lines]

    locked(specs, older)
    found = {(item.listed.since, item.listed.rule) for item in make_operator_of(specs)}
    assert {("0.2.0", "types")} == found
    assert {"0.2.0": "0"} == make_operator_of(specs)[0].listed.was


# --- the command ---


def call(*words: object) -> int:
    return dispatch("onnx-vectors", "", COMMANDS, [str(word) for word in words], ())


def refusal(capsys: pytest.CaptureFixture[str], *words: object) -> str:
    assert ExitCode.BAD_INPUT == call(*words)
    out, err = capsys.readouterr()
    assert "" == out
    (line,) = err.splitlines()
    return line


def test_list_prints_what_the_lock_has_though_no_spec_can_be_read(
    specs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    locked(specs)
    before = ids_of(specs)
    (specs / "reshape.yaml").write_text("nonsense")
    assert 0 == call("list", "--specs", specs)
    assert before == set(capsys.readouterr().out.splitlines())


def test_the_whole_corpus_is_listed(capsys: pytest.CaptureFixture[str]) -> None:
    manifest = json.loads((lock_folder(SPECS) / "manifest.json").read_bytes())
    assert 0 == call("list", "--specs", SPECS)
    assert manifest["count"] == len(capsys.readouterr().out.splitlines())


def test_generate_refuses_a_vector_that_comes_out_otherwise(
    specs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    locked(specs)
    text = changed("inputs: {data: [2, 3], shape: [3, 2]}", "inputs: {data: [3, 2], shape: [3, 2]}")
    write_specs(specs, text)
    line = refusal(capsys, "generate", "--specs", specs, "--output", tmp_path / "out")
    assert "vectors come out otherwise than the lock lists them: reshape-1/two_dims/" in line
    assert not (tmp_path / "out" / "manifest.json").exists()


def test_generate_refuses_a_case_that_was_not_admitted(
    specs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def without(lines: list[Listed]) -> list[Listed]:
        return [item for item in lines if "/zero/" not in item.id]

    locked(specs, without)
    line = refusal(capsys, "generate", "--specs", specs, "--output", tmp_path / "out")
    assert "case 'zero' has no vector in the lock; `onnx-vectors admit` shows" in line
    (specs / "rulings.yaml").write_text(
        "declined:\n  - {ids: [reshape-14/zero], reason: too like others}\n"
    )
    assert 0 == call("generate", "--specs", specs, "--output", tmp_path / "out")


def test_generate_refuses_an_operator_without_a_spec(
    specs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def more(lines: list[Listed]) -> list[Listed]:
        return [*lines, replace(lines[0], id="size-1/x/float32")]

    locked(specs, more)
    line = refusal(capsys, "generate", "--specs", specs, "--output", tmp_path / "out")
    assert "size-1: the lock lists it, and no spec is about size; bring it back" in line


# --- ids where the rules decide ---


@pytest.mark.parametrize("profile", ["core", "standard", "full"])
def test_planned_ids_are_those_of_the_plan(specs: Path, profile: str) -> None:
    assert planned_ids(specs, profile) == tuple(
        plan.id for plan in plan_corpus(specs, profile).plans
    )


def test_a_pattern_takes_only_the_specs_that_it_may_match(specs: Path) -> None:
    assert ("reshape",) == stems_for(specs, ["reshape"], ["reshape-*/zero"])
    assert () == stems_for(specs, ["reshape"], ["shape-*"])
