BYJ
;s@