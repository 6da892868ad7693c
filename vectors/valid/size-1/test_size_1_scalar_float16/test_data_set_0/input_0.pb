
BdataJÿƒ