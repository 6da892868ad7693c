"""The JSON Schema of specs, by which an editor completes and checks a spec while it is typed.

It is made from the reader's own tables: the keys of a spec and of each kind of case, the permitted
words, and the registered families with their manuals. A key of the reader without an entry here is
a KeyError, which a test shows. `onnx-vectors schemas` writes the file.
"""

from __future__ import annotations

import inspect
import json

from onnx_conformance.core.corpus.vectors import PHASES, Kind
from onnx_conformance.core.values.elements import ELEMENT_TYPES
from onnx_conformance.core.yaml.nodes import INT64_MAXIMUM, INT64_MINIMUM

from ..families.reading import OWN_KEYS, WITH
from ..families.registry import Family
from ..forms import all_forms
from ..specs.cases.invalid import FAULTS, WRAPPINGS
from ..specs.cases.reading import keys_of_case
from ..specs.cases.scopes import GROUP, LET, OF_ONE_CASE
from ..specs.cases.spreads import LEVELS, WHOLE
from ..specs.ids import CASE_ID, REQUIREMENT_ID
from ..specs.reading import SPEC_OPTIONAL, SPEC_REQUIRED
from ..specs.versions_reading import ATTRIBUTE_TYPES
from ..specs.words import ROLES
from .json_schema import Schema, by_name, list_of, object_of, one_of, ref, text
from .manuals import parameter_text
from .statements import STATEMENTS

EDITOR_SCHEMA = "schema.json"


def rendered_editor_schema() -> str:
    """The text of schema.json."""
    return json.dumps(editor_schema(), indent=1, ensure_ascii=False) + "\n"


