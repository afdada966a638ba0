//! Routines that are not drawn statement by statement, as text: external functions, routines whose derivatives are given, and
//! routines that push and pop for themselves, which have tangents but no adjoints.

use super::build::INDEX_MAX;
use super::signature::{Formal, Returns, Shape, Signature};
use super::{Arithmetic, Options, chance};
use crate::rng::Rng;
use cfg_core::entity::RoutineId;
use cfg_core::ir::{Intent, Program, ScalarType};
use cfg_format::text;
use std::collections::BTreeSet;

/// Routines as text, and those of them that may be called.
#[derive(Default)]
pub(super) struct Given {
    text: String,
    signatures: Vec<Signature>,
    /// Number of routines.
    routines: usize,
}

fn scalar(ty: ScalarType, intent: Intent) -> Formal {
    Formal {
        ty,
        intent,
        shape: Shape::Scalar,
        range: match ty {
            ScalarType::Integer => (1, INDEX_MAX),
            _ => (0, 0),
        },
        optional: false,
    }
}

fn real(intent: Intent, shape: Shape) -> Formal {
    Formal {
        shape,
        ..scalar(ScalarType::Real, intent)
    }
}

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
subroutine turn(in integer n, inout real p0, in real p1)
  adjoint turn_b
  tangent turn_t
  p0 := p0*p1
  if n > 0
    call turn(n - 1, p0, p1)
  end
end

subroutine turn_t(in integer n, inout real p0, in real p1, inout real q0, in real q1)
  q0 := p1*q0 + p0*q1
  p0 := p0*p1
  if n > 0
    call turn_t(n - 1, p0, p1, q0, q1)
  end
end

subroutine turn_b(in integer n, in real p0, in real p1, inout real q0, inout real q1)
  local real s
  if n > 0
    s := p0*p1
    call turn_b(n - 1, s, p1, q0, q1)
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
  call keep(x + y, own)
  a := 1.0
  r := 1.0f
MARK
  w := pop[real]
  y := y + w
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

/// A parameter of `o = 2 o + p q + a p`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    P,
    Q,
    A,
    K,
    O,
}

impl Given {
    /// The routines that a program has.
    pub(super) fn drawn(rng: &mut Rng, options: &Options) -> Self {
        let mut given = Self::default();
        if rng.percent(options.externals) {
            given.external(rng, options);
        }
        if rng.percent(options.derivatives) {
            for number in 0..1 + rng.below(2) {
                given.statement(rng, number);
            }
            let value = || scalar(ScalarType::Real, Intent::In);
            let changed = scalar(ScalarType::Real, Intent::InOut);
            if rng.percent(40) {
                let depth = Formal {
                    range: (0, 2),
                    ..scalar(ScalarType::Integer, Intent::In)
                };
                let formals = vec![depth, changed.clone(), value()];
                given.add(TURNS, 3, 0, formals, Returns::Nothing, 12, false);
            }
            if rng.percent(40) {
                let aliased = rng.percent(50);
                let text = match aliased {
                    true => OPTIONAL.to_owned(),
                    false => OPTIONAL.replace("aliased ", ""),
                };
                let optional = Formal {
                    optional: true,
                    ..value()
                };
                let formals = vec![changed, value(), optional];
                given.add(&text, 3, 0, formals, Returns::Nothing, 4, aliased);
            }
        }
        if rng.percent(options.tapes) {
            let bits = *rng.pick(&["3", "7", "63"]).unwrap_or(&"3");
            let mark = if rng.percent(50) { "@3" } else { "" };
            let text = STACKS.replace("BITS", bits).replace("MARK", mark);
            let formals = vec![
                scalar(ScalarType::Real, Intent::In),
                scalar(ScalarType::Integer, Intent::In),
                scalar(ScalarType::Real, Intent::InOut),
            ];
            given.add(&text, 2, 1, formals, Returns::Nothing, 40, false);
        }
        given
    }

    /// The program of these routines, and what callers know of them.
    pub(super) fn program(self) -> (Program, Vec<Signature>) {
        if self.text.is_empty() {
            return (Program::default(), self.signatures);
        }
        let parsed = text::parse(&self.text);
        let program = parsed.program;
        let program = program.unwrap_or_else(|| panic!("{}\n{}", parsed.problems, self.text));
        (program, self.signatures)
    }

    /// Adds so many routines, of which the one at `called` may be called.
    #[expect(clippy::too_many_arguments, reason = "the parts of a signature")]
    fn add(
        &mut self,
        text: &str,
        routines: usize,
        called: usize,
        formals: Vec<Formal>,
        result: Returns,
        cost: u64,
        aliased: bool,
    ) {
        self.text.push_str(text);
        self.signatures.push(Signature {
            id: RoutineId::new(self.routines + called),
            formals,
            result,
            cost,
            reads: BTreeSet::new(),
            writes: BTreeSet::new(),
            aliased,
        });
        self.routines += routines;
    }

