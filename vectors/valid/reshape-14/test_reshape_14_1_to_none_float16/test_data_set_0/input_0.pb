
BdataJÿƒ