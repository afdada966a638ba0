#pragma once
#include <stddef.h>
#include <stdarg.h>
typedef struct __cfgrev_file FILE;
extern FILE *stdout; extern FILE *stderr; extern FILE *stdin;
int printf(const char *, ...); int fprintf(FILE *, const char *, ...); int puts(const char *); int putchar(int);
int fflush(FILE *); int sprintf(char *, const char *, ...); int snprintf(char *, size_t, const char *, ...);
int vprintf(const char *, va_list); int vfprintf(FILE *, const char *, va_list);
int vsprintf(char *, const char *, va_list); int vsnprintf(char *, size_t, const char *, va_list);
int scanf(const char *, ...); int fscanf(FILE *, const char *, ...); FILE *fopen(const char *, const char *); int fclose(FILE *);
int fputc(int, FILE *); int putc(int, FILE *); int fputs(const char *, FILE *); void perror(const char *); char *fgets(char *, int, FILE *);
int fgetc(FILE *); int getc(FILE *); int getchar(void); int sscanf(const char *, const char *, ...);
size_t fread(void *, size_t, size_t, FILE *); size_t fwrite(const void *, size_t, size_t, FILE *);
#define EOF (-1)
#define BUFSIZ 8192
