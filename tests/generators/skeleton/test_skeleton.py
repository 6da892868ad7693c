"""`onnx-vectors new`: what a skeleton says of an operator, and that the reader takes it."""

from __future__ import annotations

import re
import shutil
from typing import TYPE_CHECKING

import onnx.parser
import pytest
from places import SPECS
from upstream_cases import collected

from onnx_conformance.core.commandline import dispatch
from onnx_conformance.core.errors import BadInputError
from onnx_conformance.generators.main import COMMANDS
from onnx_conformance.generators.planning.reading import read_specs
from onnx_conformance.generators.signatures.reading import Signatures, read_signatures
from onnx_conformance.generators.skeleton.documents import MARK, copied_text, document_comments
from onnx_conformance.generators.skeleton.examples import upstream_examples
from onnx_conformance.generators.skeleton.roles import suggested_roles
from onnx_conformance.generators.skeleton.writing import skeleton

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from onnx_conformance.generators.signatures.model import Signature
    from onnx_conformance.generators.specs.model import Spec


# What is in a skeleton for the requirements that nobody has written yet.
LEFT = "a spec states at least one requirement"
WRITTEN = """\
requirements:
  - id: to-be-written
    text: The result is what it should be.
    source: {document: the page, part: Summary}
"""


# With two lines of a document left.
SUM = f"""\
operator: Add
{MARK} Performs element-wise binary addition.
requirements:
  - id: adds
    text: Each element is a sum.
    source: {{document: Add-14, part: Summary}}
  {MARK} Output C: Result.
cases:
  - id: one
    covers: [adds]
    inputs: {{A: {{values: [1.0]}}, B: {{values: [2.0]}}}}
    outputs: {{C: {{values: [3.0]}}}}
"""


