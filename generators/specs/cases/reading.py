"""Reads the cases of a spec: the valid ones, and those whose result the document leaves open."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from onnx_conformance.core.corpus.vectors import PHASES, Kind, Phase
from onnx_conformance.core.yaml.nodes import Node

from ..ids import CASE_ID, read_id
from ..model import Case, Example, PermittedResult, WrittenResult
from ..versions_reading import TYPE_NAMES, type_list
from .context import CaseContext
from .given import CaseValues
from .invalid import changed_from, read_fault
from .spreads import DEFAULT, read_spread

_EVERY_CASE = ("id", "covers")
_EVERY_CASE_MAY = (
    *("purpose", "since", "until", "types", "requested", "data", "attributes", "inputs"),
    *("spread", "forms"),
)
_VALID_MAY = ("documented", "outputs", "then", "permitted", "fault")
_INVALID_MAY = ("reject", "fault")
_DEFAULT_PHASE = Phase.LOAD


class CaseReader:
    """Reads one case after the other."""

    def __init__(self, context: CaseContext) -> None:
        """`context` holds the objects that cases refer to."""
        self._context = context
        self._values = CaseValues(context)
        versions = context.versions.values()
        self._variables = tuple(dict.fromkeys(name for item in versions for name in item.types))
        self._main = {item.main_variable for item in versions if item.main_variable is not None}

    def case(self, node: Node) -> Case:
        """A valid case, or with `permitted` one whose result is open."""
        required, optional = keys_of_case(Kind.VALID)
        document = node.mapping(required=required, optional=optional)
        case = self._written(node, document)
        requested = case.requested
        examples = [self._example(document, requested)]
        if "then" in document:
            examples += [
                self._example(item.mapping(("inputs", "outputs"), ()), requested)
                for item in document["then"].sequence()
            ]
        permitted = self._permitted(document)
        case = replace(
            case,
            attributes=self._values.attributes(document.get("attributes")),
            examples=tuple(examples),
        )
        if not permitted:
            if "fault" in document:
                raise document["fault"].error("only an invalid case has a fault, or an open one")
            return case
        return replace(
            case,
            kind=Kind.LATITUDE,
            examples=(Example(examples[0].inputs, {}),),
            permitted=permitted,
            fault=read_fault(document.get("fault"), self._context, self._values),
        )

    def invalid(self, node: Node, known: Mapping[str, Case]) -> Case:
        """An invalid case: its control, with what it says.

        Args:
            node: the case.
            known: the cases that may be its control, by id.
        """
        required, optional = keys_of_case(Kind.INVALID)
        document = node.mapping(required=required, optional=optional)
        valid = [case.id for case in known.values() if case.kind == Kind.VALID]
        control = known[document["control"].one_of(valid, "case (a control is a valid case)")]
        written = self._written(node, document)
        reject = _DEFAULT_PHASE
        if "reject" in document:
            reject = Phase(document["reject"].one_of(PHASES, "phase"))
        fault = read_fault(document.get("fault"), self._context, self._values)
        written = replace(written, reject=reject, fault=fault)
        return changed_from(control, written, document, self._values)

    def _written(self, node: Node, document: Mapping[str, Node]) -> Case:
        """What each kind of case has, without its values."""
        covers = tuple(
            item.one_of(self._context.requirements, "requirement")
            for item in document["covers"].sequence()
        )
        if not covers:
            raise document["covers"].error("a case covers at least one requirement")
        since, until = self._context.since_until(document)
        types, bind = self._types(document, any_type="control" in document)
        forms, pairs = self._forms(document)
        level, sweep = read_spread(document.get("spread"), self._variables, self._main)
        return Case(
            id=read_id(document["id"], CASE_ID),
            kind=Kind.VALID,
            line=node.line,
            purpose=document["purpose"].string() if "purpose" in document else "",
            covers=covers,
            documented=document["documented"].string() if "documented" in document else None,
            attributes=(),
            examples=(),
            since=since,
            until=until,
            types=types,
            forms=forms,
            pairs=pairs,
            sweep=sweep,
            spread=level or DEFAULT,
            bind=bind,
            requested=self._requested(document),
        )

    def _types(
        self, document: Mapping[str, Node], *, any_type: bool
    ) -> tuple[tuple[str, ...] | None, dict[str, str]]:
        """The types that the case is limited to, and those of type variables.

        A list is for the main type variable, each of whose types is tried; a mapping gives type
        variables the one type that they have: with `any_type`, one that is not listed as well.
        """
        if "types" not in document:
            return None, {}
        node = document["types"]
        if node.kind != "mapping":
            return type_list(node, self._context.sets), {}
        limited: tuple[str, ...] | None = None
        bound = {}
        for name, item in node.mapping().items():
            if name not in self._variables:
                raise node.key_error(name, f"there is no type variable '{name}'")
            if item.kind == "sequence":
                if name not in self._main:
                    raise item.error(f"'{name}' has one type here: a list is for the main variable")
                limited = type_list(item, self._context.sets)
                continue
            allowed = {
                text
                for version in self._context.versions.values()
                for text in version.types.get(name, ())
            }
            allowed.update(TYPE_NAMES if any_type else ())
            bound[name] = item.one_of(sorted(allowed), f"type of {name}")
        return limited, bound

    def _forms(
        self, document: Mapping[str, Node]
    ) -> tuple[tuple[str, ...] | None, dict[str, tuple[str, ...]]]:
        """The forms of a case; or, of a mapping, further element types by form."""
        if "forms" not in document:
            return None, {}
        node = document["forms"]
        if node.kind != "mapping":
            return tuple(item.one_of(self._context.forms, "form") for item in node.sequence()), {}
        node.only_keys(self._context.forms)
        sets = self._context.sets
        return None, {name: type_list(item, sets) for name, item in node.mapping().items()}

    def _requested(self, document: Mapping[str, Node]) -> tuple[str, ...] | None:
        if "requested" not in document:
            return None
        return tuple(map(self._values.output_name, document["requested"].sequence()))

    def _example(self, document: Mapping[str, Node], requested: tuple[str, ...] | None) -> Example:
        inputs = self._values.inputs(document.get("inputs"), document.get("data"))
        if "outputs" not in document:
            return Example(inputs, None)
        return Example(inputs, self._values.results(document["outputs"], requested))

    def _permitted(self, document: Mapping[str, Node]) -> tuple[WrittenResult, ...]:
        if "permitted" not in document:
            return ()
        if "outputs" in document:
            raise document["outputs"].error("'permitted' says the outputs of a case that is open")
        results: list[WrittenResult] = []
        for item in document["permitted"].sequence():
            one = item.mapping(required=("taken", "reason"), optional=("outputs",))
            results.append(
                PermittedResult(
                    read_id(one["taken"], CASE_ID),
                    one["reason"].string(),
                    self._values.results(one["outputs"]) if "outputs" in one else None,
                )
            )
        if len(results) < 2:
            raise document["permitted"].error("what is left open has at least two results")
        return tuple(results)


def keys_of_case(kind: Kind) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The keys that a case of this kind must have, and those that it may have."""
    if kind == Kind.INVALID:
        return (*_EVERY_CASE, "control"), (*_EVERY_CASE_MAY, *_INVALID_MAY)
    return _EVERY_CASE, (*_EVERY_CASE_MAY, *_VALID_MAY)
