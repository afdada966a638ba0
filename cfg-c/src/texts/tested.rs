//! Texts that are compared with the null pointer, as in `if (why) puts(why);` and `if (log == NULL) log = stderr;`.
//! Such a text becomes a number, 1 for a text and 0 for null, if it is known of each assigned value which of the two
//! it is.

use super::{Candidates, Text, erase_expr, text_of};
use crate::{
    ast::{Binary, ExprId, ExprKind, Unary, Unit},
    points::{is_null, strip_conversions},
    types::{Arith, Qualified, Type},
};
use std::collections::{BTreeMap, HashSet};

/// A value that is assigned to a text.
enum Given {
    Null,
    Something,
    /// Another text.
    Text(Text),
    /// One of two values, chosen by a condition.
    Chosen(ExprId, ExprId, ExprId),
    Unknown,
}

/// Classifies a value.
fn known(unit: &Unit, e: ExprId) -> Given {
    let inner = strip_conversions(unit, e);
    match unit.expr(inner).kind {
        _ if is_null(unit, e) => Given::Null,
        ExprKind::Str(_) => Given::Something,
        ExprKind::Name(d) if unit.decl(d).is_stream() => Given::Something,
        ExprKind::Conditional(c, a, b) if inner == e => Given::Chosen(c, a, b),
        _ if unit.expr(e).effects => Given::Unknown,
        _ => text_of(unit, e).map_or(Given::Unknown, Given::Text),
    }
}

/// The texts on which a condition depends other than by being null.
fn decide(unit: &Unit, condition: ExprId) -> Vec<Text> {
    let (mut found, mut open) = (Vec::new(), vec![condition]);
    while let Some(c) = open.pop() {
        match unit.expr(c).kind {
            ExprKind::Binary(Binary::And | Binary::Or, a, b) => open.extend([a, b]),
            ExprKind::Unary(Unary::Not, a) => open.push(a),
            ExprKind::Binary(Binary::Eq | Binary::Ne, a, b)
                if is_null(unit, a) || is_null(unit, b) => {}
            _ if text_of(unit, c).is_some() => {}
            _ => unit.walk(c, &mut |e| found.extend(text_of(unit, e))),
        }
    }
    found
}

impl Candidates {
    /// Notes comparisons with null, and conditions.
    pub(super) fn look_at_tests(&mut self, unit: &Unit, allowed: &mut HashSet<ExprId>) {
        for e in (0..unit.exprs.len()).map(|e| ExprId(e as u32)) {
            if let ExprKind::Binary(Binary::Eq | Binary::Ne, a, b) = unit.expr(e).kind {
                for (a, b) in [(a, b), (b, a)] {
                    if is_null(unit, b)
                        && let Some(text) = self.test(unit, a, allowed)
                    {
                        self.nulls.push((text, b));
                    }
                }
            }
        }
        let asked = (0..unit.exprs.len()).flat_map(|e| unit.asked_operands(ExprId(e as u32)));
        for c in asked.chain(unit.conditions()) {
            self.test(unit, c, allowed);
        }
    }

    /// Notes that an expression tests a text for null; returns the text.
    fn test(&mut self, unit: &Unit, e: ExprId, allowed: &mut HashSet<ExprId>) -> Option<Text> {
        let node = unit.expr(e);
        let is_pointer = matches!(node.ty.as_ref().map(|ty| &ty.ty), Some(Type::Pointer(_)));
        let text = text_of(unit, e).filter(|text| self.all.contains(text))?;
        if node.effects || !is_pointer {
            return None;
        }
        let mut place = e;
        allowed.insert(place);
        while let ExprKind::Index(a, _) = unit.expr(place).kind {
            place = a;
            allowed.insert(place);
        }
        self.tested.insert(text.clone());
        Some(text)
    }

    /// Finds the texts assigned to tested ones, which count as tested, too, and removes those of which it is not
    /// known whether they are null.
    pub(super) fn follow_tests(&mut self, unit: &Unit) {
        let mut values: BTreeMap<&Text, Vec<ExprId>> = BTreeMap::new();
        for (text, value) in &self.values {
            values.entry(text).or_default().push(*value);
        }
        let mut open: Vec<Text> = self.tested.iter().cloned().collect();
        while let Some(text) = open.pop() {
            let mut given = Vec::new();
            let mut left = values.get(&text).cloned().unwrap_or_default();
            while let Some(e) = left.pop() {
                match known(unit, e) {
                    Given::Null | Given::Something => {}
                    Given::Text(other) => given.push(other),
                    Given::Chosen(c, a, b) => {
                        self.against.extend(decide(unit, c));
                        left.extend([a, b]);
                    }
                    Given::Unknown => self.against.push(text.clone()),
                }
            }
            given.extend(self.results.get(&text).into_iter().flatten().cloned());
            for other in given {
                if !self.all.contains(&other) {
                    self.against.push(text.clone());
                    continue;
                }
                // If the other text must stay a pointer, so must this one.
                let with = self.given.entry(other.clone()).or_default();
                with.push(text.clone());
                if self.tested.insert(other.clone()) {
                    open.push(other);
                }
            }
        }
    }
}

/// Replaces a value by the number that says whether it is null.
pub(super) fn number(unit: &mut Unit, value: ExprId) {
    let mut open = vec![value];
    while let Some(e) = open.pop() {
        match known(unit, e) {
            Given::Null => erase_expr(unit, e),
            Given::Something => unit.exprs[e.index()].kind = ExprKind::Int(1, Arith::ADDRESS),
            Given::Chosen(_, a, b) => open.extend([a, b]),
            Given::Text(_) | Given::Unknown => continue,
        }
        unit.exprs[e.index()].ty = Some(Qualified::unqualified(Type::Arith(Arith::ADDRESS)));
    }
}
