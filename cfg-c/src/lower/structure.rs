//! Structures as records: types, and expressions whose values are structures.

use super::{
    Failed, Lower, Lowered, left_out,
    routine::Body,
    slot::{Elem, Path},
};
use crate::{
    ast::{Binary, DeclId, ExprId, ExprKind, InitialPart, StructId},
    braces, codes, constant,
    source::Pos,
    types::{Arith, Int, Qualified, Type},
    unions,
};
use cfg_core::{
    builder::VarType,
    entity::VarId,
    ir::{Dim, Expr, Extent, Order, PointerType, Record, ScalarType, Subscript},
};

/// The help of messages about pointers to void.
pub(super) const LEADS_TO_ONE: &str = "a pointer to void is given, and converted to, pointers of one type only: use another one for each type";

impl Lower<'_> {
    /// The type of elements in the representation.
    pub(super) fn scalar_type(&mut self, elem: Elem, at: Pos) -> Lowered<ScalarType> {
        match elem {
            Elem::Arith(ty) => Ok(ty.scalar_type()),
            Elem::Struct(s) => self.record_type(s, at, Record::MAX_DEPTH),
            Elem::Pointer(base, depth) => {
                let mut ty = self.scalar_type(base.into(), at)?;
                for _ in 0..depth {
                    ty = ScalarType::Pointer(PointerType::to(ty).ok_or(Failed)?);
                }
                Ok(ty)
            }
        }
    }

    /// The record of a structure; `at` is the position of its use.
    fn record_type(&mut self, s: StructId, at: Pos, depth: usize) -> Lowered<ScalarType> {
        if let Some(known) = self.records.get(&s) {
            return known.ok_or(Failed);
        }
        let done = self.new_record(s, at, depth);
        self.records.insert(s, done.as_ref().ok().copied());
        done
    }

    fn new_record(&mut self, s: StructId, at: Pos, depth: usize) -> Lowered<ScalarType> {
        let unit = self.unit;
        let structure = unit.structure(s);
        let name = structure.name.as_deref().unwrap_or("structure");
        let mut members = structure.members.iter();
        let pointer = members.find(|m| matches!(m.ty.element().ty, Type::Pointer(_)));
        let pointer = pointer.filter(|_| !self.values);
        let refused = match &structure.refused {
            Some(what) => Some(format!("{name} has {what}, which is not supported")),
            None if name == "__cfgrev_file" => Some(
                "a FILE is not supported: print to stdout or stderr, which is left out".to_owned(),
            ),
            None if !structure.complete => Some(format!("the members of {name} are not declared")),
            None if structure.members.is_empty() => Some(format!("{name} has no members")),
            None => pointer.map(|member| {
                format!(
                    "{name} has the member {}, a pointer, which is not supported",
                    member.name
                )
            }),
        };
        if let Some(message) = refused {
            let help = match pointer {
                _ if unions::has_bits(structure) => {
                    "--no-diff bits reads the bits of a real number as an integer without a derivative"
                }
                _ if structure.union => {
                    "make it a structure, whose members lie side by side, or use one of its members only"
                }
                Some(_) => {
                    "of local structures, pointers to numbers are supported: write a function that has the members as parameters, fills the structure, and calls this one"
                }
                None => way_out(
                    &message,
                    "pass arrays as parameters of their own, and members as numbers and arrays of constant extents",
                ),
            };
            self.sink.error(&codes::TYPE, at, message, help);
            return Err(Failed);
        }
        let Some(depth) = depth.checked_sub(1) else {
            let message = format!("structures nest more than {} deep", Record::MAX_DEPTH);
            self.sink
                .error(&codes::LIMIT, at, message, "use fewer levels");
            return Err(Failed);
        };
        let gaps = left_out::gaps(unit, s);
        // A record whose layout differs from the file's structure has another name, so that the two are not confused.
        let stem = match gaps {
            Some(Err(())) => format!("{name}_used"),
            Some(Ok(_)) | None => name.to_owned(),
        };
        let mut unique = stem.clone();
        let mut k = 1;
        while !self.record_names.insert(unique.clone()) {
            k += 1;
            unique = format!("{stem}_{k}");
        }
        if let Some(Ok(gaps)) = gaps.filter(|gaps| gaps.as_ref().is_ok_and(|g| !g.is_empty())) {
            self.gaps.insert(unique.clone(), gaps);
        }
        // If pointers are values, the structure may have members that point to its own type: it is declared before
        // they are translated.
        let declared = match self.values {
            true => {
                let declared = self.program.declare_record(unique.clone());
                self.records.insert(s, Some(declared));
                Some(declared)
            }
            false => None,
        };
        let mut fields: Vec<(String, VarType)> = Vec::new();
        for member in &structure.members {
            let (elem, extents) = self.member_shape(&member.ty, &member.name, member.at)?;
            let ty = match elem {
                Elem::Arith(ty) => ty.scalar_type(),
                Elem::Struct(s) => self.record_type(s, at, depth)?,
                Elem::Pointer(..) => self.scalar_type(elem, at)?,
            };
            let shape = extents.into_iter().map(|n| Dim {
                lower: Expr::Int(0),
                extent: Extent::Fixed(Expr::Int(n)),
            });
            let shape = shape.collect();
            let order = Order::Row;
            fields.push((member.name.to_string(), VarType { ty, shape, order }));
        }
        Ok(match declared {
            Some(declared) => {
                self.program.fields(declared, fields);
                declared
            }
            None => self.program.record(unique, fields),
        })
    }

    /// The type of the elements of a member, and its extents.
    pub(super) fn member_shape(
        &mut self,
        ty: &Qualified,
        name: &str,
        at: Pos,
    ) -> Lowered<(Elem, Vec<i64>)> {
        let mut extents = Vec::new();
        let mut ty = ty;
        while let Type::Array(of, extent) = &ty.ty {
            let value = extent.and_then(|e| constant::integer(self.unit, e));
            let value = value.and_then(|(n, _)| i64::try_from(n).ok());
            let Some(value) = value.filter(|n| *n > 0) else {
                let message = format!("an extent of {name} is no positive constant");
                self.sink
                    .error(&codes::VALUE, at, message, "write a number");
                return Err(Failed);
            };
            extents.push(value);
            ty = of;
        }
        match self.elem(ty) {
            Some(elem) => Ok((elem, extents)),
            None if self.values => {
                let message = format!("the member {name} is a {}", ty.name());
                let help = match ty.target() {
                    Some(to) if to.ty == Type::Void => LEADS_TO_ONE,
                    _ => "use numbers, structures, and pointers to these",
                };
                self.sink.error(&codes::TYPE, at, message, help);
                Err(Failed)
            }
            None => Err(Failed),
        }
    }
}

