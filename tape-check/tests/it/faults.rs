//! Faults planted into generated sweeps: the checker must find each.

use cfg_core::{
    entity::{EdgeId, RoutineId, VarId, VertexId},
    graph::{Reversed, dominance::Dominators, loops::LoopForest, reachable},
    ir::{
        Cfg, Control, ControlWidth, Edge, Expr, LoopTest, Op, OriginRole, Program, Role, Selector,
        Stmt, StmtKind, Subscript, TapeClass, Vertex, VertexKind,
    },
};
use fixedbitset::FixedBitSet;
use tape_check::Pair;

/// A kind of fault.
pub(crate) struct Fault {
    pub(crate) name: &'static str,
    /// All programs with this fault planted at one place of the pair.
    pub(crate) plant: fn(&Program, Pair) -> Vec<Program>,
}

/// Every kind.
pub(crate) const FAULTS: &[Fault] = &[
    Fault {
        name: "push dropped",
        plant: |p, pair| each(p, pair.forward, is_push, |_, b, s| drop(b.remove(s))),
    },
    Fault {
        name: "pop dropped",
        plant: |p, pair| each(p, pair.reverse, is_pop, |_, b, s| drop(b.remove(s))),
    },
    Fault {
        name: "push twice",
        plant: |p, pair| {
            each(p, pair.forward, is_push, |_, b, s| {
                b.insert(s, b[s].clone());
            })
        },
    },
    Fault {
        name: "pop twice",
        plant: |p, pair| each(p, pair.reverse, is_pop, |_, b, s| b.insert(s, b[s].clone())),
    },
    Fault {
        name: "pops swapped",
        plant: |p, pair| swapped(p, pair.reverse, is_pop),
    },
    Fault {
        name: "pushes swapped",
        plant: |p, pair| swapped(p, pair.forward, is_push),
    },
    Fault {
        name: "other width pushed",
        plant: |p, pair| {
            each(p, pair.forward, is_control, |_, b, s| {
                other_width(&mut b[s]);
            })
        },
    },
    Fault {
        name: "other width popped",
        plant: |p, pair| {
            each(p, pair.reverse, is_control, |_, b, s| {
                other_width(&mut b[s]);
            })
        },
    },
    Fault {
        name: "count pushed as an integer",
        plant: |p, pair| {
            each(p, pair.forward, is_count, |_, b, s| {
                if let StmtKind::Push { class, .. } = &mut b[s].kind {
                    *class = TapeClass::Integer;
                }
            })
        },
    },
    Fault {
        name: "marker of another arm",
        plant: another_marker,
    },
    Fault {
        name: "increment dropped",
        plant: |p, pair| each_of_counters(p, pair, is_increment, |b, s| drop(b.remove(s))),
    },
    Fault {
        name: "increment twice",
        plant: |p, pair| each_of_counters(p, pair, is_increment, |b, s| b.insert(s, b[s].clone())),
    },
    Fault {
        name: "increment by two",
        plant: |p, pair| {
            each_of_counters(p, pair, is_increment, |b, s| {
                if let StmtKind::Assign { value, .. } = &mut b[s].kind {
                    *value = Expr::op(Op::Add, [value.clone(), Expr::Int(1)]);
                }
            })
        },
    },
    Fault {
        name: "counter starts at one",
        plant: |p, pair| {
            each_of_counters(p, pair, is_start, |b, s| {
                if let StmtKind::Assign { value, .. } = &mut b[s].kind {
                    *value = Expr::Int(1);
                }
            })
        },
    },
    Fault {
        name: "counter not started",
        plant: |p, pair| each_of_counters(p, pair, is_start, |b, s| drop(b.remove(s))),
    },
    Fault {
        name: "increment in another loop",
        plant: |p, pair| {
            let counters = counters(p, pair);
            moved(p, pair.forward, |s| is_increment(s, &counters))
        },
    },
    Fault {
        name: "count pushed in another loop",
        plant: |p, pair| moved(p, pair.forward, is_count),
    },
    Fault {
        name: "push in another loop",
        plant: |p, pair| moved(p, pair.forward, is_push),
    },
    Fault {
        name: "pop in another loop",
        plant: |p, pair| moved(p, pair.reverse, is_pop),
    },
    Fault {
        name: "push in an arm",
        plant: |p, pair| into_arm(p, pair.forward, is_push),
    },
    Fault {
        name: "pop in an arm",
        plant: |p, pair| into_arm(p, pair.reverse, is_pop),
    },
    Fault {
        name: "bound changed",
        plant: |p, pair| {
            each(p, pair.reverse, is_count, |_, b, s| {
                if let StmtKind::Pop { target, .. } = &b[s].kind {
                    let more = Expr::op(Op::Add, [Expr::from(target.clone()), Expr::Int(1)]);
                    b.insert(s + 1, Stmt::assign(target.clone(), more));
                }
            })
        },
    },
    Fault {
        name: "marker changed",
        plant: |p, pair| {
            let bits = |s: &Stmt| is_pop(s) && is_control(s) && !is_count(s);
            each(p, pair.reverse, bits, |_, b, s| {
                if let StmtKind::Pop { target, .. } = &b[s].kind {
                    let other = Expr::op(Op::Sub, [Expr::Int(1), Expr::from(target.clone())]);
                    b.insert(s + 1, Stmt::assign(target.clone(), other));
                }
            })
        },
    },
    Fault {
        name: "range shifted",
        plant: |p, pair| {
            each_range(p, pair.reverse, |[first, _, _]| {
                *first = Expr::op(Op::Add, [first.clone(), Expr::Int(1)]);
                true
            })
        },
    },
    Fault {
        name: "range longer",
        plant: |p, pair| {
            each_range(p, pair.reverse, |[_, last, _]| {
                *last = Expr::op(Op::Sub, [last.clone(), Expr::Int(1)]);
                true
            })
        },
    },
    Fault {
        name: "trips of another first value",
        plant: |p, pair| other_trips(p, pair.reverse, 0),
    },
    Fault {
        name: "trips of another last value",
        plant: |p, pair| other_trips(p, pair.reverse, 1),
    },
    Fault {
        name: "trips of another step",
        plant: |p, pair| other_trips(p, pair.reverse, 2),
    },
    Fault {
        name: "step not negated",
        plant: |p, pair| {
            each_range(p, pair.reverse, |[_, _, step]| {
                *step = match &*step {
                    Expr::Int(k) => Expr::Int(-*k),
                    e => Expr::op(Op::Neg, [e.clone()]),
                };
                true
            })
        },
    },
    Fault {
        name: "one pass more or less",
        plant: |p, pair| {
            each_range(p, pair.reverse, |[first, _, _]| {
                let Expr::Int(i @ 0..=1) = first else {
                    return false;
                };
                *i = 1 - *i;
                true
            })
        },
    },
    Fault {
        name: "arms exchanged",
        plant: |p, pair| arms_exchanged(p, pair.reverse),
    },
    Fault {
        name: "opposite decision",
        plant: |p, pair| {
            let graph = cfg(p, pair.reverse);
            let end = |v: VertexId| matches!(graph.vertex(v).kind, VertexKind::EndBranch);
            let empty = |v: &Vertex| {
                let v = graph.with_id(v.id).unwrap();
                graph.successors(v).all(end)
            };
            each_vertex(p, pair.reverse, |v| match &mut v.kind.clone() {
                VertexKind::Branch(selector) if !empty(v) => match &mut **selector {
                    Selector::Condition(e) => {
                        *e = Expr::op(Op::Not, [e.clone()]);
                        v.kind = VertexKind::Branch(selector.clone());
                        true
                    }
                    Selector::Cases { .. } => false,
                },
                _ => false,
            })
        },
    },
    Fault {
        name: "an arm changes what is decided on again",
        plant: decided_on_changed,
    },
    Fault {
        name: "reverse sweep not called",
        plant: |p, pair| {
            each(
                p,
                pair.reverse,
                |s| calls_tape(p, s),
                |_, b, s| drop(b.remove(s)),
            )
        },
    },
    Fault {
        name: "forward sweep called twice",
        plant: |p, pair| {
            each(
                p,
                pair.forward,
                |s| calls_tape(p, s),
                |_, b, s| b.insert(s, b[s].clone()),
            )
        },
    },
    Fault {
        name: "popped to another variable",
        plant: |p, pair| {
            each(p, pair.reverse, is_pop, |program, b, s| {
                let routine = program.routine(pair.reverse);
                if let StmtKind::Pop { target, .. } = &mut b[s].kind {
                    let old = routine.variable(target.var);
                    let fits = |v: &cfg_core::ir::Variable| {
                        v.ty == old.ty
                            && v.rank() == old.rank()
                            && v.role == Role::Local
                            && v.name != old.name
                    };
                    if let Some(i) = routine.variables.iter().position(fits) {
                        target.var = VarId::new(i);
                    }
                }
            })
        },
    },
    Fault {
        name: "popped to another element",
        plant: |p, pair| {
            each(p, pair.reverse, is_pop, |_, b, s| {
                if let StmtKind::Pop { target, .. } = &mut b[s].kind {
                    target.subscripts = target.subscripts.iter().map(another).collect();
                }
            })
        },
    },
    Fault {
        name: "block left out",
        plant: |p, pair| without_block(p, pair.reverse),
    },
    Fault {
        name: "blocks exchanged",
        plant: |p, pair| blocks_exchanged(p, pair.reverse),
    },
];

