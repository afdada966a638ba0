//! Identifiers: names of a program as C allows them, no two alike in one scope.

use std::collections::{HashMap, HashSet};

/// Keywords, macros and types of the headers that emitted files include, and the functions that emitted code calls:
/// nothing in a program may be called so, in no scope.
const RESERVED: &[&str] = &[
    "EOF", "HUGE_VAL", "INFINITY", "INT64_C", "INT64_MAX", "INT64_MIN", "NAN", "NULL", "SIZE_MAX", "UINT64_C", "acos",
    "acosh", "asin", "asinh", "atan", "atan2", "atanh", "auto", "bool", "break", "calloc", "case", "cbrt", "ceil",
    "ceilf", "char", "const", "continue", "copysign", "copysignf", "cos", "cosh", "default", "digamma", "do", "double",
    "else", "enum", "erf", "erfc", "errno", "exp", "expm1", "extern", "fabs", "fabsf", "false", "float", "floor",
    "floorf", "fma", "fmaf", "fmod", "fmodf", "for", "free", "goto", "hypot", "if", "inline", "int", "int64_t",
    "isfinite", "isinf", "isnan", "lgamma", "llabs", "log", "log10", "log1p", "log2", "long", "malloc", "memcpy",
    "memmove", "memset", "pow", "ptrdiff_t", "realloc", "register", "restrict", "return", "round", "roundf", "short",
    "signbit", "signed", "sin", "sinh", "size_t", "sizeof", "sqrt", "sqrtf", "static", "struct", "switch", "tan",
    "tanh", "tgamma", "true", "trunc", "truncf", "typedef", "uint64_t", "union", "unsigned", "void", "volatile",
    "while",
];

/// Further names of C's library, and the entry of a program, which nothing outside of functions may be called.
const LIBRARY: &[&str] = &[
    "abort", "abs", "assert", "atexit", "atof", "atoi", "atol", "atoll", "bsearch", "div", "drem", "exit", "exp10",
    "exp2", "fdim", "finite", "fmax", "fmin", "fpclassify", "frexp", "gamma", "getenv", "ilogb", "index", "isgreater",
    "isless", "isnormal", "isunordered", "j0", "j1", "jn", "labs", "ldexp", "ldiv", "linux", "lldiv", "llrint",
    "llround", "logb", "lrint", "lround", "main", "mblen", "memchr", "memcmp", "modf", "nan", "nearbyint", "nextafter",
    "nexttoward", "pow10", "qsort", "rand", "random", "remainder", "remquo", "rint", "scalb", "scalbln", "scalbn",
    "setenv", "signgam", "significand", "sincos", "srand", "strcat", "strchr", "strcmp", "strcpy", "strlen", "strncpy",
    "strstr", "strtod", "strtol", "system", "unix", "y0", "y1", "yn",
];

/// The longest identifier that is made, without what tells it from others.
const LONGEST: usize = 63;

/// The identifiers of a scope.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    taken: HashSet<String>,
    /// The number with which the next name like this one ends.
    next: HashMap<String, usize>,
}

impl Names {
    /// The scope of a file, with nothing in it but what C has.
    pub(super) fn of_file() -> Self {
        let mut names = Self::of_function();
        for name in LIBRARY {
            names.taken.insert((*name).to_owned());
            // The variants for `float` and `long double`.
            names.taken.insert(format!("{name}f"));
            names.taken.insert(format!("{name}l"));
        }
        names
    }

    /// The scope of a function, with nothing in it but what C has.
    pub(super) fn of_function() -> Self {
        Self {
            taken: RESERVED.iter().map(|&name| name.to_owned()).collect(),
            next: HashMap::new(),
        }
    }

    /// Keeps an identifier from being given to anything else.
    pub(super) fn reserve(&mut self, name: &str) {
        self.taken.insert(name.to_owned());
    }

    /// True if something has this identifier.
    pub(super) fn has(&self, name: &str) -> bool {
        self.taken.contains(name)
    }

    /// An identifier like this name, which nothing else in the scope has, nor one of the surrounding scope that the
    /// function refers to.
    pub(super) fn fresh(&mut self, name: &str, outside: Option<&Names>) -> String {
        let wanted = identifier(name);
        let free = |names: &Self, name: &str| {
            !names.has(name) && !outside.is_some_and(|outside| outside.has(name))
        };
        if free(self, &wanted) {
            self.taken.insert(wanted.clone());
            return wanted;
        }
        let mut number = self.next.get(&wanted).copied().unwrap_or(2);
        let found = loop {
            let name = format!("{wanted}_{number}");
            number += 1;
            if free(self, &name) {
                break name;
            }
        };
        self.next.insert(wanted, number);
        self.taken.insert(found.clone());
        found
    }
}

/// The name as an identifier: what C does not allow becomes an underscore, and what C keeps to itself begins otherwise.
pub(super) fn identifier(name: &str) -> String {
    let mut made = String::with_capacity(name.len().min(LONGEST));
    for c in name.chars().take(LONGEST) {
        made.push(if c.is_ascii_alphanumeric() { c } else { '_' });
    }
    let own = !made.starts_with(|c: char| c.is_ascii_alphabetic()) || made.starts_with("cfgrev");
    if own {
        made.insert_str(0, if made.starts_with('_') { "u" } else { "u_" });
    }
    made
}

/// A text as part of a comment: on one line, and without what would end it or be taken for a trigraph or the end of a
/// line that continues.
pub(super) fn comment(text: &str) -> String {
    let mut made = String::with_capacity(text.len());
    let mut last = ' ';
    for c in text.chars() {
        let c = if c.is_control() || c == '\\' || !c.is_ascii() && !c.is_alphanumeric() {
            ' '
        } else if (last == '*' && c == '/') || (last == '/' && c == '*') || (last == '?' && c == '?') {
            ' '
        } else {
            c
        };
        made.push(c);
        last = c;
    }
    made
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_identifiers_and_different() {
        let mut names = Names::of_function();
        let given = ["x", "x", "a b", "a-b", "exp", "3", "_x", "__LINE__", "cfgrev_tape", "é", "gamma", "x_2", ""];
        let made: Vec<String> = given.iter().map(|name| names.fresh(name, None)).collect();
        assert_eq!(
            made,
            [
                "x", "x_2", "a_b", "a_b_2", "exp_2", "u_3", "u_x", "u__LINE__", "u_cfgrev_tape", "u_", "gamma", "x_2_2",
                "u__2"
            ]
        );
        assert_eq!(Names::of_file().fresh("gamma", None), "gamma_2");
        assert_eq!(Names::of_function().fresh("y", Some(&names)), "y");
        assert_eq!(Names::of_function().fresh("x", Some(&names)), "x_3");
    }

    #[test]
    fn comments_cannot_be_left() {
        assert_eq!(comment("a */ b /* c ??/ \\\n d"), "a *  b /  c ? /   d");
    }
}
