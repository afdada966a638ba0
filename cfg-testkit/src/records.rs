//! Random programs with records, as text, with points; and values of records as lists of cells.
//!
//! The programs copy records, elements and sections of arrays of records, read and write fields at any depth and through
//! subscripts that are fields themselves, pass records by reference and arrays of records by shape or with deferred extents,
//! and call functions that return records. They end, and subscripts are in bounds: an integer field is 1 or 2.

use crate::rng::Rng;
use cfg_core::ir::{Program, ScalarType};
use serde_json::{Map, Value as Json, json};

/// The declarations, and the routines that are called.
const CALLED: &str = r"record Inner
  real x
  integer k
  real v[2]
end

record Outer
  real w
  record Inner a
  record Inner b[2]
  logical on
  real m[2, 3]
end

global record Inner kept

subroutine mix(in record Inner p, inout record Inner q, in real t)
  q.x := q.x*t + sin(p.x)
  q.v := p.v*t + q.v
  q.v[p.k] := q.v[p.k] + p.x
  q.k := 3 - p.k
end

subroutine remember(inout record Inner p)
  uses kept
  kept.x := kept.x + 0.5*p.v[kept.k]
  p.x := sin(kept.x) + p.x
  kept.k := p.k
end

function half(in record Inner p, in real t) result record Inner r
  r := p
  r.v := p.v*0.5
  if t > 0.0
    r.x := p.x*t
  end
end

subroutine shaped(inout record Inner z[2], in real t)
  local record Inner first
  first := z[1]
  z.x := z.x*t + first.v[2]
  z[1] := z[2]
  z[2].v := first.v + z[1].v
end

subroutine deferred(inout record Inner z[:], in integer n)
  local integer j
  for j = 1, size(z)
    z[j].x := sin(z[j].x) + z[z[j].k].v[1]
    z[j].k := z[n].k
  end
end

subroutine outer(in record Outer o, inout record Outer p)
  p.a := o.b[o.a.k]
  p.b[2].v := o.m[1, 1:2] + p.b[1].v
  p.m[o.a.k, :] := o.m[2, :]*o.w
  p.w := sum(o.m) + p.b[1].x
  p.on := not o.on
end
";

/// A random program as text; its main routine is called `f`.
pub fn text(seed: u64) -> String {
    let mut out = CALLED.to_owned();
    out.push_str(
        "
main subroutine f(inout record Inner p, inout record Inner ps[2], in record Outer q, inout record Outer os[2], in real t, out real y)
  uses kept
  local record Inner a, as[2]
  local record Outer o
  local real s
  local integer i
  independent p, ps, q, os, t, kept
  dependent p, ps, os, y, kept
  a := p
  as := ps
  o := q
  s := t
",
    );
    let mut writer = Writer {
        rng: Rng::new(seed),
        out,
        inside: false,
    };
    for _ in 0..10 {
        writer.statement(1);
    }
    writer.out.push_str(
        "  y := s + sum(as.x) + sum(as.v) + o.w + o.a.x + sum(o.b.v)*0.1 + a.v[2] + sum(o.m[:, 2]) + real(size(ps))
end
",
    );
    writer.out
}

struct Writer {
    rng: Rng,
    out: String,
    /// True in a loop over `i`.
    inside: bool,
}

impl Writer {
    fn one_of(&mut self, list: &[&str]) -> String {
        self.rng.pick(list).copied().unwrap_or_default().to_owned()
    }

    /// An index of 1 or 2.
    fn index(&mut self) -> String {
        match self.rng.below(6) {
            0 if self.inside => "i".to_owned(),
            1 => "p.k".to_owned(),
            2 => "o.a.k".to_owned(),
            3 => "as[p.k].k".to_owned(),
            4 => "3 - a.k".to_owned(),
            _ => self.rng.between(1, 2).to_string(),
        }
    }

    /// A record `Inner` that may be written, and the name of its variable.
    fn inner(&mut self) -> (String, &'static str) {
        let (i, j) = (self.index(), self.index());
        match self.rng.below(9) {
            0 => ("p".to_owned(), "p"),
            1 => (format!("ps[{i}]"), "ps"),
            2 => ("a".to_owned(), "a"),
            3 => (format!("as[{i}]"), "as"),
            4 => ("o.a".to_owned(), "o"),
            5 => (format!("o.b[{i}]"), "o"),
            6 => (format!("os[{i}].a"), "os"),
            7 => (format!("os[{i}].b[{j}]"), "os"),
            _ => ("kept".to_owned(), "kept"),
        }
    }

    /// A record `Inner` that may be read.
    fn read_inner(&mut self) -> (String, &'static str) {
        match self.rng.below(6) {
            0 => ("q.a".to_owned(), "q"),
            1 => (format!("q.b[{}]", self.index()), "q"),
            _ => self.inner(),
        }
    }

    /// A real scalar place.
    fn real(&mut self, written: bool) -> String {
        let i = self.index();
        match self.rng.below(8) {
            0 => "s".to_owned(),
            1 => "o.w".to_owned(),
            2 => format!("o.m[{i}, {}]", self.rng.between(1, 3)),
            3 if !written => "t".to_owned(),
            4 => format!("os[{i}].w"),
            _ => {
                let inner = match written {
                    true => self.inner().0,
                    false => self.read_inner().0,
                };
                match self.rng.percent(50) {
                    true => format!("{inner}.x"),
                    false => format!("{inner}.v[{i}]"),
                }
            }
        }
    }

