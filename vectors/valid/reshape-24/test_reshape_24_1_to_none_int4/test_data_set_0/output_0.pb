BreshapedJ
