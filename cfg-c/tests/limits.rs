//! Each limit of the front end: the largest file that is within it, and the next one.

use cfg_c::{Files, NoFiles, Options, Read, SourceFile, read_c};
use cfg_core::{ir::Program, validate::validate};

/// A text of any size.
type Text = fn(usize) -> String;

fn read(text: &str) -> Read {
    read_c(
        &[SourceFile::new("t.c", text.as_bytes())],
        &Options::default(),
        &mut NoFiles,
    )
}

/// The program of a text, in the text form.
fn program(what: &str, n: usize, text: &str) -> String {
    let read = read(text);
    let Some(program) = read.program else {
        panic!("{what}, {n}: {}", read.problems);
    };
    shown(what, n, program)
}

fn shown(what: &str, n: usize, program: Program) -> String {
    let shown = program.to_string();
    if let Err(problems) = validate(program) {
        panic!("{what}, {n}: {problems}\n{shown}");
    }
    shown
}

/// Checks that the text of this size is read, and the next one refused with a code and these words.
fn refused_beyond(all: &[(&str, usize, Text, &str, &str)]) {
    for &(what, last, text, code, words) in all {
        program(what, last, &text(last));
        let read = read(&text(last + 1));
        assert!(read.program.is_none(), "{what}");
        let mut problems = read.problems.iter();
        assert!(
            problems.any(|d| d.code == code && d.message.contains(words)),
            "{what}: {}",
            read.problems
        );
    }
}

/// Checks that these words do not stand in the program of the text of this size, but in that of the next one.
fn read_another_way_beyond(all: &[(&str, usize, Text, &str)]) {
    for &(what, last, text, words) in all {
        let within = program(what, last, &text(last));
        assert!(!within.contains(words), "{what}: {within}");
        let beyond = program(what, last + 1, &text(last + 1));
        assert!(beyond.contains(words), "{what}: {beyond}");
    }
}

/// A function that returns an expression.
fn returning(e: &str) -> String {
    format!("double f(double x) {{ return {e}; }}")
}

/// A text for each number, from the first one on.
fn each(n: usize, text: impl Fn(usize) -> String) -> String {
    (0..n).map(text).collect()
}

/// A sum of `n` terms of least depth.
fn balanced(term: &str, n: usize) -> String {
    match n {
        0 | 1 => term.to_owned(),
        _ => {
            let (a, b) = (balanced(term, n / 2), balanced(term, n - n / 2));
            format!("({a} + {b})")
        }
    }
}

/// The parser goes 200 levels deep, of which the function is one.
#[test]
fn what_nests_is_read_up_to_the_limit_of_the_parser() {
    let deep = "this nests more than 200 deep";
    refused_beyond(&[
        (
            "parentheses",
            199,
            |n| returning(&format!("{}x{}", "(".repeat(n), ")".repeat(n))),
            "C011",
            deep,
        ),
        (
            "signs",
            199,
            |n| returning(&format!("{}x", "- ".repeat(n))),
            "C011",
            deep,
        ),
        (
            "right operands",
            199,
            |n| returning(&format!("{}x{}", "x + (".repeat(n), ")".repeat(n))),
            "C011",
            deep,
        ),
        (
            "conditional operators",
            199,
            |n| returning(&format!("{}x", "x ? x : ".repeat(n))),
            "C011",
            deep,
        ),
        (
            "negations",
            199,
            |n| returning(&format!("{}x", "!".repeat(n))),
            "C011",
            deep,
        ),
        (
            "sizes",
            199,
            |n| returning(&format!("{}x", "sizeof ".repeat(n))),
            "C011",
            deep,
        ),
        (
            "casts",
            198,
            |n| returning(&format!("{}x", "(double)".repeat(n))),
            "C011",
            deep,
        ),
        (
            "blocks",
            199,
            |n| {
                let (open, close) = ("{".repeat(n), "}".repeat(n));
                format!("double f(double x) {{ {open} x; {close} return x; }}")
            },
            "C011",
            deep,
        ),
        (
            "conditions",
            198,
            |n| {
                let open = "if (x) ".repeat(n);
                format!("double f(double x) {{ {open} x = 1; return x; }}")
            },
            "C011",
            deep,
        ),
        (
            "loops",
            198,
            |n| {
                let open = "while (x > 1) ".repeat(n);
                format!("double f(double x) {{ {open} x = 1; return x; }}")
            },
            "C011",
            deep,
        ),
        (
            "declarators",
            199,
            |n| {
                let (open, close) = ("(".repeat(n), ")".repeat(n));
                format!("double f(double x) {{ double {open}y{close} = x; return y; }}")
            },
            "C011",
            deep,
        ),
        (
            "structures in structures",
            199,
            |n| {
                let (open, close) = ("struct {".repeat(n), "} b;".repeat(n));
                format!(
                    "typedef {open} int a; {close} double f(double x) {{ return x * sizeof(b); }}"
                )
            },
            "C011",
            deep,
        ),
    ]);
}

