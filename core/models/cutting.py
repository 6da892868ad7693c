"""What the validator may ask of whoever cuts vectors from models: an installed package.

A cutter is found by name, so that the validator knows nothing of specs and oracles: an entry point
of the group `onnx_conformance.cutting`, named `published`, that takes nothing and returns one.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from ..errors import BadInputError
from ..installed import installed

if TYPE_CHECKING:
    from ..values.tensors import Value
    from .listing import ModelUses

GROUP = "onnx_conformance.cutting"


@dataclass(frozen=True)
class CutReport:
    """What became of a model that was cut.

    Attributes:
        vectors: how many were written.
        refused: the uses without a vector, by digest, with the reason.
        reduced: digests of the uses whose vectors have smaller dimensions than the model's.
        sampled: digests of the uses with a vector that compares some elements alone.
        remarks: what holds for all of them, a sentence each.
    """

    vectors: int
    refused: Mapping[str, str]
    reduced: frozenset[str]
    sampled: frozenset[str]
    remarks: tuple[str, ...]


@dataclass(frozen=True)
class ExpectedNode:
    """What the oracle says of one node of a model, given the values of its inputs.

    Attributes:
        node: its name.
        operator: its operator.
        outputs: the names of its outputs in the model, without absent ones.
        files: the files of a vector that asks for them; None if there is no answer.
        reason: why there is none, or ''.
        sampled: whether some elements of the output are compared alone.
    """

    node: str
    operator: str
    outputs: tuple[str, ...]
    files: Mapping[str, bytes] | None
    reason: str
    sampled: bool = False


@dataclass(frozen=True)
class Interpreted:
    """What the oracles return for a model as a whole, each node on the results of those before it.

    Attributes:
        outputs: by name; None if they were not computed.
        why: why not, or ''.
    """

    outputs: Mapping[str, Value] | None
    why: str


class Cutter(Protocol):
    """Cuts vectors from models."""

    def cut(
        self, model: ModelUses, output: Path, dimensions: Mapping[str, int], inputs: Path | None
    ) -> CutReport:
        """Write a vector for each use into a folder, which is replaced as a whole.

        Args:
            model: the model.
            output: the folder; nothing is written where no use has a vector.
            dimensions: numbers for named dimensions.
            inputs: a data set or an .npz file to feed; None draws values.
        """
        ...

    def inputs(
        self, model: ModelUses, dimensions: Mapping[str, int], inputs: Path | None
    ) -> dict[str, Value]:
        """Values for the inputs of the model as a whole, by name; BadInputError without them."""
        ...

    def expected(self, model: ModelUses, values: Mapping[str, Value]) -> Iterator[ExpectedNode]:
        """What each node of the main graph must return, in order, for the values of its inputs.

        Args:
            model: the model.
            values: by name, as far as they are known.

        What all nodes take together is bounded by their sizes, and not by the clock; those that are
        left then have a reason instead.
        """
        ...

    def interpreted(
        self, model: ModelUses, fed: Mapping[str, Value], values: Mapping[str, Value]
    ) -> Interpreted:
        """The outputs of the model as a whole, where that is affordable.

        Args:
            model: the model.
            fed: values of its inputs.
            values: of its nodes, as a backend gave them: their sizes alone are used.
        """
        ...


def add_dimensions(parser: argparse.ArgumentParser | argparse._ArgumentGroup) -> None:
    """Add --dim: sizes of dynamic dimensions, as pairs of name and size."""
    parser.add_argument(
        "--dim",
        type=_named_size,
        action="append",
        default=[],
        metavar="NAME=N",
        help="the size of a dynamic dimension; may be given again",
    )


def _named_size(text: str) -> tuple[str, int]:
    """A dynamic dimension and its size from `NAME=N`, for argparse."""
    name, found, size = text.rpartition("=")
    if not found or not name or not size.isascii() or not size.isdecimal() or not int(size):
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=N with a positive whole number N")
    return name, int(size)


def find_cutter() -> Cutter:
    """The installed cutter; BadInputError if there is none."""
    lacking = "this installation cannot cut vectors from a model"
    try:
        make: Callable[[], Cutter] = installed(GROUP, lacking)
        return make()
    except ImportError as error:
        raise BadInputError(f"vectors cannot be cut from a model here: {error}") from None
