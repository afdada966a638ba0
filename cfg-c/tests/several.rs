//! Several files as one program: names of one file, names of all files, and the options of the preprocessor.

use cfg_c::{
    Files, MacroOption, NoFiles, Options, Preprocessing, Read, Reader, SourceFile, read_c,
};
use std::collections::BTreeMap;

/// Files by name.
struct Memory<'t>(&'t [(&'t str, &'t str)]);

impl Files for Memory<'_> {
    fn read(&mut self, path: &str) -> Option<Vec<u8>> {
        let (_, text) = self.0.iter().find(|(name, _)| *name == path)?;
        Some(text.as_bytes().to_vec())
    }

    fn others_in_c(&mut self, path: &str) -> Vec<(String, Vec<u8>)> {
        let others = self.0.iter().filter(|(name, _)| *name != path);
        let others = others.filter(|(name, _)| name.ends_with(".c"));
        others
            .map(|(name, text)| ((*name).to_owned(), text.as_bytes().to_vec()))
            .collect()
    }

    fn around(&mut self, _: &str, name: &str) -> Vec<String> {
        let all = self.0.iter().map(|(path, _)| (*path).to_owned());
        all.filter(|path| path.ends_with(&format!("/{name}")))
            .collect()
    }
}

/// Reads `files` as one program; `others` can be included.
fn read(files: &[(&str, &str)], others: &[(&str, &str)], routine: Option<&str>) -> Read {
    let sources = files
        .iter()
        .map(|(name, text)| SourceFile::new(name, text.as_bytes()));
    let sources: Vec<SourceFile<'_>> = sources.collect();
    let options = Options {
        routine: routine.map(str::to_owned),
        ..Options::default()
    };
    read_c(&sources, &options, &mut Memory(others))
}

fn shown(read: &Read) -> String {
    let program = read.program.as_ref();
    program.map_or_else(|| read.problems.to_string(), ToString::to_string)
}

