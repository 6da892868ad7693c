"""Where in an image a normalized position lies, and which elements it takes.

Source: GridSample's page, Inputs, align_corners, padding_mode and mode. Beyond its ends an image
goes on with zeros, with its last element, or mirrored; a mirrored image is the same on both sides
of its mirrors, so that what lies around a mirrored place is mirrored around the place itself.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from ...accuracy.profiles import HALF
from ...arith.numbers import ONE, ZERO
from ...arith.rationals import Fraction
from ...arith.rounding import round_to, unit_roundoff
from ...registry import Call
from .taps import Kernel, Tap

# The coefficient of Keys' function that ONNX's examples have.
_CUBIC = Fraction(-3, 4)
KERNELS = {"linear": Kernel(1), "cubic": Kernel(2, _CUBIC)}
EVEN_SINCE = 20
# What the page leaves open; see specs/gridsample.yaml.
_HALVES = ("of-the-place", "of-its-image")
_BORDERS = ("place", "place-outside", "elements-beyond")
_MIRRORS = ("edges", "margin-pixels")
# How many roundings a place has, and a weight.
_ROUNDINGS_OF_A_PLACE = 4
_ROUNDINGS_OF_A_WEIGHT = 8


@dataclass(frozen=True)
class Place:
    """A place along an axis of an image.

    Attributes:
        at: in elements from the first one, exact.
        error: how far off a runtime's may be; 0 where every way to compute it is exact.
        size: of the axis.
        outside: whether the position is beyond -1 or 1.
    """

    at: Fraction
    error: Fraction
    size: int
    outside: bool


@dataclass(frozen=True)
class Sampling:
    """How elements are read.

    Attributes:
        call: what is asked where the page leaves something open.
        mode: `nearest`, `linear` or `cubic`.
        padding: `zeros`, `border` or `reflection`.
        corners: whether -1 and 1 are the centres of the first and the last element.
        working: the floating-point type that weights are computed in.
        places: the one that places are computed in.
    """

    call: Call
    mode: str
    padding: str
    corners: bool
    working: str
    places: str

    def place(self, position: Fraction, size: int) -> Place:
        """Where a position from -1 to 1 lies along an axis."""
        across = size - 1 if self.corners else size
        at = ((position + 1) * across - (0 if self.corners else 1)) / 2
        ways = (position + 1, (position + 1) * across, position * across, at * 2, at)
        error = ZERO
        if any(round_to(self.places, way) != way for way in ways):
            greatest = (abs(position) + 1) * max(across, 1)
            error = _ROUNDINGS_OF_A_PLACE * unit_roundoff(self.places) * greatest
        return Place(at, error, size, abs(position) > 1)

    def is_lost(self, place: Place) -> bool:
        """Whether a runtime cannot tell between which elements a mirrored place lies."""
        return self.padding == "reflection" and place.error >= HALF

    # --- the nearest element ---

    def nearest(self, place: Place) -> list[int | None]:
        """The elements that may be the nearest one; None where there is a zero instead."""
        found: dict[int | None, None] = {}
        for way in dict.fromkeys((place.at, place.at - place.error, place.at + place.error)):
            low, high = math.ceil(way - HALF), math.floor(way + HALF)
            if low != high and self.call.since_version >= EVEN_SINCE:
                found[self._even(way, place)] = None
            else:
                found |= {self._index(low, place.size): None, self._index(high, place.size): None}
        return list(found)

    def _even(self, at: Fraction, place: Place) -> int | None:
        """The element with an even index of the two that a place lies halfway between."""
        plain = self._index(round(at), place.size)
        if self.padding != "reflection" or self.corners or not place.outside:
            return plain
        # Its image between the edges is halfway between two elements as well.
        across = (at + HALF) % (2 * place.size)
        image = min(across, 2 * place.size - across) - HALF
        other = min(max(round(image), 0), place.size - 1)
        if plain == other or self.call.choose("half-of-a-reflection", *_HALVES) == _HALVES[0]:
            return plain
        return other

    # --- elements with weights ---

    def taps(self, place: Place) -> list[Tap]:
        """The elements around a place with their weights; what has no element is a zero."""
        kernel = KERNELS[self.mode]
        at, error = self._clipped(place), place.error
        if not -kernel.reach - error <= at < place.size - 1 + kernel.reach + error:
            # Far outside there are zeros, or the border, wherever it is.
            if self.padding == "zeros":
                return []
            if self.padding == "border":
                return self._at_border(at, place.size)
        first = math.floor(at - error) - kernel.reach + 1
        last = math.floor(at + error) + kernel.reach
        weights = {index: kernel.at(index - at) for index in range(first, last + 1)}
        lost = kernel.slope() * error
        if lost or any(round_to(self.working, one) != one for one in weights.values()):
            lost += _ROUNDINGS_OF_A_WEIGHT * unit_roundoff(self.working)
        indices = {index: self._index(index, place.size) for index in weights}
        if self.padding == "border" and self.mode == "linear" and at < 0 < place.size - 1:
            indices[1], weights[1] = 1, ZERO  # as at the border
        return [
            Tap(inside, weights[index], lost)
            for index, inside in indices.items()
            if inside is not None
        ]

    def _at_border(self, at: Fraction, size: int) -> list[Tap]:
        """The element at an end; a runtime that clips the place multiplies the next by zero."""
        end = [Tap(0 if at < 0 else size - 1, ONE)]
        return [*end, Tap(1, ZERO)] if at < 0 and size > 1 and self.mode == "linear" else end

    def _clipped(self, place: Place) -> Fraction:
        """The place, or with `border` the nearest one between the first and the last element."""
        inside = min(max(place.at, ZERO), Fraction(place.size - 1))
        if self.padding != "border" or self.mode != "cubic" or inside == place.at:
            return place.at
        reading = self.call.choose("border-of-cubic", *_BORDERS)
        if reading == "elements-beyond" or (reading == "place-outside" and not place.outside):
            return place.at
        return inside

    # --- beyond the ends ---

    def _index(self, index: int, size: int) -> int | None:
        """The element that stands at an index; None for a zero."""
        if 0 <= index < size:
            return index
        if self.padding == "zeros":
            return None
        if self.padding == "border":
            return min(max(index, 0), size - 1)
        margins = _mirrored(index, 2 * (size - 1), 0) if size > 1 else 0
        edges = _mirrored(index, 2 * size, 1)
        if self.corners or margins == edges:
            return margins
        return edges if self.call.choose("mirrors", *_MIRRORS) == _MIRRORS[0] else margins


def _mirrored(index: int, period: int, twice: int) -> int:
    """The index in the first half of a period; the ends are there once, or twice."""
    found = index % period
    return min(found, period - twice - found)
