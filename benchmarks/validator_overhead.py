"""How long the validator takes, beside a bare loop that does the same without isolation.

    python benchmarks/validator_overhead.py [--vectors DIR] [--count N] [--rounds N]

The bare loop is what a person would write for onnxruntime alone: in one process, for each vector,
read the files, create the session, run it and compare. The validator does the same behind a child
process, with 1 and 2 jobs, and writes the results file and the summary.

Each is timed as a whole process over all vectors and over a quarter of them. The difference,
by the number of vectors between, is the time of one vector: start-up and the end cancel out.
Rounds alternate between the candidates, and the best of each counts, so that another load on the
machine meets all of them alike. The processor time of all processes together is given as well: it
says less about waiting, but another load does not change it.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

CANDIDATES = ("bare loop", "validator, 1 job", "validator, 2 jobs")


def main() -> int:
    """Measure and print one line for each candidate."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--vectors", type=Path, help="a corpus; default: a synthetic one")
    parser.add_argument("--count", type=int, default=4000, help="vectors of the synthetic corpus")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--bare", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.bare:
        print(bare_loop(arguments.bare))
        return 0
    with tempfile.TemporaryDirectory() as folder:
        whole = arguments.vectors or synthetic_corpus(Path(folder) / "all", arguments.count)
        part = quarter_of(whole, Path(folder) / "quarter")
        counts = count_vectors(whole), count_vectors(part)
        best = measure(whole, part, arguments.rounds)
    print(f"{counts[0]} vectors; best of {arguments.rounds} rounds")
    reference = None
    for name in CANDIDATES:
        whole_time, part_time = best[name]
        vectors = counts[0] - counts[1]
        each = (whole_time.wall - part_time.wall) / vectors
        processor = (whole_time.processor - part_time.processor) / vectors
        reference = reference or each
        print(
            f"{name:20} {1000 * each:.3f} ms a vector, {each / reference:.2f} of the bare loop;"
            f" processor {1000 * processor:.3f} ms; whole process {whole_time.wall:.2f} s"
        )
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"largest process: {usage.ru_maxrss / 1024:.0f} MiB")
    return 0


@dataclass(frozen=True)
class Times:
    """Seconds on the clock and on the processors."""

    wall: float
    processor: float

    def best(self, other: Times) -> Times:
        """The smaller of each."""
        return Times(min(self.wall, other.wall), min(self.processor, other.processor))


NEVER = Times(float("inf"), float("inf"))


def measure(whole: Path, part: Path, rounds: int) -> dict[str, tuple[Times, Times]]:
    """Best times of each candidate over (all vectors, a quarter of them)."""
    best = dict.fromkeys(CANDIDATES, (NEVER, NEVER))
    for _ in range(rounds):
        for name in CANDIDATES:
            of_whole, of_part = best[name]
            best[name] = of_whole.best(timed(name, whole)), of_part.best(timed(name, part))
    return best


def timed(name: str, vectors: Path) -> Times:
    """What a candidate takes over a corpus, as a process with its children."""
    if name == "bare loop":
        command = [sys.executable, __file__, "--bare", str(vectors)]
    else:
        jobs = name.split()[1]
        command = [
            *(sys.executable, "-c", "from onnx_conformance.validator.main import main; main()"),
            *("run", "--backend", "onnxruntime", "--vectors", str(vectors), "--jobs", jobs),
        ]
    before = processor_seconds()
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return Times(time.perf_counter() - start, processor_seconds() - before)


