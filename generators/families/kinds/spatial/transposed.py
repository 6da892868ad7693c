"""The family of kernels that spread over spatial axes: outputs on the boundary of their class."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ....specs.words import Spread
from ...assigning import assigned
from ...operator import dims_text
from ...registry import family

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ....specs.model import Case
    from ...operator import Operator

# Requirements that the spec states.
SIZE = "size-by-equation"
ADDED = "output-padding"
ASKED = "output-shape"
SAME = "same-is-times-stride"
UPPER, LOWER = "SAME_UPPER", "SAME_LOWER"


@dataclass(frozen=True)
class _Spread:
    """A kernel over spatial axes, and the purpose of the case."""

    #: Spatial sizes of the input, one for each axis; so are the next four.
    sizes: tuple[int, ...]
    #: Sizes of the kernel.
    kernel: tuple[int, ...]
    #: Steps between kernels; empty means that the attribute is absent.
    strides: tuple[int, ...] = ()
    #: Steps inside a kernel; empty means that the attribute is absent.
    dilations: tuple[int, ...] = ()
    #: What output_padding adds; empty means that the attribute is absent.
    added: tuple[int, ...] = ()
    #: Padding before each axis, then after each; empty means that the attribute is absent.
    pads: tuple[int, ...] = ()
    #: The value of output_shape; empty means that the attribute is absent.
    asked: tuple[int, ...] = ()
    #: The value of auto_pad; empty means that the attribute is absent.
    mode: str = ""
    #: The requirements that it exercises.
    covers: tuple[str, ...] = (SIZE,)
    #: Whether older versions have it too.
    everywhere: bool = False

    @property
    def full(self) -> tuple[int, ...]:
        """The sizes of the output if nothing is taken away."""
        rank = len(self.sizes)
        strides, dilations = self.strides or (1,) * rank, self.dilations or (1,) * rank
        added = self.added or (0,) * rank
        return tuple(
            stride * (size - 1) + more + (kernel - 1) * dilation + 1
            for size, kernel, stride, dilation, more in zip(
                self.sizes, self.kernel, strides, dilations, added, strict=True
            )
        )

    @property
    def name(self) -> str:
        """The name in the id: every number that is not the default."""
        parts = [f"in{dims_text(self.sizes)}", f"k{dims_text(self.kernel)}"]
        for letters, numbers in (
            ("s", self.strides),
            ("d", self.dilations),
            ("add", self.added),
            ("out", self.asked),
        ):
            parts += [f"{letters}{dims_text(numbers)}"] * bool(numbers)
        if self.pads:
            parts.append("p" + "_".join(map(str, self.pads)))
        parts += [self.mode.lower()] * bool(self.mode)
        return "_".join(parts)

    def given(self, channels: int, maps: int) -> dict[str, Any]:
        """The inputs and attributes of the case."""
        attributes = {
            "strides": self.strides,
            "dilations": self.dilations,
            "output_padding": self.added,
            "output_shape": self.asked,
            "pads": self.pads,
        }
        return {
            "X": [1, channels, *self.sizes],
            "W": [channels, maps, *self.kernel],
            **{name: list(numbers) for name, numbers in attributes.items() if numbers},
            **({"auto_pad": self.mode} if self.mode else {}),
        }


@family("spreads")
def spreads(
    operator: Operator,
    *,
    data: str = "exact",
    channels: int = 2,
    maps: int = 1,
    full: int = 0,
) -> Iterator[Case]:
    """Kernels that spread, with outputs on the boundary of their class.

    What is taken away from the full output is solved for: nothing, an odd and an even number, all
    but one element and everything, by pads, by `output_shape` and by `auto_pad`. Kernels overlap,
    touch, or leave gaps; `output_padding` is as great as it may be, and is cut by pads or not. On
    one axis to three, each with its own class. Ids say the numbers: `in3_k3_s2_add1_p1_2`. The spec
    states `size-by-equation`, `output-padding`, `output-shape` and `same-is-times-stride`.

    Parameters:
        data: data profile of X and W.
        channels: how many channels X has.
        maps: how many output channels W makes.
        full: the version from which all of them stand; those before it have a sample.
    """
    for one in _every():
        settled, inputs = assigned(operator, one.given(channels, maps), data)
        first = operator.since or min(operator.versions)
        yield operator.case(
            one.name,
            inputs,
            settled,
            covers=one.covers,
            since=first if one.everywhere else max(first, full),
            # In other types and forms the sample is enough.
            spread=Spread.CLASSES if one.everywhere else Spread.ENDS,
        )


def _every() -> Iterator[_Spread]:
    yield from _padded()
    yield from _added()
    yield from _asked()
    yield from _automatic()
    yield from _of_axes()


def _split(total: int) -> tuple[int, int]:
    """Two uneven widths of padding."""
    return total - total // 3, total // 3


def _padded() -> Iterator[_Spread]:
    """Kernels that overlap, touch and leave gaps, and pads that leave so many elements."""
    for kernel, stride, dilation in (
        (3, 1, 1),
        (3, 2, 1),
        (2, 2, 1),
        (2, 4, 1),
        (3, 1, 2),
        (2, 2, 3),
    ):
        one = _Spread((3,), (kernel,), (stride,) * (stride != 1), (dilation,) * (dilation != 1))
        yield replace(one, everywhere=(kernel, stride) == (2, 4))
        yield replace(one, pads=_split(one.full[0] - 1))  # one element is left
    yield replace(_Spread((3,), (3,), (2,)), pads=(0, 2))
    yield replace(_Spread((1,), (3,), (2,)), pads=(1, 0))


def _added() -> Iterator[_Spread]:
    """output_padding of 0 and of the most that is permitted, with pads at the end around it."""
    most = _Spread((3,), (2,), (3,), added=(2,), covers=(ADDED, SIZE))
    yield replace(most, added=(0,))
    yield replace(most, everywhere=True)
    for behind in (1, 2, 3):  # less than what is added, as much, and more
        yield replace(most, pads=(1, behind))
    yield _Spread((2,), (2,), (2,), (3,), (1,), covers=(ADDED, SIZE))


def _asked() -> Iterator[_Spread]:
    """output_shape that takes nothing, an odd and an even number away."""
    one = _Spread((3,), (4,), (2,), covers=(ASKED,))
    whole = one.full[0]
    yield replace(one, asked=(whole,))
    for total in (1, 2, 3):
        for mode in ("", UPPER, LOWER):
            if total % 2 or not mode:
                yield replace(one, asked=(whole - total,), mode=mode, everywhere=total == 1)
    yield replace(one, asked=(1,))
    padded = replace(one, added=(1,))
    yield replace(padded, asked=(padded.full[0] - 1,))


def _automatic() -> Iterator[_Spread]:
    """auto_pad where the kernel is as long as the stride, and one, two and three longer."""
    for mode in (UPPER, LOWER):
        for longer in range(4):
            one = _Spread((3,), (2 + longer,), (2,), mode=mode, covers=(SAME,))
            yield replace(one, everywhere=longer == 1)
        yield _Spread((4,), (2,), (), (4,), mode=mode, covers=(SAME,))


def _of_axes() -> Iterator[_Spread]:
    """Several axes, each with its own numbers."""
    yield _Spread((3, 2), (2, 3), (3, 1), (1, 2), (2, 0), (1, 0, 0, 2), covers=(ADDED, SIZE))
    yield _Spread((3, 2), (3, 3), (3, 2), asked=(8, 4), mode=LOWER, covers=(ASKED,))
    yield _Spread((3, 2), (2, 4), (1, 3), mode=UPPER, covers=(SAME,), everywhere=True)
    yield _Spread(
        (2, 3, 2), (2, 1, 3), (1, 2, 2), (), (0, 1, 1), (0, 0, 1, 1, 0, 0), covers=(ADDED, SIZE)
    )
