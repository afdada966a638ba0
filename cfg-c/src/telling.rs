//! Functions that only tell something, such as `trace("at %g\n", x)`, or `name_of(status)` among the arguments of a
//! message: they return, and change only their own variables and memory that they allocate. If the value of such a
//! call is not used, the call is left out, like printing.
//!
//! A write through a parameter is a change that the caller makes, and a change of its own variable if the argument
//! points to one. Static integers of a function without a result, such as a counter of messages, count as its own, if
//! it changes nothing else.

use crate::{
    ast::{Binary, Decl, DeclId, DeclKind, ExprId, ExprKind, StmtId, StmtKind, Unary, Unit},
    calls::reachable,
    math::How,
    points::{allocates, assigned_values, is_null, library_call, strip_conversions},
    texts::erase_expr,
    types::{Arith, Type},
    unreached::known,
};
use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    rc::Rc,
};

/// A place that a function may change.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    /// A place in an object that a parameter points to, by the position of the parameter.
    Through(usize),
    /// A static integer of a function without a result.
    Kept,
    /// Any other place.
    Other,
}

/// The changes of a function, other than those of its own variables and of memory that it allocates.
#[derive(Default)]
struct Changes {
    /// True if the function changes places other than the following, or may not return.
    others: bool,
    through: BTreeSet<usize>,
    kept: bool,
}

/// A call of one function by another.
struct Call {
    by: usize,
    arguments: Rc<[ExprId]>,
}

/// The changes that the functions of a program make.
#[derive(Default)]
pub(crate) struct Telling {
    changes: Vec<Changes>,
    /// The calls of each function.
    calls: BTreeMap<usize, Vec<Call>>,
    /// The places that a function's pointers lead to.
    leads: HashMap<(usize, DeclId), Rc<BTreeSet<Place>>>,
}

/// Leaves out calls of functions that only print or name something, if their values are not used.
pub(crate) fn leave_out(unit: &mut Unit, roots: &[usize]) -> Telling {
    let telling = Telling::collect(unit);
    let before = reachable(unit, roots);
    let mut printing: HashMap<DeclId, DeclId> = HashMap::new();
    for s in 0..unit.stmts.len() {
        let StmtKind::Expr(mut e) = unit.stmts[s].kind else {
            continue;
        };
        while let ExprKind::Cast(_, a) = unit.expr(e).kind {
            e = a;
        }
        let ExprKind::Call(callee, _) = unit.expr(e).kind else {
            continue;
        };
        let Some((f, arguments)) = unit.own_call(e).filter(|(f, _)| telling.is_quiet(*f)) else {
            continue;
        };
        let d = unit.functions[f].decl;
        for a in Rc::clone(arguments).iter() {
            if !unit.expr(*a).effects || telling.only_tells(unit, *a) {
                erase_expr(unit, *a);
            }
        }
        let next = DeclId(unit.decls.len() as u32);
        let prints = *printing.entry(d).or_insert(next);
        if prints == next {
            let decl = Decl {
                library: Some(How::Telling),
                definition: None,
                ..unit.decl(d).clone()
            };
            unit.decls.push(decl);
        }
        unit.exprs[callee.index()].kind = ExprKind::Name(prints);
    }
    let after = reachable(unit, roots);
    for f in before
        .into_iter()
        .filter(|f| after.binary_search(f).is_err())
    {
        let function = &unit.functions[f];
        unit.stmts[function.body.index()].kind = StmtKind::Block(Vec::new());
        for e in function.part.clone().map(ExprId) {
            erase_expr(unit, e);
        }
    }
    telling
}

impl Telling {
    pub(crate) fn collect(unit: &Unit) -> Self {
        let mut found = Self::default();
        for f in 0..unit.functions.len() {
            let others = unit.functions[f].given.is_some() || may_stay(unit, f);
            found.changes.push(Changes {
                others,
                ..Changes::default()
            });
            for e in unit.functions[f].part.clone().map(ExprId) {
                found.look_at(unit, f, e);
            }
        }
        let mut open: Vec<usize> = (0..unit.functions.len()).collect();
        while let Some(f) = open.pop() {
            let calls = found.calls.remove(&f).unwrap_or_default();
            for call in &calls {
                if found.pass_on(unit, f, call) {
                    open.push(call.by);
                }
            }
            found.calls.insert(f, calls);
        }
        found
    }

    /// True of a function that changes nothing but its own variables and memory.
    fn is_quiet(&self, f: usize) -> bool {
        !self.changes[f].others && self.changes[f].through.is_empty()
    }

