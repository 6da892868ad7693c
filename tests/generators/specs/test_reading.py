from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest
from sample_specs import (
    CORPUS,
    RESHAPE,
    TYPES,
    changed,
    line_of,
    read_real,
    write_real,
    write_specs,
)

from onnx_conformance.core.errors import BadInputError
from onnx_conformance.generators.planning.reading import read_specs
from onnx_conformance.generators.specs.model import GivenAttribute, Literal

if TYPE_CHECKING:
    from pathlib import Path

    from onnx_conformance.generators.specs.model import Spec


def spec_of(tmp_path: Path, text: str = RESHAPE) -> Spec:
    _, (spec,) = read_specs(write_specs(tmp_path, text))
    return spec


def message_of(folder: Path) -> str:
    with pytest.raises(BadInputError) as caught:
        read_specs(folder)
    return str(caught.value)


# What is changed, to what; the passage on whose line the error is; the error.
ERRORS = [
    pytest.param(
        "element_types: {",
        "element_type: {",
        "element_type",
        "unknown key 'element_type'; did you mean 'element_types'?",
        id="unknown_key_of_the_spec",
    ),
    pytest.param(
        "operator: Reshape\n", "", "element_types", "key 'operator' is missing", id="missing_key"
    ),
    pytest.param(
        "default: float32",
        "default: flaot32",
        "flaot32",
        "unknown element type 'flaot32'; did you mean 'float32'?",
        id="unknown_default_type",
    ),
    pytest.param(
        "    inputs: {data: T}\n",
        "    input: {data: T}\n",
        "input:",
        "unknown key 'input'; did you mean 'inputs'?",
        id="unknown_key_of_a_version",
    ),
    pytest.param(
        "    attributes: {shape: ints}\n",
        "",
        "    types:",
        "key 'attributes' is missing",
        id="first_version_lacks_a_table",
    ),
    pytest.param(
        "  14:\n",
        "  fourteen:\n",
        "fourteen",
        "a version is a positive integer, not 'fourteen'",
        id="version_is_no_number",
    ),
    pytest.param(
        "  1:\n    types: {T: floats}",
        "  0:\n    types: {T: floats}",
        "0:\n    types",
        "a version is a positive integer, not '0'",
        id="version_is_zero",
    ),
    pytest.param(
        "  14:\n",
        "  3:\n",
        "1:\n    types",
        "versions are in ascending order, at least one",
        id="versions_out_of_order",
    ),
    pytest.param(
        "  14:\n",
        "  19:\n",
        "19:",
        "version 19 is newer than opset 18, which corpus.yaml calls the newest",
        id="version_beyond_the_newest_opset",
    ),
    pytest.param(
        "types: {T: some}",
        "types: {T: float}",
        "T: float}",
        "unknown element type or set 'float'; did you mean 'floats'?",
        id="unknown_type_set",
    ),
    pytest.param(
        "{data: T, shape: int64}",
        "{data: T2, shape: int64}",
        "T2",
        "unknown type variable or element type 'T2'; did you mean 'T'?",
        id="unknown_type_of_an_input",
    ),
    pytest.param(
        "inputs: {data: T}",
        "inputs: {}",
        "inputs: {}",
        "an operator without inputs or outputs cannot be written as a table",
        id="no_inputs",
    ),
    pytest.param(
        "elements: data",
        "elements: date",
        "date",
        "unknown input 'date'; did you mean 'data'?",
        id="elements_of_no_input",
    ),
    pytest.param(
        "inputs: {data: T}",
        "inputs: {data: {type: T, elements: data}}",
        "elements: data}}",
        "unknown key 'elements'; known are: type, optional, variadic",
        id="elements_on_an_input",
    ),
    pytest.param(
        "attributes: {shape: ints}",
        "attributes: {shape: integers}",
        "integers",
        "unknown attribute type 'integers'; did you mean 'ints'?",
        id="unknown_attribute_type",
    ),
    pytest.param(
        "default: 0",
        "default: none",
        "default: none",
        "an integer is needed here, not the text 'none'",
        id="default_of_another_type",
    ),
    pytest.param(
        "id: literal-zero\n    since: 14",
        "id: requested-shape\n    since: 14",
        "id: requested-shape\n    since",
        "requirement 'requested-shape' is here twice",
        id="requirement_twice",
    ),
    pytest.param(
        "id: literal-zero\n",
        "id: literal_zero\n",
        "literal_zero",
        "'literal_zero' is no id: lower-case letters, digits and single '-'",
        id="requirement_id_with_underscores",
    ),
    pytest.param(
        "    source: {document: Reshape-5, part: Inputs}\n",
        "",
        "id: shape-int64",
        "key 'source' is missing",
        id="requirement_without_source",
    ),
    pytest.param(
        "{document: Reshape-5, part: Inputs}",
        "{document: Reshape-5}",
        "{document: Reshape-5}",
        "key 'part' is missing",
        id="source_without_part",
    ),
    pytest.param(
        "since: 14",
        "since: 13",
        "since: 13",
        "there is no version 13; known are: 1, 5, 14",
        id="requirement_since_no_version",
    ),
    pytest.param(
        "since: 14\n",
        "since: 14\n    until: 5\n",
        "until: 5",
        "until 5 is before since 14",
        id="requirement_ends_before_it_begins",
    ),
    pytest.param(
        "attributes: {allowzero: 1}",
        "atributes: {allowzero: 1}",
        "atributes",
        "unknown key 'atributes'; did you mean 'attributes'?",
        id="unknown_key_of_a_case",
    ),
    pytest.param(
        "id: zero\n",
        "id: Zero\n",
        "Zero",
        "'Zero' is no id: lower-case letters, digits and single '_'",
        id="case_id_with_capitals",
    ),
    pytest.param(
        "id: zero\n",
        "id: zero-dim\n",
        "zero-dim",
        "'zero-dim' is no id: lower-case letters, digits and single '_'",
        id="case_id_with_hyphen",
    ),
    pytest.param(
        "id: zero\n",
        "id: two_dims\n",
        "id: two_dims\n    covers: [literal",
        "case 'two_dims' is here twice; it is already on line 31",
        id="case_twice",
    ),
    pytest.param(
        "id: too_many",
        "id: zero",
        "id: zero\n    covers: [requested",
        "case 'zero' is here twice; it is already on line 36",
        id="invalid_case_has_the_id_of_a_valid_one",
    ),
    pytest.param(
        "id: zero\n",
        "id: gone\n",
        "id: gone",
        "case 'gone' is withdrawn; its id is never used again",
        id="withdrawn_id",
    ),
    pytest.param(
        "withdrawn: [gone]",
        "withdrawn: [Gone!]",
        "Gone!",
        "'Gone!' is no id: lower-case letters, digits and single '_'",
        id="withdrawn_is_no_id",
    ),
    pytest.param(
        "id: two_dims\n    covers: [requested-shape]",
        "id: two_dims\n    covers: [requested-shape]\n    documented: test_a\n    "
        "inputs: {data: [2, 3], shape: [3, 2]}\n    outputs: {reshaped: [3, 2]}\n  - "
        "id: other\n    covers: [requested-shape]\n    documented: test_a",
        "id: other",
        "'test_a' is documented by 'two_dims' already",
        id="documented_twice",
    ),
    pytest.param(
        "id: zero\n    covers: [literal-zero]",
        "id: zero\n    covers: [literal-zeros]",
        "literal-zeros",
        "unknown requirement 'literal-zeros'; did you mean 'literal-zero'?",
        id="unknown_requirement",
    ),
    pytest.param(
        "id: zero\n    covers: [literal-zero]",
        "id: zero\n    covers: []",
        "covers: []",
        "a case covers at least one requirement",
        id="covers_nothing",
    ),
    pytest.param(
        "id: zero\n",
        "id: zero\n    since: 6\n",
        "since: 6",
        "there is no version 6; known are: 1, 5, 14",
        id="case_since_no_version",
    ),
    pytest.param(
        "id: zero\n",
        "id: zero\n    since: 14\n    until: 5\n",
        "until: 5",
        "until 5 is before since 14",
        id="case_ends_before_it_begins",
    ),
    pytest.param(
        "id: zero\n",
        "id: zero\n    types: [float99]\n",
        "float99",
        "unknown element type or set 'float99'; did you mean 'floats'?",
        id="case_of_unknown_type",
    ),
    pytest.param(
        "id: zero\n",
        "id: zero\n    forms: [initialiser]\n",
        "initialiser",
        "unknown form 'initialiser'; did you mean 'initializer'?",
        id="unknown_form",
    ),
    pytest.param(
        "spread: [everywhere, types]",
        "spread: [everywhere, type]",
        "spread: [everywhere, type]",
        "unknown spread 'type'; did you mean 'types'?",
        id="unknown_spread",
    ),
    pytest.param(
        "spread: [everywhere, types]",
        "spread: 1",
        "spread: 1",
        "a text is needed here, not the integer '1'; write \"1\" for the text",
        id="spread_is_no_word",
    ),
    pytest.param(
        "spread: [everywhere, types]",
        "spread: [ends, newest]",
        "spread: [ends, newest]",
        "'ends' and 'newest' exclude each other: say one of them",
        id="two_levels_of_spread",
    ),
    pytest.param(
        "{allowzero: 1}",
        "{alowzero: 1}",
        "alowzero",
        "unknown key 'alowzero'; did you mean 'allowzero'?",
        id="unknown_attribute",
    ),
    pytest.param(
        "{allowzero: 1}",
        "{allowzero: one}",
        "allowzero: one",
        "an integer is needed here, not the text 'one'",
        id="attribute_of_another_type",
    ),
    pytest.param(
        "{allowzero: 1}",
        "{allowzero: 1.0}",
        "allowzero: 1.0",
        "an integer is needed here, not the float '1.0'",
        id="attribute_is_a_float",
    ),
    pytest.param(
        "{allowzero: 1}",
        "{allowzero: 9223372036854775808}",
        "9223372036854775808",
        "9223372036854775808 is outside int64",
        id="attribute_beyond_int64",
    ),
    pytest.param(
        "{allowzero: 1}",
        "{allowzero: {type: ints, value: 1}}",
        "allowzero: {type: ints",
        "a list is needed here, not the integer '1'",
        id="list_attribute_is_no_list",
    ),
    pytest.param(
        "{allowzero: 1}",
        "{allowzero: {type: ints, value: [1, a]}}",
        "value: [1, a]",
        "an integer is needed here, not the text 'a'",
        id="list_attribute_of_texts",
    ),
    pytest.param(
        "{allowzero: 1}",
        "{allowzero: {type: float, value: 1.0e+39}}",
        "1.0e+39",
        "1.0e+39 is beyond float32, which attributes have",
        id="float_attribute_beyond_float32",
    ),
    pytest.param(
        "{allowzero: 1}",
        "{allowzero: {type: floats, value: [a]}}",
        "value: [a]",
        "a number is needed here, not the text 'a'",
        id="float_attribute_is_a_text",
    ),
    pytest.param(
        "{allowzero: 1}",
        "{allowzero: {type: strings, value: [1]}}",
        "value: [1]",
        "a text is needed here, not the integer '1'; write \"1\" for the text",
        id="text_attribute_is_a_number",
    ),
    pytest.param(
        "{allowzero: 1}",
        "{allowzero: {type: int}}",
        "{type: int}",
        "key 'value' is missing",
        id="attribute_value_is_missing",
    ),
    pytest.param(
        "inputs: {data: [2, 3], shape: [3, 2]}",
        "inputs: {date: [2, 3], shape: [3, 2]}",
        "date",
        "unknown key 'date'; did you mean 'data'?",
        id="unknown_input",
    ),
    pytest.param(
        "outputs: {reshaped: [3, 2]}",
        "outputs: {reshape: [3, 2]}",
        "reshape:",
        "unknown key 'reshape'; did you mean 'reshaped'?",
        id="unknown_output",
    ),
    pytest.param(
        "outputs: {reshaped: [3, 2]}",
        "outputs: {}",
        "outputs: {}",
        "output 'reshaped' is missing",
        id="missing_output",
    ),
    pytest.param(
        "    fault: {ranks: {reshaped: 1}}\n",
        "    outputs: {reshaped: [7]}\n",
        "outputs: {reshaped: [7]}",
        "unknown key 'outputs'; did you mean 'inputs'?",
        id="invalid_case_with_outputs",
    ),
    pytest.param(
        "data: [2, 3], shape: [3, 2]",
        "data: [-2, 3], shape: [3, 2]",
        "[-2",
        "-2 is outside 0 to 9223372036854775807",
        id="negative_dimension",
    ),
    pytest.param(
        "data: [2, 3], shape: [3, 2]",
        "data: [9223372036854775808], shape: [3, 2]",
        "9223372036854775808",
        "9223372036854775808 is outside 0 to 9223372036854775807",
        id="dimension_beyond_int64",
    ),
    pytest.param(
        "data: [2, 3], shape: [3, 2]",
        "data: [N, 3], shape: [3, 2]",
        "[N",
        "dimensions are needed here, not the text 'N'; elements are written {values: ...}",
        id="dimension_is_a_text",
    ),
    pytest.param(
        "data: [2, 3], shape: [3, 2]",
        "data: {values: [[1, 2, 3], [4, 5]]}, shape: [3, 2]",
        "[4, 5]",
        "has shape [2] where its neighbour has [3]",
        id="values_are_ragged",
    ),
    pytest.param(
        "data: [2, 3], shape: [3, 2]",
        "data: {shape: [2, 3], values: [1, 2, 3]}, shape: [3, 2]",
        "values: [1, 2, 3]",
        "shape [2, 3] has 6 elements, 3 are given",
        id="values_beside_another_shape",
    ),
    pytest.param(
        "data: [2, 3], shape: [3, 2]",
        "data: {}, shape: [3, 2]",
        "data: {}",
        "'shape' or 'values' is needed",
        id="neither_shape_nor_values",
    ),
    pytest.param(
        "data: [2, 3], shape: [3, 2]",
        "data: [2, 3], shape: [3, null]",
        "shape: [3, null]",
        "a number is needed here, not null",
        id="value_is_nothing",
    ),
    pytest.param(
        "type: int32",
        "type: int23",
        "int23",
        "unknown element type 'int23'; did you mean 'int2'?",
        id="unknown_element_type_of_a_value",
    ),
    pytest.param(
        "type: int32",
        "typ: int32",
        "typ:",
        "unknown key 'typ'; did you mean 'type'?",
        id="unknown_key_of_a_value",
    ),
    pytest.param(
        "    outputs: {reshaped: [3, 2]}\n",
        "    outputs: {reshaped: [3, 2]}\n    then: [{inputs: {data: [2, 3], shape: [6]}}]\n",
        "then:",
        "key 'outputs' is missing",
        id="then_without_outputs",
    ),
    pytest.param(
        "control: two_dims\n    reject: run",
        "control: two_dim\n    reject: run",
        "control: two_dim\n",
        "unknown case (a control is a valid case) 'two_dim'; did you mean 'two_dims'?",
        id="unknown_control",
    ),
    pytest.param(
        "control: two_dims\n    reject: run",
        "control: shape_is_int32\n    reject: run",
        "control: shape_is_int32",
        "unknown case (a control is a valid case) 'shape_is_int32'; known are: two_dims, zero",
        id="control_is_invalid_itself",
    ),
    pytest.param(
        "    control: two_dims\n    reject: run",
        "    reject: run",
        "id: too_many",
        "key 'control' is missing",
        id="no_control",
    ),
    pytest.param(
        "reject: run",
        "reject: runtime",
        "reject: runtime",
        "unknown phase 'runtime'; did you mean 'run'?",
        id="unknown_phase",
    ),
    pytest.param(
        "    reject: load\n",
        "    reject: load\n    fault: {arguments: [date]}\n",
        "arguments: [date]",
        "unknown input 'date'; did you mean 'data'?",
        id="unknown_argument",
    ),
    pytest.param(
        "    reject: load\n",
        "    reject: load\n    fault: {arguments: [data_wrapped]}\n",
        "arguments: [data_wrapped]",
        "unknown input 'data_wrapped'; known are: data, shape",
        id="wrapped_argument_without_wrapping",
    ),
    pytest.param(
        "    reject: load\n",
        "    reject: load\n    fault: {results: [rest]}\n",
        "results: [rest]",
        "output 'reshaped' is missing: the graph gives it, so that the model would "
        "have a second fault",
        id="results_without_the_output",
    ),
    pytest.param(
        "    reject: load\n",
        "    reject: load\n    fault: {declare_types: {reshape: int64}}\n",
        "declare_types",
        "unknown key 'reshape'; did you mean 'reshaped'?",
        id="type_declared_for_no_output",
    ),
    pytest.param(
        "    reject: load\n",
        "    reject: load\n    fault: {declare_types: {reshaped: int46}}\n",
        "int46",
        "unknown element type 'int46'; did you mean 'int4'?",
        id="unknown_declared_type",
    ),
    pytest.param(
        "    reject: load\n",
        "    reject: load\n    fault: {declare_shapes: {reshape: [1]}}\n",
        "declare_shapes",
        "unknown key 'reshape'; did you mean 'reshaped'?",
        id="shape_declared_for_no_output",
    ),
    pytest.param(
        "ranks: {reshaped: 1}",
        "ranks: {reshaped: -1}",
        "ranks:",
        "-1 is outside 0 to 64",
        id="rank_out_of_range",
    ),
    pytest.param(
        "    reject: load\n",
        "    reject: load\n    fault: {wrap: list}\n",
        "wrap: list",
        "unknown wrapping 'list'; known are: sequence, optional",
        id="unknown_wrapping",
    ),
    pytest.param(
        "types: {T: floats}",
        "types: {T: []}",
        "[]",
        "at least one type is needed here",
        id="variable_without_types",
    ),
    pytest.param(
        "    reject: load\n",
        "    reject: load\n    fault: {repeat: {axis: 0}}\n",
        "repeat",
        "the operator has no attribute 'axis': give its type as well, as {type: int, value: 0}",
        id="repeated_attribute_without_type",
    ),
    pytest.param(
        "    reject: load\n",
        "    reject: load\n    attributes: {axis: 0}\n",
        "axis",
        "the operator has no attribute 'axis': give its type as well, as {type: int, value: 0}",
        id="invalid_attribute_without_type",
    ),
    pytest.param(
        "id: zero\n",
        "id: zero\n    fault: {repeat: {allowzero: 1}}\n",
        "fault: {repeat",
        "only an invalid case has a fault, or an open one",
        id="fault_of_a_valid_case",
    ),
    pytest.param(
        "      - taken: rejected\n        reason: only 1 has a meaning\n",
        "",
        "- taken: literal",
        "what is left open has at least two results",
        id="one_permitted_result",
    ),
    pytest.param(
        "        outputs: {reshaped: [3, 0]}",
        "        outputs: {reshape: [3, 0]}",
        "reshape: [3, 0]",
        "unknown key 'reshape'; did you mean 'reshaped'?",
        id="permitted_output_is_unknown",
    ),
    pytest.param(
        "taken: literal",
        "taken: Literal!",
        "Literal!",
        "'Literal!' is no id: lower-case letters, digits and single '_'",
        id="taken_is_no_id",
    ),
    pytest.param(
        "  - id: zero\n",
        "\t- id: zero\n",
        "\t- id",
        "tab in the indentation; YAML wants spaces",
        id="tab",
    ),
    pytest.param(
        "id: zero\n",
        "id: zero\n    id: zero\n",
        "    id: zero\n",
        "key 'id' is here twice; it is already on line 36",
        id="key_twice",
    ),
    pytest.param(
        "        outputs: {reshaped: [3, 0]}",
        "        outputs: {}",
        "outputs: {}",
        "output 'reshaped' is missing",
        id="permitted_result_lacks_an_output",
    ),
    pytest.param(
        "outputs: {reshaped: {type: T, elements: data}}",
        "outputs: {reshaped: T}",
        "[3, 2]}\n  - id: zero",
        "the elements of 'reshaped' are missing: write {values: ...}, or {from: INPUT, take: "
        "POSITIONS}, or say in `elements` of the outputs whose elements it has",
        id="output_without_elements",
    ),
]


