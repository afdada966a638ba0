

/* tangent of constant */
static void constant_t_body(const double *restrict x, double *restrict r, const double *restrict x_t, double *restrict r_t)
{
    for (int64_t k = 0; k < 3; ++k) {
        r_t[k] = x_t[k] * x[k] + x_t[k] * x[k];
    }
    for (int64_t k = 0; k < 3; ++k) {
        r[k] = x[k] * x[k];
    }
    r_t[1] = x_t[0] * x[2] + x_t[2] * x[0];
    r[1] = x[0] * x[2];
}

int constant_t(const double *x, const double *x_t, double *constant_value, double *constant_value_t, struct cfgrev_tape *tape);

int constant_t(const double *x, const double *x_t, double *constant_value, double *constant_value_t, struct cfgrev_tape *tape)
{
    struct cfgrev_tape own = {0};
    struct cfgrev_tape *const used = tape ? tape : &own;
    const struct cfgrev_state state = cfgrev_begin(used);
    int status = 0;
    constant_t_body(x, constant_value, x_t, constant_value_t);
    status = cfgrev_end(used, &state, status);
    cfgrev_tape_free(&own);
    return status;
}

