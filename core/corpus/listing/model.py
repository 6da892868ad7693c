"""What a manifest lists of each vector: enough to select it and to plan a run, and its past."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field

from ..vectors import Kind, Vector

MANIFEST_FILE = "manifest.json"
MANIFESTS_FOLDER = "manifests"
# The format of a manifest.json that lists vectors itself, and of one that names a manifest for each
# operator version.
INLINE_FORMAT = 1
FORMAT = 2
PLAIN_FORM = "static"  # the name that generators use; here it is only the default of a line
#: The rule that proposed most vectors, which a line leaves out: the case as it is written.
PLAIN_RULE = "case"


@dataclass(frozen=True, slots=True)
class Facts:
    """What a manifest says of a vector: enough to select it, and to plan a run.

    Attributes:
        operator, domain, since_version: the operator version, spelled as ONNX does.
        opset: what the model imports.
        form: how the model presents the case.
        types: element type of each type variable.
        covers: ids of the requirements that the vector exercises.
        control: id of the valid vector that an invalid one is compared with.
        size: bytes of its largest file; 0 for one that is small (`sizes`).
    """

    operator: str
    domain: str
    since_version: int
    opset: int
    form: str
    types: Mapping[str, str]
    covers: tuple[str, ...]
    control: str | None
    size: int = 0


@dataclass(frozen=True, slots=True)
class Listed:
    """A vector as a manifest lists it."""

    #: Id of the vector.
    id: str
    #: What it asks.
    kind: Kind
    #: SHA-256 of its files, see `vector_files.digest`.
    digest: str
    #: What is needed to select it and to plan a run.
    facts: Facts
    #: The release of the corpus since which it stands; None if the manifest does not say.
    since: str | None = None
    #: The name of the rule that proposed it.
    rule: str = PLAIN_RULE
    #: The digests that it had before: by the last release of the corpus that had them.
    was: Mapping[str, str] = field(default_factory=dict)

    @property
    def operator_version(self) -> str:
        """The first part of its id, e.g. `reshape-14`."""
        return self.id.split("/", 1)[0]


@dataclass(frozen=True, slots=True)
class Withdrawn:
    """A vector that the corpus no longer has; its id is never used again."""

    #: Id of the vector.
    id: str
    #: The digest that it had last.
    digest: str
    #: The release of the corpus that it first was not in.
    release: str
    #: Why it was withdrawn.
    reason: str
    #: The release since which it stood; None if the manifest does not say.
    since: str | None = None
    #: The digests that it had before, as in `Listed`.
    was: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class VersionManifest:
    """What the manifest of one operator version lists."""

    #: The operator version, spelled as ONNX does.
    operator: str
    domain: str
    since_version: int
    #: Its vectors in the order of the manifest.
    vectors: tuple[Listed, ...]
    #: What it had before, by id.
    withdrawn: tuple[Withdrawn, ...] = ()

    @property
    def name(self) -> str:
        """The operator version as ids begin, e.g. `reshape-14`."""
        name = f"{self.domain}.{self.operator}" if self.domain else self.operator
        return f"{name.lower()}-{self.since_version}"


def listed(vector: Vector, digest: str, size: int = 0) -> Listed:
    """The entry of a vector in a manifest; `size` as `sizes.listed_size` has it."""
    facts = Facts(
        operator=vector.operator,
        domain=vector.domain,
        since_version=vector.since_version,
        opset=vector.opset,
        form=vector.form,
        types=vector.types,
        covers=vector.covers,
        control=vector.control,
        size=size,
    )
    return Listed(vector.id, vector.kind, digest, facts)


def digest_of(content: bytes) -> str:
    """The digest of a manifest: SHA-256."""
    return hashlib.sha256(content).hexdigest()