@pytest.mark.parametrize(("old", "new", "at", "message"), ERRORS)
def test_a_mistake_in_a_spec_is_named_with_its_line(
    tmp_path: Path, old: str, new: str, at: str, message: str
) -> None:
    text = changed(old, new)
    folder = write_specs(tmp_path, text)
    assert f"{folder}/reshape.yaml:{line_of(at, text)}: {message}" == message_of(folder)


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        pytest.param(
            "newest_opset: 18\n", "", 1, "key 'newest_opset' is missing", id="newest_opset_missing"
        ),
        pytest.param(
            "{1: 3, 9: 4",
            "{2: 3, 9: 4",
            3,
            "opsets are in ascending order and begin with 1",
            id="first_opset_is_not_1",
        ),
        pytest.param(
            "{1: 3, 9: 4",
            "{1: 3, 12: 4",
            3,
            "opsets are in ascending order and begin with 1",
            id="opsets_out_of_order",
        ),
        pytest.param(
            "{1: 3, 9: 4",
            "{1: 3, nine: 4",
            3,
            "a version is a positive integer, not 'nine'",
            id="opset_is_no_number",
        ),
        pytest.param("{1: 3", "{1: 0", 3, "0 is outside 1 to 9223372036854775807", id="ir_0"),
        pytest.param(
            '"0.0.1"',
            "0.1",
            1,
            "a text is needed here, not the float '0.1'; write \"0.1\" for the text",
            id="version_is_a_number",
        ),
    ],
)
def test_a_mistake_in_the_facts_of_the_corpus_is_named_with_its_line(
    tmp_path: Path, old: str, new: str, line: int, message: str
) -> None:
    folder = write_specs(tmp_path, corpus=changed(old, new, CORPUS))
    assert f"{folder}/corpus.yaml:{line}: {message}" == message_of(folder)


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        pytest.param(
            "some:",
            "int8:",
            2,
            "'int8' is an element type; call the set something else",
            id="set_named_like_a_type",
        ),
        pytest.param(
            "float64]",
            "flaot64]",
            1,
            "unknown element type or set 'flaot64'; did you mean 'float64'?",
            id="unknown_type",
        ),
        pytest.param(
            "some: [floats, int32, string]",
            "some: int32",
            2,
            "a list is needed here, not the text 'int32'",
            id="set_is_no_list",
        ),
    ],
)
def test_a_mistake_in_the_type_sets_is_named_with_its_line(
    tmp_path: Path, old: str, new: str, line: int, message: str
) -> None:
    folder = write_specs(tmp_path, types=changed(old, new, TYPES))
    assert f"{folder}/types.yaml:{line}: {message}" == message_of(folder)


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    folder = tmp_path / "nowhere"
    assert f"{folder}: no such folder; specs are looked for in ./specs" == message_of(folder)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("corpus.yaml", "is not there: it says the version of the corpus"),
        ("types.yaml", "cannot be read: No such file or directory"),
    ],
)
def test_a_missing_file_is_named(tmp_path: Path, name: str, said: str) -> None:
    folder = write_specs(tmp_path)
    (folder / name).unlink()
    assert message_of(folder).startswith(f"{folder}/{name}: {said}")


