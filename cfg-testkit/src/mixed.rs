//! Random programs, as text, whose routines have any control flow, call each other and share globals.
//! [`crate::generate`] has calls and globals in structured routines only, [`crate::general`] has neither.
//!
//! Globals of all types lie in one storage under several names, and few routines name many of them. Routines jump out of loops and
//! back, return early, call themselves, are `aliased` with arguments that overlap, also integers that decide, take optional arguments
//! and sections that run backwards, return arrays, have arrays as long as a parameter says, and statements after which a variable is
//! unknown. In half of the programs there are records: as globals, locals, parameters and results, alone and in arrays, whole and field
//! by field, and in half of them statements that stop the program where no run comes. Some have external functions of arrays, and
//! routines whose derivatives are given, with an optional argument or calls of themselves. Integers are 1 to 3, so subscripts are in bounds; loops count, or use up fuel; reals stay small.

use crate::{
    case::{Case, Datum, Elements},
    interpret::Limits,
    rng::Rng,
};
use cfg_core::{entity::VarId, validate::validate};
use cfg_format::text;
use std::fmt::Write as _;

/// A routine with an optional parameter, whose derivatives are given. The adjoint first reads and zeroes the adjoint
/// of the assigned variable, as it must where parameters may overlap.
const OPTIONAL: &str = "
aliased subroutine hand(in integer n, inout real p0, in real p1, optional in real p2)
  adjoint hand_b
  tangent hand_t
  if present(p2)
    p0 := (0.5*p0 + 0.4*p1*p1)*p2
  else
    p0 := 0.5*p0 + 0.4*p1*p1
  end
end

aliased subroutine hand_t(in integer n, inout real p0, in real p1, optional in real p2, inout real q0, in real q1, optional in real q2)
  if present(p2)
    q0 := (0.5*q0 + 0.8*p1*q1)*p2 + (0.5*p0 + 0.4*p1*p1)*q2
    p0 := (0.5*p0 + 0.4*p1*p1)*p2
  else
    q0 := 0.5*q0 + 0.8*p1*q1
    p0 := 0.5*p0 + 0.4*p1*p1
  end
end

aliased subroutine hand_b(in integer n, in real p0, in real p1, optional in real p2, inout real q0, inout real q1, optional inout real q2)
  local real s
  s := q0
  q0 := 0.0
  if present(p2)
    q2 := q2 + (0.5*p0 + 0.4*p1*p1)*s
    s := p2*s
  end
  q1 := q1 + 0.8*p1*s
  q0 := q0 + 0.5*s
end

";

/// A routine that calls itself, with derivatives that do.
const TURNS: &str = "
subroutine turn(in integer n, inout real p0, in real p1)
  adjoint turn_b
  tangent turn_t
  p0 := sin(p0)*p1
  if n > 0
    call turn(n - 1, p0, p1)
  end
end

subroutine turn_t(in integer n, inout real p0, in real p1, inout real q0, in real q1)
  q0 := cos(p0)*p1*q0 + sin(p0)*q1
  p0 := sin(p0)*p1
  if n > 0
    call turn_t(n - 1, p0, p1, q0, q1)
  end
end

subroutine turn_b(in integer n, in real p0, in real p1, inout real q0, inout real q1)
  local real s
  if n > 0
    s := sin(p0)*p1
    call turn_b(n - 1, s, p1, q0, q1)
  end
  q1 := q1 + sin(p0)*q0
  q0 := cos(p0)*p1*q0
end

";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Real,
    Integer,
    Logical,
    /// A record with a real `x`, an integer `k` and three reals `v`.
    Record,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Self::Real => "real",
            Self::Integer => "integer",
            Self::Logical => "logical",
            Self::Record => "record Pair",
        }
    }
}

/// Where a variable lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Home {
    Local,
    Parameter,
    Global,
}

/// A variable of the routine that is being written, or a field of one.
#[derive(Clone, Debug)]
struct Variable {
    /// The text before the subscripts.
    name: String,
    /// The text behind the subscripts: the field, for an array of records.
    field: String,
    kind: Kind,
    /// Lower bound and extent, of an array.
    shape: Option<(i64, i64)>,
    /// It may be assigned.
    written: bool,
    home: Home,
}

/// A parameter besides the number of calls that are left, which is the first one. Arrays have three elements.
#[derive(Clone, Debug)]
struct Parameter {
    kind: Kind,
    array: bool,
    written: bool,
    optional: bool,
}

impl Parameter {
    fn scalar(kind: Kind) -> Self {
        Self {
            kind,
            array: false,
            written: false,
            optional: false,
        }
    }
}

impl Variable {
    /// True if it is a variable, not a field.
    fn is_whole(&self) -> bool {
        self.field.is_empty() && !self.name.contains('.')
    }
}

/// True of names of which one is the other, or a field of it.
fn overlap(a: &str, b: &str) -> bool {
    let is_field = |part: &str, of: &str| {
        let rest = part.strip_prefix(of);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    is_field(a, b) || is_field(b, a)
}

/// The kind of a function's result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Returned {
    Nothing,
    Scalar,
    Array,
    Record,
}

/// A routine as its callers know it.
#[derive(Clone, Debug)]
struct Callee {
    name: String,
    aliased: bool,
    parameters: Vec<Parameter>,
    returned: Returned,
}

