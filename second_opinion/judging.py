"""One vector, judged: does the second opinion lie where the corpus expects the result?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from onnx_conformance.core.corpus.corpus import Entry, LoadedVector, load
from onnx_conformance.core.corpus.vector_files import data_sets_of, permitted_outputs_of
from onnx_conformance.core.corpus.vectors import ELEMENT, DataSet, Kind, Permitted
from onnx_conformance.core.text import brief
from onnx_conformance.core.values.choosing import Choice, compare_choices
from onnx_conformance.core.values.comparing import Difference, compare
from onnx_conformance.core.values.laws import broken
from onnx_conformance.core.values.limits import is_bounded
from onnx_conformance.core.values.tensors import Drawn, NamedValue, SequenceValue, Tensor, Value
from onnx_conformance.core.values.tolerance import Tolerance
from onnx_conformance.core.words import Word

from .graphs.running import NoEvaluatorError, run_model
from .values.tensors import CannotAnswerError, given, taken

_LIMITS = Tolerance("limits")


class Answer(Word):
    """What the second opinion makes of a vector."""

    AGREE = "agree"
    DISAGREE = "disagree"
    OPEN = "open"  # latitude: another result than those that the vector permits
    NO_EVALUATOR = "no evaluator"
    CANNOT = "cannot answer"


@dataclass(frozen=True)
class Opinion:
    """The answer about one vector.

    Attributes:
        id: of the vector.
        kind: what it asks.
        answer: whether the second opinion agrees.
        words: what differs, or why there is no answer; empty where it agrees.
        far: how far a disagreement goes, for the order in which they are shown.
        elements: how many elements of outputs were compared.
        apart: of a valid vector that agrees, how many ulps lie at most between an expected element
            with limits and the second opinion's; the expected ones are to be the nearest values.
    """

    id: str
    kind: Kind
    answer: Answer
    words: str = ""
    far: float = 0.0
    elements: int = 0
    apart: int = 0


def opinion_of(entry: Entry) -> Opinion:
    """Evaluate a vector's model and compare; BadInputError where its files cannot be used."""
    loaded = load(entry)
    try:
        found = _compared(loaded)
    except NoEvaluatorError as error:
        return Opinion(entry.id, entry.kind, Answer.NO_EVALUATOR, str(error))
    except CannotAnswerError as error:
        return Opinion(entry.id, entry.kind, Answer.CANNOT, str(error))
    except Exception as error:  # an evaluator's own fault says nothing of the vector
        words = f"the evaluator failed: {type(error).__name__}: {brief(str(error))}"
        return Opinion(entry.id, entry.kind, Answer.CANNOT, words)
    if not found.differences:
        facts = found.elements, found.apart
        return Opinion(entry.id, entry.kind, Answer.AGREE, "", 0.0, *facts)
    wrong = Answer.OPEN if entry.kind is Kind.LATITUDE else Answer.DISAGREE
    words, far = max(found.differences, key=lambda item: item[1])
    return Opinion(entry.id, entry.kind, wrong, words, far, found.elements)


@dataclass
class Compared:
    """What comparing one vector gave.

    Attributes:
        differences: what differs, in words, and how far.
        elements, apart: as of an Opinion.
    """

    differences: list[tuple[str, float]] = field(default_factory=list)
    elements: int = 0
    apart: int = 0


def _compared(loaded: LoadedVector) -> Compared:
    """All data sets, up to the first that differs."""
    vector = loaded.vector
    sets = data_sets_of(vector, loaded.files, loaded.location)
    permitted = permitted_outputs_of(vector, loaded.files, loaded.location)
    made = Compared()
    for number, data in enumerate(sets):
        feeds = {item.name: taken(item.value) for item in data.inputs}
        values = run_model(loaded.files, feeds, vector.outputs)
        got = {name: given(value) for name, value in zip(vector.outputs, values, strict=True)}
        made.elements += sum(_elements(value) for value in got.values())
        if vector.kind is Kind.LATITUDE:
            found = _latitude(loaded, permitted, got)
        else:
            found = _valid(data, got)
            made.apart = max(made.apart, _apart(data, got))
        if found:
            label = f"data set {number}: " if len(sets) > 1 else ""
            made.differences = [(f"{label}{words}", far) for words, far in found]
            break
    return made


