"""Answers the good vectors rightly, and each bad one with the right answer spoiled at random."""

import sys
from pathlib import Path
from random import Random

from well_behaved import right_reply, serve, write_bytes

sys.path.append(str(Path(__file__).parents[1]))
from spoiling import SEED, line_of, spoiled, spoiled_bytes


def spoil(request):
    random = Random(f"{SEED} {request['id']}")  # noqa: S311  the same on every machine
    reply = right_reply(request)
    if random.random() < 0.3:
        line = spoiled_bytes(random, line_of(reply))
    else:
        line = line_of(spoiled(random, reply))
    write_bytes(line + b"\n")
    return True


serve(spoil)
