#pragma once
int isalnum(int); int isalpha(int); int isblank(int); int iscntrl(int); int isdigit(int); int isgraph(int); int islower(int);
int isprint(int); int ispunct(int); int isspace(int); int isupper(int); int isxdigit(int); int tolower(int); int toupper(int);
/* What the macros become in files that are preprocessed. */
const unsigned short **__ctype_b_loc(void); const int **__ctype_tolower_loc(void); const int **__ctype_toupper_loc(void);
enum {
    _ISupper = 0x100, _ISlower = 0x200, _ISalpha = 0x400, _ISdigit = 0x800, _ISxdigit = 0x1000, _ISspace = 0x2000,
    _ISprint = 0x4000, _ISgraph = 0x8000, _ISblank = 1, _IScntrl = 2, _ISpunct = 4, _ISalnum = 8
};
