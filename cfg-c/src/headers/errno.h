#pragma once
/* What the program gives it itself; functions of the library do not. */
static int cfgrev_errno;
#define errno cfgrev_errno
#define EPERM 1
#define ENOENT 2
#define EINTR 4
#define EIO 5
#define E2BIG 7
#define EBADF 9
#define EAGAIN 11
#define ENOMEM 12
#define EACCES 13
#define EFAULT 14
#define EBUSY 16
#define EEXIST 17
#define EINVAL 22
#define ENFILE 23
#define EMFILE 24
#define EFBIG 27
#define ENOSPC 28
#define EPIPE 32
#define EDOM 33
#define ERANGE 34
#define ENOSYS 38
#define EOVERFLOW 75
#define EILSEQ 84
#define ENOTSUP 95
#define ETIMEDOUT 110
/* What the macro becomes in files that are preprocessed. */
#define __errno_location() (&cfgrev_errno)
#define __error() (&cfgrev_errno)
