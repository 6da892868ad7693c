from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING

import pytest
from places import ROOT

from onnx_conformance.core.corpus.corpus import open_corpus
from onnx_conformance.core.errors import BadInputError, IncompleteError
from onnx_conformance.core.yaml.reading import parse_yaml
from onnx_conformance.validator.profiles.claiming import claimed_of, require_any
from onnx_conformance.validator.profiles.known import known_profile, names
from onnx_conformance.validator.profiles.needs import (
    DYNAMIC_SHAPES,
    FEATURES,
    FUNCTIONS,
    SEQUENCES,
    STRINGS,
    SUBGRAPHS,
    TRAINING,
    Needs,
    features_of,
)
from onnx_conformance.validator.profiles.profile import Profile, Reason
from onnx_conformance.validator.profiles.reading import profile_in, profile_of_json
from onnx_conformance.validator.profiles.suggesting import Tried, suggested
from onnx_conformance.validator.profiles.writing import profile_text, to_json

if TYPE_CHECKING:
    from onnx_conformance.core.corpus.corpus import Corpus

STANDARD = ROOT / "vectors/standard"


def needs(operator: str = "Relu", version: int = 14, **changes: object) -> Needs:
    values = {"opset": version, "form": "static", "types": {"T": "float32"}, **changes}
    return Needs(operator, version, **values)  # type: ignore[arg-type]


def profile(text: str) -> Profile:
    return profile_in(parse_yaml(text, "p.yaml"))


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return open_corpus(STANDARD)


# --- what a vector needs ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("expected", "vector"),
    [
        (set(), needs()),
        ({DYNAMIC_SHAPES}, needs(form="symbolic")),
        ({SUBGRAPHS}, needs(form="loop_body")),
        ({SUBGRAPHS}, needs("If", 25)),
        ({FUNCTIONS}, needs(form="function_twice")),
        ({SEQUENCES}, needs("SequenceAt", 11, types={"S": "seq(float32)"})),
        ({SEQUENCES, STRINGS}, needs("ai.onnx.ml.CastMap", 1, types={"T": "map(int64,string)"})),
        ({STRINGS}, needs(types={"T": "string"})),
        ({TRAINING}, needs("ai.onnx.preview.training.Adam", 1)),
        ({TRAINING}, needs("Dropout", 22, covers=("zero-or-scaled",))),
        (set(), needs("Dropout", 22, covers=("copied-outside-of-training",))),
    ],
)
def test_features_follow_from_a_line_of_the_manifest(expected: set[str], vector: Needs) -> None:
    assert expected == features_of(vector)


def test_every_operator_with_a_graph_as_attribute_needs_subgraphs() -> None:
    schemas = json.loads((STANDARD.parent.parent / "specs/schemas.json").read_text())["operators"]
    with_graphs = {
        f"{domain}.{name}" if domain else name
        for domain, operators in schemas.items()
        for name, versions in operators.items()
        for schema in versions.values()
        if any(str(kind).startswith("graph") for kind in schema.get("attributes", {}).values())
    }
    assert with_graphs
    assert {SUBGRAPHS} == {
        feature for name in with_graphs for feature in features_of(needs(name, types={}))
    }


def test_every_operator_on_sequences_needs_them(corpus: Corpus) -> None:
    without = {
        entry.facts.operator
        for entry in corpus.entries.values()
        if entry.facts is not None
        and entry.facts.operator in {"SequenceAt", "SequenceLength", "OptionalHasElement", "ZipMap"}
        and SEQUENCES not in features_of(needs(types=entry.facts.types, form=entry.facts.form))
    }
    assert {"OptionalHasElement"} >= without  # from opset 18 it takes tensors as well


# --- what a profile claims -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("expected", "text"),
    [
        (None, "{}"),
        (None, "operators: [Relu]"),
        (None, "operators: {RELU: all}"),
        (None, "operators: {Relu: {versions: [14], types: {T: [float], X: [int8]}}}"),
        (Reason.OPERATOR, "operators: [Abs]"),
        (Reason.VERSION, "operators: {Relu: [6, 13]}"),
        (Reason.OPSET, "opsets: {from: 15}"),
        (Reason.OPSET, "opsets: {to: 13}"),
        (Reason.TYPE, "types: [int64]"),
        (Reason.TYPE, "operators: {Relu: {types: {T: [int8]}}}"),
        (None, "{types: [int64], operators: {Relu: {types: [float32]}}}"),
        (Reason.FORM, "forms: [initializer]"),
        (None, "{forms: [initializer], operators: {Relu: {forms: [static]}}}"),
        (None, "features: []"),
    ],
)
def test_a_vector_is_claimed_if_every_part_claims_it(expected: Reason | None, text: str) -> None:
    assert expected == profile(text).why_not(needs())


def test_a_feature_that_is_not_claimed_leaves_its_vectors_out() -> None:
    assert Reason.FEATURE == profile("features: [strings]").why_not(needs(form="symbolic"))


def test_the_element_types_of_a_map_must_all_be_claimed() -> None:
    vector = needs(types={"T": "map(string,float32)"})
    assert Reason.TYPE == profile("types: [float32]").why_not(vector)
    assert profile("types: [float32, string]").why_not(vector) is None


def test_opsets_are_those_of_the_own_domain() -> None:
    scaler = needs("ai.onnx.ml.Scaler", 1)
    assert profile("opsets: {from: 7}").why_not(scaler) is None


