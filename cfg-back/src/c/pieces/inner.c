/* The tape of this number among those that functions have for themselves; null if there is no memory for it. */
CFGREV_INLINE struct cfgrev_tape *cfgrev_inner(struct cfgrev_tape *tape, int number)
{
    const struct cfgrev_tape empty = {0};
    struct cfgrev_tape *const outer = tape->outer ? tape->outer : tape;
    for (; number > 0; --number) {
        if (!tape->inner) {
            tape->inner = malloc(sizeof *tape);
            if (!tape->inner)
                return NULL;
            *tape->inner = empty;
        }
        tape->inner->folder = tape->folder;
        tape = tape->inner;
        tape->outer = outer;
    }
    return tape;
}
