"""From YAML to specs: every word is checked, and errors say where it is and what was meant.

docs/specs.md describes the format for authors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.values.elements import ELEMENT_TYPES
from onnx_conformance.core.yaml.nodes import Node
from onnx_conformance.core.yaml.reading import read_yaml

from ..signatures.reading import FILE_NAME as SIGNATURES_FILE
from ..signatures.reading import Signatures, read_signatures
from .cases.context import CaseContext
from .cases.reading import CaseReader
from .cases.scopes import LET, Names, each_case
from .facts import CORPUS_FILE, TYPES_FILE, read_facts, read_type_sets
from .ids import CASE_ID, read_id
from .model import Case, CorpusFacts, OperatorVersion, Spec
from .roles import guessed_role
from .rulings import RULINGS_FILE
from .second_sources import read_second_sources
from .statements_reading import read_questions, read_requirements
from .versions_reading import VersionTable, own_domain, version_of
from .wide import read_wide
from .words import ROLES, Role

# Files beside the specs that are none.
OTHER_FILES = frozenset({TYPES_FILE, CORPUS_FILE, RULINGS_FILE})
SPEC_REQUIRED = ("operator", "requirements")
SPEC_OPTIONAL = (
    "domain",
    "versions",
    "roles",
    "element_types",
    "let",
    "open",
    "cases",
    "families",
    "invalid",
    "second_sources",
    "wide",
    "withdrawn",
)


@dataclass(frozen=True)
class Vocabulary:
    """The names that a spec may use and that this package does not define.

    Attributes:
        forms: names of the forms in which a case can be presented.
        templates: the ids of the requirements that the families of a spec may state, by the node
            of its `families:`; BadInputError if one is unknown.
        add_families: returns the spec with the cases and requirements of its families (None if it
            has none); BadInputError if one does not accept its parameters, or if a case has
            content that no operator could be given.
    """

    forms: tuple[str, ...]
    templates: Callable[[tuple[Node, ...]], tuple[str, ...]]
    add_families: Callable[[Spec, CorpusFacts, tuple[Node, ...]], Spec]


def specs_in(
    folder: Path, vocabulary: Vocabulary, operators: Sequence[str] = ()
) -> tuple[CorpusFacts, tuple[Spec, ...]]:
    """Every spec in a folder, by file name; BadInputError if one is unusable.

    Args:
        folder: folder of the specs.
        vocabulary: the forms and families that they may name.
        operators: names of the files to read (without their ending); empty means all.
    """
    facts, paths = spec_files(folder)
    sets = read_type_sets(folder, own=facts.own)
    signatures = None
    if (folder / SIGNATURES_FILE).is_file():
        signatures = read_signatures(folder / SIGNATURES_FILE)
    if operators:
        paths = tuple(path for path in paths if path.stem in operators)
    surroundings = Surroundings(facts, sets, signatures, vocabulary)
    specs = tuple(SpecReader(read_yaml(path), surroundings).spec() for path in paths)
    seen: dict[str, str] = {}
    for spec in specs:
        # Ids begin with the operator's name in lower case.
        first = seen.setdefault(spec.slug, spec.path)
        if first != spec.path:
            raise BadInputError(f"{spec.path}: operator '{spec.operator}' has a spec in {first}")
    return facts, specs


def spec_files(folder: Path) -> tuple[CorpusFacts, tuple[Path, ...]]:
    """The facts of a corpus and the paths of its specs, which are not read yet."""
    if not folder.is_dir():
        raise BadInputError(f"{folder}: no such folder; specs are looked for in ./specs")
    facts = read_facts(folder)
    # Names are sorted, and not paths: that takes a tenth of the time, for each spec read alone.
    names = sorted(path.name for path in folder.iterdir())
    paths = tuple(folder / name for name in names if _is_spec(name))
    for name in names:
        if name.endswith(".yml"):
            path = folder / name
            raise BadInputError(f"{path}: would not be read; call it {path.stem}.yaml")
    if not paths:
        raise BadInputError(f"{folder}: holds no spec (*.yaml)")
    return facts, paths


def _is_spec(name: str) -> bool:
    return name.endswith(".yaml") and name not in OTHER_FILES


@dataclass(frozen=True)
class Surroundings:
    """The objects that all specs of a folder refer to.

    Attributes:
        facts: facts about the whole corpus.
        sets: named sets of element types.
        signatures: the snapshot of ONNX's schemas, for specs without a table of versions.
        vocabulary: the forms and families that they may name.
    """

    facts: CorpusFacts
    sets: Mapping[str, tuple[str, ...]]
    signatures: Signatures | None
    vocabulary: Vocabulary


# How `roles` says of an output that it has the elements of an input, in row-major order.
_ELEMENTS_OF = "elements of "
# Keys of `element_types`.
_DEFAULT, _SET_BY, _LIKE = "default", "set_by", "like"
_FOLLOWING = ("{}", "seq({})", "optional({})", "inside({})", "item({})")


class SpecReader:
    """Reads one spec; versions first, because everything else refers to them."""

    def __init__(self, node: Node, surroundings: Surroundings) -> None:
        """`node` is the whole document."""
        self._node = node
        self._around = surroundings
        self._document = node.mapping(SPEC_REQUIRED, SPEC_OPTIONAL)
        self._domain = self._document["domain"].string() if "domain" in self._document else ""
        self._operator = self._document["operator"].string()
        self._types: Mapping[str, Node] = (
            self._document["element_types"].mapping((), (_DEFAULT, _SET_BY, _LIKE))
            if "element_types" in self._document
            else {}
        )
        if surroundings.facts.own:
            own_domain(self._document, surroundings.facts)
        self._versions = self._read_versions()
        self._roles = self._read_roles()
        self._context = CaseContext(
            self._versions, self._roles, (), surroundings.sets, surroundings.vocabulary.forms
        )
        self._requirements = read_requirements(self._document["requirements"], self._context)
        self._names = Names(self._document.get(LET))
        self._families = tuple(map(self._names.resolved, self._listed("families")))
        templates = surroundings.vocabulary.templates(self._families)
        self._context = replace(
            self._context,
            requirements=(*self._requirements, *templates),
            type_attributes=tuple(self._type_attributes()),
        )

    def spec(self) -> Spec:
        """The spec; BadInputError for any error in it."""
        written = Spec(
            path=self._node.file,
            operator=self._operator,
            domain=self._domain,
            default_type=self._default_type(),
            versions=self._versions,
            requirements=self._requirements,
            cases=self._read_cases(),
            withdrawn=self._withdrawn(),
            roles=self._roles,
            type_attributes=self._type_attributes(),
            type_follows=self._type_follows(),
            questions=read_questions(self._document["open"]) if "open" in self._document else {},
            second_sources=read_second_sources(
                self._document["second_sources"], tuple(self._versions)
            )
            if "second_sources" in self._document
            else (),
            wide=read_wide(self._document["wide"]) if "wide" in self._document else (),
        )
        written = self._around.vocabulary.add_families(written, self._around.facts, self._families)
        written = replace(written, cases=self._with_invalid(written))
        if not written.cases:
            raise self._node.error("no case: give `cases` or `families`")
        self._names.check_all_used()
        _check_covers(written)
        return written

    def _listed(self, key: str) -> tuple[Node, ...]:
        return self._document[key].sequence() if key in self._document else ()

    def _default_type(self) -> str:
        if _DEFAULT not in self._types:
            return "float32"
        return self._types[_DEFAULT].one_of(
            [element.name for element in ELEMENT_TYPES], "element type"
        )

    def _read_versions(self) -> dict[int, OperatorVersion]:
        signatures = self._around.signatures
        if "versions" in self._document:
            if signatures and (self._domain, self._operator) in signatures.operators():
                raise self._document["versions"].error(
                    f"{SIGNATURES_FILE} has the versions of {self._operator}: take the table out"
                )
            newest = self._around.facts.last_opset(self._domain)
            table = VersionTable(newest, self._around.sets)
            return table.read(self._document["versions"])
        if signatures is None:
            raise self._node.error(
                f"no `versions`, and no {SIGNATURES_FILE} beside it that knows the operator"
            )
        try:
            found = signatures.versions(self._domain, self._operator)
        except BadInputError as error:
            raise self._document["operator"].error(str(error)) from None
        inputs = [f"{_ELEMENTS_OF}{item.name}" for item in found[-1].inputs]
        elements = {
            name: value.one_of(inputs, "role of an output").removeprefix(_ELEMENTS_OF)
            for name, value in self._said_roles().items()
            if name in {item.name for item in found[-1].outputs}
        }
        versions = {item.since_version: version_of(item, elements) for item in found}
        return {number: item for number, item in versions.items() if not item.deprecated}

    def _said_roles(self) -> Mapping[str, Node]:
        return self._document["roles"].mapping() if "roles" in self._document else {}

    def _read_roles(self) -> dict[str, Role]:
        """The role of each input of any version: from the spec, else guessed from the name.

        A table of versions says itself which outputs have an input's elements; elsewhere `roles`
        does, which `_read_versions` has read.
        """
        parameters = {
            item.name: (version, item)
            for version in self._versions.values()
            for item in version.inputs
        }
        roles = {name: guessed_role(item, version) for name, (version, item) in parameters.items()}
        outputs = {item.name for version in self._versions.values() for item in version.outputs}
        if "versions" in self._document:
            outputs = set()
        said = self._said_roles()
        if said:
            self._document["roles"].only_keys((*parameters, *outputs))
        for name, value in said.items():
            if name not in outputs:
                roles[name] = Role(value.one_of(ROLES, "role"))
        return roles

    def _type_attributes(self) -> dict[str, str]:
        """Attributes that set an output's type, and the type variable that they set."""
        if _SET_BY not in self._types:
            return {}
        node = self._types[_SET_BY]
        node.mapping()
        node.only_keys(tuple(self._context.attributes))
        variables = {name for version in self._versions.values() for name in version.types}
        return {
            name: value.one_of(sorted(variables), "type variable")
            for name, value in node.mapping().items()
        }

    def _type_follows(self) -> dict[str, str]:
        """Type variables that have another's type if no attribute sets them."""
        if _LIKE not in self._types:
            return {}
        node = self._types[_LIKE]
        variables = sorted({name for version in self._versions.values() for name in version.types})
        rules = [rule.format(name) for name in variables for rule in _FOLLOWING]
        node.mapping()
        node.only_keys(tuple(variables))
        return {name: value.one_of(rules, "type") for name, value in node.mapping().items()}

    def _read_cases(self) -> dict[str, Case]:
        """The valid cases, and those with several permitted results."""
        cases: dict[str, Case] = {}
        documented: dict[str, str] = {}
        reader = CaseReader(self._context)
        for node in self._entries("cases"):
            case = reader.case(node)
            self._check_id(case, cases, node)
            if case.documented is not None:
                first = documented.setdefault(case.documented, case.id)
                if first != case.id:
                    raise node.error(f"'{case.documented}' is documented by '{first}' already")
            cases[case.id] = case
        return cases

    def _with_invalid(self, spec: Spec) -> dict[str, Case]:
        """All cases: the invalid ones come last, as one that a family made may be a control."""
        cases = dict(spec.cases)
        reader = CaseReader(self._context)
        for node in self._entries("invalid"):
            case = reader.invalid(node, cases)
            self._check_id(case, cases, node)
            cases[case.id] = case
        return cases

    def _entries(self, key: str) -> Iterator[Node]:
        return each_case(self._document[key], self._names) if key in self._document else iter(())

    def _check_id(self, case: Case, known: Mapping[str, Case], node: Node) -> None:
        if case.id in known:
            raise node.error(
                f"case '{case.id}' is here twice; it is already on line {known[case.id].line}"
            )
        if case.id in self._withdrawn():
            raise node.error(f"case '{case.id}' is withdrawn; its id is never used again")

    def _withdrawn(self) -> tuple[str, ...]:
        if "withdrawn" not in self._document:
            return ()
        return tuple(read_id(item, CASE_ID) for item in self._document["withdrawn"].sequence())


def _check_covers(spec: Spec) -> None:
    """Raise BadInputError for a case that covers what only a family would have stated."""
    for case in spec.cases.values():
        for name in case.covers:
            if name not in spec.requirements:
                raise BadInputError(
                    f"{spec.path}:{case.line}: case '{case.id}' covers '{name}', which a family of"
                    " the spec states where it makes a case of it, and it makes none"
                )
