//! Texts that are written and never read, such as an error message in a buffer: `snprintf(message, size, "no root
//! near %g", x);`.
//!
//! Texts that may be assigned to one another form a class (union-find). If no character of a class is read, calls
//! that write into it are left out, like printing, and so are assignments of characters. Variables of files count as
//! read: their values are results. A length that only such calls use is 0.

use crate::{
    ast::{Binary, Decl, DeclId, DeclKind, ExprId, ExprKind, StmtKind, Unary, Unit},
    braces,
    math::How,
    points::{assigned_values, how_called, is_null, library_call},
    texts::erase_expr,
    types::{Arith, Int, Qualified, Type},
};
use petgraph::unionfind::UnionFind;
use std::{
    collections::{BTreeMap, HashMap, HashSet},
    rc::Rc,
};

/// A variable, member, result or argument that holds characters or points to them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Text {
    Variable(DeclId),
    /// A member, by the number of its structure.
    Member(u32, Rc<str>),
    /// The result of a function.
    Result(usize),
    /// The arguments behind the parameters of all functions.
    Rest,
    /// All other places, and texts that are read.
    Outside,
}

/// Turns calls that write texts which are never read into calls that print. Returns the parameters of the functions
/// `roots` through which texts were written.
pub(crate) fn leave_out(unit: &mut Unit, roots: &[usize]) -> Vec<DeclId> {
    let writes = (0..unit.exprs.len()).any(|e| writer(unit, ExprId(e as u32)));
    if !writes {
        return Vec::new();
    }
    let mut found = Classes::partition(unit, roots);
    let mut printing: HashMap<DeclId, DeclId> = HashMap::new();
    let outside = found.number(Text::Outside);
    let is_read = |class: usize| found.classes.equiv(class, outside);
    let (calls, others): (Vec<_>, Vec<_>) =
        (found.writes.iter()).partition(|(e, _)| writer(unit, *e));
    // A class whose characters are only cleared may hold numbers: it stays.
    let left: Vec<usize> = (calls.iter())
        .filter(|(e, _)| library_call(unit, *e) != Some("memset"))
        .map(|(_, class)| found.classes.find(*class))
        .filter(|class| !is_read(*class))
        .collect();
    let is_left = |class: usize| left.contains(&found.classes.find(class));
    let calls: Vec<ExprId> = (calls.iter())
        .filter(|(_, class)| is_left(*class))
        .map(|(e, _)| *e)
        .collect();
    let others: Vec<ExprId> = (others.iter())
        .filter(|(_, class)| is_left(*class))
        .map(|(e, _)| *e)
        .collect();
    let parameters = roots.iter().flat_map(|f| &unit.functions[*f].parameters);
    let is_message = |d: &&DeclId| {
        let number = found.numbers.get(&Text::Variable(**d));
        number.is_some_and(|class| is_left(*class))
    };
    let messages = parameters.filter(is_message).copied().collect();
    let measures = found.measures.iter().filter(|(_, class)| !is_read(*class));
    let measures: Vec<ExprId> = measures.map(|(e, _)| *e).collect();
    for e in calls.into_iter().chain(measures) {
        if found.lengths.contains_key(&e) {
            erase_expr(unit, e);
        }
        let ExprKind::Call(callee, _) = unit.expr(e).kind else {
            continue;
        };
        let ExprKind::Name(d) = unit.expr(callee).kind else {
            continue;
        };
        let next = DeclId(unit.decls.len() as u32);
        let prints = *printing.entry(d).or_insert(next);
        if prints == next {
            let decl = Decl {
                library: Some(How::Passive),
                ..unit.decl(d).clone()
            };
            unit.decls.push(decl);
        }
        unit.exprs[callee.index()].kind = ExprKind::Name(prints);
    }
    for e in others {
        // The value of the assignment stays.
        if let ExprKind::Assign(None, target, value) = unit.expr(e).kind {
            let ty = Qualified::unqualified(Type::Arith(Arith::Int(Int::Char)));
            unit.exprs[e.index()].kind = ExprKind::Cast(Rc::new(ty), value);
            erase_expr(unit, target);
        }
    }
    messages
}

/// True of calls of functions of the library that write characters to where their first argument leads.
fn writer(unit: &Unit, e: ExprId) -> bool {
    matches!(
        library_call(unit, e),
        Some(
            "sprintf"
                | "snprintf"
                | "vsprintf"
                | "vsnprintf"
                | "strcpy"
                | "strncpy"
                | "strcat"
                | "strncat"
                | "memset"
        )
    )
}