struct Writer {
    rng: Rng,
    out: String,
    /// Records are drawn.
    records: bool,
    /// Statements that stop the program are drawn.
    stops: bool,
    globals: Vec<Variable>,
    callees: Vec<Callee>,
    /// The number of callees, at the front of the list, whose bodies are not drawn: every routine may call them.
    given: usize,
    /// The routine that is being written, if it may call itself.
    own: Option<Callee>,
    variables: Vec<Variable>,
    lines: String,
    indent: usize,
    general: bool,
    aliased: bool,
    loops: usize,
    labels: usize,
    /// Statements that may still be written.
    left: usize,
}

/// The case of a seed.
///
/// # Panics
/// The generator is wrong: its text is no program, or none of a hundred programs runs.
pub fn generate(seed: u64) -> Case {
    let mut rng = Rng::new(seed ^ 0x6d69_7865_6400);
    let limits = Limits {
        fuel: 20_000,
        ..Limits::default()
    };
    for _ in 0..100 {
        let source = source(&mut rng);
        let parsed = text::parse(&source);
        let Some(program) = parsed.program else {
            panic!("seed {seed}: {}\n{source}", parsed.problems)
        };
        let main = program.main.expect("one is marked");
        let parameters: Vec<VarId> = program.routine(main).parameter_ids().collect();
        let &[n, x, v, y, z] = &parameters[..] else {
            panic!("seed {seed}: {} parameters", parameters.len())
        };
        let mut reals = |count: usize, low: f64| -> Vec<f64> {
            let mut real = || (rng.real(low, 1.0) * 1024.0).round() / 1024.0;
            (0..count).map(|_| real()).collect()
        };
        let datum = |extents: &[usize], elements| Datum {
            extents: extents.to_vec(),
            elements,
        };
        let point = vec![
            (n, datum(&[], Elements::Integer(vec![2]))),
            (x, datum(&[], Elements::Real(reals(1, 0.1)))),
            (v, datum(&[3], Elements::Real(reals(3, 0.1)))),
            (y, datum(&[], Elements::Real(reals(1, 0.1)))),
            (z, datum(&[3], Elements::Real(reals(3, 0.1)))),
        ];
        let direction = [(x, 1), (v, 3), (y, 1), (z, 3)];
        let direction = direction.map(|(v, count)| (v, reals(count, -1.0)));
        let weights = [(y, 1), (z, 3)].map(|(v, count)| (v, reals(count, -1.0)));
        let case = Case {
            program,
            main,
            point,
            direction: direction.into(),
            seed: weights.into(),
        };
        if validate(case.program.clone()).is_ok() && case.run(limits).is_ok() {
            return case;
        }
    }
    panic!("seed {seed}: nothing runs");
}

fn source(rng: &mut Rng) -> String {
    let mut writer = Writer {
        rng: rng.clone(),
        out: String::new(),
        records: false,
        stops: false,
        globals: Vec::new(),
        callees: Vec::new(),
        given: 0,
        own: None,
        variables: Vec::new(),
        lines: String::new(),
        indent: 1,
        general: false,
        aliased: false,
        loops: 0,
        labels: 0,
        left: 0,
    };
    writer.records = writer.rng.percent(50);
    writer.stops = writer.rng.percent(50);
    writer.globals();
    writer.external();
    writer.given();
    let leaves = 2 + writer.rng.below(3);
    for k in 0..leaves {
        writer.routine(&format!("leaf{k}"), false);
    }
    for k in 0..1 + writer.rng.below(3) {
        writer.routine(&format!("outer{k}"), true);
    }
    writer.main();
    *rng = writer.rng;
    writer.out
}

impl Writer {
    /// The percentage, or 0 in programs without records.
    fn of_records(&self, percent: usize) -> usize {
        match self.records {
            true => percent,
            false => 0,
        }
    }

    fn global(&mut self, name: &str, kind: Kind, shape: Option<(i64, i64)>, rest: &str) {
        let dims = match shape {
            Some((1, n)) => format!("[{n}]"),
            Some((lower, n)) => format!("[{n} from {lower}]"),
            None => String::new(),
        };
        let _ = writeln!(self.out, "global {} {name}{dims}{rest}", kind.name());
        self.globals.push(Variable {
            name: name.to_owned(),
            field: String::new(),
            kind,
            shape,
            written: true,
            home: Home::Global,
        });
    }

    fn globals(&mut self) {
        if self.records {
            self.out
                .push_str("record Pair\n  real x\n  integer k\n  real v[3]\nend\n\n");
        }
        let lower = *self.rng.pick(&[1, 1, 0, -2]).unwrap_or(&1);
        let six = Some((lower, 6));
        let values = " = 0.3, 0.7, 0.5, 0.8, 0.4, 0.6";
        self.global("ra", Kind::Real, six, values);
        for (name, n) in [("rb", 3), ("rs", 1), ("rt", 1)] {
            if self.rng.percent(70) {
                let rest = format!(" overlays ra at {}", self.rng.between(0, 6 - n));
                let shape = (n > 1).then(|| (self.rng.between(0, 1), n));
                self.global(name, Kind::Real, shape, &rest);
            }
        }
        if self.rng.percent(70) {
            self.global("ia", Kind::Integer, Some((1, 4)), " = 2, 1, 3, 2");
            for (name, n) in [("ib", 2), ("is", 1), ("it", 1)] {
                if self.rng.percent(60) {
                    let rest = format!(" overlays ia at {}", self.rng.between(0, 4 - n));
                    let shape = (n > 1).then_some((1, n));
                    self.global(name, Kind::Integer, shape, &rest);
                }
            }
        }
        if self.rng.percent(40) {
            self.global("la", Kind::Logical, Some((1, 2)), " = true, false");
            let rest = format!(" overlays la at {}", self.rng.below(2));
            self.global("ls", Kind::Logical, None, &rest);
        }
        if self.rng.percent(self.of_records(60)) {
            self.global("rp", Kind::Record, None, " = 0.4, 2, 0.6");
        }
        if self.rng.percent(self.of_records(40)) {
            let three = Some((self.rng.between(0, 1), 3));
            self.global("rq", Kind::Record, three, " = 0.7, 3, 0.2");
        }
    }

