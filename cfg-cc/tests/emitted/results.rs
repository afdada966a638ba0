//! Functions whose results are arrays: what they are in C, and what becomes of them in each place where one is called.

use crate::support::flat;
use crate::{
    checks::by_hand,
    interface::{compile, files_with, parse},
    random::check,
    support::{Job, jobs},
    trial::{self, Trial},
};
use cfg_back::c;
use cfg_reverse::{Blocks, Options};
use cfg_testkit::{golden::golden, needs};
use std::{fs, process::Command};

/// Programs of which main is a function or calls some, and how many of program, gradient and tangent there are: none is
/// differentiated that says itself which shape its result has.
const PROGRAMS: &[(&str, usize, &str)] = &[
    (
        "the target itself, and no target",
        3,
        "// n = 3
main function f(in integer n, in real x[3]) result real r[3]
  independent x
  dependent r
  local real y[3], z[3]
  y := call g(x)
  y := call g(y)
  z := call g(y)
  call g(x)
  r := call g(z)
end
function g(in real x[3]) result real r[3]
  r := x*x
  r[2] := r[2]*x[1]
end
",
    ),
    (
        "extents of arguments",
        3,
        "// n = 3
main function f(in integer n, in real x[n]) result real r[n + 1, 2]
  independent x
  dependent r
  local real y[2*n], z[:, :] column
  y := call twice(n, x)
  z := call table(n + 1, y)
  r := z
  r := call table(n + 1, r[:, 1])
  r[2:3, :] := call table(2, x)
end
function twice(in integer n, in real x[n]) result real r[2*n]
  local integer i
  for i = 1, n
    r[2*i - 1] := x[i]
    r[2*i] := sin(x[i])
  end
end
function table(in integer n, in real x[:]) result real t[n, size(x) - size(x) + 2] column
  local integer i
  t := 0.0
  for i = 1, min(n, size(x))
    t[i, 1] := x[i]*x[i]
    t[i, 2] := cos(x[i])
  end
end
",
    ),
    (
        "a result takes the place of its argument",
        3,
        "// n = 4
main subroutine f(in integer n, inout real x[n], inout real y[n, n], out real s)
  independent x, y
  dependent x, y, s
  local real z[:]
  z := x
  z := call doubled(n, z)
  z := call doubled(n - 1, z[2:n])
  x := call doubled(n, x)
  x[1:n - 1] := call doubled(n - 1, x[2:n])
  x[n:1:-1] := call doubled(n, x)
  y[2, :] := call doubled(n, y[1, :])
  y[:, 2] := call doubled(n, y[:, 3])
  y := call flipped(n, y)
  s := sum(z) + sum(y[2, :])
end
function doubled(in integer n, in real x[n]) result real r[n]
  r := 2.0*x[n:1:-1] + x*x
end
function flipped(in integer n, in real x[n, n]) result real r[n, n] column
  r := transpose(x)*x
end
",
    ),
    (
        "subscripts are evaluated before the call",
        3,
        "// n = 2, k = 1
global integer at = 1

main subroutine f(in integer n, inout integer k, inout real x[8])
  uses at
  independent x
  dependent x
  x[k:k + n] := call moving(k, x)
  x[at:at + 2] := call moving(k, x)
end
function moving(inout integer k, in real x[8]) result real r[3]
  uses at
  r := x[k:k + 2]*x[4]
  at := at + 1
  k := k + 1
end
",
    ),
    (
        "globals in extents and as targets",
        3,
        "// n = 2
global integer m = 3
global real all[6] = 1.0, 2.0, 3.0, 4.0, 5.0, 6.0

main subroutine f(in integer n, inout real x[3])
  uses all, m
  independent x, all
  dependent x, all
  all[2:4] := call of_all(x)
  m := 2
  all[1:2] := call of_all(x)
  m := 6
  all := call of_all(x)
end
function of_all(in real x[3]) result real r[m]
  uses m, all
  r := all[1:m]*x[2]
  all[1] := r[1]*x[1]
end
",
    ),
    (
        "functions that call themselves",
        3,
        "// n = 4
main function f(in integer n, in real x[3]) result real r[3]
  independent x
  dependent r
  local real s[n]
  r := x
  if n > 0
    r := call f(n - 1, x)
    r := r*x
    s := call g(n - 1, x)
    r[1] := r[1] + sum(s)
  end
end
function g(in integer n, in real x[3]) result real r[n + 1]
  local real t[n], u[3]
  r := x[1]
  if n > 0
    t := call g(n - 1, x)
    u := call f(n - 1, x)
    r[1:n] := t*x[2] + u[3]
  end
end
",
    ),
    (
        "names that functions have for something else",
        3,
        "// n = 2
main function f(in integer n, in real memory[3], in real value, in real extents) result real f_value[3]
  independent memory, value, extents
  dependent f_value
  local real returned[n], returned_extents[3]
  f_value := memory*value
  if n > 0
    f_value := call f(n - 1, memory, value, extents)
    returned := call g(n, value, extents)
    returned_extents := call f(0, memory, value, extents)
    f_value[1:n] := f_value[1:n]*returned + returned_extents[2]
  end
end
function g(in integer n, in real value, in real g_value) result real memory[n]
  memory := value
  if n > 1
    memory[1:n - 1] := call g(n - 1, value, g_value)
    memory[n] := g_value
  end
end
",
    ),
    (
        "other types, empty arrays, other lower bounds",
        3,
        "// n = 3
main subroutine f(in integer n, in real x[3], in real32 u[2], inout real y[3], out real32 v[2], out integer k[3], out logical b[2])
  independent x, u
  dependent y, v
  local integer m[0]
  local real w[3 from 5]
  y := call none(x[1:3])
  w := call ones(x)
  y := y + w
  v := call narrow(u)
  k := call counts(n, x)
  k := call counts(n, y)
  b := call signs(x[1])
  m := call nothing(n)
  m := call nothing_at_all(n)
end
function none(in real x[3]) result real r[3]
  r[1] := x[1]
  r[2:3] := 0.5
end
function ones(in real x[3]) result real r[3 from -1]
  r := x
  r[-1] := x[2]*x[2]
end
function narrow(in real32 u[2]) result real32 r[2]
  r := u*u
end
function counts(in integer n, in real x[3]) result integer k[n]
  k[1] := n
  if x[1] > 100.0
    k[2] := 7
  end
  k[3] := 2*n
end
function signs(in real x) result logical b[2]
  b[1] := x > 0.0
  if x > 100.0
    b[2] := true
  end
end
function nothing(in integer n) result integer k[n - 3]
  k := 1
end
function nothing_at_all(in integer n) result integer k[-3]
  k := 1
end
",
    ),
    (
        "aliased functions, sections with gaps, optional arguments",
        3,
        "// n = 3
main subroutine f(in integer n, inout real x[6], out real s)
  independent x
  dependent x, s
  local real y[3]
  y := call shared(3, x[1:5:2], x[2:6:2])
  x[1:5:2] := call shared(3, x[1:5:2], x[1:5:2])
  x[2:4] := call shared(3, x[1:3], x[3:5])
  y := call maybe(y, absent)
  y := call maybe(y, x[1:3])
  s := sum(y)
end
aliased function shared(in integer n, inout real a[:], inout real b[:]) result real r[n]
  a[1] := a[1]*b[2]
  r := a*b
  b[3] := r[1]
end
function maybe(in real a[3], optional in real b[3]) result real r[3]
  r := a
  if present(b)
    r := r*b
  end
end
",
    ),
    (
        "results too large for the stack, in loops",
        3,
        "// n = 7
main subroutine f(in integer n, in real x, out real s)
  independent x
  dependent s
  local integer i
  local real w[700], v[300]
  s := 0.0
  for i = 1, n
    w := call many(x + 0.1*i)
    v := call some(n, w[i:i + 299])
    w[300:1:-1] := call some(n, v)
    s := s + w[300] + sum(v[1:3])
  end
end
function many(in real x) result real r[700]
  local integer i
  for i = 1, 700
    r[i] := x*i
  end
end
function some(in integer n, in real x[300]) result real r[300 + n - n]
  r := x*x[n]
end
",
    ),
    (
        "shapes that functions decide",
        1,
        "// n = 5
main function f(in integer n, in real x[n]) result real r[:]
  local real y[:], z[3]
  y := x
  y := call positive(y[2:n])
  r := call positive(y)
  y := call both(x, r)
  z := call both(x[1:2], x[1:1])
  r := call both(y, z)
end
function positive(in real x[:]) result real r[:]
  r := fill(0.0, max(size(x) - 2, 1))
  r := r + x[1]
end
function both(in real a[:], in real b[:]) result real r[:]
  local integer i
  r := fill(0.0, size(a) + size(b))
  r[1:size(a)] := a
  r[size(a) + 1:size(a) + size(b)] := b
end
",
    ),
];

