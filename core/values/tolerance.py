"""How near a result must be: the kinds of comparison.

docs/tolerance.md describes each kind in full.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from .limits import IEEE

EXACT_KIND: Final = "exact"
ULP_KIND: Final = "ulp"
ABSOLUTE_RELATIVE_KIND: Final = "absolute-relative"
TYPE_AND_SHAPE_KIND: Final = "type-and-shape"
LIMITS_KIND: Final = "limits"


ToleranceKind: TypeAlias = Literal["exact", "ulp", "absolute-relative", "type-and-shape", "limits"]


@dataclass(frozen=True)
class Tolerance:
    """How far a result may differ from the expected value.

    NaN, infinities and (unless `signed_zero` is False) the sign of zeros are judged before any
    distance, in every kind.

    Attributes:
        kind: `exact`, `ulp`, `absolute-relative`, `type-and-shape` for random values, or `limits`:
            values with limits are judged by them, and all others are exact.
        ulps: for `ulp`: how many representable steps a value may differ.
        half_ulps: the same for floating-point types of at most 16 bits.
        rtol, atol: for `absolute-relative`: |got - expected| <= atol + rtol * |expected|.
        bfloat16_rtol: rtol for bfloat16, if it is greater.
        of_largest: for `absolute-relative`: adds this many machine epsilons of the type, times the
            largest finite absolute value expected in the same tensor.
        signed_zero: whether -0 and 0 differ.
        integers: whether `absolute-relative` applies to integers too; otherwise they are exact.
        profile: which limits count if an expected value has limits, in every kind: one of
            `limits.PROFILES`. `onnx` also accepts what `rtol` and `atol` accept.
    """

    kind: ToleranceKind = EXACT_KIND
    ulps: int = 0
    half_ulps: int = 0
    rtol: float = 0.0
    atol: float = 0.0
    bfloat16_rtol: float = 0.0
    of_largest: int = 0
    signed_zero: bool = True
    integers: bool = False
    profile: str = IEEE

    def __str__(self) -> str:
        """In words, for reports."""
        if self.kind in (EXACT_KIND, TYPE_AND_SHAPE_KIND):
            return self.kind.replace("-", " ")
        if self.kind == LIMITS_KIND:
            return f"the limits of {self.profile}"
        if self.kind == ULP_KIND:
            return f"{self.ulps} ulp"
        if self.of_largest:
            return f"{self.of_largest} eps of the largest"
        return f"atol {self.atol:g} + rtol {self.rtol:g}"


EXACT = Tolerance()
TYPE_AND_SHAPE = Tolerance(TYPE_AND_SHAPE_KIND)
# Two steps of bfloat16, as in ONNX's runner.
_BFLOAT16_RTOL = 2.0**-6


def pair(rtol: float, atol: float) -> Tolerance:
    """The tolerance of a data.json's rtol and atol, judged as ONNX's runner does: both 0 is exact.

    The runner uses NumPy's allclose, which does not distinguish -0 from 0, and which applies to
    integers too.
    """
    if rtol == 0 and atol == 0:
        return EXACT
    return Tolerance(
        ABSOLUTE_RELATIVE_KIND,
        rtol=rtol,
        atol=atol,
        bfloat16_rtol=_BFLOAT16_RTOL,
        signed_zero=False,
        integers=True,
    )
