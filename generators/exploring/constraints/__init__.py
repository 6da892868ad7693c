"""How the inputs and attributes of a call hang together, as far as that shows without an oracle.

An edit that takes them apart makes a call that no document permits: nothing is learned of a runtime
by it, and the oracle was asked for nothing. What is looked at is the call before the edit and the
vectors of the corpus for the same operator version, never an operator by its name. Inputs and
attributes are known by their names all the same, as axes, indices and pads are; some of `lists` are
those of one operator alone today (`offset` with `W`, `rois`, `map_form`, `cos_cache`, an equation):
an operator that takes them as well is held to the same, and one that means another thing by such a
name needs a condition there.

- Inputs whose shapes broadcast together go on doing so; ranks of others stay.
- A size that other inputs have, too, or that a list among the attributes has as its length, is not
  changed in one input alone.
- Axes stay within the rank, a permutation is one, lists keep their lengths.
- An input has a rank that it has in a vector, and beside the first one a difference of ranks that a
  vector has, unless vectors have it in three or more. Lists likewise, by their length.
- Indices and classes stay within those that are there.
- Attributes without a default are given together as some vector has them.
- What a subgraph declares keeps its type and shape.
- A list whose sum or product is a size of the first input, or the number of its elements, goes on
  being so; so does a list that has an entry for each value of a variadic input.
- Of several inputs that do not broadcast, a size that never differs in vectors alone stays.
- A variadic input has a number of values that it has in a vector, unless they have three or more.
- Where vectors differ in which attributes without a default they give, types are those of one that
  gives the same.
- Sizes, attributes and single integers of which one is a fixed multiple of another, or as much
  more, in all vectors of the operator, although they vary, go on doing so; heads and groups go on
  dividing what they divide there.
- Optional inputs and outputs that are there together in all vectors stay together, with the ranks
  that they have there; a word that needs an input in all vectors needs it.
- Lengths make up the axis that they split, a batch has a length for each of it, axes have two pads
  each, a shape has as many elements as the data, keys of a sparse map lie below its length,
  regions are of images that are there, caches have half of what turns, an equation has a term for
  each operand.
- A single number that is finite, not 0, or between 0 and 1 in all vectors stays so, and so do the
  numbers of regions and boxes.
- Blocks that divide the sizes of the first input go on doing so, and K is no more than any of them.

| module     | what                                                         |
|------------|--------------------------------------------------------------|
| facts      | what is looked at in one call                                |
| seen       | what the vectors of one operator version have                |
| relations  | quantities that are tied in all vectors of the operator      |
| presence   | inputs and outputs that go together in all of them           |
| domains    | what the numbers of inputs that tell how are in all          |
| lists      | whether lists that follow from shapes still do               |
| mending    | what follows from an edit, and is drawn with it              |
| totals     | whether lists that made up sizes of the first input still do |
| shapes     | whether ranks and shapes go together                         |
| attributes | whether attributes, and axes, go with the inputs             |
| fitting    | whether an edit leaves together what belongs together        |

What follows from an edit is drawn together with it, where that is known: another axis has other
lengths. Else another edit is drawn.

May come in: what keeps an edit from making a call that no document permits.
May not: operators by their names (inputs and attributes by theirs are), and the oracle (the
drawings ask it).
"""
