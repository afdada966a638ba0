//! The estimated cost of a run.

use cfg_core::{
    entity::{RoutineId, VertexId},
    ir::{Expr, Op, Place, Stmt},
};

use crate::plan::{
    adjoints::{StatementAdjoint, StatementCode},
    draft::Draft,
    provisions::Provisions,
    recorded::{Recorded, recorded},
    setting::Setting,
};

/// The cost of a value that is pushed and popped, in operations.
pub(crate) const PUSH: u64 = 6;

/// The vertices at which a routine calls forward sweeps, and the routines of these.
pub(crate) type Calls = Vec<(VertexId, RoutineId)>;

/// The cost of a way of writing the routines, and the values that it records.
pub(crate) struct Measure {
    /// The cost of each routine, without the routines that it calls.
    pub(super) costs: Vec<u64>,
    /// Cost of a run.
    pub(super) total: u64,
    pub(super) recorded: Vec<Option<Recorded>>,
}

impl Measure {
    pub(super) fn estimate(
        setting: &Setting<'_>,
        calls: &[Calls],
        drafts: &[Option<Draft<'_>>],
    ) -> Self {
        let mut costs = vec![0; drafts.len()];
        let mut totals: Vec<u64> = vec![0; drafts.len()];
        let mut all = vec![None; drafts.len()];
        for &r in &setting.prepared.reachable {
            let r = r.index();
            let Some(draft) = &drafts[r] else { continue };
            let provisions = Provisions::solve(&setting.prepared.context, draft);
            costs[r] = routine_cost(setting, draft, &provisions);
            // Of a recursion one level counts: its depth is not known.
            let called = calls[r].iter().map(|&(v, callee)| {
                let total = totals[callee.index()];
                total.saturating_mul(rate(draft, v))
            });
            totals[r] = called.fold(costs[r], u64::saturating_add);
            all[r] = Some(recorded(&setting.prepared.context, draft, &provisions, 0));
        }
        let main = setting.prepared.reachable.last();
        Self {
            costs,
            total: main.map_or(0, |r| totals[r.index()]),
            recorded: all,
        }
    }
}

/// The rough number of times that a vertex is visited.
pub(crate) fn rate(draft: &Draft<'_>, v: VertexId) -> u64 {
    visits(draft.shape.loop_depth(v))
}

/// The rough number of visits of a vertex inside `loops` loops: eight times as many for each loop, up to ten of them.
fn visits(loops: u32) -> u64 {
    8u64.pow(loops.min(10))
}

#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "operators without a rule of their own here are treated alike"
)]
fn operations(e: &Expr) -> u64 {
    let is_product = |e: &Expr| matches!(e, Expr::Op(Op::StrongMul, _));
    let mut sum = 0;
    e.walk(&mut |e| {
        if let Expr::Op(op, operands) = e {
            sum += match op {
                // A product that is strong in both factors: one of the two is formed.
                Op::If if operands.iter().skip(1).all(is_product) => 0,
                Op::Add | Op::Mul => operands.len() as u64 - 1,
                Op::Neg | Op::Sub | Op::StrongMul | Op::Fma | Op::If => 1,
                Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge | Op::ToReal => 1,
                Op::Div | Op::Sqrt => 4,
                Op::Min | Op::Max | Op::Abs => 1,
                _ => 12,
            };
        }
    });
    sum
}

/// The cost of assignments.
pub(crate) fn code_cost(statements: &[Stmt]) -> u64 {
    let assigned = statements.iter().filter_map(|s| s.kind.assignment());
    let cost = |(target, value): (&Place, &Expr)| {
        operations(value) + target.subscript_exprs().map(operations).sum::<u64>()
    };
    assigned.map(cost).sum()
}

/// The cost of bits that are pushed and popped.
pub(crate) fn tape_cost(bits: u64) -> u64 {
    bits.saturating_mul(PUSH) / 64
}

/// The cost of one statement in the forward and the reverse sweep, without the tape.
pub(crate) fn statement_cost(
    statement: &Stmt,
    (code, adjoint): (&StatementCode, &StatementAdjoint),
) -> u64 {
    let forward = match &code.forward {
        Some(forward) => code_cost(forward),
        None => code_cost(std::slice::from_ref(statement)),
    };
    forward + code_cost(&adjoint.code)
}

