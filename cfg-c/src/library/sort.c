/* qsort for elements of one type: merges runs of sorted elements. Equal ones keep their order. */
void qsort(element *a, unsigned long n, int (*compare)(const void *, const void *))
{
    element *b = malloc(n * sizeof *b);
    for (unsigned long width = 1; width < n; width *= 2) {
        for (unsigned long from = 0; from < n; from += 2 * width) {
            unsigned long middle = width < n - from ? from + width : n, to = width < n - middle ? middle + width : n;
            unsigned long i = from, j = middle;
            for (unsigned long k = from; k < to; k++)
                b[k] = i < middle && (j >= to || compare(&a[i], &a[j]) <= 0) ? a[i++] : a[j++];
        }
        for (unsigned long k = 0; k < n; k++)
            a[k] = b[k];
    }
    free(b);
}

/* bsearch for an element of one type: of equal ones the one that is met first. */
element *bsearch(const key *sought, const element *a, unsigned long n, int (*compare)(const void *, const void *))
{
    unsigned long from = 0, to = n;
    while (from < to) {
        unsigned long middle = (from + to) / 2;
        int order = compare(sought, &a[middle]);
        if (order == 0)
            return (element *)&a[middle];
        if (order < 0)
            to = middle;
        else
            from = middle + 1;
    }
    return 0;
}
