BdataJNu
