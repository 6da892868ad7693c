"""Two specs in which every key stands that a spec may have; tests spoil them place by place."""

from __future__ import annotations

# With a table of versions, as an operator has that no schema of ONNX knows.
TABLE = """\
operator: Reshape
element_types: {default: float32}
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
let:
  six: [6]
cases:
  - id: two_dims
    covers: [requested-shape]
    documented: test_reshape_reordered_all_dims
    purpose: the order
    spread: [versions, types]
    types: [floats, int32]
    forms: {symbolic: [int32]}
    inputs: {data: [2, 3], shape: [3, 2]}
    outputs: {reshaped: [3, 2]}
  - id: zero
    covers: [literal-zero]
    since: 14
    until: 14
    spread: newest
    forms: [static, initializer]
    attributes: {allowzero: 1}
    inputs: {data: [0, 3], shape: [3, 0]}
    outputs: {reshaped: [3, 0]}
  - id: written
    covers: [shape-int64]
    spread: ends
    requested: [reshaped]
    types: {T: float32}
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
  - covers: [shape-int64]
    since: 5
    spread: newest
    data: exact
    inputs: {data: [2, 3]}
    group:
      - {id: flat, inputs: {shape: {let: six}}}
      - {id: tall, spread: ends, inputs: {shape: [6, 1]}, outputs: {reshaped: [6, 1]}}
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
invalid:
  - id: too_many
    covers: [requested-shape]
    inputs: {data: [2, 3], shape: [7]}
    control: two_dims
    reject: run
    fault: {ranks: {reshaped: 1}}
  - id: shape_is_int32
    covers: [shape-int64]
    inputs: {data: [2, 3], shape: {values: [3, 2], type: int32}}
    control: two_dims
    reject: load
  - id: one_argument
    covers: [shape-int64]
    fault: {arguments: [data], results: [reshaped]}
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
    fault:
      declare_types: {reshaped: int8}
      declare_shapes: {reshaped: [2, 3]}
    control: two_dims
    reject: load
  - id: twice
    covers: [literal-zero]
    attributes: {allowzero: 1}
    fault: {repeat: {allowzero: 1}}
    inputs: {data: [0, 3], shape: [3, 0]}
    control: zero
    reject: load
  - id: wrapped
    since: 14
    covers: [shape-int64]
    fault: {wrap: sequence}
    inputs: {data: [2, 3], shape: [3, 2]}
    control: two_dims
    reject: load
withdrawn: [gone]
"""

# With ONNX's signatures, and each family that a spec of this operator can use.
FAMILIES = """\
operator: Concat
element_types: {default: float32, set_by: {}, like: {}}
requirements:
  - id: joined
    text: The inputs stand one behind the other.
    source: {document: Concat-13, part: Summary}
  - id: axis-is-one-of-theirs
    text: The axis is one of the inputs'.
    source: {document: Concat-13, part: Attributes}
cases:
  - covers: [joined]
    until: 13
    data: any/tame
    attributes: {axis: 0}
    requested: [concat_result]
    group:
      - {id: given_two, inputs: {inputs: [[2, 3], [1, 3]]}}
      - id: given_written
        inputs:
          inputs: [{values: [1, 2]}, {shape: [2], profile: exact}, {values: [1], type: float32}]
  - id: limited_three
    covers: [joined]
    types: [float32, int8]
    attributes: {axis: 0}
    inputs: {inputs: [[2], [1], [3]]}
invalid:
  - id: beyond
    covers: [axis-is-one-of-theirs]
    control: given_two
    reject: load
    attributes: {axis: 5}
families:
  - family: combinations
    covers: [joined]
    with:
      bind: {T: float32}
      name: chosen
      data: any
      common: {}
      values:
        inputs: [[[2, 2]], [[2, 2], [2, 2]]]
        axis: [0, 1]
  - family: axis
    covers: [joined]
    id: along
    since: 11
    spread: newest
    with:
      axis: axis
      inputs: {inputs: [shape, {along: 2}]}
      common: {}
      reject: load
      scalar: skip
      data: any
      small: true
      values: false
      sizes: [2, 3]
      requested: [concat_result]
  - family: structure
    with:
      base: given_two
      data: exact
      forms: false
      outside: [float8e5m2]
      without: []
      skip: [defaults]
"""
