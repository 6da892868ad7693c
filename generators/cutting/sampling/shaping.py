"""What windows and attributes come to, in numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..questions import NotCutError
from .pieces import Shape

if TYPE_CHECKING:
    import onnx


def changed(
    node: onnx.NodeProto, removed: Sequence[str], added: Mapping[str, Any]
) -> onnx.NodeProto:
    """A node with other attributes."""
    from onnx import helper

    copy = type(node)()
    copy.CopyFrom(node)
    del copy.attribute[:]
    gone = {*removed, *added}
    copy.attribute.extend(item for item in node.attribute if item.name not in gone)
    copy.attribute.extend(helper.make_attribute(name, value) for name, value in added.items())
    return copy


def axis_of(number: int, rank: int) -> int:
    """An axis counted from the start; NotCutError if there is none."""
    if not -rank <= number < rank:
        raise NotCutError(f"axis {number} is none of {rank}")
    return number % rank


@dataclass(frozen=True)
class Windows:
    """The windows of a convolution or pool along one axis.

    Attributes:
        size: of the input.
        outputs: how many windows there are.
        reach: from the first to the last element of one window.
        stride: from a window to the next.
        before, after: what is padded.
    """

    size: int
    outputs: int
    reach: int
    stride: int
    before: int
    after: int

    def at(self, output: int) -> tuple[Sequence[int], int, int] | None:
        """The part of the input in a window, and what is padded on either side.

        None for a window that ends beyond what is padded, or holds nothing but that.
        """
        start = output * self.stride - self.before
        end = start + self.reach
        if end > self.size + self.after or start >= self.size or end <= 0:
            return None
        inside = range(max(start, 0), min(end, self.size))
        return inside, max(-start, 0), max(end - self.size, 0)


def windows_of(
    attributes: Mapping[str, Any], spatial: Shape, kernel: Sequence[int]
) -> tuple[Windows, ...]:
    """The windows along each axis, as the pages of Conv and of the pools compute them.

    Args:
        attributes: of the node: auto_pad, ceil_mode, dilations, pads, strides.
        spatial: the sizes of the input.
        kernel: the sizes of the kernel.
    """
    rank = len(spatial)
    if len(kernel) != rank:
        raise NotCutError("its kernel has another rank than its input")
    strides = list(attributes.get("strides") or [1] * rank)
    dilations = list(attributes.get("dilations") or [1] * rank)
    pads = list(attributes.get("pads") or [0] * (2 * rank))
    automatic = attributes.get("auto_pad", "NOTSET")
    found = []
    for axis, size in enumerate(spatial):
        reach = dilations[axis] * (kernel[axis] - 1) + 1
        stride = strides[axis]
        if automatic in ("SAME_UPPER", "SAME_LOWER"):
            outputs = -(-size // stride)
            total = max((outputs - 1) * stride + reach - size, 0)
            less, more = total // 2, total - total // 2
            before, after = (less, more) if automatic == "SAME_UPPER" else (more, less)
        else:
            before, after = (0, 0) if automatic == "VALID" else (pads[axis], pads[axis + rank])
            room = size + before + after - reach
            outputs = (-(-room // stride) if attributes.get("ceil_mode") else room // stride) + 1
            if attributes.get("ceil_mode") and (outputs - 1) * stride >= size + before:
                outputs -= 1  # a window that would start in the padding behind is left out
        found.append(Windows(size, outputs, reach, stride, before, after))
    return tuple(found)
