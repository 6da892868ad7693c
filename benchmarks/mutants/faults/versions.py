"""Bugs in which version of an operator is used, and what each version has."""

from __future__ import annotations

from ..backend import Backend
from ..definitions import DEFINITIONS
from ..outcomes import NotImplementedHereError, RefusedError
from ..registry import mutant
from ..values import element


class _Forgetting(Backend):
    """Attributes are not read from some version of one operator on."""

    operator = ""
    versions: range = range(0)

    def checked(self, node, arguments, frame):
        call = super().checked(node, arguments, frame)
        if node.operator == self.operator and frame.opset in self.versions:
            return call._replace(attributes={})
        return call


@mutant()
class SliceIsForgottenAtFifteen(_Forgetting):
    """start and end are read where the opset is greater than 15, not at 15."""

    operator, versions = "Shape", range(15, 16)


@mutant()
class SliceIsForgottenAtNineteen(_Forgetting):
    """Shape is registered again at 19 without start and end."""

    operator, versions = "Shape", range(19, 21)


@mutant()
class SliceIsForgottenAtTwentyOne(_Forgetting):
    """Shape is registered again at 21 without start and end."""

    operator, versions = "Shape", range(21, 23)


@mutant()
class SliceIsForgottenAtTwentyThree(_Forgetting):
    """Shape is registered again at 23 without start and end."""

    operator, versions = "Shape", range(23, 24)


@mutant()
class SliceIsForgottenAtTwentyFour(_Forgetting):
    """Shape is registered again at 24 without start and end."""

    operator, versions = "Shape", range(24, 25)


@mutant()
class SliceIsForgottenAtTwentyFive(_Forgetting):
    """Shape is registered again at 25 without start and end."""

    operator, versions = "Shape", range(25, 99)


@mutant()
class SliceIsForgottenAtEighteen(_Forgetting):
    """start and end are read at 15 to 17, as the table of versions ends there."""

    operator, versions = "Shape", range(18, 19)


@mutant()
class AllowzeroIsForgottenAtFourteen(_Forgetting):
    """allowzero is read where the opset is greater than 14, not at 14."""

    operator, versions = "Reshape", range(14, 15)


@mutant()
class AllowzeroIsForgottenAtNineteen(_Forgetting):
    """Reshape is registered again at 19 without allowzero."""

    operator, versions = "Reshape", range(19, 21)


@mutant()
class AllowzeroIsForgottenAtTwentyOne(_Forgetting):
    """Reshape is registered again at 21 without allowzero."""

    operator, versions = "Reshape", range(21, 23)


@mutant()
class AllowzeroIsForgottenAtTwentyThree(_Forgetting):
    """Reshape is registered again at 23 without allowzero."""

    operator, versions = "Reshape", range(23, 24)


@mutant()
class AllowzeroIsForgottenAtTwentyFour(_Forgetting):
    """Reshape is registered again at 24 without allowzero."""

    operator, versions = "Reshape", range(24, 25)


@mutant()
class AllowzeroIsForgottenAtTwentyFive(_Forgetting):
    """Reshape is registered again at 25 without allowzero."""

    operator, versions = "Reshape", range(25, 99)


@mutant()
class AllowzeroIsForgottenAtEighteen(_Forgetting):
    """allowzero is read at 14 to 17, as the table of versions ends there."""

    operator, versions = "Reshape", range(18, 19)


class _AtOpset(Backend):
    """The choice of a version goes wrong."""

    def chosen(self, operator: str, opset: int) -> int:
        return opset

    def definition(self, operator, opset):
        return super().definition(operator, self.chosen(operator, opset))


@mutant()
class RegistrationEndsAtTheNextVersion(Backend):
    """A kernel is found only at the opset that introduced its version."""

    def definition(self, operator, opset):
        found = super().definition(operator, opset)
        if found.since != opset:
            raise NotImplementedHereError
        return found


@mutant()
class LastOpsetOfARangeIsMissing(Backend):
    """The range of a kernel excludes its last opset, the one before the next version."""

    def definition(self, operator, opset):
        found = super().definition(operator, opset)
        if any(item.since == opset + 1 for item in DEFINITIONS[operator]) and found.since != opset:
            raise NotImplementedHereError
        return found


@mutant()
class OpsetsAfterTheNewestAreRefused(Backend):
    """An opset above 25 is unknown."""

    def definition(self, operator, opset):
        if opset > 25:
            raise RefusedError("the opset is unknown", "load")
        return super().definition(operator, opset)


@mutant()
class OpsetsAfterTheNewestAreTheOldest(_AtOpset):
    """An opset above 25 is not in the table, and version 13 is taken."""

    def chosen(self, operator, opset):
        return 13 if opset > 25 else opset