/// Kinds that only the reverse sweeps of general graphs have.
pub(crate) const GENERAL: &[Fault] = &[
    Fault {
        name: "another point of exit or dispatch",
        plant: |p, pair| {
            each(p, pair.reverse, is_choice, |_, b, s| {
                if let StmtKind::Assign {
                    value: Expr::Int(i),
                    ..
                } = &mut b[s].kind
                {
                    *i ^= 1;
                }
            })
        },
    },
    Fault {
        name: "point of exit not set, or not reset",
        plant: |p, pair| each(p, pair.reverse, is_choice, |_, b, s| drop(b.remove(s))),
    },
    Fault {
        name: "edge to another place",
        plant: |p, pair| edges_moved(p, pair.reverse),
    },
];

/// `v := 3`.
fn is_choice(s: &Stmt) -> bool {
    matches!(
        s.kind,
        StmtKind::Assign {
            value: Expr::Int(_),
            ..
        }
    )
}

/// An edge to a vertex with several in-edges that leads to the next such vertex instead.
fn edges_moved(program: &Program, r: RoutineId) -> Vec<Program> {
    let graph = cfg(program, r);
    let merges: Vec<VertexId> = graph
        .vertices()
        .filter(|(v, vertex)| {
            let several = graph.in_edges(*v).len() > 1;
            several && !matches!(vertex.kind, VertexKind::Exit | VertexKind::Loop { .. })
        })
        .map(|(v, _)| v)
        .collect();
    let mut made = Vec::new();
    for (e, edge) in graph.edges() {
        let Ok(at) = merges.binary_search(&edge.to) else {
            continue;
        };
        let other = merges[(at + 1) % merges.len()];
        if other != edge.to {
            let (vertices, mut edges) = graph.clone().into_parts();
            edges[e.index()].to = other;
            made.push(with_body(program, r, Cfg::new(vertices, edges)));
        }
    }
    made
}

