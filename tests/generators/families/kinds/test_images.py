"""The family of encoded images: streams that are recorded, presented in a pixel format."""

from __future__ import annotations

from types import MappingProxyType, SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from onnx_conformance.core.errors import BadInputError
from onnx_conformance.generators.families.kinds.images import images
from onnx_conformance.generators.oracle.recorded.streams import stream_named

if TYPE_CHECKING:
    from collections.abc import Mapping

    from onnx_conformance.generators.specs.model import Case, Literal


class _Operator:
    """Takes what the family gives for a case."""

    versions: Mapping[int, Any] = MappingProxyType({})
    values = SimpleNamespace(
        parameter=lambda _name: None, attribute=lambda _name, node: node.string()
    )

    def attribute(self, name: str, value: object) -> None: ...

    def case(
        self, name: str, inputs: dict[str, Literal], attributes: dict[str, Any], **_: object
    ) -> Case:
        raise LookupError((name, inputs, attributes))


def test_a_case_feeds_the_bytes_of_its_stream_with_the_pixel_format() -> None:
    case = {"stream": "png_rgb.png", "pixel_format": "BGR"}
    with pytest.raises(LookupError) as caught:
        list(images(_Operator(), cases={"one": case}))  # type: ignore[arg-type]
    ((name, inputs, attributes),) = caught.value.args
    assert ("one", {"pixel_format": "BGR"}) == (name, attributes)
    assert stream_named("png_rgb.png") == bytes(inputs["encoded_stream"].values)


@pytest.mark.parametrize(
    ("case", "reason"),
    [
        ({}, "case 'one' has `stream` and perhaps `pixel_format`"),
        ({"stream": "png_rgb.png", "pixel": "BGR"}, "perhaps `pixel_format`, not stream, pixel"),
        ({"stream": "some.gif"}, "'some.gif' is no stream of"),
    ],
)
def test_an_image_that_is_none_is_refused(case: dict[str, Any], reason: str) -> None:
    with pytest.raises(BadInputError, match=reason):
        list(images(_Operator(), cases={"one": case}))  # type: ignore[arg-type]
