#ifndef CFGREV_CHECKS_IS_DEFINED
#define CFGREV_CHECKS_IS_DEFINED
/* 0 or 1, or CFGREV_UNSET_LOGICAL. */
typedef unsigned char cfgrev_logical;

/* One value of each type stands for one that was never set. What is computed from it is it again. */
#define CFGREV_UNSET_LOGICAL 2
#define CFGREV_UNSET_INTEGER (-INT64_C(6674804268309651741))

static inline double cfgrev_unset_real(void) {
    union { uint64_t bits; double value; } cell;
    cell.bits = UINT64_C(0x7FF8756E696E6974);
    return cell.value;
}

static inline bool cfgrev_is_unset_real(double x) {
    union { double value; uint64_t bits; } cell;
    cell.value = x;
    return cell.bits == UINT64_C(0x7FF8756E696E6974);
}

static inline float cfgrev_unset_real32(void) {
    union { uint32_t bits; float value; } cell;
    cell.bits = UINT32_C(0x7FC0756E);
    return cell.value;
}

static inline bool cfgrev_is_unset_real32(float x) {
    union { float value; uint32_t bits; } cell;
    cell.value = x;
    return cell.bits == UINT32_C(0x7FC0756E);
}

/* What went wrong in a statement: of all the first in the order of evaluation, which `at` counts; 0 if nothing did. */
struct cfgrev_check {
    int at, code;
};

static inline int64_t cfgrev_found(struct cfgrev_check *check, int at, int code) {
    if (!check->at || at < check->at) {
        check->at = at;
        check->code = code;
    }
    return CFGREV_UNSET_INTEGER;
}

/* The status of a function in which a check has failed. */
static inline int cfgrev_stop(struct cfgrev_tape *tape, const struct cfgrev_check *check, const char *message) {
    tape->message = message;
    return check->code == 210 ? 1 : 4;
}

/* The same, with the message that has the code; the last one is null. */
static inline int cfgrev_stop_with(struct cfgrev_tape *tape, const struct cfgrev_check *check,
                                   const char *const *messages) {
    const char *message = "";
    for (; *messages; ++messages) {
        if (100*((*messages)[1] - '0') + 10*((*messages)[2] - '0') + (*messages)[3] - '0' == check->code) {
            message = *messages;
        }
    }
    return cfgrev_stop(tape, check, message);
}

/* The end of a call from outside: as without checks, but the message stays. */
static inline int cfgrev_end_checked(struct cfgrev_tape *tape, const struct cfgrev_state *state, int status) {
    const char *const message = tape->message;
    cfgrev_end(tape, state, status);
    if (status == 3 || status == 4) {
        tape->message = message;
    }
    return status;
}

/* A product of numbers of elements, the largest integer if it does not fit; negative ones count as 0. */
static inline int64_t cfgrev_count(int64_t m, int64_t n) {
    if (m <= 0 || n <= 0) {
        return 0;
    }
    return m > INT64_MAX / n ? INT64_MAX : m * n;
}

/* The value of a condition, which must be set. */
static inline bool cfgrev_true(struct cfgrev_check *check, int at, cfgrev_logical b) {
    if (b == CFGREV_UNSET_LOGICAL) {
        cfgrev_found(check, at, 202);
    }
    return b == 1;
}
#endif
