//! Splits structures with pointers in them into a variable for each member.
//!
//! A pointer to such a structure must always point to the same one, so that each use can name the variables.

use super::{
    Expand,
    frame::{Frame, Loc, Value},
};
use crate::{
    ast::{
        Decl, DeclId, DeclKind, ExprId, ExprKind, Inlined, StmtId, StmtKind, StmtNode, StructId,
        new_decl,
    },
    codes, constant,
    points::{allocates, library_call, strip_conversions},
    source::Pos,
    types::{Arith, Qualified, Type},
};
use std::{collections::HashSet, rc::Rc};

/// Most levels of structures in one another.
const MAX_DEPTH: usize = 100;

impl Expand<'_> {
    /// True of a structure that contains pointers, directly or in inner structures.
    pub(super) fn has_pointers(&self, s: StructId) -> bool {
        let mut seen = HashSet::new();
        let mut open = vec![s];
        while let Some(s) = open.pop() {
            if !seen.insert(s) {
                continue;
            }
            for member in &self.unit.structure(s).members {
                match &member.ty.element().ty {
                    Type::Pointer(to) if !matches!(to.ty, Type::Function(_)) => return true,
                    Type::Struct(s) => open.push(*s),
                    Type::Void
                    | Type::Arith(_)
                    | Type::Pointer(_)
                    | Type::Array(..)
                    | Type::Function(_)
                    | Type::Refused(_) => {}
                }
            }
        }
        false
    }

    /// The structure, if a type is one with pointers that has to be split: none if pointers are values.
    pub(super) fn split_type(&self, ty: &Qualified) -> Option<StructId> {
        match ty.ty {
            Type::Struct(s) if !self.values && self.has_pointers(s) => Some(s),
            _ => None,
        }
    }

    /// The structure with pointers that a type points to.
    pub(super) fn split_target(&self, ty: &Qualified) -> Option<StructId> {
        match &ty.ty {
            Type::Pointer(to) => self.split_type(to),
            _ => None,
        }
    }

    pub(super) fn split_of(&self, e: ExprId) -> Option<StructId> {
        let ty = self.unit.expr(e).ty.as_ref()?;
        self.split_type(ty).or_else(|| self.split_target(ty))
    }

    /// Declares a variable for each member of a structure; returns the variable that stands for the whole.
    pub(super) fn split(&mut self, s: StructId, name: &str, at: Pos, frame: &mut Frame) -> DeclId {
        let root = self.local(name, Qualified::unqualified(Type::Struct(s)), at, frame);
        let mut open = vec![(Vec::new(), name.to_owned(), s)];
        while let Some((path, name, s)) = open.pop() {
            for member in self.unit.structure(s).members.clone() {
                let mut path = path.clone();
                path.push(Rc::clone(&member.name));
                let name = format!("{name}_{}", member.name);
                if let Some(inner) = self.split_type(&member.ty) {
                    open.push((path, name, inner));
                    continue;
                }
                let ty = Qualified {
                    constant: false,
                    ..member.ty.clone()
                };
                let part = self.local(&name, ty, at, frame);
                self.parts.entry(root).or_default().push((path, part));
            }
        }
        root
    }

    /// A new variable.
    pub(super) fn local(
        &mut self,
        name: &str,
        ty: Qualified,
        at: Pos,
        frame: &mut Frame,
    ) -> DeclId {
        let d = DeclId(self.unit.decls.len() as u32);
        self.unit.decls.push(Decl {
            function: Some(frame.target),
            place: self.unit.exprs.len() as u32,
            ..new_decl(&Rc::from(name), DeclKind::Local, ty, at)
        });
        frame.added.push(d);
        d
    }

    pub(super) fn whole_structure(&self, root: DeclId, s: StructId) -> Loc {
        Loc {
            root,
            path: Vec::new(),
            s,
        }
    }

    /// The members of a structure and their variables, but for members that are themselves split.
    pub(super) fn member_leaves(&self, loc: &Loc) -> Vec<(Vec<Rc<str>>, DeclId)> {
        let all = self.parts.get(&loc.root).into_iter().flatten();
        let inside = all.filter(|(path, _)| path.starts_with(&loc.path));
        inside
            .map(|(path, d)| (path[loc.path.len()..].to_vec(), *d))
            .collect()
    }

    pub(super) fn part(&self, root: DeclId, path: &[Rc<str>]) -> Option<DeclId> {
        let all = self.parts.get(&root)?;
        all.iter().find(|(p, _)| p == path).map(|(_, d)| *d)
    }

    /// Refuses a structure with pointers, or a pointer to one.
    pub(super) fn refuse(&mut self, e: ExprId, what: &str) -> ExprId {
        let at = self.unit.expr(e).at;
        let help = "use the structure itself, or one pointer that always points to it";
        self.sink.error(&codes::POINTER, at, what, help);
        self.add_expr(ExprKind::Bad, e)
    }

    /// The structure that an expression is, or points to.
    pub(super) fn resolve_structure(&self, e: ExprId, frame: &Frame) -> Option<Value> {
        let e = strip_conversions(self.unit, e);
        frame.values.get(&e).cloned()
    }

    /// A pointer that is given memory for one structure.
    pub(super) fn allocated(
        &mut self,
        e: ExprId,
        s: StructId,
        name: &str,
        frame: &mut Frame,
    ) -> Option<Value> {
        let e = strip_conversions(self.unit, e);
        if let Some(value) = frame.values.get(&e) {
            return Some(value.clone());
        }
        if !allocates(self.unit, e) {
            return None;
        }
        let at = self.unit.expr(e).at;
        let ExprKind::Call(_, arguments) = self.unit.expr(e).kind.clone() else {
            return None;
        };
        let one = |e: ExprId| constant::integer(self.unit, e).is_some_and(|(n, _)| n == 1);
        let size = constant::size(
            self.unit,
            &Qualified::unqualified(Type::Struct(s)),
            MAX_DEPTH,
        );
        let sized = |e: ExprId| {
            let value = constant::integer(self.unit, e).map(|(n, _)| n);
            value.is_some() && value == size
        };
        let single = match arguments[..] {
            [bytes] => sized(bytes),
            [n, bytes] => one(n) && sized(bytes) || sized(n) && one(bytes),
            _ => false,
        };
        if !single {
            let message = "memory is allocated for several structures that have pointers";
            let help = "use an array for each member, or one structure";
            self.sink.error(&codes::LIBRARY, at, message, help);
            return None;
        }
        let root = self.split(s, name, at, frame);
        let loc = self.whole_structure(root, s);
        if frame.repeated(e) {
            self.repeated.insert(root);
        }
        let mut before = Vec::new();
        if library_call(self.unit, e) == Some("calloc") {
            before = self.zeroed(&loc, e);
        }
        let value = Value { before, loc };
        frame.values.insert(e, value.clone());
        Some(value)
    }

    pub(super) fn null(&mut self, e: ExprId) -> ExprId {
        let zero = self.add_expr(ExprKind::Int(0, Arith::INT), e);
        let void =
            Qualified::unqualified(Type::Pointer(Rc::new(Qualified::unqualified(Type::Void))));
        self.add_expr(ExprKind::Cast(Rc::new(void), zero), e)
    }

    /// A statement that stands for a part of an expression.
    pub(super) fn add_stmt(&mut self, kind: StmtKind, e: ExprId) -> StmtId {
        let node = self.unit.expr(e);
        let (from, to) = (node.from, node.at);
        self.push_stmt(StmtNode { kind, from, to })
    }

    /// An expression behind statements.
    pub(super) fn add_sequence(
        &mut self,
        before: &[StmtId],
        value: Option<ExprId>,
        e: ExprId,
    ) -> ExprId {
        if let (true, Some(value)) = (before.is_empty(), value) {
            return value;
        }
        let body = self.add_stmt(StmtKind::Block(before.to_vec()), e);
        let end = self.unit.exprs.len() as u32;
        let first = before.iter().map(|s| self.first_of(*s)).min();
        let inlined = Inlined {
            body,
            value,
            part: first.unwrap_or(end)..end,
            arguments: Vec::new(),
            labels: Vec::new(),
        };
        self.add_expr(ExprKind::Inlined(Rc::new(inlined)), e)
    }

    /// The first expression of a statement that was made here.
    fn first_of(&self, s: StmtId) -> u32 {
        let unit = &*self.unit;
        let mut first = u32::MAX;
        let mut open = vec![s];
        while let Some(s) = open.pop() {
            let mut see = |e: ExprId| {
                unit.walk(e, &mut |e| {
                    let start = match &unit.expr(e).kind {
                        ExprKind::Inlined(inlined) => inlined.part.start,
                        _ => e.0,
                    };
                    first = first.min(start);
                });
            };
            match &unit.stmt(s).kind {
                StmtKind::Expr(e) => see(*e),
                StmtKind::Block(list) => open.extend(list),
                StmtKind::Checkpoint(_, s) => open.push(*s),
                StmtKind::If(arms, other) => {
                    for (c, s) in arms {
                        see(*c);
                        open.push(*s);
                    }
                    open.extend(other);
                }
                _ => {}
            }
        }
        first
    }

    /// Records the structure that a pointer points to.
    pub(super) fn bind(&mut self, d: DeclId, loc: Loc, assigned: bool, e: ExprId) -> bool {
        let name = Rc::clone(&self.unit.decl(d).name);
        if let Some(known) = self.pointers.get(&d)
            && *known != loc
        {
            let message = format!("{name} points to several structures that have pointers");
            self.refuse(e, &message);
            return false;
        }
        if assigned && self.repeated.contains(&loc.root) {
            let message = format!("{name} is assigned a structure that is allocated in a loop");
            self.refuse(e, &message);
            return false;
        }
        self.pointers.insert(d, loc);
        true
    }
}
