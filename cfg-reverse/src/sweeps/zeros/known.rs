//! Known zeros: constant propagation with 0 as the only constant.
//!
//! A forward analysis of the variables that may be other than 0: `out(b) = (in(b) \ zeroed(b)) ∪ written(b)`, joined by
//! union. Source: G. Kildall, *A Unified Approach to Global Program Optimization*, POPL 1973.

use cfg_core::{
    dataflow::{Analysis, Direction, Position, Set, solve},
    entity::{VarId, VertexId},
    ir::{
        Cfg, Expr, Op, Stmt, StmtKind, Vertex,
        visit::{PlaceRole, Visit},
    },
};

use super::{Candidates, Names, zeroed};

/// The candidates that may be other than 0.
pub(super) struct MayDiffer<'a>(pub(super) &'a Candidates);

impl Analysis for MayDiffer<'_> {
    const NAME: &'static str = "known zeros";
    const DIRECTION: Direction = Direction::Forward;
    type Domain = Set;

    fn bottom(&self, _: &Cfg) -> Set {
        Set::new(self.0.count)
    }

    fn boundary(&self, _: &Cfg) -> Set {
        let mut all = Set::new(self.0.count);
        (0..self.0.count).for_each(|n| all.insert(n));
        all
    }

    fn statement(&self, _: Position, statement: &Stmt, state: &mut Set) {
        if let Some(n) = zeroed(statement).and_then(|v| self.0.number(v)) {
            return state.remove(n);
        }
        let mut names = Names(|v: VarId, role: PlaceRole| {
            if role.writes()
                && let Some(n) = self.0.number(v)
            {
                state.insert(n);
            }
        });
        names.visit_statement(statement);
    }

    fn decision(&self, _: VertexId, _: &Vertex, _: &mut Set) {
        // The only variables that a decision writes are indices of loops, which are integers.
    }
}

/// The graph in which increments of variables that are 0 are assignments.
pub(super) fn assign_where_zero(mut cfg: Cfg, candidates: &Candidates) -> Cfg {
    let analysis = MayDiffer(candidates);
    let solution = solve(&cfg, &analysis);
    let mut found = Vec::new();
    solution.each_vertex(&cfg, |v, state| {
        for (s, statement) in cfg.vertex(v).statements().iter().enumerate() {
            let target = statement.kind.assignment().map(|(target, _)| target.var);
            let number = target.and_then(|v| candidates.number(v));
            if number.is_some_and(|n| !state.contains(n)) {
                found.push((v, s));
            }
            let at = Position {
                vertex: v,
                statement: s,
            };
            analysis.statement(at, statement, state);
        }
    });
    for (v, s) in found {
        let statements = cfg.vertex_mut(v).kind.statements_mut();
        let statement = statements.and_then(|statements| statements.get_mut(s));
        if let Some(Stmt {
            kind: StmtKind::Assign { target, value },
            ..
        }) = statement
        {
            let v = target.var;
            without_addend(value, v);
        }
    }
    cfg
}

/// Removes a variable from a sum, if it is an addend there.
fn without_addend(value: &mut Expr, v: VarId) {
    let is_it = |e: &Expr| matches!(e, Expr::Place(p) if p.var == v && p.subscripts.is_empty());
    let mut at = value;
    while let Expr::Op(Op::Add | Op::Sub, operands) = &*at
        && !operands.iter().any(is_it)
    {
        let Expr::Op(_, operands) = at else { return };
        let Some(first) = operands.first_mut() else {
            return;
        };
        at = first;
    }
    if let Expr::Op(op @ (Op::Add | Op::Sub), operands) = at
        && let Some(k) = operands.iter().position(is_it)
    {
        *at = without_operand(*op, std::mem::take(operands).into_vec(), k);
    }
}

/// A sum or difference whose k-th operand is 0.
fn without_operand(op: Op, mut operands: Vec<Expr>, k: usize) -> Expr {
    operands.remove(k);
    match (op, k) {
        (Op::Sub, 0) => Expr::op(Op::Neg, operands),
        _ if operands.len() > 1 => Expr::op(op, operands),
        _ => operands.remove(0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn x(v: usize) -> Expr {
        Expr::var(VarId::new(v))
    }

    #[test]
    fn an_addend_is_taken_out_wherever_it_stands() {
        let op = |op, operands: &[Expr]| Expr::op(op, operands.iter().cloned());
        let (add, sub) = (|a, b| op(Op::Add, &[a, b]), |a, b| op(Op::Sub, &[a, b]));
        let cases = [
            (add(x(0), x(1)), x(1)),
            (add(x(1), x(0)), x(1)),
            (sub(x(0), x(1)), op(Op::Neg, &[x(1)])),
            (sub(x(1), x(0)), x(1)),
            (sub(add(x(0), x(1)), x(2)), sub(x(1), x(2))),
            (add(sub(x(0), x(1)), x(2)), add(op(Op::Neg, &[x(1)]), x(2))),
            (op(Op::Add, &[x(1), x(0), x(2)]), add(x(1), x(2))),
            (
                add(x(1), op(Op::Mul, &[x(0), x(2)])),
                add(x(1), op(Op::Mul, &[x(0), x(2)])),
            ),
            (add(x(1), x(2)), add(x(1), x(2))),
        ];
        for (mut value, expected) in cases {
            let before = format!("{value:?}");
            without_addend(&mut value, VarId::new(0));
            assert_eq!(value, expected, "{before}");
        }
    }
}