/// Types have up to 200 levels, and are counted where they are written and where they are put together.
#[test]
fn types_have_so_many_levels() {
    refused_beyond(&[
        (
            "stars",
            200,
            |n| {
                let stars = "*".repeat(n);
                format!("typedef double {stars}t; double f(double x) {{ return x * sizeof(t); }}")
            },
            "C011",
            "a pointer has more than 200 levels",
        ),
        (
            "dimensions",
            200,
            |n| {
                let dims = "[1]".repeat(n);
                format!("typedef double t{dims}; double f(double x) {{ return x * sizeof(t); }}")
            },
            "C011",
            "an array has more than 200 dimensions",
        ),
        (
            "pointers to a type with a name",
            199,
            |n| {
                let stars = "*".repeat(n);
                format!(
                    "typedef double {stars}t; typedef t *u; double f(double x) {{ return x * sizeof(u); }}"
                )
            },
            "C011",
            "a type has more than 200 levels",
        ),
    ]);
}

/// Structures have up to 10,000 parts, and records nest up to 100 deep.
#[test]
fn structures_are_as_large_as_records() {
    refused_beyond(&[
        (
            "members",
            10_000,
            |n| {
                let members = each(n, |k| format!("double a{k};"));
                format!(
                    "struct s {{ {members} }}; double f(double x) {{ return x * sizeof(struct s); }}"
                )
            },
            "C011",
            "more than 10000 scalars and arrays",
        ),
        (
            "members behind a structure",
            5_000,
            |n| {
                let inner = each(5_000, |k| format!("double a{k};"));
                let members = each(n, |k| format!("double a{k};"));
                format!(
                    "struct t {{ {inner} }}; struct s {{ struct t t; {members} }}; double f(double x) {{ return x * sizeof(struct s); }}"
                )
            },
            "C011",
            "more than 10000 scalars and arrays",
        ),
        (
            "levels",
            100,
            |n| {
                let outer = each(n - 1, |k| {
                    format!("struct s{} {{ struct s{k} p; }};", k + 1)
                });
                format!(
                    "struct s0 {{ double a; }}; {outer} double f(struct s{} z, double x) {{ return x; }}",
                    n - 1
                )
            },
            "C011",
            "structures nest more than 100 deep",
        ),
    ]);
}

/// A function with memory for a structure of so many levels, around a member of this type; the steps to it stand for `STEPS`.
fn nested_in_memory(levels: usize, member: &str, bytes: &str, body: &str) -> String {
    let outer = each(levels - 1, |k| {
        format!("struct s{} {{ struct s{k} p; }};", k + 1)
    });
    let steps = "p.".repeat(levels - 1);
    let body = body.replace("STEPS", &format!("z->{steps}a"));
    format!(
        "#include <stdlib.h>\nstruct s0 {{ {member}; }}; {outer} double f(double *x) {{ struct s{0} *z = malloc({bytes}); {body} }}",
        levels - 1
    )
}

/// Sizes of structures are known up to 100 levels, of which the member of the innermost one is two.
#[test]
fn sizes_of_structures_are_known_up_to_a_depth() {
    refused_beyond(&[(
        "a number as the size",
        98,
        |n| {
            let body = "STEPS = x[0]; x[0] = STEPS; free(z); return x[0];";
            nested_in_memory(n, "double a", "8", body)
        },
        "C008",
        "the memory is not measured in elements",
    )]);
    // A structure with pointers becomes a variable for each member, or a value; in both cases its size is limited.
    let with_pointers = |n: usize| {
        let body = "STEPS = x; double y = *STEPS; free(z); return y;";
        nested_in_memory(n, "double *a", &format!("sizeof(struct s{})", n - 1), body)
    };
    let within = program("a member for each", 98, &with_pointers(98));
    assert!(!within.contains("record"), "{within}");
    let beyond = read(&with_pointers(99));
    assert!(beyond.program.is_none());
    assert_eq!(beyond.problems.0[0].code, "C008", "{}", beyond.problems);
}

