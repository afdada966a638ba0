
static int heron_rev_body(int64_t n, const double *restrict a, double *restrict a_b,
        double *restrict s_b, struct cfgrev_tape *tape, struct cfgrev_tape *memory)
{
    struct cfgrev_top top = tape->top;
    const struct cfgrev_mark entry = cfgrev_mark_of(&memory->work);
    double *const w = cfgrev_allocate(&memory->work, n, sizeof *w);
    if (!w)
        return 1;
    double *const w_b = cfgrev_allocate(&memory->work, n, sizeof *w_b);
    if (!w_b)
        return 1;
    /* heron, vertex 12: EXIT */
    for (int64_t k = n - 1; k >= 0; --k)
        w[k] = cfgrev_pop_real(&top);
    double x = cfgrev_pop_real(&top);
    for (int64_t k = 0; k < n; ++k)
        w_b[k] = 0.0;
    /* heron, vertex 11: ENDLOOP (src/he"ron ? /.f90:15) */
#line 15 "src/he\"ron\\\?\?/.f90"
    for (int64_t i = n; i >= 1; --i) {
        /* heron, vertex 10: ENDBRANCH */
#line 659 "heron.adjoint.c"
        if (a[i - 1] > 0.0) {
            /* heron, vertex 9, statement 1: s := s + x*w[i] (src/he"ron ? /.f90:13) */
#line 13 "src/he\"ron\\\?\?/.f90"
            double x_b = *s_b * w[i - 1];
#line 13 "src/he\"ron\\\?\?/.f90"
            w_b[i - 1] += *s_b * x;
            /* heron, vertex 6: while abs(x*x - a[i]) > 1e-12 (src/he"ron ? /.f90:10) */
#line 10 "src/he\"ron\\\?\?/.f90"
            int64_t rBound_6 = cfgrev_pop_count(&top);
            /* heron, vertex 8: ENDLOOP */
#line 670 "heron.adjoint.c"
            for (int64_t rCtr_6 = 1; rCtr_6 <= rBound_6; ++rCtr_6) {
                /* heron, vertex 7, statement 1: x := (x + a[i]/x)/2.0 (src/he"ron ? /.f90:11) */
#line 11 "src/he\"ron\\\?\?/.f90"
                x = cfgrev_pop_real(&top);
#line 11 "src/he\"ron\\\?\?/.f90"
                double b1 = x_b * (1.0 / 2.0);
#line 11 "src/he\"ron\\\?\?/.f90"
                a_b[i - 1] += cfgrev_strong(b1, 1.0 / x);
#line 11 "src/he\"ron\\\?\?/.f90"
                x_b = cfgrev_strong(b1, -(a[i - 1] / x / x)) + b1;
#line 681 "heron.adjoint.c"
            }
            /* heron, vertex 5, statement 1: x := a[i] (src/he"ron ? /.f90:9) */
#line 9 "src/he\"ron\\\?\?/.f90"
            x = cfgrev_pop_real(&top);
#line 9 "src/he\"ron\\\?\?/.f90"
            a_b[i - 1] += x_b;
#line 688 "heron.adjoint.c"
        }
#line 15 "src/he\"ron\\\?\?/.f90"
    }
    /* heron, vertex 2, statement 2: w := 2.0*a (src/he"ron ? /.f90:6) */
#line 6 "src/he\"ron\\\?\?/.f90"
    for (int64_t k = 0; k < n; ++k)
#line 6 "src/he\"ron\\\?\?/.f90"
        a_b[k] += w_b[k] * 2.0;
#line 6 "src/he\"ron\\\?\?/.f90"
    for (int64_t k = 0; k < n; ++k)
#line 6 "src/he\"ron\\\?\?/.f90"
        w_b[k] = 0.0;
    /* heron, vertex 2, statement 1: s := 0.0 (src/he"ron ? /.f90:5) */
#line 5 "src/he\"ron\\\?\?/.f90"
    *s_b = 0.0;
#line 704 "heron.adjoint.c"
    cfgrev_release(&memory->work, entry);
    tape->top = top;
    return 0;
}

