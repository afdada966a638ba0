#pragma once
#include <stddef.h>
#include <stdio.h>
typedef unsigned int wint_t; typedef struct { int count; unsigned int value; } mbstate_t;
int wprintf(const wchar_t *, ...); int fwprintf(FILE *, const wchar_t *, ...); wint_t putwchar(wchar_t); wint_t fputwc(wchar_t, FILE *);
wint_t putwc(wchar_t, FILE *); int fputws(const wchar_t *, FILE *); int fwide(FILE *, int);
int swprintf(wchar_t *, size_t, const wchar_t *, ...); int wscanf(const wchar_t *, ...); wint_t getwchar(void); wint_t fgetwc(FILE *);
size_t wcslen(const wchar_t *); int wcscmp(const wchar_t *, const wchar_t *); wchar_t *wcscpy(wchar_t *, const wchar_t *);
wchar_t *wcscat(wchar_t *, const wchar_t *); wchar_t *wcschr(const wchar_t *, wchar_t); double wcstod(const wchar_t *, wchar_t **);
long wcstol(const wchar_t *, wchar_t **, int);
#define WEOF 0xffffffffu
