/* Compares the functions for texts that the front end has in C with those of the C library. */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#undef strlen
#define strlen own_strlen
#undef strnlen
#define strnlen own_strnlen
#undef strcmp
#define strcmp own_strcmp
#undef strncmp
#define strncmp own_strncmp
#undef strcasecmp
#define strcasecmp own_strcasecmp
#undef strncasecmp
#define strncasecmp own_strncasecmp
#undef strcpy
#define strcpy own_strcpy
#undef strncpy
#define strncpy own_strncpy
#undef strcat
#define strcat own_strcat
#undef strncat
#define strncat own_strncat
#undef strchr
#define strchr own_strchr
#undef strrchr
#define strrchr own_strrchr
#undef strstr
#define strstr own_strstr
#undef strspn
#define strspn own_strspn
#undef strcspn
#define strcspn own_strcspn
#undef strpbrk
#define strpbrk own_strpbrk
#undef strdup
#define strdup own_strdup
#include "../src/library/texts.c"
#undef strlen
#undef strnlen
#undef strcmp
#undef strncmp
#undef strcasecmp
#undef strncasecmp
#undef strcpy
#undef strncpy
#undef strcat
#undef strncat
#undef strchr
#undef strrchr
#undef strstr
#undef strspn
#undef strcspn
#undef strpbrk
#undef strdup

static const char *const all[] = {
    "", "a", "b", "A", "ab", "aB", "ba", "abc", "abcabd", "aab", "aaab", "cab", "\377", "a\200b", "[", "z@", "ab\0c"
};
#define COUNT (sizeof all / sizeof *all)

static int wrong;

static int sign(int k) { return (k > 0) - (k < 0); }

static void same(const char *name, const char *a, const char *b, long n, long ours, long theirs)
{
    if (ours != theirs)
        wrong += printf("%s(\"%s\", \"%s\", %ld): %ld, not %ld\n", name, a, b, n, ours, theirs) > 0;
}

/* Whole buffers are compared, so that what stands behind the text counts as well. */
#define WRITES(call, ours, theirs) do { \
        char mine[32], other[32]; \
        memset(mine, '#', 32); memset(other, '#', 32); \
        strcpy(mine, a); strcpy(other, a); \
        char *to = mine; \
        long at = (ours) - to; \
        to = other; \
        same(call, a, b, n, at, (theirs) - to); \
        same(call, a, b, n, memcmp(mine, other, 32), 0); \
    } while (0)
#define PLACE(p) ((p) ? (p) - a : -1L)

int main(void)
{
    for (size_t i = 0; i < COUNT; i++)
        for (size_t j = 0; j < COUNT; j++)
            for (long n = 0; n < 8; n++) {
                const char *a = all[i], *b = all[j];
                char *copy = own_strdup(a);
                same("strdup", a, b, n, strcmp(copy, a), 0);
                free(copy);
                same("strlen", a, b, n, own_strlen(a), strlen(a));
                same("strnlen", a, b, n, own_strnlen(a, n), strnlen(a, n));
                same("strcmp", a, b, n, sign(own_strcmp(a, b)), sign(strcmp(a, b)));
                same("strncmp", a, b, n, sign(own_strncmp(a, b, n)), sign(strncmp(a, b, n)));
                same("strcasecmp", a, b, n, sign(own_strcasecmp(a, b)), sign(strcasecmp(a, b)));
                same("strncasecmp", a, b, n, sign(own_strncasecmp(a, b, n)), sign(strncasecmp(a, b, n)));
                same("strchr", a, b, n, PLACE(own_strchr(a, *b)), PLACE(strchr(a, *b)));
                same("strrchr", a, b, n, PLACE(own_strrchr(a, *b)), PLACE(strrchr(a, *b)));
                same("strstr", a, b, n, PLACE(own_strstr(a, b)), PLACE(strstr(a, b)));
                same("strspn", a, b, n, own_strspn(a, b), strspn(a, b));
                same("strcspn", a, b, n, own_strcspn(a, b), strcspn(a, b));
                same("strpbrk", a, b, n, PLACE(own_strpbrk(a, b)), PLACE(strpbrk(a, b)));
                WRITES("strcpy", own_strcpy(to, b), strcpy(to, b));
                WRITES("strncpy", own_strncpy(to, b, n), strncpy(to, b, n));
                WRITES("strcat", own_strcat(to, b), strcat(to, b));
                WRITES("strncat", own_strncat(to, b, n), strncat(to, b, n));
            }
    return wrong != 0;
}
