"""The pack of an operator: requirements, tags, limits, witnesses, in both forms."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from places import ROOT

from onnx_conformance.core.commandline import dispatch
from onnx_conformance.core.values.elements import element_type
from onnx_conformance.core.values.tensors import Tensor
from onnx_conformance.generators.corpus.described.limits import Limits
from onnx_conformance.generators.main import COMMANDS
from onnx_conformance.generators.packs.gathering import strength_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

TAGS = "Exp:\n  exp-of-each-element: [E_EXP_010, E_EXP_020]\n"


def pack(folder: Path, *words: object) -> int:
    arguments = ["pack", *words, "--specs", ROOT / "specs", "--vectors", ROOT / "vectors"]
    arguments += ["--output", folder, "--strength", ROOT / "strength/records/record.json"]
    return dispatch("onnx-vectors", "", COMMANDS, [str(word) for word in arguments])


def document(folder: Path) -> Any:  # noqa: ANN401  JSON
    return json.loads((folder / "exp.json").read_text("utf-8"))


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder: Path = tmp_path_factory.mktemp("packs")
    tags = folder / "tags.yaml"
    requirement = next(iter(json.loads((ROOT / "vectors/requirements.json").read_text())["Exp"]))
    tags.write_text(TAGS.replace("exp-of-each-element", requirement))
    assert 0 == pack(folder, "exp", "--tags", tags)
    return folder


def test_a_pack_has_requirements_with_their_source_and_the_tags_of_its_user(made: Path) -> None:
    first = document(made)["requirements"][0]
    assert {"id", "text", "document", "part", "tags", "vectors"} <= first.keys()
    assert ["E_EXP_010", "E_EXP_020"] == first["tags"]
    vectors = [item for item in document(made)["vectors"] if first["id"] in item["covers"]]
    assert vectors
    assert first["vectors"] == len(vectors)
    assert all("E_EXP_010" in item["tags"] for item in vectors)


def test_limits_are_numbers_beside_the_rule_that_made_them(made: Path) -> None:
    limited = [item for item in document(made)["vectors"] if "rule" in item]
    assert limited
    for item in limited:
        assert item["rule"]
        assert item["rules"]
        for limits in item["limits"]:
            several = [limits["low"], limits["expected"], limits["high"]]
            assert 1 == len({len(values) for values in several})
            for low, value, high in zip(*several, strict=True):
                if isinstance(value, (int, float)) and isinstance(low, (int, float)):
                    assert low <= value <= float(high)


def test_strength_and_witnesses_are_those_of_the_records(made: Path) -> None:
    record = ROOT / "strength/records/record.json"
    assert strength_of(record, "Exp") == document(made)["strength"]
    counts = [item["witnesses"]["count"] for item in document(made)["vectors"]]
    assert max(counts) > 1


def test_the_page_says_the_same_in_markdown(made: Path) -> None:
    text = (made / "exp.md").read_text("utf-8")
    for heading in ("Requirements", "Strength", "Witnesses", "Limits", "Vectors"):
        assert f"\n## {heading}\n" in text
    assert "`E_EXP_010`, `E_EXP_020`" in text
    assert all(f"`{item['id']}`" in text for item in document(made)["vectors"])


def test_a_tag_of_no_requirement_is_refused_with_its_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "tags.yaml"
    path.write_text("Exp:\n  exponent: [A]\n")
    assert 3 == pack(tmp_path, "exp", "--tags", path)
    assert f"{path}:2: Exp has no requirement 'exponent'" in capsys.readouterr().err
    assert not (tmp_path / "exp.json").exists()


def test_an_unknown_operator_is_refused(tmp_path: Path) -> None:
    assert 2 == pack(tmp_path, "Expp")


def test_without_a_record_strength_is_unknown(tmp_path: Path) -> None:
    assert strength_of(tmp_path / "none.json", "Exp") is None


def tensor(values: Sequence[float]) -> Tensor:
    import numpy as np

    assert element_type("float32").name == "float32"
    return Tensor("float32", (len(values),), np.array(values, "<f4").tobytes())


@pytest.mark.parametrize(
    ("expected", "low", "high", "width"),
    [
        ([1.0, -4.0], [1.0, -4.0], [1.0, -4.0], 0.0),
        ([1.0, -4.0], [0.5, -4.0], [1.5, -4.0], 0.25),
        ([0.0], [-1.0], [1.0], 2.0),
        ([1.0], [float("-inf")], [1.0], float("inf")),
        ([float("inf"), 2.0], [1.0, 2.0], [float("inf"), 2.0], 0.0),
    ],
)
def test_the_width_is_the_widest_range_beside_the_largest_value(
    expected: list[float], low: list[float], high: list[float], width: float
) -> None:
    limits = Limits(0, "Y", "ieee", tensor(expected), tensor(low), tensor(high))
    assert width == limits.width
