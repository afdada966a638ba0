//! Files in C as they lie in folders: several, and the options with which compilers are called.

use crate::run_tool::{Ran, cfgrev_in, command};
use cfg_testkit::needs;
use serde_json::{Value, json};
use std::path::Path;
use std::time::{Duration, Instant};

/// A folder with these files.
fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let place = tempfile::tempdir().expect("a folder");
    for (name, text) in files {
        let path = place.path().join(name);
        let around = path.parent().expect("it is in a folder");
        std::fs::create_dir_all(around).expect("it can be made");
        std::fs::write(path, text).expect("it can be written");
    }
    place
}

fn gradient(folder: &Path, args: &[&str]) -> Result<Value, String> {
    let Ran { code, out, err } = cfgrev_in(folder, &[&["gradient"], args].concat(), b"");
    match code {
        Some(0) => Ok(serde_json::from_str::<Value>(&out).expect("JSON")["gradient"].clone()),
        _ => Err(err),
    }
}

const PROJECT: &[(&str, &str)] = &[
    (
        "src/f.c",
        "#include <lib/g.h>\ndouble f(double x) { return SCALE * g(x) + FIRST * x; }\n",
    ),
    (
        "src/g.c",
        "#include \"g.h\"\nstatic double twice(double x) { return 2 * x; }\ndouble g(double x) { return twice(x); }\n",
    ),
    (
        "inc/lib/g.h",
        "#ifdef NOT\n#error NOT\n#endif\ndouble g(double x);\n",
    ),
    ("inc/first.h", "#define FIRST 10\n"),
];

/// The same options for us, for another preprocessor, and in a compile database.
#[test]
fn options_are_those_of_compilers() {
    let place = folder(PROJECT);
    let dir = place.path();
    let options = [
        "src/f.c",
        "src/g.c",
        "-Iinc",
        "-I",
        "inc/lib",
        "-DSCALE=3",
        "-D",
        "NOT",
        "-UNOT",
        "-include",
        "inc/first.h",
        "--at",
        "x=1",
    ];
    let expected = json!({"x": 16.0});
    assert_eq!(gradient(dir, &options), Ok(expected.clone()));
    // A header in a neighbouring folder is found, and another one that is missing is reported.
    let missing =
        gradient(dir, &["src/f.c", "src/g.c", "--at", "x=1"]).expect_err("there is no g.h");
    assert!(
        missing.contains("C003") && missing.contains("-I inc/"),
        "{missing}"
    );
    let database = json!([
        {"directory": dir.join("build"), "file": "../src/f.c",
         "command": "cc -I../inc \"-DSCALE=3\" -include ../inc/first.h -O2 -c ../src/f.c -o f.o"},
        {"directory": dir, "file": dir.join("src/g.c"),
         "arguments": ["cc", "-isystem", "inc/lib", "-c", "src/g.c"]},
    ]);
    std::fs::create_dir(dir.join("build")).expect("it can be made");
    let path = dir.join("build/compile_commands.json");
    std::fs::write(path, database.to_string()).expect("it can be written");
    for named in ["build", "build/compile_commands.json"] {
        let with = ["src/f.c", "src/g.c", "-p", named, "--at", "x=1"];
        assert_eq!(gradient(dir, &with), Ok(expected.clone()));
    }
    // The command line has the last word.
    let other = [
        "src/f.c",
        "src/g.c",
        "-p",
        "build",
        "-DSCALE=5",
        "--at",
        "x=1",
    ];
    assert_eq!(gradient(dir, &other), Ok(json!({"x": 20.0})));
    for (args, told) in [
        (
            &["inc/first.h", "--lang", "c", "-p", "build", "--at", "x=1"],
            "says nothing of inc/first.h",
        ),
        (
            &["src/f.c", "--lang", "c", "-p", "src/f.c", "--at", "x=1"],
            "is no compile database",
        ),
        (
            &[
                "src/f.c",
                "--lang",
                "c",
                "-p",
                "nowhere.json",
                "--at",
                "x=1",
            ],
            "cannot read nowhere.json",
        ),
    ] {
        let wrong = gradient(dir, args).expect_err(told);
        assert!(wrong.contains(told), "{wrong}");
    }
    if needs::tool("cc").is_some() {
        let through = [&options[..], &["--preprocess", "cc -std=c99 -E"]].concat();
        assert_eq!(gradient(dir, &through), Ok(expected.clone()));
        let both = [
            "src/f.c",
            "src/g.c",
            "-p",
            "build",
            "--preprocess",
            "cc -E",
            "--at",
            "x=1",
        ];
        assert_eq!(gradient(dir, &both), Ok(expected));
    }
}

