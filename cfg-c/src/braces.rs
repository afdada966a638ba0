//! Initial values in braces: which part each of them is for.

use crate::{
    ast::{Designator, ExprId, Init, StructId, Unit},
    codes, constant,
    source::{Pos, Sink},
    types::{Arith, Qualified, Type},
};
use cfg_core::ir::{Expr, Subscript};
use std::rc::Rc;

/// A problem has been reported.
#[derive(Debug)]
pub(crate) struct Failed;

type Braces<T> = Result<T, Failed>;

/// Parts of a type that are looked at before their number counts as unknown.
const MAX_PARTS: usize = 1 << 24;

/// A number or structure that is given, and the subscripts and members that lead to it.
pub(crate) type Given = (Vec<Subscript>, ExprId);

/// The numbers and structures that an initial value gives, in the order of the text. Extents that are left out are
/// taken as long as needed.
pub(crate) fn elements(
    unit: &Unit,
    sink: &mut Sink,
    ty: &Qualified,
    init: &Init,
) -> Braces<Vec<Given>> {
    let mut fill = Fill {
        unit,
        sink,
        out: Vec::new(),
        path: Vec::new(),
    };
    fill.value(ty, init)?;
    Ok(fill.out)
}

/// The number of elements of an array whose first extent is left out.
pub(crate) fn length(unit: &Unit, sink: &mut Sink, ty: &Qualified, init: &Init) -> Braces<i64> {
    let given = elements(unit, sink, ty, init)?;
    let first = given.iter().filter_map(|(steps, _)| match steps.first() {
        Some(Subscript::Index(Expr::Int(k))) => k.checked_add(1),
        _ => None,
    });
    Ok(first.max().unwrap_or(0))
}

/// The number of scalars in a type; none if it is not known.
pub(crate) fn count(unit: &Unit, ty: &Qualified) -> Option<i64> {
    count_within(unit, ty, MAX_PARTS)
}

/// [`count`], where no more than so many parts are kept at a time.
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

/// The type of the number that subscripts and members lead to.
pub(crate) fn number_at(unit: &Unit, ty: &Qualified, steps: &[Subscript]) -> Option<Arith> {
    type_at(unit, ty, steps)?.arith()
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
) -> Option<(Named<'u>, &'u Qualified)> {
    let (ty, member) = follow(unit, ty, steps)?;
    Some((member?, ty))
}

/// A member, by its structure and its name.
type Named<'u> = (StructId, &'u Rc<str>);

/// The type to which steps from a type lead, and the last member on the way.
fn follow<'u>(
    unit: &'u Unit,
    ty: &'u Qualified,
    steps: &[Subscript],
) -> Option<(&'u Qualified, Option<Named<'u>>)> {
    let (mut ty, mut last) = (ty, None);
    for step in steps {
        ty = match (step, &ty.ty) {
            (Subscript::Index(_), Type::Array(of, _)) => of,
            (Subscript::Field(name), Type::Struct(s)) => {
                let member = unit.member(*s, name)?;
                last = Some((*s, &member.name));
                &member.ty
            }
            _ => return None,
        };
    }
    Some((ty, last))
}

type List = [(Vec<Designator>, Init)];

/// The values of braces, taken one after the other: those that have no braces of their own are taken from the list around them.
struct Fill<'u> {
    unit: &'u Unit,
    sink: &'u mut Sink,
    out: Vec<Given>,
    /// What leads to the part at hand.
    path: Vec<Subscript>,
}

