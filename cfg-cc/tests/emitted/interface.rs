//! The functions for callers: the interface, the tape, and failures.

use crate::support::flat;
use crate::support::routines;
use cfg_back::c;
use cfg_core::{
    entity::RoutineId,
    validate::{ValidProgram, validate},
};
use cfg_format::text;
use cfg_reverse::Options;
use cfg_testkit::{golden::golden, needs, strict};
use std::{fs, path::Path, process::Command};

pub(crate) const HERON: &str = "
subroutine heron(in integer n, in real a[n], out real s)
  local integer i
  local real x
  local real w[n]
  independent a
  dependent s
  s := 0.0
  w := 2.0*a
  for i = 1, n
    if a[i] > 0.0
      x := a[i]
      while abs(x*x - a[i]) > 1e-12
        x := (x + a[i]/x)/2.0
      end
      s := s + x*w[i]
    end
  end
end
";

const NORM: &str = "
global real scale = 2.0

function norm(in integer n, in real x[n], inout real y[n]) result r
  local real r
  uses scale
  local integer i
  independent x, y, scale
  dependent r, y
  r := 0.0
  for i = 1, n
    r := r + scale*x[i]*x[i]
    y[i] := y[i]*r
  end
  r := sqrt(r)
end
";

pub(crate) fn parse(source: &str) -> ValidProgram {
    let parsed = text::parse(source);
    validate(
        parsed
            .program
            .unwrap_or_else(|| panic!("{}", parsed.problems)),
    )
    .unwrap_or_else(|e| panic!("{e}"))
}

/// The adjoint file and the tangent file of a program's only routine.
pub(crate) fn files(source: &str) -> [String; 2] {
    files_with(source, c::Options::default())
}

/// The headers of these files.
fn headers(source: &str) -> [String; 2] {
    let options = c::Options {
        header: true,
        ..c::Options::default()
    };
    files_with(source, options)
}

/// The adjoint file.
pub(crate) fn adjoint_file(source: &str, options: &Options, style: c::Options) -> String {
    let program = parse(source);
    let reversal = cfg_reverse::reverse(&flat(&program), RoutineId::new(0), options).unwrap();
    let routines = routines(&reversal);
    let reversed = validate(reversal.program).unwrap();
    c::adjoint_with(&flat(&reversed), routines, style).unwrap()
}

pub(crate) fn files_with(source: &str, options: c::Options) -> [String; 2] {
    let program = parse(source);
    let tangent = cfg_reverse::tangent(&flat(&program), RoutineId::new(0)).unwrap();
    let tangent_program = validate(tangent.program).unwrap();
    [
        adjoint_file(source, &Options::default(), options),
        c::tangent_with(
            &flat(&tangent_program),
            tangent.original,
            tangent.tangent,
            options,
        )
        .unwrap(),
    ]
}

#[test]
fn what_people_read() {
    let [adjoint, _] = files(HERON);
    golden("tests/golden/heron.adjoint.c", &adjoint);
    let included = c::Options {
        included: true,
        ..c::Options::default()
    };
    let [_, tangent] = files_with(HERON, included);
    golden("tests/golden/heron.tangent.c", &tangent);
    let [adjoint, tangent] = files_with(NORM, included);
    golden("tests/golden/norm.adjoint.c", &adjoint);
    golden("tests/golden/norm.tangent.c", &tangent);
    let header = c::Options {
        header: true,
        ..included
    };
    let [adjoint, tangent] = files_with(NORM, header);
    golden("tests/golden/norm.adjoint.h", &adjoint);
    golden("tests/golden/norm.tangent.h", &tangent);
    golden(
        "tests/golden/norm.c",
        &c::program_with(&flat(&parse(NORM)), included).unwrap(),
    );
}

/// Memory that is counted, and refused at a chosen request.
const COUNTED: &str = r"
#include <stdlib.h>
long requests, held, refused = -1;
void *counted_malloc(size_t n);
void *counted_realloc(void *p, size_t n);
void counted_free(void *p);
void *counted_calloc(size_t n, size_t size);
void *counted_calloc(size_t n, size_t size)
{
    if (requests++ == refused)
        return NULL;
    ++held;
    return calloc(n, size);
}
void *counted_malloc(size_t n) { if (requests++ == refused) return NULL; ++held; return malloc(n); }
void *counted_realloc(void *p, size_t n)
{
    if (requests++ == refused)
        return NULL;
    if (!p)
        ++held;
    return realloc(p, n);
}
void counted_free(void *p) { if (p) { --held; free(p); } }
";