/// Programs of two files, with a header, and what is in them.
const TOGETHER: &[(&str, &str, &str, &[&str])] = &[
    // Functions and variables that both files know.
    (
        "",
        "double g(double x); double f(double x) { return g(x); }",
        "double g(double x) { return 2 * x; }",
        &["call g(x)", "2.0*x"],
    ),
    (
        "",
        "double f(double x) { double g(double); return g(x); }",
        "double g(double x) { return 2 * x; }",
        &["call g(x)"],
    ),
    (
        "",
        "extern double w[]; double f(double x) { return w[1] * x; }",
        "double w[3] = { 1, 2, 3 };",
        &["= 1.0, 2.0, 3.0"],
    ),
    (
        "",
        "double (*const t[1])(double); double f(double x) { extern double (*const u[1])(double); return u[0](x); }",
        "double g(double x) { return 2 * x; } double (*const u[1])(double) = { g };",
        &["2.0*x"],
    ),
    // Static names: each file has its own.
    (
        "",
        "static double h(double x) { return 2 * x; } double g(double x); double f(double x) { return g(h(x)); }",
        "static double h(double x) { return 3 * x; } double g(double x) { return h(x); }",
        &["function h(", "function h_2(", "2.0*x", "3.0*x"],
    ),
    (
        "",
        "static double w = 2; double g(double x); double f(double x) { w += 1; return g(w * x); }",
        "static double w = 3; double g(double x) { w += 1; return w * x; }",
        &["w + 1.0", "w_2 + 1.0"],
    ),
    (
        "",
        "struct s { double a; }; double g(double x); double f(double x) { struct s s = { x }; return g(s.a); }",
        "struct s { double b[2]; }; double g(double x) { struct s s = { { x, x } }; return s.b[1]; }",
        &["s.b[1]"],
    ),
    (
        "",
        "typedef double real; double g(double x); double f(real x) { return g(x); }",
        "typedef float real; double g(double x) { return (real)x; }",
        &["real32(x)"],
    ),
    (
        "",
        "typedef double real; struct s { real a; }; double g(double x); double f(double x) { struct s s = { x }; return g(s.a); }",
        "typedef float real; struct s { real a; }; double g(double x) { struct s s = { x }; return s.a; }",
        &["s.a := x", "s.a := real32(x)"],
    ),
    (
        "",
        "#define K 2\ndouble g(double x); double f(double x) { return g(K * x); }",
        "#ifdef K\n#error K\n#endif\ndouble g(double x) { return x; }",
        &["2.0*x"],
    ),
    (
        "inline double h(double x) { return 2 * x; }\nstatic inline double k(double x) { return h(x); }\n",
        "double g(double x); double f(double x) { return g(k(x)); }",
        "double g(double x) { return k(x); }",
        &["function k(", "function k_2("],
    ),
    // A variable without an initial value is the same in all files; a function without a body is another file's.
    (
        "double w; int n; double g(double x);\n",
        "double f(double x) { w = 2; return g(x); }",
        "int n = 3; double w; double g(double x) { return n * w * x; }",
        &["w := 2.0", "= int32(3)"],
    ),
    (
        "inline double h(double x); double g(double x);\n",
        "double f(double x) { return g(h(x)); }",
        "double h(double x) { return 2 * x; } double g(double x) { return h(x); }",
        &["call h(x)", "2.0*x"],
    ),
    // Types of a header.
    (
        "struct s { double a; struct s *next; }; typedef struct s s; double g(const s *p);\n",
        "double f(double x) { s s = { x, 0 }; return g(&s); }",
        "double g(const s *p) { return 2 * p->a; }",
        &["2.0*"],
    ),
    (
        "enum { N = 3 }; typedef double v[N]; struct p { v v; }; double g(struct p p);\n",
        "double f(double x) { struct p p = { { x } }; return g(p); }",
        "double g(struct p p) { return p.v[0]; }",
        &["p.v[0]"],
    ),
    // Members that one of the two knows.
    (
        "typedef struct list list; double g(list *p); list *made(void);\n",
        "double f(double x) { return x * g(made()); }",
        "struct list { double a; }; static struct list one = { 2 }; list *made(void) { return &one; } double g(list *p) { return p->a; }",
        &["*"],
    ),
    // Pragmas in a header count once.
    (
        "double e(double t);\n#pragma cfgrev external(e) partial(t: 2 * t)\n",
        "double g(double x); double f(double x) { return g(e(x)); }",
        "double g(double x) { return e(x); }",
        &["external"],
    ),
    // Declarations of the other file that are not needed.
    (
        "",
        "double f(double x) { return x; }",
        "unknown_t g(void) { return nothing; }\nint f2(void) { asm(\"nop\"); }",
        &[":= x"],
    ),
];

