2line
break	tabBdata