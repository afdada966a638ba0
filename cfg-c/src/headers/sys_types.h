#pragma once
#include <stddef.h>
#include <time.h>
typedef long ssize_t; typedef long off_t; typedef int pid_t; typedef unsigned uid_t; typedef unsigned gid_t; typedef unsigned id_t;
typedef unsigned mode_t; typedef unsigned long dev_t; typedef unsigned long ino_t; typedef unsigned long nlink_t; typedef unsigned useconds_t;
typedef long suseconds_t; typedef long blksize_t; typedef long blkcnt_t;
typedef unsigned char u_char; typedef unsigned short u_short; typedef unsigned u_int; typedef unsigned long u_long;
