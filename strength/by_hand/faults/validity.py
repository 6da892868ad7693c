"""Bugs that let an invalid model or call through, each a check that is missing."""

from __future__ import annotations

from onnx_conformance.core.values.tensors import OptionalValue, SequenceValue, Tensor

from ..backend import Backend
from ..definitions import DEFINITIONS
from ..outcomes import CrashError
from ..program import INT
from ..registry import mutant
from ..values import int64, patterns, signed


class _Lenient(Backend):
    """Attributes that are not as they should be are read all the same."""

    def check_attributes(self, node, attributes, definition):
        """Nothing is checked here."""

    def usable(self, node, attributes, definition):
        return attributes

    def checked(self, node, arguments, frame):
        call = super().checked(node, arguments, frame)
        kept = self.usable(node, self.resolved(node, frame), call.definition)
        return call._replace(attributes={item.name: item.value for item in kept})


class _Ignoring(Backend):
    """One kind of foreign attribute is ignored."""

    names: frozenset[str] = frozenset()
    operator = ""

    def resolved(self, node, frame):
        found = super().resolved(node, frame)
        if node.operator != self.operator:
            return found
        known = self.definition(node.operator, frame.opset).attributes
        return [item for item in found if item.name in known or item.name not in self.names]


@mutant()
class UnknownAttributeOfShapeIsIgnored(_Ignoring):
    """An attribute that Shape never had is ignored."""

    operator, names = "Shape", frozenset({"axis"})


@mutant()
class UnknownAttributeOfReshapeIsIgnored(_Ignoring):
    """An attribute that Reshape never had is ignored."""

    operator, names = "Reshape", frozenset({"axis"})


@mutant()
class ShapeAttributeIsIgnored(_Ignoring):
    """The attribute shape beside the input is ignored."""

    operator, names = "Reshape", frozenset({"shape"})


@mutant()
class ShapeAttributeReplacesTheInput(Backend):
    """The attribute shape of version 1 is read at later versions, the input being absent or not."""

    def checked(self, node, arguments, frame):
        given = next((item for item in node.attributes if item.name == "shape"), None)
        if node.operator == "Reshape" and frame.opset >= 5 and given is not None:
            inner = node._replace(
                inputs=(node.inputs[0], "shape"),
                attributes=tuple(item for item in node.attributes if item is not given),
            )
            return super().checked(inner, [arguments[0], int64(given.value)], frame)
        return super().checked(node, arguments, frame)


@mutant()
class ListsOfOneAreIntegers(_Lenient):
    """An attribute of one integer in a list is an integer."""

    def usable(self, node, attributes, definition):
        read = [
            item._replace(type=INT, value=item.value[0])
            if definition.attributes.get(item.name) == INT
            and isinstance(item.value, tuple)
            and len(item.value) == 1
            else item
            for item in attributes
        ]
        Backend.check_attributes(self, node, read, definition)
        return read


@mutant()
class TextAttributesAreZero(_Lenient):
    """An attribute that is a text is 0."""

    def usable(self, node, attributes, definition):
        read = [
            item._replace(type=INT, value=0) if isinstance(item.value, bytes) else item
            for item in attributes
        ]
        Backend.check_attributes(self, node, read, definition)
        return read


@mutant()
class MissingInputCrashes(Backend):
    """An input that is missing is a null pointer."""

    def check_arity(self, node, definition):
        if len(node.inputs) < definition.inputs:
            raise CrashError
        super().check_arity(node, definition)


@mutant()
class UnnamedInputCrashes(Backend):
    """An input without a name is a null pointer."""

    def check_arity(self, node, definition):
        if "" in node.inputs:
            raise CrashError
        super().check_arity(node, definition)


@mutant()
class MissingDataIsAScalar(Backend):
    """A missing input of Shape and Size is mistaken for a scalar."""

    def checked(self, node, arguments, frame):
        if node.operator in {"Shape", "Size"} and arguments in ([], [None]):
            node = node._replace(inputs=("missing",))
            arguments = [Tensor("float32", (), bytes(4))]
        return super().checked(node, arguments, frame)


@mutant()
class MissingShapeIsEmpty(Backend):
    """A missing shape is an empty one, and the data is returned as it is."""

    def check_arity(self, node, definition):
        present = [name for name in node.inputs if name]
        if node.operator != "Reshape" or definition.inputs != 2 or len(present) != 1:
            super().check_arity(node, definition)

    def check_inputs(self, node, arguments, definition):
        if len([name for name in node.inputs if name]) == definition.inputs:
            super().check_inputs(node, arguments, definition)

    def run_reshape(self, call):
        present = [name for name in call.node.inputs if name]
        if len(present) < call.definition.inputs:
            return call.inputs[0]
        return super().run_reshape(call)


