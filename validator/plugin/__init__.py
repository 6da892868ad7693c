"""The pytest plugin: vectors as tests in another project's test suite.

May come in: the interface to pytest.
May not: any running or judging that differs from `running` and `judging`.
"""
