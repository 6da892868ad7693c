"""Mutants that a machine makes of an oracle, and what the vectors of its operator make of them."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from places import SPECS
from strength import around as around_module
from strength import assessing, equivalents, measuring
from strength.__main__ import main
from strength.around import measure_around
from strength.assessing import Fate, Finding, Looking
from strength.confirming import real_verdict, serve_mutant
from strength.equivalents import arguments_for, key_of
from strength.measuring import Effort, Measured, measure
from strength.mutants import all_mutants
from strength.mutations import mutations
from strength.reporting import details, lines, passed, row
from strength.requirements import (
    idle_cases,
    kills_by_requirement,
    repeating_cases,
    suspicious,
)
from strength.surroundings import RULES
from strength.tracing import traced
from written_modules import module_of

from onnx_conformance.core.corpus.corpus import open_corpus
from onnx_conformance.core.errors import BadInputError, IncompleteError, UsageError
from onnx_conformance.generators.interpreter import installed_signatures
from onnx_conformance.generators.interpreter import running as interpreting
from onnx_conformance.generators.interpreter.validity import binding, checking
from onnx_conformance.generators.oracle.registry import compute
from onnx_conformance.validator.judging.verdicts import Verdict

SOURCE = '''"""Documentation is not code."""
LIMIT = 3
UNUSED = 9


def start(x, y):
    """Neither is this."""
    if x < y and not flag(x):
        raise ValueError(f"{x + 1}")
    return [item for item in range(x) if item][y:]


def flag(x):
    return min(x, LIMIT) == 1


def elsewhere(x):
    return x * 7
'''


@pytest.fixture
def changes(tmp_path: Path) -> set[str]:
    module = module_of(tmp_path, SOURCE)
    return {mutation.text.partition(": ")[2] for mutation, _ in mutations(module, [module.start])}


@pytest.mark.parametrize(
    "change",
    [
        "x < y -> x <= y",
        "x < y -> x >= y",
        "x < y and (not flag(x)) -> x < y or not flag(x)",
        "x < y and (not flag(x)) -> x < y",
        "if x < y and (not flag(x)) -> if False",
        "not flag(x) -> flag(x)",
        "range(x) -> range(x - 1)",
        "y: -> :",
        "min -> max",
        "min(x, LIMIT) == 1 -> min(x, LIMIT) != 1",
        "1 -> 2",
        "3 -> 4",
    ],
)
def test_code_is_changed_in_ways_in_which_it_goes_wrong(changes: set[str], change: str) -> None:
    assert change in changes


@pytest.mark.parametrize("untouched", ["9", "x * 7", "x + 1", "Neither"])
def test_what_the_operator_does_not_run_and_words_stay(changes: set[str], untouched: str) -> None:
    assert not [item for item in changes if untouched in item.partition(" -> ")[0]]


def test_a_mutant_is_the_module_with_one_change(tmp_path: Path) -> None:
    module = module_of(tmp_path, SOURCE)
    by_text = {mutation.text: code for mutation, code in mutations(module, [module.flag])}
    names: dict[str, object] = {}
    exec(by_text["sample.py:14 flag: min -> max"], names)  # noqa: S102  what is tested
    flag = names["flag"]
    assert callable(flag)
    assert (True, False) == (module.flag(1), flag(1))


@pytest.fixture(scope="module")
def vectors(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The newest version of Size."""
    folder = tmp_path_factory.mktemp("vectors")
    command = ["generate", "--specs", str(SPECS), "--output", str(folder), "size-25/*"]
    subprocess.run(
        [sys.executable, "-m", "onnx_conformance.generators.main", *command],
        check=True,
        capture_output=True,
    )
    return folder


@pytest.fixture(scope="module")
def size(vectors: Path) -> Measured:
    return measure("", "Size", vectors, Effort(2, 200, Looking.CASES))


def fates(measured: Measured) -> dict[str, Fate]:
    return {re.sub(r":\d+", "", item.name): item.fate for item in measured.findings}


def test_the_vectors_of_an_operator_kill_its_mutants(size: Measured) -> None:
    assert () == size.failures
    assert Fate.KILLED is fates(size)["signature: scalars refused"]
    assert Fate.KILLED is fates(size)["signature: a scalar result has shape [1]"]
    assert size.count(Fate.KILLED) > 20


def test_what_no_call_tells_apart_is_called_alike(size: Measured) -> None:
    assert Fate.ALIKE is fates(size)["signature: NaN is 0, at the inputs"]


def test_a_mutant_that_only_other_calls_tell_apart_survives(vectors: Path, tmp_path: Path) -> None:
    folder = tmp_path / "few"
    place = open_corpus(vectors).entries["size-25/example/float32"].directory
    shutil.copytree(place, folder / "valid" / "size-25" / place.name)
    measured = measure("", "Size", folder, Effort(samples=300))
    found = {item.name: item for item in measured.findings}
    survivor = found["signature: T = int64 refused"]
    assert Fate.SURVIVING is survivor.fate
    assert "data = int64" in survivor.by
    assert not passed(measured, 95.0)


