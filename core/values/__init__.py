"""Values: element types, float formats, tensors and their bytes, comparing and describing them.

May come in: functions that take values and return values.
May not: vectors, files, anything about one operator.
The folder has 15 modules: comparing and describing use nearly all others, and none is apart.
"""
