BoutputJŽ
@×É?Ž
†?