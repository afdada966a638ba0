//! Functions that only tell something, as `trace("at %g\n", x)` and `name_of(status)` among the arguments of a message: all that they
//! change is theirs, and they come back. A call whose value nothing asks for is left out, like printing.
//!
//! A function changes variables of its own, which are nobody else's, what its parameters lead to, which is whose it is that is given, and
//! what is kept between calls. A counter that is kept is its own, too, where it returns nothing.

use crate::{
    ast::{Binary, Decl, DeclId, DeclKind, ExprId, ExprKind, StmtKind, Unary, Unit},
    calls::reachable,
    math::How,
    points::{allocates, bare, is_null, sources},
    texts::forget,
    types::{Arith, Type},
};
use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    rc::Rc,
};

/// What is written to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// What a parameter leads to, by its position.
    Through(usize),
    /// A variable of the function that is kept between calls.
    Kept(DeclId),
    Other,
}

/// What a function changes that is not its own.
#[derive(Default)]
struct Changes {
    /// Something else than the following, or it may not come back.
    others: bool,
    through: BTreeSet<usize>,
    kept: BTreeSet<DeclId>,
}

/// A call by one function of another one.
struct Call {
    by: usize,
    arguments: Rc<[ExprId]>,
}

/// What the functions of a program change.
#[derive(Default)]
pub(crate) struct Telling {
    changes: Vec<Changes>,
    /// The calls of each function.
    calls: BTreeMap<usize, Vec<Call>>,
    /// The variables that are kept and that each function names.
    named: Vec<Vec<DeclId>>,
    /// The functions that name such a variable.
    users: BTreeMap<DeclId, BTreeSet<usize>>,
    /// What the pointers that variables are lead to.
    leads: HashMap<(usize, DeclId), Rc<[Place]>>,
}

/// Leaves out calls of functions that only tell something, where their values are not asked for.
pub(crate) fn leave_out(unit: &mut Unit, roots: &[usize]) -> Telling {
    let telling = Telling::of(unit);
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
                forget(unit, *a);
            }
        }
        let next = DeclId(unit.decls.len() as u32);
        let prints = *printing.entry(d).or_insert(next);
        if prints == next {
            let decl = Decl {
                library: Some(How::Passive),
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
            forget(unit, e);
        }
    }
    telling
}

impl Telling {
    pub(crate) fn of(unit: &Unit) -> Self {
        let mut found = Self::default();
        for f in 0..unit.functions.len() {
            found.changes.push(Changes::default());
            found.named.push(Vec::new());
            for e in unit.functions[f].part.clone().map(ExprId) {
                found.look_at(unit, f, e);
            }
            found.changes[f].others |= unit.functions[f].given.is_some();
        }
        let mut open: Vec<usize> = (0..unit.functions.len()).collect();
        // What others may read: real numbers may be results.
        let mut shared: Vec<DeclId> = (found.users.keys().copied())
            .filter(|d| !matches!(unit.decl(*d).ty.element().arith(), Some(Arith::Int(_))))
            .collect();
        for f in 0..unit.functions.len() {
            if !returns_nothing(unit, f) {
                shared.append(&mut found.named[f]);
            }
        }
        loop {
            for d in shared.drain(..) {
                for f in found.users.remove(&d).into_iter().flatten() {
                    if found.changes[f].kept.contains(&d) && found.note(f, Place::Other) {
                        open.push(f);
                    }
                }
            }
            let Some(f) = open.pop() else {
                return found;
            };
            if !found.is_quiet(f) {
                shared.append(&mut found.named[f]);
            }
            let calls = found.calls.remove(&f).unwrap_or_default();
            for call in &calls {
                if found.pass_on(unit, f, call) {
                    open.push(call.by);
                }
            }
            found.calls.insert(f, calls);
        }
    }

    /// True of functions that change nothing that is not theirs.
    fn is_quiet(&self, f: usize) -> bool {
        !self.changes[f].others && self.changes[f].through.is_empty()
    }

    /// True of an expression that may be left out where its value is not asked.
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

