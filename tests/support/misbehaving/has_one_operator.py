"""Implements the operator that ONLY names, whose output is its first input, and nothing else."""

import os

from well_behaved import send, serve


def answer(request):
    asked = request["id"].split("/")[1]
    if not asked.startswith(f"{os.environ['ONLY']}_"):
        send({"id": request["id"], "unsupported": "no such operator"})
        return True
    outputs = []
    for data_set in request["data_sets"]:
        first = {key: value for key, value in data_set[0].items() if key != "name"}
        outputs.append([first])
    send({"id": request["id"], "outputs": outputs})
    return True


serve(answer, every=True)
