//! Initial values in braces: finds the part of an object that each value is for (C99 6.7.8).
//!
//! One walk over the values of a list keeps the path to the next part, outermost part first. A designator sets the
//! path anew. A value that does not fit a whole array or structure descends to its first part; behind the last part
//! of one, the path goes on in the array or structure around it. A value for a part, or a list, replaces all earlier
//! values in that part.

use crate::{
    ast::{ExprId, ExprKind, Init, StructId, Unit},
    codes, complex, constant,
    source::{Pos, Problem},
    structures::{self, follow},
    types::{Arith, Int, Qualified, Type},
};
use cfg_core::{
    diagnostic::CodeInfo,
    ir::{Expr, Subscript},
};
use std::{collections::BTreeMap, rc::Rc};

/// A problem has been reported.
#[derive(Debug)]
pub(crate) struct Failed;

/// Most parts of a type that are counted; of larger types the number counts as unknown.
const MAX_PARTS: usize = 1 << 24;

/// An initial value as it is written.
#[derive(Clone, Debug)]
pub(crate) enum Written {
    Expr(ExprId),
    List(Vec<(Vec<Designator>, Written)>, Pos),
}

#[derive(Clone, Debug)]
pub(crate) enum Designator {
    Index(ExprId),
    Field(Rc<str>, Pos),
}

/// The initial value of a variable, and the number of its elements, which is its first extent if that is left out.
pub(crate) fn resolve(unit: &mut Unit, ty: &Qualified, written: &Written) -> (Init, i64) {
    let mut fill = Fill {
        unit,
        given: BTreeMap::new(),
        length: 0,
    };
    match fill.whole(ty, written) {
        Ok(Some(e)) => (Init::Expr(e), 0),
        Ok(None) => {
            let Fill {
                unit,
                given,
                length,
            } = fill;
            let given = given.into_iter();
            let parts = given.map(|(path, e)| (steps(unit, ty, &path), e));
            (Init::Parts(parts.collect()), length)
        }
        Err(problem) => (Init::Wrong(Rc::new(problem)), 0),
    }
}

/// The subscripts and members that the numbers of parts stand for.
fn steps(unit: &Unit, ty: &Qualified, path: &[i64]) -> Vec<Subscript> {
    let mut ty = ty;
    let mut steps = Vec::with_capacity(path.len());
    for k in path {
        match &ty.ty {
            Type::Struct(s) => {
                let Some(member) = unit.structure(*s).members.get(*k as usize) else {
                    break;
                };
                steps.push(Subscript::Field(member.name.as_ref().into()));
                ty = &member.ty;
            }
            _ => {
                steps.push(Subscript::Index(Expr::Int(*k)));
                ty = ty.target().unwrap_or(ty);
            }
        }
    }
    steps
}

/// The number of scalars in a type; none if it is not known.
pub(crate) fn count(unit: &Unit, ty: &Qualified) -> Option<i64> {
    count_within(unit, ty, MAX_PARTS)
}

/// Does the work of [`count`], and gives up when more than `most` parts are open at a time.
fn count_within(unit: &Unit, ty: &Qualified, most: usize) -> Option<i64> {
    let mut total = 0i64;
    let mut open = vec![(ty, 1i64)];
    while let Some((ty, times)) = open.pop() {
        match &ty.ty {
            Type::Array(of, extent) => {
                let (n, _) = constant::integer(unit, (*extent)?)?;
                open.push((of, times.checked_mul(i64::try_from(n).ok()?)?));
            }
            Type::Struct(s) => {
                let members = unit.structure(*s).members.iter();
                open.extend(members.map(|m| (&m.ty, times)));
            }
            Type::Arith(_) => total = total.checked_add(times)?,
            Type::Void | Type::Pointer(_) | Type::Function(_) | Type::Refused(_) => return None,
        }
        if open.len() > most {
            return None;
        }
    }
    Some(total)
}

