//! The places that an expression reads and writes, and the question which of them may be the same.
//!
//! A place is a variable and the steps from it: members, elements, and steps through pointers. Two places of one
//! variable are surely different in four cases: their steps differ first in two members or two elements, and lead
//! through no pointer behind that; their types are never those of one object; they are scalars in different members
//! of structures, wherever these lie; or one is the variable itself, and nothing points to it, or the other is a
//! member.

use crate::{
    ast::{Binary, DeclId, DeclKind, ExprId, ExprKind, StructId, Unary, Unit},
    constant,
    types::{Arith, Qualified, Type},
};
use std::{collections::BTreeMap, rc::Rc};

/// The number of an element, where it is known: a constant, and a variable that is added to it.
type Number = Option<(Option<DeclId>, i128)>;

#[derive(Clone, Debug, PartialEq, Eq)]
enum Step {
    /// From a pointer to the place that it points to.
    Through,
    Member(Rc<str>),
    Element(Number),
}

/// The contents of a scalar object: C lets no two of these be one object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Integer,
    Float,
    Double,
    Pointer,
}

impl Kind {
    /// The kind of a type; `None` for structures, which have parts of all kinds, and for unknown types.
    fn from_type(ty: Option<&Qualified>) -> Option<Self> {
        match &ty?.ty {
            Type::Arith(Arith::Int(_)) => Some(Self::Integer),
            Type::Arith(Arith::Float) => Some(Self::Float),
            Type::Arith(Arith::Double) => Some(Self::Double),
            Type::Pointer(_) => Some(Self::Pointer),
            Type::Void | Type::Struct(_) | Type::Array(..) | Type::Function(_) => None,
            Type::Refused(_) => None,
        }
    }
}

/// A place that is read or written.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Access {
    steps: Vec<Step>,
    /// True if all places that this one leads to are meant.
    open: bool,
    kind: Option<Kind>,
    /// The structure and the member that a scalar is, or is an element of. A member tells objects apart: unions have
    /// one member, or are refused.
    member: Option<(StructId, Rc<str>)>,
    /// True of a part of the variable to which nothing points.
    own: bool,
    /// True of a variable that is no structure and no array.
    whole: bool,
}

impl Access {
    /// True if two places that begin at one variable may share an object.
    fn meets(&self, other: &Self) -> bool {
        if let (Some(a), Some(b)) = (self.kind, other.kind)
            && a != b
        {
            return false;
        }
        if let (Some(a), Some(b)) = (&self.member, &other.member)
            && a != b
        {
            return false;
        }
        let apart = |a: &Self, b: &Self| {
            // A pointer to a variable may be taken for one into an array, so the variable may be an element behind
            // the pointer, but never a member.
            let member = !b.open && matches!(b.steps.last(), Some(Step::Member(_)));
            (a.own || a.whole && member) && b.steps.contains(&Step::Through)
        };
        if apart(self, other) || apart(other, self) {
            return false;
        }
        let mut both = self.steps.iter().zip(&other.steps);
        let Some(part) = both.position(|(a, b)| differ(a, b)) else {
            // One place contains the other, or leads to it.
            return true;
        };
        let leads = |of: &Self| of.open || of.steps[part..].contains(&Step::Through);
        leads(self) || leads(other)
    }
}

/// True of two different members, and of two elements with numbers that are never equal.
fn differ(a: &Step, b: &Step) -> bool {
    match (a, b) {
        (Step::Member(a), Step::Member(b)) => a != b,
        (Step::Element(Some((a, i))), Step::Element(Some((b, j)))) => a == b && i != j,
        _ => false,
    }
}

/// Most places of one variable that are kept apart. Places are compared in pairs; of a variable with more, all places
/// are meant.
const MAX_PLACES: usize = 32;

/// Places by the variables that they begin at.
#[derive(Default)]
pub(super) struct Accesses(BTreeMap<DeclId, Vec<Access>>);

