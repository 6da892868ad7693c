"""Writes models as exporters write them, none with trained weights: what `model` is tried on.

    python benchmarks/models/make.py OUTPUT [NAME …]

Needs torch, onnxscript, onnxruntime, transformers, keras, skl2onnx and scikit-learn, in an
environment of their own. A model whose exporter is not there, or fails, is named with the reason,
and the exit code is 1.
"""

from __future__ import annotations

import importlib.metadata
import logging
import os
import sys
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

_SEED = 7


def _convolutional() -> tuple[Any, tuple[Any, ...]]:
    """A small image classifier with a residual block, and an input for it."""
    import torch
    from torch import nn

    class Residual(nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.one = nn.Conv2d(8, 8, 3, padding=1, groups=2, bias=False)
            self.norm = nn.BatchNorm2d(8)
            self.two = nn.Conv2d(8, 8, 1)

        def forward(self, x: Any) -> Any:  # noqa: ANN401
            return torch.relu(x + self.two(nn.functional.silu(self.norm(self.one(x)))))

    network = nn.Sequential(
        nn.Conv2d(3, 8, 3, stride=2, padding=1),
        nn.BatchNorm2d(8),
        nn.Hardswish(),
        nn.MaxPool2d(3, 2, padding=1),
        Residual(),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Dropout(0.2),
        nn.Linear(8, 5),
        nn.Softmax(dim=-1),
    )
    return network.eval(), (torch.randn(1, 3, 16, 16),)


def _segmenter() -> tuple[Any, tuple[Any, ...]]:
    """Down and up again, with resizing and a transposed convolution."""
    import torch
    from torch import nn

    class Net(nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.down = nn.Conv2d(1, 4, 3, stride=2, padding=1)
            self.deep = nn.Conv2d(4, 4, 3, padding=2, dilation=2)
            self.up = nn.ConvTranspose2d(4, 4, 2, stride=2)
            self.norm = nn.GroupNorm(2, 4)

        def forward(self, x: Any) -> Any:  # noqa: ANN401
            low = torch.nn.functional.leaky_relu(self.down(x), 0.1)
            low = self.norm(torch.nn.functional.gelu(self.deep(low)))
            smooth = torch.nn.functional.interpolate(
                low, scale_factor=2.0, mode="bilinear", align_corners=False
            )
            return torch.sigmoid(torch.cat([self.up(low), smooth], dim=1)).mean(dim=(2, 3))

    return Net().eval(), (torch.randn(1, 1, 12, 12),)


def _encoder() -> tuple[Any, tuple[Any, ...]]:
    """Two layers of a transformer over embedded tokens."""
    import torch
    from torch import nn

    class Net(nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.words = nn.Embedding(50, 16)
            layer = nn.TransformerEncoderLayer(
                16, 2, 32, batch_first=True, activation="gelu", norm_first=True
            )
            self.layers = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)

        def forward(self, tokens: Any) -> Any:  # noqa: ANN401
            mask = torch.triu(torch.ones(6, 6, dtype=torch.bool), diagonal=1)
            return self.layers(self.words(tokens), mask=mask, is_causal=True)

    return Net().eval(), (torch.randint(0, 50, (2, 6)),)


def _recurrent() -> tuple[Any, tuple[Any, ...]]:
    import torch
    from torch import nn

    class Net(nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.forwards = nn.LSTM(6, 5, batch_first=True, bidirectional=True)
            self.gates = nn.GRU(10, 4, batch_first=True)

        def forward(self, x: Any) -> Any:  # noqa: ANN401
            return self.gates(self.forwards(x)[0])[0][:, -1]

    return Net().eval(), (torch.randn(2, 7, 6),)


def _torch(make: Callable[[], tuple[Any, tuple[Any, ...]]], *, dynamo: bool, opset: int) -> Any:  # noqa: ANN401
    def write(path: Path) -> None:
        import torch

        torch.manual_seed(_SEED)
        network, inputs = make()
        torch.onnx.export(
            network,
            inputs,
            path,
            dynamo=dynamo,
            opset_version=opset,
            external_data=False,
            verbose=False,
        )

    return write


def _transformers(name: str) -> Any:  # noqa: ANN401
    """A small model of a known architecture from its configuration, as Optimum exports it."""

    def write(path: Path) -> None:
        import torch
        import transformers

        torch.manual_seed(_SEED)
        small = {"vocab_size": 60, "hidden_size": 16, "num_hidden_layers": 1}
        if name == "bert":
            configuration = transformers.BertConfig(
                **small, num_attention_heads=2, intermediate_size=32, max_position_embeddings=16
            )
            network = transformers.BertModel(configuration).eval()
        else:
            configuration = transformers.LlamaConfig(
                **small, num_attention_heads=2, num_key_value_heads=1, intermediate_size=32
            )
            configuration.use_cache = False
            network = transformers.LlamaModel(configuration).eval()
        tokens = torch.randint(0, 60, (1, 5))
        torch.onnx.export(
            network,
            (),
            path,
            kwargs={"input_ids": tokens, "attention_mask": torch.ones_like(tokens)},
            dynamo=True,
            opset_version=20 if name == "bert" else 23,
            external_data=False,
            verbose=False,
        )

    return write


def _keras(name: str) -> Any:  # noqa: ANN401
    """A small Keras model on its torch backend, as `Model.export(format="onnx")` writes it."""

    def write(path: Path) -> None:
        os.environ["KERAS_BACKEND"] = "torch"
        import keras
        from keras import layers

        keras.utils.set_random_seed(_SEED)
        if name == "separable":
            inputs = keras.Input((16, 16, 3), batch_size=1)
            x = layers.SeparableConv2D(8, 3, padding="same", activation="relu")(inputs)
            x = layers.BatchNormalization()(x)
            x = layers.AveragePooling2D(2, padding="same")(x)
            x = layers.Conv2D(4, 3, strides=2, padding="same", activation="gelu")(x)
            outputs = layers.Dense(3, activation="softmax")(layers.GlobalAveragePooling2D()(x))
        else:
            inputs = keras.Input((6, 8), batch_size=2)
            x = layers.MultiHeadAttention(2, 4)(inputs, inputs)
            x = layers.UnitNormalization()(layers.Add()([x, inputs]))
            outputs = layers.Dense(5, activation="tanh")(layers.Flatten()(x))
        model = keras.Model(inputs, outputs)
        # A model is exported as it was last called.
        model(keras.random.normal(inputs.shape, seed=_SEED))
        model.export(path, format="onnx", verbose=False)

    return write


def _sklearn(name: str) -> Any:  # noqa: ANN401
    def write(path: Path) -> None:
        import numpy as np
        from skl2onnx import to_onnx
        from sklearn.ensemble import GradientBoostingRegressor, RandomForestClassifier
        from sklearn.linear_model import LogisticRegression
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler
        from sklearn.svm import SVC

        random = np.random.default_rng(_SEED)
        x = random.normal(size=(60, 4)).astype(np.float32)
        y = (x[:, 0] + x[:, 1] ** 2 > 0.5).astype(np.int64)
        estimators = {
            "forest": RandomForestClassifier(4, max_depth=4, random_state=_SEED),
            "boosting": GradientBoostingRegressor(n_estimators=5, random_state=_SEED),
            "pipeline": make_pipeline(StandardScaler(), LogisticRegression()),
            "svm": SVC(probability=False, random_state=_SEED),
        }
        fitted = estimators[name].fit(x, y)
        options = {} if name == "boosting" else {id(fitted): {"zipmap": False}}
        path.write_bytes(to_onnx(fitted, x[:1], options=options).SerializeToString())

    return write


def _quantized(name: str, source: str, folder: Path) -> Any:  # noqa: ANN401
    def write(path: Path) -> None:
        import numpy as np
        import onnx
        from onnxruntime import quantization

        plain = folder / f"{source}.onnx"
        if not plain.is_file():
            MAKERS(folder)[source](plain)
        if name == "dynamic":
            quantization.quantize_dynamic(plain, path)
            return
        shape = [1, 3, 16, 16]
        random = np.random.default_rng(_SEED)

        class Reader(quantization.CalibrationDataReader):  # type: ignore[misc]
            def __init__(self) -> None:
                self.left = [random.normal(size=shape).astype(np.float32) for _ in range(4)]
                self.input = onnx.load(plain).graph.input[0].name

            def get_next(self) -> dict[str, Any] | None:
                return {self.input: self.left.pop()} if self.left else None

        layout = (
            quantization.QuantFormat.QDQ if name == "qdq" else quantization.QuantFormat.QOperator
        )
        quantization.quantize_static(plain, path, Reader(), quant_format=layout)

    return write


def MAKERS(folder: Path) -> dict[str, Callable[[Path], None]]:  # noqa: N802  a table
    """What writes each model, by name; the quantized ones begin with another."""
    return {
        "torch-convolutional": _torch(_convolutional, dynamo=True, opset=20),
        "torch-convolutional-legacy": _torch(_convolutional, dynamo=False, opset=17),
        "torch-segmenter": _torch(_segmenter, dynamo=True, opset=21),
        "torch-segmenter-legacy": _torch(_segmenter, dynamo=False, opset=13),
        "torch-encoder": _torch(_encoder, dynamo=True, opset=20),
        "torch-encoder-legacy": _torch(_encoder, dynamo=False, opset=17),
        "torch-recurrent-legacy": _torch(_recurrent, dynamo=False, opset=17),
        "transformers-bert": _transformers("bert"),
        "transformers-llama": _transformers("llama"),
        "keras-separable": _keras("separable"),
        "keras-attention": _keras("attention"),
        "sklearn-forest": _sklearn("forest"),
        "sklearn-boosting": _sklearn("boosting"),
        "sklearn-pipeline": _sklearn("pipeline"),
        "sklearn-svm": _sklearn("svm"),
        "quantized-qdq": _quantized("qdq", "torch-convolutional-legacy", folder),
        "quantized-qoperator": _quantized("qoperator", "torch-convolutional-legacy", folder),
        "quantized-dynamic": _quantized("dynamic", "torch-encoder-legacy", folder),
    }


def main(words: list[str]) -> int:
    """Write the models that are asked for, all where none is named."""
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    folder = Path(words[0])
    folder.mkdir(parents=True, exist_ok=True)
    failed = 0
    for name, write in MAKERS(folder).items():
        if words[1:] and name not in words[1:]:
            continue
        path = folder / f"{name}.onnx"
        try:
            write(path)
            print(f"{path}: {path.stat().st_size:,} bytes")
        except Exception as error:
            failed += 1
            last = traceback.format_exception_only(error)[-1].strip().splitlines()[0]
            print(f"{name}: not written: {last}")
    for package in ("torch", "onnx", "onnxscript", "onnxruntime", "keras", "skl2onnx"):
        try:
            print(f"{package} {importlib.metadata.version(package)}")
        except importlib.metadata.PackageNotFoundError:
            print(f"{package} is not there")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
