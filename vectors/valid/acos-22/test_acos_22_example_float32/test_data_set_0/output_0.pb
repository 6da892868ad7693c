BoutputJ’
@ÛÉ?’
†?