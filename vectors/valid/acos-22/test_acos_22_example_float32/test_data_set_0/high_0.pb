BoutputJ–
@ßÉ?–
†?