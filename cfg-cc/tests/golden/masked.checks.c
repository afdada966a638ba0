{
    struct cfgrev_check check = {0, 0};
    cfgrev_bounds(&check, 1, 1, n);
    cfgrev_bind(&check, 2, x_count, n > 0 ? n : 0);
    if (check.at)
        return cfgrev_stop_with(memory, &check, (const char *const []){
            "X202 routine masked: an uninitialised value decides",
            "X203 routine masked: integer overflow",
            "X210 routine masked: out of memory",
            "X212 routine masked: shapes do not conform",
            "X213 routine masked: absent optional argument is used",
            "X215 routine masked: array is not allocated",
            NULL});
    cfgrev_bounds(&check, 1, 1, n);
    cfgrev_bind(&check, 2, mask_count, n > 0 ? n : 0);
    if (check.at)
        return cfgrev_stop_with(memory, &check, (const char *const []){
            "X202 routine masked: an uninitialised value decides",
            "X203 routine masked: integer overflow",
            "X210 routine masked: out of memory",
            "X212 routine masked: shapes do not conform",
            "X213 routine masked: absent optional argument is used",
            "X215 routine masked: array is not allocated",
            NULL});
    *seen = CFGREV_UNSET_LOGICAL;
    double r = 0.0;
    *seen = false;
    int64_t last = n;
    int64_t trips = cfgrev_set_integer(&check, 2, cfgrev_trips_integer(&check, 1, 1, last, 1));
    if (check.at)
        return cfgrev_stop_with(memory, &check, (const char *const []){
            "X202 routine masked, vertex 3: an uninitialised value decides",
            "X203 routine masked, vertex 3: integer overflow",
            NULL});
    for (int64_t i = 1; trips > 0; --trips) {
        cfgrev_logical holds = cfgrev_true(&check, 2, cfgrev_element_logical(&check, 1, mask,
                cfgrev_index(&check, 1, i, 1, n)));
        if (check.at)
            return cfgrev_stop_with(memory, &check, (const char *const []){
                "X201 routine masked, vertex 4: index out of bounds",
                "X202 routine masked, vertex 4: an uninitialised value decides",
                NULL});
        if (holds) {
            r = cfgrev_add_real(r, cfgrev_mul_real(cfgrev_element_real(&check, 1, x,
                    cfgrev_index(&check, 1, i, 1, n)), cfgrev_element_real(&check, 2, x,
                    cfgrev_index(&check, 2, i, 1, n))));
            if (check.at)
                return cfgrev_stop_with(memory, &check, (const char *const []){
                    "X201 routine masked, vertex 5, statement 1: index out of bounds",
                    "X202 routine masked, vertex 5, statement 1: an uninitialised value decides",
                    NULL});
            *seen = true;
        }
        i = cfgrev_add_integer(&check, 1, i, 1);
        if (check.at)
            return cfgrev_stop(memory, &check, "X203 routine masked, vertex 3: integer overflow");
    }
    r = cfgrev_div_real(r, cfgrev_element_real(&check, 2, x,
            cfgrev_index(&check, 2, cfgrev_sub_integer(&check, 1, n, 2), 1, n)));
    if (check.at)
        return cfgrev_stop_with(memory, &check, (const char *const []){
            "X201 routine masked, vertex 8, statement 1: index out of bounds",
            "X202 routine masked, vertex 8, statement 1: an uninitialised value decides",
            "X203 routine masked, vertex 8, statement 1: integer overflow",
            NULL});
    *masked_value = r;
    return 0;
}

int masked(int64_t n, const double *restrict x, const bool *restrict mask, bool *restrict seen,
        double *masked_value, struct cfgrev_tape *tape)
{
    struct cfgrev_tape own;
    if (!tape)
        own = (struct cfgrev_tape){0};
    struct cfgrev_tape *const used = tape ? tape : &own;
    const struct cfgrev_state state = cfgrev_begin(used);
    int status = masked_body(n, x ? INT64_MAX : 0, x, mask ? INT64_MAX : 0,
            (const cfgrev_logical *)mask, (cfgrev_logical *)seen, masked_value, used);
    status = cfgrev_end_checked(used, &state, status);
    if (!tape)
        cfgrev_tape_free(&own);
    return status;
}