fn is_push(s: &Stmt) -> bool {
    matches!(s.kind, StmtKind::Push { .. })
}

fn is_pop(s: &Stmt) -> bool {
    matches!(s.kind, StmtKind::Pop { .. })
}

fn class(s: &Stmt) -> Option<TapeClass> {
    match &s.kind {
        StmtKind::Push { class, .. } | StmtKind::Pop { class, .. } => Some(*class),
        _ => None,
    }
}

fn tape(s: &Stmt) -> Option<VarId> {
    match &s.kind {
        StmtKind::Push { tape, .. } | StmtKind::Pop { tape, .. } => Some(*tape),
        _ => None,
    }
}

fn is_control(s: &Stmt) -> bool {
    matches!(class(s), Some(TapeClass::Control(_)))
}

fn is_count(s: &Stmt) -> bool {
    class(s) == Some(TapeClass::Control(ControlWidth::Count))
}

fn is_marker(s: &Stmt) -> bool {
    let constant = matches!(
        s.kind,
        StmtKind::Push {
            value: Expr::Int(_),
            ..
        }
    );
    constant && is_control(s)
}

/// A marker with its lowest bit turned, but for one of several empty arms of a branch in a general graph:
/// which of them was taken makes no difference.
fn another_marker(program: &Program, pair: Pair) -> Vec<Program> {
    let graph = cfg(program, pair.forward);
    let between = |v: VertexId| (graph.predecessors(v).next(), graph.successors(v).next());
    let mut made = Vec::new();
    for (v, s) in places(program, pair.forward, is_marker) {
        let (from, to) = between(v);
        let mut ways = from.into_iter().flat_map(|u| graph.successors(u));
        let parallel = graph.vertex(v).statements().len() == 1
            && program.routine(pair.forward).control == Control::General
            && ways.any(|w| w != v && between(w) == (from, to));
        let (mut vertices, edges) = graph.clone().into_parts();
        if let StmtKind::Push {
            value: Expr::Int(i),
            ..
        } = &mut block(&mut vertices, v)[s].kind
            && !parallel
        {
            *i ^= 1;
            made.push(with_body(program, pair.forward, Cfg::new(vertices, edges)));
        }
    }
    made
}

