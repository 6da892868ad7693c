"""A profile: operators, versions, opsets, element types, forms and features that are claimed.

What a part of it leaves out is not restricted by that part: a profile without `types` claims all
element types. A vector is claimed if every part claims what it needs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from .needs import Needs, element_types_in, features_of


class Reason(str, Enum):
    """Why a vector is not claimed: the first part of the profile that leaves out what it needs."""

    OPERATOR = "operator"
    VERSION = "version"
    OPSET = "opset"
    TYPE = "type"
    FORM = "form"
    FEATURE = "feature"


#: The reasons in words, of vectors that are not claimed.
WORDS = {
    Reason.OPERATOR: "of other operators",
    Reason.VERSION: "of other operator versions",
    Reason.OPSET: "of other opsets",
    Reason.TYPE: "of other element types",
    Reason.FORM: "in other forms",
    Reason.FEATURE: "with other features",
}


@dataclass(frozen=True)
class Types:
    """The element types that are claimed; None does not restrict.

    Attributes:
        all: those of every type variable that has none of its own.
        by_variable: those of a type variable, such as `Tind`.
    """

    all: tuple[str, ...] | None = None
    by_variable: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def restricts(self) -> bool:
        """Whether it leaves anything out."""
        return self.all is not None or bool(self.by_variable)

    def of(self, variable: str, otherwise: Types) -> tuple[str, ...] | None:
        """The element types of a type variable; None does not restrict."""
        own = self.by_variable.get(variable, self.all)
        return otherwise.all if own is None else own

    def claims(self, types: Mapping[str, str], otherwise: Types) -> bool:
        """Whether all types of a vector are claimed.

        `otherwise` says what holds for type variables about which this says nothing.
        """
        for variable, text in types.items():
            claimed = self.of(variable, otherwise)
            if claimed is not None and not set(element_types_in(text)) <= set(claimed):
                return False
        return True


@dataclass(frozen=True)
class Claim:
    """What is claimed of one operator; None does not restrict.

    Attributes:
        name: the operator, as the profile writes it.
        versions: operator versions.
        types: element types; where it says nothing, those of the profile.
        forms: forms of models; None for those of the profile.
    """

    name: str
    versions: tuple[int, ...] | None = None
    types: Types = field(default_factory=Types)
    forms: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Profile:
    """What a runtime claims to support; None does not restrict.

    Attributes:
        name: what people call it, or empty.
        source: where it is from, for a reader, or empty.
        operators: by name in lower case, with a domain that is not ONNX's own.
        opset_from, opset_to: opsets of ONNX's own domain that a model may import.
        types: element types.
        forms: forms of models.
        features: of `needs.FEATURES`.
    """

    name: str = ""
    source: str = ""
    operators: Mapping[str, Claim] | None = None
    opset_from: int | None = None
    opset_to: int | None = None
    types: Types = field(default_factory=Types)
    forms: tuple[str, ...] | None = None
    features: tuple[str, ...] | None = None

    def why_not(self, needs: Needs) -> Reason | None:
        """Why a vector is not claimed; None if it is."""
        claim = _ANY if self.operators is None else self.operators.get(needs.key)
        if claim is None:
            return Reason.OPERATOR
        versions, forms = claim.versions, self.forms if claim.forms is None else claim.forms
        parts = (
            (Reason.VERSION, versions is None or needs.since_version in versions),
            (Reason.OPSET, not needs.own_domain or self._has_opset(needs.opset)),
            (Reason.TYPE, claim.types.claims(needs.types, self.types)),
            (Reason.FORM, forms is None or needs.form in forms),
            (Reason.FEATURE, self.features is None or features_of(needs) <= set(self.features)),
        )
        return next((reason for reason, claimed in parts if not claimed), None)

    def _has_opset(self, opset: int) -> bool:
        low = 0 if self.opset_from is None else self.opset_from
        return opset >= low and (self.opset_to is None or opset <= self.opset_to)


_ANY = Claim("")