/// True of arrays of characters, and of types that lead to characters.
fn is_characters(ty: &Qualified) -> bool {
    let is_char = |ty: &Qualified| ty.arith() == Some(Arith::Int(Int::Char));
    let element = ty.element();
    match &element.ty {
        Type::Pointer(to) => is_char(to),
        _ => matches!(ty.ty, Type::Array(..)) && is_char(element),
    }
}

/// The variable, member or call that a pointer to characters comes from, or that a character belongs to.
fn base(unit: &Unit, e: ExprId) -> ExprId {
    let mut e = e;
    loop {
        let to_characters = |ty: &Qualified| is_characters(ty);
        e = match &unit.expr(e).kind {
            ExprKind::Cast(ty, a) if to_characters(ty) => *a,
            ExprKind::Binary(Binary::Add | Binary::Sub, a, _) if unit.is_pointer(*a) => *a,
            ExprKind::Binary(Binary::Add, _, b) if unit.is_pointer(*b) => *b,
            ExprKind::Unary(Unary::Address | Unary::Deref, a) | ExprKind::Index(a, _) => *a,
            _ => return e,
        };
    }
}

/// The text of an expression that is a variable, a member or a call.
fn text_of(unit: &Unit, e: ExprId) -> Option<Text> {
    if !unit.expr(e).ty.as_ref().is_some_and(is_characters) {
        return None;
    }
    match &unit.expr(e).kind {
        ExprKind::Name(d) => Some(Text::Variable(*d)),
        ExprKind::Member(..) => {
            let (s, name) = unit.member_of(e)?;
            Some(Text::Member(s.0, Rc::clone(name)))
        }
        ExprKind::Call(..) => unit.own_call(e).map(|(f, _)| Text::Result(f)),
        _ => None,
    }
}

/// Variables for lengths of texts: assigned only from calls that write texts and have no effects in their arguments,
/// used only by calls that write texts or print. Each with the calls that it is assigned from.
fn lengths(unit: &Unit) -> BTreeMap<DeclId, Vec<ExprId>> {
    let mut given: BTreeMap<DeclId, Vec<ExprId>> = BTreeMap::new();
    for (k, decl) in unit.decls.iter().enumerate() {
        let d = DeclId(k as u32);
        let calls = assigned_values(unit, d);
        let is_length = |e: &ExprId| match &unit.expr(*e).kind {
            ExprKind::Call(_, arguments) => {
                writer(unit, *e) && !arguments.iter().any(|a| unit.expr(*a).effects)
            }
            _ => false,
        };
        let steps = decl.assigned.len() + usize::from(decl.init.is_some());
        if decl.kind == DeclKind::Local
            && !decl.address
            && matches!(decl.ty.arith(), Some(Arith::Int(_)))
            && steps == calls.len()
            && calls.iter().all(is_length)
        {
            given.insert(d, calls);
        }
    }
    let mut allowed = HashSet::new();
    for e in (0..unit.exprs.len()).map(|e| ExprId(e as u32)) {
        match &unit.expr(e).kind {
            ExprKind::Call(_, arguments) => {
                let prints = how_called(unit, e).is_some_and(How::is_without_use);
                let is_text = |target: &ExprId| {
                    is_null(unit, *target) || text_of(unit, base(unit, *target)).is_some()
                };
                let writes = writer(unit, e) && arguments.first().is_some_and(is_text);
                for a in arguments.iter().filter(|_| prints || writes) {
                    unit.walk(*a, &mut |e| {
                        allowed.insert(e);
                    });
                }
            }
            ExprKind::Assign(None, target, _) => {
                allowed.insert(*target);
            }
            _ => {}
        }
    }
    for (e, node) in unit.exprs.iter().enumerate() {
        if let ExprKind::Name(d) = node.kind
            && !allowed.contains(&ExprId(e as u32))
        {
            given.remove(&d);
        }
    }
    given
}