def test_a_folder_without_specs_is_an_error(tmp_path: Path) -> None:
    folder = write_specs(tmp_path)
    (folder / "reshape.yaml").unlink()
    assert f"{folder}: holds no spec (*.yaml)" == message_of(folder)


def test_a_spec_whose_name_would_hide_it_is_an_error(tmp_path: Path) -> None:
    folder = write_specs(tmp_path)
    (folder / "size.yml").write_text("operator: Size\n")
    assert f"{folder}/size.yml: would not be read; call it size.yaml" == message_of(folder)


def test_an_operator_of_a_domain_has_one_spec(tmp_path: Path) -> None:
    folder = write_specs(tmp_path)
    (folder / "second.yaml").write_text(RESHAPE)
    expected = f"{folder}/second.yaml: operator 'Reshape' has a spec in {folder}/reshape.yaml"
    assert expected == message_of(folder)


def test_a_table_of_an_operator_that_the_schemas_have_is_an_error(tmp_path: Path) -> None:
    folder = write_real(tmp_path, reshape=RESHAPE)
    line = line_of("  1:\n", RESHAPE)
    expected = "schemas.json has the versions of Reshape: take the table out"
    assert f"{folder}/reshape.yaml:{line}: {expected}" == message_of(folder)


def test_an_operator_that_neither_a_table_nor_the_schemas_have_is_an_error(tmp_path: Path) -> None:
    start, end = RESHAPE.index("versions:"), RESHAPE.index("requirements:")
    text = RESHAPE[:start] + RESHAPE[end:]
    folder = write_real(tmp_path, reshape=text.replace("operator: Reshape", "operator: Reshap"))
    assert message_of(folder).startswith(f"{folder}/reshape.yaml:1: ")
    assert "Reshap" in message_of(folder)


