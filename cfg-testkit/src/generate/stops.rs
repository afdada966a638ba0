//! Statements that stop the program, at places where no run of the case at its point comes.

use super::{Generated, Options};
use crate::{
    case::Case,
    interpret::{Fault, FaultKind, Limits},
    rng::Rng,
    tree::{self, Node, Region},
};
use cfg_core::{
    entity::{RoutineId, VarId, VertexId},
    ir::{
        Control, Expr, Op, Role, Routine, ScalarType, Selector, Stmt, StmtKind, Vertex, VertexKind,
        visit::each_name,
    },
};
use std::collections::HashSet;

/// The most statements that are added to a routine.
const MOST: usize = 4;

/// A condition that does not hold at the points of cases: a number that comes in is far away, or none at all.
fn far(routine: &Routine, rng: &mut Rng) -> Expr {
    let scalar = |v: &VarId| {
        let of = routine.variable(*v);
        let optional = matches!(of.role, Role::Parameter { optional: true, .. });
        let brings = of.intent().is_some_and(|intent| !intent.writes());
        let number = matches!(of.ty, ScalarType::Real | ScalarType::Integer);
        of.rank() == 0 && number && brings && !optional
    };
    let all: Vec<_> = routine.parameter_ids().filter(scalar).collect();
    match rng.pick(&all) {
        Some(&v) if routine.variable(v).ty == ScalarType::Real => {
            Expr::op(Op::Gt, [Expr::var(v), Expr::Real(1.0e30)])
        }
        Some(&v) => Expr::op(Op::Lt, [Expr::var(v), Expr::Int(-1_000_000)]),
        None => Expr::Logical(false),
    }
}

/// The lists of nodes of a region: its own and those inside.
fn lists(region: &mut Region, found: &mut impl FnMut(&mut Region)) {
    for node in region.iter_mut() {
        match node {
            Node::Block(_) | Node::Jump { .. } => {}
            Node::Loop { body, .. } | Node::Again { body, .. } => lists(body, found),
            Node::Branch { arms, .. } => arms.iter_mut().for_each(|(_, arm)| lists(arm, found)),
        }
    }
    found(region);
}

impl Generated {
    /// Adds statements that stop the program to some routines. Those to which a run comes are to be [passed](Self::pass).
    pub(super) fn add_stops(&mut self, options: &Options, rng: &mut Rng) {
        if !rng.percent(options.stops) {
            return;
        }
        let mut number = 0;
        // Routines that are given derivatives do not run with the program, so a run cannot show whether they stop.
        let given = self.case.program.routines.iter();
        let given = given.filter_map(|r| r.derivatives.as_ref());
        let given: HashSet<RoutineId> = given
            .flat_map(|d| d.tangent.into_iter().chain(d.adjoint))
            .collect();
        let routines = (0..).map(RoutineId::new).zip(&self.case.program.routines);
        for ((r, routine), tree) in routines.zip(&mut self.trees) {
            // A routine that pushes has no adjoint unless it always stops, so it gets no stop.
            let pushes = routine.variables.iter().any(|v| v.ty.is_tape());
            let differentiated = routine.derivatives.is_none() && !given.contains(&r) && !pushes;
            let Some(tree) = tree.as_mut().filter(|_| differentiated) else {
                continue;
            };
            let mut count = 0;
            lists(tree, &mut |_| count += 1);
            for _ in 0..1 + rng.below(MOST) {
                number += 1;
                let text = format!("stop {number}: \"no\" \\ %d\n");
                let stop = Stmt::new(StmtKind::Stop { text: text.into() });
                let at = rng.below(count);
                let mut k = 0;
                lists(tree, &mut |list| {
                    k += 1;
                    if k == at + 1 {
                        insert(routine, list, stop.clone(), rng);
                    }
                });
            }
        }
        self.rebuild();
    }

    /// Replaces the statement at which a run stopped by an opaque one, so that the next run passes.
    pub(super) fn pass(&mut self, fault: Fault) -> Result<(), Fault> {
        let (FaultKind::Stop, Some(vertex)) = (fault.kind, fault.vertex) else {
            return Err(fault);
        };
        let passed = |statements: &mut Vec<Stmt>| {
            statements[fault.statement].kind = StmtKind::Opaque {
                text: "passed".into(),
                reads: Box::default(),
                writes: Box::default(),
            };
        };
        self.in_block(fault.routine, vertex, passed);
        self.rebuild();
        Ok(())
    }
}

