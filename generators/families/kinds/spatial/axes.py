"""Windows on one axis or more: sizes that are solved for so that a window just fits.

For the families of operators whose windows have as many places as fit on an axis and its padding.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...operator import dims_text

if TYPE_CHECKING:
    from collections.abc import Iterator

SIZE = "one-element-a-position"
EMPTY = "no-position-no-element"
PADS = "padding-at-each-end"
DILATION = "taps-are-dilated"


@dataclass(frozen=True)
class Windows:
    """Windows over spatial axes, and the purpose of the case."""

    #: Spatial sizes of the input, one for each axis; so are the next three.
    sizes: tuple[int, ...]
    #: Sizes of the window.
    kernel: tuple[int, ...]
    #: Steps between windows; empty means that the attribute is absent.
    strides: tuple[int, ...] = ()
    #: Steps inside a window; empty means that the attribute is absent.
    dilations: tuple[int, ...] = ()
    #: Padding before each axis, then after each; empty means that the attribute is absent.
    pads: tuple[int, ...] = ()
    #: The value of auto_pad; empty means that the attribute is absent.
    mode: str = ""
    #: Whether the number of windows is rounded up: ceil_mode.
    ceil: bool = False
    #: Whether padding counts in an average: count_include_pad.
    counted: bool = False
    #: Batch size and number of channels.
    outer: tuple[int, int] = (1, 2)
    #: The requirements that it exercises.
    covers: tuple[str, ...] = (SIZE,)

    @property
    def name(self) -> str:
        """The name in the id: every number that is not the default."""
        parts = [f"in{dims_text(self.sizes)}", f"k{dims_text(self.kernel)}"]
        if self.strides:
            parts.append(f"s{dims_text(self.strides)}")
        if self.dilations:
            parts.append(f"d{dims_text(self.dilations)}")
        if self.pads:
            parts.append("p" + "_".join(map(str, self.pads)))
        parts += [self.mode.lower()] * bool(self.mode)
        parts += ["ceil"] * self.ceil + ["counted"] * self.counted
        if self.outer != (1, 2):
            parts.append(f"of{dims_text(self.outer)}")
        return "_".join(parts)


def solved(count: int, kernel: int, stride: int, dilation: int, padding: int) -> int:
    """The least size of an axis on which a window has this number of positions."""
    return (count - 1) * stride + (kernel - 1) * dilation + 1 - padding


def on_axis(
    size: int, kernel: int, stride: int = 1, dilation: int = 1, pads: tuple[int, ...] = ()
) -> Windows:
    """Windows over one axis; numbers that an attribute has by default are left out."""
    covers = (SIZE,) + (PADS,) * bool(pads) + (DILATION,) * (dilation != 1)
    return Windows(
        (size,),
        (kernel,),
        (stride,) * (stride != 1),
        (dilation,) * (dilation != 1),
        pads,
        covers=covers,
    )


def fitting() -> Iterator[Windows]:
    """Sizes at which three windows just fit, and one size beside."""
    for kernel, stride, dilation, pads in (
        (3, 2, 1, ()),
        (2, 3, 1, ()),
        (3, 2, 2, (1, 2)),
        (3, 1, 2, (0, 1)),
    ):
        size = solved(3, kernel, stride, dilation, sum(pads))
        for beside in (0, -1, 1):
            yield on_axis(size + beside, kernel, stride, dilation, pads)
    yield on_axis(solved(1, 3, 1, 1, 0), 3)
    yield on_axis(solved(1, 2, 1, 4, 0), 2, 1, 4)


def beside_padding() -> Iterator[Windows]:
    """Padding of up to the window's size minus one, and more."""
    yield on_axis(3, 2, 1, 1, (1, 0))
    yield on_axis(3, 2, 1, 1, (0, 1))
    yield on_axis(2, 3, 1, 1, (2, 2))
    yield on_axis(2, 2, 1, 1, (2, 1))  # the first window is over padding alone
    yield on_axis(3, 2, 1, 3, (2, 2))  # padding as wide as the kernel, not as its extent
    yield on_axis(5, 2, 3, 1, (0, 2))  # padding that no window reaches
    yield on_axis(1, 2, 1, 2, (1, 1))  # no tap is over an element
