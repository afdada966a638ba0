/* Functions of the library that read and write texts. Places are counted from the beginning, so that pointers keep theirs. */

unsigned long strlen(const char *s)
{
    unsigned long n = 0;
    while (s[n] != 0)
        n++;
    return n;
}

unsigned long strnlen(const char *s, unsigned long most)
{
    unsigned long n = 0;
    while (n < most && s[n] != 0)
        n++;
    return n;
}

int strcmp(const char *a, const char *b)
{
    unsigned long k = 0;
    while (a[k] != 0 && a[k] == b[k])
        k++;
    return (unsigned char)a[k] - (unsigned char)b[k];
}

int strncmp(const char *a, const char *b, unsigned long n)
{
    unsigned long k = 0;
    while (k < n && a[k] != 0 && a[k] == b[k])
        k++;
    return k < n ? (unsigned char)a[k] - (unsigned char)b[k] : 0;
}

int strcasecmp(const char *a, const char *b)
{
    unsigned long k = 0;
    while (a[k] != 0 && tolower((unsigned char)a[k]) == tolower((unsigned char)b[k]))
        k++;
    return tolower((unsigned char)a[k]) - tolower((unsigned char)b[k]);
}

int strncasecmp(const char *a, const char *b, unsigned long n)
{
    unsigned long k = 0;
    while (k < n && a[k] != 0 && tolower((unsigned char)a[k]) == tolower((unsigned char)b[k]))
        k++;
    return k < n ? tolower((unsigned char)a[k]) - tolower((unsigned char)b[k]) : 0;
}

char *strcpy(char *to, const char *from)
{
    unsigned long k = 0;
    while (from[k] != 0) {
        to[k] = from[k];
        k++;
    }
    to[k] = 0;
    return to;
}

char *strncpy(char *to, const char *from, unsigned long n)
{
    unsigned long k = 0;
    while (k < n && from[k] != 0) {
        to[k] = from[k];
        k++;
    }
    while (k < n)
        to[k++] = 0;
    return to;
}

char *strcat(char *to, const char *from)
{
    unsigned long n = 0, k = 0;
    while (to[n] != 0)
        n++;
    while (from[k] != 0) {
        to[n + k] = from[k];
        k++;
    }
    to[n + k] = 0;
    return to;
}

char *strncat(char *to, const char *from, unsigned long most)
{
    unsigned long n = 0, k = 0;
    while (to[n] != 0)
        n++;
    while (k < most && from[k] != 0) {
        to[n + k] = from[k];
        k++;
    }
    to[n + k] = 0;
    return to;
}

char *strchr(const char *s, int c)
{
    unsigned long k = 0;
    while (s[k] != 0 && s[k] != (char)c)
        k++;
    return s[k] == (char)c ? (char *)s + k : 0;
}

char *strrchr(const char *s, int c)
{
    unsigned long n = 0;
    while (s[n] != 0)
        n++;
    for (unsigned long k = n + 1; k > 0; k--)
        if (s[k - 1] == (char)c)
            return (char *)s + (k - 1);
    return 0;
}

char *strstr(const char *s, const char *part)
{
    for (unsigned long k = 0;; k++) {
        unsigned long n = 0;
        while (part[n] != 0 && s[k + n] == part[n])
            n++;
        if (part[n] == 0)
            return (char *)s + k;
        if (s[k] == 0)
            return 0;
    }
}

unsigned long strspn(const char *s, const char *all)
{
    unsigned long n = 0, k = 0;
    while (s[n] != 0) {
        k = 0;
        while (all[k] != 0 && all[k] != s[n])
            k++;
        if (all[k] == 0)
            return n;
        n++;
    }
    return n;
}

unsigned long strcspn(const char *s, const char *none)
{
    unsigned long n = 0, k = 0;
    while (s[n] != 0) {
        k = 0;
        while (none[k] != 0 && none[k] != s[n])
            k++;
        if (none[k] != 0)
            return n;
        n++;
    }
    return n;
}

char *strpbrk(const char *s, const char *any)
{
    unsigned long n = strcspn(s, any);
    return s[n] != 0 ? (char *)s + n : 0;
}

char *strdup(const char *s)
{
    char *made = malloc(strlen(s) + 1);
    return strcpy(made, s);
}