/// Puts the statement into a block, behind all, or into a branch of its own.
fn insert(routine: &Routine, list: &mut Region, stop: Stmt, rng: &mut Rng) {
    // Nothing comes after an endless loop.
    let endless = matches!(
        list.last(),
        Some(Node::Again {
            condition: None,
            ..
        })
    );
    let at = rng.below(list.len() + usize::from(!endless));
    if let Some(Node::Block(statements)) = list.get_mut(at)
        && rng.percent(40)
    {
        let at = rng.below(statements.len() + 1);
        statements.insert(at, stop);
        return;
    }
    if rng.percent(30) {
        list.insert(at, Node::Block(vec![stop]));
        return;
    }
    let condition = far(routine, rng);
    // A statement before the stop, whose value is lost.
    let before = list.iter().find_map(|node| match node {
        Node::Block(statements) => statements.first().filter(|s| is_plain(s)).cloned(),
        Node::Loop { .. } | Node::Branch { .. } | Node::Jump { .. } | Node::Again { .. } => None,
    });
    let before = before.filter(|_| rng.percent(30));
    let mut stopped = vec![Node::Block(before.into_iter().chain([stop]).collect())];
    if routine.control == Control::General && rng.percent(50) {
        // A loop without a way out.
        stopped = vec![Node::Again {
            body: stopped,
            condition: None,
        }];
    }
    let mut arms = vec![(1, stopped), (0, Region::new())];
    let selector = match rng.percent(50) {
        true => Selector::Condition(condition),
        false => {
            arms.reverse();
            (arms[0].0, arms[1].0) = (1, 0);
            Selector::Condition(Expr::op(Op::Not, [condition]))
        }
    };
    list.insert(at, Node::Branch { selector, arms });
}

/// True of an assignment that reads nothing, so that it may stand anywhere.
fn is_plain(statement: &Stmt) -> bool {
    let mut names = 0;
    each_name(statement, &mut |_, _| names += 1);
    names == 1 && statement.kind.assignment().is_some()
}

impl Generated {
    /// Changes the statements of a block. No tree has a place for its vertices, but blocks are numbered like their vertices,
    /// in the order of the text.
    pub(super) fn in_block(
        &mut self,
        id: RoutineId,
        vertex: VertexId,
        change: impl FnOnce(&mut Vec<Stmt>),
    ) {
        let Some(body) = &mut self.case.program.routines[id.index()].body else {
            return;
        };
        let Some(tree) = &mut self.trees[id.index()] else {
            if let VertexKind::Block(statements) = &mut body.vertex_mut(vertex).kind {
                change(statements);
            }
            return;
        };
        let is_block = |v: &Vertex| matches!(v.kind, VertexKind::Block(_));
        let before = body.vertices().take(vertex.index());
        let block = before.filter(|(_, v)| is_block(v)).count();
        let mut k = 0;
        let mut change = Some(change);
        tree::blocks_mut(tree, &mut |statements| {
            if k == block
                && let Some(change) = change.take()
            {
                change(statements);
            }
            k += 1;
        });
    }
}

/// The case with a statement more, which stops the run at its point; none if no block is visited.
pub fn stopping(case: &Case, seed: u64) -> Option<Case> {
    let mut rng = Rng::new(seed);
    let limits = Limits {
        trace: true,
        ..Limits::default()
    };
    let visits = case.run(limits).ok()?.visits;
    let is_block = |&(r, v): &(RoutineId, VertexId)| {
        let body = case.program.routine(r).body.as_ref();
        body.is_some_and(|body| matches!(body.vertex(v).kind, VertexKind::Block(_)))
    };
    let blocks: Vec<_> = visits.into_iter().filter(is_block).collect();
    let &(r, v) = rng.pick(&blocks)?;
    let mut made = case.clone();
    let body = made.program.routines[r.index()].body.as_mut()?;
    if let VertexKind::Block(statements) = &mut body.vertex_mut(v).kind {
        let at = rng.below(statements.len() + 1);
        let text = "it \"stops\" \\ here: %d??/\n".into();
        statements.insert(at, Stmt::new(StmtKind::Stop { text }));
    }
    Some(made)
}