/// A chain of files, each of which includes the one of the next number.
struct Chain {
    last: usize,
}

impl Files for Chain {
    fn read(&mut self, path: &str) -> Option<Vec<u8>> {
        let text = match path.parse::<usize>() {
            Ok(number) if number == self.last => "double f(double x) { return x; }".to_owned(),
            Ok(number) => format!("#include \"{}\"\n", number + 1),
            Err(_) => return None,
        };
        Some(text.into_bytes())
    }
}

/// The 200th file in a chain is read, and the next one is not.
#[test]
fn files_include_one_another_up_to_a_limit() {
    let read = |last: usize| {
        let text = b"#include \"1\"\n";
        read_c(
            &[SourceFile::new("t.c", text)],
            &Options::default(),
            &mut Chain { last },
        )
    };
    let within = read(199);
    assert!(within.program.is_some(), "{}", within.problems);
    let beyond = read(200);
    assert!(beyond.program.is_none());
    assert_eq!(beyond.problems.0[0].code, "C011", "{}", beyond.problems);
}

/// Conditions of the preprocessor nest up to 200 deep, and so do arguments of macros; macros make fewer than a million tokens.
#[test]
fn the_preprocessor_has_limits_of_its_own() {
    refused_beyond(&[
        (
            "parentheses in a condition",
            199,
            |n| {
                let (open, close) = ("(".repeat(n), ")".repeat(n));
                format!("#if {open}1{close}\n#endif\ndouble f(double x) {{ return x; }}")
            },
            "C002",
            "the condition nests more than 200 deep",
        ),
        (
            "conditional operators in a condition",
            199,
            |n| {
                let open = "1 ? 1 : ".repeat(n);
                format!("#if {open}1\n#endif\ndouble f(double x) {{ return x; }}")
            },
            "C002",
            "the condition nests more than 200 deep",
        ),
        (
            "arguments of macros",
            200,
            |n| {
                let (open, close) = ("F(".repeat(n), ")".repeat(n));
                format!("#define F(a) a\ndouble f(double x) {{ return {open}x{close}; }}")
            },
            "C011",
            "calls of macros nest more than 200 deep",
        ),
        (
            // A token counts once more for every 64 bytes: 99 times 10,000 and the last one make the limit.
            "what macros make",
            9_998,
            |n| {
                let (long, last) = ("x".repeat(64 * 9_999), "x".repeat(64 * n));
                let uses = "#if L\n#endif\n".repeat(99);
                format!(
                    "#define L {long}\n#define M {last}\n{uses}#if M\n#endif\ndouble f(double x) {{ return x; }}"
                )
            },
            "C011",
            "more than the work of 1000000 tokens",
        ),
    ]);
}

/// Constants are known up to 300 levels deep.
#[test]
fn constants_are_known_up_to_a_depth() {
    refused_beyond(&[
        (
            "an extent",
            300,
            |n| {
                let more = " + 1".repeat(n - 1);
                format!("static double a[1{more}]; double f(double x) {{ a[0] = x; return a[0]; }}")
            },
            "C018",
            "is no positive constant",
        ),
        (
            "an initial value",
            300,
            |n| {
                let more = " + 1.0".repeat(n - 1);
                format!("static double a = 1.0{more}; double f(double x) {{ return a * x; }}")
            },
            "C016",
            "the initial value is no constant",
        ),
        (
            "an initial value of a member",
            300,
            |n| {
                let more = " + 1.0".repeat(n - 1);
                format!(
                    "struct s {{ double a; }}; struct s s = {{1.0{more}}}; double f(double x) {{ s.a = s.a * x; return s.a; }}"
                )
            },
            "C016",
            "the initial value is no constant",
        ),
        (
            "a condition that is never true",
            299,
            |n| {
                let more = " && x > 1".repeat(n);
                format!(
                    "double f(double x) {{ if (0{more}) {{ union {{ int a; double b; }} u; u.a = 1; x += u.b; }} return x; }}"
                )
            },
            "C005",
            "union",
        ),
    ]);
}