    /// True of an expression that may be left out if its value is not used.
    pub(crate) fn only_tells(&self, unit: &Unit, e: ExprId) -> bool {
        let mut tells = true;
        unit.walk(e, &mut |e| {
            tells &= match &unit.expr(e).kind {
                ExprKind::Assign(_, target, _) | ExprKind::Step { of: target, .. } => {
                    is_part_of_literal(unit, *target)
                }
                ExprKind::Call(..) => match unit.own_call(e) {
                    Some((f, _)) => self.is_quiet(f),
                    None => written_by_library(unit, e).is_some_and(|all| all.is_empty()),
                },
                ExprKind::Inlined(_) => false,
                _ => true,
            };
        });
        tells
    }

    /// Notes the changes that an expression of a function makes, and its calls.
    fn look_at(&mut self, unit: &Unit, f: usize, e: ExprId) {
        match &unit.expr(e).kind {
            ExprKind::Assign(_, target, _) | ExprKind::Step { of: target, .. } => {
                for place in self.places(unit, f, *target) {
                    self.note(f, place);
                }
            }
            ExprKind::Call(..) => {
                if let Some((g, arguments)) = unit.own_call(e) {
                    let arguments = Rc::clone(arguments);
                    let calls = self.calls.entry(g).or_default();
                    calls.push(Call { by: f, arguments });
                    return;
                }
                match written_by_library(unit, e) {
                    Some(pointers) => {
                        for a in pointers {
                            for place in self.pointer(unit, f, a) {
                                self.note(f, place);
                            }
                        }
                    }
                    None => self.changes[f].others = true,
                }
            }
            ExprKind::Inlined(_) => self.changes[f].others = true,
            _ => {}
        }
    }

    /// Adds a change of a function; true if it is new.
    fn note(&mut self, f: usize, place: Place) -> bool {
        let changes = &mut self.changes[f];
        let more = match place {
            Place::Through(k) => changes.through.insert(k),
            Place::Kept => !std::mem::replace(&mut changes.kept, true),
            Place::Other => !std::mem::replace(&mut changes.others, true),
        };
        // A static integer may decide on changes that the caller sees: together the two count as others.
        changes.others |= changes.kept && !changes.through.is_empty();
        more
    }

    /// Adds the changes of a called function to its caller; true if one is new.
    fn pass_on(&mut self, unit: &Unit, f: usize, call: &Call) -> bool {
        if self.changes[f].others {
            return self.note(call.by, Place::Other);
        }
        let mut more = false;
        for k in self.changes[f].through.clone() {
            let places = match call.arguments.get(k) {
                Some(a) => self.pointer(unit, call.by, *a),
                None => BTreeSet::from([Place::Other]),
            };
            for place in places {
                more |= self.note(call.by, place);
            }
        }
        more
    }

    /// The places that a target of an assignment may be, other than the function's own.
    fn places(&mut self, unit: &Unit, f: usize, target: ExprId) -> BTreeSet<Place> {
        let mut e = target;
        loop {
            match unit.expr(e).kind {
                ExprKind::Member(of, _, false) => e = of,
                ExprKind::Index(a, _) if unit.is_array(a) => e = a,
                ExprKind::Index(a, _)
                | ExprKind::Member(a, _, true)
                | ExprKind::Unary(Unary::Deref, a)
                    if unit.is_pointer(a) && !unit.is_array(a) =>
                {
                    return self.pointer(unit, f, a);
                }
                _ => return self.reached(unit, f, e, Way::Assigned),
            }
        }
    }

    /// The places that a pointer expression may lead to, other than the function's own.
    fn pointer(&mut self, unit: &Unit, f: usize, e: ExprId) -> BTreeSet<Place> {
        self.reached(unit, f, e, Way::Pointer)
    }

    /// The places that an expression may reach in this way, other than the function's own.
    fn reached(&mut self, unit: &Unit, f: usize, e: ExprId, way: Way) -> BTreeSet<Place> {
        let mut found = BTreeSet::new();
        for d in follow(unit, f, e, way, &mut found) {
            found.extend(self.leads(unit, f, d).iter());
        }
        found
    }

