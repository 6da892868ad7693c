
output