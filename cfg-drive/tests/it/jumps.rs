//! Routines with jumps as the builder writes them, against the same routines run by hand in dual numbers.

use crate::flat;
use cfg_core::{
    builder::{Label, ProgramBuilder, RoutineBuilder, expr::*},
    entity::{RoutineId, VarId},
    ir::{
        Control, Expr, Op,
        ScalarType::{Integer, Real},
    },
    validate::ValidProgram,
};
use cfg_drive::{Adjoint, Options};
use cfg_testkit::rng::Rng;

#[derive(Clone, Debug)]
enum Node {
    /// `y = y*x + k; h = modulo(5 h + k, 1009)`.
    Step(i64),
    /// If `modulo(h, k) == 0`.
    If(i64, Vec<Node>, Vec<Node>),
    Cases(Vec<Vec<Node>>),
    For(i64, Vec<Node>),
    /// Runs the body until `modulo(h, 3)` is 0, at least once, at most so often.
    Repeat(i64, Vec<Node>),
    /// A label before it, and one after it.
    Labelled(Vec<Node>),
    Break,
    Continue,
    Return,
    /// To the label after the labelled part around it that has this number, counted from the outermost.
    Leave(usize),
    /// To the label before it, if that has not been done twice.
    Again(usize),
}

/// Where a random part stands.
#[derive(Clone, Copy)]
struct Around {
    depth: usize,
    loops: usize,
    labels: usize,
}

fn nodes(rng: &mut Rng, around: Around) -> Vec<Node> {
    let mut list = vec![Node::Step(rng.between(1, 9))];
    let inside = Around {
        depth: around.depth + 1,
        ..around
    };
    let in_loop = Around {
        loops: around.loops + 1,
        ..inside
    };
    for _ in 0..rng.between(0, 3) {
        let which = rng.below(if around.depth < 4 { 11 } else { 6 });
        list.push(match which {
            0 if around.loops > 0 => Node::Break,
            1 if around.loops > 0 => Node::Continue,
            2 if around.labels > 0 => Node::Leave(rng.below(around.labels)),
            3 if around.labels > 0 => Node::Again(rng.below(around.labels)),
            4 if rng.percent(20) => Node::Return,
            6 => Node::Cases((0..3).map(|_| nodes(rng, inside)).collect()),
            7 | 8 => Node::If(rng.between(2, 4), nodes(rng, inside), nodes(rng, inside)),
            9 if rng.percent(50) => Node::For(rng.between(0, 3), nodes(rng, in_loop)),
            9 => Node::Repeat(rng.between(1, 3), nodes(rng, in_loop)),
            10 => {
                let labels = around.labels + 1;
                Node::Labelled(nodes(rng, Around { labels, ..inside }))
            }
            _ => Node::Step(rng.between(1, 9)),
        });
    }
    list
}

/// A routine that is being built.
struct Builder {
    f: RoutineBuilder,
    x: VarId,
    y: VarId,
    h: VarId,
    /// Before, after, and how often it was gone back.
    labels: Vec<(Label, Label, VarId)>,
}

impl Builder {
    fn all(&mut self, list: &[Node]) {
        for node in list {
            self.one(node);
        }
    }

    fn is_multiple(&self, k: i64) -> Expr {
        eq(Expr::op(Op::Modulo, [Expr::var(self.h), Expr::Int(k)]), 0)
    }

    fn one(&mut self, node: &Node) {
        let (x, y, h) = (self.x, self.y, self.h);
        match node {
            Node::Step(k) => {
                self.f.assign(y, y * x + *k);
                let next = Expr::var(h) * 5 + *k;
                self.f
                    .assign(h, Expr::op(Op::Modulo, [next, Expr::Int(1009)]));
            }
            Node::If(k, yes, no) => {
                let condition = self.is_multiple(*k);
                self.f.begin_if(condition);
                self.all(yes);
                self.f.begin_else();
                self.all(no);
                self.f.end_if();
            }
            Node::Cases(arms) => {
                let n = arms.len() as i64;
                self.f
                    .begin_cases(Expr::op(Op::Modulo, [Expr::var(h), Expr::Int(n)]));
                for (k, arm) in (0..).zip(arms) {
                    self.f.begin_arm(k, [k.into()], false);
                    self.all(arm);
                }
                self.f.end_cases();
            }
            Node::For(n, body) => {
                let i = self.f.temporary(Integer);
                self.f.begin_for(i, 1, *n, 1);
                self.all(body);
                self.f.end_loop();
            }
            Node::Repeat(n, body) => {
                let i = self.f.temporary(Integer);
                self.f.assign(i, 0);
                self.f.begin_repeat();
                self.f.assign(i, Expr::var(i) + 1);
                self.all(body);
                let more = Expr::op(Op::Not, [self.is_multiple(3)]);
                self.f.end_repeat(and(lt(i, *n), more));
            }
            Node::Labelled(body) => {
                let (before, after) = (self.f.label(), self.f.label());
                let back = self.f.temporary(Integer);
                self.f.assign(back, 0);
                self.f.place_label(before);
                self.labels.push((before, after, back));
                self.all(body);
                self.labels.pop();
                self.f.place_label(after);
            }
            Node::Break => self.f.break_loop(),
            Node::Continue => self.f.continue_loop(),
            Node::Return => self.f.return_now(),
            Node::Leave(k) => self.f.goto(self.labels[*k].1),
            Node::Again(k) => {
                let (before, _, back) = self.labels[*k];
                self.f.begin_if(lt(back, 2));
                self.f.assign(back, Expr::var(back) + 1);
                self.f.goto(before);
                self.f.end_if();
            }
        }
    }
}

