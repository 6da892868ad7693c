module harness

go 1.18
