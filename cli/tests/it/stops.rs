//! Programs that stop: every engine reports the error of the statement, and emitted C returns a status to its caller.
//!
//! A file of C says in comments at which points it stops: `//! function {"n": 0} LINE TEXT`.

use crate::run_tool::{cfgrev, cfgrev_in};
use cfg_testkit::needs;
use std::{path::Path, process::Command};

/// File, function, point, line and text.
fn points() -> Vec<(String, String, String, String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../cfg-c/tests/files");
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("it can be read").path();
        let text = std::fs::read_to_string(&path).expect("it can be read");
        for line in text.lines().filter_map(|line| line.strip_prefix("//! ")) {
            let (function, rest) = line.split_once(' ').expect("a function");
            let end = rest.find("} ").expect("a point") + 1;
            let (line, text) = rest[end + 1..].split_once(' ').expect("a line and a text");
            let path = path.to_str().expect("text").to_owned();
            let all = [function, &rest[..end], line, text].map(str::to_owned);
            let [function, point, line, text] = all;
            found.push((path, function, point, line, text));
        }
    }
    found
}

/// Errors of runs are shown at the line of C, in a file that is included, too.
#[test]
fn errors_of_runs_show_the_line_of_c() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| {
        std::fs::write(folder.path().join(name), text).expect("it can be written");
    };
    write(
        "g.h",
        "static double g(const double *x, int n)\n{\n    return x[n];\n}\n",
    );
    write(
        "f.c",
        "#include \"g.h\"\ndouble f(int n, const double *x)\n{\n    double s = x[0];\n    return n > 3 ? g(x, n) :\n        x[n] * s;\n}\n",
    );
    let cases = [
        ("3", "f.c:5:5\n  |\n5 |     return n > 3 ?"),
        ("4", "g.h:3:5\n  |\n3 |     return x[n];"),
    ];
    for (n, place) in cases {
        let ran = cfgrev_in(
            folder.path(),
            &["gradient", "f.c", "--at", &format!("n={n},x=[1,2]")],
            b"",
        );
        assert_eq!(ran.code, Some(1), "{}", ran.err);
        assert!(ran.err.contains(place), "{}", ran.err);
        assert!(!ran.err.contains("source:"), "{}", ran.err);
    }
}

#[test]
fn functions_of_c_stop_with_their_text_and_line() {
    let points = points();
    assert!(points.len() >= 8);
    let engines: &[&[&str]] = match needs::tool("cc") {
        Some(_) => &[&[], &["--engine", "cc"]],
        None => &[&[]],
    };
    for (path, function, point, line, text) in points {
        let of = ["--routine", &function, "--at", &point];
        let name = Path::new(&path)
            .file_name()
            .expect("a name")
            .to_string_lossy();
        for command in [&["run"][..], &["gradient"], &["check"], &["jacobian"]] {
            for engine in engines {
                let args = [command, &[&path], &of, engine].concat();
                let ran = cfgrev(&args);
                assert_eq!(ran.code, Some(1), "{args:?}: {}", ran.err);
                assert_eq!(ran.out, "", "{args:?}");
                for part in ["X223", &format!("{text}\n"), &format!("{name}:{line}:")] {
                    assert!(ran.err.contains(part), "{args:?}: {part}: {}", ran.err);
                }
            }
        }
        // A tangent goes where the program goes.
        let direction = point.replace(|c: char| c.is_ascii_digit(), "1");
        let direction = if function == "root" {
            r#"{"a":1}"#.to_owned()
        } else {
            direction
        };
        let args = [&["tangent", &path], &of[..], &["--direction", &direction]].concat();
        let ran = cfgrev(&args);
        assert_ne!(ran.code, Some(0), "{args:?}: {}", ran.err);
    }
}

/// The text of a program that stops in a callee, in a branch of a loop.
const PROGRAM: &str = "\
subroutine look(in integer k, in real x, out real y)
  y := x*x
  if k > 3
    y := 0.0
    stop \"too \\\"many\\\" \\\\ %d??/\"
  end
end
main function f(in integer n, in real x) result real s
  local integer k
  local real y
  s := 0.0
  for k = 1, n
    call look(k, x + real(k), y)
    s := s*x + y
  end
end
";

