B
input_meanJ,v?İB@