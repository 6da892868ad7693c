
BoutputJ<¼