"""If, all versions. Source: its page, Attributes and Outputs.

The branches are given as graphs that can be run (`subgraph.Subgraph`); the operator does not need
to know the scope that they see.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...errors import InvalidCallError
from ...registry import Call, Result, oracle
from .subgraphs import graph_of, is_true

_SHAPES_MAY_DIFFER = 11


@oracle("If")
def if_(call: Call) -> Result:
    """The outputs of one branch, chosen by the only element of the condition.

    Both have as many outputs, of the same types; in version 1 of the same shapes too.
    """
    condition = is_true(call.tensor("cond"))
    first, second = graph_of(call, "then_branch"), graph_of(call, "else_branch")
    if len(first.outputs) != len(second.outputs):
        raise InvalidCallError(
            f"the branches have {len(first.outputs)} and {len(second.outputs)} outputs"
        )
    for one, other in zip(first.output_types, second.output_types, strict=False):
        if one is not None and other is not None and one != other:
            raise InvalidCallError(f"an output is {one} in one branch and {other} in the other")
    if call.since_version < _SHAPES_MAY_DIFFER:
        for here, there in zip(first.output_shapes, second.output_shapes, strict=False):
            if _shapes_differ(here, there):
                raise InvalidCallError(f"an output is {here} in one branch, {there} in the other")
    return (first if condition else second).run(())


def _shapes_differ(
    here: Sequence[int | str | None] | None, there: Sequence[int | str | None] | None
) -> bool:
    """Whether two declared shapes cannot be one."""
    if here is None or there is None:
        return False
    return len(here) != len(there) or any(
        one != other
        for one, other in zip(here, there, strict=False)
        if isinstance(one, int) and isinstance(other, int)
    )
