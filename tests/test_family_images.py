"""The family of encoded images: streams that others can read, and the pixels that are expected."""

from __future__ import annotations

import random
import zlib
from typing import TYPE_CHECKING, Any

import pytest

from onnx_conformance.core.errors import BadInputError
from onnx_conformance.generators.families.encoders.deflate import compressed
from onnx_conformance.generators.families.encoders.raster import Raster
from onnx_conformance.generators.families.kinds.images import _outputs, images

if TYPE_CHECKING:
    from onnx_conformance.generators.specs.model import Case, Literal

COLOURS = Raster((((1, 2, 3), (4, 5, 6)),), 255)
GRAYS = Raster((((7,), (8,)),), 255)


def _values(raster: Raster, pixel_format: str) -> object:
    found = _outputs(raster, pixel_format)
    return found and found["image"].values


def test_what_zlib_reads_is_what_was_written() -> None:
    for seed in range(60):
        chance = random.Random(seed)  # noqa: S311  bytes that can be made again
        letters = range(chance.choice([2, 5, 256]))
        data = bytes(chance.choice(letters) for _ in range(chance.randrange(700)))
        for text in (data, data * 3, bytes(seed * 20)):
            assert text == zlib.decompress(compressed(text))


def test_the_streams_of_zlib_are_the_same_everywhere() -> None:
    # By hand: the last block, fixed codes, "a", 39 times what was one before, the end.
    assert "78014b24120000" == compressed(b"a" * 40).hex()[:14]


def test_channels_are_expected_in_the_order_of_the_pixel_format() -> None:
    assert (1, 2, 3, 4, 5, 6) == _values(COLOURS, "RGB")
    assert (3, 2, 1, 6, 5, 4) == _values(COLOURS, "BGR")
    assert _values(COLOURS, "Grayscale") is None
    assert (7, 7, 7, 8, 8, 8) == _values(GRAYS, "BGR")
    assert (7, 8) == _values(GRAYS, "Grayscale")


class _Operator:
    """Takes what the family gives for a case."""

    def case(
        self, name: str, inputs: dict[str, Literal], attributes: dict[str, Any], **_: object
    ) -> Case:
        raise LookupError((name, inputs, attributes))


@pytest.mark.parametrize(
    ("case", "reason"),
    [
        ({}, "has no format of pnm, bmp"),
        ({"format": "gif"}, "has no format of pnm, bmp"),
        ({"format": "png", "depht": 8}, "unexpected keyword argument 'depht'"),
        ({"format": "png", "colour": "blue"}, "no colour of a PNG"),
        ({"format": "jpeg", "sampling": "4x4"}, "no sampling"),
    ],
)
def test_an_image_that_is_none_is_refused(case: dict[str, Any], reason: str) -> None:
    with pytest.raises(BadInputError, match=reason):
        list(images(_Operator(), cases={"one": case}))  # type: ignore[arg-type]


def test_streams_can_be_cut_off_and_spoilt() -> None:
    streams = []
    for more in ({}, {"cut": 3}, {"spoil": 0}):
        with pytest.raises(LookupError) as caught:
            list(images(_Operator(), cases={"one": {"format": "pnm", "kind": 5, **more}}))  # type: ignore[arg-type]
        streams.append(bytes(caught.value.args[0][1]["encoded_stream"].values))
    whole, cut, spoilt = streams
    assert whole[:-3] == cut
    assert (ord("P") ^ 255, whole[1:]) == (spoilt[0], spoilt[1:])