fn other_width(s: &mut Stmt) {
    if let StmtKind::Push { class, .. } | StmtKind::Pop { class, .. } = &mut s.kind {
        *class = TapeClass::Control(match *class {
            TapeClass::Control(ControlWidth::Bits(b)) => ControlWidth::Bits(b + 1),
            _ => ControlWidth::Bits(16),
        });
    }
}

fn another(s: &Subscript) -> Subscript {
    match s {
        Subscript::Index(e) => Subscript::Index(Expr::op(Op::Sub, [e.clone(), Expr::Int(1)])),
        Subscript::Range(r) => {
            let mut r = r.clone();
            r.lower = None;
            r.upper = Some(Expr::Int(1));
            r.stride = Some(Expr::Int(-1));
            Subscript::Range(r)
        }
        // Derivative programs have no records and no pointers.
        s @ (Subscript::Field(_) | Subscript::Deref) => s.clone(),
    }
}

/// The variables that the forward sweep pushes as counts.
fn counters(program: &Program, pair: Pair) -> Vec<VarId> {
    let body = program.routine(pair.forward).body.iter();
    body.flat_map(|g| g.vertices())
        .flat_map(|(_, v)| v.statements())
        .filter(|s| is_count(s))
        .filter_map(|s| match &s.kind {
            StmtKind::Push {
                value: Expr::Place(p),
                ..
            } => Some(p.var),
            _ => None,
        })
        .collect()
}

fn assigned<'s>(s: &'s Stmt, counters: &[VarId]) -> Option<&'s Expr> {
    match &s.kind {
        StmtKind::Assign { target, value } if counters.contains(&target.var) => Some(value),
        _ => None,
    }
}

fn is_increment(s: &Stmt, counters: &[VarId]) -> bool {
    matches!(assigned(s, counters), Some(Expr::Op(..)))
}

fn is_start(s: &Stmt, counters: &[VarId]) -> bool {
    matches!(assigned(s, counters), Some(Expr::Int(0)))
}

fn calls_tape(program: &Program, s: &Stmt) -> bool {
    match &s.kind {
        StmtKind::Call { callee, .. } => program
            .routine(*callee)
            .variables
            .iter()
            .any(|v| v.ty == cfg_core::ir::ScalarType::Tape && v.role != Role::Local),
        _ => false,
    }
}