const MAIN: &str = r#"
#include <stdio.h>
int main(void)
{
    struct cfgrev_tape tape = {0};
    for (int k = 0; k < 3; ++k) {
        const int64_t n = k == 1 ? 9 : 2;
        double x_b = 0.0, s = 0.0;
        int failed = f_grad(n, 0.5, &x_b, &s, 1.0, &tape);
        printf("%d [%s] %zu\n", failed, cfgrev_tape_message(&tape), cfgrev_tape_bytes(&tape));
        if (!failed)
            printf("%g\n", x_b);
        failed = f_fwd(n, 0.5, &s, &tape);
        printf("%d [%s]\n", failed, cfgrev_tape_message(&tape));
        if (!failed)
            failed = f_rev(n, 0.5, &x_b, 1.0, &tape);
        printf("%d\n", f_grad(n, 0.5, &x_b, &s, 1.0, NULL));
    }
    cfgrev_tape_free(&tape);
    return 0;
}
"#;

/// What `MAIN` prints.
fn expected() -> String {
    let good = "0 [] 0\n8.75\n0 []\n0\n";
    let text = "too \"many\" \\ %d??/";
    format!("{good}3 [{text}] 0\n3 [{text}]\n3\n{good}")
}

#[test]
fn emitted_c_returns_3_and_the_tape_goes_on() {
    let Some(cc) = needs::tool("cc") else { return };
    let place = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| {
        std::fs::write(place.path().join(name), text).expect("it can be written");
    };
    write("f.cfgrev", PROGRAM);
    let made = |args: &[&str]| {
        let ran = cfgrev_in(place.path(), args, b"");
        assert_eq!(ran.code, Some(0), "{args:?}: {}", ran.err);
        ran.out
    };
    let derivative = |command: &str, options: &[&str]| {
        let ends = "--independent x --dependent s --emit c";
        let args: Vec<&str> = [command, "f.cfgrev"]
            .into_iter()
            .chain(ends.split(' '))
            .collect();
        made(&[&args, options].concat())
    };
    let run = |text: &str| {
        write("f.c", text);
        let flags = "-std=c99 -O1 -Wall -Wextra -Wpedantic -Werror -o f f.c -lm";
        let out = (Command::new(&cc).args(flags.split(' ')))
            .current_dir(&place)
            .output()
            .expect("it runs");
        let errors = String::from_utf8_lossy(&out.stderr);
        assert!(out.status.success(), "{errors}\n{text}");
        let out = Command::new(place.path().join("f"))
            .output()
            .expect("it runs");
        assert!(out.status.success());
        String::from_utf8(out.stdout).expect("text")
    };
    for options in [
        &[][..],
        &["--blocks", "preaccumulate"],
        &["--replace"],
        &["--unstructured", "trace"],
    ] {
        let text = derivative("reverse", options);
        assert_eq!(run(&(text + MAIN)), expected(), "{options:?}");
    }
    let checked = run(&(derivative("reverse", &["--checks"]) + MAIN));
    let words =
        "X223 routine look, vertex 4, statement 2 (in routine look_fwd, vertex 4, statement";
    assert!(checked.contains(words), "{checked}");
    assert!(
        checked.contains("): the program stopped: too \"many\" \\ %d??/]"),
        "{checked}"
    );
    let tangent = derivative("tangent", &[]);
    let main = r#"
#include <stdio.h>
int main(void)
{
    struct cfgrev_tape tape = {0};
    double s, s_t;
    for (int64_t n = 2; n < 6; n += 2) {
        int failed = f_t(n, 0.5, 1.0, &s, &s_t, &tape);
        printf("%d [%s]\n", failed, cfgrev_tape_message(&tape));
    }
    cfgrev_tape_free(&tape);
    return 0;
}
"#;
    let told = "0 []\n3 [too \"many\" \\ %d??/]\n";
    assert_eq!(run(&(tangent + main)), told);
    // The program itself: a function that may fail returns a status.
    let program = made(&["convert", "f.cfgrev", "--to", "c"]);
    let main = r#"
#include <stdio.h>
int main(void)
{
    double s;
    printf("%d ", f(2, 0.5, &s));
    printf("%g ", s);
    printf("%d\n", f(9, 0.5, &s));
    return 0;
}
"#;
    assert_eq!(run(&(program + main)), "0 7.375 3\n");
}

#[test]
fn xaif_has_no_stop() {
    let ran = crate::run_tool::cfgrev_with(
        &["convert", "--lang", "text", "-", "--to", "xaif"],
        PROGRAM.as_bytes(),
    );
    assert_eq!((ran.code, &*ran.out), (Some(1), ""));
    assert!(
        ran.err.contains("F625") && ran.err.contains("routine look, vertex 4, statement 2"),
        "{}",
        ran.err
    );
}
