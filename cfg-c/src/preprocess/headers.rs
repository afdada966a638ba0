//! The headers of the standard library, as built-in C texts.

use crate::math;
use std::{fmt::Write as _, sync::LazyLock};

/// The headers with their texts; an empty text is made by [`header`].
const HEADERS: &[(&str, &str)] = &[
    ("math.h", ""),
    ("stddef.h", include_str!("../headers/stddef.h")),
    ("stdbool.h", include_str!("../headers/stdbool.h")),
    ("stdint.h", include_str!("../headers/stdint.h")),
    ("inttypes.h", include_str!("../headers/inttypes.h")),
    ("limits.h", include_str!("../headers/limits.h")),
    ("float.h", include_str!("../headers/float.h")),
    ("stdlib.h", include_str!("../headers/stdlib.h")),
    ("string.h", include_str!("../headers/string.h")),
    ("stdio.h", include_str!("../headers/stdio.h")),
    ("assert.h", include_str!("../headers/assert.h")),
    ("errno.h", include_str!("../headers/errno.h")),
    ("complex.h", include_str!("../headers/complex.h")),
    ("time.h", include_str!("../headers/time.h")),
    ("ctype.h", include_str!("../headers/ctype.h")),
    ("stdnoreturn.h", include_str!("../headers/stdnoreturn.h")),
    ("stdarg.h", include_str!("../headers/stdarg.h")),
    ("stdalign.h", include_str!("../headers/stdalign.h")),
    ("iso646.h", include_str!("../headers/iso646.h")),
    ("signal.h", include_str!("../headers/signal.h")),
    ("setjmp.h", include_str!("../headers/setjmp.h")),
    ("locale.h", include_str!("../headers/locale.h")),
    ("fenv.h", include_str!("../headers/fenv.h")),
    ("wchar.h", include_str!("../headers/wchar.h")),
    ("wctype.h", include_str!("../headers/wctype.h")),
    ("tgmath.h", ""),
    ("sys/time.h", include_str!("../headers/sys_time.h")),
    ("sys/types.h", include_str!("../headers/sys_types.h")),
    ("unistd.h", include_str!("../headers/unistd.h")),
    ("execinfo.h", include_str!("../headers/execinfo.h")),
    ("pthread.h", include_str!("../headers/pthread.h")),
    ("alloca.h", include_str!("../headers/alloca.h")),
    ("libintl.h", include_str!("../headers/libintl.h")),
    ("omp.h", include_str!("../headers/omp.h")),
];

/// The text of a header; `None` if the library has no header of this name.
pub(crate) fn header(name: &str) -> Option<&'static str> {
    static MATH: LazyLock<String> =
        LazyLock::new(|| include_str!("../headers/math.h").to_owned() + &prototypes());
    static TGMATH: LazyLock<String> =
        LazyLock::new(|| include_str!("../headers/tgmath.h").to_owned() + &generic());
    match name {
        "math.h" => Some(&MATH),
        "tgmath.h" => Some(&TGMATH),
        _ => {
            let found = HEADERS.iter().find(|(own, _)| *own == name);
            found.map(|(_, text)| *text)
        }
    }
}

/// The prototypes of the functions that are operators.
fn prototypes() -> String {
    let mut text = String::new();
    for (ty, suffix) in [("double", ""), ("float", "f"), ("long double", "l")] {
        for (name, op) in math::operators() {
            let parameters = vec![ty; op.arity().0].join(", ");
            // Writing to a String does not fail.
            let _ = writeln!(text, "{ty} {name}{suffix}({parameters});");
        }
    }
    text
}

/// The type-generic macros for these functions, without those that stand in the text of `tgmath.h`.
fn generic() -> String {
    let mut text = String::new();
    for (name, op) in math::operators().filter(|(name, _)| *name != "fabs") {
        let _ = match op.arity().0 {
            1 => writeln!(text, "#define {name}(x) __cfgrev_by1(x, {name})"),
            2 => writeln!(text, "#define {name}(x, y) __cfgrev_by2(x, y, {name})"),
            _ => Ok(()),
        };
    }
    text
}

/// The name, in messages, of the text of [`all`].
pub(crate) const ALL: &str = "<all>";

/// A text that includes all headers except those that define functions as macros, and declares the functions that
/// compilers know without a header.
pub(crate) fn all() -> String {
    let declare = |name: &&str| !matches!(*name, "tgmath.h" | "iso646.h");
    let names = HEADERS.iter().map(|(name, _)| *name).filter(declare);
    let mut text: String = names.map(|name| format!("#include <{name}>\n")).collect();
    text.push_str(include_str!("../headers/builtin.h"));
    text
}