#[test]
fn programs() {
    let mut all: Vec<Job> = Vec::new();
    for (name, count, text) in PROGRAMS {
        let case = crate::by_hand::case(name, text);
        for blocks in [Blocks::Statement, Blocks::Preaccumulate] {
            let options = Options {
                blocks,
                ..Options::default()
            };
            let made = jobs(name, &case, &options, 5);
            assert!(made.len() == *count, "{name}: {} jobs", made.len());
            all.extend(made);
        }
    }
    check(&all);
}

/// Programs that end in an error, each with its code.
const ERRORS: &[(&str, &str)] = &[
    // Other extents.
    (
        "X212",
        "// n = 4\nmain subroutine f(in integer n, in real x[n], out real y[n])\n  y := call g(n - 1, x)\nend\nfunction g(in integer n, in real x[n]) result real r[n]\n  r := x\nend\n",
    ),
    (
        "X212",
        "// n = 4\nmain subroutine f(in integer n, in real x[n], out real y[n])\n  y[2:n] := call g(x)\nend\nfunction g(in real x[4]) result real r[2]\n  r := 1.0\nend\n",
    ),
    (
        "X212",
        "// n = 4\nmain subroutine f(in integer n, in real x[n], inout real y[n, n])\n  y[1, 2:n] := call g(x)\nend\nfunction g(in real x[4]) result real r[:]\n  r := x\nend\n",
    ),
    // The function fails before its result has a place, and behind the arguments and the place.
    (
        "X201",
        "// n = 4\nmain subroutine f(in integer n, in real x[n], out real y[n])\n  y := call g(n, x)\nend\nfunction g(in integer n, in real x[n]) result real r[n - 1]\n  r[n] := x[1]\nend\n",
    ),
    (
        "X204",
        "// n = 4\nmain subroutine f(in integer n, in real x[n], out real y[n])\n  y[2:n + 1] := call g(n/(n - 4), x)\nend\nfunction g(in integer n, in real x[n]) result real r[n]\n  r[n] := x[1]\nend\n",
    ),
    (
        "X201",
        "// n = 4\nmain subroutine f(in integer n, in real x[n], out real y[n])\n  y[2:n + 1] := call g(n, x)\nend\nfunction g(in integer n, in real x[n]) result real r[n/(n - 4)]\n  r[n] := x[1]\nend\n",
    ),
    (
        "X204",
        "// n = 4\nmain subroutine f(in integer n, in real x[n], out real y[n])\n  y := call g(n, x)\nend\nfunction g(in integer n, in real x[n]) result real r[n/(n - 4)]\n  r[n] := x[1]\nend\n",
    ),
    (
        "X202",
        "// n = 4\nmain subroutine f(in integer n, in real x[n], out real y[n])\n  local integer m\n  if n > 9\n    m := n\n  end\n  y := call g(m, x)\nend\nfunction g(in integer n, in real x[4]) result real r[n]\n  r := x[1]\nend\n",
    ),
    (
        "X203",
        "// n = 4611686018427387904\nmain subroutine f(in integer n, out real y)\n  local real w[:]\n  w := call g(n)\n  y := w[1]\nend\nfunction g(in integer n) result real r[2*n]\n  r := 1.0\nend\n",
    ),
    // An argument that is not given, a result without a shape.
    (
        "X213",
        "// n = 4\nmain subroutine f(in integer n, in real x[4])\n  call h(x, absent)\nend\nsubroutine h(in real x[4], optional out real u[4])\n  u := call g(x)\nend\nfunction g(in real x[4]) result real r[4]\n  r := x\nend\n",
    ),
    (
        "X201",
        "// n = 4\nmain subroutine f(in integer n, in real x[4])\n  call h(n, x, absent)\nend\nsubroutine h(in integer n, in real x[4], optional out real u[4])\n  u := call g(n, x)\nend\nfunction g(in integer n, in real x[4]) result real r[4]\n  r := x[n + 1]\nend\n",
    ),
    (
        "X201",
        "// n = 4\nmain subroutine f(in integer n, in real x[4])\n  call h(n, x, absent)\nend\nsubroutine h(in integer n, in real x[4], optional out real u[4])\n  u := call g(n, x)\nend\nfunction g(in integer n, in real x[4]) result real r\n  r := x[n + 1]\nend\n",
    ),
    (
        "X215",
        "// n = 4\nmain subroutine f(in integer n, in real x[4])\n  local real w[:]\n  w := call g(n, x)\nend\nfunction g(in integer n, in real x[4]) result real r[:]\n  if n > 9\n    r := x\n  end\nend\n",
    ),
    (
        "X215",
        "// n = 4\nmain subroutine f(in integer n, in real x[4])\n  local real w[:]\n  w[1:2] := call g(n, x)\nend\nfunction g(in integer n, in real x[4]) result real r[2]\n  r := x[1:2]\nend\n",
    ),
    // Elements that were never set.
    (
        "X202",
        "// n = 4\nmain subroutine f(in integer n, in real x[4], out real y)\n  local real w[3]\n  w := 1.0\n  w := call g(n, x)\n  y := 0.0\n  if w[2] > 0.0\n    y := 1.0\n  end\nend\nfunction g(in integer n, in real x[4]) result real r[3]\n  r[1] := x[1]\nend\n",
    ),
    (
        "X202",
        "// n = 4\nmain subroutine f(in integer n, in real x[4], out integer k)\n  local integer w[3]\n  w := 1\n  w := call g(n, x)\n  k := w[w[3]]\nend\nfunction g(in integer n, in real x[4]) result integer r[n - 1]\n  r[1] := n\nend\n",
    ),
    (
        "X202",
        "// n = 4\nmain subroutine f(in integer n, in real x[4], out integer k)\n  local logical b[:]\n  b := call g(n, x)\n  k := 1\n  if b[2]\n    k := 2\n  end\nend\nfunction g(in integer n, in real x[4]) result logical r[:]\n  local logical w[2]\n  r := w\n  r[1] := n > 3\nend\n",
    ),
];