    /// External functions of a real, three reals and an integer. Some have partials; of the others the value is differentiated.
    fn external(&mut self) {
        for k in 0..self.rng.below(3) {
            let lower = self.rng.between(0, 1);
            let dims = if lower == 0 { "3 from 0" } else { "3" };
            let cell = match lower {
                0 => "p1[p2 - 1]",
                _ => "p1[p2]",
            };
            let (value, partials) = match self.rng.below(4) {
                0 => (
                    "0.1*p0*sum(p1)*real(p2)".to_owned(),
                    Some(["0.1*sum(p1)*real(p2)", "0.1*p0*real(p2)"]),
                ),
                1 => (
                    "0.3*p0*sum(p1*p1)".to_owned(),
                    Some(["0.3*sum(p1*p1)", "0.6*p0*p1"]),
                ),
                2 => (format!("0.5*p0*{cell}*{cell}"), None),
                _ => (format!("0.5*sin({cell}*p0) + 0.2*sum(p1)"), None),
            };
            let _ = writeln!(
                self.out,
                "external function ext{k}(in integer n, in real p0, in real p1[{dims}], in integer p2) result real r
  value {value}"
            );
            // The value says the same as the partials.
            if let Some([first, second]) = partials
                && self.rng.percent(60)
            {
                let _ = writeln!(self.out, "  partial p0: {first}\n  partial p1: {second}");
            }
            self.out.push_str("end\n\n");
            let parameters = vec![
                Parameter::scalar(Kind::Real),
                Parameter {
                    array: true,
                    ..Parameter::scalar(Kind::Real)
                },
                Parameter::scalar(Kind::Integer),
            ];
            // Arguments that are only read may overlap.
            self.callees.push(Callee {
                name: format!("ext{k}"),
                aliased: true,
                parameters,
                returned: Returned::Scalar,
            });
        }
    }

    /// Routines whose derivatives are given.
    fn given(&mut self) {
        let first = Parameter {
            written: true,
            ..Parameter::scalar(Kind::Real)
        };
        let mut parameters = vec![first, Parameter::scalar(Kind::Real)];
        if self.rng.percent(25) {
            self.out.push_str(TURNS);
            self.callees.push(Callee {
                name: "turn".to_owned(),
                aliased: false,
                parameters: parameters.clone(),
                returned: Returned::Nothing,
            });
        }
        if self.rng.percent(25) {
            let aliased = self.rng.percent(50);
            match aliased {
                true => self.out.push_str(OPTIONAL),
                false => self.out.push_str(&OPTIONAL.replace("aliased ", "")),
            }
            parameters.push(Parameter {
                optional: true,
                ..Parameter::scalar(Kind::Real)
            });
            self.callees.push(Callee {
                name: "hand".to_owned(),
                aliased,
                parameters,
                returned: Returned::Nothing,
            });
        }
        self.given = self.callees.len();
    }

    fn line(&mut self, line: &str) {
        for _ in 0..self.indent {
            self.lines.push_str("  ");
        }
        self.lines.push_str(line);
        self.lines.push('\n');
    }

    fn add(&mut self, name: &str, kind: Kind, shape: Option<(i64, i64)>, home: Home) {
        self.put(Variable {
            name: name.to_owned(),
            field: String::new(),
            kind,
            shape,
            written: true,
            home,
        });
    }

    /// A variable that may be used, and each field of a record beside it. Of the arrays in an array of records one element is used.
    fn put(&mut self, variable: Variable) {
        if variable.kind == Kind::Record {
            for (field, kind) in [("x", Kind::Real), ("k", Kind::Integer), ("v", Kind::Real)] {
                let mut part = Variable {
                    kind,
                    ..variable.clone()
                };
                match (variable.shape, field) {
                    (None, _) => {
                        part.name = format!("{}.{field}", variable.name);
                        part.shape = (field == "v").then_some((1, 3));
                    }
                    (Some(_), "v") => part.field = format!(".v[{}]", self.rng.between(1, 3)),
                    (Some(_), _) => part.field = format!(".{field}"),
                }
                self.variables.push(part);
            }
        }
        self.variables.push(variable);
    }