/// Uses the functions as docs/c-out.md says.
const MAIN: &str = r#"
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
/* Headers may come more than once, before and after what they declare. */
#include "norm_adjoint.h"
#include "norm_adjoint.c"
#include "norm_tangent.c"
#include "norm_adjoint.h"
#include "norm_tangent.h"
#include "heron_tangent.c"

/* Linked, not included. */
#include "heron_adjoint.h"

extern long requests, held, refused;

static int failures;

static void check(bool holds, const char *what)
{
    if (!holds) {
        printf("%s\n", what);
        ++failures;
    }
}

int main(void)
{
    enum { N = 5 };
    const double a[N] = {2, -1, 9, 4, 0.25}, a_t[N] = {1, 1, 1, 1, 1};
    double a_b[N], first[N], s, s_b, s_t, sum = 0;
    struct cfgrev_tape tape = {0};
    long before;
    int i, k;

    /* A hundred gradients in a row ask for no memory after the first. */
    for (k = 0; k < 100; ++k) {
        memset(a_b, 0, sizeof a_b);
        s_b = 1;
        before = requests;
        check(heron_grad(N, a, a_b, &s, &s_b, &tape) == 0, "a gradient fails");
        check(k == 0 || requests == before, "a gradient asks for memory again");
        check(s_b == 0, "the adjoint of what is overwritten is not 0");
        check(cfgrev_tape_bytes(&tape) == 0, "a gradient leaves something on its tape");
        if (k == 0)
            memcpy(first, a_b, sizeof first);
        check(memcmp(first, a_b, sizeof first) == 0, "gradients differ");
    }
    /* d/da 2 a sqrt(a) = 3 sqrt(a) */
    for (i = 0; i < N; ++i)
        check(fabs(first[i] - (a[i] > 0 ? 3 * sqrt(a[i]) : 0)) < 1e-9, "the gradient is wrong");
    check(strcmp(cfgrev_tape_message(&tape), "") == 0, "there is a message");

    /* Gradients are added. */
    s_b = 1;
    heron_grad(N, a, a_b, &s, &s_b, NULL);
    for (i = 0; i < N; ++i)
        check(fabs(a_b[i] - 2 * first[i]) < 1e-12, "the gradient is not added");

    /* Sweeps nest on one tape. */
    {
        double b[N] = {1, 4, 9, 16, 25}, b_b[N] = {0}, s2, s2_b = 1;
        memset(a_b, 0, sizeof a_b);
        s_b = 1;
        check(heron_fwd(N, a, &s, &tape) == 0 && heron_fwd(N, b, &s2, &tape) == 0, "a forward sweep fails");
        check(cfgrev_tape_bytes(&tape) > 0, "forward sweeps leave nothing");
        check(heron_rev(N, b, b_b, &s2, &s2_b, &tape) == 0 && heron_rev(N, a, a_b, &s, &s_b, &tape) == 0,
              "a reverse sweep fails");
        check(memcmp(first, a_b, sizeof first) == 0, "nested sweeps give another gradient");
        check(fabs(b_b[3] - 12) < 1e-9, "the inner gradient is wrong");
        check(cfgrev_tape_bytes(&tape) == 0, "reverse sweeps leave something");
    }

    check(heron_t(N, a, a_t, &s, &s_t, NULL) == 0, "the tangent fails");
    for (i = 0; i < N; ++i)
        sum += first[i];
    check(fabs(s_t - sum) < 1e-9, "the tangent is not the gradient in its direction");

    /* The result of a function may not be wanted; derivatives of globals come in a structure. */
    {
        const double x[2] = {3, 4}, x_t[2] = {1, 0};
        double x_b[2] = {0}, y[2] = {1, 1}, y_b[2] = {0}, value, value_t, y_t[2] = {0};
        struct norm_globals_b globals_b = {0};
        struct norm_globals_t globals_t = {0};
        check(norm_grad(2, x, x_b, y, y_b, &value, 1, &globals_b, &tape) == 0, "a gradient fails");
        check(fabs(value - sqrt(50)) < 1e-12 && fabs(x_b[0] - 6 / sqrt(50)) < 1e-12, "norm is wrong");
        check(fabs(globals_b.scale_b - 12.5 / sqrt(50)) < 1e-12, "the adjoint of a global is wrong");
        y[0] = y[1] = 1;
        check(norm_grad(2, x, x_b, y, y_b, NULL, 1, &globals_b, NULL) == 0, "a null value is not taken");
        y[0] = y[1] = 1;
        check(norm_globals()->scale == 2, "the globals are not those of the program");
        check(norm_t(2, x, x_t, y, y_t, &value, &value_t, &globals_t, NULL) == 0, "a tangent fails");
        check(fabs(value_t - 6 / sqrt(50)) < 1e-12, "the tangent of norm is wrong");
    }
    cfgrev_tape_free(&tape);
    check(held == 0, "memory is lost");

    /* Whatever request for memory fails: 1 comes back, nothing is lost, and the tape can be used again. */
    for (k = 0;; ++k) {
        requests = 0;
        refused = k;
        s_b = 1;
        if (heron_grad(N, a, a_b, &s, &s_b, &tape) == 0)
            break;
        check(strcmp(cfgrev_tape_message(&tape), "out of memory") == 0, "the message is wrong");
        check(cfgrev_tape_bytes(&tape) == 0, "a gradient that fails leaves something on its tape");
        refused = -1;
        memset(a_b, 0, sizeof a_b);
        s_b = 1;
        check(heron_grad(N, a, a_b, &s, &s_b, &tape) == 0, "a tape cannot be used again");
        check(memcmp(first, a_b, sizeof first) == 0, "the gradient after a failure differs");
        cfgrev_tape_free(&tape);
        check(held == 0, "memory is lost after a failure");
    }
    check(k > 2, "no request for memory fails");
    cfgrev_tape_free(&tape);
    return failures > 0;
}
"#;

