#pragma once
#include <stddef.h>
#include <stdarg.h>
/* Like texts, streams are only printed to. */
typedef char FILE; typedef long fpos_t;
extern FILE *stdout; extern FILE *stderr; extern FILE *stdin;
int printf(const char *, ...); int fprintf(FILE *, const char *, ...); int puts(const char *); int putchar(int);
int fflush(FILE *); int sprintf(char *, const char *, ...); int snprintf(char *, size_t, const char *, ...);
int vprintf(const char *, va_list); int vfprintf(FILE *, const char *, va_list);
int vsprintf(char *, const char *, va_list); int vsnprintf(char *, size_t, const char *, va_list);
int scanf(const char *, ...); int fscanf(FILE *, const char *, ...); FILE *fopen(const char *, const char *); int fclose(FILE *);
int vscanf(const char *, va_list); int vfscanf(FILE *, const char *, va_list); int vsscanf(const char *, const char *, va_list);
int fputc(int, FILE *); int putc(int, FILE *); int fputs(const char *, FILE *); void perror(const char *); char *fgets(char *, int, FILE *);
int fgetc(FILE *); int getc(FILE *); int getchar(void); char *gets(char *); int ungetc(int, FILE *); int sscanf(const char *, const char *, ...);
size_t fread(void *, size_t, size_t, FILE *); size_t fwrite(const void *, size_t, size_t, FILE *);
FILE *freopen(const char *, const char *, FILE *); FILE *tmpfile(void); char *tmpnam(char *);
int remove(const char *); int rename(const char *, const char *); void setbuf(FILE *, char *); int setvbuf(FILE *, char *, int, size_t);
int fseek(FILE *, long, int); long ftell(FILE *); void rewind(FILE *); int fgetpos(FILE *, fpos_t *); int fsetpos(FILE *, const fpos_t *);
void clearerr(FILE *); int feof(FILE *); int ferror(FILE *);
#define EOF (-1)
#define BUFSIZ 8192
#define FILENAME_MAX 4096
#define FOPEN_MAX 16
#define SEEK_SET 0
#define SEEK_CUR 1
#define SEEK_END 2
#define _IOFBF 0
#define _IOLBF 1
#define _IONBF 2