/// The type to which steps from a type lead.
pub(crate) fn type_at<'u>(
    unit: &'u Unit,
    ty: &'u Qualified,
    steps: &[Subscript],
) -> Option<&'u Qualified> {
    follow(unit, ty, steps).map(|(ty, _)| ty)
}

/// The member that steps from a type lead to, or into, and the type to which they lead.
pub(crate) fn member_at<'u>(
    unit: &'u Unit,
    ty: &'u Qualified,
    steps: &[Subscript],
) -> Option<((StructId, &'u Rc<str>), &'u Qualified)> {
    let (ty, way) = follow(unit, ty, steps)?;
    let (s, member) = way.last()?;
    Some(((*s, &member.name), ty))
}

type Braces<T> = Result<T, Problem>;

fn wrong<T>(
    info: &'static CodeInfo,
    at: Pos,
    message: impl Into<String>,
    help: &'static str,
) -> Braces<T> {
    let message = message.into();
    Err(Problem {
        certain: false,
        info,
        at,
        message,
        help,
    })
}

/// Reports an initial value that compilers refuse, too.
fn forbidden<T>(
    info: &'static CodeInfo,
    at: Pos,
    message: impl Into<String>,
    help: &'static str,
) -> Braces<T> {
    wrong(info, at, message, help).map_err(|problem| Problem {
        certain: true,
        ..problem
    })
}

fn too_many<T>(at: Pos) -> Braces<T> {
    let message = "there are more values than elements";
    wrong(
        &codes::INITIAL,
        at,
        message,
        "give at most one for each element",
    )
}

fn is_union(unit: &Unit, ty: &Qualified) -> bool {
    matches!(ty.ty, Type::Struct(s) if unit.structure(s).union)
}

/// True of types whose parts have values of their own. A complex number is one value.
fn is_aggregate(ty: &Qualified) -> bool {
    matches!(ty.ty, Type::Array(..) | Type::Struct(_)) && complex::part_type(&ty.ty).is_none()
}

/// The values of the parts of a variable. The key of a part is the path of element and member numbers that leads to
/// it, so that the parts of one part are neighbours.
struct Fill<'u> {
    unit: &'u mut Unit,
    given: BTreeMap<Vec<i64>, ExprId>,
    /// One more than the last element of the whole that has a designator or a value.
    length: i64,
}