/// The texts of a program in classes.
#[derive(Default)]
struct Classes {
    numbers: HashMap<Text, usize>,
    classes: UnionFind<usize>,
    /// Uses of texts that read no character.
    allowed: HashSet<ExprId>,
    /// Calls and assignments that write characters, with the text.
    writes: Vec<(ExprId, usize)>,
    /// The variable for the length that each call returns; `variables`: all of these.
    lengths: HashMap<ExprId, DeclId>,
    length_variables: HashSet<DeclId>,
    /// Calls that return lengths and write nothing, with the class of the variable.
    measures: Vec<(ExprId, usize)>,
}

impl Classes {
    fn partition(unit: &Unit, roots: &[usize]) -> Self {
        let mut found = Self::default();
        found.join(Text::Outside, Text::Outside);
        for (d, calls) in lengths(unit) {
            found.length_variables.insert(d);
            found.lengths.extend(calls.into_iter().map(|e| (e, d)));
        }
        let all = || (0..unit.exprs.len()).map(|e| ExprId(e as u32));
        let statements: HashSet<ExprId> = (unit.stmts.iter())
            .filter_map(|s| match s.kind {
                StmtKind::Expr(e) => Some(e),
                _ => None,
            })
            .collect();
        let mut callees = HashSet::new();
        for e in all() {
            match &unit.expr(e).kind {
                ExprKind::Call(callee, arguments) => {
                    callees.insert(*callee);
                    if unit.own_call(e).is_some() {
                        found.own_call(unit, e);
                    } else if writer(unit, e) {
                        let is_statement = statements.contains(&e);
                        found.written(unit, e, arguments, is_statement);
                    } else if how_called(unit, e).is_some_and(How::is_without_use) {
                        for a in arguments.iter() {
                            found.print(unit, *a, None);
                        }
                    }
                }
                ExprKind::Assign(None, target, value) => found.assignment(unit, e, *target, *value),
                ExprKind::SizeofExpr(a) => unit.walk(*a, &mut |e| {
                    found.allowed.insert(e);
                }),
                ExprKind::Cast(ty, a) if ty.ty == Type::Void => {
                    found.allowed.insert(*a);
                }
                ExprKind::Binary(Binary::Eq | Binary::Ne, a, b) => {
                    for (a, b) in [(*a, *b), (*b, *a)] {
                        if is_null(unit, b) {
                            found.allowed.insert(a);
                        }
                    }
                }
                _ => found.allowed.extend(unit.asked_operands(e)),
            }
        }
        found.allowed.extend(unit.conditions());
        for (k, decl) in unit.decls.iter().enumerate() {
            found.declaration(unit, DeclId(k as u32), decl);
        }
        for f in 0..unit.functions.len() {
            found.function(unit, f, roots);
        }
        for e in all() {
            if let Some(text) = text_of(unit, e)
                && !found.allowed.contains(&e)
            {
                found.join(text, Text::Outside);
            }
            // A function that is named other than in calls may be called with any argument.
            if let ExprKind::Name(d) = unit.expr(e).kind
                && !callees.contains(&e)
                && let Some(f) = unit.decl(d).definition
            {
                found.join(Text::Result(f), Text::Outside);
                for p in &unit.functions[f].parameters {
                    found.join(Text::Variable(*p), Text::Outside);
                }
            }
        }
        found
    }

    fn number(&mut self, text: Text) -> usize {
        let classes = &mut self.classes;
        *(self.numbers.entry(text)).or_insert_with(|| classes.new_set())
    }

    fn join(&mut self, a: Text, b: Text) {
        let (a, b) = (self.number(a), self.number(b));
        self.classes.union(a, b);
    }

    /// Notes an assignment to a text.
    fn give(&mut self, unit: &Unit, text: Text, value: ExprId) {
        let from = base(unit, value);
        match text_of(unit, from) {
            Some(other) => {
                self.allowed.insert(from);
                self.join(text, other);
            }
            None if is_null(unit, value) || matches!(unit.expr(from).kind, ExprKind::Str(_)) => {}
            None => self.join(text, Text::Outside),
        }
    }

    /// Notes the texts in an argument that is printed, or written into a text. Calls in it are evaluated.
    fn print(&mut self, unit: &Unit, argument: ExprId, into: Option<&Text>) {
        let from = base(unit, argument);
        let is_pointer = unit.is_pointer(argument);
        if let Some(text) = text_of(unit, from).filter(|_| is_pointer) {
            self.allowed.insert(from);
            if let Some(into) = into {
                self.join(into.clone(), text);
            }
        } else if into.is_none() && !unit.expr(argument).effects {
            unit.walk(argument, &mut |e| {
                self.allowed.insert(e);
            });
        }
    }