    /// Begins a body: locals, and the globals that the routine uses, each with a chance. The declarations.
    fn begin(&mut self, chance: usize) -> String {
        self.general = self.rng.percent(45);
        self.lines.clear();
        self.loops = 0;
        let used = self.globals.clone();
        let used = used.into_iter().filter(|_| self.rng.percent(chance));
        let used: Vec<Variable> = used.collect();
        let names: Vec<&str> = used.iter().map(|g| &*g.name).collect();
        let mut declared = match names.is_empty() {
            true => String::new(),
            false => format!("  uses {}\n", names.join(", ")),
        };
        for global in &used {
            self.put(global.clone());
        }
        declared.push_str("  local real t, w[3]\n  local integer k, i0, i1, fuel0, fuel1\n");
        self.add("t", Kind::Real, None, Home::Local);
        self.add("w", Kind::Real, Some((1, 3)), Home::Local);
        self.add("k", Kind::Integer, None, Home::Local);
        self.line("t := 0.5");
        self.line("w := 0.3");
        self.line("k := 2");
        if self.rng.percent(self.of_records(70)) {
            declared.push_str("  local record Pair a, b[3]\n");
            self.add("a", Kind::Record, None, Home::Local);
            self.add("b", Kind::Record, Some((1, 3)), Home::Local);
            for line in ["a.x := 0.4", "a.k := 2", "a.v := 0.7"] {
                self.line(line);
            }
            for line in ["b.x := 0.6", "b.k := 1", "b.v := 0.9*t"] {
                self.line(line);
            }
        }
        declared
    }

    fn routine(&mut self, name: &str, calls: bool) {
        self.variables.clear();
        self.aliased = self.rng.percent(35);
        let mut parameters = vec![Parameter {
            kind: Kind::Real,
            array: false,
            written: true,
            optional: false,
        }];
        for (kind, array, optional, chance) in [
            (Kind::Real, true, false, 50),
            (Kind::Integer, false, false, 40),
            (Kind::Integer, false, false, 20),
            (Kind::Real, false, false, 30),
            (Kind::Record, false, false, self.of_records(50)),
            (Kind::Record, false, false, self.of_records(25)),
            (Kind::Record, true, false, self.of_records(30)),
            (Kind::Real, false, true, 20),
            (Kind::Record, false, true, self.of_records(20)),
        ] {
            if self.rng.percent(chance) {
                parameters.push(Parameter {
                    kind,
                    array,
                    written: self.rng.percent(60),
                    optional,
                });
            }
        }
        let mut head = "in integer n".to_owned();
        for (k, p) in parameters.iter().enumerate() {
            let lower = self.rng.between(0, 1);
            let (dims, shape) = match (p.array, self.rng.below(3)) {
                (false, _) => ("", None),
                (true, 0) => ("[:]", Some((1, 3))),
                (true, _) if lower == 0 => ("[3 from 0]", Some((0, 3))),
                (true, _) => ("[3]", Some((1, 3))),
            };
            let optional = if p.optional { "optional " } else { "" };
            let intent = if p.written { "inout" } else { "in" };
            let kind = p.kind.name();
            let _ = write!(head, ", {optional}{intent} {kind} p{k}{dims}");
            if !p.optional {
                self.put(Variable {
                    name: format!("p{k}"),
                    field: String::new(),
                    kind: p.kind,
                    shape,
                    written: p.written,
                    home: Home::Parameter,
                });
            }
        }
        let returned = match self.rng.below(7) {
            0 => Returned::Scalar,
            1 => Returned::Array,
            2 if self.records => Returned::Record,
            _ => Returned::Nothing,
        };
        let chance = *self.rng.pick(&[0, 10, 40]).unwrap_or(&0);
        let mut declared = self.begin(if calls { chance } else { 25 });
        let extent = (parameters.iter()).position(|p| p.kind == Kind::Integer && !p.written);
        let extent = extent.filter(|_| self.rng.percent(50));
        if let Some(k) = extent {
            let _ = writeln!(declared, "  local real d[p{k}]");
            self.line("d := 0.4*p0");
        }
        let result = match returned {
            Returned::Nothing => "",
            Returned::Scalar => " result real r",
            Returned::Array => " result real r[3]",
            Returned::Record => " result record Pair r",
        };
        match returned {
            Returned::Nothing => {}
            Returned::Scalar | Returned::Array => {
                let shape = (returned == Returned::Array).then_some((1, 3));
                self.add("r", Kind::Real, shape, Home::Local);
                self.line("r := 0.4");
            }
            Returned::Record => {
                self.add("r", Kind::Record, None, Home::Local);
                for line in ["r.x := 0.3", "r.k := 3", "r.v := 0.5*p0"] {
                    self.line(line);
                }
            }
        }
        let callee = Callee {
            name: name.to_owned(),
            aliased: self.aliased,
            parameters,
            returned,
        };
        let all = self.callees.clone();
        if !calls {
            self.callees.truncate(self.given);
        }
        self.own = self.rng.percent(25).then(|| callee.clone());
        self.body(if calls { 2 } else { 0 });
        for (k, p) in callee.parameters.iter().enumerate() {
            if p.optional {
                let name = match p.kind {
                    Kind::Record => format!("p{k}.x"),
                    Kind::Real | Kind::Integer | Kind::Logical => format!("p{k}"),
                };
                self.line(&format!("if present(p{k})"));
                self.line(&format!("  t := t*{name}"));
                if p.written {
                    let value = self.real(1);
                    self.line(&format!("  {name} := 0.5*{name} + 0.3*{value}"));
                }
                self.line("end");
            }
        }
        if extent.is_some() {
            self.line("t := 0.5*t + 0.2*sum(d)");
        }
        let value = self.real(1);
        self.line(&format!("p0 := 0.5*p0 + 0.4*sin({value}) + 0.1*t"));
        self.callees = all;
        let kind = match returned {
            Returned::Nothing => "subroutine",
            Returned::Scalar | Returned::Array | Returned::Record => "function",
        };
        let general = if self.general { "general " } else { "" };
        let aliased = if self.aliased { "aliased " } else { "" };
        let _ = write!(
            self.out,
            "{general}{aliased}{kind} {name}({head}){result}\n{declared}{}end\n",
            self.lines
        );
        self.callees.push(callee);
    }