pub(crate) fn compile(folder: &Path, cc: &Path, arguments: &[&str]) {
    let all = [&["-O1", "-g"], arguments].concat();
    strict::compile(&arguments.join(" "), folder, cc, &all);
}

#[test]
fn callers_in_c() {
    let Some(cc) = needs::tool("cc") else { return };
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    for (name, source) in [("heron", HERON), ("norm", NORM)] {
        let [adjoint, tangent] = files(source);
        write(&format!("{name}_adjoint.c"), &adjoint);
        write(&format!("{name}_tangent.c"), &tangent);
        let [adjoint, tangent] = headers(source);
        write(&format!("{name}_adjoint.h"), &adjoint);
        write(&format!("{name}_tangent.h"), &tangent);
    }
    write("memory.c", COUNTED);
    write("main.c", MAIN);
    let counted = ["-include", "counted.h", "-c"];
    write(
        "counted.h",
        "#include <stdlib.h>\nvoid *counted_malloc(size_t n);\nvoid *counted_calloc(size_t n, size_t size);\nvoid *counted_realloc(void *p, size_t n);\nvoid counted_free(void *p);\n\
         #define malloc counted_malloc\n#define calloc counted_calloc\n#define realloc counted_realloc\n#define free counted_free\n",
    );
    for sanitizer in ["-O2", "-fsanitize=address,undefined"] {
        compile(folder.path(), &cc, &[sanitizer, "-c", "memory.c"]);
        for file in ["heron_adjoint.c", "main.c"] {
            compile(
                folder.path(),
                &cc,
                &[&counted[..], &[sanitizer, file]].concat(),
            );
        }
        compile(
            folder.path(),
            &cc,
            &[
                sanitizer,
                "-o",
                "main",
                "main.o",
                "memory.o",
                "heron_adjoint.o",
                "-lm",
            ],
        );
        let ran = Command::new(folder.path().join("main")).output().unwrap();
        let said = String::from_utf8_lossy(&ran.stdout) + String::from_utf8_lossy(&ran.stderr);
        assert!(
            ran.status.success() && said.is_empty(),
            "{sanitizer}: {said}"
        );
    }
}