def processor_seconds() -> float:
    """Processor time of all children that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def bare_loop(vectors: Path) -> int:
    """Number of valid vectors that onnxruntime passes, judged in a loop."""
    import numpy as np
    import onnx
    import onnxruntime
    from onnx import numpy_helper

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4

    def read(path: str) -> np.ndarray:
        proto = onnx.TensorProto()
        with open(path, "rb") as stream:  # noqa: PTH123  as a fast loop does
            proto.ParseFromString(stream.read())
        return numpy_helper.to_array(proto)

    passed = 0
    for data in sorted((vectors / "valid").glob("*/*/data.json")):
        folder = str(data.parent)
        description = json.loads(data.read_bytes())
        session = onnxruntime.InferenceSession(
            folder + "/model.onnx", options, providers=["CPUExecutionProvider"]
        )
        fine = True
        for data_set in range(len(list(data.parent.glob("test_data_set_*")))):
            base = f"{folder}/test_data_set_{data_set}/"
            feeds = {
                name: read(f"{base}input_{index}.pb")
                for index, name in enumerate(description["inputs"])
            }
            got = session.run(description["outputs"], feeds)
            for index, value in enumerate(got):
                expected = read(f"{base}output_{index}.pb")
                fine = fine and (
                    value.dtype == expected.dtype
                    and value.shape == expected.shape
                    and np.array_equal(value, expected)
                )
        passed += fine
    return passed


# --- corpora -------------------------------------------------------------------------------


def synthetic_corpus(root: Path, count: int) -> Path:
    """A corpus of `count` Reshape models, each with values of its own."""
    import numpy as np
    from onnx import TensorProto, helper, numpy_helper

    data = helper.make_tensor_value_info("data", TensorProto.FLOAT, ["a", "b", "c"])
    shape = helper.make_tensor_value_info("shape", TensorProto.INT64, [2])
    reshaped = helper.make_tensor_value_info("reshaped", TensorProto.FLOAT, ["x", "y"])
    node = helper.make_node("Reshape", ["data", "shape"], ["reshaped"])
    graph = helper.make_graph([node], "reshape", [data, shape], [reshaped])
    opset = [helper.make_opsetid("", 14)]
    model = helper.make_model(graph, opset_imports=opset, ir_version=8).SerializeToString()
    for number in range(count):
        vector_id = f"reshape-14/case_{number}/float32"
        folder = root / "valid" / "reshape-14" / f"test_reshape_14_case_{number}_float32"
        (folder / "test_data_set_0").mkdir(parents=True)
        (folder / "model.onnx").write_bytes(model)
        values = np.arange(number, number + 24, dtype=np.float32).reshape(2, 3, 4)
        wanted = np.array([4, -1], np.int64)
        tensors = {"input_0": values, "input_1": wanted, "output_0": values.reshape(4, -1)}
        for name, array in tensors.items():
            content = numpy_helper.from_array(array).SerializeToString()
            (folder / "test_data_set_0" / f"{name}.pb").write_bytes(content)
        (folder / "data.json").write_text(json.dumps(description_of(vector_id, number)))
    write_manifest(root)
    return root


def description_of(vector_id: str, number: int) -> dict[str, object]:
    """The data.json of a synthetic vector."""
    return {
        "id": vector_id,
        "kind": "valid",
        "operator": "Reshape",
        "since_version": 14,
        "opset": 14,
        "ir_version": 8,
        "types": {"T": "float32"},
        "case": f"case_{number}",
        "form": "graph_inputs",
        "covers": [],
        "documented": None,
        "expect": "outputs",
        "rtol": 0,
        "atol": 0,
        "inputs": ["data", "shape"],
        "outputs": ["reshaped"],
    }


def quarter_of(root: Path, target: Path) -> Path:
    """A corpus of every fourth vector, by links to the files of `root`."""
    kinds = ("valid", "invalid", "latitude")
    for kind in kinds:
        for index, data in enumerate(sorted((root / kind).glob("*/*/data.json"))):
            if index % 4 == 0:
                link_tree(data.parent, target / data.parent.relative_to(root))
    write_manifest(target)
    return target


def link_tree(source: Path, target: Path) -> None:
    """The files of a folder again, as hard links where the file system can."""
    for path in source.rglob("*"):
        if path.is_file():
            copy = target / path.relative_to(source)
            copy.parent.mkdir(parents=True, exist_ok=True)
            try:
                os.link(path, copy)
            except OSError:
                copy.write_bytes(path.read_bytes())


def write_manifest(root: Path) -> None:
    """Freeze the vectors below a folder."""
    from onnx_conformance.core.corpus.vector_files import digest, read_files

    listed: dict[str, dict[str, str]] = {"valid": {}, "invalid": {}, "latitude": {}}
    for data in sorted(root.rglob("data.json")):
        document = json.loads(data.read_bytes())
        listed[document["kind"]][document["id"]] = digest(read_files(data.parent))
    manifest = {"format": 1, "corpus": "benchmark", "vectors": listed}
    (root / "manifest.json").write_text(json.dumps(manifest))


def count_vectors(root: Path) -> int:
    """How many vectors a corpus has."""
    return sum(1 for _ in root.rglob("data.json"))


if __name__ == "__main__":
    sys.exit(main())
