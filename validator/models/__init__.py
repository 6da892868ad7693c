"""What vectors and results say of a user's model: the subcommand `model`.

| module     | what                                                                           |
|------------|--------------------------------------------------------------------------------|
| coverage   | the vectors that concern each use of the model: the same, near, none            |
| evidence   | what a runtime made of those vectors, in one status for each use                |
| observing  | what a backend returns for a whole model, with the values between its nodes     |
| chain      | each node judged on the values that the backend gave to it                      |
| apart      | whether two runs of a model are apart, and which node is the first to differ    |

May come in: what is asked of a corpus and of results files for one model.
May not: how a report looks (`reports.model`), and how vectors are cut from a model (`generators`).
"""
