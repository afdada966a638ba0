//! Random programs with pointers, as text. Each runs without an error: the generator knows to which objects every
//! pointer may lead.
//!
//! The programs assign, swap, choose, move and compare pointers, keep them in records, arrays, globals and behind other pointers,
//! let them point into arrays, to fields, to locals, to data that is constant and to objects on the heap; they
//! allocate objects in one routine and free them in another, resize them, leave some alive, keep one between calls,
//! walk arrays, and go through linked records by loops and by recursion. The invariants at every point of the
//! program:
//!
//! - `p`, `q`, `r`, `a[1]`, `a[2]` point to two cells at least that may be written; so do `s` and the fields `w`, but theirs
//!   are only read. `pp` points to `p` or to an element of `a`.
//! - `h` points to the first of `size` cells on the heap, 3 or more; all have values.
//! - `at` points to a record, `first` is null or a list. A pointer that may lead to `h` or to the list gets another value where
//!   these end (`Leads`).

use crate::{
    case::{Case, Datum, Elements},
    rng::Rng,
};
use cfg_core::entity::VarId;
use cfg_format::text;

/// Number of cells of a `Node`.
const NODE_CELLS: i64 = 5;

/// The declarations, and the routines that are called.
const CALLED: &str = r"record Node
  real v[2]
  integer k
  ^real w
  ^record Node next
end

global ^real kept = null(real)
global integer calls = 0

subroutine mix(in ^real u, in ^real o, in real t)
  u^ := u^*t + sin(o^[1])
  u^[1] := 0.5*o^ + u^[1]*t
end

subroutine bump(inout real u, in real t)
  u := u*t + 0.25
end

subroutine swap(inout ^real u, inout ^real o)
  local ^real old
  old := u
  u := o
  o := old
end

function later(in ^real u) result ^real o
  o := shift(u, 1)
end

function fresh(in integer n, in real t) result ^real o
  local integer j
  allocate o, n
  for j = 0, n - 1
    o^[j] := t*real(j + 1)
  end
end

subroutine discard(inout ^real u)
  free u
  u := null(real)
end

subroutine work(inout real u)
  uses kept, calls
  if kept == null(real)
    allocate kept, 2 zeroed
  end
  kept^[1] := kept^[1]*0.5 + u
  kept^ := sin(kept^[1]) + kept^
  u := kept^*0.5
  calls := calls + 1
end

subroutine put(inout ^record Node head, in ^real w, in real t)
  local ^record Node made
  allocate made, 1
  made^.v[1] := t
  made^.v[2] := t*w^[1]
  made^.k := 1
  made^.w := w
  made^.next := head
  head := made
end

subroutine add(in ^record Node node, inout real sum)
  if node != null(record Node)
    sum := sum + node^.v[node^.k]*node^.w^
    call add(node^.next, sum)
    sum := sum + 0.5*node^.v[2]
  end
end

subroutine grow(in ^record Node node, in real t)
  local ^record Node each
  each := node
  while each != null(record Node)
    each^.v[1] := each^.v[1]*t + each^.w^[1]
    each := each^.next
  end
end

subroutine drop(inout ^record Node head)
  local ^record Node each
  while head != null(record Node)
    each := head^.next
    free head
    head := each
  end
end

subroutine table(inout ^^real rows, in real t)
  local integer j
  allocate rows, 2 zeroed
  for j = 0, 1
    allocate rows^[j], 2
    rows^[j]^ := t
    rows^[j]^[1] := t*real(j + 1)
  end
end

subroutine untable(inout ^^real rows)
  free rows^
  free rows^[1]
  free rows
end
";

const HEAD: &str = "
main subroutine f(inout real x[6], in real c[4], in real t, out real y)
  local real z[3], sum, e
  local ^real p, q, r, s, a[2], h, u, o
  local ^^real pp, rows
  local record Node nodes[3], b
  local ^record Node at, first
  local integer i, j, k, n, size
  independent x, t
  dependent x, y
";