    /// The places that a pointer variable may lead to, other than the function's own.
    fn leads(&mut self, unit: &Unit, f: usize, d: DeclId) -> Rc<BTreeSet<Place>> {
        if let Some(known) = self.leads.get(&(f, d)) {
            return Rc::clone(known);
        }
        let mut found = BTreeSet::new();
        let mut seen = BTreeSet::from([d]);
        let mut open = vec![d];
        while let Some(d) = open.pop() {
            if let Some(known) = self.leads.get(&(f, d)) {
                found.extend(known.iter());
                continue;
            }
            let decl = unit.decl(d);
            let is_own = is_of(unit, f, d) && decl.ty.target().is_some();
            if !is_own || decl.kind == DeclKind::Static {
                found.insert(Place::Other);
                continue;
            }
            if decl.kind == DeclKind::Parameter {
                found.extend(place_of(unit, f, d, Way::Pointer));
            }
            for e in assigned_values(unit, d) {
                let others = follow(unit, f, e, Way::Pointer, &mut found).into_iter();
                open.extend(others.filter(|d| seen.insert(*d)));
            }
        }
        let found = Rc::new(found);
        self.leads.insert((f, d), Rc::clone(&found));
        found
    }
}

/// The way in which an expression reaches a place.
#[derive(Clone, Copy)]
enum Way {
    /// The expression is the place, or a part of it.
    Assigned,
    /// A pointer leads to the place, or to a part of it.
    Inside,
    /// The expression is a pointer to the place.
    Pointer,
}

/// Adds the places that an expression of a function may reach, other than the function's own. Returns the variables
/// whose pointers lead to more.
fn follow(
    unit: &Unit,
    f: usize,
    e: ExprId,
    way: Way,
    found: &mut BTreeSet<Place>,
) -> BTreeSet<DeclId> {
    let mut pointers = BTreeSet::new();
    let mut open = vec![(e, way)];
    while let Some((e, way)) = open.pop() {
        let is_pointer = matches!(way, Way::Pointer) && !unit.is_array(e);
        let e = if is_pointer {
            strip_conversions(unit, e)
        } else {
            e
        };
        let behind = |p: ExprId| match (unit.is_array(p), way) {
            (true, Way::Assigned) => (p, Way::Assigned),
            (true, _) => (p, Way::Inside),
            (false, _) => (p, Way::Pointer),
        };
        match unit.expr(e).kind {
            ExprKind::Name(d) if is_pointer => {
                pointers.insert(d);
            }
            ExprKind::Name(d) | ExprKind::Literal(d) => found.extend(place_of(unit, f, d, way)),
            ExprKind::Unary(Unary::Address, a) if is_pointer => open.push((a, Way::Inside)),
            ExprKind::Binary(Binary::Add | Binary::Sub, a, b) if is_pointer => {
                open.push((if unit.is_pointer(a) { a } else { b }, way));
            }
            ExprKind::Binary(Binary::Comma, _, a)
            | ExprKind::Assign(None, _, a)
            | ExprKind::Assign(Some(_), a, _)
            | ExprKind::Step { of: a, .. }
                if is_pointer =>
            {
                open.push((a, way));
            }
            ExprKind::Conditional(_, a, b) if is_pointer => open.extend([(a, way), (b, way)]),
            ExprKind::Call(..) if is_pointer && gives_memory(unit, e) => {}
            ExprKind::Str(_) => {}
            _ if is_pointer && is_null(unit, e) => {}
            ExprKind::Member(of, _, false) if !is_pointer => open.push((
                of,
                match way {
                    Way::Pointer => Way::Inside,
                    way => way,
                },
            )),
            ExprKind::Member(of, _, true) | ExprKind::Unary(Unary::Deref, of) if !is_pointer => {
                open.push(behind(of));
            }
            ExprKind::Index(a, i) if !is_pointer => {
                open.push(behind(if unit.is_pointer(a) { a } else { i }));
            }
            _ => {
                found.insert(Place::Other);
            }
        }
    }
    pointers
}

/// The place for a variable that is reached; `None` if it is the function's own.
fn place_of(unit: &Unit, f: usize, d: DeclId, way: Way) -> Option<Place> {
    let decl = unit.decl(d);
    // A pointer changed through another one may lead anywhere afterwards. Pointers in arrays and structures are not
    // followed, so they need no care.
    if matches!((way, &decl.ty.ty), (Way::Inside, Type::Pointer(_))) {
        return Some(Place::Other);
    }
    let is_array = matches!(decl.ty.ty, Type::Array(..));
    let leads = is_array || matches!(way, Way::Pointer) && decl.ty.target().is_some();
    if decl.kind == DeclKind::Parameter && leads {
        let position = unit.functions[f].parameters.iter().position(|p| *p == d);
        return Some(position.map_or(Place::Other, Place::Through));
    }
    let is_integer = matches!(decl.ty.element().arith(), Some(Arith::Int(_)));
    match decl.kind {
        DeclKind::Local | DeclKind::Parameter if is_of(unit, f, d) => None,
        // Only integers of functions without a result count as kept: a real number may be a result of the program,
        // and a returned value may depend on the integer, or point to it.
        DeclKind::Static if is_of(unit, f, d) && is_integer && returns_nothing(unit, f) => {
            Some(Place::Kept)
        }
        _ => Some(Place::Other),
    }
}