    fn main(&mut self) {
        self.variables.clear();
        self.aliased = false;
        self.own = None;
        for (name, array, written) in [
            ("x", false, false),
            ("v", true, false),
            ("y", false, true),
            ("z", true, true),
        ] {
            self.add(name, Kind::Real, array.then_some((1, 3)), Home::Parameter);
            if let Some(variable) = self.variables.last_mut() {
                variable.written = written;
            }
        }
        let chance = *self.rng.pick(&[0, 30, 60]).unwrap_or(&0);
        let declared = self.begin(chance);
        self.body(3);
        let value = self.real(2);
        self.line(&format!("y := 0.5*y + 0.5*sin({value}) + 0.2*t"));
        self.line("z := 0.5*z + 0.2*v*w[2]");
        let general = if self.general { "general " } else { "" };
        let _ = write!(
            self.out,
            "main {general}subroutine f(in integer n, in real x, in real v[3], inout real y, inout real z[3])
  independent x, v, y, z
  dependent y, z
{declared}{}end
",
            self.lines
        );
    }

    fn body(&mut self, calls: usize) {
        self.left = 20;
        for _ in 0..calls {
            self.call();
        }
        let count = 3 + self.rng.below(5);
        self.block(count, 0);
        if calls > 0 {
            self.call();
        }
    }

    /// Some variable of a kind.
    fn any(&mut self, kind: Kind, written: bool) -> Option<Variable> {
        let fits = |v: &&Variable| v.kind == kind && (v.written || !written);
        let all: Vec<Variable> = self.variables.iter().filter(fits).cloned().collect();
        self.rng.pick(&all).cloned()
    }

    /// A cell of a variable.
    fn cell(&mut self, v: &Variable) -> String {
        let Some((lower, extent)) = v.shape else {
            return v.name.clone();
        };
        // Integers are 1 to 3, so they are subscripts of every array, shifted by its lower bound.
        let shift = lower - 1;
        let is_fixed = extent < 3 || v.kind == Kind::Integer || self.rng.percent(40);
        let at = match is_fixed {
            true => (lower + self.rng.between(0, extent - 1)).to_string(),
            false => {
                let at = self.integer();
                match shift {
                    0 => at,
                    s if s < 0 => format!("{at} - {}", -s),
                    s => format!("{at} + {s}"),
                }
            }
        };
        format!("{}[{at}]{}", v.name, v.field)
    }

    fn cell_of(&mut self, kind: Kind, written: bool) -> Option<String> {
        let v = self.any(kind, written)?;
        Some(self.cell(&v))
    }

    /// 1 to 3.
    fn integer(&mut self) -> String {
        let cell = match self.rng.percent(75) {
            true => self.cell_of(Kind::Integer, false),
            false => None,
        };
        cell.unwrap_or_else(|| self.rng.between(1, 3).to_string())
    }

    fn real(&mut self, depth: usize) -> String {
        let choice = if depth == 0 { 0 } else { self.rng.below(10) };
        match choice {
            0..3 => {
                let cell = self.cell_of(Kind::Real, false);
                cell.unwrap_or_else(|| "t".to_owned())
            }
            3 | 4 => format!("sin({}*{})", self.real(depth - 1), self.real(depth - 1)),
            5 => format!(
                "(0.5*{} + 0.4*{})",
                self.real(depth - 1),
                self.real(depth - 1)
            ),
            6 => format!("0.5*sin({})*{}", self.real(depth - 1), self.real(depth - 1)),
            7 => format!("0.3*real({})*{}", self.integer(), self.real(depth - 1)),
            8 => {
                let condition = self.condition();
                let (a, b) = (self.real(depth - 1), self.real(depth - 1));
                format!("if({condition}, {a}, {b})")
            }
            _ => match self.section(|v| v.kind == Kind::Real) {
                Some((_, section)) => format!("0.3*sum({section})"),
                None => "t".to_owned(),
            },
        }
    }

    fn condition(&mut self) -> String {
        let logical = match self.rng.percent(30) {
            true => self.cell_of(Kind::Logical, false),
            false => None,
        };
        if let Some(cell) = logical {
            return cell;
        }
        if self.rng.percent(60) {
            let op = *self.rng.pick(&["<", "==", ">="]).unwrap_or(&"<");
            return format!("{} {op} {}", self.integer(), self.integer());
        }
        let value = self.real(0);
        format!("{value} < {:.3}", self.rng.real(0.2, 0.8))
    }

    /// Three elements of a variable that fits, and its name.
    fn section(&mut self, fits: impl Fn(&Variable) -> bool) -> Option<(String, String)> {
        let wide = |v: &&Variable| v.shape.is_some_and(|(_, extent)| extent >= 3) && fits(v);
        let all: Vec<Variable> = self.variables.iter().filter(wide).cloned().collect();
        let v = self.rng.pick(&all)?.clone();
        let (lower, extent) = v.shape?;
        let (name, field) = (v.name, v.field);
        if extent == 3 && self.rng.percent(40) {
            let whole = format!("{name}{field}");
            return Some((name, whole));
        }
        let stride = if extent >= 5 {
            self.rng.between(1, 2)
        } else {
            1
        };
        let first = lower + self.rng.between(0, extent - 1 - 2 * stride);
        let last = first + 2 * stride;
        let section = match (self.rng.percent(40), stride) {
            (true, stride) => format!("{name}[{last}:{first}:-{stride}]{field}"),
            (false, 1) => format!("{name}[{first}:{last}]{field}"),
            (false, stride) => format!("{name}[{first}:{last}:{stride}]{field}"),
        };
        Some((name, section))
    }

