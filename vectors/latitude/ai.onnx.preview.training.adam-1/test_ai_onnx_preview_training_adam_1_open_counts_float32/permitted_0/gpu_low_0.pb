B	outputs_0Jüÿ_@
Úî¿’%ˆ@