#[test]
fn errors() {
    let mut all: Vec<Trial> = Vec::new();
    for (code, text) in ERRORS {
        let trial = by_hand(code, text);
        let found = trial.expected.as_ref().err().map(|(code, _)| &**code);
        assert_eq!(found, Some(*code), "{text}");
        all.push(trial);
    }
    // The programs themselves, then their derivatives.
    for (name, _, text) in PROGRAMS {
        let case = crate::by_hand::case(name, text);
        let made = jobs(name, &case, &Options::default(), 5);
        all.extend(made.into_iter().filter_map(Trial::of_job));
    }
    let sanitized = all.len();
    trial::check(&all, sanitized);
}

/// Functions as other files see them.
const PLAIN: &str = "
main function constant(in real x[3]) result real r[3]
  independent x
  dependent r
  r := x*x
  r[2] := x[1]*x[3]
end

function computed(in integer n, in real x[n]) result real r[n, 2] column
  r[:, 1] := x
  r[:, 2] := 2.0*x
end

function chosen(in real x[:], in real f_value_extent1) result real r[:]
  local integer i
  r := fill(0.0, size(x) - 1)
  for i = 2, size(x)
    r[i - 1] := x[i] - x[i - 1] + f_value_extent1
  end
end

function signs(in integer n, in real x[n]) result logical b[n]
  local integer i
  for i = 2, n
    b[i] := x[i] > 0.0
  end
