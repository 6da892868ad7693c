Blog_probJ
r1¿
r1¿
r1¿
r1¿