/* forward of heron */
static int heron_fwd_body(int64_t n, const double *restrict a, double *restrict s,
        struct cfgrev_tape *tape, struct cfgrev_tape *memory)
{
    double s_here = 0.0;
    struct cfgrev_top top = tape->top;
    const struct cfgrev_mark entry = cfgrev_mark_of(&memory->work);
    double *const w = cfgrev_allocate(&memory->work, n, sizeof *w);
    if (!w)
        return 1;
    /* heron, vertex 2, statement 1: s := 0.0 (src/he"ron ? /.f90:5) */
#line 5 "src/he\"ron\\\?\?/.f90"
    s_here = 0.0;
    /* heron, vertex 2, statement 2: w := 2.0*a (src/he"ron ? /.f90:6) */
#line 6 "src/he\"ron\\\?\?/.f90"
    for (int64_t k = 0; k < n; ++k)
#line 6 "src/he\"ron\\\?\?/.f90"
        w[k] = 2.0 * a[k];
#line 6 "src/he\"ron\\\?\?/.f90"
    double x = 0.0;
    /* heron, vertex 3: i = 1, n (src/he"ron ? /.f90:7) */
#line 7 "src/he\"ron\\\?\?/.f90"
    for (int64_t i = 1; i <= n; ++i) {
        /* heron, vertex 4: a[i] > 0.0 */
#line 734 "heron.adjoint.c"
        if (a[i - 1] > 0.0) {
            /* heron, vertex 5, statement 1: x := a[i] (src/he"ron ? /.f90:9) */
#line 9 "src/he\"ron\\\?\?/.f90"
            if (cfgrev_room_real(&top, tape, 1))
#line 9 "src/he\"ron\\\?\?/.f90"
                return 1;
#line 9 "src/he\"ron\\\?\?/.f90"
            cfgrev_push_real(&top, x);
#line 9 "src/he\"ron\\\?\?/.f90"
            x = a[i - 1];
            /* heron, vertex 6: while abs(x*x - a[i]) > 1e-12 (src/he"ron ? /.f90:10) */
#line 10 "src/he\"ron\\\?\?/.f90"
            int64_t ctr_6 = 0;
#line 10 "src/he\"ron\\\?\?/.f90"
            while (fabs(x * x - a[i - 1]) > 1e-12) {
                /* heron, vertex 7, statement 1: x := (x + a[i]/x)/2.0 (src/he"ron ? /.f90:11) */
#line 11 "src/he\"ron\\\?\?/.f90"
                if (cfgrev_room_real(&top, tape, 1))
#line 11 "src/he\"ron\\\?\?/.f90"
                    return 1;
#line 11 "src/he\"ron\\\?\?/.f90"
                cfgrev_push_real(&top, x);
#line 11 "src/he\"ron\\\?\?/.f90"
                x = (x + a[i - 1] / x) / 2.0;
                /* heron, vertex 8: ENDLOOP */
#line 760 "heron.adjoint.c"
                ctr_6 = ctr_6 + 1;
#line 10 "src/he\"ron\\\?\?/.f90"
            }
            /* heron, vertex 6: while abs(x*x - a[i]) > 1e-12 (src/he"ron ? /.f90:10) */
#line 10 "src/he\"ron\\\?\?/.f90"
            if (cfgrev_room_control(&top, tape, 2))
#line 10 "src/he\"ron\\\?\?/.f90"
                return 1;
#line 10 "src/he\"ron\\\?\?/.f90"
            cfgrev_push_count(&top, ctr_6);
            /* heron, vertex 9, statement 1: s := s + x*w[i] (src/he"ron ? /.f90:13) */
#line 13 "src/he\"ron\\\?\?/.f90"
            s_here += x * w[i - 1];
#line 774 "heron.adjoint.c"
        }
#line 7 "src/he\"ron\\\?\?/.f90"
    }
    /* heron, vertex 12: EXIT */
#line 779 "heron.adjoint.c"
    if (cfgrev_room_real(&top, tape, 1))
        return 1;
    cfgrev_push_real(&top, x);
    if (cfgrev_room_real(&top, tape, n))
        return 1;
    for (int64_t k = 0; k < n; ++k)
        cfgrev_push_real(&top, w[k]);
    *s = s_here;
    cfgrev_release(&memory->work, entry);
    tape->top = top;
    return 0;
}

int heron_fwd(int64_t n, const double *a, double *s, struct cfgrev_tape *tape)
{
    const struct cfgrev_state state = cfgrev_begin(tape);
    int status = 0;
    status = heron_fwd_body(n, a, s, tape, tape);
    return cfgrev_end(tape, &state, status);
}

int heron_rev(int64_t n, const double *a, double *a_b, double *s, double *s_b,
        struct cfgrev_tape *tape)
{
    const struct cfgrev_state state = cfgrev_begin(tape);
    int status = 0;
    (void)s;
    status = heron_rev_body(n, a, a_b, s_b, tape, tape);
    return cfgrev_end(tape, &state, status);
}

int heron_grad(int64_t n, const double *a, double *a_b, double *s, double *s_b,
        struct cfgrev_tape *tape)
{
    struct cfgrev_tape own;
    if (!tape)
        own = (struct cfgrev_tape){0};
    struct cfgrev_tape *const used = tape ? tape : &own;
    const struct cfgrev_state state = cfgrev_begin(used);
    int status = 0;
    status = heron_grad_body(n, a, s, a_b, s_b, used);
    status = cfgrev_end(used, &state, status);
    if (!tape)
        cfgrev_tape_free(&own);
    return status;
}

