"""ReverseSequence: the beginning of each sequence turned round. Source: its page, Summary."""

from __future__ import annotations

from ...arith.grid import indices, place_of
from ...errors import InvalidCallError
from ...registry import Call, Result, oracle, refuse_if_chosen


@oracle("ReverseSequence")
def reverse_sequence(call: Call) -> Result:
    """Of each sequence of the batch as many elements turned round as its length says."""
    data, lengths = call.grid("input"), call.integers("sequence_lens")
    batch, time = call.int_attribute("batch_axis", 1), call.int_attribute("time_axis", 0)
    if data.rank < 2:
        raise InvalidCallError(f"the input has rank {data.rank}, not 2 at least")
    if batch not in (0, 1) or time not in (0, 1):
        raise InvalidCallError(f"batch_axis {batch} and time_axis {time}, not 0 or 1")
    if call.grid("sequence_lens").shape != (data.shape[batch],):
        raise InvalidCallError(f"{len(lengths)} lengths for a batch of {data.shape[batch]}")
    if any(not 0 <= length <= data.shape[time] for length in lengths):
        raise InvalidCallError(f"a length outside [0, {data.shape[time]}] in {list(lengths)}")
    if batch == time:
        refuse_if_chosen(call, "one-axis-for-both", "as-it-is")
        return (data,)
    taken = []
    for index in indices(data.shape):
        source = list(index)
        length = lengths[index[batch]]
        if index[time] < length:
            source[time] = length - 1 - index[time]
        taken.append(place_of(data.shape, source))
    return (data.take(taken, data.shape),)
