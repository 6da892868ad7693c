from well_behaved import serve

serve(model="by pigeon")
