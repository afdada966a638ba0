//! The stretches of a basic block's statements that are linearized together.
//!
//! A *segment* is a run of assignments to scalars and array elements in which
//!
//! - all active values have one real type, and none is computed from a whole array;
//! - nothing is written that a subscript of an active place reads, so that a place means the same cell
//!   at every statement;
//! - no element is read after another one was written that may be the same cell (`a(i)` after `a(j)`),
//!   so that every value read is the one last written to that very place. Reading first and writing
//!   later is harmless, and so are two writes (the adjoint takes the later one first).
//!
//! A statement that would break one of these rules begins a new segment. Calls, array statements, tape and opaque
//! statements stand between segments.

use cfg_core::{
    dataflow::Position,
    entity::{LocationId, VarId, VertexId},
    ir::{Op, OpClass, Place, Role, ScalarType, Stmt, StmtKind},
    memory::locations::are_apart,
};
use std::{
    collections::{HashMap, HashSet},
    ops::Range,
};

use crate::{
    blocks::places::Places,
    code::typing,
    partials::{
        linearize::{NodeKind, Nodes, Workspace},
        scope::Scope,
    },
};

/// The role of a statement in the division of a block into segments.
enum Sort<'s> {
    /// A statement that is not to be linearized.
    Apart,
    /// A statement that writes this place and has no derivative.
    Passive(&'s Place),
    /// An assignment with a derivative: target and the active places that its value reads.
    Active {
        target: &'s Place,
        reads: Vec<&'s Place>,
    },
}

/// The segments of a block, in order; each begins and ends with an active assignment.
pub(crate) fn segments(scope: &Scope, vertex: VertexId, statements: &[Stmt]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut open: Option<Open> = None;
    for (i, statement) in statements.iter().enumerate() {
        let at = Position {
            vertex,
            statement: i,
        };
        match sort(scope, at, statement) {
            Sort::Apart => found.extend(open.take().map(Open::range)),
            Sort::Passive(target) => {
                let fits = open
                    .as_ref()
                    .is_none_or(|open| open.may_write(scope, target));
                if !fits {
                    found.extend(open.take().map(Open::range));
                }
                if let Some(open) = &mut open {
                    open.write(scope, target);
                }
            }
            Sort::Active { target, reads } => {
                let fits = open
                    .as_ref()
                    .is_none_or(|open| open.fits(scope, target, &reads));
                if !fits {
                    found.extend(open.take().map(Open::range));
                }
                let open = open.get_or_insert_with(|| Open::new(i, scope, target));
                open.add(scope, i, target, &reads);
            }
        }
    }
    found.extend(open.take().map(Open::range));
    found
}

fn sort<'s>(scope: &Scope, at: Position, statement: &'s Stmt) -> Sort<'s> {
    let StmtKind::Assign { target, value } = &statement.kind else {
        return Sort::Apart;
    };
    let variables = &scope.routine.variables;
    let class = scope.locations.of_variable(target.var);
    if typing::place_rank(variables, target) > 0 {
        return Sort::Apart;
    }
    if !scope.is_target_at(at, target.var) {
        return if scope.locations.is_shared(target.var) {
            Sort::Apart
        } else {
            Sort::Passive(target)
        };
    }
    let ty = variables[target.var.index()].ty;
    let nodes = Nodes::split(
        variables,
        value,
        &|v| scope.contributes_at(at, v),
        Workspace::default(),
    );
    let own = |place: &Place| {
        let mut found = false;
        for e in place.subscript_exprs() {
            e.walk_places(&mut |p| found |= scope.locations.of_variable(p.var) == class);
        }
        found
    };
    let mut fits = !own(target);
    let mut reads = Vec::new();
    for (n, node) in nodes.nodes.iter().enumerate() {
        if !node.active {
            continue;
        }
        fits &= node.ty.rank == 0 && node.ty.ty == ty;
        match &node.kind {
            NodeKind::Leaf(place) => {
                fits &= !own(place);
                if nodes.is_guarded(n) {
                    let role = variables[place.var.index()].role;
                    let optional = matches!(role, Role::Parameter { optional: true, .. });
                    fits &= place.subscripts.is_empty() && !optional;
                }
                reads.push(*place);
            }
            NodeKind::Passive(_) => {}
            NodeKind::Op(op, children) => {
                let elemental = op.class() == OpClass::Elemental && *op != Op::Fill;
                fits &= elemental
                    && nodes
                        .operands(*children)
                        .iter()
                        .all(|&c| nodes.nodes[c].ty.rank == 0);
            }
        }
    }
    if fits {
        Sort::Active { target, reads }
    } else {
        Sort::Apart
    }
}

