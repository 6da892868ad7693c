BYJ
±x¿