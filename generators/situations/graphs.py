"""Graphs as attributes: ONNX's text syntax (docs/Syntax.md), with `$V` for the binding of V.

`$V[2]` is a tensor of two elements, `$V[]` one of any rank and `$V` a scalar, as in ONNX's own
text; if V is bound to a sequence or an optional, `$V` is that type.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.limits import LINE
from onnx_conformance.core.models.walking import names_from_around
from onnx_conformance.core.text import one_line, unwrapped
from onnx_conformance.core.values.tensors import NamedValue

from ..oracle.errors import InvalidCallError
from ..oracle.subgraph import Subgraph
from ..specs.model import GivenAttribute, GraphAttribute, OperatorVersion
from .type_texts import inner_type, is_tensor, map_types

if TYPE_CHECKING:
    import onnx


Outputs = TypeVar("Outputs")

_VARIABLE = re.compile(r"\$([A-Za-z]\w*)")
# Element types with another name in ONNX's text than in the corpus.
_NAMES = {"float32": "float", "float64": "double"}


def with_types(text: str, types: Mapping[str, str]) -> str:
    """The text with the type of each variable in it; BadInputError for one that is not bound."""

    def bound(match: re.Match[str]) -> str:
        name = match.group(1)
        if name not in types:
            raise BadInputError(f"a graph names ${name}, which is no type variable here")
        return _onnx_text(types[name])

    return _VARIABLE.sub(bound, text)


def _onnx_text(text: str) -> str:
    """A type in ONNX's text syntax; a tensor outside a container without its dimensions."""
    if is_tensor(text):
        return _NAMES.get(text, text)
    kind = text.partition("(")[0]
    if kind == "map":
        key, value = map_types(text)
        return f"map({_NAMES.get(key, key)}, {_inside(value)})"
    return f"{kind}({_inside(inner_type(text, kind))})"


def _inside(text: str) -> str:
    return f"{_onnx_text(text)}[]" if is_tensor(text) else _onnx_text(text)


def parsed(text: str) -> onnx.GraphProto:
    """The graph in a text; BadInputError if it cannot be read."""
    from onnx import parser

    try:
        graph: onnx.GraphProto = parser.parse_graph(text)
    except parser.ParseError as error:
        words = one_line(parser_words(error), LINE // 2)
        raise BadInputError(f"a graph cannot be read: {words}") from None
    return graph


def parser_words(error: Exception) -> str:
    """The message of an error of ONNX's parser, which may hold bytes, on one line."""
    content = error.args[0] if error.args else ""
    if isinstance(content, bytes):
        content = content.decode("utf-8", "backslashreplace")
    return unwrapped(str(content))


def has_graphs(version: OperatorVersion) -> bool:
    """Whether an operator has a graph attribute: its scope may then hold more than its inputs."""
    return any(item.type == "graph" for item in version.attributes.values())


def captured(attributes: Iterable[GivenAttribute]) -> frozenset[str]:
    """The names that graphs among the attributes take from the scope around the node."""
    return frozenset(
        name
        for item in attributes
        if isinstance(item.value, GraphAttribute)
        for name in names_from_around(parsed(re.sub(_VARIABLE, "float", item.value.text)))
    )


def runnable(
    graph: GraphAttribute, imports: Mapping[str, int], around: Sequence[NamedValue]
) -> Subgraph:
    """A graph that the oracle can run, in a scope that holds the values around the node.

    Args:
        graph: the attribute, with its types in place.
        imports: opset by domain.
        around: the values in the scope by name: the operator's inputs, and those that a case adds.

    Raises:
        InvalidCallError: the graph itself is wrong: a name is undefined, or defined twice.
    """
    from ..interpreter import installed_signatures
    from ..interpreter.model import Graph, Model
    from ..interpreter.outcomes import NoOracleError, RefusedError
    from ..interpreter.reading import read_graph
    from ..interpreter.running import Session
    from ..interpreter.scopes import Frame, Scope
    from ..interpreter.validity.checking import check_subgraph
    from ..interpreter.validity.words import word_of

    signatures = installed_signatures()
    nothing = Model(max(imports.values()), imports, Graph("", (), (), {}, ()), {})
    try:
        content = read_graph(parsed(graph.text))
        names = {item.name: word_of(item.value) for item in around}
        check_subgraph(content, names, nothing, signatures)
    except RefusedError as error:
        raise InvalidCallError(f"the graph is invalid: {error}") from None
    session = Session(nothing, signatures)
    scope = Scope({item.name: item.value for item in around})
    subgraph = session.subgraph(content, Frame(imports, None, scope))

    def refused(evaluate: Callable[[], Outputs]) -> Outputs:
        try:
            return evaluate()
        except RefusedError as error:
            raise InvalidCallError(f"in the graph: {error}") from None
        except NoOracleError as error:
            raise BadInputError(f"a graph cannot be run: {error}") from None

    return replace(
        subgraph,
        run=lambda values: refused(lambda: subgraph.run(values)),
        enclose=lambda steps, values: refused(lambda: subgraph.enclose(steps, values)),
    )
