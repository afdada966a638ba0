//! Programs written as lines with labels and jumps, and real shapes of control flow in this form: break, continue,
//! return, goto, switch and state machines after translation to blocks and jumps.

use crate::case::{Case, Datum, Elements};
use cfg_core::{
    builder::{RoutineBuilder, expr::*},
    entity::{RoutineId, VarId, VertexId},
    ir::{
        Arm, CaseRange, Cfg, Control, Edge, Expr, Program, ScalarType, Selector, Stmt, Vertex,
        VertexKind,
    },
};
use std::collections::HashMap;

/// One line.
enum Line {
    Label(&'static str),
    Set(VarId, Expr),
    Goto(&'static str),
    If(Expr, &'static str),
    /// A jump to the k-th label if the value is k, counted from 0; otherwise control falls through.
    Switch(Expr, Vec<&'static str>),
}

/// A routine under construction. `x := x*a + 1` is the work of a block; integers decide.
pub struct Jumps {
    f: RoutineBuilder,
    lines: Vec<Line>,
    a: VarId,
    x: VarId,
    /// Number of trips.
    pub n: VarId,
    /// Integers, 0 at the start.
    pub i: VarId,
    /// See [`Jumps::i`].
    pub j: VarId,
    /// See [`Jumps::i`].
    pub k: VarId,
}

impl Jumps {
    fn new() -> Self {
        let mut f = RoutineBuilder::new("f");
        let a = f.input("a", ScalarType::Real);
        let n = f.input("n", ScalarType::Integer);
        let x = f.inout("x", ScalarType::Real);
        f.independents([a, x]).dependents([x]);
        let [i, j, k] = ["i", "j", "k"].map(|v| f.local(v, ScalarType::Integer));
        let lines = [i, j, k].map(|v| Line::Set(v, Expr::Int(0))).into();
        Self {
            f,
            lines,
            a,
            x,
            n,
            i,
            j,
            k,
        }
    }

    /// A label.
    pub fn at(&mut self, label: &'static str) -> &mut Self {
        self.lines.push(Line::Label(label));
        self
    }

    /// An assignment.
    pub fn set(&mut self, v: VarId, e: impl Into<Expr>) -> &mut Self {
        self.lines.push(Line::Set(v, e.into()));
        self
    }

    /// `v := v + 1`
    pub fn next(&mut self, v: VarId) -> &mut Self {
        self.set(v, v + 1)
    }

    /// Adds `x := x*a + 1`, which depends on the independents.
    pub fn work(&mut self) -> &mut Self {
        let (x, a) = (self.x, self.a);
        self.set(x, x * a + 1.0)
    }

    /// A jump.
    pub fn goto(&mut self, label: &'static str) -> &mut Self {
        self.lines.push(Line::Goto(label));
        self
    }

    /// A conditional jump.
    pub fn when(&mut self, condition: Expr, label: &'static str) -> &mut Self {
        self.lines.push(Line::If(condition, label));
        self
    }

    /// A computed jump.
    pub fn switch(&mut self, value: impl Into<Expr>, labels: &[&'static str]) -> &mut Self {
        self.lines.push(Line::Switch(value.into(), labels.to_vec()));
        self
    }

    fn case(mut self, trips: i64) -> Case {
        let cfg = self.graph();
        self.f.body(cfg, Control::General);
        let routine = self.f.finish().expect("the builder is used right");
        let scalar = |elements| Datum {
            extents: Vec::new(),
            elements,
        };
        Case {
            program: Program {
                routines: vec![routine],
                main: Some(RoutineId::new(0)),
                ..Program::default()
            },
            main: RoutineId::new(0),
            point: vec![
                (self.a, scalar(Elements::Real(vec![1.0]))),
                (self.n, scalar(Elements::Integer(vec![trips]))),
                (self.x, scalar(Elements::Real(vec![1.0]))),
            ],
            direction: vec![(self.a, vec![1.0]), (self.x, vec![2.0])],
            seed: vec![(self.x, vec![1.0])],
        }
    }

    fn graph(&mut self) -> Cfg {
        let mut vertices: Vec<VertexKind> = vec![VertexKind::Entry];
        let mut edges: Vec<(usize, &'static str, Option<i64>)> = Vec::new();
        let mut falls: Vec<(usize, usize, Option<i64>)> = Vec::new();
        let mut place: HashMap<&'static str, usize> = HashMap::new();
        // The vertex from which control falls through to the next line; `None` after a jump.
        let mut open: Option<(usize, Option<i64>)> = Some((0, None));
        let mut lines = std::mem::take(&mut self.lines);
        lines.push(Line::Label("end"));
        for line in lines {
            let in_block = open.is_some_and(|(v, label)| {
                label.is_none() && matches!(vertices[v], VertexKind::Block(_))
            });
            match line {
                Line::Label(label) => {
                    let block = vertices.len();
                    vertices.push(VertexKind::Block(Vec::new()));
                    place.insert(label, block);
                    if let Some((from, arm)) = open {
                        falls.push((from, block, arm));
                    }
                    open = Some((block, None));
                }
                Line::Set(v, e) => {
                    if !in_block {
                        let block = vertices.len();
                        vertices.push(VertexKind::Block(Vec::new()));
                        if let Some((from, arm)) = open {
                            falls.push((from, block, arm));
                        }
                        open = Some((block, None));
                    }
                    if let Some((block, _)) = open
                        && let VertexKind::Block(statements) = &mut vertices[block]
                    {
                        statements.push(Stmt::assign(v.into(), e));
                    }
                }
                Line::Goto(label) => {
                    if let Some((from, arm)) = open.take() {
                        edges.push((from, label, arm));
                    }
                }
                Line::If(condition, label) => {
                    let branch = vertices.len();
                    vertices.push(VertexKind::Branch(Box::new(Selector::Condition(condition))));
                    if let Some((from, arm)) = open {
                        falls.push((from, branch, arm));
                    }
                    edges.push((branch, label, Some(1)));
                    open = Some((branch, Some(0)));
                }
                Line::Switch(value, labels) => {
                    let branch = vertices.len();
                    let arm = |k: usize, default| Arm {
                        label: k as i64,
                        cases: if default {
                            Box::default()
                        } else {
                            Box::new([CaseRange {
                                lower: Some(k as i64),
                                upper: Some(k as i64),
                            }])
                        },
                        default,
                    };
                    let mut arms: Vec<Arm> = (0..labels.len()).map(|k| arm(k, false)).collect();
                    arms.push(arm(labels.len(), true));
                    vertices.push(VertexKind::Branch(Box::new(Selector::Cases {
                        value,
                        arms: arms.into(),
                    })));
                    if let Some((from, arm)) = open {
                        falls.push((from, branch, arm));
                    }
                    for (k, label) in labels.iter().enumerate() {
                        edges.push((branch, label, Some(k as i64)));
                    }
                    open = Some((branch, Some(labels.len() as i64)));
                }
            }
        }
        let exit = vertices.len();
        vertices.push(VertexKind::Exit);
        if let Some((from, arm)) = open {
            falls.push((from, exit, arm));
        }
        let jumps = edges
            .into_iter()
            .filter_map(|(from, label, arm)| Some((from, *place.get(label)?, arm)));
        let v = VertexId::new;
        let edges = jumps
            .chain(falls)
            .map(|(from, to, arm)| Edge::new(v(from), v(to), arm));
        let edges = edges.collect();
        let numbered = vertices.into_iter().zip(1..);
        let vertices = numbered.map(|(kind, id)| Vertex::new(id, kind)).collect();
        Cfg::new(vertices, edges).expect("edges are between vertices that were made")
    }
}

/// A named shape.
pub struct Shape {
    /// The usual name of the shape.
    pub name: &'static str,
    /// The program, at a point at which every loop runs ten times or more.
    pub case: Case,
}

type Write = fn(&mut Jumps);

/// Real shapes.
pub fn shapes() -> Vec<Shape> {
    let all = SHAPES.iter().map(|&(name, trips, write)| {
        let mut jumps = Jumps::new();
        write(&mut jumps);
        Shape {
            name,
            case: jumps.case(trips),
        }
    });
    all.collect()
}

/// One statement per jump is easier to compare with the source that it stands for.
const SHAPES: &[(&str, i64, Write)] = &[
    ("while", 20, |f| {
        let (i, n) = (f.i, f.n);
        f.at("head").when(ge(i, n), "end");
        f.work().next(i).goto("head");
    }),
    ("do while", 20, |f| {
        let (i, n) = (f.i, f.n);
        f.at("head").work().next(i).when(lt(i, n), "head");
    }),
    ("nested loops", 12, |f| {
        let (i, j, n) = (f.i, f.j, f.n);
        f.at("outer").when(ge(i, n), "end").set(j, 0);
        f.at("inner")
            .when(ge(j, n), "next")
            .work()
            .next(j)
            .goto("inner");
        f.at("next").next(i).goto("outer");
    }),
    ("triangular nest", 12, |f| {
        let (i, j, n) = (f.i, f.j, f.n);
        f.at("outer").when(ge(i, n), "end").set(j, -10);
        f.at("inner")
            .when(gt(j, i), "next")
            .work()
            .next(j)
            .goto("inner");
        f.at("next").next(i).goto("outer");
    }),
    ("while with if", 24, |f| {
        let (i, n) = (f.i, f.n);
        f.at("head").when(ge(i, n), "end").work();
        f.when(eq(modulus(i, 3), 0), "skip").work();
        f.at("skip").next(i).goto("head");
    }),
    ("while with if else", 24, |f| {
        let (i, n) = (f.i, f.n);
        f.at("head").when(ge(i, n), "end");
        f.when(eq(modulus(i, 2), 0), "even").work().goto("join");
        f.at("even").work();
        f.at("join").work().next(i).goto("head");
    }),
    ("break", 20, |f| {
        let (i, n) = (f.i, f.n);
        f.at("head").when(ge(i, n), "end").work();
        f.when(eq(i, 15), "end").work().next(i).goto("head");
    }),
    ("break in nest", 20, |f| {
        let (i, j, n) = (f.i, f.j, f.n);
        f.at("outer").when(ge(i, n), "end").set(j, 0);
        f.at("inner").when(ge(j, n), "next").work();
        f.when(eq(j, i + 10), "next").work().next(j).goto("inner");
        f.at("next").work().next(i).goto("outer");
    }),
    ("two breaks", 30, |f| {
        let (i, n) = (f.i, f.n);
        f.at("head").when(ge(i, n), "end").work();
        f.when(eq(i * 2, n + 9), "end").work();
        f.when(eq(i, 25), "end").work().next(i).goto("head");
    }),
    ("break with cleanup", 20, |f| {
        let (i, n) = (f.i, f.n);
        f.at("head").when(ge(i, n), "end").work();
        f.when(eq(i, 17), "found").next(i).goto("head");
        f.at("found").work().work();
    }),
    ("loop and a half", 20, |f| {
        let (i, n) = (f.i, f.n);
        f.at("head")
            .work()
            .when(ge(i, n), "end")
            .work()
            .next(i)
            .goto("head");
    }),
    ("endless with break", 20, |f| {
        let (i, n) = (f.i, f.n);
        f.at("head").work().next(i).when(eq(i, n), "end").work();
        f.when(eq(i, n + 5), "end").goto("head");
    }),
    ("continue", 24, |f| {
        let (i, n) = (f.i, f.n);
        f.at("head").when(ge(i, n), "end").next(i);
        f.when(eq(modulus(i, 4), 1), "head")
            .work()
            .work()
            .goto("head");
    }),
    ("two continues", 24, |f| {
        let (i, n) = (f.i, f.n);
        f.at("head").when(ge(i, n), "end").next(i);
        f.when(eq(modulus(i, 4), 1), "head").work();
        f.when(eq(modulus(i, 6), 2), "head").work().goto("head");
    }),
    ("continue outer", 14, |f| {
        let (i, j, n) = (f.i, f.j, f.n);
        f.at("outer").next(i).when(gt(i, n), "end").set(j, 0);
        f.at("inner").when(ge(j, n), "after").work().next(j);
        f.when(gt(j, i + 10), "outer").goto("inner");
        f.at("after").work().goto("outer");
    }),
    ("continue and break", 24, |f| {
        let (i, n) = (f.i, f.n);
        f.at("head").when(ge(i, n), "end").next(i);
        f.when(eq(modulus(i, 5), 0), "head").work();
        f.when(eq(i, 22), "end").work().goto("head");
    }),
    ("early return", 20, |f| {
        let (i, n) = (f.i, f.n);
        f.at("head").when(ge(i, n), "after").work();
        f.when(eq(i, 14), "end").next(i).goto("head");
        f.at("after").work();
    }),
    ("early return from nest", 14, |f| {
        let (i, j, n) = (f.i, f.j, f.n);
        f.at("outer").when(ge(i, n), "after").set(j, 0);
        f.at("inner").when(ge(j, n), "next").work();
        f.when(gt(i + j, 24), "end").next(j).goto("inner");
        f.at("next").next(i).goto("outer");
        f.at("after").work();
    }),
    ("return from three loops", 11, |f| {
        let (i, j, k, n) = (f.i, f.j, f.k, f.n);
        f.at("a").when(ge(i, n), "after").set(j, 0);
        f.at("b").when(ge(j, n), "na").set(k, 0);
        f.at("c").when(ge(k, n), "nb").work();
        f.when(gt(i + j + k, 29), "end").next(k).goto("c");
        f.at("nb").next(j).goto("b");
        f.at("na").next(i).goto("a");
        f.at("after").work();
    }),
    ("returns at several depths", 12, |f| {
        let (i, j, n) = (f.i, f.j, f.n);
        f.at("outer").when(ge(i, n), "after").set(j, 0);
        f.when(eq(i, 40), "end");
        f.at("inner").when(ge(j, n), "next").work();
        f.when(gt(i + j, 21), "end").next(j).goto("inner");
        f.at("next").next(i).goto("outer");
        f.at("after").work();
    }),
    ("error exits", 16, |f| {
        let (i, n) = (f.i, f.n);
        f.when(lt(n, 0), "error").work();
        f.at("head").when(ge(i, n), "after").work();
        f.when(gt(i, 90), "error").work();
        f.when(lt(i, 0), "error").next(i).goto("head");
        f.at("after").work().goto("end");
        f.at("error").work();
    }),
    ("goto cleanup", 16, |f| {
        let (i, j, n) = (f.i, f.j, f.n);
        f.at("head").when(ge(i, n), "second").work();
        f.when(gt(i, 90), "clean2").next(i).goto("head");
        f.at("second").when(ge(j, n), "end").work();
        f.when(eq(j, 13), "clean1").next(j).goto("second");
        f.at("clean1").work();
        f.at("clean2").work();
    }),
    ("break two levels", 14, |f| {
        let (i, j, n) = (f.i, f.j, f.n);
        f.at("outer").when(ge(i, n), "after").set(j, 0);
        f.at("inner").when(ge(j, n), "next").work();
        f.when(gt(i * j, 120), "after").work().next(j).goto("inner");
        f.at("next").next(i).goto("outer");
        f.at("after").work();
    }),
    ("break one or two levels", 14, |f| {
        let (i, j, n) = (f.i, f.j, f.n);
        f.at("outer").when(ge(i, n), "after").set(j, 0);
        f.at("inner").when(ge(j, n), "next").work();
        f.when(gt(i * j, 120), "after");
        f.when(gt(j, 12), "next").work().next(j).goto("inner");
        f.at("next").work().next(i).goto("outer");
        f.at("after").work();
    }),
    ("switch", 24, |f| {
        let (i, n) = (f.i, f.n);
        f.at("head").when(ge(i, n), "end");
        f.switch(modulus(i, 4), &["s0", "s1", "s2"])
            .work()
            .goto("join");
        f.at("s0").work().goto("join");
        f.at("s1").work().work().goto("join");
        f.at("s2").work().goto("join");
        f.at("join").work().next(i).goto("head");
    }),
    ("switch with fall-through", 24, |f| {
        let (i, n) = (f.i, f.n);
        f.at("head").when(ge(i, n), "end");
        f.switch(modulus(i, 4), &["s0", "s1", "s2"]).goto("join");
        f.at("s0").work();
        f.at("s1").work();
        f.at("s2").work();
        f.at("join").work().next(i).goto("head");
    }),
    ("switch with break and fall-through", 24, |f| {
        let (i, n) = (f.i, f.n);
        f.at("head").when(ge(i, n), "end");
        f.switch(modulus(i, 5), &["s0", "s1", "s2", "s3"])
            .goto("join");
        f.at("s0").work().goto("join");
        f.at("s1").work();
        f.at("s2").work().goto("join");
        f.at("s3").work();
        f.at("join").work().next(i).goto("head");
    }),
    ("switch with default in the middle", 24, |f| {
        let (i, n) = (f.i, f.n);
        f.at("head").when(ge(i, n), "end");
        f.switch(modulus(i, 5), &["s0", "s1"]).work().goto("s1");
        f.at("s0").work();
        f.at("s1").work().next(i).goto("head");
    }),
    ("switch around a loop", 12, |f| {
        let (i, j, n) = (f.i, f.j, f.n);
        f.at("head").when(ge(i, n), "end").set(j, 0);
        f.switch(modulus(i, 3), &["loop", "plain"]).work();
        f.at("loop")
            .when(ge(j, n), "plain")
            .work()
            .next(j)
            .goto("loop");
        f.at("plain").work().next(i).goto("head");
    }),
    ("switch into a loop body", 40, |f| {
        // Duff's device.
        let (i, n) = (f.i, f.n);
        f.switch(modulus(n, 4), &["s0", "s3", "s2", "s1"]);
        f.at("s0").work();
        f.at("s1").work();
        f.at("s2").work();
        f.at("s3").work().next(i).when(lt(i, n), "s0");
    }),
    ("jump into a loop", 20, |f| {
        let (i, n) = (f.i, f.n);
        f.when(gt(n, 5), "middle");
        f.at("head").work();
        f.at("middle").work().next(i).when(lt(i, n), "head");
    }),
    ("two-entry loop", 20, |f| {
        let (i, n) = (f.i, f.n);
        f.when(eq(modulus(n, 2), 0), "b");
        f.at("a").work().next(i).when(ge(i, n), "end");
        f.at("b").work().next(i).when(lt(i, n), "a");
    }),
    ("two-entry loop in a counted loop", 12, |f| {
        let (i, j, n) = (f.i, f.j, f.n);
        f.at("head").when(ge(i, n), "end").set(j, 0);
        f.when(eq(modulus(i, 2), 0), "b");
        f.at("a").work().next(j);
        f.at("b").work().next(j).when(lt(j, n), "a");
        f.next(i).goto("head");
    }),
    ("two-entry loop around a counted loop", 12, |f| {
        let (i, j, n) = (f.i, f.j, f.n);
        f.when(eq(modulus(n, 2), 0), "b");
        f.at("a").work();
        f.at("b").set(j, 0);
        f.at("inner")
            .when(ge(j, n), "next")
            .work()
            .next(j)
            .goto("inner");
        f.at("next").next(i).when(lt(i, n), "a");
    }),
    ("two-entry loop with two exits", 20, |f| {
        let (i, n) = (f.i, f.n);
        f.when(eq(modulus(n, 2), 0), "b");
        f.at("a").work().next(i).when(gt(i, n), "end");
        f.at("b").work().next(i).when(le(i, n), "a");
        f.work();
    }),
    ("three-entry loop", 30, |f| {
        let (i, n) = (f.i, f.n);
        f.switch(modulus(n, 3), &["b", "c"]);
        f.at("a").work().next(i);
        f.at("b").work().next(i);
        f.at("c").work().next(i).when(lt(i, n), "a");
    }),
    ("state machine", 40, |f| {
        let (i, k, n) = (f.i, f.k, f.n);
        f.at("head").when(ge(i, n), "end").next(i);
        f.switch(k, &["s0", "s1", "s2"]).goto("end");
        f.at("s0").work().set(k, modulus(i, 3)).goto("head");
        f.at("s1").work().set(k, modulus(i, 2) + 1).goto("head");
        f.at("s2").work().set(k, 0).goto("head");
    }),
    ("state machine of jumps", 40, |f| {
        let (i, n) = (f.i, f.n);
        f.at("s0").work().next(i).when(ge(i, n), "end");
        f.when(eq(modulus(i, 3), 0), "s1")
            .when(eq(modulus(i, 3), 1), "s2")
            .goto("s0");
        f.at("s1").work().next(i).when(ge(i, n), "end");
        f.when(eq(modulus(i, 2), 0), "s0");
        f.at("s2").work().next(i).when(ge(i, n), "end");
        f.when(eq(modulus(i, 5), 0), "s1").goto("s0");
    }),
    ("scanner", 60, |f| {
        let (i, k, n) = (f.i, f.k, f.n);
        f.at("token")
            .when(ge(i, n), "end")
            .set(k, modulus(i * 7, 5));
        f.when(lt(k, 2), "word")
            .when(eq(k, 2), "blank")
            .work()
            .next(i)
            .goto("token");
        f.at("word")
            .work()
            .next(i)
            .when(ne(modulus(i, 12), 0), "word")
            .goto("token");
        f.at("blank")
            .next(i)
            .when(ne(modulus(i, 11), 0), "blank")
            .goto("token");
    }),
    ("computed goto", 40, |f| {
        let (i, k, n) = (f.i, f.k, f.n);
        f.at("again").next(i).set(k, modulus(i * i, 7));
        f.switch(k, &["a", "b", "c"])
            .when(ge(i, n), "end")
            .goto("again");
        f.at("a").work().when(lt(i, n), "again").goto("end");
        f.at("b").work();
        f.at("c").work().when(lt(i, n), "again");
    }),
    ("interpreter", 48, |f| {
        let (i, k, n) = (f.i, f.k, f.n);
        f.at("fetch")
            .when(ge(i, n), "end")
            .set(k, modulus(i * 5, 8))
            .next(i);
        f.switch(k, &["add", "mul", "jump", "skip", "add", "mul"])
            .goto("fetch");
        f.at("add").work().goto("fetch");
        f.at("mul").work().work().goto("fetch");
        f.at("jump").next(i).goto("fetch");
        f.at("skip")
            .when(eq(modulus(i, 2), 0), "fetch")
            .work()
            .goto("fetch");
    }),
    ("retry", 14, |f| {
        let (i, j, n) = (f.i, f.j, f.n);
        f.at("head").when(ge(i, n), "end").set(j, 0);
        f.at("retry")
            .work()
            .next(j)
            .when(lt(j, 10 + modulus(i, 3)), "retry");
        f.work().next(i).goto("head");
    }),
    ("search with sentinel", 30, |f| {
        let (i, n) = (f.i, f.n);
        f.at("head")
            .work()
            .next(i)
            .when(ne(modulus(i * i, n), n - 4), "more")
            .goto("found");
        f.at("more").when(lt(i, n), "head").goto("end");
        f.at("found").work();
    }),
    ("arithmetic if", 30, |f| {
        let (i, k, n) = (f.i, f.k, f.n);
        f.at("head").when(ge(i, n), "end").set(k, modulus(i, 3) - 1);
        f.when(lt(k, 0), "minus")
            .when(eq(k, 0), "zero")
            .work()
            .goto("next");
        f.at("minus").work();
        f.at("zero").work();
        f.at("next").next(i).goto("head");
    }),
    ("short-circuit condition", 24, |f| {
        let (i, n) = (f.i, f.n);
        f.at("head").when(ge(i, n), "end");
        f.when(eq(modulus(i, 2), 0), "yes")
            .when(eq(modulus(i, 3), 0), "yes")
            .goto("no");
        f.at("yes").work();
        f.at("no").work().next(i).goto("head");
    }),
    ("loop with two tails", 24, |f| {
        let (i, n) = (f.i, f.n);
        f.at("head").work().next(i).when(ge(i, n), "end");
        f.when(eq(modulus(i, 2), 0), "even").work().goto("head");
        f.at("even").work().goto("head");
    }),
    ("iteration with convergence test", 30, |f| {
        let (i, j, n) = (f.i, f.j, f.n);
        f.at("sweep").set(j, 0);
        f.at("point").work().next(j).when(lt(j, n), "point");
        f.next(i)
            .when(ge(i, n), "diverged")
            .when(lt(i * 3, n), "sweep")
            .goto("end");
        f.at("diverged").work();
    }),
    ("sort with early end", 14, |f| {
        let (i, j, k, n) = (f.i, f.j, f.k, f.n);
        f.at("pass").set(k, 0).set(j, 0);
        f.at("step").when(ge(j, n), "check");
        f.when(ne(modulus(i + j, 3), 0), "keep").work().set(k, 1);
        f.at("keep").next(j).goto("step");
        f.at("check")
            .next(i)
            .when(eq(k, 0), "end")
            .when(lt(i, n), "pass");
    }),
];
