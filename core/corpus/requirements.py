"""The texts of requirements: what a document demands, in our words, and where it says so.

A corpus keeps them in requirements.json, a results file in its header:
{operator: {id of the requirement: {text, document, part, url}}}.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, TypeAlias, TypedDict, cast

from ..documents import read_json
from ..errors import BadInputError
from ..limits import MANIFEST

REQUIREMENTS_FILE = "requirements.json"


class RequirementWords(TypedDict, total=False):
    """One requirement."""

    text: str
    document: str
    part: str
    url: str


Requirements: TypeAlias = Mapping[str, Mapping[str, RequirementWords]]
_NONE = RequirementWords()


def requirements(root: Path) -> Requirements:
    """The requirements of a vectors folder; empty where it has none."""
    path = root / REQUIREMENTS_FILE
    if not path.is_file():
        return {}
    document = read_json(path, MANIFEST)
    if not isinstance(document, dict):
        raise BadInputError(f"{path}: must hold one JSON object")
    return sound(document)


def sound(document: Mapping[str, Any]) -> Requirements:
    """The requirements in a JSON object that may come from anybody.

    What is no text where one belongs is left out, with what it belongs to: such a requirement is
    unknown.
    """
    return {
        operator: {
            name: cast("RequirementWords", words)
            for name, words in of_operator.items()
            if isinstance(words, dict) and all(map(_is_sound, words.items()))
        }
        for operator, of_operator in document.items()
        if isinstance(of_operator, dict)
    }


def _is_sound(item: tuple[str, object]) -> bool:
    key, value = item
    return type(value) is str or (
        key not in RequirementWords.__annotations__ and not isinstance(value, (list, dict))
    )


def joined(several: Iterable[Requirements]) -> dict[str, dict[str, RequirementWords]]:
    """The requirements of several files; if two files have the same id, the later one counts."""
    known: dict[str, dict[str, RequirementWords]] = {}
    for requirements_of_one in several:
        for operator, words in requirements_of_one.items():
            known.setdefault(operator, {}).update(words)
    return known


def full_name(known: Requirements, operator: str) -> str:
    """The name by which an operator's requirements are known; as it is if none are.

    It may be spelled in any case, and without its domain, as the rows of results files have it:
    `LabelEncoder` is `ai.onnx.ml.LabelEncoder`, as no two domains have an operator of one name.
    """
    if operator in known:
        return operator
    lowered = operator.lower()
    names = [str(name) for name in known]
    return next(
        (name for name in names if name.lower() == lowered),
        next((name for name in names if name.lower().endswith(f".{lowered}")), operator),
    )


def words_of(known: Requirements, operator: str, requirement: str) -> RequirementWords:
    """The text and source of one requirement; empty if it is unknown.

    The operator may be named as `full_name` takes it.
    """
    return known.get(full_name(known, operator), {}).get(requirement, _NONE)


def source_of(words: RequirementWords, between: str = ", ") -> str:
    """Document and part, as far as they are known: `Shape-15, summary`."""
    known = (words.get("document"), words.get("part"))
    return between.join(str(item) for item in known if item)


def sentences(known: Requirements, operator: str, covers: Iterable[str]) -> tuple[str, ...]:
    """Some requirements as sentences with their source: `The rank is kept. (Shape-15, summary)`.

    Unknown ones are left out.
    """
    found = []
    for name in covers:
        words = words_of(known, operator, name)
        if words:
            text, source = str(words.get("text", name)), source_of(words)
            found.append(f"{text} ({source})" if source else text)
    return tuple(found)
