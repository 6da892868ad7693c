"""Mutants that a machine makes of an oracle, and what the vectors of its operator make of them."""

from __future__ import annotations

import os
import re
import resource
import shutil
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import gmpy2
import pytest
from generated import generated
from places import ROOT
from strength.__main__ import main
from strength.guarding import MEMORY
from strength.mutants import equivalents
from strength.mutants.code import mutations
from strength.mutants.equivalents import arguments_for, key_of
from strength.mutants.mutant import Mutant, all_mutants
from strength.reports.operators import details, lines, passed, row
from strength.trying import measuring, question, trial
from strength.trying.confirming import real_verdict, serve_mutant
from strength.trying.judged_vectors import JudgedVectors
from strength.trying.measuring import Effort, Measured, measure
from strength.trying.requirements import (
    idle_cases,
    kills_by_requirement,
    repeating_cases,
    suspicious,
)
from strength.trying.status import Finding, Looking, Status
from written_modules import module_of

from onnx_conformance.core.corpus.corpus import open_corpus
from onnx_conformance.core.errors import BadInputError, IncompleteError, UsageError
from onnx_conformance.generators.interpreter import installed_signatures
from onnx_conformance.generators.oracle.registry import compute
from onnx_conformance.validator.judging.verdicts import Verdict

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from onnx_conformance.generators.oracle.registry import Call, Result
    from onnx_conformance.generators.signatures.model import Signature

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
    return generated(tmp_path_factory, "size", "size-25/*")


@pytest.fixture(scope="module")
def size(vectors: Path) -> Measured:
    return measure("", "Size", vectors, Effort(2, 200, Looking.CASES))


def statuses(measured: Measured) -> dict[str, Status]:
    return {re.sub(r":\d+", "", item.name): item.status for item in measured.findings}


def test_the_vectors_of_an_operator_kill_its_mutants(size: Measured) -> None:
    assert () == size.failures
    assert Status.KILLED is statuses(size)["signature: scalars refused"]
    assert Status.KILLED is statuses(size)["signature: a scalar result has shape [1]"]
    assert size.count(Status.KILLED) > 20


def test_what_no_call_tells_apart_is_equivalent(size: Measured) -> None:
    assert Status.EQUIVALENT is statuses(size)["signature: NaN is 0, at the inputs"]


def test_a_mutant_that_only_other_calls_tell_apart_survives(vectors: Path, tmp_path: Path) -> None:
    folder = tmp_path / "few"
    place = open_corpus(vectors).entries["size-25/example/float32"].directory
    shutil.copytree(place, folder / "valid" / "size-25" / place.name)
    measured = measure("", "Size", folder, Effort(samples=300))
    found = {item.name: item for item in measured.findings}
    survivor = found["signature: T = int64 refused"]
    assert Status.SURVIVED is survivor.status
    assert "data = int64" in survivor.by
    assert not passed(measured, 95.0)


def test_a_mutant_that_the_sample_tells_apart_is_tried_on_what_is_expensive_too(
    vectors: Path, size: Measured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trial.Trial, "_is_recalled", lambda _trial: False)
    monkeypatch.setattr(trial, "_TRIED_FIRST", 0)  # one question, the cheapest
    measured = measure("", "Size", vectors, Effort(1, 200))
    living = {name for name, status in statuses(size).items() if status is Status.SURVIVED}
    assert living == {
        name for name, status in statuses(measured).items() if status is Status.SURVIVED
    }
    monkeypatch.setattr(trial, "_AT_LAST", 0)
    hasty = measure("", "Size", vectors, Effort(1, 200))
    assert hasty.count(Status.SURVIVED) > len(living)


def test_the_same_is_found_where_each_requirement_is_looked_for_until_it_kills(
    vectors: Path, size: Measured
) -> None:
    measured = measure("", "Size", vectors, Effort(1, 200, Looking.REQUIREMENTS))
    assert statuses(size) == statuses(measured)
    assert suspicious(size) == suspicious(measured)


