/* The strides of a parameter whose elements are those of its argument in storage order, if there are any; dimensions are listed
   from the fastest on, and those of the argument begin with their number. */
static inline bool cfgrev_lay_over(int64_t *const *strides, int rank, const int64_t *extents, const int64_t *of)
{
    const int64_t count = of ? of[0] : 0;
    int64_t rest = 1, left = 1, step = 1, at = 0;
    for (int k = 0; k < rank; ++k)
        if (extents[k] == 0)
            return true;
    for (int k = 0; k < rank; ++k)
        rest *= extents[k];
    for (int k = 0; k < rank; ++k) {
        if (extents[k] == 1)
            continue;
        if (left == 1 && of) {
            step = 1;
            while (at < count && of[2 * at + 1] == 1)
                ++at;
            if (at < count) {
                left = of[2 * at + 1];
                step = of[2 * at + 2];
                ++at;
            }
            /* Neighbours without a gap between them are one dimension. */
            while (at < count && (of[2 * at + 1] == 1 || of[2 * at + 2] == left * step))
                left *= of[2 * at++ + 1];
        }
        *strides[k] = step;
        if (of && rest > left && left % extents[k])
            return false;
        rest /= extents[k];
        left /= extents[k];
        step *= extents[k];
    }
    return true;
}