/// Uses files that have the tape inside and files that include it.
const TAPES: &str = r#"
#include "heron_tangent.c"
#include "norm_adjoint.c"
#include "norm_tangent.c"
#include "heron_adjoint.h"
#include "norm_adjoint.h"
int main(void)
{
    const double a[2] = {4, 9};
    double a_b[2] = {0}, y[2] = {1, 1}, y_b[2] = {0}, s, s_b = 1, value;
    struct cfgrev_tape tape = CFGREV_TAPE_EMPTY;
    if (heron_grad(2, a, a_b, &s, &s_b, &tape) || fabs(a_b[1] - 9) > 1e-9)
        return 1;
    if (norm_grad(2, a, a_b, y, y_b, &value, 1, NULL, &tape) || fabs(value - sqrt(194)) > 1e-9)
        return 2;
    cfgrev_tape_free(&tape);
    return 0;
}
"#;

const TAPES_IN_CPP: &str = r#"
#include "heron_adjoint.h"
#include "norm_adjoint.h"
int main()
{
    const double a[2] = {4, 9};
    double a_b[2] = {}, y[2] = {1, 1}, y_b[2] = {}, s, s_b = 1, value;
    cfgrev_tape tape = CFGREV_TAPE_EMPTY;
    norm_globals_b globals_b = {};
    if (heron_grad(2, a, a_b, &s, &s_b, &tape) || s < 69.9 || s > 70.1)
        return 1;
    if (norm_grad(2, a, a_b, y, y_b, &value, 1, &globals_b, &tape) || !norm_globals())
        return 2;
    cfgrev_tape_free(&tape);
    return cfgrev_tape_bytes(&tape) != 0 || *cfgrev_tape_message(&tape);
}
"#;

/// The tape lies in files or beside them, in each combination; C++ has the headers.
#[test]
fn tapes_are_inside_or_beside() {
    let Some(cc) = needs::tool("cc") else { return };
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write(c::TAPE_HEADER, &c::tape_header());
    write("main.c", TAPES);
    write("main.cpp", TAPES_IN_CPP);
    let disk = "#define CFGREV_USES_DISK\n#define CFGREV_USES_RESTART\n";
    let twice = format!(
        "#include \"{0}\"\n{disk}#include \"{0}\"\nint f(void);\n",
        c::TAPE_HEADER
    );
    write("twice.c", &twice);
    let names = [
        "heron_adjoint",
        "heron_tangent",
        "norm_adjoint",
        "norm_tangent",
    ];
    for inside in [0, 5, 9, 15] {
        for (k, name) in names.into_iter().enumerate() {
            let source = if name.starts_with("heron") {
                HERON
            } else {
                NORM
            };
            for header in [false, true] {
                let options = c::Options {
                    included: (inside >> k) % 2 == 0,
                    header,
                    ..c::Options::default()
                };
                let text = &files_with(source, options)[k % 2];
                write(&format!("{name}.{}", if header { "h" } else { "c" }), text);
            }
        }
        let flags = ["-Wconversion", "-Wmissing-prototypes", "-Wredundant-decls"];
        let more = ["-o", "main", "main.c", "heron_adjoint.c", "-lm"];
        compile(folder.path(), &cc, &[&flags[..2], &more].concat());
        let ran = Command::new(folder.path().join("main")).status().unwrap();
        assert_eq!(ran.code(), Some(0), "{inside}");
        if ![0, 15].contains(&inside) {
            continue;
        }
        for cc in [Some(cc.clone()), needs::tool("clang")]
            .into_iter()
            .flatten()
        {
            for name in names {
                compile(
                    folder.path(),
                    &cc,
                    &[&flags[..], &["-c", &format!("{name}.c")]].concat(),
                );
            }
            compile(folder.path(), &cc, &["-Wconversion", "-c", "twice.c"]);
        }
        let Some(cpp) = needs::tool("c++") else {
            continue;
        };
        let strict = ["-std=c++17", "-Wall", "-Wextra", "-pedantic", "-Werror"];
        let files = ["main.cpp", "heron_adjoint.o", "norm_adjoint.o", "-lm"];
        let mut ran = Command::new(cpp);
        ran.current_dir(folder.path()).args(strict);
        let ran = ran.args(files).args(["-o", "cpp"]).output().unwrap();
        assert!(
            ran.status.success(),
            "{}",
            String::from_utf8_lossy(&ran.stderr)
        );
        let ran = Command::new(folder.path().join("cpp")).status().unwrap();
        assert_eq!(ran.code(), Some(0), "{inside} from C++");
    }
}

