
BreshapedJZş