/// The times at which a place was read or written for the first time, or written again.
#[derive(Clone, Copy, Default)]
struct Seen {
    /// The time since which the place is known to hold the value last written under this name.
    since: usize,
    /// The time of the last write to the place; 0: none yet.
    written: usize,
}

/// A segment that may go on.
struct Open {
    first: usize,
    last: usize,
    ty: ScalarType,
    time: usize,
    /// The locations written, and in `subscripts` those that subscripts read.
    written: HashSet<LocationId>,
    subscripts: HashSet<LocationId>,
    places: Places<Seen>,
    /// The last write to an element of each array by constant subscripts, or to a scalar.
    fixed: HashMap<VarId, usize>,
    /// The last write to each location, its variable, and the last write to another variable.
    latest: HashMap<LocationId, (usize, VarId, usize)>,
}

impl Open {
    fn new(first: usize, scope: &Scope, target: &Place) -> Self {
        Self {
            first,
            last: first,
            ty: scope.routine.variables[target.var.index()].ty,
            time: 0,
            written: HashSet::new(),
            subscripts: HashSet::new(),
            places: Places::default(),
            fixed: HashMap::new(),
            latest: HashMap::new(),
        }
    }

    fn range(self) -> Range<usize> {
        self.first..self.last + 1
    }

    fn may_write(&self, scope: &Scope, target: &Place) -> bool {
        !self
            .subscripts
            .contains(&scope.locations.of_variable(target.var))
    }

    fn fits(&self, scope: &Scope, target: &Place, reads: &[&Place]) -> bool {
        let mut steady = true;
        for place in reads.iter().copied().chain([target]) {
            for e in place.subscript_exprs() {
                e.walk_places(&mut |p| {
                    steady &= !self.written.contains(&scope.locations.of_variable(p.var));
                });
            }
            steady &= self.places.symbolic(place.var).len() + reads.len() < Places::<Seen>::MOST;
        }
        steady
            && scope.routine.variables[target.var.index()].ty == self.ty
            && self.may_write(scope, target)
            && reads.iter().all(|place| self.is_known(scope, place))
    }

    /// False if, since the place was last written, a place that may be the same cell has been written.
    fn is_known(&self, scope: &Scope, place: &Place) -> bool {
        let since = self.places.get(place).map_or(0, |seen| seen.since);
        if let Some(&(last, v, before)) = self.latest.get(&scope.locations.of_variable(place.var)) {
            let by_another = if v == place.var { before } else { last };
            if by_another > since {
                return false;
            }
        }
        let symbolic = self.places.symbolic(place.var);
        let overlapped = symbolic.iter().any(|(other, seen)| {
            seen.written > since && other != place && !are_apart(other, place)
        });
        let hit = place.constant_subscripts().is_none()
            && (self.fixed.get(&place.var)).is_some_and(|&time| time > since);
        !overlapped && !hit
    }

    fn add(&mut self, scope: &Scope, i: usize, target: &Place, reads: &[&Place]) {
        self.last = i;
        self.time += 1;
        for place in reads.iter().copied().chain([target]) {
            for e in place.subscript_exprs() {
                e.walk_places(&mut |p| {
                    self.subscripts.insert(scope.locations.of_variable(p.var));
                });
            }
        }
        for place in reads {
            if self.places.get(place).is_none() {
                let seen = Seen {
                    since: self.time,
                    written: 0,
                };
                self.places.insert(place, seen);
            }
        }
        self.write(scope, target);
    }

    fn write(&mut self, scope: &Scope, target: &Place) {
        self.time += 1;
        let class = scope.locations.of_variable(target.var);
        self.written.insert(class);
        let latest = (self.latest.entry(class)).or_insert((self.time, target.var, 0));
        if latest.1 != target.var {
            *latest = (self.time, target.var, latest.0);
        }
        latest.0 = self.time;
        let seen = Seen {
            since: self.time,
            written: self.time,
        };
        self.places.insert(target, seen);
        if target.constant_subscripts().is_some() {
            self.fixed.insert(target.var, self.time);
        }
    }
}
