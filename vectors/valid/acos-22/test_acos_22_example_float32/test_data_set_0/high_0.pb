BoutputJ•
@ÞÉ?•
†?