/// A file has what it uses of the tape, and lines that people can read.
#[test]
fn files_have_no_more_of_the_tape_than_they_use() {
    let [adjoint, tangent] = files(HERON);
    for (name, in_adjoint, in_tangent) in [
        ("cfgrev_push_real(", true, false),
        ("cfgrev_push_count(", true, false),
        ("cfgrev_allocate(", true, true),
        ("cfgrev_push_integer(", false, false),
        ("cfgrev_push_real32(", false, false),
        ("cfgrev_inner(", false, false),
        ("cfgrev_tape_free(", true, true),
    ] {
        let defined = format!(" {name}struct");
        let defined =
            |text: &str| text.contains(&defined) || text.contains(&format!("*{name}struct"));
        assert_eq!(defined(&adjoint), in_adjoint, "{name}");
        assert_eq!(defined(&tangent), in_tangent, "{name}");
    }
    let included = c::Options {
        included: true,
        ..c::Options::default()
    };
    for text in files_with(NORM, included) {
        assert!(!text.contains("CFGREV_TAPE_VERSION"), "{text}");
        let wide = text.lines().find(|line| line.len() > 100);
        assert_eq!(wide, None);
        for prototype in ["int norm_grad(", "int norm_t("] {
            let count = text
                .lines()
                .filter(|line| line.starts_with(prototype))
                .count();
            // Its declaration and its definition.
            assert!(count == 0 || count == 2, "{text}");
        }
    }
}

/// A caller that sees the tape's functions and knows nothing of their types.
const OPAQUE: &str = r#"
#include <stdint.h>
#include <stddef.h>
void *cfgrev_tape_new(void);
void cfgrev_tape_free(void *tape);
const char *cfgrev_tape_message(const void *tape);
size_t cfgrev_tape_bytes(const void *tape);
int heron_fwd(int64_t n, const double *a, double *s, void *tape);
int heron_rev(int64_t n, const double *a, double *a_b, double *s, double *s_b, void *tape);
extern long held;
int main(void)
{
    const double a[2] = {4, 9};
    double a_b[2] = {0}, s, s_b = 1;
    void *tape = cfgrev_tape_new();
    if (!tape || heron_fwd(2, a, &s, tape) || !cfgrev_tape_bytes(tape))
        return 1;
    if (heron_rev(2, a, a_b, &s, &s_b, tape) || *cfgrev_tape_message(tape) || a_b[0] < 5.9)
        return 2;
    cfgrev_tape_free(tape);
    cfgrev_tape_free(NULL);
    return held != 0;
}
"#;

/// Tapes of callers that do not know their size, in the files of two programs.
#[test]
fn tapes_for_other_languages() {
    let Some(cc) = needs::tool("cc") else { return };
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    let head = "#include <stdlib.h>\nvoid *counted_malloc(size_t n);\nvoid *counted_calloc(size_t n, size_t size);\nvoid *counted_realloc(void *p, size_t n);\nvoid counted_free(void *p);\n\
                #define malloc counted_malloc\n#define calloc counted_calloc\n#define realloc counted_realloc\n#define free counted_free\n";
    for (name, source) in [("heron", HERON), ("norm", NORM)] {
        write(&format!("{name}.c"), &format!("{head}{}", files(source)[0]));
    }
    write("main.c", OPAQUE);
    write("memory.c", COUNTED);
    let export = "-DCFGREV_TAPE_EXPORT";
    let sanitizer = "-fsanitize=address,undefined";
    let files = ["heron.c", "norm.c", "main.c", "memory.c", "-lm"];
    let flags = ["-Wmissing-prototypes", export, sanitizer, "-o", "main"];
    compile(folder.path(), &cc, &[&flags[..], &files].concat());
    let ran = Command::new(folder.path().join("main")).output().unwrap();
    let said = String::from_utf8_lossy(&ran.stderr);
    assert_eq!((ran.status.code(), &*said), (Some(0), ""));
}

