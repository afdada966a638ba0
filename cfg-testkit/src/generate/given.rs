//! Routines that are not drawn statement by statement, as text: external functions, routines whose derivatives are given, and
//! routines that push and pop for themselves, which have tangents but no adjoints.

use super::build::INDEX_MAX;
use super::signature::{Formal, Returns, Shape, Signature};
use super::{Arithmetic, Options, chance};
use crate::rng::Rng;
use cfg_core::entity::RoutineId;
use cfg_core::ir::{Dim, Extent, Intent, Program, Role, Routine, ScalarType};
use cfg_format::text;
use std::collections::{BTreeSet, HashSet};
use std::fmt::Write as _;

/// A routine with an optional parameter, whose derivatives are given. The adjoint reads and zeroes that of what is assigned first, as it
/// must where parameters may overlap.
const OPTIONAL: &str = "
aliased subroutine pick(inout real p0, in real p1, optional in real p2)
  adjoint pick_b
  tangent pick_t
  if present(p2)
    p0 := (2.0*p0 + p1*p1)*p2
  else
    p0 := 2.0*p0 + p1*p1
  end
end

aliased subroutine pick_t(inout real p0, in real p1, optional in real p2, inout real q0, in real q1, optional in real q2)
  if present(p2)
    q0 := (2.0*q0 + 2.0*p1*q1)*p2 + (2.0*p0 + p1*p1)*q2
    p0 := (2.0*p0 + p1*p1)*p2
  else
    q0 := 2.0*q0 + 2.0*p1*q1
    p0 := 2.0*p0 + p1*p1
  end
end

aliased subroutine pick_b(in real p0, in real p1, optional in real p2, inout real q0, inout real q1, optional inout real q2)
  local real s
  s := q0
  q0 := 0.0
  if present(p2)
    q2 := q2 + (2.0*p0 + p1*p1)*s
    s := p2*s
  end
  q1 := q1 + 2.0*p1*s
  q0 := q0 + 2.0*s
end
";

/// A routine that calls itself, with derivatives that do.
const TURNS: &str = "
subroutine turn(in integer depth, inout real p0, in real p1)
  adjoint turn_b
  tangent turn_t
  p0 := p0*p1
  if depth > 0
    call turn(depth - 1, p0, p1)
  end
end

subroutine turn_t(in integer depth, inout real p0, in real p1, inout real q0, in real q1)
  q0 := p1*q0 + p0*q1
  p0 := p0*p1
  if depth > 0
    call turn_t(depth - 1, p0, p1, q0, q1)
  end
end

subroutine turn_b(in integer depth, in real p0, in real p1, inout real q0, inout real q1)
  local real s
  if depth > 0
    s := p0*p1
    call turn_b(depth - 1, s, p1, q0, q1)
  end
  q1 := q1 + p0*q0
  q0 := p1*q0
end
";

/// A routine with a tape of its own, and one that it hands the tape to.
const STACKS: &str = "
subroutine keep(in real x, inout tape stack)
  push[real] 2.0*x
end

subroutine stacked(in real x, in integer n, inout real y)
  local tape own
  local real w, a[3]
  local integer k
  local logical b
  local real32 r
  a := x
  push[real] a
  push[integer] n
  push[control BITS] n
  push[control count] n
  push[control 1] x > 0.0
  r := real32(x)
  push[real32] r
  push[disk] n
  push[disk] a
  push[disk] x > 0.0
  call keep(x + y, own)
  a := 1.0
  r := 1.0f
MARK
  w := pop[real]
  b := pop[disk]
  y := y + w
  a := pop[disk]
  y := y + sum(a)
  k := pop[disk]
  r := pop[real32]
  y := y + real(r)
  b := pop[control 1]
  k := pop[control count]
  k := pop[control BITS]
  k := pop[integer]
  a := pop[real]
  y := y + sum(a)
end
";

/// A program of the routines that are given, and what the callers of some of them know.
pub(super) fn given(rng: &mut Rng, options: &Options) -> (Program, Vec<Signature>) {
    let mut source = String::new();
    if rng.percent(options.externals) {
        source.push_str(&external(rng, options));
    }
    if rng.percent(options.derivatives) {
        for number in 0..1 + rng.below(2) {
            source.push_str(&statement(rng, number));
        }
        if rng.percent(40) {
            source.push_str(TURNS);
        }
        if rng.percent(40) {
            match rng.percent(50) {
                true => source.push_str(OPTIONAL),
                false => source.push_str(&OPTIONAL.replace("aliased ", "")),
            }
        }
    }
    if rng.percent(options.tapes) {
        let bits = *rng.pick(&["3", "7", "63"]).unwrap_or(&"3");
        let mark = if rng.percent(50) { "@3" } else { "" };
        source.push_str(&STACKS.replace("BITS", bits).replace("MARK", mark));
    }
    if source.is_empty() {
        return Default::default();
    }
    let parsed = text::parse(&source);
    let program = parsed.program;
    let program = program.unwrap_or_else(|| panic!("{}\n{source}", parsed.problems));
    let routines = program.routines.iter();
    let derivatives = routines.filter_map(|r| r.derivatives.as_deref());
    let derivatives: HashSet<RoutineId> = derivatives
        .flat_map(|d| d.adjoint.into_iter().chain(d.tangent))
        .collect();
    let called = (0..).map(RoutineId::new).zip(&program.routines);
    let called = called.filter(|(id, r)| {
        let mut parameters = r.parameter_ids().map(|p| r.variable(p));
        !derivatives.contains(id) && !parameters.any(|v| v.ty.is_tape())
    });
    let signatures = called.map(|(id, r)| signature(id, r)).collect();
    (program, signatures)
}