/// Other commands take several files, too; those of other languages are one program each.
#[test]
fn commands_take_several_files() {
    let place = folder(PROJECT);
    let options = [
        "src/f.c",
        "src/g.c",
        "-Iinc",
        "-Iinc/lib",
        "-DSCALE=3",
        "-DFIRST=10",
    ];
    for command in [
        &["run", "--at", "x=1"][..],
        &["check", "--at", "x=1"],
        &["jacobian", "--at", "x=1"],
        &["tangent", "--at", "x=1", "--direction", "x=1"],
        &["reverse", "--emit", "c"],
        &["convert", "--to", "text"],
        &["validate"],
        &["dot"],
    ] {
        let ran = cfgrev_in(place.path(), &[command, &options].concat(), b"");
        assert_eq!(ran.code, Some(0), "{command:?}: {}", ran.err);
    }
    let twice = ["src/g.c", "src/g.c", "-Iinc/lib"];
    let ran = cfgrev_in(place.path(), &[&["validate"][..], &twice].concat(), b"");
    assert!(
        ran.code == Some(1) && ran.out.contains("C017"),
        "{}",
        ran.out
    );
    for args in [
        &["run", "a.json", "b.json", "--at", "x=1"][..],
        &["run", "src/f.c", "b.json", "--at", "x=1"],
        &["validate", "a.json", "-DX"],
    ] {
        let ran = cfgrev_in(place.path(), args, b"");
        assert_eq!(ran.code, Some(2), "{}", ran.err);
    }
}

/// Headers that are found in other folders, and include each other, are included once.
#[test]
fn headers_that_are_found_include_each_other() {
    let place = folder(&[
        (".git/HEAD", ""),
        (
            "src/f.c",
            "#include \"p.h\"\n#include \"q.h\"\ndouble f(double x) { return P * Q * x; }\n",
        ),
        (
            "inc/p.h",
            "#pragma once\n#include \"q.h\"\n#define P 3\nstruct p { int n; };\n",
        ),
        (
            "lib/q.h",
            "#pragma once\n#include <p.h>\n#define Q 5\nstruct q { int n; };\n",
        ),
    ]);
    let found = gradient(place.path(), &["src/f.c", "--at", "x=1"]);
    assert_eq!(found, Ok(json!({"x": 15.0})));
}