    fn block(&mut self, count: usize, depth: usize) {
        for _ in 0..count {
            if self.left == 0 {
                return;
            }
            self.left -= 1;
            self.statement(depth);
        }
    }

    fn statement(&mut self, depth: usize) {
        let deeper = usize::from(depth < 2);
        let copies = self.of_records(10);
        let stops = if self.stops { 8 * deeper } else { 0 };
        let weights = [
            30,
            8,
            12,
            4,
            14,
            10 * deeper,
            12 * deeper,
            4,
            4,
            copies,
            copies / 2,
            stops,
        ];
        match self.rng.weighted(&weights) {
            0 => {
                if let Some(p) = self.cell_of(Kind::Real, true) {
                    let value = match self.rng.percent(60) {
                        true => self.real(2),
                        false => format!("sin({p}*{}) + 0.4*{}", self.real(1), self.real(0)),
                    };
                    self.line(&format!("{p} := {value}"));
                }
            }
            1 => {
                let target = self.section(|v| v.kind == Kind::Real && v.written);
                let [a, b] = [0, 1].map(|_| self.section(|v| v.kind == Kind::Real));
                if let (Some(target), Some(a), Some(b)) = (target, a, b) {
                    let (target, a, b) = (target.1, a.1, b.1);
                    let value = match self.rng.below(3) {
                        0 => format!("0.9*{a}"),
                        1 => format!("sin({a})*{b}"),
                        _ => format!("0.5*{a} + 0.5*sin({b}*{})", self.real(0)),
                    };
                    self.line(&format!("{target} := {value}"));
                }
            }
            2 => {
                if let Some(p) = self.cell_of(Kind::Integer, true) {
                    let (a, b) = (self.integer(), self.integer());
                    self.line(&format!("{p} := modulo({a} + {b}, 3) + 1"));
                }
            }
            3 => {
                if let Some(p) = self.cell_of(Kind::Logical, true) {
                    let value = self.condition();
                    self.line(&format!("{p} := not ({value})"));
                }
            }
            4 => self.call(),
            5 => {
                let condition = self.condition();
                self.line(&format!("if {condition}"));
                self.indent += 1;
                let count = 1 + self.rng.below(3);
                self.block(count, depth + 1);
                if self.general && self.loops == 0 && self.rng.percent(15) {
                    self.line("return");
                }
                self.indent -= 1;
                if self.rng.percent(50) {
                    self.line("else");
                    self.indent += 1;
                    let count = 1 + self.rng.below(2);
                    self.block(count, depth + 1);
                    self.indent -= 1;
                }
                self.line("end");
            }
            6 => self.cycle(depth),
            7 => {
                let fits = |v: &&Variable| {
                    v.written && v.is_whole() && matches!(v.kind, Kind::Real | Kind::Record)
                };
                let all: Vec<Variable> = self.variables.iter().filter(fits).cloned().collect();
                if let Some(Variable { name, kind, .. }) = self.rng.pick(&all).cloned() {
                    self.line(&format!("opaque \"measure\" reads t writes {name}"));
                    let fields: &[&str] = match kind {
                        Kind::Record => &[".x := 0.6", ".k := 2", ".v := 0.7"],
                        Kind::Real | Kind::Integer | Kind::Logical => &[" := 0.6"],
                    };
                    for field in fields {
                        self.line(&format!("{name}{field}"));
                    }
                }
            }
            8 => {
                if self.loops == 0
                    && let Some(own) = self.own.take()
                {
                    self.line("if n > 0");
                    self.indent += 1;
                    self.call_of(&own, "n - 1");
                    self.indent -= 1;
                    self.line("end");
                }
            }
            9 => {
                let target = self.cell_of(Kind::Record, true);
                let source = self.cell_of(Kind::Record, false);
                if let (Some(target), Some(source)) = (target, source) {
                    self.line(&format!("{target} := {source}"));
                }
            }
            10 => {
                let target = self.section(|v| v.kind == Kind::Record && v.written);
                let source = self.section(|v| v.kind == Kind::Record);
                if let (Some((_, target)), Some((_, source))) = (target, source) {
                    self.line(&format!("{target} := {source}"));
                }
            }
            _ => self.stop(depth),
        }
    }

    /// A condition that no run meets, which nothing shows.
    fn never(&mut self) -> String {
        match self.rng.below(3) {
            0 => "n > 7".to_owned(),
            1 => format!("{} > 3", self.integer()),
            _ => format!("{} > 50.0", self.real(0)),
        }
    }

