"""How long the validator takes, beside a bare loop that does the same without isolation.

    python benchmarks/validator_overhead.py [--count N] [--rounds N]

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
import resource
import sys
import tempfile
from pathlib import Path

from side_by_side import best_times

CANDIDATES = ("bare loop", "validator, 1 job", "validator, 2 jobs")


def main() -> int:
    """Measure and print one line for each candidate."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--count", type=int, default=4000, help="vectors that are made up")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--bare", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.bare:
        print(bare_loop(arguments.bare))
        return 0
    few = arguments.count // 4
    with tempfile.TemporaryDirectory() as folder:
        corpora = {
            count: synthetic_corpus(Path(folder) / str(count), count)
            for count in (arguments.count, few)
        }
        commands = {
            f"{name} {count}": command_of(name, root)
            for name in CANDIDATES
            for count, root in corpora.items()
        }
        best = best_times(commands, arguments.rounds)
    print(f"{arguments.count} vectors; best of {arguments.rounds} rounds")
    reference = None
    for name in CANDIDATES:
        whole, part = best[f"{name} {arguments.count}"], best[f"{name} {few}"]
        each, processor = (
            (one - other) / (arguments.count - few) for one, other in zip(whole, part, strict=True)
        )
        reference = reference or each
        print(
            f"{name:20} {1000 * each:.3f} ms a vector, {each / reference:.2f} of the bare loop;"
            f" processor {1000 * processor:.3f} ms; whole process {whole.wall:.2f} s"
        )
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"largest process: {usage.ru_maxrss / 1024:.0f} MiB")
    return 0


def command_of(name: str, vectors: Path) -> list[str]:
    """How a candidate goes over a corpus."""
    if name == "bare loop":
        return [sys.executable, __file__, "--bare", str(vectors)]
    return [
        *(sys.executable, "-c", "from onnx_conformance.validator.main import main; main()"),
        *("run", "--backend", "onnxruntime", "--vectors", str(vectors), "--jobs", name.split()[1]),
    ]


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


def write_manifest(root: Path) -> None:
    """Freeze the vectors below a folder."""
    from onnx_conformance.core.corpus.vector_files import digest, read_files

    listed: dict[str, dict[str, str]] = {"valid": {}, "invalid": {}, "latitude": {}}
    for data in sorted(root.rglob("data.json")):
        document = json.loads(data.read_bytes())
        listed[document["kind"]][document["id"]] = digest(read_files(data.parent))
    manifest = {"format": 1, "corpus": "benchmark", "vectors": listed}
    (root / "manifest.json").write_text(json.dumps(manifest))


if __name__ == "__main__":
    sys.exit(main())
