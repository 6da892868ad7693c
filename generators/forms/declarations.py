"""Forms with all inputs as graph inputs, which differ in how their dimensions are declared."""

from __future__ import annotations

from ..oracle.arith.integers import int64_tensor
from ..situations.situations import Situation
from . import STATIC_FORM, Form
from .conditions import all_of, has_inputs, ordinary, since_opset, single, tensors_only, well_formed
from .models import ANONYMOUS, STATIC, SYMBOLIC, ModelBuilder, Presentation


def _graph_inputs(situation: Situation, dims: str, output_dims: str = ANONYMOUS) -> Presentation:
    builder = ModelBuilder(situation)
    names = [builder.feed(name, situation.values(name), dims) for name in situation.input_names]
    names[:1] = [_wrapped(builder, name) for name in names[:1]]
    return builder.presented(names, output_dims)


def _wrapped(builder: ModelBuilder, name: str) -> str:
    """The fed tensor, or the sequence or optional that an invalid case makes from it."""
    if builder.situation.fault.wrap is None:
        return name
    return builder.node(_WRAPPERS[builder.situation.fault.wrap], [name], [f"{name}_wrapped"])


_WRAPPERS = {"sequence": "SequenceConstruct", "optional": "Optional"}


def _unknown_rank(situation: Situation) -> Presentation:
    """The first input is a Squeeze whose axes come at run time: its rank cannot be inferred."""
    builder = ModelBuilder(situation)
    first, *others = situation.input_names
    tensors = situation.tensors(first)
    packed = [type(item)(item.type, (1, *item.shape), item.data) for item in tensors]
    axes = [int64_tensor([0])] * len(tensors)
    builder.node(
        "Squeeze",
        [builder.feed(f"{first}_with_one", packed), builder.feed(builder.own("axes"), axes)],
        [first],
    )
    builder.feed_all(others)
    return builder.presented()


def _same_value(situation: Situation) -> Presentation:
    """All inputs of the operator are one and the same value."""
    builder = ModelBuilder(situation)
    name = situation.input_names[0]
    builder.feed(name, situation.tensors(name))
    return builder.presented([name] * len(situation.input_names))


def _inputs_equal(situation: Situation) -> bool:
    tensors = [situation.values(name) for name in situation.input_names]
    return len(tensors) > 1 and all(item == tensors[0] for item in tensors)


FORMS = (
    Form(
        STATIC_FORM,
        "Every input is a graph input with static dimensions; the output's rank is declared, its"
        " dimensions are not. This is the plain form: ids do not name it.",
        applies=single,
        build=lambda situation: _graph_inputs(situation, STATIC),
    ),
    Form(
        "declared",
        "As the plain form, with the output's dimensions declared static.",
        applies=all_of(single, well_formed),
        build=lambda situation: _graph_inputs(situation, STATIC, STATIC),
    ),
    Form(
        "symbolic",
        "The dimensions of every input and output are names. Catches what works only on static"
        " shapes, and inference that invents values.",
        applies=ordinary,
        build=lambda situation: _graph_inputs(situation, SYMBOLIC, SYMBOLIC),
    ),
    Form(
        "anonymous",
        "The dimensions of every input are neither numbers nor names.",
        applies=ordinary,
        build=lambda situation: _graph_inputs(situation, ANONYMOUS),
    ),
    Form(
        "unknown_rank",
        "Not even the rank of the first input is known before the run.",
        # The axes of Squeeze are an input since opset 13. It is fed one axis more than the case
        # has, and NumPy, through which many runtimes are fed, permits 64.
        applies=all_of(
            ordinary,
            has_inputs,
            since_opset(13),
            lambda situation: len(situation.tensors(situation.input_names[0])[0].shape) < 64,
        ),
        build=_unknown_rank,
    ),
    Form(
        "data_sets",
        "Several data sets with different shapes are run on one loaded model. Catches what is"
        " cached from the first run.",
        applies=lambda situation: not single(situation) and tensors_only(situation),
        build=lambda situation: _graph_inputs(situation, SYMBOLIC),
    ),
    Form(
        "same_value",
        "All inputs of the operator are the same value.",
        applies=all_of(ordinary, _inputs_equal),
        build=_same_value,
    ),
)
