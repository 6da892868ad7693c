"""Random operators: each named fault fails its vector, and a right draw by none.

That right draws pass is luck too, which the bounds make all but certain: test_sampling_chances.
"""

from __future__ import annotations

import pytest
from draw_faults import FAULTS, RIGHT, answer
from generated import generated
from strength.trying.judged_vectors import JudgedVectors

from onnx_conformance.validator.judging.verdicts import Verdict

STREAMS = range(3)
#: What has the faults of another operator.
ALIKE = {"RandomNormalLike": "RandomNormal", "RandomUniformLike": "RandomUniform"}
NAMED = [
    (operator, fault, f"{operator.lower()}-22/{case}/float32")
    for operator in RIGHT
    for fault, (case, _) in FAULTS[ALIKE.get(operator, operator)].items()
]


@pytest.fixture(scope="module")
def evidence(tmp_path_factory: pytest.TempPathFactory) -> dict[str, JudgedVectors]:
    """The vectors that fail it, by operator."""
    folder = generated(tmp_path_factory, "draws", *sorted({item for _, _, item in NAMED}))
    return {name: JudgedVectors(folder, "", name) for name in RIGHT}


@pytest.mark.parametrize("name", RIGHT)
def test_a_right_draw_passes(evidence: dict[str, JudgedVectors], name: str) -> None:
    found = {
        evidence[name].verdict(identity, answer(RIGHT[name], stream)).verdict
        for identity in evidence[name].by_id
        for stream in STREAMS
    }
    assert {Verdict.PASS} == found


@pytest.mark.parametrize(("name", "fault", "identity"), NAMED)
def test_a_named_fault_fails_its_vector(
    evidence: dict[str, JudgedVectors], name: str, fault: str, identity: str
) -> None:
    _, draw = FAULTS[ALIKE.get(name, name)][fault]
    found = {evidence[name].verdict(identity, answer(draw, stream)).verdict for stream in STREAMS}
    assert {Verdict.WRONG_VALUE} == found