# --- documents -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("message", "text"),
    [
        ("p.yaml:1: unknown key 'operator'; did you mean 'operators'?", "operator: [Relu]"),
        ("p.yaml:1: unknown element type 'floot'; did you mean 'float'?", "types: [floot]"),
        ("p.yaml:1: unknown feature 'loops'; known are", "features: [loops]"),
        ("p.yaml:1: opsets from 9 to 7 are none", "opsets: {from: 9, to: 7}"),
        ("p.yaml:1: operator 'relu' is there twice", "operators: [Relu, relu]"),
        ("p.yaml:2: unknown word 'every'; known are: all", "operators:\n  Relu: every"),
    ],
)
def test_a_mistake_in_a_profile_is_named_with_its_line(message: str, text: str) -> None:
    with pytest.raises(BadInputError) as raised:
        profile(text)
    assert str(raised.value).startswith(message)


def test_a_profile_stays_the_same_through_yaml_and_json() -> None:
    text = (
        'name: mine\nsource: "here, or there"\nopsets: {from: 7, to: 22}\n'
        "types: [float32]\nforms: [static]\nfeatures: [strings]\n"
        "operators:\n  Add: [13]\n  Conv: {versions: all, types: {T: [float16]}}\n"
        "  If: all\n  Or: {versions: [7], forms: [static, symbolic]}\n"
    )
    first = profile(text)
    assert first == profile(profile_text(first))
    assert first == profile_of_json(to_json(first))
    assert text == profile_text(first)


# --- splitting a corpus ----------------------------------------------------------------------


def test_what_is_not_claimed_is_counted_by_reason(corpus: Corpus) -> None:
    entries = [item for item in corpus.entries.values() if item.operator_version == "relu-14"]
    found = claimed_of(profile("{types: [float32]}"), "p.yaml", corpus, entries)
    assert len(entries) == len(found.entries) + found.left_out
    assert [Reason.TYPE] == list(found.not_claimed)


def test_a_name_that_the_corpus_does_not_have_is_said(corpus: Corpus) -> None:
    found = claimed_of(profile("operators: {Reluu: all, Abs: [5]}"), "p.yaml", corpus, ())
    assert (
        "the corpus has no operator Reluu; did you mean Relu?",
        "Abs has no version 5; the corpus has 1, 6, 13",
    ) == found.unknown


def test_a_profile_that_claims_nothing_is_incomplete(corpus: Corpus) -> None:
    entries = tuple(corpus.entries.values())[:3]
    with pytest.raises(IncompleteError, match="claims none of 3 selected vectors"):
        require_any(claimed_of(profile("operators: []"), "p.yaml", corpus, entries))


# --- those that come along -------------------------------------------------------------------


def test_the_versions_of_onnx_are_those_of_its_schemas() -> None:
    schemas = json.loads((STANDARD.parent.parent / "specs/schemas.json").read_text())
    sets = ROOT / "validator/profiles/sets/onnx.json"
    document = json.loads(sets.read_text())
    assert {
        name: [-int(number) if item.get("deprecated") else int(number) for number, item in
               sorted(versions.items(), key=lambda item: int(item[0]))]
        for name, versions in schemas["operators"][""].items()
    } == document["operators"]  # fmt: skip
    assert schemas["opsets"][""] == document["newest_opset"]


def test_an_opset_has_the_versions_in_force_and_no_operator_that_has_ended() -> None:
    found = known_profile("onnx-opset-13")
    assert found is not None
    assert found.operators is not None
    assert (13,) == found.operators["relu"].versions
    assert (7,) == found.operators["acos"].versions
    assert "upsample" not in found.operators
    assert "hardswish" not in found.operators


@pytest.mark.parametrize("name", ["sonnx", "webnn", "onnx-opset-28"])
def test_each_set_names_its_source_and_operators_that_exist(name: str, corpus: Corpus) -> None:
    found = known_profile(name)
    assert name in names()
    assert found is not None
    assert found.source
    assert () == claimed_of(found, name, corpus, ()).unknown


# --- suggesting ------------------------------------------------------------------------------


def tried(verdict: str, operator: str = "Relu", version: int = 14, **changes: object) -> Tried:
    kind = str(changes.pop("kind", "valid"))
    return Tried(needs(operator, version, **changes), kind, verdict)


def test_what_was_answered_is_claimed_and_what_was_refused_is_named() -> None:
    draft = suggested(
        [
            tried("pass"),
            tried("wrong-value", version=13, opset=13),
            tried("unsupported", version=6, opset=6),
            tried("unsupported", types={"T": "float16"}),
            tried("rejected", "Abs", 13),
            tried("pass", "Neg", 13, kind="invalid"),
            tried("pass", "Add", 14, types={"T": "float16"}, form="symbolic"),
        ]
    )
    assert [
        "opsets: {from: 13, to: 14}",
        "types: [float16, float32]",
        "forms: [static, symbolic]",
        "features: [dynamic-shapes]",
        "operators:",
        "  Add: [14]",
        "  Relu: {versions: [13, 14], types: {T: [float32]}}",
    ] == profile_text(draft.profile).splitlines()
    assert {"Abs": Counter(rejected=1), "Neg": Counter({"pass": 1})} == draft.left_out


def test_every_feature_is_explained() -> None:
    assert all(FEATURES.values())