# --- what a spec means ---


def test_a_version_has_what_the_one_before_it_has_but_for_what_it_says(tmp_path: Path) -> None:
    versions = spec_of(tmp_path).versions
    assert [1, 5, 14] == list(versions)
    assert ("float16", "float32", "float64") == versions[1].types["T"]
    assert ("float16", "float32", "float64", "int32", "string") == versions[14].types["T"]
    assert versions[5].inputs == versions[14].inputs
    assert {} == versions[5].attributes
    assert {"allowzero"} == set(versions[14].attributes)


def test_a_version_ends_before_the_next_and_the_newest_at_the_newest_opset(tmp_path: Path) -> None:
    versions = spec_of(tmp_path).versions.values()
    assert [4, 13, 18] == [version.last_opset for version in versions]


def test_a_requirement_holds_from_since_to_until(tmp_path: Path) -> None:
    text = changed("    since: 14\n", "    since: 5\n    until: 5\n")
    requirement = spec_of(tmp_path, text).requirements["literal-zero"]
    assert [False, True, False] == [requirement.holds_at(number) for number in (1, 5, 14)]


def test_a_requirement_without_since_and_until_holds_everywhere(tmp_path: Path) -> None:
    requirement = spec_of(tmp_path).requirements["requested-shape"]
    assert [True, True, True] == [requirement.holds_at(number) for number in (1, 5, 14)]


