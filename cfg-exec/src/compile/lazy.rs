//! Operators over arrays that do not evaluate all their operands: `if`, `and`, `or`.

use cfg_core::ir::{Expr, Op};

use super::{
    Compiling,
    array::{Leaf, When},
    emit::Emitter,
};
use crate::code::{Ext, Instr, Target};

impl Emitter<'_> {
    /// Operators that do not evaluate all their operands. What a scalar operand decides is decided
    /// before the loop: arrays that are not chosen are not looked at.
    pub(super) fn prepare_lazy(
        &mut self,
        op: Op,
        operands: &[Expr],
        when: When,
        leaves: &mut Vec<Leaf>,
    ) -> Compiling<()> {
        let Some((first, rest)) = operands.split_first() else {
            return Err(self.too_large("an operator has no operands"));
        };
        if self.shapes_only && op != Op::If {
            for operand in operands {
                self.prepare_into(operand, when, leaves)?;
            }
            return Ok(());
        }
        self.prepare_into(first, when, leaves)?;
        let scalar = self.type_of(first)?.rank == 0;
        let known = !when.for_some || op == Op::If && self.hoistable(first);
        if !scalar || !known {
            let for_some = true;
            for operand in rest {
                self.prepare_into(operand, When { for_some, ..when }, leaves)?;
            }
            return Ok(());
        }
        let chosen = true;
        if op == Op::If {
            for (operand, sense) in rest.iter().zip([true, false]) {
                let skip = self.label();
                if when.for_some {
                    // It may not matter that the condition is uninitialised.
                    let (a, _) = self.expr_register(first)?;
                    let (value, t) = (u8::from(sense), skip);
                    self.emit(Instr::JumpIfNot { a, value, t });
                } else {
                    self.branch(first, !sense, skip)?;
                }
                let from = leaves.len();
                self.prepare_into(operand, When { chosen, ..when }, leaves)?;
                self.untaken_at(skip, &leaves[from..]);
            }
            return Ok(());
        }
        self.prepare_logical(op, first, rest, leaves)
    }

    /// `and`, `or`: scalars up to the first array decide.
    fn prepare_logical(
        &mut self,
        op: Op,
        first: &Expr,
        rest: &[Expr],
        leaves: &mut Vec<Leaf>,
    ) -> Compiling<()> {
        let skip = self.label();
        let value = u8::from(op == Op::And);
        let mut before: Option<&Expr> = Some(first);
        let mut arrays = Vec::new();
        for operand in rest {
            if let Some(e) = before {
                let mark = self.mark();
                let (a, _) = self.expr_register(e)?;
                self.release(mark);
                let t = skip;
                self.emit(Instr::JumpIfNot { a, value, t });
            }
            let (chosen, for_some) = (true, before.is_none());
            let from = leaves.len();
            self.prepare_into(operand, When { chosen, for_some }, leaves)?;
            if self.type_of(operand)?.rank > 0 {
                before = None;
                arrays.push((operand, from..leaves.len()));
            } else if before.is_some() {
                before = Some(operand);
            }
        }
        let end = self.label();
        self.jump(end);
        self.bind(skip);
        for (operand, of) in arrays {
            self.shape_of(operand, &leaves[of])?;
        }
        self.bind(end);
        Ok(())
    }

    /// Gives the arrays of an operand of which no element is evaluated the shapes that they would have, for the
    /// result has them all the same. An operand that would fail has none.
    fn shape_of(&mut self, operand: &Expr, leaves: &[Leaf]) -> Compiling<()> {
        let (fails, end) = (self.label(), self.label());
        let mark = self.mark();
        let outer = std::mem::take(&mut self.lanes);
        let within = std::mem::replace(&mut self.shapes_only, true);
        self.ext(Ext::Try { t: fails });
        let mut again = Vec::with_capacity(leaves.len());
        let (chosen, for_some) = (true, false);
        self.prepare_into(operand, When { chosen, for_some }, &mut again)?;
        self.ext(Ext::EndTry);
        for (leaf, found) in leaves.iter().zip(&again) {
            let (d, arr, rank) = (leaf.view.arr, found.view.arr, found.view.rank);
            self.ext(Ext::Same { d, arr, rank });
        }
        self.jump(end);
        self.bind(fails);
        for leaf in leaves {
            let (arr, rank) = (leaf.view.arr, leaf.view.rank);
            self.ext(Ext::Untaken { arr, rank });
        }
        self.bind(end);
        self.shapes_only = within;
        self.lanes = outer;
        self.release(mark);
        Ok(())
    }

    /// The end of code that `skip` jumps over: there the arrays are marked as not taken.
    fn untaken_at(&mut self, skip: Target, leaves: &[Leaf]) {
        if leaves.is_empty() {
            self.bind(skip);
            return;
        }
        let end = self.label();
        self.jump(end);
        self.bind(skip);
        for leaf in leaves {
            let (arr, rank) = (leaf.view.arr, leaf.view.rank);
            self.ext(Ext::Untaken { arr, rank });
        }
        self.bind(end);
    }
}