@pytest.fixture(scope="module")
def signatures() -> Signatures:
    return read_signatures(SPECS / "schemas.json")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of specs without a spec."""
    for name in ("types.yaml", "corpus.yaml", "schemas.json"):
        shutil.copy(SPECS / name, tmp_path)
    return tmp_path


def versions_of(signatures: Signatures, operator: str, domain: str = "") -> tuple[Signature, ...]:
    return tuple(item for item in signatures.versions(domain, operator) if not item.deprecated)


def roles(signatures: Signatures, operator: str, domain: str = "") -> dict[str, str]:
    return suggested_roles(versions_of(signatures, operator, domain))


def assignments(signatures: Signatures, operator: str, domain: str = "") -> dict[str, str]:
    versions = versions_of(signatures, operator, domain)
    found = upstream_examples(collected(), versions, suggested_roles(versions))
    return {item.name: item.assignment for item in found}


def text_of(versions: Sequence[Signature]) -> str:
    numbers = [item.since_version for item in versions]
    document = document_comments(versions[0].domain, versions[0].operator, numbers)
    examples = upstream_examples(collected(), versions, suggested_roles(versions))
    return skeleton(versions, list(document), examples)


def read(folder: Path, text: str) -> Spec:
    (folder / "tried.yaml").write_text(text, "utf-8")
    _, (spec,) = read_specs(folder)
    return spec


def error(folder: Path, text: str) -> str:
    with pytest.raises(BadInputError) as caught:
        read(folder, text)
    return str(caught.value)


# Roles.


@pytest.mark.parametrize(
    ("operator", "expected"),
    [
        ("Slice", "data=data starts=index ends=index axes=axes steps=index"),
        ("Clip", "input=data min=scalar max=scalar"),
        ("TopK", "X=data K=count"),
        ("Conv", "X=data W=weight B=weight"),
        ("Add", "A=data B=data"),
        ("Where", "condition=data X=data Y=data"),
        ("If", "cond=condition"),
        ("Attention", "Q=data K=data V=data attn_mask=data past_key=data past_value=data"),
        ("ConstantOfShape", "input=shape"),
        ("QuantizeLinear", "x=data y_scale=scalar y_zero_point=scalar"),
        ("SequenceInsert", "input_sequence=sequence tensor=data position=index"),
        ("Tile", "input=data tiles=repeats axis=axes repeats=repeats"),
        ("Constant", ""),
    ],
)
def test_roles_follow_from_names_types_and_operator(
    signatures: Signatures, operator: str, expected: str
) -> None:
    found = " ".join(f"{name}={role}" for name, role in roles(signatures, operator).items())
    assert expected == found.partition(" nonpad")[0]


# The document's text.


def test_the_newest_document_stands_whole_and_marked() -> None:
    lines = list(document_comments("", "Abs", [1, 6, 13]))
    first = lines.index("#")
    assert "# Abs-13" == lines[0]
    assert f"{MARK} Input X: Input tensor" in lines[:first]
    assert f"{MARK} Types T: Constrain input and output types to all numeric tensors." in lines
    assert all(item.startswith(MARK) for item in lines[1:first])


def test_an_older_version_is_told_by_what_changed() -> None:
    lines = list(document_comments("", "Clip", [12, 13]))
    start = lines.index("# Clip-12 became Clip-13: text taken out (-) and put in (+)")
    assert [f"{MARK} +", f"{MARK} +"] == [item[:4] for item in lines[start + 1 :]]


def test_a_version_whose_text_is_the_same() -> None:
    assert "# Add-7 became Add-13: the text is the same" in document_comments("", "Add", [7, 13])


def test_no_comment_is_wider_than_a_spec(signatures: Signatures) -> None:
    versions = versions_of(signatures, "LSTM")
    lines = document_comments("", "LSTM", [item.since_version for item in versions])
    assert [] == [item for item in lines if len(item) > 100]


# ONNX's examples.


@pytest.mark.slow
def test_data_is_written_by_its_dimensions_and_the_rest_whole(signatures: Signatures) -> None:
    assert (
        "inputs: {data: [20, 10, 5], starts: [0, 0], ends: [3, 10], axes: [0, 1], steps: [1, 1]}"
        == assignments(signatures, "Slice")["test_slice"]
    )


def test_an_input_that_is_left_out(signatures: Signatures) -> None:
    expected = "inputs: {input: [3, 4, 5], max: 0.0}"
    assert expected == assignments(signatures, "Clip")["test_clip_default_max"]


def test_a_variadic_input_is_a_list(signatures: Signatures) -> None:
    expected = "inputs: {inputs: [[2, 2, 2], [2, 2, 2]]}, attributes: {axis: 1}"
    assert expected == assignments(signatures, "Concat")["test_concat_3d_axis_1"]


def test_sequences(signatures: Signatures) -> None:
    found = assignments(signatures, "SequenceInsert")["test_sequence_insert_at_front"]
    sequence = "{sequence: [[1, 2, 3, 4], [5, 6, 7], [8, 9]]}"
    assert f"inputs: {{input_sequence: {sequence}, tensor: [3], position: [0]}}" == found


def test_numbers_are_short_and_without_exponent(signatures: Signatures) -> None:
    found = assignments(signatures, "LayerNormalization")
    assert "epsilon: 0.1" in found["test_layer_normalization_3d_axis0_epsilon"]
    adagrad = assignments(signatures, "Adagrad", "ai.onnx.preview.training")["test_adagrad"]
    assert adagrad.endswith("decay_factor: 0.1, epsilon: 0.00001, norm_coefficient: 0.001}")


def test_tensor_attributes_and_texts(signatures: Signatures) -> None:
    encoder = assignments(signatures, "LabelEncoder", "ai.onnx.ml")
    assert (
        "inputs: {X: [5]}, attributes: {default_tensor: {values: [42], type: int16},"
        ' keys_strings: ["a", "b", "c"],'
        " values_tensor: {values: [0, 1, 2], type: int16}}"
    ) == encoder["test_ai_onnx_ml_label_encoder_tensor_value_only_mapping"]


def test_values_of_small_types(signatures: Signatures) -> None:
    found = assignments(signatures, "DequantizeLinear")["test_dequantizelinear_int4"]
    assert "inputs: {x: [5], x_scale: 2.0, x_zero_point: [1]}, attributes: {axis: 0}" == found


# Skeletons.


def test_the_reader_says_of_every_skeleton_that_its_requirements_are_missing(
    signatures: Signatures, folder: Path
) -> None:
    for domain, operator in signatures.operators():
        message = error(folder, text_of(versions_of(signatures, operator, domain)))
        where = f"{folder / 'tried.yaml'}:"
        assert message.startswith(where), message
        assert message.partition(": ")[2].startswith(LEFT), message


def test_with_its_requirements_the_skeleton_of_a_function_of_elements_is_read(
    signatures: Signatures, folder: Path
) -> None:
    text = text_of(versions_of(signatures, "Abs")).replace("requirements: []\n", WRITTEN)
    spec = read(folder, text)
    assert ("Abs", [1, 6, 13]) == (spec.operator, list(spec.versions))
    assert "specials" in spec.cases


def test_others_need_cases_too(signatures: Signatures, folder: Path) -> None:
    text = text_of(versions_of(signatures, "Squeeze")).replace("requirements: []\n", WRITTEN)
    expected = "family 'structure': no valid case is before `structure`"
    assert error(folder, text).partition(": ")[2].startswith(expected)


@pytest.mark.parametrize(
    ("operator", "domain", "example"),
    [
        ("Squeeze", "", "test_squeeze"),
        ("Concat", "", "test_concat_2d_axis_0"),
        ("SequenceInsert", "", "test_sequence_insert_at_back"),
        ("LSTM", "", "test_lstm_with_peepholes"),
        ("ConstantOfShape", "", "test_constantofshape_int_zeros"),
        ("LabelEncoder", "ai.onnx.ml", "test_ai_onnx_ml_label_encoder_string_int"),
    ],
)
def test_an_example_of_onnx_is_a_case_as_it_stands(
    signatures: Signatures, folder: Path, operator: str, domain: str, example: str
) -> None:
    text = text_of(versions_of(signatures, operator, domain))
    found = re.findall(rf"^#  - {{documented: {example}, (.*)}}$", text, re.MULTILINE)
    text = text.replace("requirements: []\n", WRITTEN)
    text = text[: text.index("families:\n")].replace(
        "cases: []\n",
        f"cases:\n  - {{id: ours, covers: [to-be-written], documented: {example}, {found[0]}}}\n",
    )
    assert ["ours"] == list(read(folder, text).cases)


def filled(signatures: Signatures, operator: str, domain: str, case: str = "") -> str:
    """A skeleton with a requirement, and a case: ONNX's first example unless one is given."""
    text = text_of(versions_of(signatures, operator, domain))
    case = case or re.findall(r"^#  - {documented: \w+, (.*)}$", text, re.MULTILINE)[0]
    text = text.replace("requirements: []\n", WRITTEN)
    ours = f"cases:\n  - {{id: ours, covers: [to-be-written], {case}}}\n"
    return text.replace("cases: []\n", ours, 1)