/// What callers know of a routine that is given. Arrays have four elements.
fn signature(id: RoutineId, routine: &Routine) -> Signature {
    let formals = routine.parameter_ids().map(|p| {
        let v = routine.variable(p);
        let deferred = |d: &Dim| d.extent == Extent::Deferred;
        Formal {
            ty: v.ty,
            intent: v.intent().unwrap_or(Intent::In),
            shape: match v.shape.first() {
                None => Shape::Scalar,
                Some(dim) if deferred(dim) => Shape::Assumed(4),
                Some(_) => Shape::Explicit(vec![4]),
            },
            range: match v.ty {
                ScalarType::Integer if v.name == "depth" => (0, 2),
                ScalarType::Integer => (1, INDEX_MAX),
                _ => (0, 0),
            },
            optional: matches!(v.role, Role::Parameter { optional: true, .. }),
        }
    });
    let result = routine.result.map(|v| routine.variable(v).ty);
    Signature {
        id,
        formals: formals.collect(),
        result: result.map_or(Returns::Nothing, Returns::Scalar),
        cost: 1 + 3 * routine.statements().count() as u64,
        reads: BTreeSet::new(),
        writes: BTreeSet::new(),
        // Arguments that are only read may overlap.
        aliased: routine.aliased || routine.external.is_some(),
    }
}

/// An external function of two reals, or of a real, an array and an index, given by value and partials.
fn external(rng: &mut Rng, options: &Options) -> String {
    let exact = options.arithmetic == Arithmetic::Exact;
    let arrays = chance(rng, options.external_arrays);
    let lower = usize::from(arrays && rng.percent(50));
    let cell = ["a[k - 1]", "a[k]"][lower];
    let c = match exact {
        true => format!("{}.0", rng.between(1, 3)),
        false => "0.25".to_owned(),
    };
    let which = if arrays { rng.below(4) } else { 4 };
    let (value, partials) = match which {
        0 => (
            format!("{c}*u*sum(a)*real(k)"),
            Some([format!("{c}*sum(a)*real(k)"), format!("{c}*u*real(k)")]),
        ),
        1 => (
            format!("{c}*u*sum(a*a)"),
            Some([format!("{c}*sum(a*a)"), format!("2.0*{c}*u*a")]),
        ),
        2 => (format!("{c}*u*{cell}*{cell}"), None),
        3 if exact => (format!("{cell}*u + sum(a)"), None),
        3 => (format!("sin({cell}*u) + sum(a)"), None),
        _ if exact => (
            format!("u*a + {c}*u"),
            Some([format!("a + {c}"), "u".to_owned()]),
        ),
        _ => (
            "sin(u)*cos(a)".to_owned(),
            Some(["cos(u)*cos(a)", "-(sin(u)*sin(a))"].map(str::to_owned)),
        ),
    };
    let second = match arrays {
        true => format!("a[4 from {lower}], in integer k"),
        false => "a".to_owned(),
    };
    let mut text = format!(
        "external function given(in real u, in real {second}) result real w\n  value {value}\n"
    );
    let reversed = rng.percent(30);
    // Without partials the value is differentiated.
    let left_out = rng.percent((options.declarations / 2).min(40));
    if let Some([u, a]) = partials.filter(|_| !left_out) {
        let mut lines = [format!("  partial u: {u}\n"), format!("  partial a: {a}\n")];
        if reversed {
            lines.reverse();
        }
        text.push_str(&lines.concat());
    }
    text + "end\n\n"
}