    fn expr(&mut self, depth: usize) -> String {
        if depth == 0 {
            return match self.rng.below(5) {
                0 => format!("{:?}", self.rng.between(-4, 4) as f64 / 4.0),
                1 => self.one_of(&["sum(ps.x)", "sum(as.v)", "sum(o.b.v[1])", "sum(os[:].a.x)"]),
                _ => self.real(false),
            };
        }
        let (a, b) = (self.expr(depth - 1), self.expr(depth - 1));
        match self.rng.below(4) {
            0 => format!("sin({a})*{b}"),
            1 => format!("({a} + {b})*0.5"),
            2 => format!("sin({a} - {b})"),
            _ => format!("cos({a})"),
        }
    }

    fn line(&mut self, indent: usize, text: &str) {
        self.out.push_str(&"  ".repeat(indent));
        self.out.push_str(text);
        self.out.push('\n');
    }

    fn statement(&mut self, indent: usize) {
        let text = match self.rng.below(14) {
            0..=2 => {
                let target = self.real(true);
                let value = self.expr(2);
                format!("{target} := {value}")
            }
            3 => {
                let (target, value) = (self.inner().0, self.index());
                format!("{target}.k := {value}")
            }
            4 | 5 => format!("{} := {}", self.inner().0, self.read_inner().0),
            6 => self.one_of(&[
                "o := q",
                "os[o.a.k] := o",
                "o := os[p.k]",
                "os := os[2:1:-1]",
                "as := ps",
                "ps[2:1:-1] := as",
                "o.b := as",
                "as := os.a",
                "os.b[1] := ps",
            ]),
            7 => self.one_of(&[
                "as.x := ps.x*0.5 + as[2:1:-1].v[1]",
                "o.b.v := 0.5*q.b.v",
                "os.w := as.x",
                "os[:].m[1, 2] := o.b.x",
                "o.m := q.m*t",
                "ps.v[2] := o.m[:, 3]",
                "as[p.k].v := o.b[a.k].v + ps[1].v",
            ]),
            8 => {
                let (source, from) = self.read_inner();
                let (target, to) = self.inner();
                match from == to {
                    true => format!("a.x := {source}.x"),
                    false => format!("call mix({source}, {target}, {:?})", 0.5),
                }
            }
            9 => match self.inner() {
                (_, "kept") => "kept.v := p.v".to_owned(),
                (place, _) => format!("call remember({place})"),
            },
            10 => {
                let (source, target) = (self.read_inner().0, self.inner().0);
                format!("{target} := call half({source}, s)")
            }
            11 => self.one_of(&[
                "call shaped(as, 0.5)",
                "call shaped(o.b, 0.5)",
                "call shaped(ps[2:1:-1], t)",
                "call deferred(as, 2)",
                "call deferred(o.b, 1)",
                "call deferred(os.a, 2)",
                "call outer(q, o)",
                "call outer(o, os[o.a.k])",
            ]),
            _ if self.inside || indent > 1 => "s := sin(s)*0.5".to_owned(),
            12 => {
                self.line(indent, "for i = 1, 2");
                self.inside = true;
                for _ in 0..3 {
                    self.statement(indent + 1);
                }
                self.inside = false;
                "end".to_owned()
            }
            _ => {
                let (place, expr) = (self.real(false), self.expr(0));
                self.line(indent, &format!("if {place} > {expr} or o.on"));
                self.statement(indent + 1);
                self.line(indent, "else");
                self.statement(indent + 1);
                "end".to_owned()
            }
        };
        self.line(indent, &text);
    }
}

/// A value of a type, element by element of an array of these extents: `cell` gives the scalars, in the order of the
/// layout.
pub fn value(
    program: &Program,
    ty: ScalarType,
    extents: &[usize],
    cell: &mut impl FnMut(ScalarType) -> Json,
) -> Json {
    if let Some((&n, below)) = extents.split_first() {
        return (0..n).map(|_| value(program, ty, below, cell)).collect();
    }
    let Some(r) = ty.record() else {
        return cell(ty);
    };
    let mut members = Map::new();
    for field in &program.record(r).fields {
        let extents = constant_extents(field);
        let member = value(program, field.ty, &extents, cell);
        members.insert(field.name.clone(), member);
    }
    Json::Object(members)
}

/// The cells of a value of a type, in the order of the layout; `None` for those that it does not have.
pub fn cells(
    program: &Program,
    ty: ScalarType,
    extents: &[usize],
    tree: Option<&Json>,
) -> Vec<Option<Json>> {
    if let Some((&n, below)) = extents.split_first() {
        let item = |k: usize| tree.and_then(|tree| tree.get(k));
        return (0..n)
            .flat_map(|k| cells(program, ty, below, item(k)))
            .collect();
    }
    let Some(r) = ty.record() else {
        return vec![tree.cloned()];
    };
    let fields = program.record(r).fields.iter();
    fields
        .flat_map(|field| {
            let member = tree.and_then(|tree| tree.get(&field.name));
            cells(program, field.ty, &constant_extents(field), member)
        })
        .collect()
}

fn constant_extents(field: &cfg_core::ir::Field) -> Vec<usize> {
    let extents = field.shape.iter().map(|dim| match &dim.extent {
        cfg_core::ir::Extent::Fixed(e) => e.constant().and_then(|n| usize::try_from(n).ok()),
        cfg_core::ir::Extent::Deferred => None,
    });
    extents.map(Option::unwrap_or_default).collect()
}

/// A random scalar of a program of [`text`].
pub fn scalar(rng: &mut Rng, ty: ScalarType) -> Json {
    match ty {
        ScalarType::Integer => json!(rng.between(1, 2)),
        ScalarType::Logical => json!(rng.percent(50)),
        _ => json!(rng.coarse()),
    }
}
