//! Texts as initial values of arrays of characters, also of those that are members or elements.

use super::Parser;
use crate::{
    ast::{Designator, ExprKind, Init},
    codes,
    types::{Arith, Int, Qualified, Type},
};

/// True of arrays that a text may be the initial value of.
fn is_of_characters(ty: &Qualified) -> bool {
    matches!(&ty.ty, Type::Array(of, _)
        if matches!(of.ty, Type::Arith(Arith::Int(Int::Char | Int::SChar | Int::UChar))))
}

impl Parser<'_> {
    /// An initial value in which each text for an array of characters stands as a list of characters. Where braces are left out, what belongs
    /// to which part is not known yet, and the rest stays as it is.
    pub(super) fn with_characters(&mut self, ty: &Qualified, init: Init) -> Init {
        if is_of_characters(ty) {
            return self.characters(ty, init);
        }
        let Init::List(list, at) = init else {
            return init;
        };
        let (mut next, mut known) = (0, true);
        let mut made = Vec::with_capacity(list.len());
        for (designators, init) in list {
            let part = match known {
                true => self.part(ty, &designators, &mut next),
                false => None,
            };
            // What follows goes on inside of the part that several designators lead to.
            known &= designators.len() < 2;
            let init = match part {
                Some(part) => {
                    let aggregate = matches!(part.ty, Type::Array(..) | Type::Struct(_));
                    let init = self.with_characters(&part, init);
                    let value = match &init {
                        Init::Expr(e) => self.unit.structure_of(*e).is_none(),
                        Init::List(..) => false,
                    };
                    known &= !(aggregate && value);
                    init
                }
                None => init,
            };
            made.push((designators, init));
        }
        Init::List(made, at)
    }

    /// The type of the part that designators name, or of the next one.
    fn part(
        &self,
        ty: &Qualified,
        designators: &[Designator],
        next: &mut usize,
    ) -> Option<Qualified> {
        let Some((first, rest)) = designators.split_first() else {
            *next += 1;
            return match &ty.ty {
                Type::Array(of, _) => Some((**of).clone()),
                Type::Struct(s) => {
                    let members = &self.unit.structure(*s).members;
                    members.get(*next - 1).map(|m| m.ty.clone())
                }
                _ => None,
            };
        };
        let mut part = match (first, &ty.ty) {
            (Designator::Index(_), Type::Array(of, _)) => (**of).clone(),
            (Designator::Field(name, _), Type::Struct(s)) => {
                let members = &self.unit.structure(*s).members;
                let k = members.iter().position(|m| m.name == *name)?;
                *next = k + 1;
                members[k].ty.clone()
            }
            _ => return None,
        };
        for designator in rest {
            part = self.part(&part, std::slice::from_ref(designator), &mut 0)?;
        }
        Some(part)
    }

    /// The initial value of an array of characters that is written as a text: its characters, with the 0 at the end where the array
    /// has no extent.
    fn characters(&mut self, ty: &Qualified, init: Init) -> Init {
        let Type::Array(_, extent) = &ty.ty else {
            return init;
        };
        let text = match &init {
            Init::Expr(e) => Some(*e),
            Init::List(list, _) => match &list[..] {
                [(designators, Init::Expr(e))] if designators.is_empty() => Some(*e),
                _ => None,
            },
        };
        let Some(e) = text else {
            return init;
        };
        let node = self.unit.expr(e);
        let at = node.at;
        let ExprKind::Str(text) = &node.kind else {
            return init;
        };
        // What is left of an escape has a value that is not known here.
        if text.contains('\\') || !text.is_ascii() {
            let message = "a text with such an escape or character is no initial value here";
            let help = "write the characters one by one, in braces, with 0 at the end";
            self.sink.error(&codes::INITIAL, at, message, help);
            return Init::List(Vec::new(), at);
        }
        let mut values: Vec<u8> = text.bytes().collect();
        values.extend(extent.is_none().then_some(0));
        let values = values.into_iter().map(|value| {
            let e = self.add(ExprKind::Int(i128::from(value), Arith::INT), at, at);
            (Vec::new(), Init::Expr(e))
        });
        Init::List(values.collect(), at)
    }
}
