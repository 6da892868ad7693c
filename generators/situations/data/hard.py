"""Arguments of functions whose results lie almost halfway between two numbers of a type.

The profile `hard:FUNCTION` has them: `hard:exp` those of exp. An approximation that is off by a
hundredth of an ulp rounds some of them to the wrong neighbour, so that who computes them all
exactly rounds correctly elsewhere too. There are such numbers of float32 and float64.
"""

from __future__ import annotations

from collections.abc import Mapping

from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.values.elements import element_type
from onnx_conformance.core.values.packing import pack
from onnx_conformance.core.values.tensors import Tensor

from .hard_cases import HARD_CASES

HARD = "hard"


def hard_codes(function: str, type_name: str) -> list[int]:
    """The codes of the arguments of this function; BadInputError if there are none of the type."""
    found: Mapping[str, str] = HARD_CASES.get(function, {})
    if type_name not in found:
        known = ", ".join(HARD_CASES)
        raise BadInputError(
            f"the data profile '{HARD}:{function}' has no numbers of {type_name}; it has float32 "
            f"and float64 of {known}"
        )
    return [int(code, 16) for code in found[type_name].split()]


def hard_tensor(function: str, type_name: str) -> Tensor:
    """The arguments in one dimension; BadInputError as hard_codes."""
    codes = hard_codes(function, type_name)
    return Tensor(type_name, (len(codes),), pack(element_type(type_name), codes))
