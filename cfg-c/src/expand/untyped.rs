//! Types for pointers to void inside of one function, from the pointers that are assigned to them and the types that
//! they are converted to.
//!
//! Unification: variables, the result, and calls that return `void *` are joined where one is assigned to, or
//! compared with, the other. All members of a joined set lead to one type. Memory from malloc fits any type. Source:
//! B. Steensgaard, "Points-to Analysis in Almost Linear Time" (POPL 1996).

use super::{Bound, is_zero};
use crate::{
    ast::{Binary, DeclId, ExprId, ExprKind, Function, Init, Unit},
    types::{Arith, Int, Qualified, Type},
};
use std::collections::{BTreeMap, HashMap};

/// A holder of a pointer to void.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Holder {
    Variable(DeclId),
    Result,
    /// A call of a function that returns a pointer to void.
    Call(ExprId),
}

/// The end of a pointer.
enum Target {
    Of(Holder),
    Known(Qualified),
}

/// The types behind pointers to void in one copy of a function.
#[derive(Clone, Debug, Default)]
pub(super) struct Untyped {
    variables: HashMap<DeclId, Qualified>,
    calls: HashMap<ExprId, Qualified>,
    result: Option<Qualified>,
}

impl Untyped {
    /// The type behind a variable that is declared `void *`, if one is found.
    pub(super) fn variable(&self, d: DeclId) -> Option<&Qualified> {
        self.variables.get(&d)
    }

    /// The type that the caller expects behind the result of a call that returns `void *`.
    pub(super) fn call(&self, e: ExprId) -> Option<&Qualified> {
        self.calls.get(&e)
    }

    /// The type behind a result that is declared `void *`, if one is found.
    pub(super) fn result(&self) -> Option<&Qualified> {
        self.result.as_ref()
    }

    /// Finds the types of a function with these parameters, and with a result that leads to the given type; `taken`
    /// has the types that functions convert their parameters to.
    pub(super) fn infer(
        (unit, read, taken): (&Unit, &[Function], &Taken),
        function: &Function,
        bound: &HashMap<DeclId, Bound>,
        result: Option<&Qualified>,
    ) -> Self {
        let mut find = Find {
            unit,
            read,
            taken,
            bound,
            numbers: BTreeMap::new(),
            parent: Vec::new(),
            types: Vec::new(),
            bytes: Vec::new(),
        };
        if let Some(to) = result {
            find.join(&[Target::Of(Holder::Result), Target::Known(to.clone())]);
        }
        find.function(function);
        let mut found = Self::default();
        let numbers = std::mem::take(&mut find.numbers);
        for (holder, n) in numbers {
            let root = find.root(n);
            // Access by bytes fits any type: it decides only if there is no other.
            let to = match (&find.types[root], &find.bytes[root]) {
                (Some(Some(to)), _) | (None, Some(to)) => to.clone(),
                (Some(None), _) | (None, None) => continue,
            };
            match holder {
                Holder::Variable(d) => {
                    found.variables.insert(d, to);
                }
                Holder::Call(e) => {
                    found.calls.insert(e, to);
                }
                Holder::Result => found.result = Some(to),
            }
        }
        found
    }
}

/// The types that functions convert their parameters `void *` to.
pub(super) type Taken = HashMap<DeclId, Qualified>;

/// Most rounds in which types of parameters are passed back along calls.
const MAX_HANDED_ON: usize = 8;

/// The types that functions convert their `void *` parameters to, in their own bodies or in functions that they pass
/// them on to.
pub(super) fn taken(unit: &Unit, read: &[Function], reached: &[usize]) -> Taken {
    let is_untyped = |d: &DeclId| unit.decl(*d).ty.is_void_pointer();
    let has_some = |f: &&usize| read[**f].parameters.iter().any(is_untyped);
    let functions: Vec<usize> = reached.iter().filter(has_some).copied().collect();
    let mut taken = Taken::new();
    for _ in 0..MAX_HANDED_ON {
        let mut found = Taken::new();
        for f in &functions {
            let own = Untyped::infer((unit, read, &taken), &read[*f], &HashMap::new(), None);
            let parameters = read[*f].parameters.iter().filter(|d| is_untyped(d));
            found.extend(parameters.filter_map(|d| {
                let to = own.variable(*d).filter(|to| !is_byte(to))?;
                Some((*d, to.clone()))
            }));
        }
        if found.len() == taken.len() {
            break;
        }
        taken = found;
    }
    taken
}

struct Find<'a> {
    unit: &'a Unit,
    read: &'a [Function],
    taken: &'a Taken,
    bound: &'a HashMap<DeclId, Bound>,
    numbers: BTreeMap<Holder, usize>,
    parent: Vec<usize>,
    /// By representative: the type; `Some(None)` if there are several.
    types: Vec<Option<Option<Qualified>>>,
    /// By representative: the type of one byte by which the memory is accessed.
    bytes: Vec<Option<Qualified>>,
}

