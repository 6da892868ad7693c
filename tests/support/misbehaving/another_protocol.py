from well_behaved import serve

serve(protocol=2)
