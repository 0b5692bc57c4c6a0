/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Flags of open(2) and commands of fcntl(2). Four flags differ between architectures: the kernel's type data show which one
 * this is, by the size of the saved registers (168 bytes on x86-64).
 */

inline int O_RDONLY = 0;
inline int O_WRONLY = 1;
inline int O_RDWR = 2;
inline int O_ACCMODE = 3;
inline int O_CREAT = 0100;
inline int O_EXCL = 0200;
inline int O_NOCTTY = 0400;
inline int O_TRUNC = 01000;
inline int O_APPEND = 02000;
inline int O_NONBLOCK = 04000;
inline int O_NDELAY = 04000;
inline int O_DSYNC = 010000;
inline int O_SYNC = 04010000;
inline int O_RSYNC = 04010000;
inline int O_ASYNC = 020000;
inline int O_DIRECT = sizeof (struct pt_regs) == 168 ? 040000 : 0200000;
inline int O_LARGEFILE = sizeof (struct pt_regs) == 168 ? 0100000 : 0400000;
inline int O_DIRECTORY = sizeof (struct pt_regs) == 168 ? 0200000 : 040000;
inline int O_NOFOLLOW = sizeof (struct pt_regs) == 168 ? 0400000 : 0100000;
inline int O_NOATIME = 01000000;
inline int O_CLOEXEC = 02000000;
inline int O_PATH = 010000000;
inline int F_DUPFD = 0;
inline int F_GETFD = 1;
inline int F_SETFD = 2;
inline int F_GETFL = 3;
inline int F_SETFL = 4;
inline int F_GETLK = 5;
inline int F_SETLK = 6;
inline int F_SETLKW = 7;
inline int FD_CLOEXEC = 1;
