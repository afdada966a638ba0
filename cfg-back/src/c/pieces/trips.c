/* Trip count of a counted loop: max(0, floor((last - first + step) / step)). */
static inline int64_t cfgrev_trips(int64_t first, int64_t last, int64_t step) {
    if (step > 0) {
        return first > last ? 0 : (int64_t)(((uint64_t)last - (uint64_t)first) / (uint64_t)step) + 1;
    }
    return first < last ? 0 : (int64_t)(((uint64_t)first - (uint64_t)last) / (0 - (uint64_t)step)) + 1;
}
