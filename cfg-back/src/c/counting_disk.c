
CFGREV_INLINE int cfgrev_counted_disk_begin(struct cfgrev_tape *tape, int type, int64_t count)
{
    const int64_t values = count > 0 ? count : 0;
    cfgrev_use.pushes += values;
    cfgrev_use.disk += values;
    cfgrev_use.disk_written += 8 * (values + 1);
    cfgrev_hold_on_disk(8 * (values + 1));
    return cfgrev_disk_begin(tape, type, count);
}

CFGREV_INLINE int cfgrev_counted_disk_open(struct cfgrev_tape *tape, int type, int64_t count)
{
    const int64_t values = count > 0 ? count : 0;
    cfgrev_use.pops += values;
    cfgrev_use.disk_read += 8 * (values + 1);
    cfgrev_hold_on_disk(-8 * (values + 1));
    return cfgrev_disk_open(tape, type, count);
}

CFGREV_INLINE void cfgrev_counted_disk_keep(struct cfgrev_tape *tape, int64_t count)
{
    const int64_t values = count > 0 ? count : 0;
    cfgrev_use.pushes += values;
    cfgrev_hold_on_disk(8 * (values + 1));
    cfgrev_disk_keep(tape, count);
}

#define cfgrev_disk_begin cfgrev_counted_disk_begin
#define cfgrev_disk_open cfgrev_counted_disk_open
#define cfgrev_disk_keep cfgrev_counted_disk_keep
