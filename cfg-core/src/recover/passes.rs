//! Counted loops that jumps express by counting passes. `flatten` writes this form where a bound changes in the body
//! or the step is not constant:
//!
//! ```text
//! left := trips(first, last, step); by := step; index := first
//! while left > 0
//!     ...
//!     index := index + by; left := left - 1
//! ```
//!
//! The statements before the loop are evaluated on its entry, so this is `LOOP index = first, last, step` if nothing
//! else uses `left` and `by`. An index that is its own first value is not assigned; a constant step needs no variable;
//! an operand that is too deep for `trips` is assigned to a variable before.

use crate::{
    entity::VarId,
    ir::{Cfg, Expr, Extent, Op, Program, Role, Routine, ScalarType, Stmt, Variable},
    memory::{
        access::{Access, Accesses, decision_accesses},
        effects::Effects,
    },
};

/// The number of occurrences of each variable: read or written, in the graph or in a declaration.
pub(super) struct Uses {
    count: Vec<usize>,
    /// Locals that are integer scalars.
    own: Vec<bool>,
}

impl Uses {
    pub(super) fn count(
        program: &Program,
        effects: &Effects,
        routine: &Routine,
        cfg: &Cfg,
    ) -> Self {
        let mut count = vec![0usize; routine.variables.len()];
        let mut at = |v: VarId| {
            if let Some(n) = count.get_mut(v.index()) {
                *n += 1;
            }
        };
        for variable in &routine.variables {
            for dim in &variable.shape {
                dim.lower.walk_places(&mut |p| at(p.var));
                if let Extent::Fixed(e) = &dim.extent {
                    e.walk_places(&mut |p| at(p.var));
                }
            }
        }
        let accesses = Accesses::resolve(program, effects, routine);
        let mut access = |access| {
            let (Access::Read(v) | Access::Write(v) | Access::MayWrite(v)) = access;
            at(v);
        };
        for (_, vertex) in cfg.vertices() {
            for statement in vertex.statements() {
                accesses.each_access(statement, &mut access);
            }
            decision_accesses(vertex, &mut access);
        }
        let own = |(v, variable): (usize, &Variable)| {
            matches!(variable.role, Role::Local)
                && variable.ty == ScalarType::Integer
                && variable.rank() == 0
                && routine.result != Some(VarId::new(v))
        };
        let own = routine.variables.iter().enumerate().map(own).collect();
        Self { count, own }
    }

    /// True for a local integer scalar that occurs exactly `times` times.
    fn is_own(&self, v: VarId, times: usize) -> bool {
        self.own[v.index()] && self.count[v.index()] == times
    }
}

/// The range of a counted loop, and the statements and variables that become superfluous.
pub(super) struct Range {
    pub(super) index: VarId,
    pub(super) first: Expr,
    pub(super) last: Expr,
    pub(super) step: Expr,
    /// The number of superfluous statements at the end of the block before the loop.
    pub(super) initial: usize,
    /// The superfluous variables.
    pub(super) unused: Vec<VarId>,
}

/// The scalar or whole array that is assigned, and its value.
fn assigned(statement: &Stmt) -> Option<(VarId, &Expr)> {
    let (target, value) = statement.kind.assignment()?;
    target.subscripts.is_empty().then_some((target.var, value))
}

fn whole(e: &Expr) -> Option<VarId> {
    match e {
        Expr::Place(place) if place.subscripts.is_empty() => Some(place.var),
        Expr::Int(_)
        | Expr::Real(_)
        | Expr::Real32(_)
        | Expr::Logical(_)
        | Expr::Place(_)
        | Expr::Op(..)
        | Expr::Null(_)
        | Expr::Addr(_) => None,
    }
}

/// Recognises the loop from the statements before it and the statements at the end of its body, the last of which
/// counts.
pub(super) fn find(uses: &Uses, left: VarId, before: &[Stmt], latch: &[Stmt]) -> Option<Range> {
    // The counter occurs four times: assigned before, tested, read and assigned in the body.
    if !uses.is_own(left, 4) {
        return None;
    }
    let [.., moves, _] = latch else { return None };
    let (index, value) = assigned(moves)?;
    let Expr::Op(Op::Add, operands) = value else {
        return None;
    };
    let [at, by] = &operands[..] else { return None };
    if whole(at) != Some(index) {
        return None;
    }
    let mut unused = vec![left];
    let mut rest = before;
    let mut first = None;
    if let [others @ .., last] = rest
        && let Some((v, value)) = assigned(last)
        && v == index
    {
        first = Some(value.clone());
        rest = others;
    }
    let step = match by {
        Expr::Int(step) => Expr::Int(*step),
        by @ (Expr::Real(_)
        | Expr::Real32(_)
        | Expr::Logical(_)
        | Expr::Place(_)
        | Expr::Op(..)
        | Expr::Null(_)
        | Expr::Addr(_)) => {
            let by = whole(by).filter(|&v| uses.is_own(v, 2))?;
            let [others @ .., last] = rest else {
                return None;
            };
            let (_, value) = assigned(last).filter(|(v, _)| *v == by)?;
            unused.push(by);
            rest = others;
            value.clone()
        }
    };
    let [others @ .., last] = rest else {
        return None;
    };
    let (_, trips) = assigned(last).filter(|(v, _)| *v == left)?;
    rest = others;
    let Expr::Op(Op::Trips, operands) = trips else {
        return None;
    };
    let mut operands = operands.to_vec();
    while let [others @ .., last] = rest
        && let Some((v, value)) = assigned(last)
        && uses.is_own(v, 2)
        && let Some(operand) = operands.iter_mut().find(|e| whole(e) == Some(v))
    {
        *operand = value.clone();
        unused.push(v);
        rest = others;
    }
    let [from, to, by] = <[Expr; 3]>::try_from(operands).ok()?;
    let first = first.unwrap_or_else(|| Expr::var(index));
    (from == first && by == step && step != Expr::Int(0)).then(|| Range {
        index,
        first,
        last: to,
        step,
        initial: before.len() - rest.len(),
        unused,
    })
}