def test_a_list_under_a_variable_of_several_types_is_dimensions(tmp_path: Path) -> None:
    case = spec_of(tmp_path).cases["two_dims"]
    assert Literal((2, 3)) == case.examples[0].inputs["data"]


def test_a_list_under_a_fixed_type_is_elements(tmp_path: Path) -> None:
    case = spec_of(tmp_path).cases["two_dims"]
    assert Literal((2,), (3, 2)) == case.examples[0].inputs["shape"]


@pytest.mark.parametrize(
    ("written", "literal"),
    [
        ("{shape: [2, 3], values: [1, 2, 3, 4, 5, 6]}", Literal((2, 3), (1, 2, 3, 4, 5, 6))),
        ("{values: [[1, 2, 3], [4, 5, 6]]}", Literal((2, 3), (1, 2, 3, 4, 5, 6))),
        ("{values: 5}", Literal((), (5,))),
        ("{values: []}", Literal((0,), ())),
        ("{values: [[], []]}", Literal((2, 0), ())),
        ("{shape: [0, 4], values: []}", Literal((0, 4), ())),
        ('{values: [a, "1"], type: string}', Literal((2,), ("a", "1"), "string")),
        ("{values: [true, false], type: bool}", Literal((2,), (True, False), "bool")),
        ("{values: [0.5, -.inf]}", Literal((2,), (0.5, -math.inf))),
        ("{shape: [2, 3], type: int32}", Literal((2, 3), None, "int32")),
    ],
)
def test_a_value_can_be_written_out(tmp_path: Path, written: str, literal: Literal) -> None:
    text = changed("data: [2, 3], shape: [3, 2]", f"data: {written}, shape: [3, 2]")
    assert literal == spec_of(tmp_path, text).cases["two_dims"].examples[0].inputs["data"]


