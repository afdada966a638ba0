//! Texts that `strcmp` compares, as the name of a method that is looked up in a table. If all that they are given is texts in quotes, the
//! number of each is its rank among these, and the difference of two numbers has the sign of the comparison.

use super::{Candidates, Text};
use crate::{
    ast::{Binary, ExprId, ExprKind, Unit},
    points::library_call,
    types::{Arith, Qualified, Type},
};
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// The ranks of texts in quotes, from 1.
pub(super) type Ranks = BTreeMap<Vec<u8>, i128>;

/// The part of a text that functions of the library see: they end at its first 0.
pub(super) fn content(text: &[u8]) -> &[u8] {
    text.split(|byte| *byte == 0).next().unwrap_or_default()
}

pub(super) fn ranks(unit: &Unit) -> Ranks {
    let texts = unit.exprs.iter().filter_map(|node| match &node.kind {
        ExprKind::Str(Some(text)) => Some(content(text).to_vec()),
        _ => None,
    });
    let sorted: BTreeSet<Vec<u8>> = texts.chain([Vec::new()]).collect();
    sorted.into_iter().zip(1..).collect()
}

/// The calls of `strcmp`, each with what it is given.
fn calls(unit: &Unit) -> impl Iterator<Item = (ExprId, [ExprId; 2])> {
    let exprs = (0..unit.exprs.len()).map(|e| ExprId(e as u32));
    exprs.filter_map(|e| match &unit.expr(e).kind {
        ExprKind::Call(_, arguments) if library_call(unit, e) == Some("strcmp") => {
            Some((e, *arguments.first_chunk()?))
        }
        _ => None,
    })
}

/// What is compared.
pub(super) fn texts(unit: &Unit) -> impl Iterator<Item = Text> {
    calls(unit).flat_map(|(_, both)| both.map(|a| Text::Compared(a.0)))
}

impl Candidates {
    /// Looks at what is compared: both are numbers, or none is.
    pub(super) fn look_at_comparisons(&mut self, unit: &Unit, allowed: &mut HashSet<ExprId>) {
        for (_, [a, b]) in calls(unit) {
            for (value, other) in [(a, b), (b, a)] {
                let [text, other] = [value, other].map(|e| Text::Compared(e.0));
                self.tested.insert(text.clone());
                self.given.entry(text.clone()).or_default().push(other);
                self.give(unit, &text, value, allowed);
            }
        }
    }
}

/// Makes differences of comparisons of numbers.
pub(super) fn subtract(unit: &mut Unit, all: &BTreeSet<Text>) {
    let is_number = |e: ExprId| all.contains(&Text::Compared(e.0));
    let calls: Vec<(ExprId, [ExprId; 2])> = calls(unit)
        .filter(|(_, both)| both.iter().all(|e| is_number(*e)))
        .collect();
    for (e, [a, b]) in calls {
        // Both are small, and so is the difference. The operands of an expression stand before it, so that no other place is free for a conversion.
        let node = &mut unit.exprs[e.index()];
        node.kind = ExprKind::Binary(Binary::Sub, a, b);
        node.ty = Some(Qualified::plain(Type::Arith(Arith::INT)));
        node.effects = false;
    }
}

/// Makes of the first character of a text, where it is asked whether it is one, whether the text has any.
pub(super) fn ask_whether_empty(unit: &mut Unit, first: ExprId, ranks: &Ranks) {
    let (ExprKind::Index(text, number), Some(empty)) =
        (&unit.expr(first).kind, ranks.get(&b""[..]))
    else {
        return;
    };
    let (text, number) = (*text, *number);
    unit.exprs[number.index()].kind = ExprKind::Int(*empty, Arith::ADDRESS);
    unit.exprs[number.index()].ty = Some(Qualified::plain(Type::Arith(Arith::ADDRESS)));
    let node = &mut unit.exprs[first.index()];
    node.kind = ExprKind::Binary(Binary::Ne, text, number);
    node.ty = Some(Qualified::plain(Type::Arith(Arith::INT)));
}
