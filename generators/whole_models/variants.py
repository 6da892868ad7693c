"""From a case to its models: one, or one for each value of `each` or way of `computed`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from string import Template
from typing import TYPE_CHECKING

from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.values.elements import ELEMENT_TYPES

from ..situations.graphs import parser_words
from .edits import apply
from .model import ModelCase, ModelSpec
from .shape_nodes import compute

if TYPE_CHECKING:
    import onnx


PLAIN = "model"
#: Element types whose name in ONNX's text syntax differs from ours.
_SYNTAX = {element.name: element.onnx_name.lower() for element in ELEMENT_TYPES}


@dataclass(frozen=True)
class ModelVariant:
    """One model of a case.

    Attributes:
        spec, case: its origin.
        variant: the last part of the id.
        model: the model.
        files: the files beside it, by name.
        type: the element type that `each` has; None if it does not go through types.
    """

    spec: ModelSpec
    case: ModelCase
    variant: str
    model: onnx.ModelProto
    files: Mapping[str, bytes]
    type: str | None

    @property
    def id(self) -> str:
        """`<subject>-<IR version>/<case>/<variant>`; for an operator, with its version."""
        return f"{self.spec.slug}-{self.since_version}/{self.case.id}/{self.variant}"

    @property
    def since_version(self) -> int:
        """The version of the operator, or of the IR if the subject is not an operator."""
        return self.model.ir_version if self.spec.version is None else self.spec.version

    @property
    def control(self) -> str | None:
        """Id of the valid model beside an invalid one."""
        if self.case.control is None:
            return None
        control = self.spec.cases[self.case.control]
        own = [
            item.id
            for item in variants_of(self.spec, control)
            if not control.each or item.variant == self.variant
        ]
        if len(own) != 1:
            raise self.error(f"its control '{control.id}' has {len(own)} models for it, not one")
        return own[0]

    @property
    def opset(self) -> int:
        """The opset of the subject's domain; the newest if the model does not import it."""
        domains = {self.spec.domain} if self.spec.domain else {"", "ai.onnx"}
        own = [item.version for item in self.model.opset_import if item.domain in domains]
        return own[0] if own and own[0] > 0 else self.spec.facts.newest_opset

    def error(self, message: str) -> BadInputError:
        """An error that names the case's place in the spec."""
        return BadInputError(f"{self.spec.path}:{self.case.line}: {self.id}: {message}")


def all_variants(spec: ModelSpec) -> Iterator[ModelVariant]:
    """Every model of a spec."""
    for case in spec.cases.values():
        yield from variants_of(spec, case)


def variants_of(spec: ModelSpec, case: ModelCase) -> Iterator[ModelVariant]:
    """The models of a case; BadInputError if a text cannot be read or an edit cannot be made."""
    where = f"{spec.path}:{case.line}: case '{case.id}'"
    for name, ways in case.computed.items():
        for way in ways:
            yield _computed(_variant(spec, case, way, {}, where), name, way)
    if not case.each and not case.computed:
        yield _variant(spec, case, PLAIN, {}, where)
    for name, values in case.each.items():
        for value in values:
            yield _variant(spec, case, value.lower(), {name: value}, where)


def _variant(
    spec: ModelSpec, case: ModelCase, variant: str, words: Mapping[str, str], where: str
) -> ModelVariant:
    (value,) = words.values() or (None,)
    known = {key: _SYNTAX.get(word, word) for key, word in words.items()}
    try:
        text = Template(case.text).substitute(known)
        model = parsed(text)
        files = apply(case.edits, model, value if value in _SYNTAX and value else "float32")
    except (BadInputError, KeyError, ValueError) as error:
        raise BadInputError(f"{where}: {error}") from None
    return ModelVariant(spec, case, variant, model, files, value if value in _SYNTAX else None)


def _computed(variant: ModelVariant, name: str, way: str) -> ModelVariant:
    """The variant with one of its inputs computed by nodes."""
    case = variant.case
    try:
        fed = compute(variant.model, name, way, case.runs)
    except BadInputError as error:
        raise variant.error(str(error)) from None
    runs = tuple(
        replace(run, inputs={**{key: run.inputs[key] for key in run.inputs if key != name}, **fed})
        for run in case.runs
    )
    return replace(variant, case=replace(case, runs=runs))


def parsed(text: str) -> onnx.ModelProto:
    """The model of a text; BadInputError with the parser's message."""
    import onnx.parser

    try:
        return onnx.parser.parse_model(text)
    # Numbers beyond int64 or float64 leave the parser as errors of C++.
    except (onnx.parser.ParseError, RuntimeError, IndexError, ValueError) as error:
        raise BadInputError(f"the model cannot be parsed: {parser_words(error)}") from None