/// A routine of one statement, `o = 2 o + p q + a p` or a part of it, with its adjoint and its tangent by hand, both or one.
fn statement(rng: &mut Rng, number: usize) -> String {
    let function = rng.percent(25);
    // The result is an array of four; the old value counts; the array has deferred extents.
    let wide = !function && rng.percent(40);
    let old = !function && rng.percent(70);
    let deferred = rng.percent(40);
    let [q, a, k] = [0; 3].map(|_| rng.percent(60));
    let mut parts = vec!["p"];
    parts.extend(
        [(q, "q"), (a, "a"), (k, "k"), (!function, "o")]
            .map(|(is, name)| is.then_some(name))
            .into_iter()
            .flatten(),
    );
    rng.shuffle(&mut parts);
    let aliased = !function && old && rng.percent(60);
    let (adjoint, tangent) = (rng.percent(90), rng.percent(70));
    let dims = |part| match part {
        "a" if deferred => "[:]",
        "a" => "[4]",
        "o" if wide => "[4]",
        _ => "",
    };
    let intent = |part| match part {
        "o" if old => "inout",
        "o" => "out",
        _ => "in",
    };
    let o = if function { "f" } else { "o" };
    // What the array contributes, of the original and of the derivative: itself, an element, or its sum.
    let array = |a: &str| match (wide, k) {
        (true, _) => a.to_owned(),
        (false, true) => format!("{a}[k]"),
        (false, false) => format!("sum({a})"),
    };
    let total = |e: String| if wide { format!("sum({e})") } else { e };
    let sum = |terms: [(bool, String); 3]| {
        let terms = terms
            .into_iter()
            .filter(|(is, _)| *is)
            .map(|(_, term)| term);
        terms.collect::<Vec<_>>().join(" + ")
    };
    let either = |yes: &str, no: &str| if q { yes } else { no }.to_owned();
    let original = sum([
        (old, format!("2.0*{o}")),
        (true, either("p*q", "3.0*p")),
        (a, format!("{}*p", array("a"))),
    ]);
    let tangents = sum([
        (old, format!("2.0*{o}_d")),
        (true, either("p_d*q + p*q_d", "3.0*p_d")),
        (a, format!("{}*p + {}*p_d", array("a_d"), array("a"))),
    ]);
    let seed = total(format!("{o}_b"));
    let own = sum([
        (true, "p_b".to_owned()),
        (true, format!("{}*{seed}", either("q", "3.0"))),
        (a, total(format!("{}*{o}_b", array("a")))),
    ]);
    let original = format!("  {o} := {original}\n");
    let mut adjoints = String::new();
    if q {
        let _ = writeln!(adjoints, "  q_b := q_b + p*{seed}");
    }
    if a {
        let target = if !wide && k { "a_b[k]" } else { "a_b" };
        let _ = writeln!(adjoints, "  {target} := {target} + p*{o}_b");
    }
    let left = if old {
        format!("2.0*{o}_b")
    } else {
        "0.0".to_owned()
    };
    let _ = writeln!(adjoints, "  p_b := {own}\n  {o}_b := {left}");
    let mut head = String::new();
    if adjoint || !tangent {
        let _ = writeln!(head, "  adjoint hand{number}_b");
    }
    if tangent {
        let _ = writeln!(head, "  tangent hand{number}_d");
    }
    let bodies = [
        ("", format!("{head}{original}")),
        ("_b", adjoints),
        ("_d", format!("  {o}_d := {tangents}\n{original}")),
    ];
    let mut text = String::new();
    for (suffix, body) in bodies {
        let mut parameters = Vec::new();
        let mut forgotten = String::new();
        for &part in &parts {
            // A given routine may write what is not its own: that is forgotten.
            let intent = match (suffix, part) {
                ("_b", "o") if old && rng.percent(50) => "in",
                ("_b", "o") => "inout",
                ("_b" | "_d", "p" | "q") if rng.percent(30) => {
                    let _ = writeln!(forgotten, "  {part} := -7.0");
                    "inout"
                }
                _ => intent(part),
            };
            let ty = if part == "k" { "integer" } else { "real" };
            parameters.push(format!("{intent} {ty} {part}{}", dims(part)));
        }
        if !suffix.is_empty() {
            // Of the result an adjoint routine is told nothing.
            let result = if suffix == "_b" { "inout" } else { "out" };
            parameters.extend(function.then(|| format!("{result} real f")));
            for &part in parts.iter().filter(|&&part| part != "k") {
                let intent = if suffix == "_b" {
                    "inout"
                } else {
                    intent(part)
                };
                parameters.push(format!("{intent} real {part}{suffix}{}", dims(part)));
            }
            parameters.extend(function.then(|| format!("{result} real f{suffix}")));
        }
        let (kind, result) = match function && suffix.is_empty() {
            true => ("function", " result real f"),
            false => ("subroutine", ""),
        };
        let aliased = if aliased { "aliased " } else { "" };
        let parameters = parameters.join(", ");
        let _ = writeln!(
            text,
            "{aliased}{kind} hand{number}{suffix}({parameters}){result}\n{body}{forgotten}end\n"
        );
    }
    text
}