impl Body<'_, '_> {
    /// Translates a structure that is no variable: the result of a call, an assignment, or a choice.
    pub(super) fn structure_value(&mut self, e: ExprId) -> Lowered<Path> {
        let unit = self.l.unit;
        let node = unit.expr(e);
        match &node.kind {
            ExprKind::Call(f, arguments) => match self.call_result(e, *f, arguments)? {
                Some((var, elem)) => Ok(whole_variable(var, elem)),
                None => Err(Failed),
            },
            ExprKind::Assign(None, target, value) => self.copy_structure(*target, *value, node.at),
            ExprKind::Inlined(inlined) => {
                self.lower_inlined(inlined);
                match inlined.value {
                    Some(value) => self.lower_path(value),
                    None => Err(Failed),
                }
            }
            ExprKind::Binary(Binary::Comma, a, b) => {
                self.lower_for_effects(*a)?;
                self.lower_path(*b)
            }
            ExprKind::Conditional(c, a, b) => {
                let Some(s) = unit.structure_of(e) else {
                    return Err(Failed);
                };
                let elem = Elem::Struct(s);
                let ty = self.l.scalar_type(elem, node.at)?;
                let condition = self.lower_condition(*c)?;
                let t = self.f.temporary(ty);
                self.set_span();
                self.f.begin_if(condition);
                let yes = self.store_structure(whole_variable(t, elem), *a);
                self.f.begin_else();
                let no = self.store_structure(whole_variable(t, elem), *b);
                self.f.end_if();
                yes.and(no)?;
                Ok(whole_variable(t, elem))
            }
            _ => self.error(
                &codes::TYPE,
                node.at,
                "this expression is a structure, which is not supported here",
                "assign it to a variable first",
            ),
        }
    }

    /// Assigns a structure; returns its place.
    pub(super) fn copy_structure(
        &mut self,
        target: ExprId,
        value: ExprId,
        at: Pos,
    ) -> Lowered<Path> {
        let unit = self.l.unit;
        if unit.structure_of(target) != unit.structure_of(value) {
            let message = "a structure is assigned something else";
            return self.error(&codes::OPERAND, at, message, "assign one of the same type");
        }
        self.unordered_target(target, value)?;
        let mut path = self.lower_target(target)?;
        if unit.expr(value).effects {
            path = self.settled_path(path);
        }
        self.store_structure(path.clone(), value)?;
        Ok(path)
    }

    /// Assigns a structure to a place.
    pub(super) fn store_structure(&mut self, target: Path, value: ExprId) -> Lowered<()> {
        let path = self.lower_path(value)?;
        if path.elem != target.elem || path.dims != target.dims {
            let at = self.l.unit.expr(value).at;
            let message = "a structure of another type is assigned";
            return self.error(&codes::OPERAND, at, message, "assign one of the same type");
        }
        self.assign(target.into_place(), Expr::Place(path.into_place()));
        Ok(())
    }

