"""Says that it judges validity alone."""

from well_behaved import serve

serve(judges="validity")
