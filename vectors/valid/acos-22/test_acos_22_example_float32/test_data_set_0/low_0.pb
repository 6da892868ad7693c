BoutputJç
@÷…?ç
Ü?