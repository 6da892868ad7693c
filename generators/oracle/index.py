"""Which module holds the oracle of an operator: read before any of them is imported.

One entry a module, with the operators that it registers; those of another domain than ONNX's own
as `domain:operator`. A test holds it against what the modules register.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

MODULES = {
    # The dimensions of a tensor.
    "shape": "Shape",
    # The number of elements.
    "size": "Size",
    # The same elements in another shape.
    "reshape": "Reshape",
}


@cache
def module_of() -> Mapping[tuple[str, str], str]:
    """The module's name by (domain, operator); '' is ONNX's own domain."""
    table = {}
    for module, operators in MODULES.items():
        for name in operators.split():
            domain, _, operator = name.rpartition(":")
            table[domain, operator] = module
    return table
