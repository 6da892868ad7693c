"""BiasSilu: v * sigmoid(beta * v) of v = X + bias. Source: ../BiasSilu.md."""

from __future__ import annotations

from onnx_conformance.generators.oracle.api import (
    INF,
    NAN,
    ZERO,
    Call,
    Fraction,
    Grid,
    Interval,
    InvalidCallError,
    Item,
    Real,
    Result,
    Steps,
    add,
    broadcast_to,
    combine,
    enclosed,
    from_float,
    is_infinite,
    is_nan,
    oracle,
)


@oracle("BiasSilu", domain="com.example")
def bias_silu(call: Call) -> Result:
    """The formula, and its limits at infinities."""
    beta = from_float(call.float_attribute("beta"))
    if not isinstance(beta, Fraction):
        raise InvalidCallError("beta is no finite number")
    x, bias = call.grid("X"), _bias(call)

    def formula(s: Steps, x: Interval, b: Interval) -> Interval:
        v = s.add(x, b)
        return s.mul(v, s.sigmoid(s.mul(s.rounded(beta), v)))

    def element(x: Real, b: Real) -> Item:
        v = add(x, b)  # exactly, or what IEEE 754 says of infinities
        if is_nan(v):
            return NAN
        if is_infinite(v):
            # Where beta * v is minus infinity the sigmoid is 0, and the document says the limit.
            return v if beta == 0 or (v is INF) == (beta > 0) else ZERO
        return enclosed(call.types["T"], formula, x, b)

    return (combine(x.type, element, x, bias),)


def _bias(call: Call) -> Grid:
    """The bias as long as the last axis of X, repeated along the others; zeros where absent."""
    x, bias = call.grid("X"), call.optional_grid("bias")
    if x.rank == 0:
        raise InvalidCallError("X is a scalar, which has no last axis")
    if bias is None:
        return x.map(lambda _: ZERO)
    if bias.shape != x.shape[-1:]:
        raise InvalidCallError(f"bias has shape {bias.shape}, the last axis of X {x.shape[-1]}")
    return broadcast_to(bias, x.shape)
