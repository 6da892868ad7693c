"""Laws: conditions on an output whose elements nobody can predict, such as random numbers.

A law is an object with the key `law` and a few numbers, as data.json holds it, so that a judge in
any language can check it without knowing an operator:

| law | what must hold | keys |
|---|---|---|
| `values` | every element is one of these numbers | `of` |
| `range` | every element lies between these numbers, both included | `low`, `high` |
| `sum` | the sum of (x - about)^power over elements lies between these | `from`, `to`, `about`, |
| | numbers, both included | `power`, `low`, `high` |
| `count` | this many elements x have above <= x < below | `from`, `to`, `above`, `below`, |
| | | `least`, `most` |
| `same` | every element equals that of another output | `as` |
| `different` | some element differs from that of another output | `as` |

`from` and `to` are places in row-major order; `to` is not included. Element type and shape are
judged before the laws; sums are computed in double precision, and the bounds leave room for its
rounding.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from ..errors import BadInputError
from .describing import bit_patterns, part_type
from .elements import element_type
from .floats import FLOAT_FORMATS, numbers
from .limits import signed
from .tensors import Tensor

if TYPE_CHECKING:
    import numpy as np

    Reals = np.ndarray[Any, np.dtype[np.float64]]

Law = Mapping[str, Any]

_KEYS: Mapping[str, tuple[str, ...]] = {
    "values": ("of",),
    "range": ("low", "high"),
    "sum": ("from", "to", "about", "power", "low", "high"),
    "count": ("from", "to", "above", "below", "least", "most"),
    "same": ("as",),
    "different": ("as",),
}
_PLACES = ("from", "to")


def check_laws(laws: Any, where: str) -> None:  # noqa: ANN401  a part of a file
    """Raise BadInputError if `laws` of a data.json are not as this module describes them.

    Args:
        laws: lists of laws by the name of the output.
        where: the file, for the message.
    """
    if not isinstance(laws, dict) or not all(isinstance(item, list) for item in laws.values()):
        raise BadInputError(f"{where}: laws must map names of outputs to lists")
    for name, listed in laws.items():
        for law in listed:
            _check_law(law, f"{where}: a law of output '{name}'")


def _check_law(law: Any, where: str) -> None:  # noqa: ANN401  a part of a file
    kind = law.get("law") if isinstance(law, dict) else None
    if not isinstance(kind, str) or kind not in _KEYS:
        raise BadInputError(f"{where} is none of {', '.join(_KEYS)}")
    if set(law) != {"law", *_KEYS[kind]}:
        raise BadInputError(f"{where}, '{kind}', has the keys {', '.join(_KEYS[kind])}")
    for key in _KEYS[kind]:
        value = law[key]
        if key == "as":
            right = isinstance(value, str)
        elif key == "of":
            right = isinstance(value, list) and all(_is_number(item) for item in value)
        elif key in _PLACES:
            right = isinstance(value, int) and not isinstance(value, bool) and value >= 0
        else:
            right = _is_number(value)
        if not right:
            raise BadInputError(f"{where}, '{kind}': '{key}' cannot be {value!r}")


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def broken(laws: Iterable[Law], got: Tensor, others: Mapping[str, Tensor]) -> str | None:
    """The first law that a tensor breaks, in words; None if it keeps them all.

    Args:
        laws: the laws of this output.
        got: what a backend returned for it, of the right type and shape.
        others: what it returned for the outputs that `same` and `different` name; a law about an
            output that is not here is skipped.
    """
    reals = _reals(got)
    for law in laws:
        words = _broken_pair(law, reals, others) if "as" in law else _broken_alone(law, reals)
        if words is not None:
            return words
    return None


def _broken_pair(law: Law, reals: Reals, others: Mapping[str, Tensor]) -> str | None:
    import numpy as np

    other = others.get(law["as"])
    if other is None:
        return None
    same = np.array_equal(reals, _reals(other))
    if same == (law["law"] == "same"):
        return None
    required = "the same as" if law["law"] == "same" else "other elements than"
    return f"must hold {required} '{law['as']}'"


def _broken_alone(law: Law, reals: Reals) -> str | None:
    import numpy as np

    kind = law["law"]
    if kind in ("values", "range"):
        if kind == "values":
            wrong = ~np.isin(reals, law["of"])
        else:
            wrong = ~((law["low"] <= reals) & (reals <= law["high"]))
        if not wrong.any():
            return None
        first = int(np.flatnonzero(wrong)[0])
        permitted = law["of"] if kind == "values" else f"{law['low']} to {law['high']}"
        return f"element {first} is {reals[first]!s}; permitted are {permitted}"
    some = reals[law["from"] : law["to"]]
    place = f"elements {law['from']} to {law['to']}"
    if kind == "sum":
        with np.errstate(all="ignore"):
            found: Any = float(((some - law["about"]) ** law["power"]).sum())
        low, high = law["low"], law["high"]
        what = f"the sum of (x - {law['about']})^{law['power']}"
    else:
        found = int(((law["above"] <= some) & (some < law["below"])).sum())
        low, high = law["least"], law["most"]
        what = f"the number of x with {law['above']} <= x < {law['below']}"
    if low <= found <= high:
        return None
    return f"{what} over {place} is {found:g}; permitted are {low:g} to {high:g}"


def _reals(tensor: Tensor) -> Reals:
    """The elements as float64; BadInputError for strings and complex numbers."""
    import numpy as np

    kind = element_type(tensor.type).kind
    if kind in ("string", "complex"):
        raise BadInputError(f"laws are about real numbers, not {tensor.type}")
    bits = bit_patterns(tensor)
    if part_type(tensor.type) in FLOAT_FORMATS:
        return numbers(bits, FLOAT_FORMATS[tensor.type])
    if kind == "int":
        # As integers first: 2**64 - 1 as a float would be 2**64, and -1 become 0.
        return signed(bits, element_type(tensor.type).bits).astype(np.float64)
    if kind == "bool":
        bits = bits != 0  # as elsewhere: any other byte than 0 is true
    return bits.astype(np.float64)