const START: &str = "  z := t
  sum := 0.0
  e := 0.0
  n := 0
  p := addr(x[2])
  q := addr(z)
  r := addr(x)
  s := addr(c[2])
  a := p
  a[2] := addr(z[2])
  pp := addr(a[2])
  h := call fresh(4, t)
  size := 4
  call table(rows, t)
  first := null(record Node)
  for i = 1, 3
    nodes[i].v := x[i:i + 1]
    nodes[i].k := 1
    nodes[i].w := addr(c[i])
    nodes[i].next := null(record Node)
  end
  at := addr(nodes[2])
  b := at^
";

/// A random program as text; its main routine is called `f`, and takes `x`, six reals, `c`, four, and `t`.
pub fn text(seed: u64) -> String {
    sized(seed, 12)
}

/// A random program of [`text()`] at a random point, in a random direction, with random weights of `x` and `y`.
///
/// # Panics
/// The text is not read, which is a defect of the generator.
pub fn case(seed: u64) -> Case {
    let parsed = text::parse(&self::text(seed));
    let Some(program) = parsed.program else {
        panic!("seed {seed}: {}", parsed.problems)
    };
    let main = program.main.expect("one is marked");
    let mut rng = Rng::new(seed ^ 0x5eed);
    let mut numbers = |n: usize| -> Vec<f64> { (0..n).map(|_| rng.coarse()).collect() };
    let parameters: Vec<VarId> = program.routine(main).parameter_ids().collect();
    let &[x, c, t, y] = &parameters[..] else {
        panic!("seed {seed}: {} parameters", parameters.len())
    };
    let mut datum = |extents: &[usize]| Datum {
        extents: extents.to_vec(),
        elements: Elements::Real(numbers(extents.iter().product())),
    };
    let point = vec![(x, datum(&[6])), (c, datum(&[4])), (t, datum(&[]))];
    Case {
        point,
        direction: vec![(x, numbers(6)), (t, numbers(1))],
        seed: vec![(x, numbers(6)), (y, numbers(1))],
        program,
        main,
    }
}

/// A random program like those of [`text()`], with so many statements that are drawn; constructs have more inside.
pub fn sized(seed: u64, statements: usize) -> String {
    let mut writer = Writer {
        rng: Rng::new(seed),
        out: format!("{CALLED}{HEAD}{START}"),
        leads: Leads::default(),
        depth: 0,
        labels: 0,
    };
    for _ in 0..statements {
        writer.statement();
    }
    for (free, percent) in [
        ("call untable(rows)", 50),
        ("call discard(h)", 50),
        ("call drop(first)", 50),
    ] {
        if free.contains("rows") {
            writer.line("sum := sum + rows^[1]^*rows^^[1] + h^[2]");
            writer.line("call add(first, sum)");
            writer.line("sum := sum + p^ + q^[1]*r^ + s^[1]*a[1]^ + pp^^ + at^.v[2] + nodes[1].w^ + b.v[1]*b.w^[1] + e");
        }
        if writer.rng.percent(percent) {
            writer.line(free);
        }
    }
    writer.line("y := sin(sum) + z[1]*z[3] + real(n + size)*x[6]");
    writer.out.push_str("end\n");
    writer.out
}

/// The pointers that may lead to the object behind `h`, and those that may lead to the list.
#[derive(Clone, Copy, Debug, Default)]
struct Leads {
    p: bool,
    q: bool,
    r: bool,
    s: bool,
    a: bool,
    /// A field `w`.
    w: bool,
    /// `at`, and whether a field `next` of `nodes` leads to the list.
    at: bool,
    next: bool,
}

impl Leads {
    const ALL: Self = Self {
        p: true,
        q: true,
        r: true,
        s: true,
        a: true,
        w: true,
        at: true,
        next: true,
    };

    fn or(self, other: Self) -> Self {
        Self {
            p: self.p || other.p,
            q: self.q || other.q,
            r: self.r || other.r,
            s: self.s || other.s,
            a: self.a || other.a,
            w: self.w || other.w,
            at: self.at || other.at,
            next: self.next || other.next,
        }
    }
}