@pytest.mark.parametrize(
    ("written", "attribute"),
    [
        ("-1", GivenAttribute("allowzero", -1, "int")),
        ("{type: ints, value: [1, 2]}", GivenAttribute("allowzero", (1, 2), "ints")),
        ("{type: ints, value: []}", GivenAttribute("allowzero", (), "ints")),
        ("{type: float, value: 1}", GivenAttribute("allowzero", 1.0, "float")),
        ("{type: floats, value: [0.5, 1]}", GivenAttribute("allowzero", (0.5, 1.0), "floats")),
        ('{type: string, value: ""}', GivenAttribute("allowzero", "", "string")),
        ("{type: strings, value: [a, b]}", GivenAttribute("allowzero", ("a", "b"), "strings")),
    ],
)
def test_an_attribute_has_the_type_of_the_operators_or_the_one_that_is_given(
    tmp_path: Path, written: str, attribute: GivenAttribute
) -> None:
    text = changed("{allowzero: 1}", f"{{allowzero: {written}}}")
    (found,) = spec_of(tmp_path, text).cases["zero"].attributes
    assert (attribute, type(attribute.value)) == (found, type(found.value))


def test_an_empty_argument_is_an_absent_input(tmp_path: Path) -> None:
    text = changed("    reject: load\n", '    reject: load\n    fault: {arguments: [data, ""]}\n')
    assert ("data", "") == spec_of(tmp_path, text).cases["shape_is_int32"].fault.arguments