/// y, its derivative, and h.
#[derive(Clone, Copy)]
struct State {
    y: [f64; 2],
    h: i64,
}

#[derive(Clone, Copy, PartialEq)]
enum Flow {
    On,
    Break,
    Continue,
    Return,
    Leave(usize),
    Again(usize),
}

fn run(list: &[Node], x: f64, s: &mut State, back: &mut Vec<i64>) -> Flow {
    for node in list {
        let flow = match node {
            Node::Step(k) => {
                let [y, dy] = s.y;
                s.y = [y * x + *k as f64, dy * x + y];
                s.h = (5 * s.h + k) % 1009;
                Flow::On
            }
            Node::If(k, yes, no) => run(if s.h % k == 0 { yes } else { no }, x, s, back),
            Node::Cases(arms) => run(&arms[s.h as usize % arms.len()], x, s, back),
            Node::For(n, body) => {
                let mut flow = Flow::On;
                for _ in 0..*n {
                    flow = run(body, x, s, back);
                    if !matches!(flow, Flow::On | Flow::Continue) {
                        break;
                    }
                }
                flow
            }
            Node::Repeat(n, body) => {
                let mut passes = 0;
                loop {
                    passes += 1;
                    let flow = run(body, x, s, back);
                    let on = matches!(flow, Flow::On | Flow::Continue);
                    if !on || passes >= *n || s.h % 3 == 0 {
                        break flow;
                    }
                }
            }
            Node::Labelled(body) => {
                let own = back.len();
                back.push(0);
                let flow = loop {
                    match run(body, x, s, back) {
                        Flow::Leave(k) if k == own => break Flow::On,
                        Flow::Again(k) if k == own => back.truncate(own + 1),
                        flow => break flow,
                    }
                };
                back.truncate(own);
                flow
            }
            Node::Break => Flow::Break,
            Node::Continue => Flow::Continue,
            Node::Return => Flow::Return,
            Node::Leave(k) => Flow::Leave(*k),
            Node::Again(k) if back[*k] < 2 => {
                back[*k] += 1;
                Flow::Again(*k)
            }
            Node::Again(_) => Flow::On,
        };
        let is_loop = matches!(node, Node::For(..) | Node::Repeat(..));
        match flow {
            Flow::On => {}
            Flow::Break | Flow::Continue if is_loop => {}
            flow => return flow,
        }
    }
    Flow::On
}

fn program(list: &[Node]) -> (ValidProgram, RoutineId) {
    let mut f = RoutineBuilder::new("f");
    let (x, h) = (f.input("x", Real), f.inout("h", Integer));
    let y = f.output("y", Real);
    f.independents([x]).dependents([y]);
    f.assign(y, x);
    let mut builder = Builder {
        f,
        x,
        y,
        h,
        labels: Vec::new(),
    };
    builder.all(list);
    let mut program = ProgramBuilder::new();
    let f = program.add(builder.f);
    (program.finish().expect("the builder is used right"), f)
}