impl Find<'_> {
    fn root(&mut self, mut n: usize) -> usize {
        while self.parent[n] != n {
            self.parent[n] = self.parent[self.parent[n]];
            n = self.parent[n];
        }
        n
    }

    fn number(&mut self, holder: Holder) -> usize {
        let next = self.parent.len();
        let n = *self.numbers.entry(holder).or_insert(next);
        if n == next {
            self.parent.push(n);
            self.types.push(None);
            self.bytes.push(None);
        }
        self.root(n)
    }

    fn know(&mut self, n: usize, to: &Qualified) {
        let long_double = to.long_double;
        let to = Qualified {
            long_double,
            ..Qualified::unqualified(to.ty.clone())
        };
        if is_byte(&to) {
            self.bytes[n].get_or_insert(to);
            return;
        }
        match &mut self.types[n] {
            known @ None => *known = Some(Some(to)),
            Some(known) => {
                known.take_if(|known| known.ty != to.ty);
            }
        }
    }

    /// Joins the targets: all of them lead to one type.
    fn join(&mut self, all: &[Target]) {
        let holders = all.iter().filter_map(|target| match target {
            Target::Of(holder) => Some(*holder),
            Target::Known(_) => None,
        });
        let mut first = None;
        for holder in holders {
            let n = self.number(holder);
            let into = *first.get_or_insert(n);
            if into == n {
                continue;
            }
            self.parent[n] = into;
            let (types, bytes) = (self.types[n].take(), self.bytes[n].take());
            match types {
                Some(Some(to)) => self.know(into, &to),
                Some(None) => self.types[into] = Some(None),
                None => {}
            }
            if let Some(to) = bytes {
                self.know(into, &to);
            }
        }
        let Some(into) = first else { return };
        for target in all {
            if let Target::Known(to) = target {
                self.know(into, to);
            }
        }
    }

    /// The targets of a pointer expression, as far as they matter here.
    fn targets(&self, e: ExprId) -> Vec<Target> {
        let unit = self.unit;
        let mut found = Vec::new();
        let mut open = vec![e];
        while let Some(e) = open.pop() {
            let node = unit.expr(e);
            let Some(ty) = &node.ty else { continue };
            if is_zero(unit, e) {
                continue;
            }
            if !ty.is_void_pointer() {
                found.extend(ty.target().cloned().map(Target::Known));
                continue;
            }
            match &node.kind {
                ExprKind::Name(d) => match self.bound.get(d) {
                    Some(Bound::Points(to)) => found.push(Target::Known(to.clone())),
                    Some(_) => {}
                    None => found.push(Target::Of(Holder::Variable(*d))),
                },
                ExprKind::Cast(_, a) | ExprKind::Binary(Binary::Comma, _, a) => open.push(*a),
                ExprKind::Assign(None, target, _) => open.push(*target),
                ExprKind::Conditional(_, a, b) => open.extend([*b, *a]),
                ExprKind::Call(_, arguments) => {
                    if unit.own_call(e).is_some() {
                        found.push(Target::Of(Holder::Call(e)));
                    } else if crate::points::reallocates(unit, e) {
                        open.extend(arguments.first());
                    }
                }
                _ => {}
            }
        }
        found
    }

    fn same(&mut self, a: ExprId, b: ExprId) {
        let mut all = self.targets(a);
        all.extend(self.targets(b));
        self.join(&all);
    }

    fn function(&mut self, function: &Function) {
        let unit = self.unit;
        let is_void = |e: ExprId| {
            unit.expr(e)
                .ty
                .as_ref()
                .is_some_and(Qualified::is_void_pointer)
        };
        for d in &function.locals {
            let decl = unit.decl(*d);
            if let Some(Init::Expr(e)) = decl.init {
                let mut all = self.targets(e);
                match decl.ty.is_void_pointer() {
                    true => all.push(Target::Of(Holder::Variable(*d))),
                    false => all.extend(decl.ty.target().cloned().map(Target::Known)),
                }
                self.join(&all);
            }
        }
        for k in function.part.clone() {
            let e = ExprId(k);
            match &unit.expr(e).kind {
                ExprKind::Assign(None, a, b) if is_void(*a) || is_void(*b) => self.same(*a, *b),
                ExprKind::Binary(
                    Binary::Eq | Binary::Ne | Binary::Lt | Binary::Le | Binary::Gt | Binary::Ge,
                    a,
                    b,
                ) if is_void(*a) || is_void(*b) => self.same(*a, *b),
                ExprKind::Cast(ty, a) if is_void(*a) && !ty.is_void_pointer() => {
                    if let Some(to) = ty.target() {
                        let mut all = self.targets(*a);
                        all.push(Target::Known(to.clone()));
                        self.join(&all);
                    }
                }
                ExprKind::Call(_, arguments) => self.passed(e, arguments),
                _ => {}
            }
        }
        let result = match &unit.decl(function.decl).ty.ty {
            Type::Function(signature) => &signature.result,
            _ => return,
        };
        for e in unit.returned_in(function.body) {
            let mut all = self.targets(e);
            match result.is_void_pointer() {
                true => all.push(Target::Of(Holder::Result)),
                false => all.extend(result.target().cloned().map(Target::Known)),
            }
            self.join(&all);
        }
    }

    /// Joins each argument with the target of its parameter.
    fn passed(&mut self, call: ExprId, arguments: &[ExprId]) {
        let Some((g, _)) = self.unit.own_call(call) else {
            return;
        };
        for (p, a) in self.read[g].parameters.iter().zip(arguments) {
            let ty = &self.unit.decl(*p).ty;
            let of_declaration = ty.target().filter(|to| to.ty != Type::Void);
            if let Some(to) = of_declaration.or_else(|| self.taken.get(p)) {
                let mut all = self.targets(*a);
                all.push(Target::Known(to.clone()));
                self.join(&all);
            }
        }
    }
}

/// True of types of one byte, by which any object may be accessed.
fn is_byte(ty: &Qualified) -> bool {
    matches!(
        ty.arith(),
        Some(Arith::Int(Int::Char | Int::SChar | Int::UChar))
    )
}
