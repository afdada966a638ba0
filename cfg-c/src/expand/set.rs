//! The functions that an expression may be.

use super::{Bound, Expand, frame::Frame, is_function_pointer, is_zero};
use crate::{
    ast::initial_exprs,
    ast::{Binary, DeclId, DeclKind, ExprId, ExprKind, Unary},
    calls::callable,
    constant,
    types::Type,
};
use std::collections::{BTreeSet, HashSet};

/// A set of functions, and whether the pointer may be null.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Set {
    pub(super) functions: BTreeSet<DeclId>,
    pub(super) null: bool,
}

impl Expand<'_> {
    /// The functions that an expression, as it was read, may be. The error is a part of it whose value is not known.
    pub(super) fn functions_of(&self, e: ExprId, frame: &Frame) -> Result<Set, ExprId> {
        let unit = &*self.unit;
        let mut set = Set::default();
        let mut seen = HashSet::new();
        let mut open = vec![e];
        while let Some(e) = open.pop() {
            let node = unit.expr(e);
            match &node.kind {
                _ if is_zero(unit, e) => set.null = true,
                ExprKind::Name(d) if matches!(unit.decl(*d).ty.ty, Type::Function(_)) => {
                    set.functions.insert(*d);
                }
                ExprKind::Name(d) => {
                    let decl = unit.decl(*d);
                    if !seen.insert(*d) {
                        continue;
                    }
                    let own = frame.decls.contains_key(d) || frame.bound.contains_key(d);
                    if decl.address || decl.kind == DeclKind::Parameter && !own {
                        self.any_of(e, &mut set)?;
                        continue;
                    }
                    if decl.external {
                        return Err(e);
                    }
                    match frame.bound.get(d) {
                        Some(Bound::Function(f)) => {
                            set.functions.insert(*f);
                        }
                        Some(Bound::Among(given)) => {
                            set.functions.extend(&given.functions);
                            set.null |= given.null;
                        }
                        Some(Bound::Null) => set.null = true,
                        Some(Bound::Points(_) | Bound::Place(_)) | None
                            if decl.kind == DeclKind::Parameter =>
                        {
                            return Err(e);
                        }
                        Some(Bound::Points(_) | Bound::Place(_)) | None => {}
                    }
                    open.extend(initial_exprs(decl.init.as_ref()));
                    let kept = matches!(decl.kind, DeclKind::Global | DeclKind::Static);
                    // A variable that is kept begins with null, or with constants that have become numbers.
                    set.null |= kept && decl.init.is_none();
                    for assign in &decl.assigned {
                        match unit.expr(*assign).kind {
                            ExprKind::Assign(None, _, value) => open.push(value),
                            _ => return Err(*assign),
                        }
                    }
                }
                // A number that the initial value of a variable has become.
                ExprKind::Int(value, _) if e.index() >= self.original => {
                    let k = usize::try_from(*value - 1).ok();
                    match k.and_then(|k| self.numbers.get(k)) {
                        Some(d) => {
                            set.functions.insert(*d);
                        }
                        None => return Err(e),
                    }
                }
                ExprKind::Cast(ty, a) if is_function_pointer(ty) => open.push(*a),
                ExprKind::Unary(Unary::Address, a) => open.push(*a),
                ExprKind::Unary(Unary::Deref, a)
                    if unit.expr(*a).ty.as_ref().is_some_and(super::is_function) =>
                {
                    open.push(*a);
                }
                ExprKind::Conditional(_, a, b) => open.extend([*a, *b]),
                ExprKind::Binary(Binary::Comma, _, b) => open.push(*b),
                ExprKind::Assign(None, _, value) => open.push(*value),
                ExprKind::Index(a, _) => match unit.expr(*a).kind {
                    ExprKind::Name(d) if self.is_table(d) && seen.insert(d) => {
                        let all = initial_exprs(unit.decl(d).init.as_ref());
                        // Elements without an initial value are null.
                        let count = match &unit.decl(d).ty.ty {
                            Type::Array(_, Some(extent)) => constant::integer(unit, *extent),
                            _ => None,
                        };
                        set.null |= count.is_none_or(|(count, _)| count != all.len() as i128);
                        open.extend(all);
                    }
                    ExprKind::Name(d) if self.is_table(d) => {}
                    // The contents of a table in another file are not known.
                    ExprKind::Name(d) if unit.decl(d).external => return Err(*a),
                    _ => self.any_of(e, &mut set)?,
                },
                ExprKind::Member(..) | ExprKind::Unary(Unary::Deref, _) | ExprKind::Call(..) => {
                    self.given_or_any(e, frame, &mut set)?;
                }
                _ => return Err(e),
            }
        }
        Ok(set)
    }

    /// The functions assigned to a member; for any other expression, all functions of its type.
    fn given_or_any(&self, e: ExprId, frame: &Frame, set: &mut Set) -> Result<(), ExprId> {
        match self.given_to(e, frame) {
            Some(given) => {
                set.functions.extend(given);
                set.null = true;
                Ok(())
            }
            None => self.any_of(e, set),
        }
    }

    /// True of an array of functions that no statement changes.
    fn is_table(&self, d: DeclId) -> bool {
        let decl = self.unit.decl(d);
        matches!(&decl.ty.ty, Type::Array(of, _) if of.constant) && decl.init.is_some()
    }

    /// All functions that a pointer of the expression's type may be: their addresses are taken, and the pointer can
    /// call them.
    fn any_of(&self, e: ExprId, set: &mut Set) -> Result<(), ExprId> {
        let Some(ty) = &self.unit.expr(e).ty else {
            return Err(e);
        };
        set.null = true;
        let wanted = match &ty.ty {
            Type::Pointer(to) => &to.ty,
            other => other,
        };
        let alike = self.taken.iter().filter(|d| {
            let own = &self.unit.decl(**d).ty.ty;
            callable(wanted, own)
        });
        set.functions.extend(alike);
        Ok(())
    }
}