/// The number of elements that an array is taken to have if its extents are not known.
pub(crate) const ELEMENTS: u64 = 10;

fn routine_cost(setting: &Setting<'_>, draft: &Draft<'_>, provisions: &Provisions<'_>) -> u64 {
    let recorded = recorded(&setting.prepared.context, draft, provisions, ELEMENTS);
    let mut sum = tape_cost(recorded.end);
    for (v, vertex) in draft.cfg.vertices() {
        let mut here = tape_cost(recorded.vertices[v.index()]);
        let written = draft.code.row(v).iter().zip(draft.adjoints.row(v));
        for (statement, written) in vertex.statements().iter().zip(written) {
            here += statement_cost(statement, written);
        }
        sum = sum.saturating_add(here.saturating_mul(rate(draft, v)));
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use cfg_core::entity::VarId;

    fn x() -> Expr {
        Expr::var(VarId::new(0))
    }

    /// Folded operators cost one for each operand but the first, divisions and roots four, functions twelve.
    #[test]
    fn operators_cost_what_they_take() {
        for (op, operands, expected) in [
            (Op::Add, 2, 1),
            (Op::Add, 4, 3),
            (Op::Mul, 2, 1),
            (Op::Mul, 3, 2),
            (Op::Neg, 1, 1),
            (Op::Sub, 2, 1),
            (Op::StrongMul, 2, 1),
            (Op::Fma, 3, 1),
            (Op::If, 3, 1),
            (Op::Eq, 2, 1),
            (Op::Ne, 2, 1),
            (Op::Lt, 2, 1),
            (Op::Le, 2, 1),
            (Op::Gt, 2, 1),
            (Op::Ge, 2, 1),
            (Op::ToReal, 1, 1),
            (Op::Div, 2, 4),
            (Op::Sqrt, 1, 4),
            (Op::Min, 2, 1),
            (Op::Max, 3, 1),
            (Op::Abs, 1, 1),
            (Op::Sin, 1, 12),
            (Op::Pow, 2, 12),
        ] {
            let e = Expr::op(op, vec![x(); operands]);
            assert_eq!(operations(&e), expected, "{op:?} of {operands}");
        }
        assert_eq!(operations(&x()), 0);
        let product = Expr::op(Op::StrongMul, [x(), x()]);
        let is_zero = Expr::op(Op::Eq, [x(), x()]);
        let strong = Expr::op(Op::If, [is_zero, product.clone(), product]);
        assert_eq!(operations(&strong), 3);
    }

    /// Subscripts of targets count, and statements that replace another one count in its stead.
    #[test]
    fn statements_cost_what_their_parts_do() {
        let sin = Expr::op(Op::Sin, [Expr::op(Op::Div, [x(), x()])]);
        assert_eq!(operations(&sin), 16);
        let subscript = Expr::op(Op::Add, [x(), Expr::Int(1), x()]);
        let target = Place::element(VarId::new(1), [subscript, Expr::op(Op::Neg, [x()])]);
        let all = [
            Stmt::assign(target, sin),
            Stmt::assign(Place::whole(VarId::new(0)), Expr::op(Op::Mul, [x(), x()])),
        ];
        assert_eq!(code_cost(&all[..1]), 19);
        assert_eq!(code_cost(&all), 20);
        assert_eq!(code_cost(&[]), 0);
        let adjoint = StatementAdjoint {
            code: all.to_vec(),
            ..StatementAdjoint::default()
        };
        let mut code = StatementCode::default();
        assert_eq!(statement_cost(&all[1], (&code, &adjoint)), 21);
        code.forward = Some(all.clone().into());
        assert_eq!(statement_cost(&all[1], (&code, &adjoint)), 40);
    }

    /// Each loop around a vertex counts, up to the tenth.
    #[test]
    fn loops_on_both_sides_of_the_limit() {
        let found = [0, 1, 2, 9, 10, 11, u32::MAX].map(visits);
        assert_eq!(found, [1, 8, 64, 1 << 27, 1 << 30, 1 << 30, 1 << 30]);
    }

    /// A word of 64 bits costs as much as six operations, parts of it in proportion.
    #[test]
    fn tapes_cost_by_the_word() {
        let costs = [0, 10, 11, 32, 64, 128, u64::MAX].map(tape_cost);
        assert_eq!(costs, [0, 0, 1, 3, 6, 12, u64::MAX / 64]);
    }
}
