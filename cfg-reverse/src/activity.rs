//! Activity: which variables have derivatives at all.
//!
//! A variable is *varied* if it depends differentiably on an independent, *useful* if a dependent depends
//! differentiably on it, and *active* if both (Hascoet & Pascual, RR-7957, section 5.2). Here the
//! analysis is insensitive to flow and context: one node per variable, one edge u -> v where v may be
//! computed from u; varied is what the independents reach, useful what reaches the dependents. Linear in
//! the size of the program, through calls and recursion.

use cfg_core::{
    entity::{GlobalId, RoutineId, VarId},
    ir::{Expr, Intent, Op, OpClass, Place, Program, Role, Routine, StmtKind},
};
use fixedbitset::FixedBitSet;

use crate::normalize::Effects;

/// Numbers every variable of every routine, globals once.
#[derive(Clone, Debug)]
pub(crate) struct Nodes {
    offset: Vec<usize>,
    globals: usize,
    len: usize,
}

impl Nodes {
    pub(crate) fn new(program: &Program) -> Self {
        let mut len = program.globals.len();
        let offset = program
            .routines
            .iter()
            .map(|r| {
                let start = len;
                len += r.variables.len();
                start
            })
            .collect();
        Self {
            offset,
            globals: program.globals.len(),
            len,
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    pub(crate) fn global(&self, g: GlobalId) -> usize {
        debug_assert!(g.index() < self.globals);
        g.index()
    }

    pub(crate) fn of(&self, routine: RoutineId, r: &Routine, v: VarId) -> usize {
        match r.variable(v).role {
            Role::Global(g) => self.global(g),
            Role::Parameter { .. } | Role::Local => self.offset[routine.index()] + v.index(),
        }
    }
}

/// A directed graph in compressed form, for reachability.
#[derive(Clone, Debug)]
pub(crate) struct Reach {
    edges: Vec<(u32, u32)>,
    /// Edges that were added lately: programs repeat them much.
    recent: [(u32, u32); 64],
}

impl Default for Reach {
    fn default() -> Self {
        Self {
            edges: Vec::new(),
            recent: [(u32::MAX, u32::MAX); 64],
        }
    }
}

impl Reach {
    pub(crate) fn edge(&mut self, from: usize, to: usize) {
        let edge = (from as u32, to as u32);
        let slot = &mut self.recent[(from.wrapping_mul(7) ^ to) % 64];
        if *slot != edge {
            *slot = edge;
            self.edges.push(edge);
        }
    }

    /// Everything that `start` reaches, `start` included.
    pub(crate) fn forward(&self, nodes: usize, start: &FixedBitSet) -> FixedBitSet {
        self.reach(nodes, start, |e| e)
    }

    /// Everything that reaches `start`, `start` included.
    pub(crate) fn backward(&self, nodes: usize, start: &FixedBitSet) -> FixedBitSet {
        self.reach(nodes, start, |(a, b)| (b, a))
    }

    fn reach(
        &self,
        nodes: usize,
        start: &FixedBitSet,
        direction: impl Fn((u32, u32)) -> (u32, u32),
    ) -> FixedBitSet {
        let mut first = vec![0u32; nodes + 1];
        for &e in &self.edges {
            first[direction(e).0 as usize + 1] += 1;
        }
        for i in 0..nodes {
            first[i + 1] += first[i];
        }
        let mut next = first.clone();
        let mut targets = vec![0u32; self.edges.len()];
        for &e in &self.edges {
            let (from, to) = direction(e);
            targets[next[from as usize] as usize] = to;
            next[from as usize] += 1;
        }
        let mut seen = start.clone();
        let mut work: Vec<usize> = start.ones().collect();
        while let Some(node) = work.pop() {
            for &to in &targets[first[node] as usize..first[node + 1] as usize] {
                if !seen.put(to as usize) {
                    work.push(to as usize);
                }
            }
        }
        seen
    }
}

/// Active variables of a program, by node.
#[derive(Clone, Debug)]
pub(crate) struct Activity {
    active: FixedBitSet,
}

impl Activity {
    pub(crate) fn is_active(&self, node: usize) -> bool {
        self.active.contains(node)
    }

    /// Analyses the program for one routine's independents and dependents.
    pub(crate) fn of(program: &Program, effects: &Effects, nodes: &Nodes, main: RoutineId) -> Self {
        let graph = dependence_graph(program, nodes);
        let routine = program.routine(main);
        let set = |variables: &[VarId]| {
            let mut s = FixedBitSet::with_capacity(nodes.len());
            for &v in variables {
                s.insert(nodes.of(main, routine, v));
            }
            s
        };
        let mut active = graph.forward(nodes.len(), &set(&routine.independents));
        active.intersect_with(&graph.backward(nodes.len(), &set(&routine.dependents)));
        // A formal that only ever gets passive values still overwrites what an active actual holds: its
        // adjoint must be zeroed.
        let active = overwrites(program, effects, nodes).forward(nodes.len(), &active);
        Self { active }
    }
}

/// One edge u -> v where v may be computed from u.
pub(crate) fn dependence_graph(program: &Program, nodes: &Nodes) -> Reach {
    let mut graph = Reach::default();
    for (i, routine) in program.routines.iter().enumerate() {
        dependences(program, nodes, RoutineId::new(i), routine, &mut graph);
    }
    for (g, global) in program.globals.iter().enumerate() {
        if let Some(overlay) = global.overlay {
            graph.edge(g, overlay.base.index());
            graph.edge(overlay.base.index(), g);
        }
    }
    graph
}

/// From every real actual to the formal that may overwrite it.
fn overwrites(program: &Program, effects: &Effects, nodes: &Nodes) -> Reach {
    let mut graph = Reach::default();
    for (i, routine) in program.routines.iter().enumerate() {
        let id = RoutineId::new(i);
        effects.each_call(id, routine, |statement| {
            let StmtKind::Call {
                callee,
                arguments,
                result,
            } = &statement.kind
            else {
                return;
            };
            let called = program.routine(*callee);
            let mut bind = |place: &Place, p: VarId| {
                if routine.variable(place.var).ty.is_real() {
                    graph.edge(
                        nodes.of(id, routine, place.var),
                        nodes.of(*callee, called, p),
                    );
                }
            };
            for (p, argument) in called.parameter_ids().zip(arguments.iter()) {
                if let Some(Expr::Place(place)) = argument
                    && called.variable(p).intent().is_some_and(Intent::writes)
                {
                    bind(place, p);
                }
            }
            if let (Some(place), Some(r)) = (result, called.result) {
                bind(place, r);
            }
        });
    }
    graph
}

/// Calls `visit` for every real place on which the expression depends differentiably.
pub(crate) fn differentiable_places<'e>(
    routine: &Routine,
    expr: &'e Expr,
    visit: &mut impl FnMut(&'e Place),
) {
    match expr {
        Expr::Int(_) | Expr::Real(_) | Expr::Real32(_) | Expr::Logical(_) => {}
        Expr::Place(place) => {
            if routine.variable(place.var).ty.is_real() {
                visit(place);
            }
        }
        Expr::Op(op, operands) => {
            for (k, operand) in operands.iter().enumerate() {
                if is_differentiable_operand(*op, k) {
                    differentiable_places(routine, operand, visit);
                }
            }
        }
    }
}

/// False where the derivative with respect to the operand is zero or undefined everywhere.
pub(crate) fn is_differentiable_operand(op: Op, operand: usize) -> bool {
    match op {
        Op::Eq
        | Op::Ne
        | Op::Lt
        | Op::Le
        | Op::Gt
        | Op::Ge
        | Op::And
        | Op::Or
        | Op::Not
        | Op::ToInt
        | Op::ToLogical
        | Op::Trips
        | Op::Floor
        | Op::Ceil
        | Op::Round
        | Op::Trunc
        | Op::Any
        | Op::All
        | Op::MaxValPartial
        | Op::MinValPartial => false,
        Op::Sign | Op::Fill => operand == 0,
        Op::If | Op::Polygamma => operand != 0,
        _ => op.class() != OpClass::Inquiry,
    }
}

fn dependences(
    program: &Program,
    nodes: &Nodes,
    id: RoutineId,
    routine: &Routine,
    graph: &mut Reach,
) {
    let node = |v: VarId| nodes.of(id, routine, v);
    if routine.aliased {
        let mut last = None;
        for p in routine.parameter_ids() {
            if routine.variable(p).ty.is_real() {
                if let Some(q) = last {
                    graph.edge(node(p), node(q));
                    graph.edge(node(q), node(p));
                }
                last = Some(p);
            }
        }
    }
    let Some(cfg) = &routine.body else {
        external_dependences(routine, &node, graph);
        return;
    };
    for (_, vertex) in cfg.vertices() {
        for statement in vertex.statements() {
            match &statement.kind {
                StmtKind::Assign { target, value } => {
                    if routine.variable(target.var).ty.is_real() {
                        differentiable_places(routine, value, &mut |u| {
                            graph.edge(node(u.var), node(target.var));
                        });
                    }
                }
                StmtKind::Call {
                    callee,
                    arguments,
                    result,
                } => {
                    let called = program.routine(*callee);
                    let formal = |v: VarId| nodes.of(*callee, called, v);
                    for (p, argument) in called.parameter_ids().zip(arguments.iter()) {
                        let intent = called.variable(p).intent().unwrap_or(Intent::InOut);
                        let Some(argument) = argument else { continue };
                        if let Expr::Place(place) = argument
                            && intent.writes()
                        {
                            graph.edge(formal(p), node(place.var));
                        }
                        if intent != Intent::Out {
                            let tape = called.variable(p).ty == cfg_core::ir::ScalarType::Tape;
                            if let (true, Expr::Place(place)) = (tape, argument) {
                                graph.edge(node(place.var), formal(p));
                            }
                            differentiable_places(routine, argument, &mut |u| {
                                graph.edge(node(u.var), formal(p));
                            });
                        }
                    }
                    if let (Some(place), Some(r)) = (result, called.result) {
                        graph.edge(formal(r), node(place.var));
                    }
                }
                StmtKind::Push { tape, value, .. } => {
                    differentiable_places(routine, value, &mut |u| {
                        graph.edge(node(u.var), node(*tape));
                    });
                }
                StmtKind::Pop { tape, target, .. } => {
                    if routine.variable(target.var).ty.is_real() {
                        graph.edge(node(*tape), node(target.var));
                    }
                }
                StmtKind::Opaque { .. } => {}
            }
        }
    }
}

/// Without a body: what the partials say; without partials, everything written may depend on
/// everything read.
fn external_dependences(routine: &Routine, node: &impl Fn(VarId) -> usize, graph: &mut Reach) {
    let reals = || {
        routine
            .parameter_ids()
            .filter(|&p| routine.variable(p).ty.is_real())
    };
    if let (Some(external), Some(result)) = (&routine.external, routine.result)
        && let Some(partials) = &external.partials
    {
        for partial in partials {
            graph.edge(node(partial.parameter), node(result));
        }
        return;
    }
    for p in reals() {
        if routine.variable(p).intent() == Some(Intent::Out) {
            continue;
        }
        for q in reals() {
            if routine.variable(q).intent().is_some_and(Intent::writes) {
                graph.edge(node(p), node(q));
            }
        }
        if let Some(result) = routine.result {
            graph.edge(node(p), node(result));
        }
    }
}
