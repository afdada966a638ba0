//! The members of structures with pointers: copied, and given their initial values.

use super::{
    Expand,
    frame::{Frame, Loc},
    is_zero,
};
use crate::{
    ast::{DeclId, ExprId, ExprKind, Init, InitialPart, StmtId, StmtKind},
    constant,
    points::strip_conversions,
    types::{Arith, Qualified, Type},
};
use std::rc::Rc;

/// Most elements of an array in a structure, which is copied element by element.
const MAX_ELEMENTS: i128 = 256;

impl Expand<'_> {
    /// Declares the members of a structure with values 0.
    pub(super) fn zeroed(&mut self, loc: &Loc, e: ExprId) -> Vec<StmtId> {
        let mut all = Vec::new();
        for (_, d) in self.member_leaves(loc) {
            if self.is_untyped(d) {
                continue;
            }
            let init = self.zero(d, e);
            self.unit.decls[d.index()].init = init;
            all.push(d);
        }
        vec![self.add_stmt(StmtKind::Decl(all), e)]
    }

    /// The initial value of a member without one, which is 0; `None` for a pointer to a structure.
    fn zero(&mut self, d: DeclId, e: ExprId) -> Option<Init> {
        let ty = self.unit.decl(d).ty.clone();
        if self.split_target(&ty).is_some() {
            return None;
        }
        Some(match ty.ty {
            Type::Array(..) | Type::Struct(_) => Init::Parts(Vec::new()),
            Type::Pointer(_) => Init::Expr(self.null(e)),
            _ => Init::Expr(self.add_expr(ExprKind::Int(0, Arith::INT), e)),
        })
    }

    /// The assignments that copy a structure.
    pub(super) fn copies(&mut self, to: &Loc, from: &Loc, e: ExprId) -> Vec<StmtId> {
        let mut all = Vec::new();
        if to == from || to.s != from.s {
            return all;
        }
        let sources = self.member_leaves(from);
        for ((_, d), (_, source)) in self.member_leaves(to).into_iter().zip(sources) {
            let ty = self.unit.decl(d).ty.clone();
            let known = self.pointers.get(&source).cloned();
            if self.split_target(&ty).is_some() || known.is_some() {
                if let Some(loc) = known {
                    self.bind(d, loc, true, e);
                }
                continue;
            }
            let right = self.member_value(source, e);
            if self.is_untyped(d) && !self.typed(d, right) {
                continue;
            }
            let left = self.add_expr(ExprKind::Name(d), e);
            self.element_copies(left, right, &ty, e, &mut all);
        }
        all
    }

    /// Copies an array element by element. Recursion is as deep as the array has dimensions.
    fn element_copies(
        &mut self,
        left: ExprId,
        right: ExprId,
        ty: &Qualified,
        e: ExprId,
        all: &mut Vec<StmtId>,
    ) {
        let Type::Array(of, extent) = &ty.ty else {
            let assign = self.add_expr(ExprKind::Assign(None, left, right), e);
            all.push(self.add_stmt(StmtKind::Expr(assign), e));
            return;
        };
        let count = extent.and_then(|e| constant::integer(self.unit, e));
        let count = count.map_or(0, |(n, _)| n);
        if !(1..=MAX_ELEMENTS).contains(&count) || all.len() as i128 > MAX_ELEMENTS {
            self.refuse(
                e,
                "a large array in a structure that has pointers is copied",
            );
            return;
        }
        for k in 0..count {
            let index = self.add_expr(ExprKind::Int(k, Arith::INT), e);
            let l = self.add_expr(ExprKind::Index(left, index), e);
            let r = self.add_expr(ExprKind::Index(right, index), e);
            self.element_copies(l, r, of, e, all);
        }
    }

    /// Declares a structure, with its initial value if it has one.
    pub(super) fn initialised(
        &mut self,
        old: DeclId,
        new: DeclId,
        e: ExprId,
        frame: &mut Frame,
    ) -> Vec<StmtId> {
        let decl = self.unit.decl(old).clone();
        let Some(s) = self.split_type(&decl.ty) else {
            return Vec::new();
        };
        let loc = self.whole_structure(new, s);
        match &decl.init {
            None => {
                let all = self.member_leaves(&loc).into_iter().map(|(_, d)| d);
                let all = all.filter(|d| {
                    let ty = &self.unit.decl(*d).ty;
                    self.split_target(ty).is_none() && !self.is_untyped(*d)
                });
                let all = all.collect();
                vec![self.add_stmt(StmtKind::Decl(all), e)]
            }
            Some(Init::Expr(value)) => {
                let Some(value) = self.resolve_structure(*value, frame) else {
                    self.refuse(
                        e,
                        "the initial value, a structure with pointers, is not known",
                    );
                    return Vec::new();
                };
                let mut before = value.before;
                before.extend(self.declared_copies(&loc, &value.loc, e));
                before
            }
            Some(Init::Parts(given)) => self.given(&loc, given, e, frame),
            Some(Init::Wrong(problem)) => {
                self.sink.tell(problem);
                Vec::new()
            }
        }
    }

    /// Declares the members of a structure with those of another one.
    pub(super) fn declared_copies(&mut self, to: &Loc, from: &Loc, e: ExprId) -> Vec<StmtId> {
        let sources = self.member_leaves(from);
        let mut declared = Vec::new();
        let mut behind = Vec::new();
        for ((_, d), (_, source)) in self.member_leaves(to).into_iter().zip(sources) {
            let ty = self.unit.decl(d).ty.clone();
            let known = self.pointers.get(&source).cloned();
            if self.split_target(&ty).is_some() || known.is_some() {
                if let Some(loc) = known {
                    self.bind(d, loc, false, e);
                }
                continue;
            }
            let right = self.member_value(source, e);
            if self.is_untyped(d) && !self.typed(d, right) {
                continue;
            }
            declared.push(d);
            let ty = self.unit.decl(d).ty.clone();
            if let Type::Array(..) = ty.ty {
                let left = self.add_expr(ExprKind::Name(d), e);
                self.element_copies(left, right, &ty, e, &mut behind);
            } else {
                self.unit.decls[d.index()].init = Some(Init::Expr(right));
            }
        }
        let mut all = vec![self.add_stmt(StmtKind::Decl(declared), e)];
        all.append(&mut behind);
        all
    }

    /// Declares the members of a structure with the values that braces give.
    fn given(
        &mut self,
        loc: &Loc,
        given: &[InitialPart],
        e: ExprId,
        frame: &mut Frame,
    ) -> Vec<StmtId> {
        let leaves = self.member_leaves(loc);
        let mut lists: Vec<Vec<InitialPart>> = vec![Vec::new(); leaves.len()];
        let mut behind = Vec::new();
        let mut before = Vec::new();
        for &(ref steps, value) in given {
            let path: Vec<Rc<str>> = (steps.iter())
                .map_while(|s| s.field().map(Rc::from))
                .collect();
            let found = leaves.iter().position(|(p, _)| path.starts_with(p));
            let Some(k) = found else {
                // An inner structure with pointers gets its value as a whole.
                let inner = Loc {
                    root: loc.root,
                    path: [loc.path.clone(), path].concat(),
                    s: self.split_of(value).unwrap_or(loc.s),
                };
                if let Some(value) = self.resolve_structure(value, frame) {
                    before.extend(value.before);
                    behind.extend(self.copies(&inner, &value.loc, e));
                } else {
                    self.refuse(e, "an initial value is not known");
                }
                continue;
            };
            let (path, d) = &leaves[k];
            let ty = self.unit.decl(*d).ty.clone();
            if let Some(s) = self.split_target(&ty) {
                let name = self.unit.decl(*d).name.to_string();
                match self.allocated(value, s, &name, frame) {
                    Some(value) => {
                        before.extend(value.before);
                        self.bind(*d, value.loc, false, e);
                    }
                    None if is_zero(self.unit, value) => {}
                    None => {
                        self.refuse(e, "an initial value is not known");
                    }
                }
                continue;
            }
            if ty.is_void_pointer() {
                let new = frame.copy_of(value);
                if let Some(value) = self.resolve_structure(value, frame) {
                    before.extend(value.before);
                    self.bind(*d, value.loc, false, e);
                } else if self.typed(*d, new) {
                    lists[k].push((Vec::new(), strip_conversions(self.unit, new)));
                } else if !is_zero(self.unit, new) {
                    let what = "what is assigned to a pointer to void is not known";
                    self.refuse(value, what);
                }
                continue;
            }
            lists[k].push((steps[path.len()..].to_vec(), frame.copy_of(value)));
        }
        let mut declared = Vec::new();
        for ((_, d), list) in leaves.into_iter().zip(lists) {
            let ty = self.unit.decl(d).ty.clone();
            if self.split_target(&ty).is_some()
                || self.pointers.contains_key(&d)
                || self.is_untyped(d)
            {
                continue;
            }
            let init = match list[..] {
                [] => self.zero(d, e),
                [(ref steps, value)] if steps.is_empty() => Some(Init::Expr(value)),
                _ => Some(Init::Parts(list)),
            };
            self.unit.decls[d.index()].init = init;
            declared.push(d);
        }
        before.push(self.add_stmt(StmtKind::Decl(declared), e));
        before.append(&mut behind);
        before
    }
}