/// Only the functions that are wanted are there, and what these call.
#[test]
fn functions_that_are_wanted() {
    let has = |functions: c::Functions| {
        let options = c::Options {
            functions,
            included: true,
            ..c::Options::default()
        };
        let text = &files_with(NORM, options)[0];
        ["grad", "fwd", "rev"].map(|name| text.contains(&format!("\nint norm_{name}(")))
    };
    assert_eq!(has(c::Functions::All), [true, true, true]);
    assert_eq!(has(c::Functions::Sweeps), [false, true, true]);
    assert_eq!(has(c::Functions::Gradient), [true, false, false]);
}

/// A gradient that needs memory for an array which is larger in each call.
const GROWING: &str = "\
main subroutine f(in integer n, in real x[n], out real y)
  independent x
  dependent y
  local real w[n]
  w := x*x
  y := sum(w*w)
end
";

const GROWING_MAIN: &str = r#"
#include <stdio.h>
#include "growing.c"
extern long held;
int main(void)
{
    enum { MOST = 3000 };
    static double x[MOST], x_b[MOST];
    struct cfgrev_tape tape = {0};
    long most = 0;
    for (int n = 1; n <= MOST; n++) {
        double y, y_b = 1.0;
        x[n - 1] = n;
        x_b[n - 1] = 0.0;
        if (f_grad(n, x, x_b, &y, &y_b, &tape))
            return 1;
        most = held > most ? held : most;
    }
    cfgrev_tape_free(&tape);
    printf("%ld %ld", most, held);
    return 0;
}
"#;

#[test]
fn a_tape_keeps_no_memory_that_has_become_too_small() {
    let Some(cc) = needs::tool("cc") else { return };
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    let [adjoint, _] = files(GROWING);
    let head = "#include <stdlib.h>\nvoid *counted_malloc(size_t n);\nvoid *counted_calloc(size_t n, size_t size);\nvoid *counted_realloc(void *p, size_t n);\nvoid counted_free(void *p);\n\
                #define malloc counted_malloc\n#define calloc counted_calloc\n#define realloc counted_realloc\n#define free counted_free\n";
    write("growing.c", &format!("{head}{adjoint}"));
    write("memory.c", COUNTED);
    write("main.c", GROWING_MAIN);
    for file in ["memory.c", "main.c"] {
        compile(folder.path(), &cc, &["-c", file]);
    }
    compile(
        folder.path(),
        &cc,
        &["-o", "main", "main.o", "memory.o", "-lm"],
    );
    let ran = Command::new(folder.path().join("main")).output().unwrap();
    let said = String::from_utf8(ran.stdout).unwrap();
    let counts: Vec<i64> = said.split(' ').map(|n| n.parse().unwrap()).collect();
    assert!(counts[0] <= 8 && counts[1] == 0, "{said}");
}

/// A routine that its callers hand pairs of arguments to compare, and one that calls itself with such.
const COMPARED: &str = "\
main subroutine f(in integer n, in integer k, inout real x[n])
  independent x
  dependent x
  call g(2, x[k], x[1])
  if n > 3
    call f(n - 2, k, x[1:n - 2])
  end
end

subroutine g(in integer m, in real a[m], inout real b[m])
  b[1] := a[1]*b[2]
end
";

#[test]
fn functions_for_callers_have_no_pairs_to_compare() {
    let Some(cc) = needs::tool("cc") else { return };
    let folder = tempfile::tempdir().unwrap();
    let options = c::Options {
        checks: true,
        ..c::Options::default()
    };
    let plain = c::program_with(&flat(&parse(COMPARED)), options).unwrap();
    let [adjoint, tangent] = files_with(COMPARED, options);
    for (name, text) in [("plain", plain), ("adjoint", adjoint), ("tangent", tangent)] {
        assert!(text.contains("const struct cfgrev_pairs *pairs"), "{name}");
        fs::write(folder.path().join(format!("{name}.c")), text).unwrap();
        compile(folder.path(), &cc, &["-c", &format!("{name}.c")]);
    }
}

/// Functions of a program itself, one of which needs memory for a work array.
const PLAIN: &str = "
global real scale = 2.0
global logical on = true

