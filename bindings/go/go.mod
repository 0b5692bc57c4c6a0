module dtrace.linux/dtrace

go 1.19
