"""The family of encoded images: streams that are recorded beside the specs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from onnx_conformance.core.errors import BadInputError

from ...oracle.recorded.streams import stream_named
from ...specs.model import Case, Example, Literal
from ..assigning import assigned
from ..operator import Operator
from ..registry import family

_STREAM, _FORMAT = "encoded_stream", "pixel_format"


@family("images")
def images(operator: Operator, *, cases: dict[str, dict[str, Any]]) -> Iterator[Case]:
    """Images as files have them, a line a case; the oracle has what each holds.

    Parameters:
        cases: for each id its `stream`, a file of `specs/images`, and `pixel_format`, which is the
            operator's.
    """
    for name, given in cases.items():
        unknown = given.keys() - {"stream", _FORMAT}
        if unknown or "stream" not in given:
            raise BadInputError(
                f"case '{name}' has `stream` and perhaps `{_FORMAT}`, not {', '.join(given)}"
            )
        stream = stream_named(given["stream"])
        inputs = {_STREAM: Literal((len(stream),), tuple(stream))}
        format_of_it = {_FORMAT: given[_FORMAT]} if _FORMAT in given else {}
        attributes, _ = assigned(operator, format_of_it, "any")
        case = operator.case(name, inputs, attributes, forms=("static",))
        yield replace(case, examples=(Example(inputs, None),))
