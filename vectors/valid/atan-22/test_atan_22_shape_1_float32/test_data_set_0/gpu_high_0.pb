BoutputJ
r¥?