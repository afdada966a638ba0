//! Locals in place of the tape: a scalar that is pushed and popped in one sequence of vertices, the routine, the body
//! of a loop or an arm of a branch, is kept in a local.
//!
//! In each sequence, pushes and pops of one stack meet like brackets. Loops, branches and calls inside stand for all
//! that they push or pop, and meet their mirror images. Where a pop meets one of these, the stack is left as it is in
//! the sequence.

use cfg_core::{
    entity::{VarId, VertexId},
    ir::{Cfg, Expr, NameRole, Place, Program, Routine, Stmt, StmtKind, TapeClass, VertexKind},
    structure::{RegionId, RegionTree, Structure},
};
use std::collections::HashMap;

use crate::{
    code::{names::Namer, routines::add_local, typing::place_rank},
    gradient::turn::facts::uses_tape,
};

/// The stacks of a tape.
const STACKS: usize = 5;

fn stack_of(class: TapeClass) -> usize {
    match class {
        TapeClass::Real => 0,
        TapeClass::Real32 => 1,
        TapeClass::Integer => 2,
        TapeClass::Control(_) => 3,
        TapeClass::Disk => 4,
    }
}

/// A statement in a block.
type At = (VertexId, usize);

/// The top of a stack in a sequence.
#[derive(Clone, Copy)]
enum Item {
    /// A statement that pushes.
    Pushed(At),
    /// A loop, a branch or a call.
    Inside,
}

/// The effect of a loop, a branch or a call on each stack.
#[derive(Clone, Copy, Default)]
struct Effect {
    pushes: [bool; STACKS],
    pops: [bool; STACKS],
}

/// The stacks of one sequence; none of a stack on which a pop meets something else.
struct Sequence {
    stacks: [Option<Vec<Item>>; STACKS],
    pairs: [Vec<(At, At)>; STACKS],
    effect: Effect,
}

impl Sequence {
    fn new() -> Self {
        Self {
            stacks: std::array::from_fn(|_| Some(Vec::new())),
            pairs: std::array::from_fn(|_| Vec::new()),
            effect: Effect::default(),
        }
    }

    fn push(&mut self, k: usize, item: Item) {
        if let Some(stack) = &mut self.stacks[k] {
            stack.push(item);
        }
    }

    fn pop(&mut self, k: usize, at: Option<At>) {
        let Some(stack) = &mut self.stacks[k] else {
            return;
        };
        match (stack.pop(), at) {
            (Some(Item::Pushed(push)), Some(pop)) => self.pairs[k].push((push, pop)),
            (Some(Item::Inside), None) => {}
            // The sequence pops from outside.
            (None, _) => self.effect.pops[k] = true,
            (Some(_), _) => {
                self.stacks[k] = None;
                self.pairs[k].clear();
                self.effect.pushes[k] = true;
                self.effect.pops[k] = true;
            }
        }
    }

    fn pass(&mut self, effect: Effect) {
        for k in 0..STACKS {
            match (effect.pops[k], effect.pushes[k]) {
                (true, true) => {
                    self.stacks[k] = None;
                    self.pairs[k].clear();
                    (self.effect.pushes[k], self.effect.pops[k]) = (true, true);
                }
                (true, false) => self.pop(k, None),
                (false, true) => self.push(k, Item::Inside),
                (false, false) => {}
            }
        }
    }

    fn finish(mut self) -> (Effect, Vec<(At, At)>) {
        for (k, stack) in self.stacks.iter().enumerate() {
            self.effect.pushes[k] |= stack.as_ref().is_some_and(|stack| !stack.is_empty());
        }
        // Markers and numbers of passes stay on the tape, where the static checker finds them, and files stay files.
        let [real, real32, integer, _, _] = self.pairs;
        (self.effect, [real, real32, integer].concat())
    }
}

