
BdataJÿ{