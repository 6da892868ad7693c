B
input_meanJn²„?¥Ò@