"""Vectors of others that ask for nothing are bad vectors, in words, before anything is run."""

from __future__ import annotations

import dataclasses
import json
import struct
from typing import TYPE_CHECKING, Any

import commands
import pytest
from bounded_values import bounded, float32
from runnable_corpus import shape_vector, write_manifest, write_vector
from small_corpus import small_vector

from onnx_conformance.core.corpus.corpus import open_corpus
from onnx_conformance.core.corpus.metadata import from_json, to_json
from onnx_conformance.core.corpus.vector_files import data_sets_of
from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.values.onnx_values import serialize_value
from onnx_conformance.core.values.tensors import Tensor

if TYPE_CHECKING:
    from pathlib import Path

FINITE, INFINITE = float32(1), float32(float("inf"))
NEGATIVE = float32(float("-inf"))
SUM = {"law": "sum", "from": 0, "to": 2, "about": 0, "power": 1, "low": 0, "high": 1}
COUNT = {"law": "count", "from": 0, "to": 2, "above": 0, "below": 1, "least": 1, "most": 2}


def refused(**changes: Any) -> str:  # noqa: ANN401  any key of data.json
    document = {**to_json(shape_vector("shape-15/a/b")), **changes}
    with pytest.raises(BadInputError) as caught:
        from_json(json.loads(json.dumps(document)), "data.json")
    return str(caught.value)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"outputs": []}, "has no outputs, so nothing would be compared"),
        ({"outputs": ["y", "y"]}, "has two outputs with one name"),
        ({"expect": "rejection"}, "a vector whose kind is 'valid' expects 'outputs'"),
        ({"kind": "latitude", "expect": "any"}, "permits no result"),
    ],
)
def test_metadata_that_ask_for_nothing_are_refused(changes: dict[str, Any], message: str) -> None:
    assert message in refused(**changes)


@pytest.mark.parametrize(
    ("law", "message"),
    [
        ({"law": "same", "as": "gone"}, "'gone', which is no other output of the vector"),
        ({"law": "different", "as": "shape"}, "'shape', which is no other output"),
        ({**SUM, "to": 0}, "is over no elements: from 0 to 0"),
        ({**COUNT, "from": 2}, "is over no elements: from 2 to 2"),
        ({**COUNT, "least": 0}, "is kept by everything"),
        ({**COUNT, "least": 3}, "can be kept by nothing: 3 is above 2"),
        ({**SUM, "low": 2}, "can be kept by nothing: 2 is above 1"),
    ],
)
def test_a_law_that_says_nothing_is_refused(law: dict[str, Any], message: str) -> None:
    assert message in refused(laws={"shape": [law]})


def test_a_law_of_an_output_that_is_not_there_is_refused() -> None:
    assert "has laws of an output 'gone'" in refused(laws={"gone": [SUM]})


VECTOR = small_vector("exp-13/whole/float32", inputs=(), outputs=("y",))


def unread(files: dict[str, bytes], **changes: Any) -> str:  # noqa: ANN401  any field of Vector
    with pytest.raises(BadInputError) as caught:
        data_sets_of(dataclasses.replace(VECTOR, **changes), files, "here")
    return str(caught.value)


def test_a_law_about_elements_that_are_not_there_is_refused() -> None:
    one = Tensor("float32", (1,), struct.pack("<f", 0.5))
    files = {"test_data_set_0/output_0.pb": serialize_value(one, "y")}
    message = "here/test_data_set_0/output_0.pb: a law, 'sum', is about elements 0 to 2, of 1"
    assert message == unread(files, laws={"y": [SUM]})


def limited(**ends: tuple[int, int]) -> dict[str, bytes]:
    """Files of an output of 1 with limits, which nobody has compared with each other."""
    names = {"ieee": ("low", "high"), "gpu": ("gpu_low", "gpu_high")}
    files = {"output": FINITE} | {
        name: end
        for profile, pair in ends.items()
        for name, end in zip(names[profile], pair, strict=True)
    }
    return {
        f"test_data_set_0/{name}_0.pb": serialize_value(bounded("float32", [code], {}), "y")
        for name, code in files.items()
    }


@pytest.mark.parametrize(
    ("ends", "message"),
    [
        ({"ieee": (FINITE + 1, FINITE - 1)}, "the ieee limits do not hold the expected value"),
        (
            {"ieee": (FINITE - 2, FINITE + 2), "gpu": (FINITE - 1, FINITE + 1)},
            "the gpu limits do not hold the expected value",
        ),
        ({"ieee": (NEGATIVE, INFINITE)}, "the ieee limits permit every number"),
    ],
)
def test_limits_that_judge_nothing_are_refused(
    ends: dict[str, tuple[int, int]], message: str
) -> None:
    assert message in unread(limited(**ends))


def test_limits_that_permit_every_number_stand_where_a_rule_says_why() -> None:
    vector = dataclasses.replace(VECTOR, accuracy={"rule": "the sum may overflow"})
    assert 1 == len(data_sets_of(vector, limited(ieee=(NEGATIVE, INFINITE)), "here"))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"count": 999}, "count is 999, and 1 vectors are listed"),
        ({"vectors": {"valid": {"a/b/c": None}}}, "must be an object of SHA-256 digests"),
    ],
)
def test_a_manifest_of_format_1_that_does_not_hold_its_vectors_is_refused(
    tmp_path: Path, changes: dict[str, Any], message: str
) -> None:
    document = {"format": 1, "corpus": "x", "vectors": {"valid": {"a/b/c": "0" * 64}}}
    (tmp_path / "manifest.json").write_text(json.dumps({**document, **changes}))
    with pytest.raises(BadInputError, match=message):
        open_corpus(tmp_path)


def test_a_run_says_so_and_ends_with_code_3(tmp_path: Path) -> None:
    root = tmp_path / "vectors"
    write_vector(root, shape_vector("shape-15/two/float32"))
    write_vector(root, shape_vector("shape-15/nothing/float32", outputs=()))
    write_manifest(root)
    done = commands.validate(*commands.run_words(root))
    assert 3 == done.returncode
    assert "has no outputs, so nothing would be compared" in done.stdout.decode()
