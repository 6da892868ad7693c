"""What a document permits for a call that no spec wrote down, or why that is not said.

The corpus, cut models and drawn calls are answered alike: by the oracle, with its limits for each
element, and by the readings of the operator's open questions. Only a call that the document permits
has an answer; all else is a refusal with its reason, and an oracle that fails is one of them: a
fault of ours, which its caller shows.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.exploring.explorer import Refusal
from onnx_conformance.core.text import one_line
from onnx_conformance.core.values.elements import element_type
from onnx_conformance.core.values.tensors import OptionalValue, SequenceValue, Tensor, parts_of

from ...interpreter.outcomes import NoOracleError, RefusedError
from ...interpreter.validity.words import fits, word_of
from ...oracle import Call
from ...oracle.arith.grid import grid_of
from ...oracle.errors import EndlessError, InvalidCallError, UnansweredError
from ...specs.model import OperatorVersion
from ...specs.statements import OpenQuestion
from ..asking import Reply, ask
from .deadlines import OutOfTimeError, deadline

#: Seconds of the processor that an oracle has for one call.
SECONDS = 2.0
#: Elements that an output may have, and all inputs together.
ELEMENTS = 20_000
# Operators whose outputs have as many elements as the values of an input or attribute say.
_SIZED_BY = {
    "AffineGrid": ("size",),
    "BlackmanWindow": ("size",),
    "CenterCropPad": ("shape",),
    "Col2Im": ("image_shape",),
    "ConstantOfShape": ("input",),
    "ConvTranspose": ("output_shape", "output_padding", "strides", "dilations", "pads"),
    "DFT": ("dft_length",),
    "Expand": ("shape",),
    "EyeLike": (),
    "HammingWindow": ("size",),
    "HannWindow": ("size",),
    "MaxRoiPool": ("pooled_shape",),
    "MaxUnpool": ("output_shape",),
    "MelWeightMatrix": ("num_mel_bins", "dft_length"),
    "Multinomial": ("sample_size",),
    "OneHot": ("depth",),
    "Pad": ("pads", "paddings"),
    "RandomNormal": ("shape",),
    "RandomUniform": ("shape",),
    "Reshape": (),
    "Resize": ("sizes", "scales"),
    "RoiAlign": ("output_height", "output_width"),
    "STFT": ("frame_length",),
    "Scale": (),
    "Tile": ("repeats", "tiles"),
    "Upsample": ("scales", "height_scale", "width_scale"),
}

# What `ask` and the lists of element types say of a call that the document does not permit.
_REFUSED = ("every reading refuses the call", "unknown element type")


class NotPermittedError(Exception):
    """There is no answer to a call.

    Attributes:
        refusal: the kind of reason.
    """

    def __init__(self, refusal: Refusal, message: str) -> None:
        """A refusal with its reason in words."""
        super().__init__(message)
        self.refusal = refusal


class NotPresentedError(NotPermittedError):
    """There is an answer to a call, and its form cannot hold it: another form may."""

    def __init__(self, message: str) -> None:
        """A reason in words."""
        super().__init__(Refusal.INVALID, message)


def permitted(
    call: Call,
    version: OperatorVersion,
    questions: Mapping[str, OpenQuestion],
    *,
    seconds: float | None = SECONDS,
    elements: int | None = ELEMENTS,
) -> Reply:
    """The outputs that the document requires, or those that it permits.

    Args:
        call: the call; its types are bound, its defaults filled in (`asking.call_of`).
        version: the operator version, as the spec of the operator has it.
        questions: the open questions of that spec, by id.
        seconds: of the processor, which the oracle has; None: as many as it takes.
        elements: that an output may have, and all inputs together; None: any number.

    Raises NotPermittedError.
    """
    require_counts(call, version)
    require_types(call, version)
    if elements is not None:
        require_size(call, elements)
    with _within(seconds):
        try:
            reply = ask(call, version, questions)
        except (InvalidCallError, RefusedError) as error:
            raise NotPermittedError(Refusal.INVALID, str(error)) from None
        except (NoOracleError, UnansweredError) as error:
            raise NotPermittedError(Refusal.NO_ORACLE, str(error)) from None
        except EndlessError as error:
            raise NotPermittedError(Refusal.OUT_OF_TIME, str(error)) from None
        except (MemoryError, RecursionError) as error:
            raise NotPermittedError(Refusal.TOO_LARGE, type(error).__name__) from None
        except BadInputError as error:
            invalid = any(words in str(error) for words in _REFUSED)
            kind = Refusal.INVALID if invalid else Refusal.FAULT
            raise NotPermittedError(kind, str(error)) from None
        except Exception as error:
            text = one_line(f"the oracle raises {type(error).__name__}: {error}", 300)
            raise NotPermittedError(Refusal.FAULT, text) from error
    if reply.invalid:
        raise NotPermittedError(Refusal.INVALID, reply.invalid)
    return reply


@contextmanager
def _within(seconds: float | None) -> Iterator[None]:
    """NotPermittedError after so many seconds; with None the caller may have its own deadline."""
    if seconds is None:
        yield
        return
    try:
        with deadline(seconds):
            yield
    except OutOfTimeError:
        text = f"the oracle takes more than {seconds:g} s"
        raise NotPermittedError(Refusal.OUT_OF_TIME, text) from None


def require_counts(call: Call, version: OperatorVersion) -> None:
    """NotPermittedError unless every input of the signature that a node must have is there."""
    for parameter in version.inputs:
        value = call.inputs.get(parameter.name)
        if parameter.variadic:
            given = len(value) if isinstance(value, tuple) else 0
            if given < parameter.min_arity:
                raise NotPermittedError(
                    Refusal.INVALID,
                    f"'{parameter.name}' has {given} values, {parameter.min_arity} at least",
                )
        elif value is None and not parameter.optional:
            raise NotPermittedError(Refusal.INVALID, f"input '{parameter.name}' is absent")
    for attribute in version.attributes.values():
        if attribute.required and attribute.name not in call.attributes:
            raise NotPermittedError(Refusal.INVALID, f"attribute '{attribute.name}' is absent")


def require_types(call: Call, version: OperatorVersion) -> None:
    """NotPermittedError for a type that is not listed, and for a variable that is bound to two."""
    bound: dict[str, str] = {}
    for parameter in version.inputs:
        value = call.inputs.get(parameter.name)
        values = () if value is None else value if isinstance(value, tuple) else (value,)
        listed = version.types.get(parameter.type, (parameter.type,))
        for word in (word_of(item) for item in values):
            if not any(fits(word, item) for item in listed):
                raise NotPermittedError(Refusal.INVALID, f"'{parameter.name}' may not be {word}")
            if parameter.type not in version.types or not parameter.homogeneous:
                continue
            known = bound.setdefault(parameter.type, word)
            if not fits(known, word):
                raise NotPermittedError(
                    Refusal.INVALID, f"{parameter.type} is {known} and {word} at once"
                )


def require_size(call: Call, elements: int = ELEMENTS) -> None:
    """NotPermittedError where inputs are large, or where an output would be: no oracle is asked."""
    tensors = list(_tensors(call.inputs.values()))
    rank = max((len(item.shape) for item in tensors), default=0)
    if rank > _AXES:
        text = f"{rank} axes, and an array of NumPy has {_AXES}"
        raise NotPermittedError(Refusal.TOO_LARGE, text)
    count = sum(item.element_count for item in tensors)
    made: float = max((item.element_count for item in tensors), default=1)
    made = max(made, _broadcast([item.shape for item in tensors[:4]]))
    for name in _SIZED_BY.get(call.operator, ()):
        value = call.inputs.get(name, call.attributes.get(name))
        size = math.prod(max(1, abs(item)) for item in _numbers(value))
        made = max(made, round(size * (made if name in _FACTORS else 1)))
    if call.operator == "Range":
        made = max(made, _length(call))
    most = max(count, made)
    if most > elements:
        raise NotPermittedError(Refusal.TOO_LARGE, f"some {most:,.0f} elements")


_AXES = 64
_FACTORS = {"repeats", "tiles", "scales", "height_scale", "width_scale", "pads", "paddings"} | {
    "strides",
    "depth",
}


def _broadcast(shapes: list[tuple[int, ...]]) -> int:
    """The elements of what broadcasting would make of shapes, if they fit each other."""
    if not shapes or any(0 in item for item in shapes):
        return 0
    rank = max(map(len, shapes))
    padded = [(1,) * (rank - len(item)) + item for item in shapes]
    columns = list(zip(*padded, strict=True))
    if any(len(set(column) - {1}) > 1 for column in columns):
        return 0
    return math.prod(max(column) for column in columns)


def _length(call: Call) -> float:
    """How many elements Range makes."""
    values = [_numbers(call.inputs.get(name)) for name in ("start", "limit", "delta")]
    if any(len(item) != 1 for item in values):
        return 0
    (start,), (limit,), (delta,) = values
    found = (limit - start) / delta if delta else 0.0
    return found if math.isfinite(found) else math.inf


def _numbers(value: Any) -> list[float]:  # noqa: ANN401  an input or an attribute of any kind
    """The finite numbers in a small value; none where it is something else."""
    if isinstance(value, (int, float)):
        return [value] if math.isfinite(value) else [ELEMENTS + 1.0]
    if isinstance(value, tuple):
        found = [_numbers(item) for item in value[:16] if isinstance(item, (int, float))]
        return [number for item in found for number in item]
    if isinstance(value, Tensor) and value.element_count <= 16:
        return _elements(value)
    return []


def _elements(tensor: Tensor) -> list[float]:
    if element_type(tensor.type).kind in ("string", "complex", "bool"):
        return []
    found = []
    for item in grid_of(tensor).items:
        try:
            found.append(float(item))
        except (TypeError, ValueError, OverflowError):
            found.append(ELEMENTS + 1.0)
    return [item if math.isfinite(item) else ELEMENTS + 1.0 for item in found]


def _tensors(values: Iterable[Any]) -> Iterator[Tensor]:
    """The tensors in values of all kinds."""
    for value in values:
        if isinstance(value, Tensor):
            yield value
        elif isinstance(value, tuple):
            yield from _tensors(value)
        elif isinstance(value, (SequenceValue, OptionalValue)):
            yield from _tensors(parts_of(value))
