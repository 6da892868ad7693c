BoutputJ
r1?
r1?