    /// Notes what a function changes by an expression of its own, and whom it calls.
    fn look_at(&mut self, unit: &Unit, f: usize, e: ExprId) {
        match &unit.expr(e).kind {
            ExprKind::Name(d) if unit.decl(*d).kind == DeclKind::Static => {
                self.users.entry(*d).or_default().insert(f);
                self.named[f].push(*d);
            }
            ExprKind::Assign(_, target, _) | ExprKind::Step { of: target, .. } => {
                for place in self.places(unit, f, *target).iter() {
                    self.note(f, *place);
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
                            for place in self.pointer(unit, f, a).iter() {
                                self.note(f, *place);
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

    fn note(&mut self, f: usize, place: Place) -> bool {
        let changes = &mut self.changes[f];
        match place {
            Place::Through(k) => changes.through.insert(k),
            Place::Kept(d) => changes.kept.insert(d),
            Place::Other => !std::mem::replace(&mut changes.others, true),
        }
    }

    /// What a call changes is changed by the caller. True if that is more than before.
    fn pass_on(&mut self, unit: &Unit, f: usize, call: &Call) -> bool {
        if self.changes[f].others {
            return self.note(call.by, Place::Other);
        }
        let mut more = false;
        for k in self.changes[f].through.clone() {
            let places = match call.arguments.get(k) {
                Some(a) => self.pointer(unit, call.by, *a),
                None => Rc::from([Place::Other]),
            };
            for place in places.iter() {
                more |= self.note(call.by, *place);
            }
        }
        more
    }

    /// The places that an expression which is assigned to may be, but for the function's own.
    fn places(&mut self, unit: &Unit, f: usize, target: ExprId) -> Rc<[Place]> {
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
                _ => return found_in(unit, f, vec![(e, Way::Assigned)]),
            }
        }
    }

    /// The places that a pointer may lead to, but for the function's own.
    fn pointer(&mut self, unit: &Unit, f: usize, e: ExprId) -> Rc<[Place]> {
        let open = vec![(e, Way::Pointer)];
        match unit.expr(bare(unit, e)).kind {
            ExprKind::Name(d) => {
                let found = self.leads.entry((f, d));
                Rc::clone(found.or_insert_with(|| found_in(unit, f, open)))
            }
            _ => found_in(unit, f, open),
        }
    }
}

/// How an expression comes to a place.
#[derive(Clone, Copy)]
enum Way {
    /// It is the place, or a part of it.
    Assigned,
    /// A pointer leads to it, or to a part of it.
    Inside,
    /// It is a pointer to the place.
    Pointer,
}

/// The places that expressions of a function may come to, but for its own variables.
fn found_in(unit: &Unit, f: usize, mut open: Vec<(ExprId, Way)>) -> Rc<[Place]> {
    let mut found = Vec::new();
    let mut seen = BTreeSet::new();
    while let Some((e, way)) = open.pop() {
        let is_pointer = matches!(way, Way::Pointer) && !unit.is_array(e);
        let e = if is_pointer { bare(unit, e) } else { e };
        let behind = |p: ExprId| match (unit.is_array(p), way) {
            (true, Way::Assigned) => (p, Way::Assigned),
            (true, _) => (p, Way::Inside),
            (false, _) => (p, Way::Pointer),
        };
        match unit.expr(e).kind {
            ExprKind::Name(d) if is_pointer => {
                let decl = unit.decl(d);
                let is_own = is_of(unit, f, d) && decl.ty.target().is_some();
                if !is_own || decl.kind == DeclKind::Static {
                    found.push(Place::Other);
                } else if seen.insert(d) {
                    if decl.kind == DeclKind::Parameter {
                        found.extend(place_of(unit, f, d, way));
                    }
                    open.extend(sources(unit, d).into_iter().map(|e| (e, way)));
                }
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
            ExprKind::Call(..) if is_pointer && allocates(unit, e) => {}
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
            _ => found.push(Place::Other),
        }
    }
    found.into()
}

/// What is changed where a variable is come to; nothing where it is the function's own.
fn place_of(unit: &Unit, f: usize, d: DeclId, way: Way) -> Option<Place> {
    let decl = unit.decl(d);
    let is_assigned = matches!(way, Way::Assigned);
    let is_array = matches!(decl.ty.ty, Type::Array(..));
    let leads = is_array || decl.ty.target().is_some() && !is_assigned;
    if decl.kind == DeclKind::Parameter && leads {
        let position = unit.functions[f].parameters.iter().position(|p| *p == d);
        return Some(position.map_or(Place::Other, Place::Through));
    }
    // A pointer that another one changes may lead elsewhere then; of those in arrays and structures nothing is known anyway.
    if !is_assigned && matches!(decl.ty.ty, Type::Pointer(_)) {
        return Some(Place::Other);
    }
    match decl.kind {
        DeclKind::Local | DeclKind::Parameter if is_of(unit, f, d) => None,
        DeclKind::Static if is_of(unit, f, d) => Some(Place::Kept(d)),
        _ => Some(Place::Other),
    }
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

/// The arguments by which a call of the library writes; none if it does something else, or does not come back.
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
    if how.is_without_use() && how != How::Stop || how == How::Release {
        return Some(Vec::new());
    }
    if !how.changes_arguments_only() {
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
