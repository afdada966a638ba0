//! Tests of the code of small programs, as readable listings in `tests/code` (`BLESS=1` rewrites them): where
//! variables live, and which instructions are fused.

use cfg_core::validate::validate;
use cfg_format::text;
use cfg_testkit::flat;
use cfg_testkit::golden::golden;
use std::fmt::Write as _;

use super::*;

/// A program of a text, compiled.
fn compiled(source: &str, options: &CompileOptions) -> Compiled {
    let parsed = text::parse(source);
    let problems = parsed.problems;
    let program = parsed
        .program
        .unwrap_or_else(|| panic!("{problems}{source}"));
    let program = validate(program).unwrap_or_else(|d| panic!("{d}{source}"));
    Compiled::new(&flat(&program), options).unwrap_or_else(|d| panic!("{d}"))
}

/// The code of all routines of a program.
fn listing(source: &str, options: &CompileOptions) -> String {
    let compiled = compiled(source, options);
    let image = &compiled.inner.image;
    let mut out = String::new();
    for (code, name) in image.routines.iter().zip(&image.names) {
        let _ = writeln!(
            out,
            "{name}: {} registers, {} descriptors, {} staged, template {:?}, frame {:?}, result {:?}",
            code.registers, code.descriptors, code.staged, code.template, code.frame, code.result
        );
        let _ = writeln!(out, "  homes {:?}", code.homes);
        let _ = writeln!(out, "  constants {:?}", code.consts);
        for (k, instr) in code.instrs.iter().enumerate() {
            for (at, vertex, statement) in &code.places {
                if *at as usize == k {
                    let vertex = vertex.map(|v| v.index());
                    let _ = writeln!(out, "  vertex {vertex:?}, statement {statement:?}");
                }
            }
            let _ = match instr {
                Instr::Ext { k: ext } => writeln!(out, "{k:5} {:?}", code.ext[*ext as usize]),
                other => writeln!(out, "{k:5} {other:?}"),
            };
        }
        for (k, switch) in code.switches.iter().enumerate() {
            let _ = writeln!(out, "  switch {k}: {switch:?}");
        }
        for region in &code.regions {
            let _ = writeln!(out, "  {region:?}");
        }
        for back in &code.backs {
            let _ = writeln!(out, "  {back:?}");
        }
    }
    out
}

fn check(name: &str, source: &str) {
    check_with(name, source, &CompileOptions::default());
}

fn check_with(name: &str, source: &str, options: &CompileOptions) {
    let path = format!("{}/tests/code/{name}.txt", env!("CARGO_MANIFEST_DIR"));
    let shown = listing(source, options);
    golden(path, &format!("{}\n\n{shown}", source.trim_end()));
}

const SCALARS: &str = "main subroutine f(inout real x, inout real32 s, inout integer n, inout int8 k, inout uint64 u, inout logical l)
  local real a, b
  local integer i
  local int32 w
  a := x*x + 2.0
  b := a - x*a
  a := b*x - 3.0*a
  x := a + b*0.5
  x := -x + sin(x)*exp(b)
  x := x**2 + x**n + x**a
  x := x/2.0 + 1.0/x
  x := max(x, min(a, b)) + abs(x) + sign(a, b)
  s := s*s + 2.0f
  s := real32(x) + sqrt(s)
  n := 2*n + 1 - mod(n, 3)
  n := n +% 1
  n := bitand(n, 7) + n*4
  k := k + int8(1)
  k := k -% int8(3)
  k := -int8(3)
  n := n*(-3)
  x := x*(-2.5) - (-n)
  u := u*u
  w := int32(n)
  n := int(w) + int(x)
  x := n + if(l, a, b)
  l := x < a and n == 3 or not l
  l := l and x <= b
end
";

const LOOPS: &str = "main subroutine f(in integer n, in integer m, inout real x, inout real y)
  local integer i, j, k
  for i = 1, n
    for j = i, n, 2
      x := x + y*x
    end
    for k = n, 1, -1
      y := y - x
    end
    for k = 1, n, m
      y := y + x
    end
  end
  i := 0
  while i < n and x > 0.0
    i := i + 1
    x := x*0.5
  end
  do
    x := x*2.0
  end while x < 10.0
  if x > y
    x := y
  else
    y := x
  end
  select n
  case 1
    x := 1.0
  case 2..5, 9
    x := 2.0
  case default
    x := 3.0
  end
end
";

