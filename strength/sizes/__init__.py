"""Runtimes that are right about small tensors and wrong about large ones.

A fault of size is the same whatever the operator: the tail of a loop is left out, one workgroup too
few is started, an offset has 16 bits. Most are applied to what a vector expects, which costs no
oracle; those that concern what is read are applied to the inputs, and the oracle answers.

| module | |
|---|---|
| `faults` | the faults, one registry |
| `places` | where each element comes from: what faults of tensors are made of |
| `sums` | sums in which terms are left out or added twice, below the oracles |
| `spoiling` | values with a fault in them |
| `asking` | what a vector's model gives where the inputs, or the sums, have a fault |
| `measuring` | each fault put before the vectors of an operator |

May come in: faults that show above some size. May not: what is wrong in one operator.
"""
