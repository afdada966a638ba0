//! Variables that are only used through other structures, by converting their addresses: `f2c` writes a common block
//! with initial values like that. The variable gets the type of one of these structures; its initial values become
//! those of the numbers at the same places, however they were grouped.

use super::{
    numbers::{begin_alike, begins, count_numbers, number_at, place_of, runs, size},
    views::{number_of, steps_to_number},
};
use crate::{
    ast::{DeclId, DeclKind, ExprId, ExprKind, Init, InitialPart, StructId, Unary, Unit},
    constant,
    number::Number,
    points::strip_conversions,
    types::{Qualified, Type},
};
use cfg_core::ir::Subscript;
use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    rc::Rc,
};

/// The variables that have got the type of another structure.
pub(super) type Retyped = BTreeSet<DeclId>;

/// The form in which an expression names a variable: the variable, its address, the converted address, and the place
/// behind that.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Name,
    Address,
    Converted,
    Read,
}

/// The variable and the form, if an expression names a structure variable in one of these forms.
fn form(unit: &Unit, e: ExprId) -> Option<(DeclId, Form)> {
    let (is_read, pointer) = match unit.expr(e).kind {
        ExprKind::Unary(Unary::Deref, pointer) => (true, pointer),
        _ => (false, e),
    };
    let core = strip_conversions(unit, pointer);
    let (is_address, place) = match unit.expr(core).kind {
        ExprKind::Unary(Unary::Address, place) => (true, place),
        _ => (false, core),
    };
    let form = match (is_read, core != pointer, is_address) {
        (false, false, false) => Form::Name,
        (false, false, true) => Form::Address,
        (false, true, true) => Form::Converted,
        (true, true, true) => Form::Read,
        _ => return None,
    };
    let ExprKind::Name(d) = unit.expr(place).kind else {
        return None;
    };
    let decl = unit.decl(d);
    let is_kept = matches!(
        decl.kind,
        DeclKind::Global | DeclKind::Static | DeclKind::Local
    );
    (is_kept && matches!(decl.ty.ty, Type::Struct(_))).then_some((d, form))
}

/// The uses of variables.
#[derive(Default)]
struct Uses {
    /// The structures through which each variable is used, in order.
    views: BTreeMap<DeclId, Vec<StructId>>,
    /// Variables with other uses.
    others: BTreeSet<DeclId>,
}

impl Uses {
    fn collect(unit: &Unit) -> Self {
        let mut uses = Self::default();
        for e in (0..unit.exprs.len() as u32).map(ExprId) {
            for of in unit.operands(e) {
                if let Some((d, form)) = form(unit, of) {
                    uses.add(unit, (d, form), e);
                }
            }
        }
        let values = unit.values().into_iter().filter_map(|e| form(unit, e));
        uses.others.extend(values.map(|(d, _)| d));
        uses
    }

    fn add(&mut self, unit: &Unit, (d, form): (DeclId, Form), user: ExprId) {
        match (form, &unit.expr(user).kind) {
            (Form::Name, ExprKind::Unary(Unary::Address, _)) => {}
            (Form::Address | Form::Converted, ExprKind::Cast(ty, _))
                if matches!(ty.ty, Type::Pointer(_)) => {}
            (Form::Converted, ExprKind::Unary(Unary::Deref, _)) => {}
            (Form::Converted | Form::Read, ExprKind::Member(..)) => match unit.member_of(user) {
                Some((s, _)) => self.views.entry(d).or_default().push(s),
                None => {
                    self.others.insert(d);
                }
            },
            _ => {
                self.others.insert(d);
            }
        }
    }
}