const ARRAYS: &str = "main subroutine f(in integer n, inout real a[n], inout real b[n, 3] column, inout real c[4], inout integer p[n], inout real x)
  local integer i
  local real d[5]
  d := 0.0
  for i = 2, n - 1
    a[i] := a[i - 1] + 2.0*a[i + 1]
    b[i, 2] := b[i, 1]*x
    a[i] := a[i] + x
    a[i] := a[i] + b[i, 3]*x
    a[p[i]] := a[p[i]] - x*x
    x := x + a[i]*b[i, 1]
    d[3] := d[3] + x
    d[i + 1] := d[i + 1] - x
  end
  c[1:2] := 2.0*c[3:4]
  c := c + 1.0
  c := if(c > 0.0, c, -c)
  a := a*b[:, 1]
  a[1:n:2] := x
  x := sum(a*b[:, 2]) + maxval(c) + size(a)
  b[1:3, 1] := c[2:4]
end
";

const CALLS: &str = "global real G = 2.0
global real H[3]
global real K overlays H at 1
subroutine g(in real a, inout real b, in real v[:], out real w[2], optional in real o)
  uses G
  uses H
  b := a + v[1]*G
  w := H[2]
  if present(o)
    w[1] := o
    G := b
  end
end
function h(in real a, in integer k) result real r
  r := a*k
end
main subroutine f(in integer n, inout real x, inout real m[n, n], inout real t[3])
  local real y
  uses G
  y := call h(x, 3)
  call g(x, y, m[:, 1], t[1:2], absent)
  call g(2.0*x, t[3], m[1, :], t[1:2], y)
  x := y + G
  m[1, 1] := call h(m[1, 1], n)
end
";

const TAPES: &str = "main subroutine f(inout real x, inout real32 s, inout integer n, inout int16 k, inout logical l, inout real v[4], inout tape t)
  push[real] x*x on t
  push[real32] s on t
  push[integer] n + 1 on t
  push[control 1] l on t
  push[control 3] n on t
  push[control count] n on t
  push[real] v[1:3] on t
  push[integer] int(k) on t
  n := pop[integer] from t
  v[1:3] := pop[real] from t
  n := pop[control count] from t
  n := pop[control 3] from t
  l := pop[control 1] from t
  n := pop[integer] from t
  s := pop[real32] from t
  x := pop[real] from t
end
";

#[test]
fn scalars() {
    check("scalars", SCALARS);
}

#[test]
fn loops() {
    check("loops", LOOPS);
}

#[test]
fn arrays() {
    check("arrays", ARRAYS);
}

#[test]
fn calls() {
    check("calls", CALLS);
}

#[test]
fn tapes() {
    check("tapes", TAPES);
}

#[test]
fn what_runs_report() {
    let options = CompileOptions {
        trace: true,
        events: true,
        ..CompileOptions::default()
    };
    check_with("report", LOOPS, &options);
    check_with("report_scalars", SCALARS, &options);
}

#[test]
fn jumps() {
    check(
        "jumps",
        "general main subroutine f(in integer n, inout real x)
  local integer i
  i := 0
  label again
  x := x*x
  for i = 1, n
    x := x + 1.0
    if x > 100.0
      break
    end
  end
  if x < 1000.0
    goto again
  end
end
",
    );
}

/// Loops are nested deeper than counters are held in registers.
#[test]
fn deep_loops() {
    let heads: Vec<String> = (0..17).map(|k| format!("  for i{k} = 1, n\n")).collect();
    let indices: Vec<String> = (0..17).map(|k| format!("i{k}")).collect();
    let source = format!(
        "main subroutine f(in integer n, inout real x)\n  local integer {}\n{}  x := x*2.0\n{}end\n",
        indices.join(", "),
        heads.concat(),
        "  end\n".repeat(17)
    );
    check("deep_loops", &source);
}

/// Variables of inner loops are in registers, even if others are in the frame.
#[test]
fn variables_of_inner_loops_are_in_registers() {
    for used in [0..10, 145..155, 290..300] {
        let names: Vec<String> = (0..300).map(|k| format!("a{k}")).collect();
        let assigned = (0..300).map(|k| format!("  a{k} := x + {k}.0\n"));
        let assigned: String = assigned.collect();
        let inner: String = used.map(|k| format!("      x := x + a{k}*x\n")).collect();
        let read: String = (0..300).map(|k| format!("  x := x + a{k}\n")).collect();
        let source = format!(
            "main subroutine f(in integer n, inout real x)
  local integer i, j
  local real {}
{assigned}  for i = 1, n
    for j = 1, n
{inner}    end
  end
{read}end
",
            names.join(", "),
        );
        let shown = listing(&source, &CompileOptions::default());
        let lines: Vec<&str> = (shown.lines())
            .skip_while(|line| !line.contains("MulAdd"))
            .take_while(|line| !line.contains("LoopNext"))
            .filter(|line| !line.contains("vertex"))
            .collect();
        assert_eq!(lines.len(), 10, "{lines:?}");
        assert!(
            lines.iter().all(|line| line.contains("MulAdd")),
            "{lines:?}"
        );
    }
}

