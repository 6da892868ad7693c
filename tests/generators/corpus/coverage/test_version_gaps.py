"""What a version of an operator is never asked is a gap, whatever other versions are asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sample_specs import changed, plan_sample, read_real

from onnx_conformance.generators.corpus.coverage.operators import operator_gaps
from onnx_conformance.generators.corpus.coverage.version_gaps import version_gaps
from onnx_conformance.generators.planning.expansion import plans

if TYPE_CHECKING:
    from pathlib import Path

CURE = "; give it in a case that holds there, or say `spread: versions` of one that does it"

# Reshape as it would be if allowzero had come with version 5 already.
EARLIER = changed(
    "    inputs: {data: T, shape: int64}\n    attributes: {}\n  14:\n    attributes: ",
    "    inputs: {data: T, shape: int64}\n    attributes: ",
)
EARLIER = changed(
    "default: 0}}\n", "default: 0}}\n  14:\n    types: {T: [some, int64]}\n", EARLIER
).replace("    since: 14\n", "    since: 5\n")


def found(folder: Path, text: str) -> list[str]:
    corpus = plan_sample(folder, text)
    return list(version_gaps(corpus.specs[0], corpus.plans))


def missing(folder: Path, what: str) -> str:
    return f"{folder}/reshape.yaml: Reshape-{what}"


def test_what_each_version_is_asked_is_no_gap(tmp_path: Path) -> None:
    assert [] == found(tmp_path, EARLIER)


def test_an_attribute_that_one_version_is_never_given_is_a_gap(tmp_path: Path) -> None:
    text = changed(
        "    attributes: {allowzero: 1}\n",
        "    attributes: {allowzero: 1}\n    since: 14\n",
        EARLIER,
    )
    text = text.replace("{allowzero: 2}\n", "{allowzero: 2}\n    since: 14\n")
    expected = missing(tmp_path, f"5 has no vector with 'allowzero'{CURE}")
    assert [expected] == found(tmp_path, text)


def test_an_attribute_that_is_only_given_its_default_is_a_gap(tmp_path: Path) -> None:
    text = EARLIER.replace("default: 0", "default: 1").replace("{allowzero: 2}", "{allowzero: 1}")
    gap = f"has no vector with another 'allowzero' than its default 1{CURE}"
    expected = [missing(tmp_path, f"{number} {gap}") for number in (5, 14)]
    assert expected == found(tmp_path, text)


def test_an_attribute_that_only_an_invalid_case_has_is_a_gap(tmp_path: Path) -> None:
    start, end = EARLIER.index("  - id: zero\n"), EARLIER.index("invalid:")
    text = EARLIER[:start] + EARLIER[end:].replace(
        "  - id: too_many\n", "  - id: too_many\n    attributes: {allowzero: 1}\n"
    )
    gap = f"has no vector with 'allowzero'{CURE}"
    assert [missing(tmp_path, f"{number} {gap}") for number in (5, 14)] == found(tmp_path, text)


def test_an_input_that_is_an_attribute_at_an_older_version_is_given_there(tmp_path: Path) -> None:
    assert not any("'shape'" in gap for gap in found(tmp_path, EARLIER))


def test_an_optional_input_that_is_never_given_is_a_gap(tmp_path: Path) -> None:
    text = EARLIER.replace("shape: int64}", "shape: int64, axes: {type: int64, optional: true}}")
    gap = f"has no vector with the optional input 'axes'{CURE}"
    assert [missing(tmp_path, f"{number} {gap}") for number in (5, 14)] == found(tmp_path, text)


def test_an_optional_input_that_is_never_left_out_is_a_gap(tmp_path: Path) -> None:
    text = EARLIER.replace("shape: int64}", "shape: {type: int64, optional: true}}")
    gap = "has no vector without the optional input 'shape'; add a case that leaves it out"
    assert [missing(tmp_path, f"{number} {gap}") for number in (5, 14)] == found(tmp_path, text)


DROPOUT = """\
operator: Dropout
requirements:
  - id: copied
    text: Outside of training the output is the input.
    source: {document: Dropout-13, part: Summary}
cases:
  - id: copied
    since: 22
    covers: [copied]
    inputs: {data: [3]}
"""


def of_dropout(folder: Path, text: str) -> list[str]:
    facts, spec = read_real(folder, text)
    planned = plans(spec, facts, "standard")
    start = f"{spec.path}: Dropout-22 has no vector "
    return [gap[len(start) :] for gap in version_gaps(spec, planned) if gap.startswith(start)]


def test_an_optional_output_that_is_never_left_out_is_a_gap(tmp_path: Path) -> None:
    gap = "without the optional output 'mask'; add a case that leaves it out"
    assert gap in of_dropout(tmp_path, DROPOUT)


def test_an_optional_output_that_is_never_asked_for_is_a_gap(tmp_path: Path) -> None:
    text = changed("    inputs:", "    requested: [output]\n    inputs:", DROPOUT)
    assert f"with the optional output 'mask'{CURE}" in of_dropout(tmp_path, text)


LEAKY = """\
operator: LeakyRelu
requirements:
  - id: slope
    text: Numbers below 0 are multiplied by alpha.
    source: {document: LeakyRelu-16, part: Summary}
cases:
  - {id: given, covers: [slope], attributes: {alpha: 0.01}, inputs: {X: [3]}}
"""


def test_a_default_of_float32_may_be_written_with_fewer_digits(tmp_path: Path) -> None:
    facts, spec = read_real(tmp_path, LEAKY)
    found = list(version_gaps(spec, plans(spec, facts, "standard")))
    assert "has no vector with another 'alpha' than its default 0.00999" in found[-1]


def test_what_a_version_is_never_asked_is_a_gap_of_its_operator(tmp_path: Path) -> None:
    facts, spec = read_real(tmp_path, LEAKY)
    planned = plans(spec, facts, "standard")
    assert set(version_gaps(spec, planned)) <= set(operator_gaps(spec, planned))
