"""Compares what a backend did with what was expected of it, and gives one verdict.

| expected  | outputs                  | rejected               | unsupported  | anything else |
|-----------|--------------------------|------------------------|--------------|---------------|
| outputs   | pass, or what is wrong   | rejected               | unsupported  | its own name  |
| rejection | accepted-invalid         | pass, if the control   | inconclusive | its own name  |
|           |                          | passed (see `settle`)  |              |               |
| any       | pass if permitted, else  | pass if permitted,     | unsupported  | its own name  |
|           | what is wrong            | else rejected          |              |               |

Pure: nothing is run or read here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from onnx_conformance.core.corpus.vectors import ELEMENT, DataSet, Expect, Phase, Vector
from onnx_conformance.core.text import one_line
from onnx_conformance.core.values import comparing
from onnx_conformance.core.values.choosing import Choice, compare_choices
from onnx_conformance.core.values.comparing import Comparison
from onnx_conformance.core.values.describing import NAMED, row_value, row_values, text, texts
from onnx_conformance.core.values.laws import broken
from onnx_conformance.core.values.tensors import Drawn, NamedValue, Tensor
from onnx_conformance.core.values.tolerance import (
    EXACT_KIND,
    LIMITS_KIND,
    TYPE_AND_SHAPE,
    Tolerance,
)

from .tolerance_rules import rule_for
from .verdicts import (
    Accepted,
    Crashed,
    HarnessError,
    Judgement,
    Observation,
    Outputs,
    ProtocolBroken,
    Rejected,
    TimedOut,
    Unsupported,
    Verdict,
)

MIXED = "mixed"  # the label for a latitude vector with elements from different permitted results

_WRONG = {
    comparing.TYPE: Verdict.WRONG_TYPE,
    comparing.SHAPE: Verdict.WRONG_SHAPE,
    comparing.VALUE: Verdict.WRONG_VALUE,
}


def judge(
    vector: Vector,
    data_sets: Sequence[DataSet],
    permitted: Mapping[str, Sequence[NamedValue]],
    observation: Observation,
    tolerance: Tolerance | None = None,
) -> Judgement:
    """The verdict on one observation.

    The pass of an invalid vector counts only once its control is known: see `settle`.

    Args:
        vector: what was run.
        data_sets: its values; their outputs are used if `expect` is `outputs`.
        permitted: the outputs of each permitted result of a latitude vector, by label.
        observation: what the backend did.
        tolerance: how far a value may differ; None uses the vector's own tolerance.
    """
    if isinstance(observation, Outputs):
        return _judge_outputs(
            vector, data_sets, permitted, observation, tolerance or rule_for(vector)
        )
    if isinstance(observation, Rejected):
        return _judge_rejection(vector, observation)
    if isinstance(observation, Unsupported):
        verdict = Verdict.INCONCLUSIVE if vector.expect == Expect.REJECTION else Verdict.UNSUPPORTED
        return Judgement(verdict, one_line(observation.reason))
    if isinstance(observation, Accepted):
        return _judge_acceptance(vector)
    invalid = vector.expect == Expect.REJECTION
    if invalid and isinstance(observation, ProtocolBroken) and observation.absurd_output:
        actual = f"outputs that cannot be: {one_line(observation.message)}"
        return _accepted_invalid(vector, actual)
    return _judge_failure(observation)


def settle(vector: Vector, judgement: Judgement, control_verdict: Verdict | None) -> Judgement:
    """The judgement once the control's verdict is known (None: it has none).

    A rejection proves nothing if the nearest valid vector does not pass: the pass of an invalid
    vector then becomes inconclusive. Every other judgement is returned unchanged.
    """
    rejected = vector.expect == Expect.REJECTION and judgement.verdict is Verdict.PASS
    if not rejected or vector.control is None or control_verdict is Verdict.PASS:
        return judgement
    state = "has no verdict" if control_verdict is None else f"is {control_verdict.value}"
    reason = str(judgement.got or "rejected")
    return replace(
        judgement,
        verdict=Verdict.INCONCLUSIVE,
        message=f"{reason}; proves nothing: its control '{vector.control}' {state}",
        expected=_expected_rejection(vector),
    )


def _judge_failure(
    observation: HarnessError | Crashed | TimedOut | ProtocolBroken,
) -> Judgement:
    if isinstance(observation, HarnessError):
        return Judgement(Verdict.ERROR, one_line(observation.message))
    if isinstance(observation, Crashed):
        return Judgement(Verdict.CRASHED, one_line(observation.how))
    if isinstance(observation, TimedOut):
        return Judgement(Verdict.TIMED_OUT, f"no reply within {observation.deadline:g} s")
    return Judgement(Verdict.PROTOCOL_ERROR, one_line(observation.message))


def _judge_acceptance(vector: Vector) -> Judgement:
    """The verdict on a backend that only judges validity and accepted the model."""
    if vector.expect == Expect.REJECTION and vector.reject == Phase.RUN:
        return Judgement(
            Verdict.INCONCLUSIVE,
            "accepted; the fault shows only when the model runs, which this backend does not do",
            expected=_expected_rejection(vector),
            got="accepted",
        )
    if vector.expect == Expect.REJECTION:
        return _accepted_invalid(vector, "accepted")
    taken = "accepted" if vector.expect == Expect.ANY else None
    return Judgement(Verdict.PASS, taken=taken, details={"judged": "validity alone, no value"})


def _judge_rejection(vector: Vector, observation: Rejected) -> Judgement:
    message = one_line(observation.message)
    rejection = f"rejected at {observation.phase}" + (f": {message}" if message else "")
    if vector.expect == Expect.REJECTION:
        return Judgement(Verdict.PASS, phase=observation.phase, got=rejection)
    label = next((item.taken for item in vector.permitted if item.folder is None), None)
    if vector.expect == Expect.ANY and label is not None:
        return Judgement(Verdict.PASS, phase=observation.phase, taken=label, got=rejection)
    expected = "any of " + _labels(vector) if vector.expect == Expect.ANY else "outputs"
    return Judgement(
        Verdict.REJECTED, rejection, phase=observation.phase, expected=expected, got=rejection
    )


def _expected_rejection(vector: Vector) -> str:
    return f"a rejection at {vector.reject}" if vector.reject else "a rejection"


def _accepted_invalid(vector: Vector, actual: str) -> Judgement:
    """The verdict on a backend that ran a model it should refuse; `actual` is its answer."""
    return Judgement(
        Verdict.ACCEPTED_INVALID,
        f"expected {_expected_rejection(vector)}; got {actual}",
        expected=_expected_rejection(vector),
        got=actual,
    )


def _labels(vector: Vector) -> str:
    return ", ".join(f"'{item.taken}'" for item in vector.permitted)


def _judge_outputs(
    vector: Vector,
    data_sets: Sequence[DataSet],
    permitted: Mapping[str, Sequence[NamedValue]],
    observation: Outputs,
    tolerance: Tolerance,
) -> Judgement:
    got = observation.data_sets
    if contradiction := _contradiction(len(data_sets), got):
        return Judgement(Verdict.PROTOCOL_ERROR, contradiction)
    if vector.expect == Expect.REJECTION:
        actual = texts(got[0]) if got else "no outputs"
        values = row_values([item for values in got for item in values])
        return replace(_accepted_invalid(vector, actual or "no outputs"), got=values)
    if vector.expect == Expect.ANY:
        return _judge_latitude(vector, permitted, got, tolerance)
    return _judge_values([item.outputs for item in data_sets], got, tolerance)


def _contradiction(data_sets: int, got: Sequence[Sequence[NamedValue]]) -> str:
    """Why the outputs cannot answer the request, or an empty text.

    Outputs are matched by position; names do not matter, unless two are the same.
    """
    if len(got) != data_sets:
        return f"expected outputs of {data_sets} data sets; got {len(got)}"
    for index, values in enumerate(got):
        names = Counter(item.name for item in values if item.name)
        twice = next((name for name, times in names.items() if times > 1), None)
        if twice is not None:
            return f"two outputs of data set {index} are named '{one_line(twice)}'"
    return ""


def _judge_values(
    expected: Sequence[Sequence[NamedValue]],
    got: Sequence[Sequence[NamedValue]],
    tolerance: Tolerance,
) -> Judgement:
    """The verdict on the outputs of all data sets: the first difference decides."""
    found: list[Comparison] = []
    failure: Judgement | None = None
    for index, (required, actual) in enumerate(zip(expected, got, strict=True)):
        place = f"data set {index}, " if len(expected) > 1 else ""
        if len(required) != len(actual):
            failure = failure or _wrong_count(required, actual, place)
            continue
        for one, other in zip(required, actual, strict=True):
            comparison = comparing.compare(one.value, other.value, tolerance)
            found.append(comparison)
            if comparison.difference is not None:
                failure = failure or _wrong_output(one, other, comparison, place, len(required))
        if tolerance != TYPE_AND_SHAPE:
            failure = failure or _broken_pair(required, actual, place)
    judgement = failure or Judgement(Verdict.PASS)
    facts = _facts(found, tolerance)
    return replace(judgement, details={**judgement.details, **facts}) if facts else judgement


def _broken_pair(
    required: Sequence[NamedValue], actual: Sequence[NamedValue], place: str
) -> Judgement | None:
    """The first law about two outputs that does not hold, if each output keeps its own laws."""
    if not any(isinstance(item.value, Drawn) for item in required):
        return None
    got = {
        one.name: other.value
        for one, other in zip(required, actual, strict=True)
        if isinstance(other.value, Tensor)
    }
    for one, other in zip(required, actual, strict=True):
        if isinstance(one.value, Drawn) and isinstance(other.value, Tensor):
            words = broken(one.value.laws, other.value, got)
            if words is not None:
                message = f"{place}output '{one.name}': {words}"
                values = row_values(actual)
                return Judgement(Verdict.WRONG_VALUE, message, expected="its laws", got=values)
    return None


def _facts(found: Sequence[Comparison], tolerance: Tolerance) -> dict[str, Any]:
    """Facts that a row gives even on a pass. Exact passes have no distance to report."""
    measured = found[0] if len(found) == 1 else comparing.together(found)
    facts: dict[str, Any] = {}
    if measured.max_ulp is not None and (measured.max_ulp or tolerance.kind != EXACT_KIND):
        facts["max_ulp"] = measured.max_ulp
    if measured.used is not None:
        facts["used"] = float(f"{measured.used:.4g}")
    if measured.met is not None:
        facts["met"] = measured.met
    if tolerance.kind not in (EXACT_KIND, LIMITS_KIND):
        facts["tolerance"] = str(tolerance)
    if measured.notes:
        facts["notes"] = list(measured.notes)
    return facts


def _wrong_count(
    expected: Sequence[NamedValue], got: Sequence[NamedValue], place: str
) -> Judgement:
    names = ", ".join(f"'{item.name}'" for item in expected)
    actual = texts(got)
    return Judgement(
        Verdict.WRONG_COUNT,
        f"{place}expected {len(expected)} outputs ({names}); got {len(got)}"
        + (f" ({actual})" if actual else ""),
        expected=row_values(expected),
        got=row_values(got),
    )


def _wrong_output(
    expected: NamedValue, got: NamedValue, comparison: Comparison, place: str, outputs: int
) -> Judgement:
    difference = comparison.difference
    if difference is None:
        raise ValueError("nothing differs")
    named = f"{place}output '{expected.name}': " if outputs > 1 else place
    message = f"{named}expected {text(expected.value)}; got {text(got.value)}"
    if isinstance(expected.value, Drawn) and difference.aspect == comparing.VALUE:
        message = f"{place}output '{expected.name}': a law does not hold"
    where = f"{expected.name}{difference.place}"
    permitted = f"; {difference.permitted}" if difference.permitted else ""
    words = f"{where}: expected {difference.expected}, got {difference.got}{permitted}"
    details: dict[str, Any] = {"difference": words, **difference.facts}
    total = difference.facts.get("elements")
    if total is not None and total > 1:
        compared = difference.facts.get("compared")
        among = f"{total} elements" if compared is None else f"{compared} compared elements"
        counted = f"{difference.facts['differing']} of {among}"
        if total > NAMED or compared is not None:
            # The values would be cut anyway, and must not push the differing element off the line.
            kind = text(expected.value).partition(" = ")[0]
            message = f"{named}{counted} of {kind} differ, the first {details['difference']}"
        else:
            message += f"; {counted} differ, the first {details['difference']}"
    else:
        message += permitted
    if got.name and got.name != expected.name:
        details["named"] = f"the backend calls output '{expected.name}' '{one_line(got.name)}'"
    return Judgement(
        _WRONG[difference.aspect],
        one_line(message),
        expected=[row_value(expected)],
        got=[row_value(got)],
        details=details,
    )


def _judge_latitude(
    vector: Vector,
    permitted: Mapping[str, Sequence[NamedValue]],
    got: Sequence[Sequence[NamedValue]],
    tolerance: Tolerance,
) -> Judgement:
    """Pass if every data set gave one of the permitted results; the judgement tells which.

    If elements may come from different results, and no result fits as a whole: `mixed`.
    """
    free = {item.taken for item in vector.permitted if item.any}
    failures = []
    for label, outputs in permitted.items():
        rule = TYPE_AND_SHAPE if label in free else tolerance
        judgement = _judge_values([outputs] * len(got), got, rule)
        if judgement.verdict is Verdict.PASS:
            return replace(judgement, taken=label)
        failures.append((label, judgement))
    if vector.permitted_by == ELEMENT and permitted:
        return _judge_elements(vector, permitted, got, tolerance)
    actual = texts([item for values in got for item in values]) or "no outputs"
    # Nothing fits: report the difference from the permitted result that is nearest in kind.
    order = [Verdict.WRONG_VALUE, Verdict.WRONG_SHAPE, Verdict.WRONG_TYPE, Verdict.WRONG_COUNT]
    nearest = min((item.verdict for _, item in failures), key=order.index, default=None)
    options = _options(vector, permitted)
    return Judgement(
        nearest or Verdict.WRONG_VALUE,
        one_line(f"expected any of {options}; got {actual}"),
        expected=f"any of {options}",
        got=row_values([item for values in got for item in values]),
        details=failures[0][1].details if len(failures) == 1 else {},
    )


def _options(vector: Vector, permitted: Mapping[str, Sequence[NamedValue]]) -> str:
    """The permitted results in words."""
    free = {item.taken for item in vector.permitted if item.any}
    outputs = [
        f"'{label}' ({texts(values) or 'no outputs'}"
        + (", or other values of that type and shape)" if label in free else ")")
        for label, values in permitted.items()
    ]
    refusals = [f"'{item.taken}' (a rejection)" for item in vector.permitted if item.folder is None]
    return ", ".join(outputs + refusals)


def _judge_elements(
    vector: Vector,
    permitted: Mapping[str, Sequence[NamedValue]],
    got: Sequence[Sequence[NamedValue]],
    tolerance: Tolerance,
) -> Judgement:
    """Pass if each element is that of some permitted result; else the first that is not decides."""
    free = {item.taken for item in vector.permitted if item.any}
    for index, actual in enumerate(got):
        place = f"data set {index}, " if len(got) > 1 else ""
        names = permitted[next(iter(permitted))]
        if len(actual) != len(names):
            return _wrong_count(names, actual, place)
        for number, (one, other) in enumerate(zip(names, actual, strict=True)):
            choices = [
                Choice(outputs[number].value, label in free) for label, outputs in permitted.items()
            ]
            difference = compare_choices(choices, other.value, tolerance).difference
            if difference is not None:
                options = _options(vector, permitted)
                where = f"{one.name}{difference.place}"
                words = f"{where}: expected {difference.expected}, got {difference.got}"
                return Judgement(
                    _WRONG[difference.aspect],
                    one_line(f"{place}expected for each element any of {options}; {words}"),
                    expected=f"for each element any of {options}",
                    got=row_values([item for values in got for item in values]),
                    details={"difference": words, **difference.facts},
                )
    return Judgement(Verdict.PASS, taken=MIXED)
