
input_sequence