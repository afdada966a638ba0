//! The forward and reverse sweeps of a program, and the parts of them that stand for the same parts of the original.

use cfg_core::elemental::reads_result;
use cfg_core::entity::{RoutineId, VarId, VertexId};
use cfg_core::ir::{Expr, NameRole, Op, Place, Program, Routine, VertexType};
use std::collections::{BTreeMap, BTreeSet};

/// The sweeps of one original.
#[derive(Clone, Debug)]
pub(super) struct Sweep {
    pub(super) original: RoutineId,
    pub(super) forward: RoutineId,
    /// The name of the reverse sweep.
    pub(super) name: String,
    /// True of sweeps that keep states, from which what they call runs again.
    pub(super) keeps_states: bool,
    /// Number of variables that both sweeps have in common.
    pub(super) originals: usize,
    /// Number of variables of the original.
    pub(super) assignable: usize,
    /// The numbers of the statements of the original that the forward sweep has as one assignment.
    pub(super) whole: BTreeSet<usize>,
    /// The number of the first statement of each vertex of the original.
    pub(super) numbers: BTreeMap<VertexId, usize>,
    /// The names of the variables.
    pub(super) variables: Vec<String>,
    /// The vertices that the reverse sweep visits in exactly the reverse order.
    pub(super) mirrored: BTreeSet<i64>,
    /// The header of a loop, for the header and for the end of the loop.
    pub(super) loops: BTreeMap<i64, i64>,
    /// The targets of statements whose derivatives can be computed from their results, by number; true if the value
    /// reads the target.
    pub(super) results: BTreeMap<usize, (VarId, bool)>,
}

/// The sweeps of a program.
#[derive(Clone, Debug)]
pub(super) struct Sweeps {
    sweeps: Vec<Sweep>,
    /// The sweep that a routine is the forward one of, and the reverse one of.
    roles: BTreeMap<RoutineId, (Option<usize>, Option<usize>)>,
    originals: BTreeMap<RoutineId, usize>,
}

impl Sweeps {
    pub(super) fn new(program: &Program, given: &[(RoutineId, RoutineId, RoutineId)]) -> Self {
        let mut roles: BTreeMap<RoutineId, (Option<usize>, Option<usize>)> = BTreeMap::new();
        let mut sweeps = Vec::new();
        for (k, &(original, forward, reverse)) in given.iter().enumerate() {
            roles.entry(forward).or_default().0 = Some(k);
            roles.entry(reverse).or_default().1 = Some(k);
            sweeps.push(sweep(program, original, forward, reverse));
        }
        let originals = given
            .iter()
            .enumerate()
            .map(|(k, (original, ..))| (*original, k));
        Self {
            sweeps,
            roles,
            originals: originals.collect(),
        }
    }

    pub(super) fn original(&self, routine: RoutineId) -> Option<usize> {
        self.originals.get(&routine).copied()
    }

    pub(super) fn get(&self, k: usize) -> &Sweep {
        &self.sweeps[k]
    }

    pub(super) fn forward(&self, routine: RoutineId) -> Option<usize> {
        self.roles.get(&routine)?.0
    }

    pub(super) fn reverse(&self, routine: RoutineId) -> Option<usize> {
        self.roles.get(&routine)?.1
    }
}

fn sweep(program: &Program, original: RoutineId, forward: RoutineId, reverse: RoutineId) -> Sweep {
    let [fwd, rev] = [forward, reverse].map(|r| program.routine(r));
    let plain = program.routine(original);
    let mut numbers = BTreeMap::new();
    let mut next = 0;
    for (v, vertex) in plain.body.iter().flat_map(|cfg| cfg.vertices()) {
        numbers.insert(v, next);
        next += vertex.statements().len();
    }
    let mut copies: BTreeMap<usize, usize> = BTreeMap::new();
    for statement in fwd.statements() {
        if let (Some(number), Some(_)) = (statement.origin.number(), statement.kind.assignment()) {
            *copies.entry(number).or_default() += 1;
        }
    }
    let results = plain.statements().enumerate();
    let results = results.filter_map(|(n, statement)| {
        let (target, value) = statement.kind.assignment()?;
        let is_real = plain.variable(target.var).ty.is_real();
        let is_result = gives_its_derivative(value) || !is_real && is_step(target, value);
        let mut reads_itself = false;
        value.walk_places(&mut |place| reads_itself |= place.var == target.var);
        is_result.then_some((n, (target.var, reads_itself)))
    });
    // A visit of a loop has no counterpart of its own: FORLOOP stands for ENDLOOP, and is visited as often as LOOP.
    let is_loop = |t: VertexType| matches!(t, VertexType::Loop | VertexType::EndLoop);
    let copied = images(fwd).filter(|(_, t)| !is_loop(*t)).map(|(of, _)| of);
    let reversed: BTreeSet<i64> = images(rev).map(|(of, _)| of).collect();
    Sweep {
        original,
        forward,
        name: rev.name.clone(),
        whole: (copies.into_iter())
            .filter_map(|(number, copies)| (copies == 1).then_some(number))
            .collect(),
        keeps_states: rev
            .origin
            .as_ref()
            .is_some_and(|o| o.role == NameRole::KeptReverse),
        originals: fwd.parameters.last().map_or(0, |tape| tape.index()),
        assignable: plain.variables.len(),
        numbers,
        variables: fwd.variables.iter().map(|v| v.name.clone()).collect(),
        mirrored: copied.filter(|of| reversed.contains(of)).collect(),
        loops: loops(fwd),
        results: results.collect(),
    }
}

/// The vertices of the original that those of a sweep stand for, with the types in the sweep.
fn images(sweep: &Routine) -> impl Iterator<Item = (i64, VertexType)> {
    let vertices = sweep.body.iter().flat_map(|cfg| cfg.vertices());
    vertices.filter_map(|(_, vertex)| {
        let origin = vertex.origin.filter(|o| o.role.is_image())?;
        Some((origin.vertex, vertex.vertex_type()))
    })
}

fn loops(forward: &Routine) -> BTreeMap<i64, i64> {
    let Some(cfg) = &forward.body else {
        return BTreeMap::new();
    };
    let pairs = cfg.vertices().filter_map(|(v, vertex)| {
        let header = match vertex.vertex_type() {
            VertexType::Loop => Some(v),
            VertexType::EndLoop => cfg.successors(v).next(),
            VertexType::Entry
            | VertexType::Exit
            | VertexType::BasicBlock
            | VertexType::ForLoop
            | VertexType::Branch
            | VertexType::EndBranch => None,
        };
        let header = cfg.vertex(header?).origin?;
        Some((vertex.origin?.vertex, header.vertex))
    });
    pairs.collect()
}

/// True of `f(x)` whose derivative over x is a function of its value.
fn gives_its_derivative(value: &Expr) -> bool {
    matches!(value, Expr::Op(op, _) if reads_result(*op))
}

/// True of a sum or a difference that the target itself is part of: the value before it follows from that behind it.
pub(super) fn is_step(target: &Place, value: &Expr) -> bool {
    let is_target = |e: &Expr| matches!(e, Expr::Place(place) if place == target);
    // `at := at + k - 1` nests sums and conversions.
    let mut open = vec![value];
    while let Some(e) = open.pop() {
        if is_target(e) {
            return true;
        }
        if let Expr::Op(Op::Add | Op::Sub | Op::WrapAdd | Op::WrapSub | Op::Convert(..), operands) =
            e
        {
            open.extend(operands);
        }
    }
    false
}