/// A pointer that is stored.
#[derive(Clone, Copy, PartialEq)]
enum Holder {
    P,
    Q,
    R,
    /// An element of `a`.
    A,
    /// The pointer to which `pp` points.
    Behind,
}

struct Writer {
    rng: Rng,
    out: String,
    leads: Leads,
    /// The number of constructs around the current place.
    depth: usize,
    labels: usize,
}

impl Writer {
    fn line(&mut self, text: &str) {
        self.out.push_str(&"  ".repeat(self.depth + 1));
        self.out.push_str(text);
        self.out.push('\n');
    }

    fn one_of<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.rng.below(list.len())]
    }

    /// A pointer that is stored, as text.
    fn holder(&mut self) -> (Holder, String) {
        let holder = self.one_of(&[Holder::P, Holder::Q, Holder::R, Holder::A, Holder::Behind]);
        let text = match holder {
            Holder::P => "p".to_owned(),
            Holder::Q => "q".to_owned(),
            Holder::R => "r".to_owned(),
            Holder::A => format!("a[{}]", self.index()),
            Holder::Behind => "pp^".to_owned(),
        };
        (holder, text)
    }

    /// True if a stored pointer may lead to the object of `h`.
    fn leads(&self, holder: Holder) -> bool {
        match holder {
            Holder::P => self.leads.p,
            Holder::Q => self.leads.q,
            Holder::R => self.leads.r,
            Holder::A => self.leads.a,
            Holder::Behind => self.leads.p || self.leads.a,
        }
    }

    /// Notes whether a stored pointer may lead to the object of `h` from now on.
    fn note(&mut self, holder: Holder, leads: bool) {
        match holder {
            Holder::P => self.leads.p = leads,
            Holder::Q => self.leads.q = leads,
            Holder::R => self.leads.r = leads,
            Holder::A => self.leads.a |= leads,
            Holder::Behind => {
                self.leads.p |= leads;
                self.leads.a |= leads;
            }
        }
    }

    /// 1 or 2.
    fn index(&mut self) -> String {
        match self.rng.below(7) {
            0 => "nodes[2].k".to_owned(),
            1 => "at^.k".to_owned(),
            2 => "1 + distance(shift(p, 1), p)".to_owned(),
            3 => "b.k".to_owned(),
            _ => self.rng.between(1, 2).to_string(),
        }
    }

    /// A pointer to two cells at least that may be written, and whether it may lead to the object of `h`.
    fn pointer(&mut self) -> (String, bool) {
        match self.rng.below(12) {
            0 => (format!("addr(x[{}])", self.rng.between(1, 5)), false),
            1 => (format!("shift(addr(x), {})", self.rng.between(0, 4)), false),
            2 => (format!("addr(z[{}])", self.index()), false),
            3 => {
                let (from, to) = (self.rng.between(1, 3), self.rng.between(1, 3));
                let there = match self.rng.percent(50) {
                    true => format!("addr(nodes[{to}].v)"),
                    // From record to record, over cells of other types.
                    false => format!("shift(addr(nodes[{from}].v), {})", NODE_CELLS * (to - from)),
                };
                (there, false)
            }
            4 => ("addr(b.v[1])".to_owned(), false),
            5 => (format!("shift(h, {})", self.rng.between(0, 1)), true),
            6 => ("rows^[1]".to_owned(), false),
            7 => ("shift(shift(addr(x[6]), -3), 1)".to_owned(), false),
            8 => {
                let ((one, a), (other, b)) = (self.holder(), self.holder());
                let leads = self.leads(one) || self.leads(other);
                let real = self.scalar();
                (format!("if({real} > {:?}, {a}, {b})", 0.25), leads)
            }
            _ => {
                let (holder, text) = self.holder();
                (text, self.leads(holder))
            }
        }
    }

    /// A pointer of which the cells are only read.
    fn reader(&mut self) -> (String, bool) {
        match self.rng.below(5) {
            0 => (format!("addr(c[{}])", self.rng.between(1, 3)), false),
            1 => ("s".to_owned(), self.leads.s),
            2 => (format!("nodes[{}].w", self.rng.between(1, 3)), self.leads.w),
            3 => ("at^.w".to_owned(), self.leads.w),
            _ => self.pointer(),
        }
    }

    /// A place that is a scalar.
    fn scalar_place(&mut self) -> String {
        let k = self.index();
        match self.rng.below(12) {
            0 => format!("x[{}]", self.rng.between(1, 6)),
            1 => format!("z[{k}]"),
            2 => format!("nodes[{}].v[{k}]", self.rng.between(1, 3)),
            3 => format!("at^.v[{k}]"),
            4 => format!("h^[{k}]"),
            5 => format!("rows^[{k} - 1]^[{}]", self.rng.between(0, 1)),
            6 => "pp^^[1]".to_owned(),
            7 => format!("at^[0].v[{k}]"),
            _ => {
                let (_, text) = self.holder();
                match self.rng.below(3) {
                    0 => format!("{text}^"),
                    1 => format!("{text}^[1]"),
                    _ => format!("{text}^[{k} - 1]"),
                }
            }
        }
    }

    /// A scalar that is read.
    fn scalar(&mut self) -> String {
        match self.rng.below(8) {
            0 => "t".to_owned(),
            1 => format!("c[{}]", self.rng.between(1, 4)),
            2 => "s^".to_owned(),
            3 => format!("nodes[{}].w^[1]", self.rng.between(1, 3)),
            4 => "b.w^".to_owned(),
            _ => self.scalar_place(),
        }
    }

    fn expr(&mut self) -> String {
        let (a, b) = (self.scalar(), self.scalar());
        match self.rng.below(5) {
            0 => format!("sin({a})*{b}"),
            1 => format!("({a} + {b})*0.5"),
            2 => format!(
                "sin({a} - {b}) + {:?}",
                self.rng.between(-4, 4) as f64 / 4.0
            ),
            3 => format!("cos({a})"),
            _ => format!("if(p == q, sin({a}), 0.5*{b})"),
        }
    }

    /// All pointers that may lead to the object of `h` get another value before the object ends.
    fn leave_heap(&mut self) {
        let Leads {
            p, q, r, s, a, w, ..
        } = self.leads;
        let lines = [
            (p, "p := addr(x[4])"),
            (q, "q := addr(z[2])"),
            (r, "r := addr(x[1])"),
            (s, "s := addr(c[3])"),
            (a, "a := addr(x[3])"),
        ];
        for (leads, line) in lines {
            if leads {
                self.line(line);
            }
        }
        if w {
            self.line("for j = 1, 3");
            self.line("  nodes[j].w := addr(c[j])");
            self.line("end");
            self.line("b.w := addr(c[1])");
        }
        self.leads = Leads {
            at: self.leads.at,
            next: self.leads.next,
            ..Leads::default()
        };
    }

    /// Lets what leads to nodes on the heap lead to the array of nodes, or be null, before the list is freed.
    fn leave_list(&mut self) {
        if self.leads.at {
            self.line("at := addr(nodes[1])");
        }
        if self.leads.next {
            self.line("for j = 1, 3");
            self.line("  nodes[j].next := null(record Node)");
            self.line("end");
            self.line("b.next := null(record Node)");
        }
        self.leads.at = false;
        self.leads.next = false;
    }

    fn statement(&mut self) {
        match self.rng.below(if self.depth < 2 { 24 } else { 19 }) {
            0..=3 => {
                let (target, value) = (self.scalar_place(), self.expr());
                self.line(&format!("{target} := {value}"));
            }
            4..=6 => {
                let (value, leads) = self.pointer();
                let (holder, target) = self.holder();
                self.line(&format!("{target} := {value}"));
                self.note(holder, leads);
            }
            7 => {
                let (value, leads) = self.reader();
                if self.rng.percent(50) {
                    self.line(&format!("s := {value}"));
                    self.leads.s = leads;
                } else {
                    let k = self.rng.between(1, 3);
                    self.line(&format!("nodes[{k}].w := {value}"));
                    self.leads.w |= leads;
                }
            }
            8 => {
                let target = self.one_of(&["p", "a[1]", "a[2]"]);
                self.line(&format!("pp := addr({target})"));
            }
            9 => self.swap(),
            10 => {
                let ((u, _), (o, _)) = (self.pointer(), self.reader());
                let expr = self.expr();
                self.line(&format!("call mix({u}, {o}, {expr})"));
            }
            11 => {
                let (place, expr) = (self.scalar_place(), self.expr());
                // An argument that is written must have no other name in the call, so the other argument is computed
                // into a variable.
                self.line(&format!("e := {expr}"));
                let call = match self.rng.percent(50) {
                    true => format!("call bump({place}, e)"),
                    false => format!("call work({place})"),
                };
                self.line(&call);
            }
            12 => self.resize(),
            13 => self.renew(),
            14 | 15 => self.list(),
            16 => self.record(),
            17 => self.walk(),
            18 => {
                let k = self.one_of(&[
                    "distance(addr(x[1]), addr(x[4]))",
                    "distance(shift(h, 2), h)",
                    "distance(addr(nodes[3]), addr(nodes[1]))",
                ]);
                self.line(&format!("n := {k}"));
            }
            19 | 20 => {
                let test = self.test();
                self.line(&format!("if {test}"));
                let before = self.leads;
                self.block(2);
                let then = std::mem::replace(&mut self.leads, before);
                self.line("else");
                self.block(1);
                self.leads = self.leads.or(then);
                self.line("end");
            }
            21 | 22 => {
                let i = self.one_of(&["for i = 1, 2", "for i = 2, 1, -1", "for i = 1, 0"]);
                // Nested loops need different indices.
                let head = if self.depth > 0 {
                    i.replace("i =", "k =")
                } else {
                    i.to_owned()
                };
                self.line(&head);
                self.leads = Leads::ALL;
                self.block(3);
                self.leads = Leads::ALL;
                self.line("end");
            }
            _ => self.jump(),
        }
    }

    fn block(&mut self, statements: usize) {
        self.depth += 1;
        for _ in 0..statements {
            self.statement();
        }
        self.depth -= 1;
    }

    fn test(&mut self) -> String {
        match self.rng.below(5) {
            0 => "p == q".to_owned(),
            1 => "addr(x[2]) <= shift(addr(x), 2)".to_owned(),
            2 => "first != null(record Node) and distance(shift(p, 2), p) > 1".to_owned(),
            3 => format!("at {} addr(nodes[2])", self.one_of(&["==", "!="])),
            _ => format!("{} > 0.25", self.scalar()),
        }
    }

    fn swap(&mut self) {
        if self.rng.percent(40) {
            self.line("call swap(p, q)");
            std::mem::swap(&mut self.leads.p, &mut self.leads.q);
            return;
        }
        if self.rng.percent(50) {
            self.line("call swap(a[2], r)");
            let leads = self.leads.a || self.leads.r;
            self.leads.a = leads;
            self.leads.r = leads;
            return;
        }
        let ((one, first), (other, second)) = (self.holder(), self.holder());
        let (a, b) = (self.leads(one), self.leads(other));
        self.line(&format!("u := {first}"));
        self.line(&format!("{first} := {second}"));
        self.line(&format!("{second} := u"));
        self.note(one, a || b);
        self.note(other, a || b);
    }

    fn resize(&mut self) {
        let n = self.rng.between(3, 6);
        self.leave_heap();
        self.line(&format!("resize h, {n}"));
        self.line(&format!("for j = size, {}", n - 1));
        self.line("  h^[j] := 0.25*t");
        self.line("end");
        self.line(&format!("size := {n}"));
    }

    fn renew(&mut self) {
        let n = self.rng.between(3, 5);
        if self.rng.percent(20) {
            // The old object stays alive, without a pointer to it.
            self.leave_heap();
        } else {
            self.leave_heap();
            let free = self.one_of(&["free h", "call discard(h)"]);
            self.line(free);
        }
        // `h` leads to no object here, so reads of it become reads of `x`, which has the same subscripts.
        let expr = self.expr().replace("h^[", "x[1] + 0.0*x[");
        match self.rng.below(3) {
            0 => {
                self.line(&format!("e := {expr}"));
                self.line(&format!("h := call fresh({n}, e)"));
            }
            1 => self.line(&format!("allocate h, {n} zeroed")),
            _ => {
                self.line(&format!("allocate h, {n}"));
                self.line(&format!("for j = 0, {}", n - 1));
                self.line("  h^[j] := t");
                self.line("end");
            }
        }
        self.line(&format!("size := {n}"));
    }

    fn list(&mut self) {
        match self.rng.below(7) {
            0..=2 => {
                let (x, expr) = (self.rng.between(1, 5), self.expr());
                self.line(&format!(
                    "call put(first, addr({}[{x}]), {expr})",
                    if x < 4 { "c" } else { "x" }
                ));
            }
            3 => self.line("call add(first, sum)"),
            4 => {
                let expr = self.expr();
                self.line(&format!("call grow(first, {expr})"));
            }
            5 => {
                self.leave_list();
                self.line("call drop(first)");
            }
            _ => {
                self.line("if first != null(record Node)");
                self.line("  at := first");
                self.line("end");
                self.leads.at = true;
            }
        }
    }

    fn record(&mut self) {
        let (i, j) = (self.rng.between(1, 3), self.rng.between(1, 3));
        match self.rng.below(7) {
            0 => self.line("b := at^"),
            1 => {
                self.line(&format!("nodes[{i}] := nodes[{j}]"));
            }
            2 => {
                self.line(&format!("nodes[{i}] := b"));
            }
            3 => {
                let next = match self.rng.percent(50) {
                    true => format!("addr(nodes[{j}])"),
                    false => "first".to_owned(),
                };
                self.line(&format!("nodes[{i}].next := {next}"));
                self.leads.next = true;
            }
            4 => {
                self.line("if at^.next != null(record Node)");
                self.line("  at := at^.next");
                self.line("end");
                self.leads.at |= self.leads.next;
            }
            5 => self.line(&format!("at := shift(addr(nodes[1]), {})", i - 1)),
            _ => {
                let k = self.rng.between(1, 2);
                self.line(&format!("nodes[{i}].k := {k}"));
            }
        }
        if self.leads.at {
            // The record copied to `b` and `nodes` may be one of the list, so fields `next` may lead to the list.
            self.leads.next = true;
        }
    }

    /// A walk over two cells or over all of `x`.
    fn walk(&mut self) {
        if self.rng.percent(50) {
            self.line("u := addr(x)");
            self.line("o := shift(u, 6)");
            let test = self.one_of(&["u != o", "u < o", "distance(o, u) > 0"]);
            self.line(&format!("while {test}"));
            self.line("  sum := sum*0.5 + u^*u^");
            self.line("  u := shift(u, 1)");
            self.line("end");
        } else {
            let (holder, text) = self.holder();
            if holder == Holder::Behind {
                self.line("u := pp^");
                self.line("u^[1] := u^*0.5");
                return;
            }
            self.line("for j = 1, 2");
            self.line(&format!("  {text}^ := sin({text}^) + sum*0.125"));
            self.line(&format!("  {text} := shift({text}, 1)"));
            self.line("end");
            self.line(&format!("{text} := shift({text}, -2)"));
        }
    }

    /// A loop that is written with jumps.
    fn jump(&mut self) {
        self.labels += 1;
        let label = format!("again{}", self.labels);
        let counter = format!("x[{}]", self.rng.between(1, 6));
        self.line("e := 0.0");
        self.line(&format!("label {label}"));
        self.leads = Leads::ALL;
        let (target, value) = (self.scalar_place(), self.expr());
        self.line(&format!("{target} := {value}"));
        self.swap();
        self.line(&format!("z[3] := z[3] + {counter}*0.5"));
        self.leads = Leads::ALL;
        self.line("e := e + 1.0");
        self.line("if e < 2.0");
        self.line(&format!("  goto {label}"));
        self.line("end");
    }
}
