"""DepthToSpace and SpaceToDepth: channels to blocks of pixels, and back.

Sources: the pages of both, Summary, Attributes and Inputs. In which order the channels hold the
pixels of a block is defined by DepthToSpace since version 11 and by SpaceToDepth since version 28.
"""

from __future__ import annotations

from ...arith.grid import Grid, places, strides
from ...attributes import word
from ...errors import InvalidCallError
from ...registry import Call, Result, oracle

_ORDER_IS_STATED = {"DepthToSpace": 11, "SpaceToDepth": 28}


@oracle("DepthToSpace")
def depth_to_space(call: Call) -> Result:
    """Each pixel of the input spread over a block, from its channels.

    (N, C, H, W) becomes (N, C / (b * b), H * b, W * b) with blocks of b x b; `mode` says whether a
    channel is (row, column, depth), DCR, or (depth, row, column), CRD. Refused: another rank, a
    blocksize below 1, channels that fill no whole blocks.
    """
    data, block = _given(call)
    batch, channels, height, width = data.shape
    if channels % (block * block):
        raise InvalidCallError(f"{channels} channels do not fill blocks of {block} x {block}")
    depth = channels // (block * block)
    order = _order(call, data, block, depth)
    s_batch, s_channel, s_row, s_column = strides(data.shape)
    if order == "DCR":  # a channel is (row of the block, column of the block, depth)
        of_row, of_column, of_depth = block * depth * s_channel, depth * s_channel, s_channel
    else:  # (depth, row of the block, column of the block)
        of_row, of_column, of_depth = block * s_channel, s_channel, block * block * s_channel
    taken = places(
        (batch, depth, height, block, width, block),
        (s_batch, of_depth, s_row, of_row, s_column, of_column),
    )
    return (data.take(taken, (batch, depth, height * block, width * block)),)


@oracle("SpaceToDepth")
def space_to_depth(call: Call) -> Result:
    """Each block of pixels put into the channels of one pixel.

    (N, C, H, W) becomes (N, C * b * b, H / b, W / b) with blocks of b x b; `mode` says how a
    channel is numbered, and where a version has no `mode`, that is asked. Refused: another rank, a
    blocksize below 1, a size that is no multiple of it.
    """
    data, block = _given(call)
    batch, depth, height, width = data.shape
    if height % block or width % block:
        raise InvalidCallError(f"{height} x {width} has no whole blocks of {block} x {block}")
    order = _order(call, data, block, depth)
    s_batch, s_channel, s_row, s_column = strides(data.shape)
    inside = ((block, block, depth), (s_row, s_column, s_channel))
    if order == "CRD":
        inside = ((depth, block, block), (s_channel, s_row, s_column))
    taken = places(
        (batch, *inside[0], height // block, width // block),
        (s_batch, *inside[1], s_row * block, s_column * block),
    )
    shape = (batch, depth * block * block, height // block, width // block)
    return (data.take(taken, shape),)


def _given(call: Call) -> tuple[Grid, int]:
    data, block = call.grid("input", rank=4), call.int_attribute("blocksize")
    if block < 1:
        raise InvalidCallError(f"blocks of {block}")
    return data, block


def _order(call: Call, data: Grid, block: int, depth: int) -> str:
    """`DCR` or `CRD`: where the depth stands among the numbers of a channel."""
    if call.since_version >= _ORDER_IS_STATED[call.operator]:
        return word(call, "mode", ("DCR", "CRD"), "DCR")
    if block == 1 or depth == 1 or not data.items:
        return "DCR"  # the orders are the same
    return call.choose("order-of-channels", "DCR", "CRD")