impl Fill<'_> {
    /// The value of the whole, if that is one expression.
    fn whole(&mut self, ty: &Qualified, written: &Written) -> Braces<Option<ExprId>> {
        if let Some((text, at)) = self.text(ty, written)? {
            return self.characters(ty, &text, at, &[]).map(|()| None);
        }
        match written {
            Written::Expr(e) => {
                let known = self.unit.expr(*e).ty.is_some();
                if known && is_aggregate(ty) && !self.is_same(ty, *e) {
                    let at = self.unit.expr(*e).at;
                    let message = "an array or structure is initialised by a value";
                    let help = "write the values in braces";
                    // Compilers accept a compound literal as the value of an array.
                    return match self.unit.expr(*e).kind {
                        ExprKind::Literal(_) => wrong(&codes::INITIAL, at, message, help),
                        _ => forbidden(&codes::INITIAL, at, message, help),
                    };
                }
                Ok(Some(*e))
            }
            Written::List(list, at) if is_aggregate(ty) => {
                self.list(ty, list, *at, &[])?;
                Ok(None)
            }
            Written::List(..) => self.scalar(ty, written).map(Some),
        }
    }

    /// The value of a scalar, in braces or without.
    fn scalar(&self, ty: &Qualified, mut written: &Written) -> Braces<ExprId> {
        loop {
            written = match written {
                Written::Expr(e) => return Ok(*e),
                Written::List(list, at) => match (&list[..], &ty.ty) {
                    ([(designators, inner)], _) if designators.is_empty() => inner,
                    (_, Type::Refused(what)) => {
                        let message = format!("{what} is initialised, which is not supported");
                        return wrong(&codes::INITIAL, *at, message, "use a structure");
                    }
                    ([], _) => {
                        let message = "a number is initialised by no value";
                        return forbidden(&codes::INITIAL, *at, message, "give one");
                    }
                    _ => {
                        let message = "a number is initialised by several values";
                        return wrong(&codes::INITIAL, *at, message, "give one");
                    }
                },
            };
        }
    }

    /// The values of a list in braces for the part of a type to which `path` leads. Recursion is as deep as braces nest.
    fn list(
        &mut self,
        ty: &Qualified,
        list: &[(Vec<Designator>, Written)],
        at: Pos,
        path: &[i64],
    ) -> Braces<()> {
        self.reset(path, at)?;
        // The arrays and structures around the next part, and its number in each.
        let mut around = vec![(ty.clone(), 0)];
        for (designators, written) in list {
            if let [first, rest @ ..] = &self.spelled(ty, designators)[..] {
                around.truncate(1);
                around[0].1 = self.designated(ty, first, at)?;
                for designator in rest {
                    let inner = self.part(&around, at)?;
                    let k = self.designated(&inner, designator, at)?;
                    around.push((inner, k));
                }
            }
            while let [.., outer, (inner, k)] = &mut around[..]
                && *k >= self.parts(inner, at)?
            {
                self.go_on(outer);
                around.pop();
            }
            self.value(&mut around, written, at, path)?;
            if let Some(last) = around.last_mut() {
                self.go_on(last);
            }
        }
        Ok(())
    }

    /// Moves on to the next part of an array or structure. A union is complete after one part.
    fn go_on(&self, (ty, k): &mut (Qualified, i64)) {
        *k = match is_union(self.unit, ty) {
            true => i64::MAX,
            false => k.saturating_add(1),
        };
    }

    /// Gives a value to the next part, or to the first part inside of it that can take the value.
    fn value(
        &mut self,
        around: &mut Vec<(Qualified, i64)>,
        written: &Written,
        at: Pos,
        path: &[i64],
    ) -> Braces<()> {
        loop {
            let inner = self.part(around, at)?;
            let mut own = path.to_vec();
            for (ty, k) in around.iter() {
                if is_union(self.unit, ty) {
                    self.forget_other_members(&own, *k, at)?;
                }
                own.push(*k);
            }
            if let Some(first) = own.first() {
                self.length = self.length.max(first.saturating_add(1));
            }
            if let Some((text, at)) = self.text(&inner, written)? {
                return self.characters(&inner, &text, at, &own);
            }
            match written {
                Written::List(list, at) if is_aggregate(&inner) => {
                    return self.list(&inner, list, *at, &own);
                }
                Written::Expr(e) if is_aggregate(&inner) => {
                    if self.is_same(&inner, *e) {
                        return self.give(own, *e);
                    }
                    around.push((inner, 0));
                }
                _ => {
                    let e = self.scalar(&inner, written)?;
                    let of = self.unit.expr(e).ty.as_ref();
                    let is_complex = of.is_some_and(|of| complex::part_type(&of.ty).is_some());
                    if self.unit.structure_of(e).is_some() && !is_complex {
                        let at = self.unit.expr(e).at;
                        let message = "a number is initialised by a structure of another type";
                        return forbidden(&codes::INITIAL, at, message, "name a member of it");
                    }
                    return self.give(own, e);
                }
            }
        }
    }

    /// The type of the next part.
    fn part(&self, around: &[(Qualified, i64)], at: Pos) -> Braces<Qualified> {
        let Some((ty, k)) = around.last() else {
            return too_many(at);
        };
        if *k >= self.parts(ty, at)? {
            return too_many(at);
        }
        match &ty.ty {
            Type::Array(of, _) => Ok((**of).clone()),
            Type::Struct(s) => {
                let members = &self.unit.structure(*s).members;
                match usize::try_from(*k).ok().and_then(|k| members.get(k)) {
                    Some(member) => Ok(member.ty.clone()),
                    None => too_many(at),
                }
            }
            _ => too_many(at),
        }
    }

    /// The number of parts of an array or structure.
    fn parts(&self, ty: &Qualified, at: Pos) -> Braces<i64> {
        match &ty.ty {
            Type::Array(_, None) => Ok(i64::MAX),
            Type::Array(_, Some(e)) => match constant::integer(self.unit, *e) {
                Some((n, _)) => Ok(i64::try_from(n).unwrap_or(i64::MAX)),
                None => {
                    let message = "an array of variable length has initial values";
                    forbidden(&codes::INITIAL, at, message, "assign them in a loop")
                }
            },
            Type::Struct(s) => Ok(self.unit.structure(*s).members.len() as i64),
            Type::Void
            | Type::Arith(_)
            | Type::Pointer(_)
            | Type::Function(_)
            | Type::Refused(_) => Ok(0),
        }
    }

    /// The designators, with the unnamed members that a name leads through.
    fn spelled(&self, ty: &Qualified, designators: &[Designator]) -> Vec<Designator> {
        let mut spelled = Vec::with_capacity(designators.len());
        let mut ty = Some(ty);
        for designator in designators {
            if let Designator::Field(name, at) = designator {
                while let Some(Type::Struct(s)) = ty.map(|ty| &ty.ty)
                    && let Some(around) = structures::around(self.unit, *s, name)
                {
                    ty = self.unit.member(*s, &around).map(|m| &m.ty);
                    spelled.push(Designator::Field(around, *at));
                }
                ty = match ty.map(|ty| &ty.ty) {
                    Some(Type::Struct(s)) => self.unit.member(*s, name).map(|m| &m.ty),
                    _ => None,
                };
            } else {
                ty = ty.and_then(Qualified::target);
            }
            spelled.push(designator.clone());
        }
        spelled
    }

    /// The number of the part that a designator names.
    fn designated(&self, ty: &Qualified, designator: &Designator, at: Pos) -> Braces<i64> {
        match (designator, &ty.ty) {
            (Designator::Index(e), Type::Array(..)) => match constant::integer(self.unit, *e) {
                Some((k, _)) => match i64::try_from(k) {
                    Ok(k) if (0..self.parts(ty, at)?).contains(&k) => Ok(k),
                    _ => {
                        let at = self.unit.expr(*e).at;
                        let message = "the array has no such element";
                        forbidden(&codes::INITIAL, at, message, "name one that it has")
                    }
                },
                None => {
                    let at = self.unit.expr(*e).at;
                    let message = "a designator is no constant";
                    forbidden(&codes::VALUE, at, message, "write a number")
                }
            },
            (Designator::Field(name, at), Type::Struct(s)) => {
                let mut members = self.unit.structure(*s).members.iter();
                match members.position(|m| m.name == *name) {
                    Some(k) => Ok(k as i64),
                    None => {
                        let message = format!("the structure has no member {name}");
                        let help = "name a member that is declared";
                        forbidden(&codes::UNKNOWN, *at, message, help)
                    }
                }
            }
            _ => {
                let message = "a designator does not belong to this type";
                let help = "write [k] for elements and .name for members";
                forbidden(&codes::INITIAL, at, message, help)
            }
        }
    }

    /// True if the expression is a structure of this type, and so the value of a whole part.
    fn is_same(&self, ty: &Qualified, e: ExprId) -> bool {
        matches!(ty.ty, Type::Struct(s) if self.unit.structure_of(e) == Some(s))
    }

    /// The bytes of a text, also in braces, where it is the initial value of an array of characters.
    fn text(&self, ty: &Qualified, written: &Written) -> Braces<Option<(Rc<[u8]>, Pos)>> {
        let characters = matches!(&ty.ty, Type::Array(of, _)
            if matches!(of.ty, Type::Arith(Arith::Int(Int::Char | Int::SChar | Int::UChar))));
        let e = match written {
            Written::Expr(e) => Some(*e),
            Written::List(list, _) => match &list[..] {
                [(designators, Written::Expr(e))] if designators.is_empty() => Some(*e),
                _ => None,
            },
        };
        let Some(e) = e.filter(|_| characters) else {
            return Ok(None);
        };
        let node = self.unit.expr(e);
        match &node.kind {
            ExprKind::Str(Some(bytes)) => Ok(Some((Rc::clone(bytes), node.at))),
            ExprKind::Str(None) => {
                let message = "the bytes of this text are not known here";
                let help = "write the characters one by one, in braces, with 0 at the end";
                wrong(&codes::INITIAL, node.at, message, help)
            }
            _ => Ok(None),
        }
    }

    /// Assigns the characters of a text to an array, with the 0 at the text's end if there is room.
    fn characters(&mut self, ty: &Qualified, text: &[u8], at: Pos, path: &[i64]) -> Braces<()> {
        self.reset(path, at)?;
        let count = text.len() as i64;
        if count > self.parts(ty, at)? {
            return too_many(at);
        }
        if path.is_empty() {
            self.length = count + 1;
        }
        for (k, byte) in (0..).zip(text.iter()).filter(|(_, byte)| **byte != 0) {
            let value = ExprKind::Int(i128::from(*byte), Arith::INT);
            let e = self.unit.push(value, at, at);
            let mut own = path.to_vec();
            own.push(k);
            self.given.insert(own, e);
        }
        Ok(())
    }

    fn give(&mut self, path: Vec<i64>, e: ExprId) -> Braces<()> {
        self.reset(&path, self.unit.expr(e).at)?;
        self.given.insert(path, e);
        Ok(())
    }

    /// Removes earlier values of a part.
    fn reset(&mut self, path: &[i64], at: Pos) -> Braces<()> {
        let help = "give each part one initial value";
        for outer in 0..path.len() {
            if self.given.contains_key(&path[..outer]) {
                let message = "a member of a structure that has an initial value as a whole is given another one, of which compilers make different things";
                return wrong(&codes::INITIAL, at, message, help);
            }
        }
        self.forget(path, at, |_| true)
    }

    /// Removes earlier values of a union's other members.
    fn forget_other_members(&mut self, union: &[i64], member: i64, at: Pos) -> Braces<()> {
        self.forget(union, at, |path| path.get(union.len()) != Some(&member))
    }

    /// Removes earlier values of those parts of a part for which `is` holds.
    fn forget(&mut self, path: &[i64], at: Pos, is: impl Fn(&[i64]) -> bool) -> Braces<()> {
        let before = self.given.range(path.to_vec()..);
        let before = before.take_while(|(p, _)| p.starts_with(path));
        let before = before.filter(|(p, _)| is(p));
        let before: Vec<Vec<i64>> = before.map(|(p, _)| p.clone()).collect();
        for old in before {
            let e = self.given.remove(&old);
            if e.is_some_and(|e| self.unit.expr(e).effects) {
                let message = "an initial value that another one replaces has side effects, of which C leaves open whether they happen";
                let help = "give each part one initial value";
                return wrong(&codes::ORDER, at, message, help);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ast::{Member, Structure};

    /// The scalars of a type are counted up to [`MAX_PARTS`] parts.
    #[test]
    fn scalars_are_counted_up_to_a_number_of_parts() {
        let member = |name: &str| Member {
            name: Rc::from(name),
            ty: Qualified::unqualified(Type::Arith(Arith::Double)),
            at: Pos::default(),
        };
        let mut unit = Unit::default();
        unit.structures.push(Structure {
            name: None,
            tagged: false,
            at: Pos::default(),
            inside: false,
            members: ["a", "b", "c"].map(member).into(),
            declared: None,
            copied: false,
            assigned: false,
            leaves: 3,
            complete: true,
            packed: false,
            union: false,
            refused: None,
        });
        let ty = Qualified::unqualified(Type::Struct(StructId(0)));
        let counted = |most| count_within(&unit, &ty, most);
        assert_eq!([3, 2].map(counted), [Some(3), None]);
    }
}
