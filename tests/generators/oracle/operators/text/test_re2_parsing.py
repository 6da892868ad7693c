"""Expressions of RE2 as the oracle of RegexFullMatch reads and matches them."""

from __future__ import annotations

import pytest

from onnx_conformance.core.values.tensors import Tensor
from onnx_conformance.generators.oracle.arith.grid import Grid
from onnx_conformance.generators.oracle.errors import InvalidCallError
from onnx_conformance.generators.oracle.operators.text.re2_letters import cases_of
from onnx_conformance.generators.oracle.operators.text.re2_parsing import PatternError, parse
from onnx_conformance.generators.oracle.registry import Call, compute


def _matches(pattern: str, text: str | bytes) -> bool:
    data = text.encode() if isinstance(text, str) else text
    return len(data) in parse(pattern).ends(data, frozenset({0}))


@pytest.mark.parametrize(
    ("pattern", "whole", "not_whole"),
    [
        ("a|ab", ["a", "ab"], ["abb", "b", ""]),
        ("", [""], ["a"]),
        (".", ["é", "🦔", "\r", "\0"], ["\n", "", "e\u0301"]),
        ("(?s).", ["\n"], [""]),
        (r"a$\n?", ["a"], ["a\n"]),
        (r"(?m)a$\n^b", ["a\nb"], ["ab"]),
        (r"\Aa\z", ["a"], ["a\n"]),
        (r"\d\w\s", ["3a ", "3_\f"], ["٣a ", "3é ", "3a\v", "3a\u00a0"]),
        (r"\D", ["٣"], ["3"]),
        ("[^a]", ["\n", "é"], ["a"]),
        ("[]a]", ["]", "a"], ["b"]),
        ("[a-]", ["a", "-"], ["b"]),
        (r"[^\D]", ["1"], ["a"]),
        ("[[:alpha:]]", ["a", "Z"], ["é", "1"]),
        ("[[:^alpha:]]", ["é", "1"], ["a"]),
        (r"\pL", ["é"], ["1"]),
        (r"\p{^Lu}", ["a", "1"], ["A"]),
        (r"\P{Lu}", ["a"], ["A"]),
        (r"\p{Any}", ["\n"], [""]),
        ("(?i)k", ["k", "K", "\u212a"], ["l"]),
        ("(?i)\u212a", ["k"], ["l"]),
        ("(?i)[^k]", ["l"], ["K", "\u212a"]),
        ("(?i)ß", ["ß", "ẞ"], ["ss"]),
        ("(?i)i", ["I"], ["\u0131", "İ"]),
        ("(?i:a)b", ["Ab"], ["AB"]),
        ("(a(?i)b)c", ["aBc"], ["aBC"]),
        ("(?i)a(?-i)b", ["Ab"], ["AB"]),
        ("ab{2,3}", ["abb", "abbb"], ["ab", "abbbb"]),
        ("a{2,}", ["aa", "aaaa"], ["a"]),
        ("a{,2}", ["a{,2}"], ["aa"]),
        ("a(?i)*", ["", "aa"], ["A"]),
        ("(a*)*", ["", "aaa"], ["b"]),
        (r"\Qa.c*\E+", ["a.c*", "a.c**"], ["abc"]),
        (r"\x41\x{1F994}\012\0", ["A🦔\n\0"], ["A"]),
        (r"\a\f\t\n\r\v", ["\a\f\t\n\r\v"], ["a"]),
        (r"a\Bb|é\ba", ["ab", "éa"], ["é a"]),
        (r"\C\C", ["é", "ab"], ["a", "日"]),
        ("(?P<x>a)(?<y>b)", ["ab"], ["a"]),
    ],
)
def test_a_pattern_matches_whole_texts(
    pattern: str, whole: list[str], not_whole: list[str]
) -> None:
    assert whole == [text for text in [*whole, *not_whole] if _matches(pattern, text)]


@pytest.mark.parametrize(
    "pattern",
    [
        *(
            "(?=a)",
            "(?!a)",
            "(?<=a)",
            "(?<!a)",
            "(?>a)",
            "(?#a)",
            "(?x)a",
            "(?P=n)",
            "(?i-)a",
            "(?",
        ),
        *(r"(a)\1", r"\Z", r"\h", r"\8", "\\", r"\x4", r"\x{110000}", r"\p{Xx}", r"\pl", r"\p{L"),
        *("a**", "a++", "a{2}{3}", "*a", "a|*", "(*a)", "(?i)*", "(?", "a{2,1}", "a{1001}"),
        *("(a{32}){32}", "(", "a)", "[a", "[]", "[z-a]", r"[a-\d]", "[[:foo:]]"),
    ],
)
def test_what_re2_does_not_read_is_refused(pattern: str) -> None:
    with pytest.raises(PatternError):
        parse(pattern)


def test_a_thousand_repetitions_are_read() -> None:
    assert _matches("a{1000}", "a" * 1000)


def test_a_byte_of_no_character_is_none_to_a_pattern() -> None:
    assert not _matches(".*", b"a\xff")
    assert _matches(r".\C", b"a\xff")


def test_letters_of_a_script_are_told_from_those_of_another() -> None:
    assert _matches(r"\p{Greek}\P{Greek}", "ωж")
    assert not _matches(r"\p{Greek}\P{Greek}", "жω")
    assert not _matches(r"\p{^Greek}", "ω")


def test_characters_that_fold_to_one_are_its_cases() -> None:
    assert {"s", "S", "\u017f"} == cases_of("\u017f") == cases_of("s")
    assert {"\u0131"} == cases_of("\u0131")


def _call(pattern: str | None, **readings: str) -> Call:
    attributes = {} if pattern is None else {"pattern": pattern}
    taken = {key.replace("_", "-"): value for key, value in readings.items()}
    inputs = {"X": Tensor("string", (2, 1), (b"a", b""))}
    return Call(20, attributes, inputs, "RegexFullMatch", readings=taken)


def test_the_operator_answers_for_each_string() -> None:
    (result,) = compute(_call("a?b|a"))
    assert isinstance(result, Grid)
    assert ("bool", (2, 1), [True, False]) == (result.type, result.shape, list(result.items))


def test_a_pattern_of_another_dialect_is_an_invalid_call() -> None:
    with pytest.raises(InvalidCallError, match="dialect"):
        compute(_call("(?=a)a"))


def test_without_a_pattern_the_empty_one_or_a_refusal() -> None:
    (result,) = compute(_call(None, no_pattern="empty-pattern"))
    assert isinstance(result, Grid)
    assert [False, True] == list(result.items)
    with pytest.raises(InvalidCallError):
        compute(_call(None, no_pattern="rejected"))
