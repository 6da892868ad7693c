"""`python -m releasing`: list a release, make its files, or make them twice and compare."""

from __future__ import annotations

import argparse
import sys
from datetime import datetime, timezone
from pathlib import Path

from onnx_conformance.core.errors import ConformanceError, ExitCode

ROOT = Path(__file__).resolve().parent.parent


def main() -> int:
    """Run the command line; the exit codes are those of `onnx-vectors`."""
    parser = argparse.ArgumentParser(prog="python -m releasing", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    build = commands.add_parser("build", help="make the files of a release")
    build.add_argument("--vectors", type=Path, default=Path("build/vectors"), metavar="DIR")
    build.add_argument("--output", type=Path, default=Path("dist/release"), metavar="DIR")
    build.add_argument(
        "--trial",
        action="store_true",
        help="allow files that differ from the commit, and a corpus that is not listed as released",
    )
    twice = commands.add_parser(
        "twice", help="make the release of the last commit in two new clones, and compare the bytes"
    )
    twice.add_argument("--jobs", type=int, default=1)
    record = commands.add_parser("record", help="list the version in work as released")
    record.add_argument(
        "--date", default=datetime.now(timezone.utc).date().isoformat(), help="today by default"
    )
    vectors = commands.add_parser("vectors-wheel", help="make the wheel of the vectors alone")
    vectors.add_argument("archives", type=Path, help="what `generate --archive` wrote")
    vectors.add_argument("--output", type=Path, default=Path("dist"), metavar="DIR")
    arguments = parser.parse_args()
    try:
        if arguments.command == "twice":
            from .twice import compare_builds

            return compare_builds(ROOT, arguments.jobs)
        if arguments.command == "vectors-wheel":
            from .sources import checkout
            from .vectors_wheel import build_vectors_wheel

            epoch = checkout(ROOT, changed=True).epoch
            print(
                build_vectors_wheel(arguments.archives, arguments.output, ROOT / "LICENSE", epoch)
            )
            return ExitCode.OK
        if arguments.command == "record":
            from .record import record_release

            print(record_release(ROOT / "vectors" / "standard", arguments.date))
            return ExitCode.OK
        from .building import build_release

        print(build_release(ROOT, arguments.vectors, arguments.output, trial=arguments.trial))
    except ConformanceError as error:
        print(f"releasing: {error}", file=sys.stderr)
        return int(error.exit_code)
    return ExitCode.OK


if __name__ == "__main__":
    sys.exit(main())