#[test]
fn random_routines_with_jumps() {
    let (mut general, mut structured) = (0, 0);
    for seed in 0..400 {
        let mut rng = Rng::new(seed);
        let outside = Around {
            depth: 0,
            loops: 0,
            labels: 0,
        };
        let list = nodes(&mut rng, outside);
        let (program, f) = program(&list);
        match program.routine(f).control {
            Control::General => general += 1,
            Control::Structured => structured += 1,
        }
        let mut adjoint =
            Adjoint::new(&flat(&program), f, &Options::default()).expect("an adjoint");
        for h in 0..6 {
            let x = 0.5;
            let mut state = State { y: [x, 1.0], h };
            run(&list, x, &mut state, &mut Vec::new());
            let point = format!(r#"{{"x": {x}, "h": {h}}}"#);
            let point = adjoint.read_point(point.as_bytes()).expect("a point");
            let seed_of_y = adjoint.default_seed(&point).expect("one scalar");
            let found = adjoint.gradient(&point, &seed_of_y).expect("it runs");
            let value = super::reals(&found.value, "y")[0];
            let gradient = super::reals(&found.gradient, "x")[0];
            let near = |a: f64, b: f64| (a - b).abs() <= 1e-12 * b.abs().max(1.0);
            assert!(
                near(value, state.y[0]) && near(gradient, state.y[1]),
                "seed {seed}, h {h}: {value} {gradient}, expected {:?}: {list:?}",
                state.y
            );
            let tape = found.tape.as_ref().expect("the executor counts");
            assert_eq!(tape.pushes, tape.pops);
        }
        let checked = super::checked(&program, f, r#"{"x": 0.5, "h": 1}"#);
        assert_ne!(checked.agrees(), Some(false), "seed {seed}: {checked:?}");
    }
    assert!(general > 100 && structured > 50, "{general} {structured}");
}

/// A nest of loops, most of them with one pass, that is left from everywhere: by returns, and to labels in
/// and around it.
fn nest(rng: &mut Rng, depth: usize, around: Around) -> Vec<Node> {
    let mut list = vec![Node::Step(rng.between(1, 9))];
    let leave = match rng.below(3) {
        0 if around.labels > 0 => Node::Leave(rng.below(around.labels)),
        _ => Node::Return,
    };
    list.push(Node::If(rng.between(20, 60), vec![leave], Vec::new()));
    if depth > 0 {
        let labels = around.labels + usize::from(depth.is_multiple_of(3));
        let inner = nest(rng, depth - 1, Around { labels, ..around });
        let passes = if depth.is_multiple_of(11) { 2 } else { 1 };
        let inner = match rng.percent(50) {
            true => vec![Node::For(passes, inner)],
            false => vec![Node::Repeat(passes, inner)],
        };
        list.push(match labels > around.labels {
            true => Node::Labelled(inner),
            false => inner.into_iter().next().expect("there is one"),
        });
        list.push(Node::Step(1));
    }
    list
}

#[test]
fn many_ways_out_of_deep_nests() {
    let mut sizes = Vec::new();
    for depth in [30, 60, 60, 60, 120, 480] {
        let mut rng = Rng::new(depth as u64 + sizes.len() as u64);
        let outside = Around {
            depth: 0,
            loops: 0,
            labels: 0,
        };
        let list = nest(&mut rng, depth, outside);
        let (program, f) = program(&list);
        let reversal = cfg_reverse::reverse(&flat(&program), f, &cfg_reverse::Options::default());
        let reversal = reversal.expect("it has an adjoint");
        let vertices = |r: RoutineId| {
            let body = reversal.program.routine(r).body.as_ref();
            body.map_or(0, |cfg| cfg.vertex_count())
        };
        sizes.push((
            vertices(f),
            vertices(reversal.forward),
            vertices(reversal.reverse),
        ));
        let mut adjoint =
            Adjoint::new(&flat(&program), f, &Options::default()).expect("an adjoint");
        for h in 0..40 {
            let x = 0.5;
            let mut state = State { y: [x, 1.0], h };
            run(&list, x, &mut state, &mut Vec::new());
            let point = format!(r#"{{"x": {x}, "h": {h}}}"#);
            let point = adjoint.read_point(point.as_bytes()).expect("a point");
            let seed_of_y = adjoint.default_seed(&point).expect("one scalar");
            let found = adjoint.gradient(&point, &seed_of_y).expect("it runs");
            let value = super::reals(&found.value, "y")[0];
            let gradient = super::reals(&found.gradient, "x")[0];
            let near = |a: f64, b: f64| (a - b).abs() <= 1e-12 * b.abs().max(1.0);
            assert!(
                near(value, state.y[0]) && near(gradient, state.y[1]),
                "depth {depth}, h {h}: {value} {gradient}, expected {:?}",
                state.y
            );
        }
        if depth <= 60 {
            let checked = super::checked(&program, f, r#"{"x": 0.5, "h": 1}"#);
            assert_ne!(checked.agrees(), Some(false), "depth {depth}: {checked:?}");
        }
    }
    for (original, forward, reverse) in &sizes {
        assert!(
            *forward < 5 * original && *reverse < 5 * original,
            "{sizes:?}"
        );
    }
}
