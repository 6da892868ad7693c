
BreshapedJÿƒ