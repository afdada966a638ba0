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
/* 0 if so many values more can be pushed. */
CFGREV_INLINE int cfgrev_room_@NAME@(struct cfgrev_tape *tape, int64_t count)
{
    size_t used, room, want;
    @TYPE@ *cells;
    if (count <= 0 || tape->@NAME@_end - tape->@NAME@ >= count)
        return 0;
    used = tape->@NAME@ ? (size_t)(tape->@NAME@ - tape->@NAME@_begin) : 0;
    room = tape->@NAME@ ? (size_t)(tape->@NAME@_end - tape->@NAME@_begin) : 512;
    want = ((size_t)-1 / 4) / sizeof *cells;
    if ((uint64_t)count > want - used)
        return 1;
    want = 2 * room > used + (size_t)count ? 2 * room : used + (size_t)count;
    cells = realloc(tape->@NAME@_begin, want * sizeof *cells);
    if (!cells)
        return 1;
    tape->@NAME@_begin = cells;
    tape->@NAME@ = cells + used;
    tape->@NAME@_end = cells + want;
    return 0;
}
";

/// Push and pop, of values for which there is room.
const ACCESS: &str = "\
CFGREV_INLINE void cfgrev_push_@NAME@(struct cfgrev_tape *tape, @TYPE@ value)
{
    *tape->@NAME@++ = value;
}

CFGREV_INLINE @TYPE@ cfgrev_pop_@NAME@(struct cfgrev_tape *tape)
{
    return *--tape->@NAME@;
}
";