@pytest.mark.parametrize(
    ("operator", "domain", "case"),
    [
        ("Loop", "", ""),
        ("Scan", "", ""),
        ("If", "", ""),
        ("SequenceMap", "", ""),
        ("LSTM", "", ""),
        ("Resize", "", ""),
        ("Attention", "", ""),
        ("Constant", "", ""),
        ("TreeEnsemble", "ai.onnx.ml", ""),
        ("Adam", "ai.onnx.preview.training", ""),
        ("Optional", "", "inputs: {input: [2, 3]}"),
        ("RandomNormal", "", "attributes: {shape: [2, 3]}"),
        ("SequenceEmpty", "", "attributes: {dtype: 1}"),
        (
            "ZipMap",
            "ai.onnx.ml",
            "inputs: {X: [2, 3]}, attributes: {classlabels_int64s: [1, 2, 3]}",
        ),
        ("DictVectorizer", "ai.onnx.ml", "inputs: {X: {map: {keys: [a], values: [1]}}}"),
    ],
)
def test_the_skeleton_of_an_awkward_operator_is_read_when_it_is_filled(
    signatures: Signatures, folder: Path, operator: str, domain: str, case: str
) -> None:
    spec = read(folder, filled(signatures, operator, domain, case))
    assert "ours" in spec.cases
    assert list(spec.versions) == [
        item.since_version for item in versions_of(signatures, operator, domain)
    ]