def _elements(value: Value) -> int:
    if isinstance(value, Tensor):
        return value.element_count
    return sum(map(_elements, value.items)) if isinstance(value, SequenceValue) else 1


def _apart(data: DataSet, got: Mapping[str, Value]) -> int:
    """The most ulps between an expected element with limits and the one that is there."""
    found = [
        compare(item.value, got[item.name], _LIMITS)
        for item in data.outputs
        if is_bounded(item.value)
    ]
    return max((item.max_ulp or 0 for item in found), default=0)


def _valid(data: DataSet, got: Mapping[str, Value]) -> list[tuple[str, float]]:
    if not data.outputs:
        raise CannotAnswerError("the vector has no expected output")
    return _against(data.outputs, got)


def _against(outputs: Sequence[NamedValue], got: Mapping[str, Value]) -> list[tuple[str, float]]:
    found = []
    tensors = {name: value for name, value in got.items() if isinstance(value, Tensor)}
    for item in outputs:
        if isinstance(item.value, Drawn):
            value = got[item.name]
            alike = isinstance(value, Tensor) and (value.type, value.shape) == (
                item.value.type,
                item.value.shape,
            )
            if not alike:
                found.append((f"{item.name}: another type or shape", float("inf")))
                continue
            words = broken(item.value.laws, tensors[item.name], tensors)
            if words is not None:
                found.append((f"{item.name}: breaks a law: {words}", float("inf")))
            continue
        difference = compare(item.value, got[item.name], _LIMITS).difference
        if difference is not None:
            found.append((_words(item.name, difference), _far(difference)))
    return found


def _latitude(
    loaded: LoadedVector,
    permitted: Mapping[str, tuple[NamedValue, ...]],
    got: Mapping[str, Value],
) -> list[tuple[str, float]]:
    """Nothing if one of the permitted results is the second opinion's."""
    vector = loaded.vector
    results = [item for item in vector.permitted if item.folder is not None]
    if not results:
        raise CannotAnswerError("only a refusal is permitted, and an evaluator refuses nothing")
    if vector.permitted_by == ELEMENT:
        return _by_element(results, permitted, got)
    found: list[tuple[str, float]] = []
    for item in results:
        here = _one_result(item, permitted[item.taken], got)
        if not here:
            return []
        found += here
    return found


def _one_result(
    item: Permitted, outputs: Sequence[NamedValue], got: Mapping[str, Value]
) -> list[tuple[str, float]]:
    if not item.any:
        return _against(outputs, got)
    return [
        (f"{each.name}: another type or shape", float("inf"))
        for each in outputs
        if compare_choices([Choice(each.value, any=True)], got[each.name], _LIMITS).difference
    ]


def _by_element(
    results: Sequence[Permitted],
    permitted: Mapping[str, tuple[NamedValue, ...]],
    got: Mapping[str, Value],
) -> list[tuple[str, float]]:
    found = []
    for place, first in enumerate(permitted[results[0].taken]):
        choices = [Choice(permitted[item.taken][place].value, item.any) for item in results]
        difference = compare_choices(choices, got[first.name], _LIMITS).difference
        if difference is not None:
            found.append((_words(first.name, difference), _far(difference)))
    return found


def _words(name: str, difference: Difference) -> str:
    place = f"{name}{difference.place.replace(' ', '')}"
    also = f" ({difference.permitted})" if difference.permitted else ""
    share = ""
    if difference.facts.get("elements", 1) > 1:
        share = f"; {difference.facts['differing']} of {difference.facts['elements']} elements"
    return (
        f"{place}: the corpus has {brief(difference.expected)}{also}, the second opinion"
        f" {brief(difference.got)}{share}"
    )


def _far(difference: Difference) -> float:
    """Ulps outside of the limits; infinity for another type, shape or number."""
    facts = difference.facts
    found = facts.get("ulps_outside", facts.get("ulps"))
    return float(found) if found is not None else float("inf")
