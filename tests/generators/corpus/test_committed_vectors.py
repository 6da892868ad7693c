from __future__ import annotations

import json
import subprocess
import sys
from functools import cache
from typing import Any

import onnx
import pytest
from committed_corpus import VECTORS, built, committed, plans_by_id, sample_folder, spec_named

from onnx_conformance.core.corpus.vector_files import permitted_outputs_of, read_files
from onnx_conformance.core.corpus.vectors import relative_directory, slug
from onnx_conformance.core.values.tensors import Tensor
from onnx_conformance.generators.corpus.making import LARGEST_OF_SIZES, LARGEST_VECTOR
from onnx_conformance.generators.oracle import Call, InvalidCallError, evaluate
from onnx_conformance.generators.specs.words import Spread

# The operators whose every example of ONNX's is written out with its elements.
LITERALLY = ("Reshape", "Shape", "Size")
MOST_FILES = 15_000
MOST_BYTES = 40_000_000

KEYS = {
    *("id", "kind", "purpose", "operator", "domain", "since_version", "opset", "ir_version"),
    *("types", "case", "form", "covers", "documented", "expect", "rtol", "atol"),
    *("inputs", "outputs"),
}
FURTHER = {"valid": set(), "invalid": {"reject", "control"}, "latitude": {"permitted"}}
OPTIONAL = {"accuracy", "permitted_by"}
LIMITS = ("low", "high", "gpu_low", "gpu_high")

# The program runs apart: the list of onnx's cases is global, and other tests fill it too.
ONNX_CASES = """
import importlib, json, sys
from onnx.backend.test.case.node import _NodeTestCases
from onnx.helper import get_attribute_value
for name in sys.argv[1:]:
    importlib.import_module(f"onnx.backend.test.case.node.{name}")
print(json.dumps([
    {
        "name": case.name,
        "operator": case.model.graph.node[0].op_type,
        "attributes": {
            item.name: get_attribute_value(item) for item in case.model.graph.node[0].attribute
        },
        "inputs": [[list(item.shape), item.tolist() if item.dtype == "int64" else None]
                   for item in case.data_sets[0][0]],
        "outputs": [[list(item.shape), item.tolist() if item.dtype == "int64" else None]
                    for item in case.data_sets[0][1]],
    }
    for case in _NodeTestCases
]))
"""


