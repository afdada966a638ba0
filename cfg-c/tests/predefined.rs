//! Predefined macros, answers to questions in conditions, and programs that use macros of gcc, all against gcc.

use cfg_c::{NoFiles, Options, Read, SourceFile, UNDEFINED_MACROS, read_c};
use cfg_testkit::needs;
use std::{
    collections::BTreeMap,
    io::Write as _,
    process::{Command, Stdio},
};

/// The output of gcc's preprocessor for a text; `None` if there is no gcc for x86-64 Linux.
fn gcc(flags: &[&str], text: &str) -> Option<String> {
    let cc = needs::tool("cc")?;
    let mut command = Command::new(cc);
    command
        .args(["-std=gnu17", "-x", "c", "-E"])
        .args(flags)
        .arg("-");
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("it runs");
    let mut input = child.stdin.take().expect("it is piped");
    input.write_all(text.as_bytes()).expect("it is read");
    drop(input);
    let out = child.wait_with_output().expect("it runs");
    assert!(out.status.success(), "{text}");
    Some(String::from_utf8_lossy(&out.stdout).into_owned())
}

/// Names and bodies of macros.
fn macros(directives: &str) -> BTreeMap<String, String> {
    let definitions = directives
        .lines()
        .filter_map(|l| l.strip_prefix("#define "));
    definitions
        .map(|d| {
            let (name, body) = d.split_once(' ').unwrap_or((d, ""));
            (name.to_owned(), body.to_owned())
        })
        .collect()
}

/// Macros with gcc's version, and what the C library adds.
const OF_A_VERSION: [&str; 6] = [
    "__GNUC__",
    "__GNUC_MINOR__",
    "__GNUC_PATCHLEVEL__",
    "__VERSION__",
    "__GXX_ABI_VERSION",
    "__STDC_ISO_10646__",
];

#[test]
fn predefined_macros_are_those_of_gcc() {
    let Some(said) = gcc(&["-dM"], "") else {
        return;
    };
    let (own, gcc) = (
        macros(include_str!("../src/headers/predefined.h")),
        macros(&said),
    );
    if !gcc.contains_key("__x86_64__")
        || !gcc.contains_key("__linux__")
        || gcc.contains_key("__clang__")
    {
        // Other compilers have other macros.
        return;
    }
    for (name, body) in &own {
        // gcc writes constants of double as casts of long double.
        let theirs = gcc.get(name).map(|b| match b.strip_prefix("((double)") {
            Some(number) => format!("((double){}", number.replace('L', "")),
            None => b.clone(),
        });
        if !OF_A_VERSION.contains(&&**name) {
            assert_eq!(theirs.as_ref(), Some(body), "{name}");
        }
    }
    let left_out = |name: &str| {
        let patterns = UNDEFINED_MACROS.iter().flat_map(|(_, names)| *names);
        let mut patterns = patterns.map(|p| (p.trim_end_matches('*'), p.ends_with('*')));
        patterns.any(|(p, start)| name == p || start && name.starts_with(p))
    };
    for name in own.keys() {
        assert!(!left_out(name), "{name} is said to be left out");
    }
    // Other versions have others.
    if gcc.get("__GNUC__") == own.get("__GNUC__") {
        for name in gcc.keys() {
            assert!(own.contains_key(name) || left_out(name), "{name}");
        }
    }
}

fn read(text: &str) -> Read {
    read_c(
        &[SourceFile::new("t.c", text.as_bytes())],
        &Options::default(),
        &mut NoFiles,
    )
}

/// A program as text, without where its pieces stand.
fn without_places(text: &str) -> String {
    let mut pieces = text.split(" @[");
    let first = pieces.next().unwrap_or_default().to_owned();
    pieces.fold(first, |shown, piece| {
        shown + piece.split_once(']').map_or("", |(_, behind)| behind)
    })
}

fn program(text: &str) -> String {
    let read = read(text);
    match read.program {
        Some(program) => without_places(&program.to_string()),
        None => panic!("{text}\n{}", read.problems),
    }
}

/// The number that a function returns which the text defines.
fn number(text: &str) -> String {
    let shown = program(text);
    let result = shown
        .lines()
        .find_map(|l| l.trim().strip_prefix("result := "));
    result.unwrap_or_else(|| panic!("{shown}")).to_owned()
}

