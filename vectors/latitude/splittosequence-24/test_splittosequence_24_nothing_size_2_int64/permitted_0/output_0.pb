
output_sequence