BdataJ