/// The listing has a line for each instruction, and [`Compiled::code_size`] counts these lines.
#[test]
fn listings_have_a_line_for_each_instruction() {
    let compiled = compiled(SCALARS, &CompileOptions::default());
    let routines = 0..compiled.inner.image.routines.len();
    let lines: Vec<String> = (routines.map(RoutineId::new))
        .flat_map(|r| {
            compiled
                .listing(r)
                .lines()
                .map(str::to_owned)
                .collect::<Vec<_>>()
        })
        .collect();
    assert_eq!(lines.len(), compiled.code_size());
    assert!(
        lines.last().is_some_and(|line| line.ends_with("Return")),
        "{lines:?}"
    );
    let shown = listing(SCALARS, &CompileOptions::default());
    assert!(
        lines
            .iter()
            .all(|line| shown.contains(line.trim_start().split_once("  ").map_or("", |l| l.1)))
    );
}

/// Statements for which there is a fused instruction get it; similar statements do not.
#[test]
fn statements_have_instructions_of_their_own() {
    for (statement, instruction, count) in [
        ("a := a + b", "IncNext", 1),
        ("a := b + a", "IncNext", 1),
        ("a := a - b", "IncNext", 1),
        ("a := b - a", "IncNext", 0),
        ("s := s + s", "IncNext", 0),
        ("a[1] := a[1] + b[2]", "Inc1", 1),
        ("a[1] := b[2] + a[1]", "Inc1", 1),
        ("a[1] := a[1] - b[2]", "Inc1", 1),
        ("a[1] := b[2] - a[1]", "Inc1", 0),
        ("s[1] := s[1] + s[2]", "Inc1", 0),
        ("m[1, 2] := m[1, 2] + a[1]", "Inc2", 1),
        ("a[1] := a[1] + b[1]*!b[2]", "IncStrong1", 1),
        ("a[1] := a[1] - b[1]*!b[2]", "IncStrong1", 0),
        ("m[1, 2] := m[1, 2] + b[1]*!b[2]", "IncStrong2", 1),
        ("m[k + 1, 2] := m[k + 1, 2] + b[1]*!b[2]", "IncStrong2", 0),
        ("k := size(a, 1)", " Extent", 1),
        ("k := size(a)", " Extent", 0),
        ("k := 7 + k", "AddConst", 1),
        ("k := k + 7", "AddConst", 1),
        ("k := k - 7", "AddConst", 1),
        ("k := 7 - k", "AddConst", 0),
        ("k := k + 2147483647", "AddConst", 1),
        ("k := k - 2147483647", "AddConst", 1),
        ("k := k + 2147483648", "AddConst", 0),
        ("k := k + (-2147483648)", "AddConst", 0),
        ("k := k - (-2147483648)", "AddConst", 0),
        ("if u == w\n  k := 1\n  end", "CmpU", 0),
        ("if u != w\n  k := 1\n  end", "CmpU", 0),
        ("if u < w\n  k := 1\n  end", "CmpU", 1),
        ("if u <= w\n  k := 1\n  end", "CmpU", 1),
    ] {
        let source = format!(
            "main subroutine f(in integer n, inout real a[n], inout real b[n], inout real32 s[n], inout real m[n, n], inout integer k, in uint64 u, in uint64 w)
  {statement}
end
"
        );
        let shown = listing(&source, &CompileOptions::default());
        let found = shown.matches(&format!("{instruction} {{")).count();
        assert_eq!(found, count, "{statement}\n{shown}");
    }
}

/// A condition tested on each pass has its constants in the registers that are reserved for loops.
#[test]
fn conditions_of_loops_have_their_constants_in_registers() {
    let factors: String = (2..18).map(|k| format!("  x := x*{k}.0\n")).collect();
    let source = format!(
        "main subroutine f(inout real x)\n{factors}  while x < 123.5\n  x := x + 0.5\n  end\nend\n"
    );
    let shown = listing(&source, &CompileOptions::default());
    // The constant is loaded once, before the first pass.
    assert_eq!(shown.matches(" Const {").count(), 1, "{shown}");
}

/// A parameter that lives in a register is loaded once, or set to "uninitialised" once.
#[test]
fn parameters_in_registers_begin_once() {
    let source = "main subroutine f(in real x, inout real a, out real y)
  y := x*a
end
";
    let shown = listing(source, &CompileOptions::default());
    let instructions: Vec<&str> = (shown.lines().map(str::trim_start))
        .filter(|line| line.starts_with(|c: char| c.is_ascii_digit()))
        .filter_map(|line| line.split(' ').nth(1))
        .collect();
    let expected = [
        "LoadFrame",
        "LoadAt",
        "Const",
        "MulF",
        "LoadFrame",
        "StoreAt",
        "LoadFrame",
        "StoreAt",
        "Return",
    ];
    assert_eq!(instructions, expected, "{shown}");
}
