"""Vectors cut from a user's model: one for each way in which it uses an operator.

| module     | what                                                                           |
|------------|--------------------------------------------------------------------------------|
| shapes     | numbers for dynamic dimensions, so that every shape is known                    |
| feeding    | values of the model's inputs from files                                        |
| constants  | what the model stores, read inside its folder alone                             |
| drawing    | values for everything else, realistic and special ones                          |
| work       | how much the oracle would have to do for a node                                 |
| reducing   | smaller dimensions that keep what matters to an operator                        |
| questions  | one node as a model of its own, and what the oracle says of it                  |
| values     | what each value of the model is, computed where that is cheap                   |
| cutting    | all uses of a model: a vector for each, or the reason why there is none         |
| making     | an answered question as the files of a vector                                   |
| writing    | the folder of vectors                                                           |
| installed  | the entry point by which the validator reaches all this                         |

May come in: what decides which question a node of a model is.
May not: what the answer is (`generators.oracle`), and running anybody's runtime (`validator`).
"""
