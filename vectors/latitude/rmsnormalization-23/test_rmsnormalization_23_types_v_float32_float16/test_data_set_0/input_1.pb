
BscaleJ
1j¾,AOÂfB