BdataJ”>Ør¶P
