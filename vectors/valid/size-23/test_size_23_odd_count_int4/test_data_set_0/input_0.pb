BdataJ”>Ør¶P