@mutant()
class ResultIsCastToItsDeclaration(Backend):
    """Shape and Size give the integer type that is declared for their output."""

    def check_declared(self, declared, required):
        if (declared, required) != ("int32", "int64"):
            super().check_declared(declared, required)

    def execute(self, node, arguments, frame):
        results = super().execute(node, arguments, frame)
        outputs = frame.session.program.graph.outputs
        declared = {item.name: item.type for item in outputs}
        if node.operator in {"Shape", "Size"} and declared.get(node.outputs[0]) == "int32":
            data = b"".join(code.to_bytes(8, "little")[:4] for code in patterns(results[0]))
            return (Tensor("int32", results[0].shape, data),)
        return results


class _AnyType(Backend):
    """One operator takes any element type at any version."""

    operator = ""

    def check_data(self, node, data, definition):
        if node.operator != self.operator or not isinstance(data, Tensor):
            super().check_data(node, data, definition)


@mutant()
class TypesOfReshapeAreNotChecked(_AnyType):
    """Reshape takes any element type at any version."""

    operator = "Reshape"


@mutant()
class TypesAreThoseOfTheNewestVersion(Backend):
    """The types of the newest version are accepted at every version of Reshape since 5."""

    def check_data(self, node, data, definition):
        newest = DEFINITIONS[node.operator][0]
        keep = node.operator != "Reshape" or definition.since == 1
        super().check_data(node, data, definition if keep else newest)


@mutant()
class ReshapeOneTakesAnyOldType(Backend):
    """Reshape-1 takes all types of Reshape-5."""

    def check_data(self, node, data, definition):
        wide = DEFINITIONS["Shape"][-1]
        old = node.operator == "Reshape" and definition.since == 1
        super().check_data(node, data, definition._replace(types=wide.types) if old else definition)


@mutant()
class ShapeOfSequenceIsItsLength(Backend):
    """Shape and Size of a sequence give its length."""

    def check_data(self, node, data, definition):
        if not isinstance(data, SequenceValue) or node.operator == "Reshape":
            super().check_data(node, data, definition)

    def checked(self, node, arguments, frame):
        call = super().checked(node, arguments, frame)
        data = call.inputs[0]
        if isinstance(data, SequenceValue):
            return call._replace(inputs=[Tensor("bool", (len(data.items),), b"")])
        return call


@mutant()
class OptionalIsUnwrapped(Backend):
    """An optional that holds a tensor is that tensor."""

    def checked(self, node, arguments, frame):
        opened = [item.value if isinstance(item, OptionalValue) else item for item in arguments]
        return super().checked(node, opened, frame)


@mutant()
class SequenceIsItsOnlyItem(Backend):
    """A sequence of one tensor is that tensor for Reshape."""

    def checked(self, node, arguments, frame):
        opened = [
            item.items[0]
            if isinstance(item, SequenceValue)
            and len(item.items) == 1
            and node.operator == "Reshape"
            else item
            for item in arguments
        ]
        return super().checked(node, opened, frame)


class _ShapeType(Backend):
    """The shape may be of another integer type."""

    types: frozenset[str] = frozenset()

    def check_shape_input(self, shape):
        if isinstance(shape, Tensor) and shape.type in self.types:
            shape = Tensor("int64", shape.shape, b"")
        super().check_shape_input(shape)

    def shape_values(self, shape):
        if shape.type in self.types:
            return tuple(self.value(code, shape.type) for code in patterns(shape))
        return super().shape_values(shape)

    def value(self, code: int, type_name: str) -> int:
        return signed(code, 32 if type_name == "int32" else 64)


@mutant("onnx/onnx: onnx.reference")
class ShapeMayBeInt32(_ShapeType):
    """A shape of int32 is accepted."""

    types = frozenset({"int32"})


@mutant("onnx/onnx: onnx.reference")
class ShapeMayBeUint64(_ShapeType):
    """A shape of uint64 is accepted."""

    types = frozenset({"uint64"})


@mutant()
class ShapeMayBeFloat(_ShapeType):
    """A shape of float32 is rounded."""

    types = frozenset({"float32"})

    def value(self, code, type_name):
        import struct

        return int(struct.unpack("<f", struct.pack("<I", code))[0])
