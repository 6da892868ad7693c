"""One node with its attributes and inputs as a drawing, and as a vector."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from onnx_conformance.core.corpus.vectors import (
    ELEMENT,
    RESULT,
    DataSet,
    Kind,
    Permitted,
    Vector,
)
from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.exploring.explorer import Refusal
from onnx_conformance.core.values.elements import element_type
from onnx_conformance.core.values.tensors import Drawn, NamedValue, Tensor, Value

from ..corpus.building import PLAIN_ATOL, PLAIN_RTOL, files_of, value_kinds
from ..corpus.described.laws import laws_of, plain_reach
from ..corpus.described.limit_rules import accuracy_of
from ..forms import form_named, presents
from ..interpreter.validity.words import ANYTHING as UNKNOWN
from ..interpreter.validity.words import fits, word_of
from ..oracle.errors import InvalidCallError
from ..oracle.registry import Call, has_oracle
from ..situations.asking import Reply, call_of
from ..situations.bindings import followed
from ..situations.permitting.permitted import NotPermittedError, NotPresentedError, permitted
from ..situations.situations import OutputDeclaration, Situation
from ..situations.type_texts import elements_of, is_sequence_of
from ..specs.model import CorpusFacts, Fault, GivenAttribute, OperatorVersion, Spec
from .drawing import Made

if TYPE_CHECKING:
    from ..forms.models import Presentation

#: Results that one call may have; each takes a folder, and a judge compares all of them.
MOST_RESULTS = 64

#: Says where a vector of this kind comes from, in `extra` of its data.json.
EXPLORED = "explored"
_STATIC = "static"
# What the kind of an edit, or a choice, begins with that says how the model presents the call.
_FORM = "form "
# Operators that put an element of a type into a sequence, with the type variable of the element.
_INSERTED = {"SequenceInsert": "T"}


@dataclass(frozen=True)
class Edit:
    """A change of a call: `edits` has them.

    Attributes:
        kind: what kind of change it is, and of what, in words.
        detail: what is there now.
    """

    kind: str
    detail: str

    def __str__(self) -> str:
        """The change in words: `type T = float16`."""
        return f"{self.kind} = {self.detail}" if self.detail else self.kind

    def of(self, call: DrawnCall) -> DrawnCall:
        """The changed call; the same one where it cannot be changed so."""
        raise NotImplementedError


@dataclass(frozen=True)
class DrawnCall:
    """One node, drawn.

    Attributes:
        spec, facts, version: the operator version, as its spec has it.
        operator_opset: opset of the operator's domain that the model imports.
        types: the type of each type variable; `bound` brings them up to date.
        attributes: of the node, with their types.
        inputs: by the names of the document, in its order.
        requested: names of the outputs that the node has; empty means all.
        form: how the model presents it.
        base: the vector of the corpus that it began with; empty if there is none.
        done: the edits that were made, in order.
        start: the call before any edit, for a call that is made of edits alone.
        choices: what else was chosen, in words, by a drawer that makes no edits.
    """

    spec: Spec
    facts: CorpusFacts
    version: OperatorVersion
    operator_opset: int
    types: Mapping[str, str]
    attributes: tuple[GivenAttribute, ...]
    inputs: tuple[NamedValue, ...]
    requested: tuple[str, ...] = ()
    form: str = "static"
    base: str = ""
    done: tuple[Edit, ...] = ()
    start: DrawnCall | None = None
    choices: tuple[str, ...] = ()

    @property
    def operator(self) -> str:
        """The operator."""
        return self.spec.operator

    @property
    def edits(self) -> tuple[str, ...]:
        """The edits in words."""
        return (*self.choices, *(str(item) for item in self.done))

    @property
    def traits(self) -> tuple[str, ...]:
        """Its base, its element types, and those in its form."""
        words = sorted({word_of(item.value) for item in self.inputs})
        together = ",".join(words)
        version = self.version.since_version
        found = [f"types {version} {together}", f"types {version} {together} as {self.form}"]
        return (f"base {self.base}", *found) if self.base else tuple(found)

    @property
    def model_opset(self) -> int:
        """The opset of the default domain that the model imports."""
        return self.facts.model_opset(self.spec.domain, self.operator_opset)

    def but(self, **changes: Any) -> DrawnCall:  # noqa: ANN401  any of the fields
        """The same call with other fields, its type variables bound anew."""
        return replace(self, **changes).bound()

    def plain(self) -> DrawnCall:
        """The same call in the plain form, and without the edits that chose another one."""
        return replace(
            self,
            form=_STATIC,
            done=tuple(item for item in self.done if not item.kind.startswith(_FORM)),
            choices=tuple(item for item in self.choices if not item.startswith(_FORM)),
        )

    def sets_a_type(self, attribute: str) -> bool:
        """Whether an attribute decides the type of an output, as `dtype` and `to` do."""
        return attribute in self.spec.type_attributes or attribute in ("dtype", "to")

    def bound(self) -> DrawnCall:
        """The call with each type variable bound to what its inputs and attributes say."""
        from ..situations.bindings import type_in

        types = dict(self.types)
        for item in self.inputs:
            parameter = self.version.parameter_of(item.name)
            if parameter is None or parameter.type not in self.version.types:
                continue
            word = word_of(item.value)
            # An empty sequence does not say of what it is one.
            if UNKNOWN not in word and (not parameter.variadic or parameter.homogeneous):
                types[parameter.type] = word
        given = {item.name: item for item in self.attributes}
        for name, variable in self.spec.type_attributes.items():
            if variable in types and name in given:
                types[variable] = type_in(given[name].value) or types[variable]
        fed = {item.type for item in self.version.inputs}
        for variable, rule in self.spec.type_follows.items():
            setters = [n for n, v in self.spec.type_attributes.items() if v == variable]
            if variable in types and variable not in fed and not given.keys() & set(setters):
                types[variable] = followed(rule, types)
        return self if types == self.types else replace(self, types=types)

    # --- the vector ---

    @cached_property
    def reply(self) -> Reply:
        """What the document permits; NotPermittedError if that is nothing, or not known."""
        self._require_types()
        if not self.spec.package and not has_oracle(
            self.spec.operator, self.spec.domain, self.version.since_version
        ):
            raise NotPermittedError(Refusal.NO_ORACLE, f"{self.operator} has no oracle")
        call = self.asked()
        reply = permitted(call, self.version, self.spec.questions)
        self._require_result_types(reply)
        return self._kept(reply)

    def asked(self) -> Call:
        """What is asked of an oracle; NotPermittedError where it cannot be asked at all."""
        try:
            return call_of(
                (self.spec.domain, self.spec.operator),
                self.version,
                self.types,
                self.attributes,
                self.inputs,
                self.requested,
                self.model_opset,
                self.spec.package,
            )
        except (InvalidCallError, BadInputError, OverflowError) as error:
            raise NotPermittedError(Refusal.INVALID, str(error)) from None

    def _require_types(self) -> None:
        """NotPermittedError for types that the operator version does not list, or that disagree.

        An empty sequence does not say of what it is one: what it is declared of does.
        """
        for name, word in self.types.items():
            if "(" not in word and word not in self.version.types.get(name, (word,)):
                raise NotPermittedError(Refusal.INVALID, f"{name} may not be {word}")
        for item in self.inputs:
            parameter = self.version.parameter_of(item.name)
            declared = None if parameter is None else self.types.get(parameter.type)
            if declared is None or (parameter and parameter.variadic):
                continue
            if not fits(word_of(item.value), declared):
                raise NotPermittedError(Refusal.INVALID, f"{item.name} is no {declared}")
        declared = self.types.get("S", "")
        of_one = _INSERTED.get(self.operator, "")
        if of_one in self.types and not is_sequence_of(declared, self.types[of_one]):
            text = f"{self.types[of_one]} does not go into {declared}"
            raise NotPermittedError(Refusal.INVALID, text)

    def _require_result_types(self, reply: Reply) -> None:
        """NotPermittedError for a result of a type that is not listed: an `output_dtype`."""
        for item in reply.outputs:
            parameter = self.version.output_of(item.name)
            word = word_of(item.value)
            listed = self.version.types.get(parameter.type) if parameter is not None else None
            if listed is not None and "(" not in word and word not in listed:
                raise NotPermittedError(Refusal.INVALID, f"{item.name} may not be {word}")

    def _kept(self, reply: Reply) -> Reply:
        """The reply with the requested outputs alone."""
        if not self.requested:
            return reply
        return replace(
            reply,
            outputs=self._requested(reply.outputs),
            permitted=tuple(
                item
                if item.outputs is None
                else replace(item, outputs=self._requested(item.outputs))
                for item in reply.permitted
            ),
        )

    def _requested(self, values: tuple[NamedValue, ...]) -> tuple[NamedValue, ...]:
        return tuple(item for item in values if item.name in self.requested)

    def situation(self, name: str, reply: Reply) -> Situation:
        """The situation that a form presents."""
        return Situation(
            name=name,
            operator=self.spec.operator,
            domain=self.spec.domain,
            version=self.version,
            operator_opset=self.operator_opset,
            model_opset=self.model_opset,
            ir_version=self._ir_version(reply),
            types=self.types,
            attributes=self.attributes,
            data_sets=(DataSet(self.inputs, reply.outputs),),
            outputs=tuple(self._declared(item) for item in reply.outputs),
            fault=Fault(),
            permitted=reply.permitted,
            by_element=bool(reply.permitted),
            roles=self.spec.roles,
            package=self.spec.package,
        )

    def _ir_version(self, reply: Reply) -> int:
        words = [word_of(item.value) for item in (*self.inputs, *reply.outputs)]
        elements = {x for word in words for x in elements_of(word) if x and x != UNKNOWN}
        needed = [element_type(item).since_ir for item in elements]
        return max(self.facts.ir_version(self.model_opset), *needed, 1)

    def _declared(self, item: NamedValue) -> OutputDeclaration:
        value: Value = item.value
        if isinstance(value, Tensor):
            return OutputDeclaration(item.name, value.type, len(value.shape))
        parameter = self.version.output_of(item.name)
        word = word_of(value)
        if UNKNOWN not in word:
            return OutputDeclaration(item.name, word, None)
        if parameter is not None and parameter.variadic and not parameter.homogeneous:
            raise NotPresentedError(f"nothing says what {item.name}, which is empty, is one of")
        text = "" if parameter is None else self.types.get(parameter.type, parameter.type)
        return OutputDeclaration(item.name, text or word, None)

    def made(self, vector_id: str) -> Made:
        """The vector of the call; NotPermittedError if there is no answer to it."""
        from ..forms.models import serialize

        reply = self.reply
        if not reply.outputs:
            raise NotPermittedError(Refusal.NO_ORACLE, "nothing is said of its outputs")
        situation = self.situation(vector_id, reply)
        if not presents(self.form, situation):
            raise NotPresentedError(f"form {self.form} cannot present it")
        form = form_named(self.form)
        presentation = form.build(situation)
        presentation.model.graph.name = "explored"
        if self.form != _STATIC:
            _require_types_of_others(presentation)
        _require_place(self.form, reply, presentation)
        results = [
            (
                Permitted(
                    item.taken,
                    item.reason,
                    None if item.outputs is None else f"permitted_{index}",
                    item.anything,
                    not _is_drawn(reply) or item.outputs is None or _has_drawn(item.outputs),
                ),
                item.outputs or (),
            )
            for index, item in enumerate(reply.permitted)
        ]
        if form.refusal is not None and not results:
            outputs = presentation.data_sets[0].outputs
            results = [(Permitted("result", "the model runs", "permitted_0"), outputs)]
        if form.refusal is not None and all(item.folder for item, _ in results):
            results.append((Permitted("rejected", form.refusal, None), ()))
        outputs = presentation.data_sets[0].outputs
        accuracy = accuracy_of((*outputs, *(one for _, values in results for one in values)))
        laws = laws_of(presentation, situation)
        kind = Kind.LATITUDE if results else Kind.VALID
        vector = Vector(
            id=vector_id,
            kind=kind,
            purpose="; ".join(self.edits)[:400],
            operator=self.spec.operator,
            domain=self.spec.domain,
            since_version=self.version.since_version,
            opset=self.operator_opset,
            ir_version=situation.ir_version,
            types=dict(self.types),
            case=EXPLORED,
            form=self.form,
            covers=(),
            documented=None,
            rtol=PLAIN_RTOL if accuracy else 0.0,
            atol=plain_reach(laws) if laws else PLAIN_ATOL if accuracy else 0.0,
            inputs=presentation.inputs,
            outputs=presentation.outputs,
            permitted=tuple(item for item, _ in results),
            permitted_by=ELEMENT if reply.permitted else RESULT,
            accuracy=accuracy,
            laws=laws,
            extra={
                **value_kinds((*presentation.data_sets[0].inputs, *outputs)),
                EXPLORED: {"base": self.base, "edits": list(self.edits)},
            },
        )
        model = serialize(presentation.model)
        return Made(vector, files_of(vector, model, presentation.data_sets, results))


def _require_place(form: str, reply: Reply, presentation: Presentation) -> None:
    """NotPermittedError where a form adds outputs or data sets to a call with an open result."""
    if not reply.permitted:
        return
    if len(reply.permitted) > MOST_RESULTS:
        raise NotPermittedError(Refusal.TOO_LARGE, f"{len(reply.permitted)} permitted results")
    sets = [[item.name for item in one.outputs] for one in presentation.data_sets]
    if sets != [[item.name for item in reply.outputs]]:
        raise NotPresentedError(f"form {form} has one place for a result")


def _require_types_of_others(presentation: Presentation) -> None:
    """NotPermittedError where another node of a form does not take the types: SequenceConstruct."""
    from ..interpreter import installed_signatures
    from ..interpreter.outcomes import RefusedError
    from ..interpreter.reading import read_model
    from ..interpreter.validity.checking import check_model

    try:
        check_model(read_model(presentation.model), installed_signatures())
    except RefusedError as error:
        raise NotPresentedError(str(error)) from None


def _is_drawn(reply: Reply) -> bool:
    return any(_has_drawn(item.outputs or ()) for item in reply.permitted)


def _has_drawn(values: Sequence[NamedValue]) -> bool:
    return any(isinstance(item.value, Drawn) for item in values)
