"""How near runtimes come to the exact result: docs/accuracy.md."""
