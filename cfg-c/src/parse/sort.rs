//! Calls of `qsort`: each type of elements has a function of its own, which is written in C.

use super::{Entry, Parser, declaration::new_decl};
use crate::{
    ast::{DeclId, DeclKind, ExprId, ExprKind},
    constant, library,
    math::How,
    points::bare,
    source::Pos,
    types::{Qualified, Signature, Type},
};
use std::rc::Rc;

/// Types in one another of which sizes are known.
const MAX_DEPTH: usize = 100;

impl Parser<'_> {
    /// What is called, and with what, where `qsort` is called for elements of a type that is known, and their size is given.
    pub(super) fn sort_of_elements(
        &mut self,
        f: ExprId,
        arguments: &[ExprId],
        at: Pos,
    ) -> Option<(ExprId, Vec<ExprId>)> {
        let ExprKind::Name(d) = self.unit.expr(f).kind else {
            return None;
        };
        let (Some(How::Sort), &[base, count, size, compare]) = (self.unit.decl(d).how(), arguments)
        else {
            return None;
        };
        let base = bare(&self.unit, base);
        let element = self.unit.expr(base).ty.as_ref()?.target()?.clone();
        let (bytes, _) = constant::integer(&self.unit, size)?;
        if constant::size(&self.unit, &element, MAX_DEPTH)? != bytes {
            return None;
        }
        let element = element.ty;
        let known = self.sorted.iter().find(|(ty, _)| *ty == element);
        let d = match known {
            Some((_, d)) => *d,
            None => self.declare_sort(element, at),
        };
        let f = self.add(ExprKind::Name(d), at, at);
        Some((f, vec![base, count, compare]))
    }

    fn declare_sort(&mut self, element: Type, at: Pos) -> DeclId {
        let k = self.sorted.len();
        let name = match k {
            0 => "qsort".to_owned(),
            _ => format!("qsort_{}", k + 1),
        };
        let signature = Signature {
            result: Qualified::plain(Type::Void),
            parameters: Vec::new(),
            variadic: false,
            open: true,
        };
        let ty = Qualified::plain(Type::Function(Rc::new(signature)));
        let mut decl = new_decl(&Rc::from(name), DeclKind::Function, ty, at);
        decl.library = Some(How::Sort);
        let d = DeclId(self.unit.decls.len() as u32);
        self.unit.decls.push(decl);
        self.sorted.push((element, d));
        d
    }

    /// Reads the functions that are called.
    pub(super) fn sorts(&mut self) {
        for k in 0..self.sorted.len() {
            let (function, element) = names(k);
            let (of, d) = self.sorted[k].clone();
            let file = &mut self.scopes[0].names;
            file.insert(Rc::clone(&function), Entry::Decl(d));
            file.insert(Rc::clone(&element), Entry::Typedef(Qualified::plain(of)));
            self.tokens = library::sort(&function, &element, self.sink).into();
            self.at = 0;
            self.file();
        }
    }
}

/// The names under which the function for a type of elements, and the type, are found, which no file can write.
fn names(k: usize) -> (Rc<str>, Rc<str>) {
    (
        Rc::from(format!("<qsort {k}>")),
        Rc::from(format!("<element {k}>")),
    )
}
