"""Says which vectors convict each held fault.

    python -m strength.held.measuring --vectors DIR [OPERATOR ...]

Vectors of the operators are tried in this order, and a fault that is convicted is tried no more.
"""

from __future__ import annotations

import argparse
import time
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from onnx_conformance.generators.interpreter.running import Session

from ..evidence import Evidence
from ..surroundings import Fault
from .mechanism import registered

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .mechanism import HeldFault

_MODULES = ("types", "opsets", "computations", "optimizing", "calls")
#: Whole models first, then the operators whose vectors are cheapest.
OPERATORS = (
    *("IR", "Graphs", "Identity", "Shape", "Size", "Reshape", "Concat", "Gather", "Slice"),
    *("Transpose", "Split", "Squeeze", "Constant", "If", "Loop", "ReduceProd", "Clip", "Cast"),
    "ai.onnx.ml:LabelEncoder",
)
# Seconds; a vector that takes the correct runtime longer is not tried.
_QUICK = 0.05


def held_faults() -> tuple[HeldFault, ...]:
    """All of them."""
    for name in _MODULES:
        import_module(f"{__package__}.{name}")
    return registered()


def convicted(
    vectors: Path, operators: Sequence[str], faults: Sequence[HeldFault]
) -> Iterator[tuple[HeldFault, str]]:
    """Each fault with the first vector that convicts it, as they are found."""
    alive = list(faults)
    for operator in operators:
        domain, _, name = operator.rpartition(":")
        evidence = Evidence(vectors, domain, name)
        quick = [item for item in sorted(evidence.exhibits) if _is_quick(evidence, item)]
        rest = []
        for fault in alive:
            first = next((item for item in quick if evidence.convicts(item, fault)), None)
            if first is None:
                rest.append(fault)
            else:
                yield fault, first
        alive = rest


def _is_quick(evidence: Evidence, identity: str) -> bool:
    """Whether a vector takes little time; ValueError if it convicts a correct runtime."""
    begun = time.process_time()
    if evidence.convicts(identity, Fault("right", "nothing is wrong", Session)):
        raise ValueError(f"{identity} convicts a runtime that is right")
    return time.process_time() - begun < _QUICK


def main() -> None:
    """Print what convicts each, and those that live."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--vectors", type=Path, required=True)
    parser.add_argument("operators", nargs="*", default=OPERATORS)
    arguments = parser.parse_args()
    faults = held_faults()
    found = dict(convicted(arguments.vectors, arguments.operators, faults))
    for area in dict.fromkeys(item.area for item in faults):
        here = [item for item in faults if item.area == area]
        print(f"{area}: {sum(item in found for item in here)} of {len(here)}")
        for item in here:
            print(f"  {item.name}: {found.get(item, f'LIVES: {item.summary}')}")
    print(f"all: {len(found)} of {len(faults)}")


if __name__ == "__main__":
    main()