/// Gives variables the types of the structures through which they are used.
pub(super) fn retype(unit: &mut Unit) -> Retyped {
    let uses = Uses::collect(unit);
    let mut retyped = Retyped::new();
    for (d, views) in &uses.views {
        if uses.others.contains(d) {
            continue;
        }
        let Type::Struct(own) = unit.decl(*d).ty.ty else {
            continue;
        };
        if let Some((kept, init)) = kept(unit, *d, own, views) {
            let decl = &mut unit.decls[d.index()];
            decl.ty.ty = Type::Struct(kept);
            decl.init = init;
            retyped.insert(*d);
        }
    }
    if retyped.is_empty() {
        return retyped;
    }
    for e in (0..unit.exprs.len() as u32).map(ExprId) {
        let (d, is_address) = match form(unit, e) {
            Some((d, Form::Name)) => (d, false),
            Some((d, Form::Address)) => (d, true),
            Some((_, Form::Converted | Form::Read)) | None => continue,
        };
        if retyped.contains(&d) {
            let ty = unit.decl(d).ty.clone();
            unit.exprs[e.index()].ty = Some(match is_address {
                true => Qualified::unqualified(Type::Pointer(Rc::new(ty))),
                false => ty,
            });
        }
    }
    retyped
}

/// The structure that a variable becomes, and its initial value: the structure with the most numbers in the fewest
/// arrays. Assumes that all others begin with the same numbers, and that its size is that of the variable; otherwise
/// `None`.
fn kept(
    unit: &Unit,
    d: DeclId,
    own: StructId,
    views: &[StructId],
) -> Option<(StructId, Option<Init>)> {
    let ty = |s: StructId| Qualified::unqualified(Type::Struct(s));
    let mut all: BTreeMap<StructId, _> = BTreeMap::new();
    for s in views {
        if !all.contains_key(s) {
            all.insert(*s, runs(unit, &ty(*s))?);
        }
    }
    let own_ty = ty(own);
    let before = runs(unit, &own_ty)?;
    let mut most = 0i64;
    for of in all.values() {
        most = most.max(count_numbers(of)?);
    }
    // In larger arrays more subscripts stay within one array.
    let largest = (views.iter()).filter(|s| count_numbers(&all[s]) == Some(most));
    let kept = *largest.min_by_key(|s| unit.structure(**s).leaves)?;
    let to = &all[&kept];
    let is_same = size(unit, &ty(kept))? == size(unit, &own_ty)?
        && all.values().all(|of| begin_alike(of, to));
    if kept == own || !is_same {
        return None;
    }
    let init = match &unit.decl(d).init {
        None => None,
        Some(Init::Parts(parts)) => {
            let [old, new] = [own, kept].map(|s| begins(unit, s).collect::<Option<Vec<_>>>());
            let (old, new) = (old?, new?);
            let by_name = old.iter().map(|(begin, m)| (&*m.name, (*begin, &m.ty)));
            let by_name: HashMap<&str, (i64, &Qualified)> = by_name.collect();
            let mut made: Vec<InitialPart> = Vec::with_capacity(parts.len());
            for (steps, e) in parts {
                let (first, rest) = steps.split_first()?;
                let (begin, member) = *by_name.get(first.field()?)?;
                let (number, of) = number_of(unit, member, rest)?;
                let (place, number_ty) = place_of(&before, begin.checked_add(number)?)?;
                match number_at(to, place, number_ty) {
                    Some(number) if of.arith().is_some() => {
                        let k = new.partition_point(|(begin, _)| *begin <= number);
                        let (begin, member) = *new.get(k.checked_sub(1)?)?;
                        let inside = steps_to_number(unit, &member.ty, number.checked_sub(begin)?)?;
                        let mut steps = vec![Subscript::Field(member.name.as_ref().into())];
                        steps.extend(inside);
                        made.push((steps, *e));
                    }
                    // Bytes without an initial value are 0 already.
                    _ if is_zero(unit, *e) => {}
                    _ => return None,
                }
            }
            Some(Init::Parts(made))
        }
        Some(Init::Expr(_) | Init::Wrong(_)) => return None,
    };
    Some((kept, init))
}

/// True of a constant of which all bits are 0.
fn is_zero(unit: &Unit, e: ExprId) -> bool {
    match constant::number(unit, e) {
        Some(Number::Int(value, _)) => value == 0,
        Some(Number::Float(value)) => value.to_bits() == 0,
        Some(Number::Double(value)) => value.to_bits() == 0,
        None => false,
    }
}