    /// An external function of two reals, or of a real, an array and an index, given by value and partials.
    fn external(&mut self, rng: &mut Rng, options: &Options) {
        let exact = options.arithmetic == Arithmetic::Exact;
        let arrays = chance(rng, options.external_arrays);
        let lower = rng.between(0, 1);
        let cell = ["a[k - 1]", "a[k]"][lower as usize];
        let (value, partials) = match (arrays, exact) {
            (false, true) => {
                let c = rng.between(1, 3);
                (
                    format!("u*v + {c}.0*u"),
                    Some([format!("v + {c}.0"), "u".to_owned()]),
                )
            }
            (false, false) => (
                "sin(u)*cos(v)".to_owned(),
                Some(["cos(u)*cos(v)", "-(sin(u)*sin(v))"].map(str::to_owned)),
            ),
            (true, _) => {
                let c = if exact { "2.0" } else { "0.25" };
                match rng.below(4) {
                    0 => (
                        format!("{c}*u*sum(a)*real(k)"),
                        Some([format!("{c}*sum(a)*real(k)"), format!("{c}*u*real(k)")]),
                    ),
                    1 => (
                        format!("{c}*u*sum(a*a)"),
                        Some([format!("{c}*sum(a*a)"), format!("2.0*{c}*u*a")]),
                    ),
                    2 => (format!("{c}*u*{cell}*{cell}"), None),
                    _ if exact => (format!("{cell}*u + sum(a)"), None),
                    _ => (format!("sin({cell}*u) + sum(a)"), None),
                }
            }
        };
        let (name, parameters, formals) = match arrays {
            false => ("v", "in real v".to_owned(), vec![]),
            true => (
                "a",
                format!("in real a[4 from {lower}], in integer k"),
                vec![
                    real(Intent::In, Shape::Explicit(vec![4])),
                    scalar(ScalarType::Integer, Intent::In),
                ],
            ),
        };
        let mut formals = formals;
        formals.insert(0, scalar(ScalarType::Real, Intent::In));
        if !arrays {
            formals.push(scalar(ScalarType::Real, Intent::In));
        }
        let mut text = format!(
            "external function given(in real u, {parameters}) result real w\n  value {value}\n"
        );
        // Without partials the value is differentiated.
        let left_out = rng.percent(options.declarations / 2);
        if let Some([first, second]) = partials.filter(|_| !left_out) {
            let mut lines = [
                format!("  partial u: {first}\n"),
                format!("  partial {name}: {second}\n"),
            ];
            if rng.percent(30) {
                lines.reverse();
            }
            text.push_str(&lines.concat());
        }
        text.push_str("end\n\n");
        let result = Returns::Scalar(ScalarType::Real);
        // What is only read may overlap.
        self.add(&text, 1, 0, formals, result, 1, arrays);
    }

