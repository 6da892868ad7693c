"""How near is near enough: the compare kinds, and the rule of each vector.

docs/tolerance.md says in full what each kind means and why.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .vectors import Vector

EXACT_KIND = "exact"
ULP_KIND = "ulp"
ABSOLUTE_RELATIVE_KIND = "absolute-relative"

ONNX_MODE = "onnx"
STRICT_MODE = "strict"
MODES = (ONNX_MODE, STRICT_MODE)


@dataclass(frozen=True)
class Tolerance:
    """How far a result may be from the expected value.

    NaN, infinities and (unless `signed_zero` is False) the sign of zeros are judged before any
    distance, whatever the kind.

    Attributes:
        kind: `exact`, `ulp` or `absolute-relative`.
        ulps: for `ulp`: how many representable steps a value may be off.
        rtol, atol: for `absolute-relative`: |got - expected| <= atol + rtol * |expected|.
        signed_zero: whether -0 and 0 differ.
    """

    kind: str = EXACT_KIND
    ulps: int = 0
    rtol: float = 0.0
    atol: float = 0.0
    signed_zero: bool = True

    def __str__(self) -> str:
        """In words, for reports."""
        if self.kind == EXACT_KIND:
            return "exact"
        zero = "" if self.signed_zero else ", zeros equal"
        if self.kind == ULP_KIND:
            return f"{self.ulps} ulp{zero}"
        return f"atol {self.atol:g} + rtol {self.rtol:g}{zero}"


EXACT = Tolerance()


def pair(rtol: float, atol: float) -> Tolerance:
    """The tolerance that a data.json's rtol and atol ask for: both 0 means exact."""
    if rtol == 0 and atol == 0:
        return EXACT
    # NumPy's allclose, which the pair is made for, does not tell -0 from 0.
    return Tolerance(ABSOLUTE_RELATIVE_KIND, rtol=rtol, atol=atol, signed_zero=False)


def rule_for(vector: Vector, mode: str = ONNX_MODE) -> Tolerance:
    """The tolerance that a vector is judged with.

    Args:
        vector: what is judged; a vector of ours (rtol and atol 0) is exact in every mode.
        mode: `onnx`, the pair that the vector carries; or `strict`, ours.
    """
    if mode not in MODES:
        raise ValueError(f"unknown tolerance mode {mode!r}")
    return pair(vector.rtol, vector.atol)
