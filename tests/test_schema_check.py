from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import onnx
import pytest
from committed_corpus import committed, spec_named

from onnx_conformance.core.errors import BadInputError
from onnx_conformance.generators.specs.model import Attribute, OperatorVersion, Parameter
from onnx_conformance.generators.specs.schema_check import check_against_schemas, differences

if TYPE_CHECKING:
    from onnx_conformance.generators.specs.model import Spec

ONNX = f"onnx {onnx.__version__}"


def with_version(spec: Spec, number: int, **changes: object) -> Spec:
    """The spec with one version changed."""
    version = replace(spec.versions[number], **changes)  # type: ignore[arg-type]
    return replace(spec, versions={**spec.versions, number: version})


def found(spec: Spec) -> list[str]:
    where = f"{spec.path}: {spec.operator}"
    return [item.removeprefix(where) for item in differences(spec)]


@pytest.mark.parametrize("operator", ["Reshape", "Shape", "Size"])
def test_the_specs_agree_with_the_installed_onnx(operator: str) -> None:
    assert [] == list(differences(spec_named(operator)))


def test_a_version_that_the_spec_lacks() -> None:
    spec = spec_named("Size")
    versions = {number: item for number, item in spec.versions.items() if number != 23}
    assert [f": {ONNX} has version 23, the spec lacks it"] == found(
        replace(spec, versions=versions)
    )


def test_a_version_that_onnx_lacks() -> None:
    spec = spec_named("Size")
    extra: OperatorVersion = replace(spec.versions[13], since_version=14)
    expected = [f": the spec has version 14, {ONNX} lacks it"]
    assert expected == found(replace(spec, versions={**spec.versions, 14: extra}))


def test_a_type_that_the_spec_lacks() -> None:
    spec = spec_named("Size")
    types = {**spec.versions[13].types}
    types["T"] = tuple(item for item in types["T"] if item != "bfloat16")
    expected = ["-13: onnx has element type of T 'bfloat16', the spec lacks it"]
    assert expected == found(with_version(spec, 13, types=types))


def test_a_type_that_onnx_lacks() -> None:
    spec = spec_named("Size")
    types = {**spec.versions[13].types}
    types["T"] = (*types["T"], "int4")
    expected = ["-13: the spec has element type of T 'int4', onnx lacks it"]
    assert expected == found(with_version(spec, 13, types=types))


def test_a_type_variable_that_one_side_lacks() -> None:
    spec = spec_named("Size")
    types = {"T": spec.versions[13].types["T"], "T2": ("int64",)}
    expected = [
        "-13: the spec has type variable 'T2', onnx lacks it",
        "-13: onnx has type variable 'T1', the spec lacks it",
    ]
    assert expected == found(with_version(spec, 13, types=types))


def test_an_attribute_that_the_spec_lacks() -> None:
    spec = spec_named("Shape")
    attributes = {"start": spec.versions[15].attributes["start"]}
    expected = ["-15: onnx has attribute 'end', the spec lacks it"]
    assert expected == found(with_version(spec, 15, attributes=attributes))


def test_an_attribute_that_onnx_lacks() -> None:
    expected = ["-13: the spec has attribute 'axis', onnx lacks it"]
    attributes = {"axis": Attribute("axis", "int")}
    assert expected == found(with_version(spec_named("Size"), 13, attributes=attributes))


def test_an_attribute_of_another_type() -> None:
    spec = spec_named("Shape")
    attributes = {**spec.versions[15].attributes, "end": Attribute("end", "ints")}
    expected = ["-15: attribute 'end': the spec says ints, onnx int"]
    assert expected == found(with_version(spec, 15, attributes=attributes))


@pytest.mark.parametrize("default", [None, 1])
def test_another_default(default: int | None) -> None:
    spec = spec_named("Shape")
    attributes = {**spec.versions[15].attributes, "start": Attribute("start", "int", default)}
    expected = [f"-15: attribute 'start': default {default} here, 0 in onnx"]
    assert expected == found(with_version(spec, 15, attributes=attributes))


def test_an_input_of_another_name() -> None:
    expected = ["-13: inputs: the spec has (input: T), onnx (data: T)"]
    inputs = (Parameter("input", "T"),)
    assert expected == found(with_version(spec_named("Size"), 13, inputs=inputs))


def test_an_input_of_another_type() -> None:
    expected = ["-5: inputs: the spec has (data: T, shape: int32), onnx (data: T, shape: int64)"]
    inputs = (Parameter("data", "T"), Parameter("shape", "int32"))
    assert expected == found(with_version(spec_named("Reshape"), 5, inputs=inputs))


def test_an_input_that_is_not_optional() -> None:
    expected = ["-13: inputs: the spec has (data: T, optional), onnx (data: T)"]
    inputs = (Parameter("data", "T", optional=True),)
    assert expected == found(with_version(spec_named("Size"), 13, inputs=inputs))


def test_an_output_of_another_name() -> None:
    expected = ["-13: outputs: the spec has (count: T1), onnx (size: T1)"]
    outputs = (Parameter("count", "T1"),)
    assert expected == found(with_version(spec_named("Size"), 13, outputs=outputs))


def test_an_operator_that_onnx_does_not_have() -> None:
    spec = spec_named("Size")
    expected = [f": the spec has version {number}, {ONNX} lacks it" for number in spec.versions]
    assert expected == found(replace(spec, operator="Unheard"))
    assert expected == found(replace(spec, domain="com.example"))


def test_differences_stop_the_check() -> None:
    spec = with_version(spec_named("Size"), 13, inputs=(Parameter("input", "T"),))
    with pytest.raises(BadInputError) as caught:
        check_against_schemas([spec_named("Shape"), spec])
    expected = (
        "specs and onnx.defs differ:\n"
        f"  {spec.path}: Size-13: inputs: the spec has (input: T), onnx (data: T)"
    )
    assert expected == str(caught.value)


def test_specs_that_agree_pass() -> None:
    check_against_schemas(committed().specs)


def test_lists_and_texts_are_defaults_like_others() -> None:
    # RNN has both; it is no spec's operator yet.
    schema = onnx.defs.get_schema("RNN", 22, "")
    attributes = {
        name: Attribute(name, "strings" if name == "activations" else "string", default)
        for name, default in (("activations", ("Tanh", "Tanh")), ("direction", "forward"))
    }
    empty = OperatorVersion(22, 22, {}, (), (), attributes)
    spec = replace(spec_named("Size"), operator="RNN", versions={22: empty})
    assert "activations" in schema.attributes
    assert not [item for item in found(spec) if "default" in item]
