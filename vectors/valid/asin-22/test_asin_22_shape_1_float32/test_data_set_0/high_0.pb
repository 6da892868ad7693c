BoutputJ
?’¿