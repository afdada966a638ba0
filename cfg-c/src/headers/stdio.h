#pragma once
#include <stddef.h>
typedef struct __cfgrev_file FILE;
extern FILE *stdout; extern FILE *stderr; extern FILE *stdin;
int printf(const char *, ...); int fprintf(FILE *, const char *, ...); int puts(const char *); int putchar(int);
int fflush(FILE *); int sprintf(char *, const char *, ...); int snprintf(char *, size_t, const char *, ...);
int scanf(const char *, ...); int fscanf(FILE *, const char *, ...); FILE *fopen(const char *, const char *); int fclose(FILE *);
int fputs(const char *, FILE *); void perror(const char *); char *fgets(char *, int, FILE *);
#define EOF (-1)
#define BUFSIZ 8192