end

function recorded(in integer n, in real x[n], inout tape t) result real r[n]
  push[real] x[1]
  r := x[n:1:-1]
end
";

const PLAIN_MAIN: &str = r#"
#include "plain.h"
#include "plain.h"
#include <stdio.h>
#include <string.h>

#ifdef CHECKED
#define CALL(name, ...) name(__VA_ARGS__, &tape)
#define CONSTANT(x, r) constant(x, r, &tape)
#else
#define CALL(name, ...) name(__VA_ARGS__)
#define CONSTANT(x, r) (constant(x, r), 0)
#endif

static int failed(const char *what)
{
    printf("%s\n", what);
    return 1;
}

int main(void)
{
    struct cfgrev_tape tape = {0};
    const double x[4] = {1, 2, 4, 8};
    double r[8];
    bool b[4];
    const size_t before = cfgrev_tape_bytes(&tape);
    if (CONSTANT(x, r) || r[0] != 1 || r[1] != 4 || r[2] != 16)
        return failed("constant");
    if (CALL(computed, 4, x, r) || r[3] != 8 || r[4] != 2 || r[7] != 16)
        return failed("computed");
    if (CALL(chosen, 4, x, 0.5, 3, r) || r[0] != 1.5 || r[2] != 4.5)
        return failed("chosen");
    if (CALL(chosen, 4, x, 0.5, 4, r) != 4)
        return failed("room for another shape");
#ifdef CHECKED
    if (strcmp(cfgrev_tape_message(&tape), "X212 routine chosen: shapes do not conform"))
        return failed(cfgrev_tape_message(&tape));
#endif
    if (CALL(chosen, 0, x, 0.5, 0, r))
        return failed("empty");
    if (CALL(signs, 4, x, b) || !b[1] || !b[3])
        return failed("signs");
    for (int k = 0; k < 3; ++k)
        if (CALL(recorded, 4, x, &tape, r) || r[0] != 8 || r[3] != 1)
            return failed("recorded");
    if (cfgrev_tape_bytes(&tape) - before != 24)
        return failed("something else is on the tape");
    cfgrev_tape_free(&tape);
    return 0;
}
"#;

