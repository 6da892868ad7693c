BoutputJ
}¦>