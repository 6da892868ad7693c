B
dft_lengthJüÿÿÿÿÿÿÿ