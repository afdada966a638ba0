//! Operators over arrays that do not evaluate all operands: `if`, `and`, `or`. Scalar conditions decide before the
//! loops, and arrays that are not chosen are not touched.

use cfg_core::ir::{Expr, Op};

use super::{
    form::{Part, Step},
    lower::{Builder, Leaf, Lowering, Malformed, When},
};

impl Builder<'_> {
    /// The scalar body of `if`, `and` or `or` over arrays.
    pub(super) fn prepare_lazy(
        &mut self,
        op: Op,
        operands: &[Expr],
        when: When,
        leaves: &mut Vec<Leaf>,
    ) -> Lowering<Expr> {
        let Some((first, rest)) = operands.split_first() else {
            return Err(Malformed::new("an operator has no operands"));
        };
        let mut prepared = vec![self.prepare(first, when, leaves)?];
        let in_all = self.shapes_only && op != Op::If;
        let scalar = self.type_of(first)?.rank == 0;
        let known = !when.for_some || op == Op::If && self.may_be_early(first);
        if in_all || !scalar || !known {
            let for_some = when.for_some || !in_all;
            for operand in rest {
                let when = When { for_some, ..when };
                prepared.push(self.prepare(operand, when, leaves)?);
            }
        } else if op == Op::If {
            for (operand, sense) in rest.iter().zip([true, false]) {
                let from = leaves.len();
                let within = When {
                    chosen: true,
                    ..when
                };
                let (taken, e) = self.block(|form| form.prepare(operand, within, leaves));
                self.step(Step::Choose {
                    condition: prepared[0].clone(),
                    sense,
                    // An uninitialised condition is no error if no element needs it.
                    lenient: when.for_some,
                    taken,
                    untaken: leaves[from..].iter().map(|leaf| leaf.array).collect(),
                });
                prepared.push(e?);
            }
        } else {
            self.prepare_logical(op, rest, leaves, &mut prepared)?;
        }
        Ok(Expr::op(op, prepared))
    }

    /// `and`, `or` whose first operand is a scalar: scalars up to the first array decide.
    fn prepare_logical(
        &mut self,
        op: Op,
        rest: &[Expr],
        leaves: &mut Vec<Leaf>,
        prepared: &mut Vec<Expr>,
    ) -> Lowering<()> {
        let mut before = prepared.first().cloned();
        let mut arrays = Vec::new();
        let mut parts = Vec::with_capacity(rest.len());
        for operand in rest {
            let (chosen, for_some) = (true, before.is_none());
            let from = leaves.len();
            let when = When { chosen, for_some };
            let (steps, e) = self.block(|form| form.prepare(operand, when, leaves));
            let e = e?;
            let test = before.take();
            if self.type_of(operand)?.rank > 0 {
                arrays.push((operand, from..leaves.len()));
            } else if test.is_some() {
                before = Some(e.clone());
            }
            parts.push(Part { test, steps });
            prepared.push(e);
        }
        let (decided, found) = self.block(|form| -> Lowering<()> {
            for (operand, of) in arrays {
                form.shape_of(operand, &leaves[of])?;
            }
            Ok(())
        });
        found?;
        self.step(Step::Decide {
            undecided: op == Op::And,
            parts,
            decided,
        });
        Ok(())
    }

    /// Gives the arrays of an operand without evaluated elements their shapes, since these shape the result
    /// nevertheless. An operand that would fail has no shape.
    fn shape_of(&mut self, operand: &Expr, leaves: &[Leaf]) -> Lowering<()> {
        let within = std::mem::replace(&mut self.shapes_only, true);
        let mut again = Vec::with_capacity(leaves.len());
        let (chosen, for_some) = (true, false);
        let when = When { chosen, for_some };
        let (attempt, found) = self.block(|form| form.prepare(operand, when, &mut again));
        self.shapes_only = within;
        found?;
        let same = |(leaf, found): (&Leaf, &Leaf)| Step::Same {
            array: leaf.array,
            of: found.array,
        };
        let untaken = |leaf: &Leaf| Step::Untaken { array: leaf.array };
        self.step(Step::Try {
            attempt,
            well: leaves.iter().zip(&again).map(same).collect(),
            failed: leaves.iter().map(untaken).collect(),
        });
        Ok(())
    }
}
