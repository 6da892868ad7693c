BdataJ”>Ør¶P