/// Globals have up to 2^24 elements.
#[test]
fn globals_are_so_large() {
    refused_beyond(&[(
        "elements",
        1 << 24,
        |n| format!("static double a[{n}]; double f(double x) {{ a[0] = x; return a[0]; }}"),
        "C011",
        "more than 16777216 elements",
    )]);
}

/// Expressions are translated 400 levels deep.
#[test]
fn expressions_are_translated_up_to_a_depth() {
    refused_beyond(&[(
        "sums with a pointer",
        399,
        |n| {
            let more = " + 0".repeat(n);
            format!(
                "static double g(double *a) {{ return a[1]; }} double f(double *x) {{ double *p = x{more} - 1; return g(p); }}"
            )
        },
        "C011",
        "the expression is too deep",
    )]);
}

/// Extents have up to 1000 parts and 50 levels, with what a number of bytes makes of them.
#[test]
fn extents_are_so_long_and_so_deep() {
    let long = "more than 1000 parts, or nests more than 50 deep";
    refused_beyond(&[
        (
            "levels",
            49,
            |n| {
                let more = " - 1".repeat(n);
                format!("double f(int n, const double a[][n{more}], int i) {{ return a[0][i]; }}")
            },
            "C011",
            long,
        ),
        (
            // A sum of 490 terms has 979 parts.
            "parts",
            21,
            |n| {
                let (casts, sum) = ("(int)".repeat(n), balanced("n", 490));
                format!(
                    "double f(int n, const double a[][{casts}{sum}], int i) {{ return a[0][i]; }}"
                )
            },
            "C011",
            long,
        ),
    ]);
    read_another_way_beyond(&[(
        "a number of bytes",
        48,
        |n| {
            let more = " + n * sizeof(double)".repeat(n);
            format!(
                "#include <stdlib.h>\ndouble f(int n, double x) {{ double *a = malloc(sizeof(double){more}); a[0] = x; x = a[0]; free(a); return x; }}"
            )
        },
        "^real",
    )]);
}

/// Numbers of bytes are taken apart 100 levels deep; deeper ones are divided when the program runs.
#[test]
fn numbers_of_bytes_are_taken_apart_up_to_a_depth() {
    read_another_way_beyond(&[(
        "copied bytes",
        99,
        |n| {
            let more = " + n * sizeof(double)".repeat(n);
            format!(
                "#include <string.h>\ndouble f(int n, double *x, double *y) {{ memcpy(y, x, sizeof(double){more}); return y[0]; }}"
            )
        },
        "the size is not measured in elements",
    )]);
}

/// Up to 64 functions are told apart for one call, and up to 1000 functions are copied.
#[test]
fn functions_as_values_are_so_many() {
    refused_beyond(&[
        (
            "functions that a call may call",
            64,
            |n| {
                let functions = each(n, |k| {
                    format!("static double g{k}(double x) {{ return x * {k}; }}")
                });
                let names = each(n, |k| format!("g{k},"));
                format!(
                    "{functions} static double (*const t[])(double) = {{{names}}}; double f(int k, double x) {{ return t[k](x); }}"
                )
            },
            "C007",
            "more than 64 functions may be called here",
        ),
        (
            // Two copies for each function that is passed, and one for a call without any.
            "copies",
            1000,
            |n| {
                let functions = each(n / 2, |k| {
                    format!("static double g{k}(double x) {{ return x * {k}; }}")
                });
                let calls = each(n / 2, |k| format!(" + h(g{k}, x)"));
                let odd = if n % 2 == 1 { " + k(x)" } else { "" };
                format!(
                    "static double k(double x) {{ return x; }} {functions} static double h(double (*g)(double), double x) {{ return g(x); }} double f(double x) {{ return x{calls}{odd}; }}"
                )
            },
            "C011",
            "too many functions are passed to functions",
        ),
    ]);
}