    /// Assigns the initial value of a structure or array; parts without a value become 0.
    pub(super) fn initial_parts(
        &mut self,
        target: &Path,
        d: DeclId,
        given: &[InitialPart],
    ) -> Lowered<()> {
        let unit = self.l.unit;
        self.unordered_parts(d, given)?;
        let ty = &unit.decl(d).ty;
        let all = braces::count(unit, ty);
        let is_part = all.is_none_or(|all| all > given.len() as i64);
        if is_part || self.checkpoints > 0 && matches!(target.elem, Elem::Arith(_)) {
            self.zero_path(target.clone())?;
        }
        for (steps, e) in given {
            let e = *e;
            let mut path = target.clone();
            path.subscripts.extend_from_slice(steps);
            if unit.structure_of(e).is_some() {
                let value = self.lower_path(e)?;
                self.assign(path.into_place(), Expr::Place(value.into_place()));
                continue;
            }
            let at = unit.expr(e).at;
            if let Some(elem) = self.pointer_at(ty, steps) {
                let value = self.pointer_value(e, elem)?;
                self.assign(path.into_place(), value);
                continue;
            }
            let part = braces::type_at(unit, ty, steps);
            let Some((to, width)) = part.and_then(|ty| Some((ty.arith()?, ty.width))) else {
                return Err(Failed);
            };
            let message = "a number is initialised with a pointer";
            let help = "initialise it with an element";
            let value = self.lower_number((e, Some(to)), (&codes::OPERAND, at), message, help)?;
            self.assign(path.into_place(), value.kept(width).convert(to).e);
        }
        Ok(())
    }

    /// Sets all numbers in a place to 0.
    pub(super) fn zero_path(&mut self, target: Path) -> Lowered<()> {
        self.set_bytes(target, 0, Pos::default())
    }

    /// Sets all bytes in a place; refuses other bytes than 0 for members that are not integers.
    pub(super) fn set_bytes(&mut self, target: Path, byte: u8, at: Pos) -> Lowered<()> {
        self.set_all(target, &mut |b, elem, is_bits| match elem {
            Elem::Arith(_) if is_bits && byte != 0 => {
                let message = "memset sets a bit-field, and not to 0";
                b.error(&codes::LIBRARY, at, message, "assign it")
            }
            Elem::Arith(ty) => match filled(ty, byte) {
                Some(value) => Ok(super::value::literal(value, ty)),
                None => {
                    let message = "memset sets something else than integers, and not to 0";
                    b.error(&codes::LIBRARY, at, message, "write a loop")
                }
            },
            Elem::Pointer(..) if byte != 0 => {
                let message = "memset sets pointers, and not to 0";
                b.error(&codes::LIBRARY, at, message, "write a loop")
            }
            Elem::Pointer(..) | Elem::Struct(_) => b.null_pointer(elem, at),
        })
    }

    /// Sets all numbers and pointers in a place. `value` gives the value for each, from its contents and the width of
    /// a bit-field.
    pub(super) fn set_all(
        &mut self,
        target: Path,
        value: &mut dyn FnMut(&mut Self, Elem, bool) -> Lowered<Expr>,
    ) -> Lowered<()> {
        let mut open = vec![(target, false)];
        while let Some((path, is_bits)) = open.pop() {
            let Elem::Struct(s) = path.elem else {
                let value = value(self, path.elem, is_bits)?;
                self.assign(path.into_place(), value);
                continue;
            };
            for member in self.l.unit.structure(s).members.iter().rev() {
                let (elem, _) = self.l.member_shape(&member.ty, &member.name, member.at)?;
                let mut part = path.clone();
                part.subscripts
                    .push(Subscript::Field(member.name.as_ref().into()));
                open.push((Path { elem, ..part }, member.ty.width.is_some()));
            }
        }
        Ok(())
    }
}

/// The number whose bytes are all `byte`.
fn filled(ty: Arith, byte: u8) -> Option<i128> {
    match ty {
        _ if byte == 0 => Some(0),
        Arith::Int(Int::Bool) => (byte == 1).then_some(1),
        Arith::Int(int) => Some(int.wrap(i128::from(u64::from_ne_bytes([byte; 8])))),
        Arith::Float | Arith::Double => None,
    }
}

/// The place of a variable that is no array.
pub(super) fn whole_variable(var: VarId, elem: Elem) -> Path {
    Path {
        var,
        subscripts: Vec::new(),
        elem,
        dims: 0,
        lower: 0,
        constant: false,
    }
}

/// The help for a message about an unsupported type; `other` if there is none in particular.
pub(super) fn way_out(message: &str, other: &'static str) -> &'static str {
    if message.contains("bit-field") {
        "give it at most 32 bits, or leave its width out: its values are the same as long as they fit into the width"
    } else if message.contains("complex number") {
        "use double _Complex or float _Complex"
    } else {
        other
    }
}
