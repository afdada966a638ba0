//! Reads structures and unions.

use super::{Parse, Parser};
use crate::{
    ast::{ExprId, Member, StructId, Structure},
    codes, constant,
    lex::Kind,
    structures,
    types::{Arith, Qualified, Type, Width},
};
use cfg_core::ir::Record;
use std::rc::Rc;

impl Parser<'_> {
    /// Reads a structure or union: a declaration with members, or a tag alone.
    pub(super) fn parse_structure(&mut self, union: bool) -> Parse<Type> {
        let at = self.next().at;
        let mut attributes = self.parse_attributes()?;
        let tag = (self.peek().kind == Kind::Ident).then(|| self.next().text);
        let braces = self.peek().is("{");
        if tag.is_none() && !braces {
            return Err(self.syntax_error(at, "a structure has neither a name nor members"));
        }
        let known = tag.as_ref().and_then(|tag| {
            let own = self.scopes.last().and_then(|s| s.tags.get(tag));
            let outer = || self.scopes.iter().rev().find_map(|s| s.tags.get(tag));
            match own {
                None if !braces && !self.peek().is(";") => outer(),
                own => own,
            }
        });
        // An earlier file may use the same tag for the other kind.
        let known = known.filter(|ty| match ty {
            Type::Struct(s) => {
                let named = self.unit.structure(*s);
                !braces || named.complete || named.union == union
            }
            _ => true,
        });
        let id = match known {
            Some(Type::Struct(s)) => {
                let (s, named) = (*s, self.unit.structure(*s));
                if named.complete && named.union != union {
                    let message = "this name is that of a union, or of a structure";
                    return Err(self.syntax_error(at, message));
                }
                s
            }
            Some(_) => {
                let message = "this name is that of an enumeration";
                return Err(self.syntax_error(at, message));
            }
            None => {
                let id = StructId(self.unit.structures.len() as u32);
                self.unit.structures.push(Structure {
                    name: tag.clone(),
                    tagged: tag.is_some(),
                    at,
                    inside: self.scopes.len() > 1,
                    members: Vec::new(),
                    declared: None,
                    copied: false,
                    assigned: false,
                    leaves: 0,
                    complete: false,
                    packed: false,
                    union,
                    refused: None,
                });
                if let (Some(tag), Some(scope)) = (tag, self.scopes.last_mut()) {
                    scope.tags.insert(tag, Type::Struct(id));
                }
                id
            }
        };
        if braces {
            if self.unit.structure(id).complete {
                let help = "rename one of the two";
                let message = "the structure is declared twice";
                self.sink.error(&codes::TWICE, at, message, help);
            }
            self.unit.structures[id.index()].at = at;
            self.enter_level()?;
            self.parse_members(id)?;
            self.depth -= 1;
            attributes.extend(self.parse_attributes()?);
            self.unit.structures[id.index()].packed |= attributes.layout;
        }
        Ok(Type::Struct(id))
    }

    fn refuse_structure(&mut self, id: StructId, what: &str) {
        let structure = &mut self.unit.structures[id.index()];
        structure.refused.get_or_insert_with(|| Rc::from(what));
    }

    fn parse_members(&mut self, id: StructId) -> Parse<()> {
        self.expect("{", "before members")?;
        while !self.peek().is("}") {
            let before = self.parse_attributes()?;
            if self.begins_assertion() {
                self.static_assertion()?;
                continue;
            }
            if self.take(";") {
                continue;
            }
            if !self.begins_declaration() && !self.may_be_missing_type() {
                let at = self.peek().at;
                return Err(self.syntax_error(at, "a member has no type"));
            }
            let around = std::mem::replace(&mut self.is_member, true);
            let from = self.peek().at;
            let specifiers = self.parse_specifiers()?;
            self.expect_storage(&specifiers, from, &[]);
            if self.take(";") {
                self.is_member = around;
                self.add_anonymous_members(id, specifiers.ty);
                continue;
            }
            loop {
                if self.peek().is(":") {
                    // A bit-field without a name is padding: the layout is then not computed.
                    self.unit.structures[id.index()].packed = true;
                } else {
                    let at = self.peek().at;
                    let mut attributes = specifiers.attributes;
                    attributes.extend(before);
                    attributes.extend(self.parse_attributes()?);
                    let mut made = self.parse_declarator(specifiers.ty.clone())?;
                    attributes.extend(self.parse_attributes()?);
                    self.unit.structures[id.index()].packed |= attributes.layout;
                    if let Some(what) = attributes.refused {
                        made.ty.ty = Type::Refused(Rc::from(what));
                    }
                    let Some((name, at)) = made.name else {
                        return Err(self.syntax_error(at, "a member has no name"));
                    };
                    // A structure inside of itself would have no end.
                    if let Type::Struct(inner) = made.ty.element().ty
                        && !self.unit.structure(inner).complete
                        && inner != id
                        && !self.missing.is_empty()
                    {
                        made.ty.ty = Type::Refused(Rc::from("a structure that is not complete"));
                    } else if let Type::Struct(inner) = made.ty.element().ty
                        && !self.unit.structure(inner).complete
                    {
                        let message =
                            format!("the member {name} is a structure that is not complete");
                        let help = "declare its members before, or let a pointer lead to it";
                        self.sink.error(&codes::TYPE, at, message, help);
                    }
                    if self.take(":") {
                        let bits = self.parse_conditional()?;
                        self.check_width(&made.ty, bits, at);
                        let width = self.bit_field_width(&made.ty, bits);
                        made.ty.ty = match width.and_then(Width::computed) {
                            Some(ty) => Type::Arith(ty),
                            None => Type::Refused(Rc::from("a bit-field")),
                        };
                        made.ty.width = width;
                        self.unit.structures[id.index()].packed |= width.is_none();
                    }
                    let ty = made.ty;
                    self.check_member(id, &name, &ty, at);
                    self.add_member(id, Member { name, ty, at });
                }
                if self.take(":") {
                    self.parse_conditional()?;
                }
                self.parse_attributes()?;
                if !self.take(",") {
                    break;
                }
            }
            self.is_member = around;
            self.end_of("a member")?;
        }
        self.expect("}", "after the members")?;
        self.unit.structures[id.index()].complete = true;
        Ok(())
    }

    /// The width of a bit-field of a type.
    fn bit_field_width(&self, ty: &Qualified, bits: ExprId) -> Option<Width> {
        let Some(Arith::Int(of)) = ty.arith() else {
            return None;
        };
        let (bits, _) = constant::integer(&self.unit, bits)?;
        let bits = u32::try_from(bits).ok()?;
        (1..=of.bits())
            .contains(&bits)
            .then_some(Width { of, bits })
    }

    /// Adds a structure or union without a name as an unnamed member: its members are named like those of the
    /// structure around it.
    fn add_anonymous_members(&mut self, id: StructId, ty: Qualified) {
        match ty.ty {
            Type::Struct(inner) if self.unit.structure(inner).name.is_none() => {
                let known = self.unit.structure(inner);
                let refused = known.refused.clone();
                let own = structures::flatten_members(&self.unit, &known.members);
                let at = own.first().map(|m| m.at).unwrap_or_default();
                if let Some(what) = refused {
                    self.refuse_structure(id, &what);
                }
                for member in &own {
                    self.told_apart(id, member);
                }
                let name = structures::hidden(inner);
                self.add_member(id, Member { name, ty, at });
            }
            Type::Refused(what) => self.refuse_structure(id, &what),
            _ => {}
        }
    }

    /// True if no member has the name of this one; otherwise reports it.
    fn told_apart(&mut self, id: StructId, member: &Member) -> bool {
        let unit = &self.unit;
        let taken = unit.member(id, &member.name).is_some()
            || structures::around(unit, id, &member.name).is_some();
        if taken {
            let message = format!("{} is declared twice", member.name);
            let help = "rename one of the two";
            self.sink.error(&codes::TWICE, member.at, message, help);
        }
        !taken
    }

    fn add_member(&mut self, id: StructId, member: Member) {
        if !self.told_apart(id, &member) {
            return;
        }
        let leaves = match &member.ty.element().ty {
            Type::Struct(inner) => self.unit.structure(*inner).leaves,
            _ => 1,
        };
        // With structures inside structures, a few lines can double the size again and again: beyond the size of
        // records, members are no longer added.
        let structure = &self.unit.structures[id.index()];
        if structure.leaves + leaves > Record::MAX_LEAVES {
            let refused = structure.refused.is_some();
            let what = format!("more than {} scalars and arrays in it", Record::MAX_LEAVES);
            self.refuse_structure(id, &what);
            if !refused {
                let message = format!("the structure has {what}");
                let help = "keep them in arrays";
                self.sink.error(&codes::LIMIT, member.at, message, help);
            }
            return;
        }
        let structure = &mut self.unit.structures[id.index()];
        structure.leaves += leaves;
        structure.members.push(member);
    }
}
