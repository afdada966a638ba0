//! The options of C.

use crate::options::{OptionSpec, Value};

const fn option(
    id: &'static str,
    short: Option<char>,
    long: Option<&'static str>,
    value: Value,
    help: &'static str,
) -> OptionSpec {
    OptionSpec {
        id,
        short,
        long,
        value,
        help,
    }
}

/// All options, in the order of help.
pub(super) const OPTIONS: &[OptionSpec] = &[
    option(
        "folders",
        Some('I'),
        None,
        Value::Many("DIR"),
        "In C, a folder in which files are looked for that FILE includes; may be repeated",
    ),
    option(
        "define",
        Some('D'),
        None,
        Value::Many("NAME[=VALUE]"),
        "In C, a macro, 1 without a value; may be repeated",
    ),
    option(
        "undefine",
        Some('U'),
        None,
        Value::Many("NAME"),
        "In C, a macro that is not defined, whatever -D says; may be repeated",
    ),
    option(
        "include",
        None,
        Some("include"),
        Value::Many("HEADER"),
        "In C, a file that is included before the first line of FILE (also -include); may be repeated",
    ),
    option(
        "compile_commands",
        Some('p'),
        Some("compile-commands"),
        Value::Path("PATH"),
        "In C, a compile database, or the folder that it is in: FILE is preprocessed with the options that it has there",
    ),
    option(
        "preprocess",
        None,
        Some("preprocess"),
        Value::One("COMMAND"),
        "A C preprocessor that FILE goes through first, with its options: 'cc -E'. It is given those above, too",
    ),
    option(
        "only_these",
        None,
        Some("only-these"),
        Value::Flag,
        "In C, no files are read but FILE and what it includes: by itself, one that alone defines what FILE lacks is read, too",
    ),
    option(
        "external",
        None,
        Some("external"),
        Value::Many("FUNCTION"),
        "A function that the C file calls and does not define, or whose derivatives are given: 'g(x, y) value(x * sin(y)) partial(x: sin(y), y: x * cos(y))'; may be repeated",
    ),
    option(
        "no_diff",
        None,
        Some("no-diff"),
        Value::List("NAMES"),
        "Functions and variables of the C file whose derivatives are taken to be 0",
    ),
    option(
        "types",
        None,
        Some("type"),
        Value::Many("NAME=TYPE"),
        "What a parameter `void *` of the C function leads to: data='struct setting *'; may be repeated",
    ),
];
