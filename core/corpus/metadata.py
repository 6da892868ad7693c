"""data.json: its only reader and writer; what it says is checked before it is used."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from ..documents import (
    FLAG,
    INTEGER,
    NUMBER,
    OBJECTS,
    TEXT,
    TEXT_MAP,
    TEXT_OR_NULL,
    TEXTS,
    VECTOR_ID,
    check,
)
from ..errors import BadInputError
from ..text import brief
from ..values.laws import check_laws
from .soundness import check_asks
from .vectors import (
    ABSENT_INPUTS,
    ELEMENT,
    RESULT,
    VALUE_KINDS,
    Expect,
    Kind,
    Permitted,
    Phase,
    Vector,
)


def to_json(vector: Vector) -> dict[str, Any]:
    """The content of data.json, in the order in which a person reads it."""
    document: dict[str, Any] = {
        "id": vector.id,
        "kind": vector.kind,
        "purpose": vector.purpose,
        "operator": vector.operator,
        "domain": vector.domain,
        "since_version": vector.since_version,
        "opset": vector.opset,
        "ir_version": vector.ir_version,
        "types": dict(vector.types),
        "case": vector.case,
        "form": vector.form,
        "covers": list(vector.covers),
        "documented": vector.documented,
        "expect": vector.expect,
        "rtol": vector.rtol,
        "atol": vector.atol,
        "inputs": list(vector.inputs),
        "outputs": list(vector.outputs),
    }
    if vector.expect == Expect.REJECTION:
        document["reject"] = vector.reject
        document["control"] = vector.control
    if vector.expect == Expect.ANY:
        document["permitted"] = [
            {"taken": item.taken, "reason": item.reason, "folder": item.folder}
            | ({"any": True} if item.any else {})
            | ({} if item.laws else {"laws": False})
            for item in vector.permitted
        ]
        if vector.permitted_by != RESULT:
            document["permitted_by"] = vector.permitted_by
    if vector.accuracy is not None:
        document["accuracy"] = dict(vector.accuracy)
    if vector.laws:
        document["laws"] = {name: list(laws) for name, laws in vector.laws.items()}
    if vector.compared:
        document["compared"] = {name: list(places) for name, places in vector.compared.items()}
    return {**document, **vector.extra}


_KNOWN = frozenset((*Vector.__dataclass_fields__, "expect"))


def from_json(document: Any, where: str) -> Vector:  # noqa: ANN401  a file's content
    """The vector that a data.json describes; BadInputError names `where` and the missing key."""
    if not isinstance(document, dict):
        raise BadInputError(f"{where}: must hold one JSON object")
    permitted_by = document.get("permitted_by", RESULT)
    if permitted_by not in (RESULT, ELEMENT):
        raise BadInputError(
            f"{where}: permitted_by is {permitted_by!r}; it is '{RESULT}' or '{ELEMENT}'"
        )
    accuracy = document.get("accuracy")
    if accuracy is not None and not (isinstance(accuracy, dict) and "rule" in accuracy):
        raise BadInputError(f"{where}: accuracy must be an object with the key 'rule'")
    check_laws(document.get("laws", {}), where)
    compared = _compared(document.get("compared", {}), where)
    try:
        check(document, _MUSTS)
        for item in document.get("permitted", ()):
            check(item, _PERMITTED_MUSTS)
        vector = Vector(
            id=document["id"],
            kind=Kind(document["kind"]),
            operator=document["operator"],
            domain=document.get("domain", ""),
            since_version=document["since_version"],
            opset=document["opset"],
            ir_version=document["ir_version"],
            types=document["types"],
            case=document["case"],
            form=document["form"],
            covers=tuple(document["covers"]),
            documented=document["documented"],
            rtol=document["rtol"],
            atol=document["atol"],
            inputs=tuple(document["inputs"]),
            outputs=tuple(document["outputs"]),
            reject=Phase(document["reject"]) if document.get("reject") else None,
            control=document.get("control"),
            permitted=tuple(
                Permitted(
                    item["taken"],
                    item["reason"],
                    item["folder"],
                    item.get("any", False),
                    item.get("laws", True),
                )
                for item in document.get("permitted", ())
            ),
            permitted_by=permitted_by,
            accuracy=accuracy,
            laws=document.get("laws", {}),
            compared=compared,
            purpose=document.get("purpose", ""),
            extra={key: value for key, value in document.items() if key not in _KNOWN},
        )
        said = Expect(document["expect"])
    except KeyError as error:
        raise BadInputError(f"{where}: key {error} is missing") from None
    except (TypeError, ValueError) as error:
        raise BadInputError(f"{where}: a key has a value of the wrong type: {error}") from None
    if said != vector.expect:
        raise BadInputError(
            f"{where}: expect is '{said}', but a vector whose kind is '{vector.kind}' expects"
            f" '{vector.expect}'"
        )
    check_asks(vector, where)
    return vector


def _compared(document: Any, where: str) -> dict[str, tuple[int, ...]]:  # noqa: ANN401
    """The positions that are compared; BadInputError unless each output has some, in order."""
    found: dict[str, tuple[int, ...]] = {}
    if not isinstance(document, dict):
        raise BadInputError(f"{where}: compared must be an object, of positions by output")
    for name, places in document.items():
        whole = isinstance(places, list) and all(type(item) is int for item in places)
        if not whole or not places or any(a >= b for a, b in pairwise([-1, *places])):
            raise BadInputError(
                f"{where}: compared must have, for output '{brief(name)}', one position or more,"
                f" each a whole number greater than the one before it; it has {brief(places)}"
            )
        found[name] = tuple(places)
    return found


_MUSTS = {
    "id": VECTOR_ID,
    "kind": TEXT,
    "operator": TEXT,
    "domain": TEXT,
    "since_version": INTEGER,
    "opset": INTEGER,
    "ir_version": INTEGER,
    "types": TEXT_MAP,
    "case": TEXT,
    "form": TEXT,
    "covers": TEXTS,
    "documented": TEXT_OR_NULL,
    "expect": TEXT,
    "rtol": NUMBER,
    "atol": NUMBER,
    "inputs": TEXTS,
    "outputs": TEXTS,
    "reject": TEXT_OR_NULL,
    "control": TEXT_OR_NULL,
    "permitted": OBJECTS,
    "purpose": TEXT,
    VALUE_KINDS: TEXT_MAP,
    ABSENT_INPUTS: TEXTS,
}
_PERMITTED_MUSTS = {
    "taken": TEXT,
    "reason": TEXT,
    "folder": TEXT_OR_NULL,
    "any": FLAG,
    "laws": FLAG,
}