    /// `o = 2 o + p q + a p` with its adjoint and its tangent by hand, all or some of it.
    fn statement(&mut self, rng: &mut Rng, number: usize) {
        let function = rng.percent(25);
        // The result is an array of four; the old value counts; the array has deferred extents.
        let wide = !function && rng.percent(40);
        let old = !function && rng.percent(70);
        let assumed = rng.percent(40);
        let mut parts = vec![Part::P];
        for part in [Part::Q, Part::A, Part::K] {
            if rng.percent(60) {
                parts.push(part);
            }
        }
        if !function {
            parts.push(Part::O);
        }
        rng.shuffle(&mut parts);
        let aliased = !function && old && rng.percent(60);
        let (adjoint, tangent) = (rng.percent(90), rng.percent(70));
        let has = |part| parts.contains(&part);
        let name = |part| match part {
            Part::P => "p",
            Part::Q => "q",
            Part::A => "a",
            Part::K => "k",
            Part::O if function => "f",
            Part::O => "o",
        };
        let dims = |part| match part {
            Part::A if assumed => "[:]",
            Part::A => "[4]",
            Part::O if wide => "[4]",
            Part::P | Part::Q | Part::K | Part::O => "",
        };
        let intent = |part| match part {
            Part::O if old => Intent::InOut,
            Part::O => Intent::Out,
            Part::P | Part::Q | Part::A | Part::K => Intent::In,
        };
        let word = |intent| match intent {
            Intent::In => "in",
            Intent::Out => "out",
            Intent::InOut => "inout",
        };
        let o = name(Part::O);
        // What the array contributes, of the original and of the derivative: itself, an element, or its sum.
        let array = |a: &str| match (wide, has(Part::K)) {
            (true, _) => a.to_owned(),
            (false, true) => format!("{a}[k]"),
            (false, false) => format!("sum({a})"),
        };
        let [a, ad] = ["a", "a_d"].map(array);
        let sum = |terms: [Option<String>; 3]| {
            let terms: Vec<String> = terms.into_iter().flatten().collect();
            terms.join(" + ")
        };
        let original = sum([
            old.then(|| format!("2.0*{o}")),
            Some(if has(Part::Q) { "p*q" } else { "3.0*p" }.to_owned()),
            has(Part::A).then(|| format!("{a}*p")),
        ]);
        let original = format!("  {o} := {original}\n");
        let tangents = sum([
            old.then(|| format!("2.0*{o}_d")),
            Some(
                if has(Part::Q) {
                    "p_d*q + p*q_d"
                } else {
                    "3.0*p_d"
                }
                .to_owned(),
            ),
            has(Part::A).then(|| format!("{ad}*p + {a}*p_d")),
        ]);
        let total = |e: String| if wide { format!("sum({e})") } else { e };
        let all = total(format!("{o}_b"));
        let mut adjoints = String::new();
        if has(Part::Q) {
            adjoints = format!("  q_b := q_b + p*{all}\n");
        }
        if has(Part::A) {
            let target = if !wide && has(Part::K) {
                "a_b[k]"
            } else {
                "a_b"
            };
            adjoints.push_str(&format!("  {target} := {target} + p*{o}_b\n"));
        }
        let own = sum([
            Some("p_b".to_owned()),
            Some(format!("{}*{all}", if has(Part::Q) { "q" } else { "3.0" })),
            has(Part::A).then(|| total(format!("{a}*{o}_b"))),
        ]);
        let left = if old {
            format!("2.0*{o}_b")
        } else {
            "0.0".to_owned()
        };
        adjoints.push_str(&format!("  p_b := {own}\n  {o}_b := {left}\n"));
        let mut text = String::new();
        for kind in 0..3 {
            let mut parameters = Vec::new();
            let mut forgotten = String::new();
            for &part in &parts {
                // A given routine may write what is not its own: that is forgotten.
                let intent = match (kind, part) {
                    (1, Part::O) if old && rng.percent(50) => Intent::In,
                    (1, Part::O) => Intent::InOut,
                    (1 | 2, Part::P | Part::Q) if rng.percent(30) => {
                        forgotten.push_str(&format!("  {} := -7.0\n", name(part)));
                        Intent::InOut
                    }
                    _ => intent(part),
                };
                let ty = if part == Part::K { "integer" } else { "real" };
                let declared = format!("{} {ty} {}{}", word(intent), name(part), dims(part));
                parameters.push(declared);
            }
            let suffix = ["", "_b", "_d"][kind];
            if kind > 0 {
                // Of the result an adjoint routine is told nothing.
                let result = ["inout", "out"][kind - 1];
                if function {
                    parameters.push(format!("{result} real f"));
                }
                for part in parts.iter().copied().filter(|&p| p != Part::K) {
                    let intent = if kind == 1 {
                        Intent::InOut
                    } else {
                        intent(part)
                    };
                    let (word, name, dims) = (word(intent), name(part), dims(part));
                    parameters.push(format!("{word} real {name}{suffix}{dims}"));
                }
                if function {
                    parameters.push(format!("{result} real f{suffix}"));
                }
            }
            let returned = function && kind == 0;
            let head = format!(
                "{}{} hand{number}{suffix}({}){}\n",
                if aliased { "aliased " } else { "" },
                if returned { "function" } else { "subroutine" },
                parameters.join(", "),
                if returned { " result real f" } else { "" },
            );
            text.push_str(&head);
            match kind {
                0 => {
                    if adjoint || !tangent {
                        text.push_str(&format!("  adjoint hand{number}_b\n"));
                    }
                    if tangent {
                        text.push_str(&format!("  tangent hand{number}_d\n"));
                    }
                    text.push_str(&original);
                }
                1 => text.push_str(&adjoints),
                _ => text.push_str(&format!("  {o}_d := {tangents}\n{original}")),
            }
            text.push_str(&forgotten);
            text.push_str("end\n\n");
        }
        let formals = parts.iter().map(|&part| match part {
            Part::K => scalar(ScalarType::Integer, Intent::In),
            Part::A if assumed => real(Intent::In, Shape::Assumed(4)),
            Part::A => real(Intent::In, Shape::Explicit(vec![4])),
            Part::O if wide => real(intent(part), Shape::Explicit(vec![4])),
            Part::P | Part::Q | Part::O => scalar(ScalarType::Real, intent(part)),
        });
        let result = match function {
            true => Returns::Scalar(ScalarType::Real),
            false => Returns::Nothing,
        };
        self.add(&text, 3, 0, formals.collect(), result, 8, aliased);
    }
}