impl Fill<'_> {
    fn error<T>(&mut self, at: Pos, message: &str, help: &str) -> Braces<T> {
        self.sink.error(&codes::INITIAL, at, message, help);
        Err(Failed)
    }

    /// The number of parts of an array or structure.
    fn parts(&mut self, ty: &Qualified, at: Pos) -> Braces<i64> {
        let unit = self.unit;
        match &ty.ty {
            Type::Array(_, None) => Ok(i64::MAX),
            Type::Array(_, Some(e)) => match constant::integer(unit, *e) {
                Some((n, _)) => Ok(i64::try_from(n).unwrap_or(i64::MAX)),
                None => self.error(
                    at,
                    "an array of variable length has initial values",
                    "assign them in a loop",
                ),
            },
            Type::Struct(s) => Ok(unit.structure(*s).members.len() as i64),
            Type::Void
            | Type::Arith(_)
            | Type::Pointer(_)
            | Type::Function(_)
            | Type::Refused(_) => Ok(0),
        }
    }

    /// The initial value of something. Recursion is as deep as types and braces nest.
    fn value(&mut self, ty: &Qualified, init: &Init) -> Braces<()> {
        let aggregate = matches!(ty.ty, Type::Array(..) | Type::Struct(_));
        match init {
            Init::Expr(e) => {
                let structure = self.unit.structure_of(*e).is_some();
                if aggregate && !(structure && matches!(ty.ty, Type::Struct(_))) {
                    let at = self.unit.expr(*e).at;
                    let message = "an array or structure is initialised by a value";
                    return self.error(at, message, "write the values in braces");
                }
                self.out.push((self.path.clone(), *e));
                Ok(())
            }
            Init::List(list, at) if aggregate => {
                let mut rest = &list[..];
                self.list(ty, &mut rest, *at, true)
            }
            Init::List(list, at) => match &list[..] {
                [(designators, Init::Expr(e))] if designators.is_empty() => {
                    self.out.push((self.path.clone(), *e));
                    Ok(())
                }
                _ => match &ty.ty {
                    Type::Refused(what) => {
                        let message = format!("{what} is initialised, which is not supported");
                        self.error(*at, &message, "use a structure")
                    }
                    _ => self.error(*at, "a number is initialised by several values", "give one"),
                },
            },
        }
    }

    /// The parts of an array or structure; `braced` if the list is its own.
    fn list(&mut self, ty: &Qualified, rest: &mut &List, at: Pos, braced: bool) -> Braces<()> {
        let parts = self.parts(ty, at)?;
        let mut next = 0i64;
        while let Some(((designators, init), behind)) = rest.split_first() {
            let (mut below, mut depth) = (None, 0);
            if !designators.is_empty() {
                if !braced {
                    break;
                }
                let mut of = ty.clone();
                for (level, designator) in designators.iter().enumerate() {
                    let k = self.designated(&of, designator, at)?;
                    if level == 0 {
                        next = k;
                    }
                    let limit = self.parts(&of, at)?;
                    let Some((inner, step)) =
                        self.child(&of, k).filter(|_| (0..limit).contains(&k))
                    else {
                        return self.too_many(at);
                    };
                    self.path.push(step);
                    depth += 1;
                    of = inner;
                }
                below = Some(of);
            } else if next >= parts {
                if !braced {
                    break;
                }
                return self.too_many(at);
            }
            let inner = match below {
                Some(inner) => inner,
                None => {
                    let Some((inner, step)) = self.child(ty, next) else {
                        return self.too_many(at);
                    };
                    self.path.push(step);
                    depth = 1;
                    inner
                }
            };
            let several = designators.len() > 1;
            let plain = match init {
                Init::Expr(e) => {
                    let same = self.unit.structure_of(*e).is_some();
                    matches!(inner.ty, Type::Array(..))
                        || matches!(inner.ty, Type::Struct(_)) && !same
                }
                Init::List(..) => false,
            };
            let done = if plain {
                // Its parts are taken from this list.
                let mut undesignated = *rest;
                let first = [(Vec::new(), init.clone())];
                if designators.is_empty() {
                    let done = self.list(&inner, &mut undesignated, at, false);
                    // What has no parts takes no value, however many of it there are.
                    let takes_none = done.is_ok() && undesignated.len() == rest.len();
                    *rest = undesignated;
                    if takes_none {
                        return self.too_many(at);
                    }
                    done
                } else {
                    let mut own = &first[..];
                    *rest = behind;
                    self.list(&inner, &mut own, at, false)
                }
            } else {
                *rest = behind;
                self.value(&inner, init)
            };
            self.path.truncate(self.path.len() - depth);
            done?;
            next = next.saturating_add(1);
            if several || plain && !designators.is_empty() {
                // What comes after it in the text would go on inside.
                if let Some((designators, _)) = rest.first()
                    && designators.is_empty()
                {
                    let message = "a value without a designator follows one inside of a part";
                    return self.error(at, message, "write braces for each level");
                }
            }
        }
        Ok(())
    }

    fn too_many<T>(&mut self, at: Pos) -> Braces<T> {
        self.error(
            at,
            "there are more values than elements",
            "give at most one for each element",
        )
    }

    /// The type of a part, and the step to it.
    fn child(&self, ty: &Qualified, k: i64) -> Option<(Qualified, Subscript)> {
        match &ty.ty {
            Type::Array(of, _) => Some(((**of).clone(), Subscript::Index(Expr::Int(k)))),
            Type::Struct(s) => {
                let members = &self.unit.structure(*s).members;
                let member = members.get(usize::try_from(k).ok()?)?;
                Some((
                    member.ty.clone(),
                    Subscript::Field(member.name.as_ref().into()),
                ))
            }
            _ => None,
        }
    }

    /// The number of the part that a designator names.
    fn designated(&mut self, ty: &Qualified, designator: &Designator, at: Pos) -> Braces<i64> {
        let unit = self.unit;
        match (designator, &ty.ty) {
            (Designator::Index(e), Type::Array(..)) => match constant::integer(unit, *e) {
                Some((k, _)) => Ok(i64::try_from(k).unwrap_or(i64::MAX)),
                None => {
                    let at = unit.expr(*e).at;
                    let message = "a designator is no constant";
                    self.sink
                        .error(&codes::VALUE, at, message, "write a number");
                    Err(Failed)
                }
            },
            (Designator::Field(name, at), Type::Struct(s)) => {
                let members = &unit.structure(*s).members;
                match members.iter().position(|m| m.name == *name) {
                    Some(k) => Ok(k as i64),
                    None => {
                        let message = format!("the structure has no member {name}");
                        let help = "name a member that is declared";
                        self.sink.error(&codes::UNKNOWN, *at, message, help);
                        Err(Failed)
                    }
                }
            }
            _ => self.error(
                at,
                "a designator does not belong to this type",
                "write [k] for elements and .name for members",
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ast::{Member, Structure};

    /// The scalars of a type are counted as long as it has no more parts than are looked at.
    #[test]
    fn scalars_are_counted_up_to_a_number_of_parts() {
        let member = |name: &str| Member {
            name: Rc::from(name),
            ty: Qualified::plain(Type::Arith(Arith::Double)),
            at: Pos::default(),
        };
        let mut unit = Unit::default();
        unit.structures.push(Structure {
            name: None,
            members: ["a", "b", "c"].map(member).into(),
            leaves: 3,
            complete: true,
            refused: None,
        });
        let ty = Qualified::plain(Type::Struct(StructId(0)));
        let counted = |most| count_within(&unit, &ty, most);
        assert_eq!([3, 2].map(counted), [Some(3), None]);
    }
}