def test_how_much_was_left_out_is_said(vectors: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("_TRIED_FIRST", "_BESIDES"):
        monkeypatch.setattr(trial, name, 0)
    measured = measure("", "Size", vectors, Effort(1, 200))
    assert measured.partly_tried > 0
    assert f"({measured.partly_tried} of all these on fewer calls than concern them)" in row(
        measured
    )
    assert any(re.search(r"\d+ of \d+ calls and \d+ of", item.by) for item in measured.findings)


def test_what_is_tried_after_what_is_cheap_is_as_different_as_can_be() -> None:
    traits = [frozenset(item) for item in ("a", "a", "abc", "d", "abcd")]
    # First what has most for its effort, then what is new at least, and then from the start.
    assert [2, 4, 0, 1, 3] == question.turns_of([100, 100, 100, 900, 10**6], traits)


def test_an_argument_takes_a_survivor_out_of_the_count(
    vectors: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "equivalents.yaml"
    name = "signature: NaN is 0, at the inputs"
    path.write_text(
        f'{{arguments: {{}}, mutants: {{Size: {{Size reads no element.: ["{name}"]}}}}}}\n'
    )
    monkeypatch.setattr(
        measuring, "arguments_for", lambda domain, name: arguments_for(domain, name, path)
    )
    measured = measure("", "Size", vectors, Effort(2, 50))
    assert {"signature: NaN is 0, at the inputs": "Size reads no element."} == measured.argued
    assert any("Size reads no element" in line for line in lines(measured))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "{arguments: {}, mutants: {Size: {unsaid: [mutant]}}}",
            "'mutant' of Size has no argument",
        ),
        ("{arguments: {}, mutants: {Size: {a b: [m], c d: [m]}}}", "'m' of Size has two arguments"),
        ("{Size: {}}", "needs 'arguments' and 'mutants'"),
        ("{arguments: {}, mutants: {Size: [m]}}", "needs 'arguments' and 'mutants'"),
    ],
)
def test_arguments_that_are_none_are_an_error(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "equivalents.yaml"
    path.write_text(text)
    with pytest.raises(BadInputError, match=message):
        arguments_for("", "Size", path)


def test_an_argument_of_several_operators_is_said_once_by_its_name(tmp_path: Path) -> None:
    path = tmp_path / "equivalents.yaml"
    path.write_text("{arguments: {why: Because.}, mutants: {Size: {why: [m]}, Shape: {why: [n]}}}")
    assert {"m": "Because."} == arguments_for("", "Size", path)
    assert {"n": "Because."} == arguments_for("", "Shape", path)
    assert {} == arguments_for("", "Not", path)


def test_the_arguments_that_are_kept_can_be_read() -> None:
    assert {} == arguments_for("", "NoOperator", equivalents.FILE)
    assert 8 == len(arguments_for("", equivalents.RUNTIMES))


def test_a_mutant_that_ends_its_process_is_killed_by_what_it_was_tried_on(vectors: Path) -> None:
    found = trial.Trial(JudgedVectors(vectors, "", "Size"), versions_of("Size"), 20)

    def growing() -> Callable[[Call], Result]:
        return lambda _call: (gmpy2.mpz(1) << (1 << 40),)

    mutant = Mutant("counts without end", growing)
    (finding,), _ = measuring.findings_of(found, [mutant], 1)
    assert Status.KILLED is finding.status
    assert finding.by.startswith("size-25/")


def test_a_mutant_that_ends_at_a_further_call_survives_and_the_call_is_told(vectors: Path) -> None:
    found = trial.Trial(JudgedVectors(vectors, "", "Size"), versions_of("Size"), 20)
    known = {id(item.call) for item in found.samples} - {id(it.call) for it in found.questions}

    def ending() -> Callable[[Call], Result]:
        def answer(call: Call) -> Result:
            if id(call) in known:
                os.kill(os.getpid(), signal.SIGKILL)
            return compute(call)

        return answer

    (finding,), _ = measuring.findings_of(found, [Mutant("ends", ending)], 1)
    assert Status.SURVIVED is finding.status
    assert finding.by.startswith("it ends at version 25")


def versions_of(operator: str) -> dict[int, Signature]:
    versions = installed_signatures().versions("", operator)
    return {item.since_version: item for item in versions}


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
    names = [item.name for item in all_mutants("", "Reshape", compute)]
    assert len(names) == len(set(names)) > 100


def measured(killed: int, surviving: int) -> Measured:
    findings = [Finding(f"k{number}", Status.KILLED) for number in range(killed)]
    findings += [Finding(f"s{number}", Status.SURVIVED) for number in range(surviving)]
    return Measured("Op", 3, 2, 10, tuple(findings), {}, (), {})


def test_fewer_killed_than_wanted_is_a_failure() -> None:
    assert passed(measured(95, 5), 95.0)
    assert not passed(measured(94, 6), 95.0)
    assert "Op: 95.0 % of 100 mutants killed by 3 vectors (2 calls)" in row(measured(95, 5))


def test_nothing_measured_is_a_failure() -> None:
    assert not passed(measured(0, 0), 95.0)


def test_an_operator_without_vectors_is_said_to_have_none(vectors: Path) -> None:
    with pytest.raises(IncompleteError, match="no vector of Reshape"):
        measure("", "Reshape", vectors)


def test_the_command_measures_incrementally(vectors: Path) -> None:
    # By itself: what other tests leave in a process takes time from the calls, which have a limit.
    words = ["run", "--incremental", "--operator", "Size", "--jobs", "1", "--vectors", str(vectors)]
    command = [sys.executable, "-m", "strength", *words]
    done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT)
    assert done.stdout.startswith("Size is measured ")
    assert "Size: 100.0 % of" in done.stdout


def test_the_command_says_what_it_cannot_do(
    vectors: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["strength", "run", "--operator", "Sise", "--vectors", str(vectors)]
    monkeypatch.setattr(sys, "argv", arguments)
    assert 3 == main()
    assert "did you mean 'Size'" in capsys.readouterr().err


def test_the_command_leaves_the_memory_of_the_process_that_calls_it_without_a_limit(
    vectors: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = ["strength", "run", "--operator", "Sise", "--vectors", str(vectors)]
    monkeypatch.setattr(sys, "argv", arguments)
    before = resource.getrlimit(resource.RLIMIT_AS)
    main()
    assert before == resource.getrlimit(resource.RLIMIT_AS)


def test_the_command_limits_the_memory_of_its_own_process() -> None:
    said = (
        "import resource, runpy, sys\n"
        "sys.argv = ['strength', 'run', '--help']\n"
        "try:\n"
        "    runpy.run_module('strength', run_name='__main__')\n"
        "except SystemExit:\n"
        "    print(resource.getrlimit(resource.RLIMIT_AS)[0])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", said], capture_output=True, text=True, check=True, timeout=60
    )
    assert str(MEMORY) == done.stdout.splitlines()[-1]


# --- requirements ---


def with_cases(**kills: tuple[str, ...]) -> Measured:
    findings = tuple(Finding(name, Status.KILLED, "", cases) for name, cases in kills.items())
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