/// Files that define missing functions are read without being named, until nothing is missing. Files of tests, files
/// of other programs and ambiguous ones are not.
#[test]
fn what_is_lacking_is_read() {
    let Some(_) = needs::tool("cc") else { return };
    let place = folder(&[
        (".git/HEAD", ""),
        (
            "src/f.c",
            "#include \"../inc/all.h\"\ndouble f(double x) { return scale * g(x) + table[1].a; }\ndouble two(double x) { return twice(x); }\n",
        ),
        (
            "inc/all.h",
            "struct row { double a; }; extern double scale; extern const struct row table[2];\n\
             double g(double x); double h(double x); double twice(double x);\n",
        ),
        (
            "lib/g.c",
            "#include \"../inc/all.h\"\ndouble f(double x);\nstatic double sq(double x) { return x * x; }\n\
             double g(double x) { return h(sq(x)); }\ndouble other(double x) { return f(x); }\n",
        ),
        (
            "lib/h.c",
            "#include \"../inc/all.h\"\n#ifdef HALF\ndouble h(double x) { return x / 2; }\n#else\n\
             double h(double x) { return x * scale; }\n#endif\nint main(void) { return 0; }\n",
        ),
        (
            "src/tables.c",
            "#include \"../inc/all.h\"\ndouble scale = 3;\nconst struct row table[] = { { 1 }, { 2 } };\n",
        ),
        ("tests/g.c", "double g(double x) { return -x; }\n"),
        (
            "src/odd.c",
            "extern double strange;\ndouble odd(double x) { return strange * x; }\n",
        ),
        ("src/strange.c", "int strange = 3;\n"),
        (
            "src/a/twice.c",
            "double twice(double x) { return 2 * x; }\n",
        ),
        (
            "src/b/twice.c",
            "double twice(double x) { return x + x; }\n",
        ),
    ]);
    let dir = place.path();
    for (options, value, slope) in [(&[][..], 38.0, 36.0), (&["-DHALF"], 8.0, 6.0)] {
        let args = [
            &["check", "src/f.c", "--routine", "f", "--at", "x=2"],
            options,
        ]
        .concat();
        let ran = cfgrev_in(dir, &args, b"");
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        assert!(
            ran.out
                .contains(r#""original":{"compared":2,"agrees":true}"#),
            "{}",
            ran.out
        );
        for told in [
            "lib/g.c",
            "for g",
            "lib/h.c",
            "for h",
            "src/tables.c",
            "for scale, table",
        ] {
            assert!(ran.err.contains(told), "{told}: {}", ran.err);
        }
        let args = [
            &["gradient", "src/f.c", "--routine", "f", "--at", "x=2"],
            options,
        ]
        .concat();
        let ran = cfgrev_in(dir, &args, b"");
        let found: Value = serde_json::from_str(&ran.out).expect("JSON");
        assert_eq!(found["value"]["return"], value, "{}", ran.out);
        assert_eq!(found["gradient"]["x"], slope, "{}", ran.out);
    }
    for (args, told) in [
        (
            &["src/f.c", "--routine", "f", "--only-these"][..],
            "lib/g.c defines g: add it",
        ),
        (
            &["src/f.c", "--routine", "two"],
            "src/a/twice.c, src/b/twice.c define twice: add the one",
        ),
    ] {
        let wrong = gradient(dir, &[args, &["--at", "x=2"]].concat()).expect_err(told);
        assert!(wrong.contains(told), "{wrong}");
    }
    // A variable that another file has otherwise is given as if there were none.
    let odd = ["src/odd.c", "--at", "x=2,strange=4"];
    assert_eq!(gradient(dir, &odd), Ok(json!({"x": 4.0})));
    // A compile database says which files are those of the program, and how they are preprocessed.
    let entry = |file: &str, options: &str| json!({"directory": dir, "file": file, "command": format!("cc {options} -c {file}")});
    let database = json!([
        entry("src/f.c", ""),
        entry("src/b/twice.c", ""),
        entry("lib/g.c", ""),
        entry("lib/h.c", "-DHALF"),
        entry("src/tables.c", ""),
    ]);
    std::fs::write(dir.join("compile_commands.json"), database.to_string())
        .expect("it can be written");
    for (routine, slope) in [("two", 2.0), ("f", 6.0)] {
        let args = ["src/f.c", "--routine", routine, "-p", ".", "--at", "x=2"];
        assert_eq!(gradient(dir, &args), Ok(json!({"x": slope})));
    }
}

/// In the output of another preprocessor, declarations of system headers are used for names that nothing else
/// declares.
#[test]
fn headers_of_the_system_are_looked_up() {
    if needs::tool("cc").is_none() {
        return;
    }
    let place = folder(&[(
        "f.c",
        "#include <math.h>\n#include <signal.h>\n#include <time.h>\n#include <pthread.h>\n#include <sys/time.h>\n#include <stdlib.h>\n\
        extern volatile sig_atomic_t interrupted;\nstatic pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;\n\
        double ticks(void) { pthread_mutex_lock(&lock); return (double) clock() / CLOCKS_PER_SEC; }\n\
        double f(double x)\n{\n    sig_atomic_t n = 2;\n    struct timeval t = { 3, 0 };\n    size_t k = sizeof(clock_t) / 8;\n    return n * x + t.tv_sec * sqrt(x) * k;\n}\n",
    )]);
    let args = [
        "f.c",
        "--routine",
        "f",
        "--at",
        "x=4",
        "--preprocess",
        "cc -E",
    ];
    assert_eq!(gradient(place.path(), &args), Ok(json!({"x": 2.75})));
}

/// A compiler's error is shown, without the chain of inclusions before it.
#[test]
fn the_reason_of_a_preprocessor_is_told() {
    if needs::tool("cc").is_none() {
        return;
    }
    let place = folder(&[
        (
            "f.c",
            "#include \"a.h\"\ndouble f(double x) { return x; }\n",
        ),
        ("a.h", "#include \"b.h\"\n"),
        ("b.h", "#include \"nowhere.h\"\n"),
    ]);
    let args = ["f.c", "--at", "x=4", "--preprocess", "cc -E"];
    let told = gradient(place.path(), &args).expect_err("nowhere.h is not there");
    assert!(
        told.contains("P410") && told.contains("nowhere.h"),
        "{told}"
    );
}

/// Files that are none, and may have no end, are not there for what includes them.
#[cfg(unix)]
#[test]
fn irregular_files_are_not_included() {
    let place = folder(&[(
        "f.c",
        "#include \"a.h\"\ndouble f(double x) { return x; }\n",
    )]);
    let path = place.path().join("a.h");
    let make = std::process::Command::new("mkfifo").arg(&path).status();
    assert!(make.is_ok_and(|status| status.success()));
    let is_refused = || {
        let mut run = command(&["gradient", "f.c", "--at", "x=1"]);
        let mut child = run.current_dir(place.path()).spawn().expect("it starts");
        let start = Instant::now();
        loop {
            if let Some(status) = child.try_wait().expect("it can be asked") {
                // The file is missing, and nothing needs it.
                return status.code() == Some(0);
            }
            if start.elapsed() > Duration::from_secs(20) {
                child.kill().expect("it can be ended");
                return false;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    };
    assert!(is_refused(), "a FIFO");
    for other in ["/dev/zero", "."] {
        std::fs::remove_file(&path).expect("it was made");
        std::os::unix::fs::symlink(other, &path).expect("it can be made");
        assert!(is_refused(), "{other}");
    }
}

/// Without a POINT, the message shows a complete one to copy, with structures, matrices and objects behind pointers.
#[test]
fn a_point_without_values_is_told_whole() {
    let point = "struct point { double x, y; }; ";
    let texts = [
        "double f(int n, const double *x, double a[2][n]) { return x[n - 1] * a[1][0]; }",
        "struct body { struct point at, old[2]; double w[3]; int n; }; double f(const struct body *b) { return b->at.x * b->old[1].y * b->w[2] * b->n; }",
        "struct only { double w[4]; }; double f(struct only *o, struct point p[3]) { return o->w[3] * p[2].x; }",
        "struct matrix { int n; double *data; }; double f(struct matrix *m, double **rows) { double *keep = m->data; m->data = rows[0]; rows[0] = keep; return m->data[0] * rows[0][0]; }",
    ];
    for text in texts {
        let text = [point, text].concat();
        let place = folder(&[("f.c", &*text)]);
        let err = gradient(place.path(), &["f.c", "--at", "{}"]).expect_err("nothing is given");
        assert_eq!(err.matches("error[").count(), 1, "{err}");
        let (_, whole) = err
            .split_once("a whole POINT with numbers to change: ")
            .expect("a point");
        let whole = whole.lines().next().unwrap_or_default();
        gradient(place.path(), &["f.c", "--at", whole]).expect("it is a point");
        // Behind what is given already.
        let (first, _) = whole.split_once(", \"").unwrap_or((whole, ""));
        if first.ends_with(['1', '0']) && !first.contains('[') {
            let err = gradient(place.path(), &["f.c", "--at", &format!("{first}}}")])
                .expect_err("not all is given");
            assert!(err.contains(whole), "{err}");
        }
    }
    let place = folder(&[("f.c", "double f(double x, void *unused) { return x; }")]);
    gradient(
        place.path(),
        &["f.c", "--at", r#"{"x": 1, "unused": null}"#],
    )
    .expect("null is as if not named");
    let err = gradient(place.path(), &["f.c", "--at", r#"{"x": 1, "unused": 3}"#])
        .expect_err("it is not used");
    assert!(err.contains("f does not use unused"), "{err}");
}

/// A function that another file of the repository defines is told with that file.
#[test]
fn the_file_that_defines_what_is_missing_is_named() {
    let f = "double g(double); double f(double x) { return g(x); }";
    let g = "double g(double x) { return x * x; }";
    for (other, named) in [
        ("src/g.c", "src/g.c defines g"),
        ("lib/deep/g.c", "lib/deep/g.c defines g"),
    ] {
        let place = folder(&[(".git/HEAD", ""), ("src/f.c", f), (other, g)]);
        let only = ["src/f.c", "--only-these", "--at", "x=2"];
        let err = gradient(place.path(), &only).expect_err("g is not there");
        assert!(err.contains(named), "{err}");
        let both = ["src/f.c", other, "--only-these", "--at", "x=2"];
        gradient(place.path(), &both).expect("it is");
    }
}
