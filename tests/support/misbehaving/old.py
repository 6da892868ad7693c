from well_behaved import serve

serve(max_opset=14)
