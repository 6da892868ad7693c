from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest

from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.limits import YAML
from onnx_conformance.core.yaml.reading import (
    DEEPEST_NESTING,
    parse_yaml,
    read_yaml,
)

if TYPE_CHECKING:
    from pathlib import Path


def message_of(text: str) -> str:
    with pytest.raises(BadInputError) as caught:
        parse_yaml(text, "f.yaml")
    return str(caught.value)


def test_every_key_and_value_knows_its_line_and_column() -> None:
    node = parse_yaml("# first\na:\n  - b: [1,\n     2]\n", "f.yaml")
    item = node.mapping()["a"].sequence()[0]
    second = item.mapping()["b"].sequence()[1]
    assert (2, 1) == (node.keys["a"].line, node.keys["a"].column)
    assert (3, 5) == (item.keys["b"].line, item.keys["b"].column)
    assert (4, 6) == (second.line, second.column)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("shape", "shape"),
        ("3", 3),
        ("-10", -10),
        ("0", 0),
        ("9223372036854775807", 2**63 - 1),
        ("0.5", 0.5),
        ("-0.0", -0.0),
        ("1.0e+3", 1000.0),
        (".inf", math.inf),
        ("-.inf", -math.inf),
        ("true", True),
        ("false", False),
        ("null", None),
        ('"off"', "off"),
        ("'1e3'", "1e3"),
        ("Y", "Y"),
        ("nano", "nano"),
        ("1.2.3", "1.2.3"),
        ("shape-15/clip_start/float32", "shape-15/clip_start/float32"),
    ],
)
def test_a_scalar_is_what_every_yaml_says(text: str, value: object) -> None:
    found = parse_yaml(text, "f.yaml").value
    assert (type(value), repr(value)) == (type(found), repr(found))


def test_nan_is_a_float() -> None:
    found = parse_yaml(".nan", "f.yaml").number()
    assert math.isnan(found)


@pytest.mark.parametrize(
    "text",
    [
        *("off", "no", "Yes", "ON", "True", "FALSE", "NULL", "~", "nan", "NaN", ".NaN", "inf"),
        *("-inf", "Infinity", "1e3", "1.0e3", "1.e+3", ".5e+3", "012", "0o14", "0x1F", "0b11"),
        *("1_000", "1_0.5", "+5", "-0", ".5", "5.", "00.5", "1:30", "12:30:45", "2026-11-21"),
        *("2026-11-21 10:00:00", "=", "1.0e+999", "9" * 65),
    ],
)
def test_a_scalar_that_parsers_read_differently_is_an_error(text: str) -> None:
    message = message_of(f"a: 1\nb: {text}\n")
    assert f"f.yaml:2: '{text[:20]}" == message[: len(f"f.yaml:2: '{text[:20]}")]


def test_a_trap_is_caught_in_a_key_and_in_a_flow_list_too() -> None:
    assert "f.yaml:1: 'off' is a boolean" in message_of("off: 1\n")
    assert "f.yaml:1: 'no' is a boolean" in message_of("a: [1, no]\n")


def test_a_duplicate_key_names_both_lines() -> None:
    expected = "f.yaml:3: key 'a' is here twice; it is already on line 1"
    assert expected == message_of("a: 1\nb: 2\na: 3\n")


def test_keys_that_differ_only_in_quotes_are_duplicates() -> None:
    assert "key '1' is here twice" in message_of("1: a\n'1': b\n")


def test_a_tab_in_the_indentation_is_named() -> None:
    assert "f.yaml:2: tab in the indentation; YAML wants spaces" == message_of("a:\n\tb: 1\n")


def test_a_tab_inside_a_text_is_allowed() -> None:
    assert "x\ty" == parse_yaml("x\ty", "f.yaml").value


def test_a_number_sign_that_starts_a_comment_by_accident_is_an_error() -> None:
    expected = "f.yaml:1: '#12' is a comment to YAML; put the whole text in quotes"
    assert expected == message_of("reason: as in #12\n")


def test_an_ordinary_comment_after_a_text_is_allowed() -> None:
    assert "word" == parse_yaml("a: word  # why\n", "f.yaml").mapping()["a"].string()


def test_billion_laughs_is_refused_at_the_first_anchor() -> None:
    text = "a: &a [x, x]\nb: &b [*a, *a]\n"
    assert "f.yaml:1: anchor &a: anchors are not read" == message_of(text)


def test_an_alias_is_refused_with_what_was_probably_meant() -> None:
    expected = (
        "f.yaml:1: alias *name: aliases are not read;"
        " quote the value if it is meant to begin with *"
    )
    assert expected == message_of("id: *name\n")


def test_a_pattern_without_quotes_is_explained() -> None:
    message = message_of("ok: 1\nid: */clip_start/*\n")
    assert message.startswith("f.yaml:2: ")
    assert message.endswith("; a value that begins with * needs quotes")


def test_a_colon_inside_a_text_is_explained() -> None:
    message = message_of("reason: fails: no kernel\n")
    assert message.startswith("f.yaml:1: ")
    assert message.endswith("; a text that holds ': ' needs quotes")


def test_tags_and_merge_keys_are_refused() -> None:
    assert "tags are not read" in message_of("a: !!python/name:os.system x\n")
    assert "f.yaml:1: merge keys (<<) are not read" in message_of("<<: {a: 1}\n")