fn cfg(program: &Program, r: RoutineId) -> &Cfg {
    program.routine(r).body.as_ref().unwrap()
}

fn with_body(program: &Program, r: RoutineId, body: Option<Cfg>) -> Program {
    let mut out = program.clone();
    assert!(body.is_some());
    out.routines[r.index()].body = body;
    out
}

/// Vertices on a path from ENTRY to EXIT; faults elsewhere do no harm.
fn live(graph: &Cfg) -> FixedBitSet {
    let mut live = reachable(graph, graph.entry().unwrap().index());
    live.intersect_with(&reachable(&Reversed(graph), graph.exit().unwrap().index()));
    live
}

fn places(program: &Program, r: RoutineId, of: impl Fn(&Stmt) -> bool) -> Vec<(VertexId, usize)> {
    let mut found = Vec::new();
    let live = live(cfg(program, r));
    for (v, vertex) in cfg(program, r).vertices() {
        if !live.contains(v.index()) {
            continue;
        }
        let statements = vertex.statements().iter().enumerate();
        found.extend(statements.filter(|(_, s)| of(s)).map(|(s, _)| (v, s)));
    }
    found
}

fn block(vertices: &mut [Vertex], v: VertexId) -> &mut Vec<Stmt> {
    match &mut vertices[v.index()].kind {
        VertexKind::Block(statements) => statements,
        _ => unreachable!("statements are in blocks"),
    }
}

/// One program for each statement that fits, with its block edited.
fn each(
    program: &Program,
    r: RoutineId,
    of: impl Fn(&Stmt) -> bool,
    edit: impl Fn(&Program, &mut Vec<Stmt>, usize),
) -> Vec<Program> {
    let mut made = Vec::new();
    for (v, s) in places(program, r, of) {
        let (mut vertices, edges) = cfg(program, r).clone().into_parts();
        let before = block(&mut vertices, v).clone();
        edit(program, block(&mut vertices, v), s);
        if *block(&mut vertices, v) != before {
            made.push(with_body(program, r, Cfg::new(vertices, edges)));
        }
    }
    made
}

fn each_vertex(
    program: &Program,
    r: RoutineId,
    edit: impl Fn(&mut Vertex) -> bool,
) -> Vec<Program> {
    let mut made = Vec::new();
    for v in 0..cfg(program, r).vertex_count() {
        let (mut vertices, edges) = cfg(program, r).clone().into_parts();
        if edit(&mut vertices[v]) {
            made.push(with_body(program, r, Cfg::new(vertices, edges)));
        }
    }
    made
}

/// The statements that count loops: all starts or all increments.
fn each_of_counters(
    program: &Program,
    pair: Pair,
    of: fn(&Stmt, &[VarId]) -> bool,
    edit: impl Fn(&mut Vec<Stmt>, usize),
) -> Vec<Program> {
    let counters = counters(program, pair);
    let of = |s: &Stmt| of(s, &counters);
    each(program, pair.forward, of, |_, b, s| edit(b, s))
}

/// First, last and step of each counted loop.
fn each_range(
    program: &Program,
    r: RoutineId,
    edit: impl Fn([&mut Expr; 3]) -> bool,
) -> Vec<Program> {
    each_vertex(program, r, |v| {
        let VertexKind::Loop { test, .. } = &mut v.kind else {
            return false;
        };
        match &mut **test {
            LoopTest::Counted {
                first, last, step, ..
            } => edit([first, last, step]),
            _ => false,
        }
    })
}

/// One of the three numbers of which a reverse loop counts the trips is another one.
fn other_trips(program: &Program, r: RoutineId, k: usize) -> Vec<Program> {
    /// The operands of the first count of trips in an expression.
    fn trips(e: &mut Expr) -> Option<&mut [Expr]> {
        let mut open = vec![e];
        while let Some(e) = open.pop() {
            match e {
                Expr::Op(Op::Trips, operands) => return Some(operands),
                Expr::Op(_, operands) => open.extend(operands.iter_mut()),
                _ => {}
            }
        }
        None
    }
    each_range(program, r, |range| {
        let Some(operands) = range.into_iter().find_map(trips) else {
            return false;
        };
        operands[k] = Expr::op(Op::Add, [operands[k].clone(), Expr::Int(1)]);
        true
    })
}