/// Conditions, of which as many hold as for gcc.
#[test]
fn conditions_are_answered_as_by_gcc() {
    const CONDITIONS: &[&str] = &[
        "defined __GNUC__ && __GNUC__ >= 4",
        "defined __linux__ && defined linux && defined(__unix__) && !defined _WIN32",
        "__SIZEOF_DOUBLE__ == 8 && __SIZEOF_LONG__ == 8 && __SIZEOF_POINTER__ == 8",
        "__SIZEOF_LONG_DOUBLE__ == 16 && __INT_MAX__ == 2147483647",
        "__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ && __CHAR_BIT__ == 8",
        "__STDC_VERSION__ >= 201112L",
        "defined __OPTIMIZE__ || defined __clang__ || defined __STRICT_ANSI__",
        "defined __COUNTER__ && defined __LINE__ && defined __BASE_FILE__",
        "defined __has_include && __has_include(<math.h>) && !__has_include(\"nowhere.h\")",
        "__has_include(<nowhere/at_all.h>)",
        "defined __has_attribute && __has_attribute(noinline) && __has_attribute(__unused__)",
        "__has_attribute(overloadable)",
        "__has_c_attribute(nodiscard) > 1 && __has_c_attribute(fallthrough) > 1",
        "defined __has_builtin && __has_builtin(__builtin_expect) && __has_builtin(__builtin_sqrt)",
        "__has_builtin(__builtin_nothing)",
        "defined __has_feature",
        "ASKS(X) + ASKS(Y)",
    ];
    let asked = "#define ASKS(X) defined(X)\n#define X X\n";
    let all: String = (CONDITIONS.iter().enumerate())
        .map(|(k, c)| format!("#if {c}\n+ {}\n#endif\n", 1u32 << k))
        .collect();
    let Some(said) = gcc(&["-P", "-U__clang__"], &format!("{asked}{all}")) else {
        return;
    };
    let expected: u32 = said
        .split('+')
        .filter_map(|n| n.trim().parse::<u32>().ok())
        .sum();
    let text = format!("{asked}long f(void) {{ return 0\n{all}; }}");
    assert_eq!(number(&text), expected.to_string(), "{said}");
}

/// A file is the program that it is after gcc's preprocessor.
#[test]
fn macros_of_gcc_make_what_they_make_there() {
    let text = "#define LAST(a, ...) last(a, ## __VA_ARGS__)\n#define NAMED(a, rest...) last(a, ##rest)\n\
        #define WITH(a, ...) last(a __VA_OPT__(, 7 -) __VA_ARGS__)\n#define JOIN(a, b, c) 1 + a##b##c\n\
        #define AGAIN 1\n#define AGAIN 2\n#define last(a, ...) (3 * a + 5 * (0, ## __VA_ARGS__))\n\
        double f(double x, double y, double xy, double z)\n{\n\
        return LAST(x) + LAST(x, y) + LAST(x, y, z) + NAMED(z) + NAMED(x, y) + WITH(x) + WITH(x, y)\n\
        - JOIN(,x,) * JOIN(x,,y) - JOIN(,,x) * JOIN(x,,) - JOIN(2, 3, 4) * (__COUNTER__ - __COUNTER__) + __INCLUDE_LEVEL__\n\
        + AGAIN * x + (double)__DBL_MAX__ * (__INT64_TYPE__)x + __SIZE_MAX__ / __INT_MAX__;\n}\n";
    let Some(said) = gcc(&["-P"], text) else {
        return;
    };
    assert_eq!(program(text), program(&said), "{said}");
}

/// A condition that tests a macro which a missing file may define is warned of, once.
#[test]
fn conditions_that_a_missing_file_decides_are_told() {
    let missing = "#include \"settings.h\"\n";
    let f = "double f(double x) { return x; }\n";
    for (text, told) in [
        (
            "#ifdef HAVE_FAST\n#endif\n#if LEVEL > 2\n#endif\n",
            Some("HAVE_FAST"),
        ),
        ("#if LEVEL > 2\n#endif\n", Some("LEVEL")),
        (
            "#if defined(__sun) || defined HAVE_FAST_H\n#endif\n",
            Some("HAVE_FAST_H"),
        ),
        ("#if 0\n#elif MODE\n#endif\n", Some("MODE")),
        // Guards, names of systems, and macros that an option decides are not warned of.
        ("#ifndef LIMIT\n#define LIMIT 3\n#endif\n", None),
        ("#if !defined(LIMIT)\n#define LIMIT 3\n#endif\n", None),
        (
            "#ifdef _WIN32\n#endif\n#ifdef __cplusplus\n#endif\n#ifdef OTHER_H\n#endif\n",
            None,
        ),
        ("#undef FAST\n#ifdef FAST\n#endif\n", None),
        ("#define FAST\n#ifdef FAST\n#endif\n", None),
        ("#if 0\n#if FAST\n#endif\n#endif\n", None),
    ] {
        let with = [missing, text, f].concat();
        let expected = told.map(|name| {
            format!("{name} is not defined; settings.h, which is not there, may define it")
        });
        assert_eq!(
            warnings(&with, "may define it"),
            Vec::from_iter(expected),
            "{text}"
        );
        // No file is missing, so nothing is warned of.
        assert_eq!(
            warnings(&[text, f].concat(), "may define"),
            [""; 0],
            "{text}"
        );
    }
    let vectors = "#ifdef __SSE2__\n#endif\n#ifdef __SSE__\n#endif\n";
    let told = warnings(&[vectors, f].concat(), "gcc defines");
    assert_eq!(
        told,
        ["gcc defines __SSE2__, which is not defined here: vectors are not read"]
    );
}

/// The messages of warnings that have a text in them.
fn warnings(text: &str, part: &str) -> Vec<String> {
    let read = read(text);
    assert!(read.program.is_some(), "{text}\n{}", read.problems);
    let all = read.problems.iter().map(|p| p.message.clone());
    all.filter(|message| message.contains(part)).collect()
}
