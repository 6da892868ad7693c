"""The family of quantization: what a scale and a zero point make of the values of each type."""

from __future__ import annotations

from collections.abc import Iterator

from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.values.elements import element_type

from ...oracle.arith.rounding import limits
from ...specs.model import AnyLiteral, Case, Literal
from ..operator import Operator, tensor
from ..registry import Template, family

EACH_TYPE = "each-quantized-type"

TEMPLATES = {
    EACH_TYPE: Template(
        "Each quantized type has its own range, and any zero point of it.",
        "Summary and Type Constraints",
    ),
}

# A scale that divides without rounding, one that does not, and the ends of the zero points.
_EXACT, _BROKEN = 0.25, 0.1


@family("quantized_types", TEMPLATES)
def quantized_types(
    operator: Operator,
    *,
    scale: str,
    zero_point: str,
    types: list[str] | None = None,
    back: bool = False,
) -> Iterator[Case]:
    """The first input quantized to each type, or back from each, by several scales.

    For each quantized type: without a rounding (scale 1), by a scale that is a power of two with
    the least zero point, and by 0.1 with the greatest. The values are the ends of the type, ties,
    and numbers far beyond; back from it, all its values or its lattice.

    Parameters:
        scale, zero_point: the names of the inputs.
        types: the quantized types; all that the newest of its versions lists otherwise.
        back: whether the first input is the quantized one.
    """
    newest = operator.newest
    data = newest.inputs[0]
    parameter = newest.parameter_of(zero_point)
    if parameter is None:
        raise BadInputError(f"{operator.name} has no input '{zero_point}'")
    variable = parameter.type
    for name in types or newest.types.get(variable, (variable,)):
        values = "lattice:finite" if back else f"ends:{name}"
        plain = element_type(name).kind == "float"
        for label, factor, zero in _settings(name, plain=plain):
            inputs: dict[str, AnyLiteral] = {
                data.name: tensor((), values),
                scale: Literal((), (factor,)),
                zero_point: Literal((), (zero,)),
            }
            yield operator.case(
                f"{'from' if back else 'to'}_{name}_{label}",
                inputs,
                covers=(EACH_TYPE,),
                bind={variable: name},
            )


def _settings(name: str, *, plain: bool) -> Iterator[tuple[str, float, int | float]]:
    """Scales and zero points to try for a type, with their names."""
    if plain:
        yield "exact", 1.0, 0.0
        yield "broken", _BROKEN, 0.0
        return
    low, high = limits(name)
    yield "exact", 1.0, 0
    if name != "int32":  # its page has no zero point
        yield "least_zero", _EXACT, low
        yield "greatest_zero", _BROKEN, high
