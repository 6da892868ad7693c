BdataJ