/// True of a function that may not return, callees aside: it is declared so, has jumps, or has a loop that no
/// condition, `break` or `return` ends. Other loops are taken to end, as C allows compilers to assume.
fn may_stay(unit: &Unit, f: usize) -> bool {
    let function = &unit.functions[f];
    let mut endless = BTreeSet::new();
    let mut left = BTreeSet::new();
    // Statements, each with the endless loop around it, and with the loop that a `break` in it ends.
    let mut open = vec![(function.body, None, None)];
    while let Some((s, around, broken)) = open.pop() {
        let condition = match &unit.stmt(s).kind {
            StmtKind::Goto(_) => return true,
            StmtKind::Return(_) => {
                left.extend(around);
                continue;
            }
            StmtKind::Break => {
                left.extend(broken);
                continue;
            }
            StmtKind::While(c, _) | StmtKind::Do(_, c) => Some(Some(*c)),
            StmtKind::For(of) => Some(of.condition),
            _ => None,
        };
        let is_loop = condition.is_some();
        let is_endless = condition.is_some_and(|c| c.is_none_or(|c| always_holds(unit, c)));
        if is_endless {
            endless.insert(s);
        }
        let around = if is_endless { Some(s) } else { around };
        let ends = is_loop || matches!(unit.stmt(s).kind, StmtKind::Switch(..));
        let broken = if ends { Some(s) } else { broken };
        let inside = unit.statements_inside(s).into_iter();
        open.extend(inside.map(|s: StmtId| (s, around, broken)));
    }
    unit.decl(function.decl).noreturn || !endless.is_subset(&left)
}

/// True of a condition that holds in every run. A constant of unknown value is taken to hold.
fn always_holds(unit: &Unit, condition: ExprId) -> bool {
    known(unit, condition).unwrap_or_else(|| {
        let mut is_constant = true;
        unit.walk(condition, &mut |e| {
            is_constant &= !matches!(unit.expr(e).kind, ExprKind::Name(_));
        });
        is_constant
    })
}

/// True of the variables of a function.
fn is_of(unit: &Unit, f: usize, d: DeclId) -> bool {
    unit.decl(d).function == Some(f) || unit.functions[f].parameters.contains(&d)
}

fn returns_nothing(unit: &Unit, f: usize) -> bool {
    let ty = &unit.decl(unit.functions[f].decl).ty.ty;
    matches!(ty, Type::Function(signature) if signature.result.ty == Type::Void)
}

/// True of a part of a compound literal.
fn is_part_of_literal(unit: &Unit, place: ExprId) -> bool {
    let mut e = place;
    loop {
        e = match unit.expr(e).kind {
            ExprKind::Literal(_) => return true,
            ExprKind::Member(of, _, false) => of,
            ExprKind::Index(a, _) if unit.is_array(a) => a,
            _ => return false,
        };
    }
}

/// True of calls of the library that give new memory.
fn gives_memory(unit: &Unit, e: ExprId) -> bool {
    let called = library_call(unit, e);
    allocates(unit, e) || matches!(called, Some("backtrace_symbols" | "strdup" | "strndup"))
}

/// The arguments through which a call of the library writes; `None` if it has other effects, or does not return.
fn written_by_library(unit: &Unit, e: ExprId) -> Option<Vec<ExprId>> {
    let ExprKind::Call(f, arguments) = &unit.expr(e).kind else {
        return None;
    };
    let ExprKind::Name(d) = unit.expr(*f).kind else {
        return None;
    };
    let decl = unit.decl(d);
    let Type::Function(signature) = &decl.ty.ty else {
        return None;
    };
    let how = decl.how()?;
    // Calls that print are left out.
    if how.is_without_use() && how != How::Stop {
        return Some(Vec::new());
    }
    // vsscanf and its like write through the arguments of the caller, which are not known here.
    if !how.changes_arguments_only() || decl.name.starts_with('v') && decl.name.ends_with("scanf") {
        return None;
    }
    let declared = signature.parameters.iter();
    let types = declared.map(|p| Some(&p.ty)).chain(std::iter::repeat(None));
    let written = arguments.iter().zip(types).filter(|(a, ty)| {
        let ty = ty.or(unit.expr(**a).ty.as_ref());
        ty.and_then(|ty| ty.target()).is_some_and(|to| !to.constant)
    });
    Some(written.map(|(a, _)| *a).collect())
}