    /// A statement that stops the program, at a place that no run reaches: in either arm of a branch, with dead code
    /// behind it, or in a loop; where control is general, also in a loop without a way out.
    fn stop(&mut self, depth: usize) {
        let never = self.never();
        let stop = "stop \"too far\"";
        let few = self.rng.below(2);
        match self.rng.below(4) {
            0 => {
                self.line(&format!("if not ({never})"));
                self.indent += 1;
                self.block(1 + few, depth + 1);
                self.indent -= 1;
                self.line("else");
                self.line(&format!("  {stop}"));
            }
            1 => {
                self.line(&format!("while {never}"));
                self.indent += 1;
                self.block(few, 2);
                self.line(stop);
                self.indent -= 1;
            }
            2 if self.general => {
                self.labels += 1;
                let label = format!("dead{}", self.labels);
                self.line(&format!("if {never}"));
                self.indent += 1;
                self.line(&format!("label {label}"));
                self.block(1 + few, 2);
                self.line(stop);
                self.line(&format!("goto {label}"));
                self.indent -= 1;
            }
            _ => {
                self.line(&format!("if {never}"));
                self.indent += 1;
                self.block(few, 2);
                self.line(stop);
                self.call();
                self.indent -= 1;
            }
        }
        self.line("end");
    }

    /// A loop of some form.
    fn cycle(&mut self, depth: usize) {
        let count = 1 + self.rng.below(3);
        let (index, fuel) = (format!("i{depth}"), format!("fuel{depth}"));
        let use_up = format!("{fuel} := {fuel} - 1");
        let form = self.rng.below(8);
        if form < 4 {
            let (first, last) = (self.integer(), self.integer());
            let step = *self.rng.pick(&["", ", -1", ", 2"]).unwrap_or(&"");
            self.line(&format!("for {index} = {first}, {last}{step}"));
            self.add(&index, Kind::Integer, None, Home::Local);
            if let Some(variable) = self.variables.last_mut() {
                variable.written = false;
            }
            self.inside(count, depth, None);
            self.variables.retain(|v| v.name != index);
            self.line("end");
            return;
        }
        self.line(&format!("{fuel} := 3"));
        let condition = self.condition();
        if form < 6 {
            self.line(&format!("while {fuel} > 0 and {condition}"));
            self.inside(count, depth, Some(&use_up));
            self.line("end");
        } else if form == 6 || !self.general {
            self.line("do");
            self.inside(count, depth, Some(&use_up));
            self.line(&format!("end while {fuel} > 0 and {condition}"));
        } else {
            self.labels += 1;
            let label = format!("again{}", self.labels);
            self.line(&format!("label {label}"));
            self.line(&use_up);
            self.loops += 1;
            self.block(count, depth + 1);
            self.loops -= 1;
            self.line(&format!("if {fuel} > 0 and {condition}"));
            self.line(&format!("  goto {label}"));
            self.line("end");
        }
    }

    /// The body of a loop, with jumps out of it where control is general.
    fn inside(&mut self, count: usize, depth: usize, first: Option<&str>) {
        self.indent += 1;
        self.loops += 1;
        if let Some(first) = first {
            self.line(first);
        }
        self.block(count, depth + 1);
        if self.general && self.rng.percent(40) {
            let condition = self.condition();
            let jump = *self
                .rng
                .pick(&["break", "continue", "return"])
                .unwrap_or(&"break");
            self.line(&format!("if {condition}"));
            self.line(&format!("  {jump}"));
            self.line("end");
            let count = self.rng.below(2);
            self.block(count, depth + 1);
        }
        self.loops -= 1;
        self.indent -= 1;
    }

    fn call(&mut self) {
        if let Some(callee) = self.rng.pick(&self.callees).cloned() {
            let n = self.rng.below(2).to_string();
            self.call_of(&callee, &n);
        }
    }

