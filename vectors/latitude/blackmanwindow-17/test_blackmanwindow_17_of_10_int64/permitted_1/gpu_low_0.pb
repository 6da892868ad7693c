
BoutputJ(gá;WG=@	X>¼’?Õ Z?ñÿ?Ò Z?´’?
	X>=G=