#[test]
fn files_are_read_together() {
    let mut wrong = String::new();
    for (header, one, other, wanted) in TOGETHER {
        let include = "#include \"h.h\"\n";
        let (a, b) = (format!("{include}{one}"), format!("{include}{other}"));
        for files in [[("a.c", &*a), ("b.c", &*b)], [("b.c", &*b), ("a.c", &*a)]] {
            let read = read(&files, &[("h.h", header)], Some("f"));
            let text = shown(&read);
            let missing = wanted.iter().find(|piece| !text.contains(**piece));
            if let Some(piece) = missing.filter(|_| read.program.is_some()) {
                wrong += &format!("{files:?}\n{piece}\n{text}\n");
            } else if read.program.is_none() {
                wrong += &format!("{files:?}\n{text}\n");
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// Files that do not fit together, and the messages.
const APART: &[(&str, &str, &[&str])] = &[
    (
        "double g(double x);\ndouble f(double x) { return g(x); }\ndouble g(double x) { return x; }",
        "\ndouble g(double x) { return x; }",
        &["C017", "b.c:2", "line 3 of a.c"],
    ),
    (
        "double w = 1; double f(double x) { return w * x; }",
        "\n\ndouble w = 2;",
        &["C017", "b.c:3", "line 1 of a.c"],
    ),
    (
        "double g(double x); double f(double x) { return g(x); }",
        "double g(int n) { return n; }",
        &["C017", "another type", "a.c"],
    ),
    (
        "extern int w; double f(double x) { return w * x; }",
        "double w = 2;",
        &["C017", "another type"],
    ),
    (
        "struct s { double a; }; double g(struct s *p); double f(double x) { struct s s = { x }; return g(&s); }",
        "struct s { int k; double a; }; double g(struct s *p) { return p->a; }",
        &["C017", "another type"],
    ),
    (
        "double g(double x); double f(double x) { return g(x); }",
        "static double g(double x) { return x; }",
        &["C007", "g is declared"],
    ),
    (
        "double f(double x) { return K * x; }",
        "#define K 2\n",
        &["C004", "K is not declared"],
    ),
    (
        "#include \"x.h\"\ndouble f(double x) { return x; }",
        "",
        &["C003", "several", "-I one/", "-I two/"],
    ),
];

#[test]
fn files_that_do_not_go_together_are_refused() {
    for (one, other, wanted) in APART {
        let twice = [("one/x.h", ""), ("two/x.h", "")];
        let read = read(&[("a.c", one), ("b.c", other)], &twice, Some("f"));
        let told = read.problems.to_string();
        assert!(read.program.is_none(), "{one}\n{other}");
        for piece in *wanted {
            assert!(told.contains(piece), "{one}\n{other}\n{told}");
        }
    }
}

/// Types of a header are the same in all files, also where the first file reaches others of them only.
#[test]
fn types_of_a_header_are_those_of_all_files() {
    let header = "typedef char bytes; typedef struct { double a; bytes *b; } s; extern s *all; double g(void); double h(s *p);\n";
    let files = [
        "bytes c; double f(double x) { return c + g() * x; }",
        "double g(void) { return h(all); }",
        "s one = { 2 }; s *all = &one; double h(s *p) { return p->a; }",
    ];
    let texts = files.map(|text| format!("#include \"h.h\"\n{text}"));
    let [a, b, c] = &texts;
    for sources in [
        [("a.c", &**a), ("b.c", b), ("c.c", c)],
        [("c.c", c), ("a.c", a), ("b.c", b)],
    ] {
        let read = read(&sources, &[("h.h", header)], Some("f"));
        assert!(read.program.is_some(), "{}", read.problems);
    }
}

/// Standard input, whose name is in angle brackets, is no header.
#[test]
fn variables_of_standard_input_are_those_of_a_file() {
    let text = "#include <math.h>\ndouble k = 3; static double s = 2; double f(double x) { s *= x; return s * k + sin(x); }";
    let found = read(&[("<stdin>", text)], &[], Some("f"));
    assert!(found.program.is_some(), "{}", found.problems);
}

/// Missing headers are reported once, and nothing else is.
#[test]
fn what_is_not_there_is_named_once() {
    let header = "#include \"gone.h\"\n#include \"other.h\"\n";
    let text = "#include \"a.h\"\n#include \"b.h\"\n#include \"gone.h\"\ndouble f(double x) { return x * nothing; }";
    let told = read(&[("f.c", text)], &[("a.h", header), ("b.h", header)], None)
        .problems
        .to_string();
    assert!(
        told.contains("declared in gone.h or other.h, which"),
        "{told}"
    );
    let text = "EXPORT double limit; double f(double x) { return x * limit; }";
    let told = read(&[("f.c", text)], &[], None).problems.to_string();
    assert!(
        told.contains("EXPORT") && !told.contains("`limit`?"),
        "{told}"
    );
}

/// A structure that a file only names is the one of another file, whichever comes first; a structure with its
/// variables, as a header has it, is one for all files.
#[test]
fn structures_are_those_of_all_files() {
    let named = "struct s; struct s *get(void); void set(struct s *, double); double f(double x) { set(get(), x); return g(get()); }";
    let named = format!("double g(const struct s *p);\n{named}").replacen(
        "double g",
        "struct s; double g",
        1,
    );
    let own = "struct s { double v; int k; }; static struct s one; struct s *get(void) { one.k++; return &one; }\n\
               void set(struct s *p, double v) { p->v = v * p->k; }";
    let other =
        "typedef struct s s; double h(const s *p); double g(const struct s *p) { return h(p); }";
    let last = "struct s { double v; int k; }; double h(const struct s *p) { return p->v; }";
    let header =
        "struct t { double a; int n; } state, *at; struct { int k; } count; double u(void);\n";
    let f = format!(
        "{header}double f(double x) {{ state.a = x; count.k = 2; at = &state; return u(); }}"
    );
    let u = format!("{header}double u(void) {{ return at->a * count.k + state.n; }}");
    let orders: [&[(&str, &str)]; 4] = [
        &[("a.c", &named), ("b.c", own), ("c.c", other), ("d.c", last)],
        &[("d.c", last), ("c.c", other), ("b.c", own), ("a.c", &named)],
        &[("a.c", &f), ("b.c", &u)],
        &[("b.c", &u), ("a.c", &f)],
    ];
    for files in orders {
        let read = read(files, &[], Some("f"));
        assert!(read.program.is_some(), "{}", read.problems);
    }
    let named =
        "struct s; double g(void); double f(double x) { return x * g() * sizeof(struct s *); }";
    let union = "union s { double a, b; }; _Static_assert(sizeof(union s) == 8, \"\"); double g(void) { union s v = { 2 }; return v.b; }";
    let found = read(&[("a.c", named), ("b.c", union)], &[], Some("f"));
    assert!(found.program.is_some(), "{}", found.problems);
    // Types that differ in one of these ways are not the same.
    for (one, two) in [
        (
            "static struct t { double a; } v; ",
            "struct t { double a; } v; ",
        ),
        (
            "struct t { double a; } v = { 1 }; ",
            "struct t { double a; } v = { 1 }; ",
        ),
        ("struct t { double a; } v; ", "struct t { int a; } v; "),
    ] {
        let one = format!("{one}double u(void); double f(double x) {{ v.a = x; return u(); }}");
        let two = format!("{two}double u(void) {{ return v.a; }}");
        let found = read(&[("a.c", &one), ("b.c", &two)], &[], Some("f"));
        let is_static = one.starts_with("static");
        assert_eq!(
            found.program.is_some(),
            is_static,
            "{one}: {}",
            found.problems
        );
    }
    let half = "extern inline __attribute__((gnu_inline)) double half(double x) { return x * 0.25; } double f(double x) { return half(x); }";
    let found = read(
        &[
            ("a.c", half),
            ("b.c", "double half(double x) { return x / 2; }"),
        ],
        &[],
        Some("f"),
    );
    assert!(
        found.problems.to_string().contains("for inlining alone"),
        "{}",
        found.problems
    );
    assert!(read(&[("a.c", half)], &[], Some("f")).program.is_some());
}

/// The function that is chosen of several files: of those that no other calls, that of the first file.
#[test]
fn a_function_of_the_first_file_is_chosen() {
    let a = (
        "a.c",
        "double g(double x); double f(double x) { return g(x); } int main(void) { return k(1); }",
    );
    let b = (
        "b.c",
        "double g(double x) { return x; } double k(double x) { return x; } static double f(double x) { return x; }",
    );
    let chosen = |files: &[(&str, &str)], routine: Option<&str>| {
        let read = read(files, &[], routine);
        let program = read.program.unwrap_or_else(|| panic!("{}", read.problems));
        program.main.map(|main| program.routine(main).name.clone())
    };
    assert_eq!(chosen(&[a, b], None).as_deref(), Some("f"));
    assert_eq!(chosen(&[b, a], None).as_deref(), Some("k"));
    assert_eq!(chosen(&[b, a], Some("f")).as_deref(), Some("f"));
    let c = ("c.c", "static double s(double x) { return x; }");
    let d = ("d.c", "static double s(double x) { return 2 * x; }");
    let read = read(&[c, d], &[], Some("s"));
    assert!(
        read.problems
            .to_string()
            .contains("static function of 2 files"),
        "{}",
        read.problems
    );
}

/// If a function is defined in exactly one other file beside those read, the message names that file, and the file is
/// to be read if it helps.
#[test]
fn files_beside_are_named_that_define_what_is_missing() {
    for (f, others, told) in [
        (
            "double g(double); double f(double x) { return g(x); }",
            &[("a.c", "double g(double x)\n{ return x; }")][..],
            Some("a.c defines g"),
        ),
        // Definitions in the old way, with attributes, of two words, behind conditions and directives.
        (
            "double g(double); double f(double x) { return g(x); }",
            &[(
                "a.c",
                "#define h(x) {\nstruct s { int n; } g2;\n#ifdef A\nvoid k(int n) {\n#else\nvoid k(long n) {\n#endif\n}\n\
                 extern __attribute__((const)) double\ng(x) double x;\n{ return x; }",
            )],
            Some("a.c defines g"),
        ),
        (
            "double g(double); double f(double x) { return g(x); }",
            &[
                ("in/a.c", "double g(double x) { return x; }"),
                ("b.c", "double g(double x) { return x; }"),
                ("tests/b.c", "double g(double x) { return x; }"),
            ],
            Some("b.c defines g"),
        ),
        (
            "double f(double x) { return g(x); }",
            &[
                ("a.c", "int h;"),
                (
                    "b.c",
                    "double g(x) double x; { return g2(x); } double g(double x) { return x; }",
                ),
            ],
            Some("b.c defines g"),
        ),
        (
            "void g(int); double f(double x) { g(1); return x; }",
            &[("a.c", "void g(int n) { }")],
            Some("a.c defines g"),
        ),
        // Two definitions, static ones, calls, declarations and other names do not count.
        (
            "double g(double); double f(double x) { return g(x); }",
            &[
                ("a.c", "double g(double x) { return x; }"),
                ("b.c", "double g(double x) { return x; }"),
            ],
            None,
        ),
        (
            "double g(double); double f(double x) { return g(x); }",
            &[("a.c", "static double g(double x) { return x; }")],
            None,
        ),
        (
            "double g(double); double f(double x) { return g(x); }",
            &[(
                "a.c",
                "double g(double x); double h(double x) { if (x) { g(x); } return g(x); } double gg(double x) { return x; }",
            )],
            None,
        ),
        (
            "double g(double); double f(double x) { return g(x); }",
            &[("in/a.c", "double g(double x) { return x; }")],
            Some("in/a.c defines g"),
        ),
    ] {
        let read = read(&[("f.c", f)], others, Some("f"));
        let help = read.problems.iter().map(|p| &*p.help).collect::<String>();
        let told = told.map(|told| format!("{told}: add it to the command; "));
        match &told {
            Some(told) => assert!(help.starts_with(told), "{f}: {help}"),
            None => assert!(!help.contains("add it to the command"), "{f}: {help}"),
        }
        // A function that is not declared, or left out, is so with the file, too.
        let helps = told.is_some() && f.starts_with("double g");
        assert_eq!(read.further.len(), usize::from(helps), "{f}");
    }
}

/// Variables that no file defines are looked for like functions; those that a file defines, or that others only
/// declare, are not.
#[test]
fn files_are_found_that_define_variables() {
    let f = "extern double c, t[], p, d; double d; struct s { int n; }; extern struct s s; double f(double x) { return c * t[1] * s.n * x + p + d; }";
    let others = [
        ("a.c", "double c = 2, t[] = { 1, 3 }; extern double p;"),
        (
            "b.c",
            "struct s { int n; } s; static double p; double d = 3; double q(double p) { return p; }",
        ),
    ];
    let found = read(&[("f.c", f)], &others, Some("f")).further;
    let found: Vec<String> = found
        .iter()
        .map(|(file, why)| format!("{file} {why:?}"))
        .collect();
    assert_eq!(found, [r#"a.c ["c", "t"]"#, r#"b.c ["s"]"#]);
}

/// Functions of files that were found are none to differentiate, and do not call those that are.
#[test]
fn files_that_were_found_have_no_function_to_differentiate() {
    let f = "double g(double x); double f(double x) { return g(x); }";
    let g = "double f(double x); double g(double x) { return 2 * x; } double h(double x) { return f(x); }";
    let mut found = SourceFile::new("g.c", g.as_bytes());
    found.found_for = vec!["g".to_owned()];
    let files = [SourceFile::new("f.c", f.as_bytes()), found];
    let read = read_c(&files, &Options::default(), &mut NoFiles);
    assert_eq!(read.signature.map(|s| s.name).as_deref(), Some("f"));
    let told = read.problems.to_string();
    assert!(told.contains("g.c") && told.contains("for g"), "{told}");
}

/// The options of the preprocessor apply to their file.
#[test]
fn files_are_preprocessed_with_their_options() {
    let define = |text: &str| MacroOption::Define(text.to_owned());
    let preprocessing = Preprocessing {
        folders: vec!["one".to_owned(), "two".to_owned()],
        macros: vec![
            define("A"),
            define("B=2"),
            define("C(x)=((x) + B)"),
            define("D="),
            define("A=5"),
            MacroOption::Undefine("E".to_owned()),
            define("F"),
            MacroOption::Undefine("F".to_owned()),
        ],
        includes: vec!["first.h".to_owned()],
    };
    let text = b"#include <lib/a.h>\n#include \"b.h\"\n#include \"own.h\"\n#include <math.h>\n#ifdef F\n#error F\n#endif\n\
        double f(double x) { return D A * x + C(FIRST) + LIB + OWN + BOTH + sqrt(x); }\n";
    let files = [
        ("first.h", "#define FIRST (10 * B)\n"),
        ("two/lib/a.h", "#include \"part.h\"\n#include <both.h>\n"),
        ("two/lib/part.h", "#define LIB 100\n"),
        (
            "one/both.h",
            "#pragma once\n#define BOTH 1000\nenum { ONCE };\n",
        ),
        ("two/both.h", "#define SECOND 1\n"),
        ("two/b.h", "#include \"both.h\"\n#include \"both.h\"\n"),
        ("src/own.h", "#define OWN 10000\n"),
        ("one/own.h", "#define OWN 0\n"),
        // The library's own are known.
        ("one/math.h", "#define sqrt(x) 0\n"),
    ];
    let mut file = SourceFile::new("src/f.c", text);
    file.preprocessing = preprocessing;
    let both = "two/both.h";
    let read = read_c(&[file], &Options::default(), &mut Memory(&files));
    let shown = shown(&read);
    // 22 + 100 + 10000, and the file beside it.
    assert!(shown.contains("5.0*x"), "{shown}");
    assert!(
        shown.contains("22.0") && shown.contains("100.0") && shown.contains("10000.0"),
        "{shown}"
    );
    assert!(shown.contains("sqrt(x)"), "{shown}");
    let sources = read.program.map(|p| p.sources).unwrap_or_default();
    assert!(
        !sources
            .iter()
            .any(|s| s == "one/own.h" || s == "one/math.h"),
        "{sources:?}"
    );
    // As compilers do, the reader looks for two's b.h in the including file's folder first.
    assert!(sources.iter().any(|s| s == both), "{sources:?}");
}

/// A header that is not there matters where something of it is needed.
#[test]
fn headers_that_are_not_there() {
    let read = |text: &str| {
        let file = SourceFile::new("f.c", text.as_bytes());
        read_c(&[file], &Options::default(), &mut NoFiles)
    };
    let unneeded = read("#include <lib/pool.h>\npool_t t;\ndouble f(double x) { return x; }\n");
    assert!(unneeded.program.is_some(), "{}", unneeded.problems);
    assert!(
        unneeded.problems.to_string().contains("lib/pool.h"),
        "{}",
        unneeded.problems
    );
    for text in [
        "#include <lib/vector.h>\ndouble f(double x) { return scale(x); }\n",
        "#include <lib/vector.h>\ndouble f(vector x) { return x; }\n",
        "#include \"vector.h\"\ndouble f(vector x) { return x; }\n",
    ] {
        let needed = read(text);
        assert!(needed.program.is_none());
        let told = needed.problems.to_string();
        assert!(
            told.contains("vector.h") && told.contains("-I DIR"),
            "{told}"
        );
    }
}

/// A header that is not there may declare functions of the library, and define macros of conditions.
#[test]
fn headers_that_are_not_there_are_guessed_with_a_warning() {
    let read = |text: &str| {
        let file = SourceFile::new("f.c", text.as_bytes());
        read_c(&[file], &Options::default(), &mut NoFiles)
    };
    let library = read("#include <R.h>\ndouble f(double x) { return exp(x); }\n");
    assert!(shown(&library).contains("exp(x)"), "{}", shown(&library));
    let condition =
        "#if R_VERSION >= R_Version(2, 12, 0)\n#define A 3\n#else\n#define A 2\n#endif\n";
    let text = format!("{condition}double f(double x) {{ return A * x; }}\n");
    let unknown = read(&format!("#include <R.h>\n{text}"));
    assert!(shown(&unknown).contains("2.0*x"), "{}", shown(&unknown));
    let told = unknown.problems.to_string();
    assert!(
        told.contains("R_Version is not known") && told.contains("R.h"),
        "{told}"
    );
    assert!(read(&text).program.is_none(), "no file is missing");
    assert!(
        read("double f(double x) { return exp(x); }\n")
            .program
            .is_none()
    );
}

/// The words of a program but those that number files.
fn without_places(read: &Read) -> Vec<String> {
    let program = shown(read);
    let lines = program.lines().filter(|line| !line.starts_with("source "));
    let words = lines.flat_map(str::split_whitespace);
    words
        .filter(|word| !word.starts_with("@["))
        .map(str::to_owned)
        .collect()
}

/// Files that count the requests for each.
struct Counted<'t> {
    files: Memory<'t>,
    asked: BTreeMap<String, usize>,
}

impl Files for Counted<'_> {
    fn read(&mut self, path: &str) -> Option<Vec<u8>> {
        *self.asked.entry(path.to_owned()).or_default() += 1;
        self.files.read(path)
    }

    fn others_in_c(&mut self, path: &str) -> Vec<(String, Vec<u8>)> {
        *self.asked.entry("all in C".to_owned()).or_default() += 1;
        self.files.others_in_c(path)
    }
}

/// Reading files again with further ones gives the same program as reading all at once, and asks for each file once.
#[test]
fn files_are_read_again_with_further_ones() {
    let header = "double g(double x); double h(double x); extern double factor;\n";
    let f = "#include \"a.h\"\n#include \"none.h\"\ndouble f(double x) { return g(x); }\n";
    let g = "#include \"a.h\"\n#pragma cfgrev no-diff(factor)\ndouble g(double x) { return factor * h(x); }\n";
    let h = "#include \"a.h\"\n#define FACTOR 3.0\n#define FACTOR 4.0\ndouble factor = FACTOR;\ndouble h(double x) { return x * x; }\n";
    let all = [("a.h", header), ("g.c", g), ("h.c", h)];
    let mut files = Counted {
        files: Memory(&all),
        asked: BTreeMap::new(),
    };
    let options = Options {
        routine: Some("f".to_owned()),
        ..Options::default()
    };
    let mut reader = Reader::default();
    let mut read: Vec<(&str, &str, Vec<String>)> = vec![("f.c", f, Vec::new())];
    loop {
        let sources = read.iter().map(|(name, text, found_for)| SourceFile {
            found_for: found_for.clone(),
            ..SourceFile::new(name, text.as_bytes())
        });
        let sources: Vec<SourceFile<'_>> = sources.collect();
        let again = reader.read(&sources, &options, &mut files);
        let at_once = read_c(&sources, &options, &mut Memory(&all));
        assert_eq!(again.problems, at_once.problems);
        assert_eq!(without_places(&again), without_places(&at_once));
        assert_eq!(again.further, at_once.further);
        if again.further.is_empty() {
            break;
        }
        for (path, why) in again.further {
            let named = all.iter().find(|(name, _)| *name == path);
            let (name, text) = named.expect("one of all");
            read.push((name, text, why));
        }
    }
    assert_eq!(read.len(), 3);
    assert!(files.asked.contains_key("all in C"), "{:?}", files.asked);
    assert!(files.asked.values().all(|n| *n == 1), "{:?}", files.asked);
}

/// The function to differentiate has the name that its file writes, also where a macro makes another of it.
#[test]
fn functions_that_macros_rename() {
    let text = "#define f R_f\n#define R_f Rf_f\ndouble f(double x) { return 2 * x; }\ndouble g(double x) { return x; }\n";
    for name in ["f", "R_f", "Rf_f"] {
        let found = read(&[("f.c", text)], &[], Some(name));
        assert!(shown(&found).contains("2.0*x"), "{name}: {}", shown(&found));
    }
    // A function that has the name itself takes precedence over a macro.
    let both =
        "double f(double x) { return 3 * x; }\n#define f g\ndouble g(double x) { return x; }\n";
    let found = read(&[("f.c", both)], &[], Some("f"));
    assert!(shown(&found).contains("3.0*x"), "{}", shown(&found));
    let circle = "#define f g\n#define g f\ndouble h(double x) { return x; }\n";
    assert!(read(&[("f.c", circle)], &[], Some("f")).program.is_none());
}

/// The condition that leaves the function to differentiate out is named, with the option that lets it hold.
#[test]
fn functions_that_conditions_leave_out() {
    let cases = [
        (
            "#ifdef ON\ndouble f(double x) { return x; }\n#endif\n",
            "-D ON",
        ),
        (
            "#if A && (B > 2)\n#if C\ndouble f(double x) { return x; }\n#endif\n#endif\n",
            "-D B",
        ),
        (
            "#ifdef A\ndouble g(double x) { return x; }\n#else\ndouble f(double x) { return x; }\n#endif\n",
            "-U",
        ),
    ];
    for (text, help) in cases {
        let text = format!("#define A 1\n{text}double h(double x) {{ return x; }}\n");
        let told = read(&[("f.c", &text)], &[], Some("f")).problems.to_string();
        assert!(told.contains("C012") && told.contains(help), "{told}");
        assert!(told.contains("at: f.c:"), "{told}");
    }
}

/// The only file of a name in the folders around is taken, with a warning that says so.
#[test]
fn a_header_in_another_folder_is_taken() {
    let text = "#include \"lib/a.h\"\ndouble f(double x) { return A * x; }\n";
    let others = [
        ("deep/inc/lib/a.h", "#define A 3\n"),
        ("deep/a.h", "#define A 4\n"),
    ];
    let read = read(&[("src/f.c", text)], &others, None);
    assert!(shown(&read).contains("3.0*x"), "{}", shown(&read));
    let told = read.problems.to_string();
    assert!(told.contains("-I deep/inc/"), "{told}");
}