/// Where functions do not stand in place of their calls, pointers are values.
#[test]
fn functions_stand_in_place_of_calls_up_to_limits() {
    read_another_way_beyond(&[
        (
            "functions in one another",
            11,
            |n| {
                let functions = each(n - 1, |k| {
                    format!("static double *f{}(double *x) {{ return f{k}(x); }}", k + 1)
                });
                format!(
                    "static double *f0(double *x) {{ return x; }} {functions} double f(double *x) {{ return *f{}(x); }}",
                    n - 1
                )
            },
            "^real",
        ),
        (
            "statements in one another",
            104,
            |n| {
                let blocks =
                    |n: usize, inside: &str| format!("{}{inside}{}", "{".repeat(n), "}".repeat(n));
                let h = blocks(n, "x[0] = 1;");
                let g = blocks(190, "x[0] = *h(x);");
                let f = blocks(100, "x[1] = *g(x);");
                format!(
                    "static double *h(double *x) {{ {h} return x + 1; }} static double *g(double *x) {{ {g} return x + 1; }} double f(double *x) {{ {f} return x[0]; }}"
                )
            },
            "^real",
        ),
        (
            "a function in itself",
            3,
            |n| {
                let functions = each(n, |k| {
                    format!(
                        "static double *w{}(double *x) {{ return apply(w{k}, x); }}",
                        k + 1
                    )
                });
                format!(
                    "static double *apply(double *(*g)(double *), double *x) {{ return g(x); }} static double *w0(double *x) {{ return x + 1; }} {functions} double f(double *x) {{ return *w{n}(x); }}"
                )
            },
            "^real",
        ),
        (
            // Each assignment counts three parts, the last one also its casts.
            "parts of a pointer that goes back",
            95,
            |n| {
                let (same, casts) = (
                    "if (k) p = (double *)x;".repeat(300),
                    "(double *)".repeat(n),
                );
                format!(
                    "static double g(double *a) {{ return a[1]; }} double f(double *x, int k) {{ double *p = x - 1; {same} if (k) p = {casts}x; return g(p); }}"
                )
            },
            "call g",
        ),
    ]);
}

/// Structures with pointers are copied element by element, up to 256 elements in one array, and no array behind more assignments.
#[test]
fn arrays_in_structures_with_pointers_are_so_large() {
    read_another_way_beyond(&[
        (
            "elements",
            256,
            |n| {
                format!(
                    "struct s {{ double *p; double a[{n}]; }}; double f(double *x) {{ struct s s = {{x, {{1}}}}, t; t = s; return t.a[0] + t.p[0]; }}"
                )
            },
            "^real",
        ),
        (
            "elements before an array",
            155,
            |n| {
                format!(
                    "struct s {{ double *p; double a[100]; double c[{n}]; double b[2]; }}; double f(double *x) {{ struct s s = {{x, {{1}}}}, t; t = s; return t.a[0] + t.p[0]; }}"
                )
            },
            "^real",
        ),
    ]);
}

/// Distances of rows are compared up to 100 parts.
#[test]
fn distances_of_rows_have_so_many_parts() {
    read_another_way_beyond(&[(
        "parts",
        19,
        |n| {
            let (casts, more) = ("(int)".repeat(n), " + m".repeat(40));
            format!(
                "double f(double *x, int m, int n) {{ double *a[4]; for (int i = 0; i < n; i++) a[i] = x + i * ({casts}(m{more})); return a[1][0]; }}"
            )
        },
        "^real",
    )]);
}

/// Arrays with values, and pointers that each may point into the first ones of them.
fn pointing(counts: &[usize]) -> String {
    let most = counts.iter().copied().max().unwrap_or(0);
    let arrays = each(most, |k| format!("double a{k}[2] = {{0}};"));
    let pointers = counts.iter().enumerate().map(|(p, &n)| {
        let others = each(n - 1, |k| format!("if (k == {k}) p{p} = a{};", k + 1));
        format!("double *p{p} = a0; {others}")
    });
    let pointers: String = pointers.collect();
    let sum = each(counts.len(), |p| format!(" + *p{p}"));
    format!("double f(int k, double x) {{ {arrays} {pointers} a0[0] = x; return 0{sum}; }}")
}

/// A pointer has up to 8 arrays that it may point into, and a statement is written for up to 64 choices of these. No product of
/// numbers of arrays lies between 64 and 70.
#[test]
fn pointers_into_several_arrays_have_so_many() {
    read_another_way_beyond(&[("arrays", 8, |n| pointing(&[n]), "^real")]);
    for (counts, values) in [
        (&[8, 8][..], false),
        (&[2; 6], false),
        (&[4, 4, 4], false),
        (&[2, 5, 7], true),
        (&[2; 7], true),
    ] {
        let shown = program("choices", counts.len(), &pointing(counts));
        assert_eq!(shown.contains("^real"), values, "{counts:?}\n{shown}");
    }
}