/// Neighbours on the same stack exchanged, unless they are the same.
fn swapped(program: &Program, r: RoutineId, of: fn(&Stmt) -> bool) -> Vec<Program> {
    let stack = |s: &Stmt| (tape(s), class(s).map(TapeClass::name));
    each(program, r, of, |_, b, s| {
        let next = (s + 1..b.len()).find(|&t| of(&b[t]) && stack(&b[t]) == stack(&b[s]));
        if let Some(t) = next {
            b.swap(s, t);
        }
    })
}

/// Moved to a block in another loop, or out of loops: to the first of every loop depth.
fn moved(program: &Program, r: RoutineId, of: impl Fn(&Stmt) -> bool) -> Vec<Program> {
    let graph = cfg(program, r);
    let forest = LoopForest::new(graph, graph.entry().unwrap().index());
    let mut made = Vec::new();
    for (v, s) in places(program, r, of) {
        let mut depths = vec![forest.depth(v.index())];
        for (w, vertex) in graph.vertices() {
            let depth = forest.depth(w.index());
            if matches!(vertex.kind, VertexKind::Block(_)) && !depths.contains(&depth) {
                depths.push(depth);
                let (mut vertices, edges) = graph.clone().into_parts();
                let moved = block(&mut vertices, v).remove(s);
                block(&mut vertices, w).insert(0, moved);
                made.push(with_body(program, r, Cfg::new(vertices, edges)));
            }
        }
    }
    made
}

/// Moved into the first block that is executed at other times, in an arm or after a merge.
fn into_arm(program: &Program, r: RoutineId, of: fn(&Stmt) -> bool) -> Vec<Program> {
    let graph = cfg(program, r);
    let before = Dominators::new(graph, graph.entry().unwrap().index());
    let after = Dominators::new(&Reversed(graph), graph.exit().unwrap().index());
    let mut made = Vec::new();
    for (v, s) in places(program, r, of) {
        let (a, mut others) = (v.index(), graph.vertices());
        let target = others.find(|(w, vertex)| {
            let b = w.index();
            matches!(vertex.kind, VertexKind::Block(_))
                && !(before.dominates(a, b) && after.dominates(b, a))
                && !(before.dominates(b, a) && after.dominates(a, b))
        });
        if let Some((w, _)) = target {
            let (mut vertices, edges) = graph.clone().into_parts();
            let moved = block(&mut vertices, v).remove(s);
            block(&mut vertices, w).insert(0, moved);
            made.push(with_body(program, r, Cfg::new(vertices, edges)));
        }
    }
    made
}

/// The targets of two out-edges of a branch exchanged, where the arms are not both empty.
fn arms_exchanged(program: &Program, r: RoutineId) -> Vec<Program> {
    let graph = cfg(program, r);
    let mut made = Vec::new();
    for (v, vertex) in graph.vertices() {
        if let (VertexKind::Branch(_), [a, b, ..]) = (&vertex.kind, graph.out_edges(v)) {
            let (vertices, mut edges) = graph.clone().into_parts();
            let to = |e: &EdgeId| graph.edge(*e).to;
            if to(a) != to(b) {
                edges[a.index()].to = to(b);
                edges[b.index()].to = to(a);
                made.push(with_body(program, r, Cfg::new(vertices, edges)));
            }
        }
    }
    made
}

