//! The tape of emitted files: a few inline functions under a guard, the same in every file.

use std::fmt::Write as _;

/// The text, with one stack per type.
pub(super) fn text() -> String {
    let mut stacks = String::new();
    for (name, ty) in [
        ("real", "double"),
        ("real32", "float"),
        ("integer", "int64_t"),
        ("control", "uint64_t"),
    ] {
        let made = STACK.replace("@NAME@", name).replace("@TYPE@", ty);
        stacks.push_str(&made);
        if name != "control" {
            // Bits have functions of their own.
            stacks.push_str(&ACCESS.replace("@NAME@", name).replace("@TYPE@", ty));
        }
        let _ = writeln!(stacks);
    }
    include_str!("runtime.c").replace("@STACKS@\n", &stacks)
}

/// A stack of one type grows to twice its size.
const STACK: &str = "\
CFGREV_INLINE int cfgrev_grow_@NAME@(struct cfgrev_tape *tape, int64_t count)
{
    struct cfgrev_top *const top = &tape->top;
    const size_t used = top->@NAME@ ? (size_t)(top->@NAME@ - tape->@NAME@_begin) : 0;
    const size_t room = top->@NAME@ ? (size_t)(top->@NAME@_end - tape->@NAME@_begin) : 512;
    const size_t most = ((size_t)-1 / 4) / sizeof *top->@NAME@;
    const size_t want = 2 * room > used + (size_t)count ? 2 * room : used + (size_t)count;
    @TYPE@ *cells;
    if ((uint64_t)count > most - used)
        return 1;
    cells = realloc(tape->@NAME@_begin, want * sizeof *cells);
    if (!cells)
        return 1;
    tape->@NAME@_begin = cells;
    top->@NAME@ = cells + used;
    top->@NAME@_end = cells + want;
    return 0;
}

/* 0 if so many values more can be pushed. */
CFGREV_INLINE int cfgrev_room_@NAME@(struct cfgrev_top *top, struct cfgrev_tape *tape, int64_t count)
{
    int failed;
    if (top->@NAME@_end - top->@NAME@ >= count)
        return 0;
    tape->top = *top;
    failed = cfgrev_grow_@NAME@(tape, count);
    *top = tape->top;
    return failed;
}
";

/// Push and pop, of values for which there is room.
const ACCESS: &str = "\
CFGREV_INLINE void cfgrev_push_@NAME@(struct cfgrev_top *top, @TYPE@ value)
{
    *top->@NAME@++ = value;
}

CFGREV_INLINE @TYPE@ cfgrev_pop_@NAME@(struct cfgrev_top *top)
{
    return *--top->@NAME@;
}
";
