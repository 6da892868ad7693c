from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st
from small_corpus import entries_of

from onnx_conformance.core.corpus.patterns import IdIndex
from onnx_conformance.validator.gate.grouping import Grouper

CORPUS = tuple(
    f"{version}/{case}/{variant}"
    for version in ("reshape-14", "reshape-5", "shape-15")
    for case in ("clip", "zero_dim")
    for variant in ("float32", "float32.initializer", "float32.symbolic", "int8")
)


def patterns_for(verdicts: dict[str, str]) -> list[str]:
    return [found.pattern for found in Grouper(entries_of(CORPUS), verdicts).group(verdicts)]


def test_an_operator_version_that_fails_throughout_is_one_group() -> None:
    failing = [item for item in CORPUS if item.startswith("reshape-14/")]
    assert ["reshape-14/*"] == patterns_for(dict.fromkeys(failing, "rejected"))


def test_a_case_that_fails_in_every_form_is_one_group() -> None:
    failing = [item for item in CORPUS if item.startswith("shape-15/clip/")]
    assert ["shape-15/clip/*"] == patterns_for(dict.fromkeys(failing, "rejected"))


def test_a_case_that_fails_in_every_version_is_one_group() -> None:
    failing = [item for item in CORPUS if "/zero_dim/" in item]
    assert ["*/zero_dim/*"] == patterns_for(dict.fromkeys(failing, "rejected"))


def test_a_form_and_the_forms_of_a_type_are_groups() -> None:
    failing = [item for item in CORPUS if item.endswith("/int8")]
    assert ["*/*/int8"] == patterns_for(dict.fromkeys(failing, "unsupported"))
    failing = [item for item in CORPUS if "/float32." in item]
    assert ["*/*/float32.*"] == patterns_for(dict.fromkeys(failing, "unsupported"))


def test_a_pattern_never_covers_a_vector_that_passes() -> None:
    failing = [item for item in CORPUS if item.startswith("reshape-14/clip/")]
    del failing[1]
    assert failing == patterns_for(dict.fromkeys(failing, "rejected"))


def test_vectors_that_fail_in_different_ways_are_different_groups() -> None:
    verdicts = {
        item: "crashed" if "/clip/" in item else "rejected"
        for item in CORPUS
        if item.startswith("reshape-14/")
    }
    assert ["reshape-14/clip/*", "reshape-14/zero_dim/*"] == patterns_for(verdicts)


def test_a_single_vector_is_listed_by_its_id() -> None:
    assert [CORPUS[3]] == patterns_for({CORPUS[3]: "rejected"})


def test_the_plan_with_the_fewest_entries_is_taken() -> None:
    # Everything of reshape-14 and everything of int8 fails: they overlap in reshape-14, where
    # the folder as a whole is the better choice.
    failing = [item for item in CORPUS if item.startswith("reshape-14/") or item.endswith("/int8")]
    assert {"reshape-14/*", "reshape-5/*/int8", "shape-15/*/int8"} == set(
        patterns_for(dict.fromkeys(failing, "rejected"))
    )


def test_an_id_of_another_form_is_listed_as_it_is() -> None:
    verdicts = {"a/b": "rejected", "c": "rejected"}
    groups = Grouper(entries_of(["a/b", "c", "d"]), verdicts).group(verdicts)
    assert ["a/b", "c"] == [found.pattern for found in groups]


def test_vectors_of_one_kind_are_a_group_where_the_other_kinds_fail_in_another_way() -> None:
    folder = [item for item in CORPUS if item.startswith("reshape-5/")]
    kinds = {item: "invalid" for item in folder if "/zero_dim/" in item}
    kinds[folder[0]] = "invalid"
    verdicts = {item: "inconclusive" if item in kinds else "unsupported" for item in folder}
    assert {("reshape-5/*", "invalid"), ("reshape-5/*", "valid")} == {
        (found.pattern, found.kind)
        for found in Grouper(entries_of(CORPUS, kinds), verdicts).group(verdicts)
    }


@given(
    verdicts=st.fixed_dictionaries(
        {item: st.sampled_from(["pass", "rejected", "crashed"]) for item in CORPUS}
    ),
    kinds=st.fixed_dictionaries({item: st.sampled_from(["valid", "invalid"]) for item in CORPUS}),
    by_kind=st.booleans(),
)
def test_groups_are_disjoint_complete_and_exact(
    *, verdicts: dict[str, str], kinds: dict[str, str], by_kind: bool
) -> None:
    failing = {item: verdict for item, verdict in verdicts.items() if verdict != "pass"}
    groups = Grouper(entries_of(CORPUS, kinds), failing).group(failing, by_kind=by_kind)
    index = IdIndex(CORPUS)
    assert [sorted(found.ids) for found in groups] == [
        sorted(item for item in index.matching(found.pattern) if found.kind in (None, kinds[item]))
        for found in groups
    ]
    listed = list(itertools.chain.from_iterable(found.ids for found in groups))
    assert sorted(failing) == sorted(listed)
    assert {(item, found.verdict) for found in groups for item in found.ids} == set(failing.items())
