"""A handshake with a number that JSON can write and no double holds."""

from well_behaved import DESCRIPTION, serve, write

serve(answer=lambda: write(str({**DESCRIPTION, "speed": 0}).replace("'", '"')[:-2] + "1e999}\n"))
