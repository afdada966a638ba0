#pragma once
extern int errno;
#define EDOM 33
#define ERANGE 34
/* What the macro becomes in files that are preprocessed. */
#define __errno_location() (&errno)
#define __error() (&errno)
