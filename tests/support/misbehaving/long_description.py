"""A handshake whose version is a hundred thousand characters long."""

from well_behaved import serve

serve(version="1" * 100_000)