def test_a_rank_that_is_declared_is_no_fault_of_structure(tmp_path: Path) -> None:
    assert not spec_of(tmp_path).cases["too_many"].fault.is_structural


def test_a_case_knows_its_line(tmp_path: Path) -> None:
    assert line_of("- id: zero", RESHAPE) == spec_of(tmp_path).cases["zero"].line


FLATTEN = """\
operator: Flatten
roles: {output: elements of input}
requirements:
  - id: flat
    text: The output has two dimensions.
    source: {document: Flatten-13, part: Summary}
cases:
  - id: example
    covers: [flat]
    inputs: {input: [2, 3, 4]}
    outputs: {output: [2, 12]}
"""


def test_the_role_of_an_output_says_whose_elements_it_has(tmp_path: Path) -> None:
    _, spec = read_real(tmp_path, FLATTEN)
    assert ["input"] == [item.elements for item in spec.versions[13].outputs]


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ("{output: elements of data}", "did you mean 'elements of input'?"),
        ("{output: data}", "unknown role of an output 'data'"),
        ("{outputs: elements of input}", "unknown key 'outputs'; did you mean 'output'?"),
        ("{input: elements of output}", "unknown role 'elements of output'"),
    ],
)
def test_a_role_that_there_is_not_is_named_with_its_line(
    tmp_path: Path, said: str, message: str
) -> None:
    text = changed("{output: elements of input}", said, FLATTEN)
    with pytest.raises(BadInputError) as caught:
        read_real(tmp_path, text)
    assert "spec.yaml:2: " in str(caught.value)
    assert message in str(caught.value)