/// An assignment in an arm of the forward sweep, to a place that the mirrored branch reads once more.
fn decided_on_changed(program: &Program, pair: Pair) -> Vec<Program> {
    let selectors = |r: RoutineId| {
        let vertices = cfg(program, r).vertices();
        vertices.filter_map(|(v, vertex)| match &vertex.kind {
            VertexKind::Branch(selector) => Some((v, selector)),
            _ => None,
        })
    };
    let again: Vec<_> = selectors(pair.reverse).map(|(_, s)| s).collect();
    let graph = cfg(program, pair.forward);
    let mut made = Vec::new();
    for (v, selector) in selectors(pair.forward) {
        let e = match &**selector {
            Selector::Condition(e) | Selector::Cases { value: e, .. } => e,
        };
        let mut read = Vec::new();
        e.walk_places(&mut |p| read.push(p.clone()));
        // A parameter that only comes in cannot be assigned.
        let routine = program.routine(pair.forward);
        let can_be = |v: VarId| routine.variable(v).role == Role::Local;
        let place = read.iter().find(|p| can_be(p.var));
        let (Some(place), true) = (place, again.contains(&selector)) else {
            continue;
        };
        for arm in graph.successors(v) {
            if !matches!(graph.vertex(arm).kind, VertexKind::Block(_)) {
                continue;
            }
            let (mut vertices, edges) = graph.clone().into_parts();
            if let VertexKind::Block(statements) = &mut vertices[arm.index()].kind {
                let same = Expr::from(place.clone());
                statements.insert(0, Stmt::assign(place.clone(), same));
            }
            made.push(with_body(program, pair.forward, Cfg::new(vertices, edges)));
        }
    }
    made
}

/// An adjoint block taken out of the path: its edge goes past it.
fn without_block(program: &Program, r: RoutineId) -> Vec<Program> {
    let graph = cfg(program, r);
    let mut made = Vec::new();
    for (v, vertex) in graph.vertices() {
        let image = vertex.origin.is_some_and(|o| o.role == OriginRole::Adjoint);
        let (VertexKind::Block(_), [e], [f], true) =
            (&vertex.kind, graph.in_edges(v), graph.out_edges(v), image)
        else {
            continue;
        };
        let (mut vertices, mut edges) = graph.clone().into_parts();
        edges[e.index()].to = edges[f.index()].to;
        edges.remove(f.index());
        vertices.remove(v.index());
        let renumber = |w: VertexId| VertexId::new(w.index() - usize::from(w > v));
        let edges = edges
            .into_iter()
            .map(|e| Edge {
                from: renumber(e.from),
                to: renumber(e.to),
                ..e
            })
            .collect();
        // Taking the last image of a vertex away is no fault if the block is empty; put it back at the
        // end, where it does not belong.
        let mut out = with_body(program, r, Cfg::new(vertices, edges));
        if let Some(body) = out.routines[r.index()].body.take() {
            let exit = body.exit().unwrap();
            let (mut vertices, mut edges) = body.into_parts();
            let again = VertexId::new(vertices.len());
            vertices.push(graph.vertex(v).clone());
            let last = edges.iter().position(|e| e.to == exit).unwrap();
            // Where it was last already.
            if graph.edge(*f).to == graph.exit().unwrap() {
                continue;
            }
            edges[last].to = again;
            edges.push(Edge::new(again, exit, None));
            out.routines[r.index()].body = Cfg::new(vertices, edges);
        }
        made.push(out);
    }
    made
}

/// Two adjoint blocks exchanged, with everything in them.
fn blocks_exchanged(program: &Program, r: RoutineId) -> Vec<Program> {
    let graph = cfg(program, r);
    let blocks: Vec<VertexId> = graph
        .vertices()
        .filter(|(_, v)| {
            let image = v.origin.is_some_and(|o| o.role == OriginRole::Adjoint);
            matches!(v.kind, VertexKind::Block(_)) && image
        })
        .map(|(v, _)| v)
        .collect();
    blocks
        .windows(2)
        .map(|pair| {
            let (mut vertices, edges) = graph.clone().into_parts();
            vertices.swap(pair[0].index(), pair[1].index());
            with_body(program, r, Cfg::new(vertices, edges))
        })
        .collect()
}