function twice(in real x) result y
  local real y
  y := x + x
end

subroutine turned(in integer n, inout real x[n])
  uses scale, on
  local real w[n]
  w := x
  if on
    w := scale*x
  end
  x := w[n:1:-1]
end
";

const PLAIN_MAIN: &str = r#"
#include "plain.h"
#include "plain.h"
int main(void)
{
    double x[3] = {1, 2, 3};
    if (turned(3, x) || x[0] != 6 || x[2] != 2)
        return 1;
    program_globals()->scale = 3;
    if (turned(3, x) || x[0] != 6 || x[2] != 18)
        return 2;
    return twice(4) != 8;
}
"#;

#[test]
fn headers_of_programs() {
    let Some(cc) = needs::tool("cc") else { return };
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    let program = parse(PLAIN);
    let header = c::Options {
        header: true,
        ..c::Options::default()
    };
    write("plain.c", &c::program(&flat(&program)).unwrap());
    write(
        "plain.h",
        &c::program_with(&flat(&program), header).unwrap(),
    );
    write("main.c", PLAIN_MAIN);
    compile(
        folder.path(),
        &cc,
        &["-o", "main", "main.c", "plain.c", "-lm"],
    );
    let ran = Command::new(folder.path().join("main")).status().unwrap();
    assert_eq!(ran.code(), Some(0));
    // With checks the functions have a tape more, in the header as in the file.
    let checks = c::Options {
        checks: true,
        header: true,
        ..c::Options::default()
    };
    write(
        "plain.h",
        &c::program_with(&flat(&program), checks).unwrap(),
    );
    let checks = c::Options {
        header: false,
        ..checks
    };
    write(
        "plain.c",
        &c::program_with(&flat(&program), checks).unwrap(),
    );
    write(
        "main.c",
        "#include \"plain.h\"\nint main(void)\n{\n    double x[3] = {1, 2, 3};\n    return turned(3, x, NULL) || x[0] != 6 || !program_globals()->on;\n}\n",
    );
    compile(
        folder.path(),
        &cc,
        &["-o", "main", "main.c", "plain.c", "-lm"],
    );
    let ran = Command::new(folder.path().join("main")).status().unwrap();
    assert_eq!(ran.code(), Some(0));
}

/// Two programs whose names differ by case, with a global each; that of the first has no derivative.
const INERT: &str = "
global integer a = 2

main function f(in real x) result y
  local real y
  uses a
  independent x
  dependent y
  y := x*real(a)
end
";
const INERT_CAPITAL: &str = "
global real a = 3.0
global real c[3] = 1.0

main function F(in real x) result y
  local real y
  uses a
  uses c
  independent x
  dependent y
  y := x*a*c[2]
end
";

const INERT_MAIN: &str = r#"
#include "small.h"
#include "capital.h"
#include "small.c"
#include "capital.c"
int main(void)
{
    double y, x_b = 0;
    struct cfgrev_tape tape = {0};
    if (f_grad(5, &x_b, &y, 1, NULL) || y != 10 || x_b != 2)
        return 1;
    f_globals()->a = 4;
    F_globals()->a = 7;
    x_b = 0;
    if (F_grad(5, &x_b, &y, 1, NULL, &tape) || y != 35 || x_b != 7)
        return 2;
    if (f_grad(5, &x_b, &y, 1, &tape) || y != 20 || x_b != 11)
        return 3;
    cfgrev_tape_free(&tape);
    return 0;
}
"#;

#[test]
fn globals_that_are_not_active() {
    let Some(cc) = needs::tool("cc") else { return };
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    for (name, source) in [("small", INERT), ("capital", INERT_CAPITAL)] {
        write(&format!("{name}.c"), &files(source)[0]);
        write(&format!("{name}.h"), &headers(source)[0]);
    }
    write("main.c", INERT_MAIN);
    let sanitizer = "-fsanitize=address,undefined";
    compile(
        folder.path(),
        &cc,
        &[sanitizer, "-o", "main", "main.c", "-lm"],
    );
    let ran = Command::new(folder.path().join("main")).status().unwrap();
    assert_eq!(ran.code(), Some(0));
}
