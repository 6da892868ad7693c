
BdataJÿ{