"""Dies as a Rust program does: the reason first, and then more lines than anybody keeps."""

import os
import sys

from well_behaved import serve


def spoil(_):
    sys.stderr.write("thread 'main' panicked at shape.rs:12: the shape overflows\n")
    sys.stderr.writelines(f"  {number}: some::frame::of::the::stack\n" for number in range(2000))
    sys.stderr.write("note: run with RUST_BACKTRACE=full\n")
    sys.stderr.flush()
    os._exit(101)


serve(spoil)
