/* Memory of a caller. */
struct cfgrev_cells {
    const void *at;
    size_t size;
};

/* True if one from number `first` on has a byte in common with one before it. */
static inline bool cfgrev_shared(const struct cfgrev_cells *all, int first, int count)
{
    for (int k = first; k < count; ++k)
        for (int j = 0; j < k; ++j)
            if (cfgrev_share(all[j].at, all[j].size, all[k].at, all[k].size))
                return true;
    return false;
}