@pytest.mark.slow
def test_with_an_example_of_onnx_every_skeleton_is_read(
    signatures: Signatures, folder: Path
) -> None:
    tried = 0
    for domain, operator in signatures.operators():
        versions = versions_of(signatures, operator, domain)
        text = text_of(versions) if versions else ""
        if "cases: []" in text and re.search(r"^#  - \{documented: ", text, re.MULTILINE):
            assert "ours" in read(folder, filled(signatures, operator, domain)).cases
            tried += 1
    assert tried > 100


def test_a_graph_is_written_as_text_that_onnx_reads(signatures: Signatures) -> None:
    found = assignments(signatures, "If")["test_if"]
    (text,) = re.findall(r'then_branch: "(.*?)"', found)
    graph = onnx.parser.parse_graph(text)
    assert (["then_out"], ["Constant"]) == (
        [item.name for item in graph.output],
        [item.op_type for item in graph.node],
    )


def test_versions_before_broadcasting_are_a_family_of_their_own(signatures: Signatures) -> None:
    text = text_of(versions_of(signatures, "Add"))
    families = text[text.index("families:") :]
    assert ["since: 7", "until: 6"] == re.findall(r"(?:since|until): \d+", families)


def test_what_each_version_changed_is_told(signatures: Signatures) -> None:
    text = text_of(versions_of(signatures, "Slice"))
    start = text.index("#   Slice-10")
    assert (
        """\
#   Slice-10, opset 10
#     (data: T, starts: Tind, ends: Tind, axes: Tind optional, steps: Tind optional) -> (output: T)
#     no longer attributes axes, ends, starts
#     Tind: int32 int64
#   Slice-11, opsets 11 to 12: nothing changed but the number
#   Slice-13, opsets 13 to 28
#     T: also bfloat16
"""
        == text[start : text.index("\n\n# What each input")] + "\n"
    )


# The command.


def new(*arguments: str | Path) -> int:
    return dispatch("onnx-vectors", "", COMMANDS, ["new", *map(str, arguments)])


@pytest.fixture
def _collected(monkeypatch: pytest.MonkeyPatch) -> None:
    """ONNX builds its cases once in a process, and other tests need them too."""
    monkeypatch.setattr("onnx_conformance.generators.importing.collecting.collect", collected)


@pytest.mark.usefixtures("_collected")
def test_the_command_writes_the_file(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert 0 == new("Scaler", "--domain", "ai.onnx.ml", "--specs", folder)
    path = folder / "ai.onnx.ml.scaler.yaml"
    assert (
        f"{path}: the skeleton of ai.onnx.ml.Scaler; `onnx-vectors admit` says what is left to do"
        " in it\n"
    ) == capsys.readouterr().out
    assert "\noperator: Scaler\ndomain: ai.onnx.ml\n" in path.read_text("utf-8")


def test_a_spec_that_is_there_is_left_alone(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = folder / "abs.yaml"
    path.write_text("mine", "utf-8")
    assert 2 == new("Abs", "--specs", folder)
    assert (
        f"onnx-vectors: {path}: is there already; give --output to have a skeleton beside it\n"
    ) == capsys.readouterr().err
    assert "mine" == path.read_text("utf-8")


def test_an_operator_that_onnx_lacks(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert 3 == new("Sqeeze", "--specs", folder)
    assert (
        "onnx-vectors: onnx 1.23.2 has no operator 'Sqeeze' in the default domain; did you mean"
        " 'Squeeze'?\n"
    ) == capsys.readouterr().err


# Text that must not stay.


def test_no_committed_spec_has_text_of_onnx() -> None:
    assert {None} == {copied_text(path) for path in SPECS.glob("*.yaml")}


def test_the_check_names_text_of_onnx_that_is_left(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = folder / "abs.yaml"
    path.write_text(SUM, "utf-8")
    arguments = ["check", "--specs", str(folder), "--output", str(folder / "vectors")]
    assert 3 == dispatch("onnx-vectors", "", COMMANDS, arguments)
    assert (
        f"onnx-vectors: {path}:2: 2 lines of ONNX's own text; state the requirements in your own"
        " words and take it out"
    ) == capsys.readouterr().err.splitlines()[0]
