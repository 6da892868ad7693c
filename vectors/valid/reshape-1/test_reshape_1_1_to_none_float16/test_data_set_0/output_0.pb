
BreshapedJÿ{