
BoutputJ(gá;gG=H	X>¿’?Ú Z?øÿ?Ú Z?»’?4	X>äG=