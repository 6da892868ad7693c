"""onnx.reference with a Neg that kills the process that started it where it meets an infinity."""

import os
import signal

import numpy as np
import onnx
from onnx.reference import ReferenceEvaluator
from onnx.reference.op_run import OpRun

from onnx_conformance.validator.harnesses.kit import rejection
from onnx_conformance.validator.harnesses.runtimes.reference import Reference
from onnx_conformance.validator.harnesses.serving import PROTOCOL, serve, take_over_streams


class Neg(OpRun):
    op_domain = ""

    def _run(self, x):
        if x.dtype.kind == "f" and np.isinf(x).any():
            os.kill(os.getppid(), signal.SIGKILL)
        return (np.negative(x),)


class Wrong(Reference):
    def load(self, model):
        with rejection("decode"):
            proto = onnx.load_model_from_string(model.data)
        return ReferenceEvaluator(proto, new_ops=[Neg])


requests, replies = take_over_streams()
described = {"protocol": PROTOCOL, "name": "wrong", "version": "1", "model": "path"}
serve(Wrong(), described, requests, replies)