/// Up to 50,000 expressions are looked at for one pointer, of which those that lead through another pointer count again and again.
#[test]
fn expressions_that_lead_to_a_pointer_are_so_many() {
    read_another_way_beyond(&[(
        "assignments",
        1_519,
        |n| {
            let first = "if (k) a = &t;".repeat(199);
            let through = "if (k) p = a->v;".repeat(240);
            let more = "if (k) p = x;".repeat(n);
            format!(
                "struct s {{ double v[2]; }}; double f(double *x, int k) {{ struct s t = {{0}}; struct s *a = &t; {first} double *p = x; {through} {more} return *p; }}"
            )
        },
        "^real",
    )]);
}

/// The search for targets of a pointer goes through up to 150 levels of rows and members.
#[test]
fn rows_that_pointers_lead_into_are_so_deep() {
    read_another_way_beyond(&[(
        "rows",
        150,
        |n| {
            let (dims, first) = ("[1]".repeat(n), "[0]".repeat(n));
            format!(
                "double f(double v) {{ double x{dims} = {{0}}; double *p = &x{first}; if (v > 1) p = &x{first}; *p = v; return x{first}; }}"
            )
        },
        "^real",
    )]);
}

/// How far a pointer has moved is an expression of up to 50 levels, and in a variable from there on.
#[test]
fn pointers_move_by_expressions_up_to_a_depth() {
    read_another_way_beyond(&[(
        "sums",
        49,
        |n| {
            let more = " + i".repeat(n);
            format!("double f(double *x, int i) {{ double *p = x{more}; return p[0]; }}")
        },
        "local integer",
    )]);
}

/// Loops whose index moves by up to 2^20 are counted.
#[test]
fn indices_of_counted_loops_move_so_far() {
    read_another_way_beyond(&[(
        "step",
        1 << 20,
        |n| {
            format!(
                "double f(int n, double x) {{ for (int i = 0; i < n; i += {n}) x = x * 2; return x; }}"
            )
        },
        "while",
    )]);
}

/// The name of a copy has up to 60 characters of the names of the function and of those that it is given.
#[test]
fn names_of_copies_are_cut() {
    let copied = format!("function h_{}(", "g".repeat(58));
    for n in [58, 59] {
        let g = "g".repeat(n);
        let text = format!(
            "static double {g}(double x) {{ return x; }} static double h(double (*k)(double), double x) {{ return k(x); }} double f(double x) {{ return h({g}, x); }}"
        );
        let shown = program("a copy", n, &text);
        assert!(shown.contains(&copied), "{n}: {shown}");
    }
}

/// Up to 32 places of one variable are told apart, the variable itself included.
#[test]
fn places_are_told_apart_up_to_a_number() {
    refused_beyond(&[(
        "places",
        31,
        |n| {
            let more = each(n - 1, |k| format!(" + x[{}]", k + 1));
            format!("double f(double *x) {{ return (x[0]{more}) + (x[100] = 1); }}")
        },
        "C010",
        "changed in one operand and used in another",
    )]);
}

/// Expressions of more than 25 levels are computed by statements, as what has effects is.
#[test]
fn high_expressions_are_taken_apart() {
    let ifs = |n: usize| {
        let signs = "- ".repeat(n);
        let text = format!("double f(double *x) {{ return x[0] > 0 && {signs}x[0] > 1 ? 2 : 1; }}");
        program("signs", n, &text).matches("if").count()
    };
    assert_eq!([ifs(20), ifs(21)], [1, 1]);
    assert_eq!(ifs(22), 2);
}

/// Values that statements compute have up to 60 levels. A sum is two levels, the sign and the variable are one each.
#[test]
fn values_that_are_computed_by_statements_are_so_deep() {
    let assignments = |first: &str, sums: usize| {
        let more = " + x".repeat(sums);
        let shown = program("sums", sums, &returning(&format!("{first}{more}")));
        shown.matches(":=").count()
    };
    assert_eq!([assignments("-x", 29), assignments("x", 30)], [1, 2]);
}

/// Pointers have up to 16 levels; what is a parameter leads to one more.
#[test]
fn pointers_as_values_have_so_many_levels() {
    refused_beyond(&[(
        "levels",
        17,
        |n| {
            let stars = "*".repeat(n);
            format!("double f(double {stars}p) {{ return {stars}p; }}")
        },
        "C005",
        "which is not supported",
    )]);
}