impl Accesses {
    /// The variables, in order.
    pub(super) fn variables(&self) -> impl Iterator<Item = DeclId> + '_ {
        self.0.keys().copied()
    }

    /// The first variable with places in both sets that may be the same.
    pub(super) fn shared(&self, other: &Self) -> Option<DeclId> {
        let mut all = self.0.iter();
        let met = all.find(|(d, places)| {
            let others = other.0.get(d).map_or(&[][..], |others| others);
            places.iter().any(|a| others.iter().any(|b| a.meets(b)))
        });
        met.map(|(d, _)| *d)
    }

    /// The first variable with a place that is certainly in both sets.
    pub(super) fn same(&self, other: &Self) -> Option<DeclId> {
        let known = |of: &Access| !of.open && !of.steps.contains(&Step::Element(None));
        let mut all = self.0.iter();
        let met = all.find(|(d, places)| {
            let others = other.0.get(d);
            let mut known = places.iter().filter(|place| known(place));
            known.any(|a| others.is_some_and(|others| others.contains(a)))
        });
        met.map(|(d, _)| *d)
    }

    pub(super) fn extend(&mut self, other: Self) {
        for (d, places) in other.0 {
            for place in places {
                self.add(d, place);
            }
        }
    }

    fn add(&mut self, d: DeclId, access: Access) {
        let places = self.0.entry(d).or_default();
        if places.contains(&access) {
            return;
        }
        places.push(access);
        if places.len() <= MAX_PLACES {
            return;
        }
        let first = places.first().and_then(|place| place.kind);
        let kind = first.filter(|_| places.iter().all(|place| place.kind == first));
        *places = vec![Access {
            steps: Vec::new(),
            open: true,
            kind,
            member: None,
            own: false,
            whole: false,
        }];
    }

    /// A variable as a whole.
    pub(super) fn of_variable(unit: &Unit, d: DeclId) -> Self {
        let mut of = Self::default();
        of.add(d, access(unit, d, Vec::new(), Some(&unit.decl(d).ty)));
        of
    }

    /// Adds a place, or all that its variables lead to, if the steps to it are not known.
    pub(super) fn add_place(&mut self, unit: &Unit, e: ExprId) {
        match resolve_place(unit, e, false) {
            Some((d, steps)) => {
                let place = access(unit, d, steps, unit.expr(e).ty.as_ref());
                let member = place.kind.and_then(|_| member(unit, e));
                self.add(d, Access { member, ..place });
            }
            None => self.add_all(unit, e),
        }
    }

    /// Adds all places that a pointer leads to.
    pub(super) fn add_behind(&mut self, unit: &Unit, e: ExprId) {
        let ty = unit.expr(e).ty.as_ref();
        let Some((d, steps)) = ty
            .and_then(Qualified::target)
            .and_then(|_| resolve_place(unit, e, true))
        else {
            return self.add_all(unit, e);
        };
        // Behind a pointer to numbers there are numbers of that kind only; behind other pointers there may be
        // anything.
        let kind =
            Kind::from_type(ty.and_then(Qualified::target)).filter(|kind| *kind != Kind::Pointer);
        let way = access(unit, d, steps, None);
        self.add(
            d,
            Access {
                open: true,
                kind,
                ..way
            },
        );
    }

    /// Adds all places that the variables in a place or pointer lead to.
    fn add_all(&mut self, unit: &Unit, e: ExprId) {
        for d in unit.root_variables(e) {
            let whole = access(unit, d, Vec::new(), None);
            self.add(
                d,
                Access {
                    open: true,
                    ..whole
                },
            );
        }
    }
}

fn access(unit: &Unit, d: DeclId, steps: Vec<Step>, ty: Option<&Qualified>) -> Access {
    let decl = unit.decl(d);
    let members = steps.iter().all(|s| matches!(s, Step::Member(_)));
    let kind = Kind::from_type(ty);
    Access {
        // An array decays to a pointer to its first element, so its elements count as pointed to.
        own: members && kind.is_some() && !decl.address,
        whole: steps.is_empty() && kind.is_some(),
        steps,
        open: false,
        kind,
        member: None,
    }
}

/// The structure and the member, if a place is a member or an element of one.
fn member(unit: &Unit, e: ExprId) -> Option<(StructId, Rc<str>)> {
    let mut e = e;
    while let ExprKind::Index(a, _) = unit.expr(e).kind
        && unit.is_array(a)
    {
        e = a;
    }
    unit.member_of(e).map(|(s, name)| (s, Rc::clone(name)))
}

