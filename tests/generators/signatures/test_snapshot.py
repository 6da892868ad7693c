"""The snapshot of ONNX's schemas: what it says of an operator, and that it says what onnx does."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import onnx
import pytest
from places import SPECS

from onnx_conformance.core.errors import BadInputError
from onnx_conformance.generators.signatures.comparing import differences
from onnx_conformance.generators.signatures.model import Attribute, Parameter
from onnx_conformance.generators.signatures.reading import Signatures, read_signatures
from onnx_conformance.generators.signatures.snapshot import (
    installed_snapshot,
    rendered,
    type_words,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

SNAPSHOT = SPECS / "schemas.json"


@pytest.fixture(scope="module")
def signatures() -> Signatures:
    return read_signatures(SNAPSHOT)


@pytest.fixture(scope="module")
def installed() -> dict[str, Any]:
    return installed_snapshot()


def refused(call: Callable[[], object]) -> str:
    with pytest.raises(BadInputError) as caught:
        call()
    return str(caught.value)


# What the committed file says.


def test_the_snapshot_says_what_the_installed_onnx_says(
    signatures: Signatures, installed: dict[str, Any]
) -> None:
    """With another onnx this fails and says in words what changed; then take a new snapshot."""
    assert [] == list(differences(signatures, Signatures(installed)))


def test_the_committed_file_is_what_the_command_writes(installed: dict[str, Any]) -> None:
    if installed["onnx"] != read_signatures(SNAPSHOT).onnx_version:
        pytest.skip(f"onnx {installed['onnx']} is installed: the test above compares what it says")
    assert rendered(installed) == SNAPSHOT.read_text("utf-8")


def test_it_has_every_version_of_every_domain(signatures: Signatures) -> None:
    versions = [item for name in signatures.operators() for item in signatures.versions(*name)]
    assert ("1.23.2", 227, 659) == (
        signatures.onnx_version,
        len(signatures.operators()),
        len(versions),
    )
    assert {"": 28, "ai.onnx.ml": 5, "ai.onnx.preview": 1, "ai.onnx.preview.training": 1} == dict(
        signatures.opsets
    )


def test_counts_of_inputs_and_outputs_are_those_of_onnx(signatures: Signatures) -> None:
    for schema in onnx.defs.get_all_schemas_with_history():
        version = signatures.version(schema.domain, schema.name, schema.since_version)
        assert version is not None
        without_limit = 2**31 - 1
        assert (schema.min_input, schema.max_input, schema.min_output, schema.max_output) == (
            version.min_inputs,
            without_limit if version.max_inputs is None else version.max_inputs,
            version.min_outputs,
            without_limit if version.max_outputs is None else version.max_outputs,
        )


def test_onnx_has_each_version_in_force_from_its_first_to_its_last_opset(
    signatures: Signatures,
) -> None:
    for domain, operator in signatures.operators():
        for version in signatures.versions(domain, operator):
            for opset in (version.since_version, version.last_opset):
                found = onnx.defs.get_schema(operator, opset, domain).since_version
                assert version.since_version == found
            if version.last_opset < signatures.opsets[domain]:
                after = onnx.defs.get_schema(operator, version.last_opset + 1, domain)
                assert version.last_opset + 1 == after.since_version


def test_defaults_are_exactly_those_of_onnx(signatures: Signatures) -> None:
    for schema in onnx.defs.get_all_schemas_with_history():
        version = signatures.version(schema.domain, schema.name, schema.since_version)
        assert version is not None
        theirs = {
            name: onnx.helper.get_attribute_value(item.default_value)
            for name, item in schema.attributes.items()
            if item.default_value.type
        }
        ours = {
            name: item.default
            for name, item in version.attributes.items()
            if item.default is not None
        }
        assert repr(dict(sorted(theirs.items()))) == repr(
            {
                name: _as_onnx(value) if isinstance(value, (str, tuple)) else value
                for name, value in ours.items()
            }
        )


def _as_onnx(value: object) -> object:
    if isinstance(value, tuple):
        return [_as_onnx(item) for item in value]
    return value.encode() if isinstance(value, str) else value


# Single operators.


def test_versions_are_sorted_by_number_and_end_where_the_next_begins(
    signatures: Signatures,
) -> None:
    found = [(item.since_version, item.last_opset) for item in signatures.versions("", "Clip")]
    assert [(1, 5), (6, 10), (11, 11), (12, 12), (13, 28)] == found


def test_a_deprecated_version_ends_the_one_before(signatures: Signatures) -> None:
    found = [
        (item.since_version, item.last_opset, item.deprecated)
        for item in signatures.versions("", "Upsample")
    ]
    assert [(1, 6, False), (7, 8, False), (9, 9, False), (10, 28, True)] == found


def test_a_variable_of_sequences_optionals_and_tensors(signatures: Signatures) -> None:
    identity = signatures.versions("", "Identity")[-1]
    assert (Parameter("input", "V"),) == identity.inputs
    kinds = {item.partition("(")[0] for item in identity.types["V"] if "(" in item}
    assert {"seq", "optional"} == kinds
    assert "optional(seq(float64))" in identity.types["V"]
    assert "float4e2m1" in identity.types["V"]


def test_maps_are_written_as_vectors_write_them(signatures: Signatures) -> None:
    (vectorizer,) = signatures.versions("ai.onnx.ml", "DictVectorizer")
    assert "map(int64,float32)" in vectorizer.types["T1"]
    (zip_map,) = signatures.versions("ai.onnx.ml", "ZipMap")
    assert ("seq(map(int64,float32))", "seq(map(string,float32))") == zip_map.types["T"]


def test_variadic_parameters(signatures: Signatures) -> None:
    loop = signatures.versions("", "Loop")[-1]
    assert Parameter("v_initial", "V", "variadic", homogeneous=False, min_arity=0) == loop.inputs[2]
    assert (2, None) == (loop.min_inputs, loop.max_inputs)
    concat = signatures.versions("", "Concat")[-1]
    assert (Parameter("inputs", "T", "variadic"),) == concat.inputs
    assert (1, None) == (concat.min_inputs, concat.max_inputs)


def test_optional_parameters(signatures: Signatures) -> None:
    lstm = signatures.versions("", "LSTM")[-1]
    assert (3, 8, 0, 3) == (lstm.min_inputs, lstm.max_inputs, lstm.min_outputs, lstm.max_outputs)
    assert Parameter("sequence_lens", "T1", "optional") == lstm.inputs[4]


def test_an_output_that_onnx_names_as_an_input_has_a_name_of_its_own(
    signatures: Signatures,
) -> None:
    oldest = signatures.versions("", "BatchNormalization")[0]
    assert ["X", "scale", "B", "mean", "var"] == [item.name for item in oldest.inputs]
    names = ["Y", "mean_out", "var_out", "saved_mean", "saved_var"]
    assert names == [item.name for item in oldest.outputs]


def test_an_operator_without_inputs(signatures: Signatures) -> None:
    constant = signatures.versions("", "Constant")[-1]
    assert () == constant.inputs
    assert Attribute("sparse_value", "sparse_tensor") == constant.attributes["sparse_value"]


def test_a_fixed_type_is_no_variable(signatures: Signatures) -> None:
    reshape = signatures.versions("", "Reshape")[-1]
    shape = reshape.inputs[1]
    assert ("int64", ("int64",)) == (shape.type, reshape.types_of(shape))
    assert reshape.types["T"] == reshape.types_of(reshape.inputs[0])


def test_attributes_with_and_without_default(signatures: Signatures) -> None:
    cast = signatures.versions("", "Cast")[-1]
    assert Attribute("to", "int", required=True) == cast.attributes["to"]
    assert Attribute("saturate", "int", default=1) == cast.attributes["saturate"]
    leaky = signatures.versions("", "LeakyRelu")[-1]
    assert 0.009999999776482582 == leaky.attributes["alpha"].default
    rnn = signatures.versions("", "RNN")[-1]
    assert ("Tanh", "Tanh") == rnn.attributes["activations"].default
    (optional, *_) = signatures.versions("", "Optional")
    assert Attribute("type", "type_proto") == optional.attributes["type"]


def test_functions(signatures: Signatures) -> None:
    mvn = signatures.versions("", "MeanVarianceNormalization")[-1]
    assert (True, False) == (mvn.function, mvn.context_function)
    gelu = signatures.versions("", "Gelu")[-1]
    assert (False, True) == (gelu.function, gelu.context_function)


def test_the_version_at_an_opset(signatures: Signatures) -> None:
    found = signatures.version("", "Clip", 9)
    assert found is not None
    assert 6 == found.since_version
    assert signatures.version("", "Gelu", 19) is None


# Operators that are not there.


def test_a_misspelt_operator(signatures: Signatures) -> None:
    expected = "onnx 1.23.2 has no operator 'Reshap' in the default domain; did you mean 'Reshape'?"
    assert expected == refused(lambda: signatures.versions("", "Reshap"))


def test_an_operator_of_another_domain(signatures: Signatures) -> None:
    expected = "onnx 1.23.2 has no operator 'Scaler' in the default domain; it is in 'ai.onnx.ml'"
    assert expected == refused(lambda: signatures.versions("", "Scaler"))
    expected = "onnx 1.23.2 has no operator 'Add' in domain 'ai.onnx.ml'; it is in the default one"
    assert expected == refused(lambda: signatures.versions("ai.onnx.ml", "Add"))


def test_a_domain_that_onnx_does_not_have(signatures: Signatures) -> None:
    assert (
        "onnx 1.23.2 has no operator 'Foo' in domain 'com.example'; there are the default domain"
        " and 'ai.onnx.ml', 'ai.onnx.preview', 'ai.onnx.preview.training'"
    ) == refused(lambda: signatures.versions("com.example", "Foo"))


# Files that are no snapshot.


def test_a_missing_file(tmp_path: Path) -> None:
    path = tmp_path / "schemas.json"
    expected = f"{path}: is not there; `onnx-vectors schemas` writes it"
    assert expected == refused(lambda: read_signatures(path))


@pytest.mark.parametrize("text", ["<<<<<<< ours", "{", "\N{LATIN SMALL LETTER E WITH ACUTE}"])
def test_a_file_that_is_not_json(tmp_path: Path, text: str) -> None:
    path = tmp_path / "schemas.json"
    path.write_text(text, "latin-1")
    message = refused(lambda: read_signatures(path))
    assert message.startswith(f"{path}: is not readable as JSON: ")
    assert message.endswith("; `onnx-vectors schemas` writes it anew")


@pytest.mark.parametrize("content", [[], {"onnx": "1.23.2"}])
def test_other_json(tmp_path: Path, content: object) -> None:
    path = tmp_path / "schemas.json"
    path.write_text(json.dumps(content), "utf-8")
    assert (
        f"{path}: is no snapshot of ONNX's schemas; `onnx-vectors schemas` writes it anew"
    ) == refused(lambda: read_signatures(path))


def test_a_damaged_line(installed: dict[str, Any]) -> None:
    damaged = json.loads(rendered(installed))
    del damaged["operators"][""]["Abs"]["13"]["inputs"]
    assert (
        "schemas.json: 'Abs' is damaged: KeyError 'inputs'; `onnx-vectors schemas` writes the"
        " file anew"
    ) == refused(lambda: Signatures(damaged).versions("", "Abs"))


# Making it.


def test_the_text_is_the_snapshot_again(installed: dict[str, Any]) -> None:
    assert installed == json.loads(rendered(installed))


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ("tensor(double)", "float64"),
        ("seq(tensor(float))", "seq(float32)"),
        ("optional(seq(tensor(int64)))", "optional(seq(int64))"),
        ("map(int64, string)", "map(int64,string)"),
        ("seq(map(string, double))", "seq(map(string,float64))"),
    ],
)
def test_types_in_our_words(theirs: str, ours: str) -> None:
    assert ours == type_words(theirs)


def test_an_element_type_that_is_new() -> None:
    expected = "unknown element type 'tensor(float5)'"
    assert expected == refused(lambda: type_words("seq(tensor(float5))"))


def test_a_kind_of_type_that_is_new() -> None:
    expected = "unknown kind of type 'opaque(int64)'"
    assert expected == refused(lambda: type_words("opaque(int64)"))


# Comparing.


def changed(installed: dict[str, Any], change: Callable[[dict[str, Any]], object]) -> list[str]:
    """The lines for a snapshot in which something was changed, compared with the installed onnx."""
    snapshot = json.loads(rendered(installed))
    change(snapshot)
    return list(differences(Signatures(snapshot), Signatures(installed)))


def line(snapshot: dict[str, Any], name: str, number: int) -> dict[str, Any]:
    entry: dict[str, Any] = snapshot["operators"][""][name][str(number)]
    return entry


def test_a_version_that_the_snapshot_lacks(installed: dict[str, Any]) -> None:
    """That the version before it then ends later is not said: it follows."""
    found = changed(installed, lambda it: it["operators"][""]["Clip"].pop("13"))
    assert ["Clip-13: onnx has this version, the snapshot lacks it"] == found


def test_a_version_that_onnx_lacks(installed: dict[str, Any]) -> None:
    def add(snapshot: dict[str, Any]) -> None:
        operators = snapshot["operators"]["ai.onnx.ml"]
        operators["Scaler"]["2"] = operators["Scaler"]["1"]

    expected = ["ai.onnx.ml.Scaler-2: the snapshot has this version, onnx lacks it"]
    assert expected == changed(installed, add)


def test_another_newest_opset(installed: dict[str, Any]) -> None:
    expected = ["the default domain: its newest opset is 27 in the snapshot, 28 in onnx"]
    assert expected == changed(installed, lambda it: it["opsets"].update({"": 27}))


def test_a_domain_that_one_side_lacks(installed: dict[str, Any]) -> None:
    def add(snapshot: dict[str, Any]) -> None:
        snapshot["opsets"]["ai.onnx.new"] = 1
        snapshot["opsets"].pop("ai.onnx.preview")
        snapshot["operators"].pop("ai.onnx.preview")

    assert [
        "domain 'ai.onnx.new': the snapshot has it, onnx lacks it",
        "domain 'ai.onnx.preview': onnx has it, the snapshot lacks it",
        "ai.onnx.preview.FlexAttention-1: onnx has this version, the snapshot lacks it",
    ] == changed(installed, add)


def test_another_input(installed: dict[str, Any]) -> None:
    inputs = {"inputs": ["input: T", "min: T"]}
    (found,) = changed(installed, lambda it: line(it, "Clip", 13).update(inputs))
    assert (
        "Clip-13: inputs: the snapshot has (input: T, min: T),"
        " onnx (input: T, min: T optional, max: T optional)"
    ) == found


def test_another_output(installed: dict[str, Any]) -> None:
    outputs = {"outputs": ["v: V variadic"]}
    (found,) = changed(installed, lambda it: line(it, "Loop", 1).update(outputs))
    assert (
        "Loop-1: outputs: the snapshot has (v: V variadic),"
        " onnx (v_final_and_scan_outputs: V variadic heterogeneous)"
    ) == found


def test_another_type(installed: dict[str, Any]) -> None:
    def change(snapshot: dict[str, Any]) -> None:
        line(snapshot, "Gelu", 20)["types"] = {"T": ["float32", "float16", "bfloat16", "int4"]}

    assert [
        "Gelu-20: the snapshot has type of T 'int4', onnx lacks it",
        "Gelu-20: onnx has type of T 'float64', the snapshot lacks it",
    ] == changed(installed, change)


def test_another_type_variable(installed: dict[str, Any]) -> None:
    def change(snapshot: dict[str, Any]) -> None:
        line(snapshot, "NonZero", 13)["types"]["U"] = ["int64"]

    expected = ["NonZero-13: the snapshot has type variable 'U', onnx lacks it"]
    assert expected == changed(installed, change)


def test_another_attribute(installed: dict[str, Any]) -> None:
    def change(snapshot: dict[str, Any]) -> None:
        entry = line(snapshot, "Cast", 25)
        entry["attributes"] = {"to": "ints", "saturate": "int", "from": "int"}
        entry["defaults"] = {"saturate": 0}

    assert [
        "Cast-25: the snapshot has attribute 'from', onnx lacks it",
        "Cast-25: onnx has attribute 'round_mode', the snapshot lacks it",
        "Cast-25: attribute 'saturate': int, default 0 in the snapshot, int, default 1 in onnx",
        "Cast-25: attribute 'to': ints in the snapshot, int, required in onnx",
    ] == changed(installed, change)


def test_another_flag(installed: dict[str, Any]) -> None:
    def change(snapshot: dict[str, Any]) -> None:
        line(snapshot, "Upsample", 10).pop("deprecated")
        line(snapshot, "Abs", 13)["function"] = True
        line(snapshot, "Gelu", 20).pop("context_function")

    assert [
        "Abs-13: defined by a function body in the snapshot only",
        "Gelu-20: defined by a function body that depends on the node in onnx only",
        "Upsample-10: deprecated in onnx only",
    ] == changed(installed, change)


def test_a_snapshot_that_changes_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "schemas.json"
    found = []
    for version in ("1.0.0", "1.10.0"):
        document = {"onnx": version, "opsets": {}, "types": {}, "operators": {}}
        path.write_text(json.dumps(document), "utf-8")
        found.append(read_signatures(path).onnx_version)
    assert ["1.0.0", "1.10.0"] == found
