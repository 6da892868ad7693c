"""Two specs in which every key stands that a spec may have; tests spoil them place by place."""

from __future__ import annotations

# With a table of versions, as an operator has that no schema of ONNX knows.
TABLE = """\
operator: Reshape
default_type: float32
versions:
  1:
    types: {T: floats}
    inputs: {data: T}
    outputs: {reshaped: {type: T, elements: data}}
    attributes: {shape: ints}
  5:
    types: {T: some}
    inputs: {data: T, shape: {type: int64, optional: false}}
    attributes: {}
  14:
    attributes: {allowzero: {type: int, default: 0}}
roles: {data: data, shape: shape}
requirements:
  - id: requested-shape
    text: The output has the requested shape.
    source: {document: Reshape-14, part: Summary}
  - id: literal-zero
    since: 14
    text: With allowzero=1 a 0 is a dimension of 0.
    source: {document: Reshape-14, part: Summary}
  - id: shape-int64
    since: 5
    until: 14
    text: The shape has the element type int64.
    source: {document: Reshape-5, part: Inputs}
    errata: Until onnx 1.9 the page said something else.
  - id: is-fast
    text: It is fast.
    uncovered: It is about speed.
    source: {document: Reshape-5, part: Inputs}
open:
  - id: question
    text: The page does not say it.
    source: {document: Reshape-14, part: Summary}
    readings: {one: first words, other: second words}
cases:
  - id: two_dims
    covers: [requested-shape]
    documented: test_reshape_reordered_all_dims
    purpose: the order
    sweep: [types]
    every_version: true
    types: [floats, int32]
    pairs: {symbolic: [int32]}
    inputs: {data: [2, 3], shape: [3, 2]}
    outputs: {reshaped: [3, 2]}
  - id: zero
    covers: [literal-zero]
    since: 14
    until: 14
    thin: true
    forms: [static, initializer]
    attributes: {allowzero: 1}
    inputs: {data: [0, 3], shape: [3, 0]}
    outputs: {reshaped: [3, 0]}
  - id: written
    covers: [shape-int64]
    ends_only: true
    requested: [reshaped]
    bind: {T: float32}
    inputs: {data: {shape: [2], values: [1, 2.5]}, shape: {values: [2, 1]}}
    outputs: {reshaped: {values: [[1], [2.5]]}}
  - id: profile
    covers: [shape-int64]
    inputs: {data: {shape: [2], profile: exact}, shape: [2]}
    outputs: {reshaped: {from: data, take: [0, 1], shape: [2]}}
  - id: again
    covers: [shape-int64]
    inputs: {data: [2, 3], shape: [3, 2]}
    outputs: {reshaped: [3, 2]}
    then:
      - inputs: {data: [4, 3], shape: [3, 4]}
        outputs: {reshaped: {from: data, take: [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]}}
invalid:
  - id: too_many
    covers: [requested-shape]
    inputs: {data: [2, 3], shape: [7]}
    control: two_dims
    reject: run
    ranks: {reshaped: 1}
  - id: shape_is_int32
    covers: [shape-int64]
    inputs: {data: [2, 3], shape: {values: [3, 2], type: int32}}
    control: two_dims
    reject: load
  - id: one_argument
    covers: [shape-int64]
    inputs: {data: [2, 3], shape: [3, 2]}
    arguments: [data]
    results: [reshaped]
    control: two_dims
    reject: load
  - id: unknown_attribute
    covers: [shape-int64]
    attributes: {axis: {type: int, value: 0}}
    inputs: {data: [2, 3], shape: [3, 2]}
    control: two_dims
    reject: load
  - id: declared
    covers: [requested-shape]
    inputs: {data: [2, 3], shape: [3, 2]}
    declare_types: {reshaped: int8}
    declare_shapes: {reshaped: [2, 3]}
    control: two_dims
    reject: load
  - id: twice
    covers: [literal-zero]
    attributes: {allowzero: 1}
    repeat: {allowzero: 1}
    inputs: {data: [0, 3], shape: [3, 0]}
    control: zero
    reject: load
  - id: wrapped
    since: 14
    covers: [shape-int64]
    wrap: sequence
    inputs: {data: [2, 3], shape: [3, 2]}
    control: two_dims
    reject: load
latitude:
  - id: allowzero_2
    covers: [literal-zero]
    attributes: {allowzero: 2}
    inputs: {data: [0, 3], shape: [3, 0]}
    permitted:
      - taken: literal
        reason: any value but 0 sets the attribute
        outputs: {reshaped: [3, 0]}
      - taken: rejected
        reason: only 1 has a meaning
withdrawn: [gone]
"""

# With ONNX's signatures, and each family that a spec of this operator can use.
FAMILIES = """\
operator: Concat
default_type: float32
elements: {}
type_attributes: {}
requirements:
  - id: joined
    text: The inputs stand one behind the other.
    source: {document: Concat-13, part: Summary}
  - id: axis-is-one-of-theirs
    text: The axis is one of the inputs'.
    source: {document: Concat-13, part: Attributes}
families:
  - family: computed
    covers: [joined]
    until: 13
    prefix: given
    data: any/tame
    common: {axis: 0}
    outputs: [concat_result]
    cases:
      two: {inputs: [[2, 3], [1, 3]]}
      written:
        inputs: [{values: [1, 2]}, {shape: [2], profile: exact}, {values: [1], type: float32}]
  - family: computed
    covers: [joined]
    prefix: limited
    types: [float32, int8]
    cases: {three: {inputs: [[2], [1], [3]], axis: 0}}
  - family: combinations
    bind: {T: float32}
    covers: [joined]
    name: chosen
    data: any
    common: {}
    values:
      inputs: [[[2, 2]], [[2, 2], [2, 2]]]
      axis: [0, 1]
  - family: neighbours
    control: given_two
    covers: [axis-is-one-of-theirs]
    reject: load
    data: any
    changes:
      beyond: {axis: 5}
  - family: axis
    covers: [joined]
    prefix: along
    since: 11
    axis: axis
    inputs: {inputs: [shape, {along: 2}]}
    common: {}
    reject: load
    scalar: skip
    data: any
    small: true
    values: false
    sizes: [2, 3]
    outputs: [concat_result]
  - family: structure
    base: given_two
    data: exact
    forms: false
    outside: [float8e5m2]
    without: []
    skip: [defaults]
"""