def editor_schema() -> Schema:
    """The JSON Schema of a spec."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Spec of an ONNX operator",
        "description": "One file of specs/: the contract of one operator. docs/specs.md explains"
        " it. An editor checks the shape with this; `onnx-vectors check` knows what refers to"
        " what.",
        **object_of({key: _SPEC[key] for key in (*SPEC_REQUIRED, *SPEC_OPTIONAL)}, SPEC_REQUIRED),
        "anyOf": [{"required": ["cases"]}, {"required": ["families"]}],
        "$defs": {
            **_WORDS,
            "spread": _spread(),
            "fault": object_of({key: _FAULT[key] for key in FAULTS}, (), "What is wrong."),
            "form": one_of(list(all_forms()), "How a model presents a case; see docs/specs.md."),
            **_VALUES,
            **_VERSIONS,
            **STATEMENTS,
            **{f"{kind}_case": _case(kind) for kind in _CASES},
            **{f"{kind}_entry": _entry(kind) for kind in _CASES},
            "family": _families(),
        },
    }


# --- words, values, attributes ---

_WORDS: Schema = {
    "name": {
        "type": "string",
        "pattern": "^[A-Za-z_][A-Za-z0-9_]*$",
        "description": "The name of an input, output, attribute or type variable, as in the"
        " operator document.",
    },
    "case_id": {
        "type": ["string", "integer"],
        "pattern": f"^{CASE_ID.pattern}$",
        "description": "Permanent: lower-case letters, digits and single underscores.",
    },
    "requirement_id": {
        "type": ["string", "integer"],
        "pattern": f"^{REQUIREMENT_ID.pattern}$",
        "description": "Permanent: lower-case letters, digits and single hyphens.",
    },
    "version_number": {
        "type": "integer",
        "minimum": 1,
        "description": "A since_version of the operator.",
    },
    "element_type": one_of([item.name for item in ELEMENT_TYPES], "An element type."),
    "attribute_type": one_of(ATTRIBUTE_TYPES, "The type of an attribute."),
    "types": {
        "description": "An element type, a set of types.yaml, or a list of both.",
        "oneOf": [text(), list_of(text(), least=1)],
    },
}
_INT64 = {"type": "integer", "minimum": INT64_MINIMUM, "maximum": INT64_MAXIMUM}
_TENSOR = {
    **object_of(
        {
            "shape": ref("dimensions", "The dimensions; without `values` the elements are made."),
            "values": ref("elements", "The elements, nested or flat beside `shape`."),
            "type": ref("element_type", "The element type, where it is not the parameter's."),
            "profile": text("Which elements are made; docs/specs.md lists the data profiles."),
        }
    ),
    "anyOf": [{"required": ["shape"]}, {"required": ["values"]}],
}
_TAKEN = object_of(
    {
        "from": text("The input whose elements an output holds."),
        "take": ref("elements", "Positions in it, from 0, as nested lists."),
        "shape": ref("dimensions", "The dimensions, where the lists do not show them."),
    },
    ("from", "take"),
)
_MAP = object_of(
    {
        "keys": ref("elements", "One key for each value."),
        "values": ref("elements", "One value for each key."),
    },
    ("keys", "values"),
    "A map.",
)
_VALUES: Schema = {
    "dimensions": list_of(
        {"type": "integer", "minimum": 0, "maximum": INT64_MAXIMUM}, "Dimensions; [] is a scalar."
    ),
    "declared_dimensions": list_of(_INT64, "Dimensions as the model declares them."),
    "elements": {
        "description": "A number, text or truth value, or nested lists of them.",
        "anyOf": [{"type": ["number", "string", "boolean"]}, list_of(ref("elements"))],
    },
    "literal": {
        "description": "Dimensions for data, elements for other inputs; a mapping says which.",
        "anyOf": [
            ref("elements"),
            _TENSOR,
            _TAKEN,
            object_of(
                {"sequence": list_of(ref("literal"), "A sequence of values.")}, ("sequence",)
            ),
            object_of({"optional": ref("literal", "A value, or `absent`.")}, ("optional",)),
            object_of({"map": _MAP}, ("map",)),
            ref("named"),
            # A variadic input or output.
            list_of(ref("literal")),
        ],
    },
    "values": by_name(ref("literal"), "A value for each input or output."),
    "attribute_value": {
        "description": "What the attribute's type asks for: a number or text, a list of them, a"
        " tensor, or a graph in ONNX's text syntax.",
        "anyOf": [
            {"type": ["number", "string"]},
            list_of({"type": ["number", "string"]}),
            _TENSOR,
            ref("named"),
        ],
    },
    "named": object_of({LET: text("A name below `let` of the spec.")}, (LET,), "What is named so."),
    "given_attributes": by_name(
        {
            "anyOf": [
                ref("attribute_value"),
                object_of(
                    {"type": ref("attribute_type"), "value": ref("attribute_value")},
                    ("type", "value"),
                    "The value with its type, for an attribute that the operator does not have or"
                    " has with another type.",
                ),
            ]
        },
        "Attributes that the node is given; one that is not here is absent.",
    ),
}


# --- versions, requirements, questions ---


def _flag(words: str) -> Schema:
    return {"type": "boolean", "description": words}


def _parameter(**own: Schema) -> Schema:
    type_name = text("A type variable or an element type.")
    keys = {
        "type": type_name,
        "optional": _flag("Whether a node may leave it out."),
        "variadic": _flag("Whether a node may have several values for it."),
    }
    return {"anyOf": [type_name, object_of({**keys, **own}, ("type",))]}


_VERSIONS: Schema = {
    "input": _parameter(),
    "output": _parameter(elements=text("The input whose elements it holds in row-major order.")),
    "attribute": {
        "anyOf": [
            ref("attribute_type"),
            object_of(
                {
                    "type": ref("attribute_type"),
                    "default": ref("attribute_value", "What an absent attribute means."),
                    "required": _flag("Whether a node must have it; not beside a default."),
                },
                ("type",),
            ),
        ]
    },
    "version": object_of(
        {
            "types": by_name(ref("types"), "The element types of each type variable."),
            "inputs": by_name(ref("input"), "Inputs in the order of the signature.", 1),
            "outputs": by_name(ref("output"), "Outputs in the order of the signature.", 1),
            "attributes": by_name(ref("attribute"), "Every attribute of this version."),
        },
        description="What changed at this since_version; else it is as in the version before.",
    ),
}

_SPEC: Schema = {
    "operator": text("The operator's name, as in the document."),
    "domain": text("Its domain; absent for the default one."),
    "versions": {
        "type": "object",
        "description": "For an operator that ONNX's schemas do not have: since_version -> what it"
        " is; ascending. The first has all four keys.",
        "propertyNames": {"pattern": "^[1-9][0-9]*$"},
        "additionalProperties": ref("version"),
        "minProperties": 1,
    },
    "roles": by_name(
        {"anyOf": [one_of(ROLES), {"type": "string", "pattern": "^elements of "}]},
        "What an input is, where its name and type do not say; of an output, `elements of INPUT`"
        " whose elements it holds in row-major order.",
    ),
    "element_types": object_of(
        {
            "default": ref("element_type", "That of vectors that are not about types."),
            "set_by": by_name(
                text(), "For an attribute that names a type, the type variable that it sets."
            ),
            "like": by_name(
                text(), "For a type variable, the one that it is like where no attribute sets it."
            ),
        },
        description="How the element types of its inputs and outputs hang together.",
    ),
    "requirements": list_of(ref("requirement"), "Every statement of the document."),
    "open": list_of(ref("question"), "What the document leaves open, and how it may be read."),
    "let": by_name({}, "Values that several cases share: `{let: NAME}` stands for one."),
    "cases": list_of(ref("valid_entry"), "Cases that are not invalid, and groups of them."),
    "families": list_of(ref("family"), "Cases that families make from their parameters."),
    "invalid": list_of(ref("invalid_entry"), "Cases that must be rejected, and groups of them."),
    "second_sources": list_of(ref("second_source"), "What is beside the oracle without runtimes."),
    "wide": list_of(ref("wide"), "Why vectors stand whose limits say next to nothing."),
    "withdrawn": list_of(ref("case_id"), "Ids of cases that are gone: they are never used again."),
}

# --- cases ---

_CASES = {
    Kind.VALID: "A situation with the result that the document requires, or that it permits.",
    Kind.INVALID: "A valid case with one change, by which it breaks exactly one rule.",
}
_FAULT: Schema = {
    "arguments": list_of(
        {"type": "string"}, "The node's inputs, where they are not the operator's; '' is absent."
    ),
    "results": list_of(
        {"type": "string"}, "The node's outputs, where they are not the operator's."
    ),
    "repeat": ref("given_attributes", "Attributes that the node has a second time."),
    "declare_types": by_name(
        ref("element_type"), "Element types that the model declares for its outputs."
    ),
    "declare_shapes": by_name(
        ref("declared_dimensions"), "Shapes that the model declares for its outputs."
    ),
    "ranks": by_name(
        {"type": "integer", "minimum": 0, "maximum": 64},
        "Ranks that the model declares for its outputs, where they are not the control's.",
    ),
    "wrap": one_of(WRAPPINGS, "What the model makes of the data before the node."),
}
_OUTPUTS = ref("values", "The literal result: every output.")
_CASE: Schema = {
    "id": ref("case_id"),
    "covers": list_of(ref("requirement_id"), "The requirements that the case exercises.", 1),
    "inputs": ref("values"),
    "purpose": text("What goes wrong in a runtime that fails it."),
    "documented": text("ONNX's own name of the example."),
    "attributes": ref("given_attributes"),
    "since": ref("version_number", "The first version at which it is tried."),
    "until": ref("version_number", "The last version at which it is tried."),
    "types": {
        "description": "A list: the element types it is limited to. A mapping: the type of each"
        " type variable that has not the usual one.",
        "anyOf": [ref("types"), by_name({"anyOf": [text(), list_of(text(), least=1)]})],
    },
    "forms": {
        "description": "The forms in which it is presented, where they apply; or at the newest"
        " version, besides the plain one, further element types by the form that shows them.",
        "anyOf": [
            list_of(ref("form"), least=1),
            {
                "type": "object",
                "propertyNames": ref("form"),
                "additionalProperties": ref("types"),
            },
        ],
    },
    "data": text("The data profile of inputs of which only dimensions are written."),
    "requested": list_of({"type": "string"}, "The outputs that the node has, where not all."),
    "spread": ref("spread"),
    "outputs": _OUTPUTS,
    "then": list_of(
        object_of({"inputs": ref("values"), "outputs": _OUTPUTS}, ("inputs", "outputs")),
        "Further data sets, run on the same loaded model.",
    ),
    "control": text("The nearest valid case: a rejection counts only where it passes."),
    "reject": one_of(PHASES, "The first phase at which the fault can be known."),
    "fault": ref("fault"),
    "permitted": list_of(ref("permitted"), "The results that the document leaves open.", 2),
}


def _spread() -> Schema:
    words = {**{item.value: text for item, text in LEVELS.items()}, **WHOLE}
    word = {
        "anyOf": [
            *({"const": name, "description": text} for name, text in words.items()),
            {"type": "string", "pattern": "^types:"},
        ]
    }
    return {
        "description": "How widely it is proposed; `classes` where nothing is said.",
        "anyOf": [word, list_of(word, least=1)],
    }


def _case(kind: Kind) -> Schema:
    required, optional = keys_of_case(kind)
    return object_of({key: _CASE[key] for key in (*required, *optional)}, required, _CASES[kind])


def _entry(kind: Kind) -> Schema:
    """A case, or a group, which gives its cases all but what belongs to one case alone."""
    required, optional = keys_of_case(kind)
    shared = {key: _CASE[key] for key in (*required, *optional) if key not in OF_ONE_CASE}
    # What its group says a case need not say.
    member = object_of({key: _CASE[key] for key in (*required, *optional)}, ("id",))
    cases = list_of(member, "The cases for which the other keys hold.", 1)
    group = object_of({**shared, GROUP: cases}, (GROUP,), "Cases, and what they have in common.")
    return {"anyOf": [ref(f"{kind}_case"), group]}


# --- families ---

_FAMILY: Schema = {
    "covers": list_of(text(), "Requirements that its cases cover."),
    "since": ref("version_number", "The first version at which its cases are tried."),
    "until": ref("version_number", "The last version at which its cases are tried."),
    "id": ref("case_id", "What the ids of its cases begin with."),
    "spread": ref("spread", "How widely its cases are proposed, where not as the family says."),
}


def _families() -> Schema:
    from ..families.registry import all_families

    return {"anyOf": [_family(item) for item in all_families().values()]}


def _family(item: Family) -> Schema:
    """The parameters of a family, described as in its manual."""
    manual = inspect.getdoc(item.function) or ""
    parameters = inspect.signature(item.function).parameters
    required = [
        name for name in item.parameters if parameters[name].default is inspect.Parameter.empty
    ]
    return object_of(
        {
            "family": {"const": item.name, "description": manual.partition("\n")[0]},
            **{key: _FAMILY[key] for key in OWN_KEYS if key != WITH},
            WITH: object_of(
                {name: {"description": parameter_text(manual, name)} for name in item.parameters},
                required,
                "What the family makes its cases from.",
            ),
        },
        ("family", *((WITH,) if required else ())),
        manual.partition("\n")[0],
    )
