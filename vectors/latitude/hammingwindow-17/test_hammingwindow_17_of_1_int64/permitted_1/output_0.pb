BoutputJ
ף=