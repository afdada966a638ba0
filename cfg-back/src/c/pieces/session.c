/* The state of a tape before a call, to go back to if the call fails. */
struct cfgrev_state {
    struct cfgrev_level level;
    struct cfgrev_mark work, arrays;
    unsigned depth;
};

CFGREV_INLINE struct cfgrev_state cfgrev_begin(struct cfgrev_tape *tape)
{
    struct cfgrev_state state;
    state.level = cfgrev_level_of(tape);
    state.work = cfgrev_mark_of(&tape->work);
    state.arrays = cfgrev_mark_of(&tape->arrays);
    state.depth = tape->depth;
    ++tape->restart.calls;
    tape->restart.loops = tape->restart.depth = 0;
    tape->restart.forget = NULL;
    return state;
}

CFGREV_INLINE int cfgrev_end(struct cfgrev_tape *tape, const struct cfgrev_state *state, int status)
{
    static const char *const messages[] = {
        "", "out of memory", "a limit was reached", "the program stopped", "a check failed"};
    /* A program that stops has left its own, and so have files. */
    if ((status != 3 || !tape->message) && (!status || status != tape->told))
        tape->message = messages[status >= 0 && status <= 4 ? status : 4];
    cfgrev_release(&tape->work, state->work);
    cfgrev_release(&tape->arrays, state->arrays);
    tape->told = 0;
    tape->depth = state->depth;
    if (!status && tape->restart.forget)
        tape->restart.forget(&tape->restart);
    if (status) {
        const struct cfgrev_level empty = {0, 0, 0, 0, 0, 0, 0};
        cfgrev_cut(tape, state->level);
        for (tape = tape->inner; tape; tape = tape->inner)
            cfgrev_cut(tape, empty);
    }
    return status;
}