/// The routine with locals for scalars that go onto its tape `tape` and come back in the same sequence of vertices.
/// `program` has the routines that it calls.
pub(super) fn keep_in_locals(
    mut routine: Routine,
    tape: VarId,
    program: &Program,
    structure: &Structure,
    namer: &mut Namer,
) -> Routine {
    let Some(mut cfg) = routine.body.take() else {
        return routine;
    };
    let mut pairs = pairs(&cfg, structure, tape, &routine, program);
    pairs.retain(|&(_, pop)| {
        let target = popped(&cfg, pop).map(|target| place_rank(&routine.variables, target));
        target == Some(0)
    });
    for (push, pop) in pairs {
        let Some(target) = popped(&cfg, pop).cloned() else {
            continue;
        };
        let ty = routine.variable(target.var).ty;
        let name = namer.numbered("kept");
        let local = add_local(&mut routine, name, ty, NameRole::Temporary);
        let Some(value) = pushed(&cfg, push).cloned() else {
            continue;
        };
        replace(&mut cfg, push, Stmt::assign(Place::whole(local), value));
        replace(&mut cfg, pop, Stmt::assign(target, Expr::var(local)));
    }
    routine.body = Some(cfg);
    routine
}

fn statement(cfg: &Cfg, (v, s): At) -> Option<&Stmt> {
    cfg.vertex(v).statements().get(s)
}

/// The place to which a statement pops.
fn popped(cfg: &Cfg, at: At) -> Option<&Place> {
    if let StmtKind::Pop { target, .. } = &statement(cfg, at)?.kind {
        return Some(target);
    }
    None
}

/// The value that a statement pushes.
fn pushed(cfg: &Cfg, at: At) -> Option<&Expr> {
    if let StmtKind::Push { value, .. } = &statement(cfg, at)?.kind {
        return Some(value);
    }
    None
}

/// Makes a statement an assignment, with the marks that it has.
fn replace(cfg: &mut Cfg, (v, s): At, assignment: Stmt) {
    let statements = cfg.vertex_mut(v).kind.statements_mut();
    if let Some(statement) = statements.and_then(|statements| statements.get_mut(s)) {
        statement.kind = assignment.kind;
    }
}

/// The pushes and pops that meet in one sequence.
fn pairs(
    cfg: &Cfg,
    structure: &Structure,
    tape: VarId,
    routine: &Routine,
    program: &Program,
) -> Vec<(At, At)> {
    let tree = RegionTree::build(cfg, structure);
    let mut inside: HashMap<VertexId, Effect> = HashMap::new();
    let mut found = Vec::new();
    // Inner regions come behind those around them.
    let mut regions: Vec<RegionId> = tree.regions().collect();
    while let Some(r) = regions.pop() {
        let mut sequence = Sequence::new();
        for v in tree.direct(structure, r) {
            let vertex = cfg.vertex(v);
            for (s, statement) in vertex.statements().iter().enumerate() {
                let kind = &statement.kind;
                if let StmtKind::Push {
                    tape: own, class, ..
                } = kind
                    && *own == tape
                {
                    sequence.push(stack_of(*class), Item::Pushed((v, s)));
                }
                if let StmtKind::Pop {
                    tape: own, class, ..
                } = kind
                    && *own == tape
                {
                    sequence.pop(stack_of(*class), Some((v, s)));
                }
                if let Some(callee) = kind.callee().filter(|_| uses_tape(routine, statement)) {
                    sequence.pass(effect_of_call(program.routine(callee)));
                }
            }
            if let VertexKind::Loop { .. } | VertexKind::Branch(_) = vertex.kind {
                sequence.pass(inside.get(&v).copied().unwrap_or_default());
            }
        }
        let (effect, pairs) = sequence.finish();
        found.extend(pairs);
        if let Some(header) = tree.region(r).kind.header() {
            let all = inside.entry(header).or_default();
            for k in 0..STACKS {
                all.pushes[k] |= effect.pushes[k];
                all.pops[k] |= effect.pops[k];
            }
        }
    }
    found.sort_unstable();
    found
}

/// A forward sweep pushes, a reverse sweep pops, on stacks that are not known.
fn effect_of_call(called: &Routine) -> Effect {
    let role = called.origin.as_ref().map(|origin| &origin.role);
    Effect {
        pushes: [!matches!(role, Some(NameRole::Reverse)); STACKS],
        pops: [!matches!(role, Some(NameRole::Forward)); STACKS],
    }
}
