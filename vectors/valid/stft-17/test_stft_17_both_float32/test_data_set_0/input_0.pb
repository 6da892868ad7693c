	BsignalJ$J”?WvÀØr¾
@xÛ>Ú°¿É40ÀP‡F>Xá†¾