//! Calls of `qsort` and `bsearch`: for each type of elements, a function of its own is made from a text in C.

use super::{Entry, Parser, allocation::MAX_DEPTH};
use crate::{
    ast::{DeclId, DeclKind, ExprId, ExprKind, new_decl},
    constant, library,
    math::How,
    points::strip_conversions,
    source::Pos,
    types::{Qualified, Signature, Type},
};
use std::rc::Rc;

/// A function that sorts elements of a type, or searches for one.
#[derive(Clone, Debug)]
pub(super) struct Sorted {
    element: Type,
    /// The type of the key, for `bsearch`.
    key: Option<Type>,
    function: DeclId,
}

impl Sorted {
    /// The name of the function of the library.
    fn name(&self) -> &'static str {
        match self.key {
            Some(_) => "bsearch",
            None => "qsort",
        }
    }
}

impl Parser<'_> {
    /// The function and its arguments for a call of `qsort` or `bsearch`, if the type of the elements is known and
    /// their size is that of the type.
    pub(super) fn sort_of_elements(
        &mut self,
        f: ExprId,
        arguments: &[ExprId],
        at: Pos,
    ) -> Option<(ExprId, Vec<ExprId>)> {
        let ExprKind::Name(d) = self.unit.expr(f).kind else {
            return None;
        };
        let Some(How::Sort) = self.unit.decl(d).how() else {
            return None;
        };
        let (key, [base, count, size, compare]) = match *arguments {
            [key, base, count, size, compare] => (Some(key), [base, count, size, compare]),
            [base, count, size, compare] => (None, [base, count, size, compare]),
            _ => return None,
        };
        let key = key.map(|key| strip_conversions(&self.unit, key));
        let base = strip_conversions(&self.unit, base);
        let target = |e: ExprId| Some(self.unit.expr(e).ty.as_ref()?.target()?.clone());
        let element = target(base)?;
        let sought = match key {
            Some(key) => Some(target(key)?.ty).filter(|ty| *ty != Type::Void),
            None => None,
        };
        let (bytes, _) = constant::integer(&self.unit, size)?;
        if constant::size(&self.unit, &element, MAX_DEPTH)? != bytes
            || key.is_some() != sought.is_some()
        {
            return None;
        }
        let element = element.ty;
        let mut known = self.sorted.iter();
        let known = known.find(|sorted| sorted.element == element && sorted.key == sought);
        let d = match known {
            Some(sorted) => sorted.function,
            None => self.declare_sort(element, sought, at),
        };
        let f = self.add_expr(ExprKind::Name(d), at, at);
        Some((f, key.into_iter().chain([base, count, compare]).collect()))
    }

    fn declare_sort(&mut self, element: Type, key: Option<Type>, at: Pos) -> DeclId {
        let sorted = Sorted {
            element,
            key,
            function: DeclId(self.unit.decls.len() as u32),
        };
        let name = match self.sorted.len() {
            0 => sorted.name().to_owned(),
            k => format!("{}_{}", sorted.name(), k + 1),
        };
        let found = Type::Pointer(Rc::new(Qualified::unqualified(sorted.element.clone())));
        let signature = Signature {
            result: Qualified::unqualified(sorted.key.as_ref().map_or(Type::Void, |_| found)),
            parameters: Vec::new(),
            variadic: false,
            open: true,
        };
        let ty = Qualified::unqualified(Type::Function(Rc::new(signature)));
        let mut decl = new_decl(&Rc::from(name), DeclKind::Function, ty, at);
        decl.library = Some(How::Sort);
        self.unit.decls.push(decl);
        let function = sorted.function;
        self.sorted.push(sorted);
        function
    }

    /// Parses the functions that are called.
    pub(super) fn find_sorts(&mut self) {
        for k in 0..self.sorted.len() {
            let sorted = self.sorted[k].clone();
            let name = sorted.name();
            // The names contain characters that no identifier in a file has.
            let named = |name: &str| -> Rc<str> { Rc::from(format!("<{name} {k}>")) };
            let types = [("element", Some(sorted.element)), ("key", sorted.key)];
            let file = &mut self.scopes[0].names;
            file.insert(named(name), Entry::Decl(sorted.function));
            for (name, ty) in types {
                let ty = ty.map(|ty| Entry::Typedef(Qualified::unqualified(ty)));
                file.extend(ty.map(|ty| (named(name), ty)));
            }
            self.tokens = library::sort(name, &named, self.sink).into();
            self.at = 0;
            self.parse_file();
        }
    }
}