    /// A call; none if there are no arguments for it. A callee that is not `aliased` gets only variables without
    /// another name.
    fn call_of(&mut self, callee: &Callee, n: &str) {
        let is_aliased = self.aliased;
        let mut taken: Vec<String> = Vec::new();
        let mut arguments = vec![n.to_owned()];
        for p in &callee.parameters {
            if p.optional && self.rng.percent(50) {
                arguments.push("absent".to_owned());
                continue;
            }
            // A record is no expression.
            let is_number = !p.array && p.kind != Kind::Record;
            if is_number && !p.written && self.rng.percent(40) {
                arguments.push(match p.kind {
                    Kind::Integer => format!("modulo({}, 3) + 1", self.integer()),
                    Kind::Real | Kind::Logical | Kind::Record => format!("0.5*{}", self.real(1)),
                });
                continue;
            }
            let fits = |v: &Variable| {
                let apart = match v.home {
                    Home::Local => true,
                    Home::Parameter => !is_aliased,
                    Home::Global => false,
                };
                let is_taken = taken.iter().any(|name| overlap(name, &v.name));
                v.kind == p.kind
                    && (v.written || !p.written)
                    && (callee.aliased || (apart && !is_taken))
            };
            let argument = match p.array {
                true => self.section(fits),
                false => {
                    let all: Vec<Variable> =
                        self.variables.iter().filter(|v| fits(v)).cloned().collect();
                    let v = self.rng.pick(&all).cloned();
                    v.map(|v| (v.name.clone(), self.cell(&v)))
                }
            };
            let Some((name, argument)) = argument else {
                return;
            };
            taken.push(name);
            arguments.push(argument);
        }
        let call = format!("call {}({})", callee.name, arguments.join(", "));
        let target = match callee.returned {
            Returned::Nothing => None,
            Returned::Scalar => self.cell_of(Kind::Real, true),
            Returned::Record => self.cell_of(Kind::Record, true),
            Returned::Array => {
                let section = self.section(|v| v.kind == Kind::Real && v.written);
                section.map(|(_, section)| section)
            }
        };
        match target {
            Some(target) => self.line(&format!("{target} := {call}")),
            None if callee.returned == Returned::Nothing => self.line(&call),
            None => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Case, generate};
    use cfg_core::ir::{Control, Expr, External, Program, Role, Routine, StmtKind, Variable};
    use std::collections::BTreeMap;

    /// Many programs have routines with general control that call others and use globals, which no other generator
    /// draws.
    #[test]
    fn programs_have_what_others_do_not() {
        let is_global = |v: &Variable| matches!(v.role, Role::Global(_));
        let has = |case: &Case| {
            let mut routines = case.program.routines.iter();
            routines.any(|r| {
                r.control == Control::General
                    && r.variables.iter().any(is_global)
                    && (r.statements()).any(|s| matches!(s.kind, StmtKind::Call { .. }))
            })
        };
        let count = (0..200).filter(|&seed| has(&generate(seed))).count();
        assert!(count > 40, "{count}");
    }

    /// A test whether a routine of a program has a rare combination.
    type Has = fn(&Program, &Routine) -> bool;
    const COMBINED: &[(&str, Has)] = &[
        ("local records in general control flow", |_, r| {
            r.control == Control::General && has(r, |v| is_record(v) && v.role == Role::Local)
        }),
        ("global records in general control flow", |_, r| {
            r.control == Control::General
                && has(r, |v| is_record(v) && matches!(v.role, Role::Global(_)))
        }),
        ("records that may overlap", |_, r| {
            r.aliased && has(r, |v| is_record(v) && v.intent().is_some())
        }),
        ("arrays of records that may overlap", |_, r| {
            r.aliased && has(r, |v| is_record(v) && v.intent().is_some() && v.rank() > 0)
        }),
        ("optional records", |_, r| {
            has(r, |v| {
                is_record(v) && matches!(v.role, Role::Parameter { optional: true, .. })
            })
        }),
        ("records as results where parameters may overlap", |_, r| {
            r.aliased && r.result.is_some_and(|v| is_record(r.variable(v)))
        }),
        (
            "stops in general control flow that is called",
            |program, r| {
                let is_main = |r: &Routine| {
                    let main = program.main.map(|main| program.routine(main));
                    main.is_some_and(|main| main.name == r.name)
                };
                r.control == Control::General && !is_main(r) && stops(r)
            },
        ),
        ("stops beside calls in general control flow", |_, r| {
            let mut statements = r.statements();
            let calls = statements.any(|s| matches!(s.kind, StmtKind::Call { .. }));
            r.control == Control::General && calls && stops(r)
        }),
        ("stops where parameters may overlap", |_, r| {
            r.aliased && stops(r)
        }),
        (
            "external functions of arrays in general control flow",
            |program, r| r.control == Control::General && calls_external(program, r, |_| true),
        ),
        (
            "external functions of arrays where parameters may overlap",
            |program, r| r.aliased && calls_external(program, r, |_| true),
        ),
        ("partials of external functions of arrays", |program, r| {
            calls_external(program, r, |external| external.partials.is_some())
        }),
        ("values of external functions of arrays", |program, r| {
            calls_external(program, r, |external| external.partials.is_none())
        }),
        ("given derivatives, an argument left out", |program, r| {
            calls_given(program, r, |_, all| all.contains(&None))
        }),
        ("given derivatives, an optional argument", |program, r| {
            calls_given(program, r, |_, all| all.len() == 4 && !all.contains(&None))
        }),
        ("given derivatives of what calls itself", |program, r| {
            calls_given(program, r, |called, _| called.name == "turn")
                && !r.name.starts_with("turn")
        }),
    ];

    /// True of a routine that calls an external one of which this holds.
    fn calls_external(
        program: &Program,
        routine: &Routine,
        holds: impl Fn(&External) -> bool,
    ) -> bool {
        let mut callees = routine.statements().filter_map(|s| s.kind.callee());
        callees.any(|r| {
            let external = program.routine(r).external.as_deref();
            external.is_some_and(&holds)
        })
    }

    /// True of a routine that calls one with given derivatives, of which this holds.
    fn calls_given(
        program: &Program,
        routine: &Routine,
        holds: impl Fn(&Routine, &[Option<Expr>]) -> bool,
    ) -> bool {
        routine.statements().any(|s| match &s.kind {
            StmtKind::Call {
                callee, arguments, ..
            } => {
                let called = program.routine(*callee);
                called.derivatives.is_some() && holds(called, arguments)
            }
            _ => false,
        })
    }

    fn stops(routine: &Routine) -> bool {
        let mut statements = routine.statements();
        statements.any(|s| matches!(s.kind, StmtKind::Stop { .. }))
    }

    fn is_record(v: &Variable) -> bool {
        v.ty.record().is_some()
    }

    fn has(routine: &Routine, fits: impl Fn(&Variable) -> bool) -> bool {
        routine.variables.iter().any(fits)
    }

    /// Each combination is drawn in several of the programs.
    #[test]
    fn combinations_are_drawn() {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for seed in 0..200 {
            let program = generate(seed).program;
            for (name, is_there) in COMBINED {
                let found = program.routines.iter().any(|r| is_there(&program, r));
                *counts.entry(*name).or_default() += usize::from(found);
            }
        }
        assert!(counts.values().all(|&n| n >= 5), "{counts:?}");
    }

    #[test]
    fn a_seed_gives_the_same_program() {
        for seed in 0..20 {
            assert_eq!(generate(seed), generate(seed));
        }
    }
}