/// The variable and the steps to a place; if `pointed`, to the place that a pointer points to.
fn resolve_place(unit: &Unit, e: ExprId, pointed: bool) -> Option<(DeclId, Vec<Step>)> {
    let (mut e, mut pointed) = (e, pointed);
    // The number of elements that the pointer is moved by.
    let mut by: Number = Some((None, 0));
    let mut back = Vec::new();
    loop {
        let node = unit.expr(e);
        if !pointed {
            match &node.kind {
                ExprKind::Name(d) | ExprKind::Literal(d) => {
                    back.reverse();
                    return Some((*d, back));
                }
                ExprKind::Member(of, name, arrow) => {
                    back.push(Step::Member(name.clone()));
                    (e, pointed) = (*of, *arrow);
                }
                ExprKind::Index(a, i) => {
                    let swapped = !unit.is_pointer(*a);
                    let (p, i) = if swapped { (*i, *a) } else { (*a, *i) };
                    by = moved(unit, Some((None, 0)), i, false);
                    (e, pointed) = (p, true);
                }
                ExprKind::Unary(Unary::Deref, p) => (e, pointed) = (*p, true),
                _ => return None,
            }
            continue;
        }
        let is_array = matches!(node.ty.as_ref()?.ty, Type::Array(..));
        let held = match &node.kind {
            ExprKind::Name(_) | ExprKind::Literal(_) | ExprKind::Member(..) => e,
            ExprKind::Index(..) | ExprKind::Unary(Unary::Deref, _) => e,
            ExprKind::Binary(op @ (Binary::Add | Binary::Sub), a, b) => {
                let swapped = !unit.is_pointer(*a);
                let (p, k) = if swapped { (*b, *a) } else { (*a, *b) };
                by = moved(unit, by, k, *op == Binary::Sub);
                e = p;
                continue;
            }
            ExprKind::Cast(_, p) => {
                e = *p;
                continue;
            }
            ExprKind::Unary(Unary::Address, of) => {
                match &unit.expr(*of).kind {
                    ExprKind::Index(a, i) if unit.is_pointer(*a) => {
                        by = moved(unit, by, *i, false);
                        e = *a;
                    }
                    _ if by == Some((None, 0)) => (e, pointed) = (*of, false),
                    _ => return None,
                }
                continue;
            }
            // The pointer is moved here, and may be used before the move: its number is not known.
            ExprKind::Step { of, .. } | ExprKind::Assign(Some(_), of, _) => {
                by = None;
                *of
            }
            _ => return None,
        };
        back.push(Step::Element(by));
        if !is_array {
            back.push(Step::Through);
        }
        by = Some((None, 0));
        (e, pointed) = (held, false);
    }
}

/// The number of an element, moved by an expression.
fn moved(unit: &Unit, from: Number, by: ExprId, back: bool) -> Number {
    let (name, k) = from?;
    let (other, n) = number(unit, by)?;
    let k = match back {
        true => k.checked_sub(n)?,
        false => k.checked_add(n)?,
    };
    match (name, other) {
        (name, None) => Some((name, k)),
        (None, name) if !back => Some((name, k)),
        _ => None,
    }
}

/// A subscript that is a constant, a variable, or a variable and a constant.
fn number(unit: &Unit, e: ExprId) -> Number {
    if let Some((k, _)) = constant::integer(unit, e) {
        return Some((None, k));
    }
    match unit.expr(e).kind {
        ExprKind::Name(d) => match unit.decl(d).kind {
            DeclKind::Constant(k) => Some((None, k)),
            DeclKind::Global
            | DeclKind::Static
            | DeclKind::Local
            | DeclKind::Parameter
            | DeclKind::Function => Some((Some(d), 0)),
        },
        ExprKind::Binary(op @ (Binary::Add | Binary::Sub), a, b) => {
            let (ExprKind::Name(d), ExprKind::Int(k, _)) = (&unit.expr(a).kind, &unit.expr(b).kind)
            else {
                return None;
            };
            let k = match op {
                Binary::Sub => k.checked_neg()?,
                _ => *k,
            };
            Some((Some(*d), k))
        }
        _ => None,
    }
}
