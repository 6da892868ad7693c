"""The oracles: one folder a family of operators, one module for those that share their semantics.

| folder        | operators                                                                      |
|---------------|--------------------------------------------------------------------------------|
| elementwise   | each element by itself, or with those at its place                             |
| conversion    | the same elements in another type: by value, or by bits                        |
| reshaping     | the same elements in the same order, in another shape                          |
| movement      | the same elements elsewhere: parts, joins, other orders                        |
| indexing      | places named by indices                                                        |
| making        | tensors from nothing but attributes and shapes, random ones among them         |
| rows          | elements along axes become one, or are compared with each other                |
| normalization | rows, channels or regions made alike in size                                   |
| contraction   | sums of products                                                               |
| windows       | windows that slide over spatial axes                                           |
| regions       | regions of images, pooled                                                      |
| resampling    | values at places between elements                                              |
| quantization  | numbers by a scale and a zero point                                            |
| recurrent     | a state carried along a sequence                                               |
| attention     | queries, keys and values                                                       |
| signals       | windows, Fourier transforms, the mel scale                                     |
| text          | strings                                                                        |
| images        | encoded images                                                                 |
| containers    | sequences and optionals                                                        |
| control       | subgraphs                                                                      |
| training      | steps of an optimizer                                                          |
| ml            | the domain ai.onnx.ml: features, encoders, maps, trees                         |
| predictors    | the domain ai.onnx.ml: classes by weights, support vectors                     |

May come in: what the document of an operator asks for, and parts that several operators share.
May not: NumPy, onnx, specs, and how a case is made into a vector.

A module is listed in `oracle/index.py` and imported when it is first needed.
"""
