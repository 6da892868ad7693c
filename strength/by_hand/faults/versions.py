"""Bugs in which version of an operator is used, and what each version has."""

from __future__ import annotations

from ..backend import Backend
from ..definitions import DEFINITIONS
from ..outcomes import NotImplementedHereError, RefusedError
from ..registry import mutant


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
class SliceIsForgottenAtEighteen(_Forgetting):
    """start and end are read at 15 to 17, as the table of versions ends there."""

    operator, versions = "Shape", range(18, 19)


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
class LastOpsetOfARangeIsMissing(Backend):
    """The range of a kernel excludes its last opset, the one before the next version."""

    def definition(self, operator, opset):
        found = super().definition(operator, opset)
        if any(item.since == opset + 1 for item in DEFINITIONS[operator]) and found.since != opset:
            raise NotImplementedHereError
        return found


@mutant()
class OpsetsAfterTheNewestAreTheOldest(_AtOpset):
    """An opset above 25 is not in the table, and version 13 is used."""

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
class VersionsAreComparedAsText(Backend):
    """Versions are compared as texts: 5 is after 13."""

    def definition(self, operator, opset):
        known = [item for item in DEFINITIONS[operator] if str(item.since) <= str(opset)]
        return max(known, key=lambda item: str(item.since))


@mutant()
class ConsumedInputsAreRefused(Backend):
    """The legacy attribute consumed_inputs is refused."""

    def checked(self, node, arguments, frame):
        call = super().checked(node, arguments, frame)
        if "consumed_inputs" in call.attributes:
            raise RefusedError("unknown attribute", "load")
        return call