def test_a_second_document_is_refused() -> None:
    message = message_of("a: 1\n---\nb: 2\n")
    assert "f.yaml:2: a second document begins; one file holds one" == message


def test_an_empty_file_is_not_silence() -> None:
    assert "f.yaml: is empty" == message_of("# only a comment\n")


def test_deep_nesting_is_refused_before_it_hurts() -> None:
    expected = f"f.yaml:1: is nested deeper than {DEEPEST_NESTING} levels"
    assert expected == message_of("[" * 200_000)


def test_an_unprintable_character_is_named() -> None:
    assert message_of("a: 1\nb: x\x00y\n").startswith("f.yaml:2: unprintable character U+0000")


def test_a_list_as_a_key_is_refused() -> None:
    assert "f.yaml:1: a key must be a word" in message_of("[a]: 1\n")


@pytest.mark.parametrize("text", ["a: [1, 2\n", 'a: "x\n', "a: 1\n b: 2\n", "}\n", "a: {b\n"])
def test_broken_syntax_is_one_line_with_a_place(text: str) -> None:
    message = message_of(text)
    assert "\n" not in message
    assert message.startswith("f.yaml:")
    assert "is not YAML" in message


def test_a_file_that_is_not_utf8_is_refused_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "f.yaml"
    path.write_bytes(b"a: 1\nb: \xff\n")
    with pytest.raises(BadInputError) as caught:
        read_yaml(path)
    assert f"{path}:2: is not UTF-8" == str(caught.value)


def test_a_missing_file_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "absent.yaml"
    with pytest.raises(BadInputError) as caught:
        read_yaml(path)
    assert f"{path}: cannot be read: No such file or directory" == str(caught.value)


def test_a_huge_file_is_refused_unread(tmp_path: Path) -> None:
    path = tmp_path / "f.yaml"
    with path.open("wb") as stream:
        stream.truncate(YAML + 1)
    with pytest.raises(BadInputError) as caught:
        read_yaml(path)
    assert f"{YAML:,} are taken at most" in str(caught.value)


def test_a_byte_order_mark_and_windows_line_ends_are_read(tmp_path: Path) -> None:
    path = tmp_path / "f.yaml"
    path.write_bytes(b"\xef\xbb\xbfa: 1\r\nb: two\r\n")
    assert {"a": 1, "b": "two"} == read_yaml(path).plain()


def refusal(text: str, method: str, *arguments: object) -> str:
    node = parse_yaml(text, "f.yaml")
    with pytest.raises(BadInputError) as caught:
        getattr(node, method)(*arguments)
    return str(caught.value)


def test_an_unknown_key_is_answered_with_the_likely_one() -> None:
    expected = "f.yaml:2: unknown key 'reasn'; did you mean 'reason'?"
    assert expected == refusal("id: a\nreasn: b\n", "only_keys", ("id", "reason"))


def test_an_unknown_key_unlike_any_lists_what_is_known() -> None:
    expected = "f.yaml:1: unknown key 'zzz'; known are: id, reason"
    assert expected == refusal("zzz: b\n", "only_keys", ("id", "reason"))


def test_a_missing_key_is_named() -> None:
    assert "f.yaml:1: key 'id' is missing" == refusal("a: 1\n", "mapping", ("id",))


def test_each_reader_refuses_another_kind_and_says_what_it_found() -> None:
    assert "f.yaml:1: a list is needed here, not the integer '3'" == refusal("3", "sequence")
    assert "f.yaml:1: a mapping is needed here, not a list" == refusal("[3]", "mapping")
    assert "f.yaml:1: an integer is needed here, not the boolean 'true'" == refusal(
        "true", "integer"
    )
    assert "f.yaml:1: a number is needed here, not the text 'x'" == refusal("x", "number")
    assert "f.yaml:1: true or false is needed here, not the text 'x'" == refusal("x", "boolean")
    assert "f.yaml:1: a text is needed here, not the integer '3'; write \"3\" for the text" == (
        refusal("3", "string")
    )


def test_an_empty_text_is_refused() -> None:
    assert "f.yaml:1: a text is needed here; this one is empty" == refusal("''", "string")


def test_an_integer_is_within_int64_unless_told() -> None:
    assert f"f.yaml:1: {2**63} is outside int64" == refusal(str(2**63), "integer")
    assert 2**63 == parse_yaml(str(2**63), "f.yaml").integer(0, 2**64 - 1)
    assert "f.yaml:1: -1 is outside 0 to 255" == refusal("-1", "integer", 0, 255)


def test_a_choice_is_answered_with_the_likely_one() -> None:
    expected = "f.yaml:1: unknown verdict 'rejectd'; did you mean 'rejected'?"
    assert expected == refusal("rejectd", "one_of", ("pass", "rejected"), "verdict")


@pytest.mark.parametrize("character", ["\u2028", "\u2029", "\x85"])
def test_what_ends_a_line_in_some_versions_of_yaml_only_is_refused(character: str) -> None:
    with pytest.raises(
        BadInputError, match=f"file:1: unprintable character U.{ord(character):04X}"
    ):
        parse_yaml(f"a: 1 # comment{character}b: 2\n", "file")
