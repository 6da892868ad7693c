
out_sequence_0