@cache
def onnx_cases() -> dict[str, dict[str, Any]]:
    """ONNX's own test cases of the three operators, by name."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", ONNX_CASES, "reshape", "shape", "size"],
        capture_output=True,
        text=True,
        check=True,
    )
    return {case["name"]: case for case in json.loads(done.stdout) if case["operator"] in LITERALLY}


@cache
def on_disk() -> dict[str, dict[str, Any]]:
    """Every data.json, by the vector's directory below the corpus's folder."""
    return {
        path.parent.relative_to(sample_folder()).as_posix(): json.loads(path.read_bytes())
        for path in sample_folder().glob("*/*/*/data.json")
    }


# --- bounds ---


@cache
def sizes() -> dict[str, int]:
    """Bytes of every vector, by its directory."""
    return {
        place: sum(len(content) for content in read_files(sample_folder() / place).values())
        for place in on_disk()
    }


def test_a_clone_stays_small() -> None:
    files = [path for path in VECTORS.rglob("*") if path.is_file()]
    assert 0 < len(files) < MOST_FILES
    assert 0 < sum(path.stat().st_size for path in files) < MOST_BYTES


def test_each_vector_is_small() -> None:
    large = {place: size for place, size in sizes().items() if size >= LARGEST_VECTOR}
    assert {} == {place: size for place, size in large.items() if not of_family_sizes(place)}


def test_a_large_vector_is_small_enough_to_be_sent() -> None:
    large = {place: size for place, size in sizes().items() if of_family_sizes(place)}
    assert large
    assert {} == {place: size for place, size in large.items() if size >= LARGEST_OF_SIZES}


def of_family_sizes(place: str) -> bool:
    """Whether a vector is of the family that is about large tensors."""
    known = on_disk()[place]
    return known["kind"] != "invalid" and known["case"].startswith("sizes_")


# --- ids and directories ---


def test_each_vector_lives_where_its_id_says() -> None:
    wrong = {
        place: known["id"]
        for place, known in on_disk().items()
        if relative_directory(known["kind"], known["id"]) != place
    }
    assert {} == wrong


def test_ids_and_directories_are_one_to_one_with_the_specs() -> None:
    assert set(plans_by_id()) == {known["id"] for known in on_disk().values()}
    assert len(on_disk()) == len({known["id"] for known in on_disk().values()})


def test_every_directory_is_a_vector() -> None:
    found = {path.relative_to(sample_folder()).as_posix() for path in sample_folder().glob("*/*/*")}
    assert set(on_disk()) == found


def test_names_are_those_of_python_test_functions() -> None:
    assert [] == [place for place in on_disk() if not place.rsplit("/")[-1].isidentifier()]


# --- data.json ---


def test_every_data_json_has_the_documented_keys_and_no_other() -> None:
    wrong = {
        place: sorted(set(known) ^ (KEYS | FURTHER[known["kind"]]))
        for place, known in on_disk().items()
        if set(known) - OPTIONAL != KEYS | FURTHER[known["kind"]]
    }
    assert {} == wrong


def test_every_comparison_without_limits_is_exact() -> None:
    exact = [known for known in on_disk().values() if "accuracy" not in known]
    assert {(0, 0)} == {(known["rtol"], known["atol"]) for known in exact}


def test_a_vector_has_limits_exactly_where_it_says_so() -> None:
    limited = {place for place, known in on_disk().items() if "accuracy" in known}
    assert limited == {
        "/".join(path.relative_to(sample_folder()).parts[:3])
        for path in sample_folder().glob("*/*/*/*/*high_*.pb")
    }
    assert limited


def test_every_vector_covers_a_requirement() -> None:
    known_ids = {spec.operator: set(spec.requirements) for spec in committed().specs}
    assert [] == [
        place
        for place, known in on_disk().items()
        if not known["covers"] or not set(known["covers"]) <= known_ids[known["operator"]]
    ]


def test_every_control_is_a_vector_that_no_refusal_passes_of_the_same_version_and_opset() -> None:
    by_id = {known["id"]: known for known in on_disk().values()}
    wrong = []
    for known in by_id.values():
        if known["kind"] == "invalid":
            control = by_id[known["control"]]
            same = ("operator", "since_version", "opset")
            # What the document leaves open of a control is its result, not whether it is valid.
            refused = any(item["folder"] is None for item in control.get("permitted", ()))
            wrong_kind = control["kind"] == "invalid" or refused
            if wrong_kind or any(known[key] != control[key] for key in same):
                wrong.append(known["id"])
    assert [] == wrong


def test_a_model_says_what_data_json_says() -> None:
    wrong = []
    for place, known in on_disk().items():
        model = onnx.load(sample_folder() / place / "model.onnx")
        said = (model.ir_version, model.opset_import[0].version, model.graph.name)
        fed = [item.name for item in model.graph.input][: len(known["inputs"])]
        given = [item.name for item in model.graph.output]
        if (said, fed, given) != (
            (known["ir_version"], known["opset"], slug(known["id"])),
            known["inputs"],
            known["outputs"],
        ):
            wrong.append(place)
    assert [] == wrong


def test_every_data_set_has_a_file_for_each_name() -> None:
    wrong = []
    for place, known in on_disk().items():
        sets = list((sample_folder() / place).glob("test_data_set_*"))
        for folder in sets:
            inputs = {f"input_{index}.pb" for index in range(len(known["inputs"]))}
            outputs = {f"output_{index}.pb" for index in range(len(known["outputs"]))}
            if known["kind"] != "valid":
                outputs = set()
            limits = {f"{stem}_{name}" for stem in LIMITS for name in map(_number, outputs)}
            if inputs | outputs != {item.name for item in folder.iterdir()} - limits:
                wrong.append(f"{place}/{folder.name}")
        if not sets and (known["inputs"] or known["kind"] == "valid"):
            wrong.append(place)
    assert [] == wrong


def _number(name: str) -> str:
    return name.rpartition("_")[2]


# --- latitude ---


@pytest.mark.parametrize(
    "vector_id", [name for name, plan in plans_by_id().items() if plan.case.kind == "latitude"]
)
def test_what_our_reading_of_the_document_gives_is_among_the_permitted(vector_id: str) -> None:
    here = built(vector_id)
    (data_set,) = here.data_sets
    plan = plans_by_id()[vector_id]
    inputs = {
        item.name: item.value
        for item in (*data_set.inputs, *_initializers(here.model))
        if isinstance(item.value, Tensor)
    }
    attributes = {item.name: item.value for item in plan.case.attributes}
    for name, literal in plan.case.examples[0].inputs.items():
        if name not in inputs and literal.values is not None:
            attributes[name] = tuple(int(item) for item in literal.values)
    labels = {item.taken for item in here.vector.permitted if item.folder is None}
    permitted = [
        tuple(item.value for item in values)
        for values in permitted_outputs_of(here.vector, here.files, "").values()
    ]
    try:
        result = evaluate(plan.spec.operator, Call(plan.version.since_version, attributes, inputs))
    except InvalidCallError:
        assert {"rejected"} == labels
    else:
        assert result in permitted


def _initializers(model: onnx.ModelProto) -> list[Any]:
    from onnx_conformance.core.values.protos import from_proto
    from onnx_conformance.core.values.tensors import NamedValue

    return [NamedValue(item.name, from_proto(item)) for item in model.graph.initializer]


def test_permitted_results_differ_from_each_other() -> None:
    for name, plan in plans_by_id().items():
        if plan.case.kind == "latitude":
            here = built(name)
            results = permitted_outputs_of(here.vector, here.files, "").values()
            assert len(results) == len({tuple(item.value for item in one) for one in results})


# --- what the documents show ---


def test_onnx_has_23_examples_of_the_three_operators() -> None:
    counts = {"Reshape": 10, "Shape": 11, "Size": 2}
    found = [case["operator"] for case in onnx_cases().values()]
    assert counts == {name: found.count(name) for name in counts}


def documented(operators: tuple[str, ...]) -> set[str]:
    return {
        case.documented
        for spec in committed().specs
        if spec.operator in operators
        for case in spec.cases.values()
        if case.documented
    }


def test_every_example_that_onnx_names_is_in_a_spec_and_no_other() -> None:
    assert set(onnx_cases()) == documented(LITERALLY)


@pytest.mark.parametrize(
    "name",
    sorted(documented(LITERALLY)),
)
def test_an_example_is_what_onnx_shows(name: str) -> None:
    shown = onnx_cases()[name]
    spec = spec_named(shown["operator"])
    (case,) = [item for item in spec.cases.values() if item.documented == name]
    newest = max(spec.versions)
    assert shown["attributes"] == {item.name: item.value for item in case.attributes}
    (data_set,) = built(f"{spec.slug}-{newest}/{case.id}/float32").data_sets
    for ours, theirs in ((data_set.inputs, shown["inputs"]), (data_set.outputs, shown["outputs"])):
        assert [shape for shape, _ in theirs] == [list(item.value.shape) for item in ours]  # type: ignore[union-attr]
        for item, (_, values) in zip(ours, theirs, strict=True):
            if values is not None:
                flat = values if isinstance(values, list) else [values]
                data = b"".join(value.to_bytes(8, "little", signed=True) for value in flat)
                assert ("int64", data) == (item.value.type, item.value.data)  # type: ignore[union-attr]


def versions_with(operator: str, case: str) -> set[int]:
    return {
        plan.version.since_version
        for plan in committed().plans
        if (plan.spec.operator, plan.case.id) == (operator, case)
    }


@pytest.mark.parametrize("operator", ["Reshape", "Shape", "Size"])
def test_an_example_is_at_every_version_that_has_its_attributes_unless_it_is_thin(
    operator: str,
) -> None:
    spec = spec_named(operator)
    for case in spec.cases.values():
        if case.documented:
            expected = {
                number
                for number, version in spec.versions.items()
                if {item.name for item in case.attributes} <= set(version.attributes)
            }
            found = versions_with(operator, case.id)
            thin = case.spread == Spread.NEWEST
            assert expected == found or (thin and max(expected) in found), case.id


@pytest.mark.parametrize(
    ("case", "attributes", "result"),
    [
        ("page_no_attributes", {}, [2, 3, 4]),
        ("page_start_minus_1", {"start": -1}, [4]),
        ("page_end_minus_1", {"end": -1}, [2, 3]),
        ("page_start_1_end_2", {"start": 1, "end": 2}, [3]),
    ],
)
def test_the_worked_examples_of_shape_are_at_every_version_with_slices(
    case: str, attributes: dict[str, int], result: list[int]
) -> None:
    spec = spec_named("Shape")
    found = spec.cases[case]
    assert attributes == {item.name: item.value for item in found.attributes}
    assert ((2, 3, 4), tuple(result)) == (
        found.examples[0].inputs["data"].shape,
        found.examples[0].outputs["shape"].values,
    )
    # Between the oldest and the newest of a class of versions the corpus is thin.
    assert {15, 25} <= versions_with("Shape", case) <= {15, 19, 21, 23, 24, 25}


# --- forms of names ---


def test_a_directory_is_found_by_the_id() -> None:
    assert "test_reshape_14_zero_dim_float32_initializer" == slug(
        "reshape-14/zero_dim/float32.initializer"
    )
