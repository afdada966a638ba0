/* An argument, or a global, that may share cells with another one: the bytes of a cell, its position among the arguments if the
   parameter is as large as its own extents say, else -1, the first cell and how the cells lie: the number of dimensions, and extent and stride
   of each, the fastest first. */
struct cfgrev_part {
    size_t size;
    int parameter;
    const void *at;
    const int64_t *lie;
};

/* The pairs of a call, by their positions among the parts, and what is to be said if one shares a cell. */
struct cfgrev_pairs {
    const char *message;
    const struct cfgrev_part *part;
    const int (*pair)[2];
    int count;
};

/* The number of elements. */
CFGREV_INLINE int64_t cfgrev_elements(const int64_t *lie)
{
    int64_t count = 1;
    for (int64_t k = 0; k < lie[0]; ++k) {
        const int64_t extent = lie[2 * k + 1];
        if (extent <= 0)
            return 0;
        count = count > INT64_MAX / extent ? INT64_MAX : count * extent;
    }
    return count;
}

/* The cells before and behind the first one that elements reach. */
CFGREV_INLINE int64_t cfgrev_before(const int64_t *lie, int64_t sign)
{
    int64_t reach = 0;
    for (int64_t k = 0; k < lie[0]; ++k) {
        const int64_t extent = lie[2 * k + 1], stride = sign * lie[2 * k + 2];
        if (extent > 1 && stride < 0)
            reach -= (extent - 1) * stride;
    }
    return reach;
}

/* The position of the element that lies so many cells behind the first one; -1 if none does. A dimension's stride is larger than
   what those with smaller strides reach together, so that the largest decides first. */
CFGREV_INLINE int64_t cfgrev_position(const int64_t *lie, int64_t cells)
{
    int64_t position = 0, last = INT64_MAX;
    cells += cfgrev_before(lie, 1);
    for (;;) {
        int64_t width = 0, which = -1, index, before = 1;
        for (int64_t k = 0; k < lie[0]; ++k) {
            const int64_t stride = lie[2 * k + 2] < 0 ? -lie[2 * k + 2] : lie[2 * k + 2];
            if (lie[2 * k + 1] > 1 && stride < last && stride > width) {
                width = stride;
                which = k;
            }
        }
        if (which < 0)
            return cells == 0 ? position : -1;
        if (cells < 0 || cells / width >= lie[2 * which + 1])
            return -1;
        index = cells / width;
        cells %= width;
        last = width;
        if (lie[2 * which + 2] < 0)
            index = lie[2 * which + 1] - 1 - index;
        for (int64_t k = 0; k < which; ++k)
            before *= lie[2 * k + 1];
        position += index * before;
    }
}

/* True if the first elements of two arrays, as many as are said or all of them if that is negative, share a cell. */
CFGREV_INLINE bool cfgrev_meet(size_t size, const void *a, const int64_t *lie_a, int64_t count_a, const void *b,
                               const int64_t *lie_b, int64_t count_b)
{
    const int64_t all_a = a ? cfgrev_elements(lie_a) : 0, all_b = b ? cfgrev_elements(lie_b) : 0, bytes = (int64_t)size;
    int64_t apart;
    if (count_a < 0 || count_a > all_a)
        count_a = all_a;
    if (count_b < 0 || count_b > all_b)
        count_b = all_b;
    if (count_a == 0 || count_b == 0)
        return false;
    if (count_b < count_a)
        return cfgrev_meet(size, b, lie_b, count_b, a, lie_a, count_a);
    apart = (int64_t)((uintptr_t)a - (uintptr_t)b);
    if (apart % bytes != 0)
        return false;
    apart /= bytes;
    if (apart + cfgrev_before(lie_a, -1) < -cfgrev_before(lie_b, 1) || apart - cfgrev_before(lie_a, 1) > cfgrev_before(lie_b, -1))
        return false;
    for (int64_t n = 0; n < count_a; ++n) {
        int64_t cells = apart, rest = n, position;
        for (int64_t k = 0; k < lie_a[0]; ++k) {
            cells += rest % lie_a[2 * k + 1] * lie_a[2 * k + 2];
            rest /= lie_a[2 * k + 1];
        }
        position = cfgrev_position(lie_b, cells);
        if (position >= 0 && position < count_b)
            return true;
    }
    return false;
}

/* True if the two of a pair share a cell; sizes are those of parameters of explicit shape, if any is known. */
CFGREV_INLINE bool cfgrev_any_meet(const struct cfgrev_pairs *pairs, const int64_t *sizes)
{
    for (int k = 0; pairs && k < pairs->count; ++k) {
        const struct cfgrev_part *a = &pairs->part[pairs->pair[k][0]], *b = &pairs->part[pairs->pair[k][1]];
        const int64_t count_a = sizes && a->parameter >= 0 ? sizes[a->parameter] : -1;
        const int64_t count_b = sizes && b->parameter >= 0 ? sizes[b->parameter] : -1;
        if (cfgrev_meet(a->size, a->at, a->lie, count_a, b->at, b->lie, count_b))
            return true;
    }
    return false;
}