def test_a_mutant_that_the_sample_tells_apart_is_asked_what_is_dear_too(
    vectors: Path, size: Measured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(assessing.Trial, "_is_recalled", lambda _trial: False)
    monkeypatch.setattr(assessing, "_ASKED_FIRST", 0)  # one question, the cheapest
    measured = measure("", "Size", vectors, Effort(1, 200))
    living = {name for name, fate in fates(size).items() if fate is Fate.SURVIVING}
    assert living == {name for name, fate in fates(measured).items() if fate is Fate.SURVIVING}
    monkeypatch.setattr(assessing, "_AT_LAST", 0)
    hasty = measure("", "Size", vectors, Effort(1, 200))
    assert hasty.count(Fate.SURVIVING) > len(living)


def test_the_same_is_found_where_each_requirement_is_looked_for_until_it_kills(
    vectors: Path, size: Measured
) -> None:
    measured = measure("", "Size", vectors, Effort(1, 200, Looking.REQUIREMENTS))
    assert fates(size) == fates(measured)
    assert suspicious(size) == suspicious(measured)


def test_how_much_was_left_out_is_said(vectors: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("_ASKED_FIRST", "_BESIDES"):
        monkeypatch.setattr(assessing, name, 0)
    measured = measure("", "Size", vectors, Effort(1, 200))
    assert measured.hurried > 0
    assert f"({measured.hurried} of all these on fewer calls than concern them)" in row(measured)
    assert any(re.search(r"\d+ of \d+ calls and \d+ of", item.by) for item in measured.findings)


def test_what_is_asked_after_what_is_cheap_is_as_different_as_can_be() -> None:
    traits = [frozenset(item) for item in ("a", "a", "abc", "d", "abcd")]
    # First what has most for its effort, then what is new at least, and then from the start.
    assert [2, 4, 0, 1, 3] == assessing.turns_of([100, 100, 100, 900, 10**6], traits)


def test_an_argument_takes_a_survivor_out_of_the_count(
    vectors: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "equivalents.yaml"
    path.write_text('Size: {"signature: NaN is 0, at the inputs": Size reads no element.}\n')
    monkeypatch.setattr(
        measuring, "arguments_for", lambda domain, name: arguments_for(domain, name, path)
    )
    measured = measure("", "Size", vectors, Effort(2, 50))
    assert {"signature: NaN is 0, at the inputs": "Size reads no element."} == measured.argued
    assert any("Size reads no element" in line for line in lines(measured))


def test_an_argument_without_words_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "equivalents.yaml"
    path.write_text("Size: {mutant: }\n")
    with pytest.raises(BadInputError, match="'mutant' of Size has no argument"):
        arguments_for("", "Size", path)


def test_the_arguments_that_are_kept_can_be_read() -> None:
    assert {} == arguments_for("", "NoOperator", equivalents.FILE)


def test_a_mutant_is_known_by_its_change_and_not_its_line() -> None:
    assert "size.py evaluate: 0 -> 1" == key_of("size.py:17 evaluate: 0 -> 1")


def test_a_mutant_gets_the_same_verdict_as_a_child_process(size: Measured, vectors: Path) -> None:
    (killed,) = [item for item in size.findings if item.name.endswith("has shape [1]")]
    # The interpreter itself refuses an output of another rank than the model declares.
    assert Verdict.REJECTED is real_verdict(vectors, "Size", killed.name, killed.by)


def test_a_mutant_that_does_not_exist_is_said_not_to() -> None:
    with pytest.raises(UsageError, match="Size has no mutant 'nothing'"):
        serve_mutant("", "Size", "nothing")


def test_every_mutant_of_an_operator_has_a_name_of_its_own() -> None:
    versions = installed_signatures().versions("", "Reshape")
    names = [item.name for item in all_mutants("", "Reshape", versions, compute)]
    assert len(names) == len(set(names)) > 100


@pytest.fixture(scope="module")
def around(vectors: Path) -> dict[str, str]:
    """By runtime that is wrong around the operators, the first vector that convicts it, or ''."""
    return {
        item.name: item.first[0][1] if item.first else ""
        for item in measure_around(["Size"], vectors, 1)
    }


@pytest.mark.parametrize(
    ("fault", "form"),
    [
        ("OtherBranch", "if_branch"),
        ("SubgraphsAreRefused", "if_branch"),
        ("DefaultsStay", "overridden_dims"),
        ("UndeclaredDimensionsAreRefused", "anonymous"),
        ("FirstRunIsKept", "data_sets"),
    ],
)
def test_a_runtime_that_is_wrong_around_an_operator_shows_in_a_form(
    around: dict[str, str], fault: str, form: str
) -> None:
    assert form == around[fault].rpartition(".")[2]


@pytest.mark.parametrize(
    "rule", ["attributes-are-known", "as-many-inputs", "outputs-have-the-declared-type"]
)
def test_a_rule_that_a_runtime_forgets_shows_in_an_invalid_vector(
    around: dict[str, str], rule: str
) -> None:
    assert around[f"without {rule}"]


@pytest.mark.parametrize("fault", ["AbsentInputsCloseUp", "NegationInPlace"])
def test_a_fault_that_cannot_show_convicts_nobody(around: dict[str, str], fault: str) -> None:
    assert "" == around[fault]  # Size has one input, and does not read its elements


def test_a_runtime_that_enough_operators_convict_is_asked_no_more(
    vectors: Path, around: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []
    first = around_module._of_operator  # noqa: SLF001  what is asked

    def noted(name: str, folder: Path, faults: frozenset[int]) -> dict[int, str]:
        asked.append(len(faults))
        return first(name, folder, faults)

    monkeypatch.setattr(around_module, "_of_operator", noted)
    found = list(measure_around(["Size", "Size"], vectors, 1, 1))
    assert around == {item.name: item.first[0][1] if item.first else "" for item in found}
    assert [len(found), sum(not item.first for item in found)] == asked


def test_every_rule_of_the_interpreter_can_be_forgotten() -> None:
    named = set()
    for module in (binding, checking, interpreting):
        source = Path(str(module.__file__)).read_text()
        named |= set(re.findall(r'refuse\(\s*f?"([a-z-]+)', source))
    assert {"as-many-", *named} - {"as-many-"} <= {*RULES, "inputs-have-names", "inputs-have-types"}
    assert len(named) > 15


def measured(killed: int, surviving: int) -> Measured:
    findings = [Finding(f"k{number}", Fate.KILLED) for number in range(killed)]
    findings += [Finding(f"s{number}", Fate.SURVIVING) for number in range(surviving)]
    return Measured("Op", 3, 2, 10, tuple(findings), {}, (), {})


def test_fewer_killed_than_asked_for_is_a_failure() -> None:
    assert passed(measured(95, 5), 95.0)
    assert not passed(measured(94, 6), 95.0)
    assert "Op: 95.0 % of 100 mutants killed by 3 vectors (2 calls)" in row(measured(95, 5))


def test_nothing_measured_is_a_failure() -> None:
    assert not passed(measured(0, 0), 95.0)


def test_an_operator_without_vectors_is_said_to_have_none(vectors: Path) -> None:
    with pytest.raises(IncompleteError, match="no vector of Reshape"):
        measure("", "Reshape", vectors)


def test_the_command_asks_again_by_what_is_remembered(
    vectors: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["run", "--again", "--operator", "Size", "--jobs", "1", "--vectors", str(vectors)]
    monkeypatch.setattr(sys, "argv", ["strength", *arguments])
    assert 0 == main()
    out = capsys.readouterr().out
    assert out.startswith("Size is measured ")
    assert "Size: 100.0 % of" in out


def test_the_command_says_what_it_cannot_do(
    vectors: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["strength", "run", "--operator", "Sise", "--vectors", str(vectors)]
    monkeypatch.setattr(sys, "argv", arguments)
    assert 3 == main()
    assert "did you mean 'Size'" in capsys.readouterr().err


# --- which lines run ---


def test_lines_and_calls_are_noted_within(tmp_path: Path) -> None:
    module = module_of(tmp_path, SOURCE)
    file = str(module.__file__)
    with traced([file]) as trace:
        assert [] == module.start(1, 5)
    after = trace.steps
    module.elsewhere(1)
    lines = SOURCE.splitlines()
    ran = {lines[number - 1].strip() for number in trace.lines[file]}
    assert "return min(x, LIMIT) == 1" in ran
    assert "return x * 7" not in ran
    assert after == trace.steps > 1


def test_a_change_concerns_every_line_of_its_statement(tmp_path: Path) -> None:
    source = "def start(x):\n    y = (x +\n         1)\n    return y\n"
    module = module_of(tmp_path, source)
    (one,) = [item for item, _ in mutations(module, [module.start]) if item.change == "1 -> 2"]
    assert (2, 3) == one.lines


# --- requirements ---


def with_cases(**kills: tuple[str, ...]) -> Measured:
    findings = tuple(Finding(name, Fate.KILLED, "", cases) for name, cases in kills.items())
    covers = {"a": ("r1",), "b": ("r1", "r2"), "c": ("r3",), "p": ("any-presentation",)}
    return Measured("Op", 3, 2, 10, findings, {}, (), covers)


def test_a_requirement_has_the_mutants_that_its_cases_kill() -> None:
    found = kills_by_requirement(with_cases(m1=("a", "b"), m2=("b",)))
    assert {"r1": ["m1", "m2"], "r2": ["m1", "m2"], "r3": [], "any-presentation": []} == found


def test_a_requirement_whose_cases_kill_nothing_is_suspicious_but_not_how_it_is_presented() -> None:
    assert ["r3"] == suspicious(with_cases(m1=("a", "b")))


def test_cases_that_kill_nothing_or_nothing_more_are_named() -> None:
    measured = with_cases(m1=("a", "b"), m2=("b",))
    assert ["c", "p"] == idle_cases(measured)
    assert ["a", "c", "p"] == repeating_cases(measured)


def test_details_say_what_each_requirement_kills() -> None:
    text = "\n".join(details(with_cases(m1=("b",))))
    assert "requirement 'r2': at least 1 mutants\n    m1" in text
    assert "suspicious: no case of requirement 'r3' kills a mutant" in text
