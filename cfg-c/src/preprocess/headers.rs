//! What the headers of the standard library declare, as C text.

/// The text of a header; `None` if the library has none of this name.
pub(crate) fn header(name: &str) -> Option<&'static str> {
    Some(match name {
        "math.h" => include_str!("../headers/math.h"),
        "stddef.h" => include_str!("../headers/stddef.h"),
        "stdbool.h" => include_str!("../headers/stdbool.h"),
        "stdint.h" => include_str!("../headers/stdint.h"),
        "inttypes.h" => include_str!("../headers/inttypes.h"),
        "limits.h" => include_str!("../headers/limits.h"),
        "float.h" => include_str!("../headers/float.h"),
        "stdlib.h" => include_str!("../headers/stdlib.h"),
        "string.h" => include_str!("../headers/string.h"),
        "stdio.h" => include_str!("../headers/stdio.h"),
        "assert.h" => include_str!("../headers/assert.h"),
        "errno.h" => include_str!("../headers/errno.h"),
        "complex.h" => include_str!("../headers/complex.h"),
        "time.h" => include_str!("../headers/time.h"),
        "ctype.h" => include_str!("../headers/ctype.h"),
        "stdnoreturn.h" => include_str!("../headers/stdnoreturn.h"),
        "stdarg.h" => include_str!("../headers/stdarg.h"),
        _ => return None,
    })
}