#[test]
fn callers_in_c() {
    let Some(cc) = needs::tool("cc") else { return };
    let folder = tempfile::tempdir().unwrap();
    let program = parse(PLAIN);
    for checks in [false, true] {
        let options = c::Options {
            checks,
            ..c::Options::default()
        };
        let header = c::Options {
            header: true,
            ..options
        };
        let [text, header] =
            [options, header].map(|options| c::program_with(&flat(&program), options).unwrap());
        if !checks {
            let included = c::Options {
                included: true,
                ..options
            };
            let text = c::program_with(&flat(&program), included).unwrap();
            golden("tests/golden/results.c", &text);
            let [adjoint, tangent] = files_with(PLAIN, included);
            golden("tests/golden/results.adjoint.c", &adjoint);
            golden("tests/golden/results.tangent.c", &tangent);
        }
        for (name, text) in [
            ("plain.c", &*text),
            ("plain.h", &header),
            ("main.c", PLAIN_MAIN),
        ] {
            fs::write(folder.path().join(name), text).unwrap();
        }
        let sanitizer = "-fsanitize=address,undefined";
        let defined = ["-UCHECKED", "-DCHECKED"][usize::from(checks)];
        let files = [sanitizer, defined, "-o", "main", "main.c", "plain.c", "-lm"];
        compile(folder.path(), &cc, &files);
        let ran = Command::new(folder.path().join("main")).output().unwrap();
        let said = String::from_utf8_lossy(&ran.stdout) + String::from_utf8_lossy(&ran.stderr);
        assert!(ran.status.success() && said.is_empty(), "{checks}: {said}");
    }
}