    /// Notes a call that writes into its first argument.
    fn written(&mut self, unit: &Unit, e: ExprId, arguments: &[ExprId], is_statement: bool) {
        let Some((target, rest)) = arguments.split_first() else {
            return;
        };
        let from = base(unit, *target);
        let length = self.lengths.get(&e).map(|d| Text::Variable(*d));
        let is_length = length.is_some();
        let text = text_of(unit, from);
        // The length decides what is read of a text: the class of the length and that of the text are joined.
        if let Some(own) = text.as_ref().or(length.as_ref()) {
            let mut names = Vec::new();
            for a in arguments {
                unit.walk(*a, &mut |e| match unit.expr(e).kind {
                    ExprKind::Name(d) if self.length_variables.contains(&d) => names.push(d),
                    _ => {}
                });
            }
            let others = names.into_iter().map(Text::Variable).chain(length.clone());
            for other in others {
                self.join(own.clone(), other);
            }
        }
        let Some(text) = text else {
            if let Some(length) = length.filter(|_| is_null(unit, *target)) {
                rest.iter().for_each(|a| self.print(unit, *a, None));
                let class = self.number(length);
                self.measures.push((e, class));
            }
            return;
        };
        self.allowed.insert(from);
        for a in rest {
            self.print(unit, *a, Some(&text));
        }
        if matches!(library_call(unit, e), Some("vsprintf" | "vsnprintf")) {
            self.join(text.clone(), Text::Rest);
        }
        // The value of the call, a number of characters or the text itself, is used.
        if !(is_statement || is_length) || unit.expr(*target).effects {
            self.join(text.clone(), Text::Outside);
        }
        let class = self.number(text);
        self.writes.push((e, class));
    }

    fn own_call(&mut self, unit: &Unit, e: ExprId) {
        let Some((f, arguments)) = unit.own_call(e) else {
            return;
        };
        let parameters = &unit.functions[f].parameters;
        for (k, a) in arguments.iter().enumerate() {
            match parameters.get(k) {
                Some(p) if is_characters(&unit.decl(*p).ty) => {
                    self.give(unit, Text::Variable(*p), *a);
                }
                Some(_) => {}
                None => self.print(unit, *a, Some(&Text::Rest)),
            }
        }
    }

    fn assignment(&mut self, unit: &Unit, e: ExprId, target: ExprId, value: ExprId) {
        let from = base(unit, target);
        let Some(text) = text_of(unit, from) else {
            return;
        };
        if unit.expr(target).ty.as_ref().is_some_and(is_characters) {
            self.allowed.insert(from);
            self.give(unit, text, value);
        } else if !unit.expr(target).effects {
            self.allowed.insert(from);
            let class = self.number(text);
            self.writes.push((e, class));
        }
    }

    fn declaration(&mut self, unit: &Unit, d: DeclId, decl: &Decl) {
        if is_characters(&decl.ty) {
            if decl.kind == DeclKind::Global {
                self.join(Text::Variable(d), Text::Outside);
            }
            let given = decl.init.iter().flat_map(|init| init.given_values());
            for (_, value) in given {
                if unit.expr(value).ty.as_ref().is_some_and(is_characters) {
                    self.give(unit, Text::Variable(d), value);
                }
            }
            return;
        }
        for (steps, value) in decl.init.iter().flat_map(|init| init.given_values()) {
            if let Some(((s, name), ty)) = braces::member_at(unit, &decl.ty, steps)
                && is_characters(ty)
            {
                let text = Text::Member(s.0, Rc::clone(name));
                if unit.expr(value).ty.as_ref().is_some_and(is_characters) {
                    self.give(unit, text, value);
                }
            }
        }
    }

    fn function(&mut self, unit: &Unit, f: usize, roots: &[usize]) {
        let function = &unit.functions[f];
        let result = Text::Result(f);
        if roots.contains(&f) || function.given.is_some() {
            self.join(result.clone(), Text::Outside);
        }
        if function.given.is_some() {
            for p in &function.parameters {
                self.join(Text::Variable(*p), Text::Outside);
            }
        }
        for value in unit.returned_exprs(f) {
            if unit.expr(value).ty.as_ref().is_some_and(is_characters) {
                self.give(unit, result.clone(), value);
            }
        }
    }
}
