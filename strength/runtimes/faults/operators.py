"""Sets of operators that wrong runtimes treat alike."""

from __future__ import annotations

#: What moves elements and computes nothing.
MOVING = frozenset(
    {
        *("CenterCropPad", "Compress", "Concat", "DepthToSpace", "Expand", "Flatten", "Gather"),
        *("GatherElements", "GatherND", "Identity", "Pad", "Reshape", "ReverseSequence", "Slice"),
        *("ScatterElements", "ScatterND", "SpaceToDepth", "Split", "Squeeze", "Tile"),
        *("Transpose", "Trilu", "Unsqueeze", "Where"),
    }
)
UNARY = frozenset(
    {
        *("Abs", "Ceil", "Erf", "Exp", "Floor", "Log", "Neg", "Not", "Reciprocal", "Relu"),
        *("Sigmoid", "Sign", "Sqrt", "Tanh"),
    }
)
BINARY = frozenset({"Add", "And", "Div", "Max", "Min", "Mod", "Mul", "Or", "Pow", "Sub", "Xor"})
#: Whose result may be a view of the first input's memory.
VIEWING = frozenset({"Flatten", "Identity", "Reshape", "Squeeze", "Unsqueeze"})
#: Element types that a road through a runtime may lack; every runtime has float32.
ELEMENT_TYPES = (
    *("float16", "bfloat16", "float64", "int8", "int16", "int32", "int64"),
    *("uint8", "uint16", "uint32", "uint64", "bool", "string"),
)
