"""A selection whose shard is planned by time."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from onnx_conformance.core.corpus.corpus import Corpus
from onnx_conformance.core.errors import IncompleteError, UsageError

from ..planning import controls_of
from ..selecting import Selection, select
from .shard_plan import ShardPlan, plan_shards


def by_time(
    corpus: Corpus, selection: Selection, path: Path | None
) -> tuple[Selection, ShardPlan | None]:
    """The selection with the part that a plan gives to its shard, and the plan.

    Args:
        corpus: the vectors.
        selection: what was asked for.
        path: the value of `--by-time`; None leaves the selection as it is.

    Raises UsageError without `--shard`, BadInputError for a file that gives no plan of these
    vectors, and IncompleteError for a shard without any.
    """
    if path is None:
        return selection, None
    if selection.shard is None:
        raise UsageError("--by-time needs --shard K/N: it says which vectors are in the K-th part")
    number, parts = selection.shard
    whole = select(corpus, replace(selection, shard=None))
    plan = plan_shards(path, parts, whole, controls_of(corpus, whole))
    part = frozenset(plan.parts[number - 1])
    if not part:
        raise IncompleteError(
            f"--shard {number}/{parts} has none of the {len(whole)} selected vectors by"
            f" {path}; use fewer shards"
        )
    return replace(selection, part=part, plan=plan.digest), plan