@mutant()
class NewestVersionIsUsed(_AtOpset):
    """The newest version is used for every opset from 5."""

    def chosen(self, operator, opset):
        return 25 if opset >= 5 else opset


@mutant()
class VersionIsTheNextOne(_AtOpset):
    """The version is looked up with the opset that follows."""

    def chosen(self, operator, opset):
        return opset + 1


@mutant()
class VersionIsTheOneBefore(_AtOpset):
    """The version is looked up with the opset before."""

    def chosen(self, operator, opset):
        return max(opset - 1, 1)


@mutant()
class VersionsAreComparedAsText(Backend):
    """Versions are compared as texts: 5 is after 13."""

    def definition(self, operator, opset):
        known = [item for item in DEFINITIONS[operator] if str(item.since) <= str(opset)]
        return max(known, key=lambda item: str(item.since))


class _Lacking(Backend):
    """A type is missing at the version that introduced it."""

    operator = ""
    since = 0
    types: frozenset[str] = frozenset()

    def checked(self, node, arguments, frame):
        call = super().checked(node, arguments, frame)
        if (
            node.operator == self.operator
            and call.definition.since == self.since
            and call.inputs[0].type in self.types
        ):
            raise NotImplementedHereError
        return call


@mutant()
class ShapeThirteenLacksBfloat16(_Lacking):
    """Shape-13 lacks bfloat16."""

    operator, since, types = "Shape", 13, frozenset({"bfloat16"})


@mutant()
class SizeTwentyOneLacksInt4(_Lacking):
    """Size-21 lacks int4."""

    operator, since, types = "Size", 21, frozenset({"int4"})


@mutant()
class ReshapeTwentyThreeLacksFloat4(_Lacking):
    """Reshape-23 lacks float4e2m1."""

    operator, since, types = "Reshape", 23, frozenset({"float4e2m1"})


@mutant()
class ReshapeTwentyFourLacksE8m0(_Lacking):
    """Reshape-24 lacks float8e8m0."""

    operator, since, types = "Reshape", 24, frozenset({"float8e8m0"})


@mutant()
class SizeTwentyFiveLacksUint2(_Lacking):
    """Size-25 lacks uint2."""

    operator, since, types = "Size", 25, frozenset({"uint2"})


@mutant()
class ReshapeOneLacksDouble(_Lacking):
    """Reshape-1 lacks float64."""

    operator, since, types = "Reshape", 1, frozenset({"float64"})


@mutant("onnx/onnx: onnx.reference has no Reshape-1")
class ReshapeOneIsNotImplemented(Backend):
    """Reshape-1 is not implemented."""

    def requested(self, call):
        if call.definition.since == 1:
            raise NotImplementedHereError
        return super().requested(call)


@mutant()
class ReshapeOneIsLiteral(Backend):
    """Zeros in the attribute of Reshape-1 are literal."""

    def literal_zeros(self, call):
        return call.definition.since == 1 or super().literal_zeros(call)


@mutant()
class ReshapeOneDoesNotInfer(Backend):
    """-1 in the attribute of Reshape-1 is refused."""

    def requested(self, call):
        values = super().requested(call)
        if call.definition.since == 1 and -1 in values:
            raise RefusedError("-1 is no dimension")
        return values


@mutant()
class ReshapeOneLacksEmptyShapes(Backend):
    """An empty attribute of Reshape-1 is taken for an absent one."""

    def requested(self, call):
        values = super().requested(call)
        if call.definition.since == 1 and not values:
            raise RefusedError("Reshape-1 has no shape", "load")
        return values


@mutant()
class ConsumedInputsAreRefused(Backend):
    """The legacy attribute consumed_inputs is refused."""

    def checked(self, node, arguments, frame):
        call = super().checked(node, arguments, frame)
        if "consumed_inputs" in call.attributes:
            raise RefusedError("unknown attribute", "load")
        return call


@mutant()
class OldModelsAreRefused(Backend):
    """Models of IR version 3 are refused."""

    def load(self, program):
        if program.ir_version < 4:
            raise RefusedError("the IR version is too old", "load")
        return super().load(program)


@mutant()
class NewModelsAreRefused(Backend):
    """Models of IR versions above 13 are refused."""

    def load(self, program):
        if program.ir_version > 13:
            raise NotImplementedHereError
        return super().load(program)


@mutant()
class TypesNeedTheirIrVersion(Backend):
    """Types since 21 are looked up in the table of 19."""

    def checked(self, node, arguments, frame):
        call = super().checked(node, arguments, frame)
        if call.definition.since == 21 and element(call.inputs[0]).since_ir > 9:
            raise NotImplementedHereError
        return call
