"""Which version of an operator is run."""

from __future__ import annotations

from dataclasses import replace

from onnx_conformance.generators.interpreter.outcomes import RefusedError
from onnx_conformance.generators.signatures.model import Signature

from ..registry import wrong
from ..steps import FunctionStep, NodeStep, Values, VersionStep

AREA = "versions"


@wrong(AREA, VersionStep)
def every_version_is_the_newest(step: VersionStep) -> Signature:
    """Every model is run as the newest opset has it."""
    newest = step.versions[-1]
    return step.right() if newest.deprecated else newest


@wrong(AREA, VersionStep)
def every_version_is_the_first(step: VersionStep) -> Signature:
    """An operator is run as its first version had it."""
    return step.versions[0]


@wrong(AREA, FunctionStep)
def functions_have_the_opset_of_the_model(step: FunctionStep) -> Values:
    """A function is run with the opsets that the model imports, not with its own."""
    imports = {**step.function.imports, **step.session.model.imports}
    return step.right(function=replace(step.function, imports=imports))


@wrong(AREA, VersionStep, held_out=True)
def an_opset_rounds_up(step: VersionStep) -> Signature:
    """An opset between two versions of an operator means the later one."""
    later = [item for item in step.versions if item.since_version >= step.opset]
    return later[0] if later and not later[0].deprecated else step.right()


@wrong(AREA, VersionStep, held_out=True)
def opsets_below_seven_are_seven(step: VersionStep) -> Signature:
    """Opsets before 7 are run as 7."""
    return step.right() if step.node.domain else step.right(max(step.opset, 7))


@wrong(
    AREA,
    VersionStep,
    variants={
        "8 to 12 are 8": (range(9, 13), 8),
        "after 21 are 21": (range(22, 99), 21),
        "after 25 are 13": (range(26, 99), 13),
    },
    held_out=("8 to 12 are 8", "after 21 are 21"),
)
def opsets(step: VersionStep, some: range, other: int) -> Signature:
    """Some opsets are run as another one, where the operator exists then."""
    if not step.node.domain and step.opset in some:
        try:
            return step.right(other)
        except RefusedError:
            pass
    return step.right()


@wrong(AREA, VersionStep)
def an_opset_is_the_next(step: VersionStep) -> Signature:
    """The version is looked up with the opset that follows."""
    try:
        return step.right(step.opset + 1)
    except RefusedError:
        return step.right()


@wrong(
    AREA,
    variants={
        "18": (range(18, 19),),
        "19": (range(19, 21),),
        "21": (range(21, 23),),
        "23": (range(23, 24),),
        "24": (range(24, 25),),
    },
)
def attributes_are_forgotten_at(step: NodeStep, opsets: range) -> Values:
    """An operator is registered again without the attributes that need not be given."""
    node = step.node
    if node.domain or step.frame.imports.get("") not in opsets:
        return step.right()
    known = step.session.signature(node, step.frame.imports).attributes
    kept = tuple(it for it in node.attributes if it.name not in known or known[it.name].required)
    return step.right(node=replace(node, attributes=kept))


@wrong(AREA, VersionStep, held_out=True)
def opsets_16_and_17_are_unknown(step: VersionStep) -> Signature:
    """A list of known opsets lacks 16 and 17."""
    if not step.node.domain and step.opset in {16, 17}:
        raise RefusedError("unknown opset")
    return step.right()


@wrong(AREA, VersionStep, held_out=True)
def opsets_are_compared_as_texts(step: VersionStep) -> Signature:
    """Opsets are compared as texts, so that 6 to 9 are later than 10 to 28."""
    opset = str(step.opset)
    fitting = [it for it in step.versions if str(it.since_version) <= opset and not it.deprecated]
    last = max(fitting, key=lambda item: str(item.since_version), default=None)
    return last or step.right()


@wrong(AREA, VersionStep, held_out=True)
def other_domains_are_of_the_newest_opset(step: VersionStep) -> Signature:
    """Operators of other domains are of their newest version."""
    newest = step.session.signatures.opsets.get(step.node.domain)
    return step.right(newest if step.node.domain else None)
