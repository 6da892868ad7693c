"""`onnx-vectors families`: the families that a spec may name, with their manuals."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING

from onnx_conformance.core.errors import ExitCode

if TYPE_CHECKING:
    import argparse

    from ..families.registry import Family


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument("names", nargs="*", metavar="FAMILY", help="show these alone, in full")


def execute(arguments: argparse.Namespace) -> int:
    """Print a line for each family, or the manuals of the chosen ones."""
    from ..families.registry import all_families, family_named

    if not arguments.names:
        for name, family in all_families().items():
            print(f"{name:<14} {(inspect.getdoc(family.function) or '').splitlines()[0]}")
        return ExitCode.OK
    for name in arguments.names:
        _print(family_named(name))
    return ExitCode.OK


def _print(family: Family) -> None:
    print(f"{family.name}\n")
    print(inspect.getdoc(family.function))
    print("\nparameters and their defaults:")
    for name, parameter in list(inspect.signature(family.function).parameters.items())[1:]:
        needed = parameter.default is inspect.Parameter.empty
        print(f"  {name}: {'needed' if needed else repr(parameter.default)}")
    if family.templates:
        print("\nrequirements that it brings:")
        for identifier, template in family.templates.items():
            print(f"  {identifier}: {template.text}")
    print()
