
additional_inputs_0