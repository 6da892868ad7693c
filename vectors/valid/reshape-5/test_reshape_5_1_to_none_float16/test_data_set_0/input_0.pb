
BdataJZþ