//! The file's interface in the words of C: the heads of the functions to differentiate, and the types of globals that other files know.
//!
//! Emitted C keeps to this interface ([`cfg_core::ir::CHead`], [`CGlobal`]), although the translation changes types.
//! Therefore heads are noted before it, as types, and put into words when it is known which members of structures are
//! left out.

use crate::{
    ast::{DeclId, DeclKind, Unit},
    calls::holds_type,
    complex,
    constant::has_known_places,
    source::Sink,
    types::{Qualified, Signature, Type},
};
use cfg_core::ir::{CDeclaration, CGlobal};
use std::{collections::HashMap, rc::Rc};

/// The interface of a file as it was read.
#[derive(Debug, Default)]
pub(crate) struct Interface {
    heads: HashMap<usize, Head>,
    globals: HashMap<DeclId, CGlobal>,
    /// The reason why emitted C cannot take the place of the function to differentiate, if there is one: a static
    /// variable that other functions of the files use, too.
    pub(crate) unshared: Option<String>,
}

/// The head of a function.
#[derive(Debug)]
pub(crate) struct Head {
    pub(crate) result: CDeclaration,
    /// The parameters, including those that are left out later.
    pub(crate) parameters: Vec<Given>,
}

/// A parameter of a function.
#[derive(Debug)]
pub(crate) struct Given {
    pub(crate) decl: DeclId,
    declared: CDeclaration,
    is_pointer: bool,
}

impl Given {
    /// The declaration of the parameter. If the parameter is left out, its type says no more than how it is passed.
    pub(crate) fn declared(&self, left_out: bool) -> CDeclaration {
        let is_known = self.declared.as_ref().is_ok_and(|text| !text.contains('$'));
        if !left_out || is_known {
            return self.declared.clone();
        }
        if self.is_pointer {
            return Ok("void *@".to_owned());
        }
        let structure = |_| Err("it is a structure that is not used".to_owned());
        self.declared.clone().and_then(structure)
    }
}

/// The head of a function in types.
#[derive(Debug)]
pub(crate) struct Written {
    function: usize,
    signature: Rc<Signature>,
    parameters: Vec<DeclId>,
}

/// The heads of the functions with these numbers, with all parameters.
pub(crate) fn heads(unit: &Unit, read: &[usize]) -> Vec<Written> {
    let heads = read.iter().filter_map(|&function| {
        let f = &unit.functions[function];
        let Type::Function(signature) = &unit.decl(f.decl).ty.ty else {
            return None;
        };
        Some(Written {
            function,
            signature: Rc::clone(signature),
            parameters: f.parameters.clone(),
        })
    });
    heads.collect()
}

impl Interface {
    /// The interface of a file with these functions to differentiate.
    pub(crate) fn describe(
        unit: &Unit,
        heads: &[Written],
        unshared: Option<String>,
        sink: &Sink,
    ) -> Self {
        let heads = heads
            .iter()
            .map(|written| (written.function, head(unit, written)));
        let decls = (0..unit.decls.len()).map(|k| DeclId(k as u32));
        let globals = decls.filter_map(|d| {
            let decl = unit.decl(d);
            let known = decl.kind == DeclKind::Global && !decl.internal;
            let variable = !matches!(decl.ty.ty, Type::Function(_)) && !sink.is_header(decl.at);
            let declared = || match unchanging(&decl.ty) && !decl.external {
                // A constant with known values needs no declaration: no other file changes it.
                true => None,
                false => Some(CGlobal {
                    name: decl.name.to_string(),
                    declared: numbers(unit, decl.ty.element()).map(|text| {
                        let is_array = matches!(decl.ty.ty, Type::Array(..));
                        text + if is_array { "#" } else { "" }
                    }),
                }),
            };
            Some((d, declared().filter(|_| known && variable)?))
        });
        Self {
            heads: heads.collect(),
            globals: globals.collect(),
            unshared,
        }
    }

    /// Refuses parameters `void *` for which a type has been found that leads to structures with another layout in
    /// emitted C.
    pub(crate) fn give_types(&mut self, unit: &Unit, functions: &[usize]) {
        for function in functions {
            let parameters = self
                .heads
                .get_mut(function)
                .map(|head| &mut head.parameters);
            for given in parameters.into_iter().flatten() {
                let ty = &unit.decl(given.decl).ty;
                let is_void = given
                    .declared
                    .as_ref()
                    .is_ok_and(|text| text.contains("void *"));
                if is_void && let Err(why) = parameter(unit, ty) {
                    given.declared = Err(why);
                }
            }
        }
    }

    /// The head of a function to differentiate.
    pub(crate) fn head(&self, function: usize) -> Option<&Head> {
        self.heads.get(&function)
    }

    /// The declaration of a variable that other files may change.
    pub(crate) fn global(&self, d: DeclId) -> Option<&CGlobal> {
        self.globals.get(&d)
    }
}

/// True of a type that is `const` down to its elements.
fn unchanging(ty: &Qualified) -> bool {
    let mut ty = ty;
    while let (false, Type::Array(of, _)) = (ty.constant, &ty.ty) {
        ty = of;
    }
    ty.constant
}

fn head(unit: &Unit, written: &Written) -> Head {
    let signature = &written.signature;
    let parameters = written.parameters.iter().map(|&decl| {
        let ty = &unit.decl(decl).ty;
        Given {
            decl,
            declared: match unit.promoted.contains(&decl) {
                true => Err("its callers pass it as `double` or `int`, as a definition in the old style has it".to_owned()),
                false => parameter(unit, ty),
            },
            is_pointer: matches!(ty.ty, Type::Pointer(_)),
        }
    });
    Head {
        result: match (&signature.result.ty, signature.variadic) {
            (_, true) => Err("it takes any number of arguments".to_owned()),
            (Type::Void, false) => Ok("void @".to_owned()),
            (Type::Pointer(to), false) if to.arith().is_some() => {
                parameter(unit, &signature.result)
            }
            (_, false) => value(unit, &signature.result),
        },
        parameters: parameters.collect(),
    }
}

/// A parameter.
fn parameter(unit: &Unit, ty: &Qualified) -> CDeclaration {
    let Type::Pointer(to) = &ty.ty else {
        return value(unit, ty);
    };
    let element = to.element();
    let restrict = if ty.restrict { "restrict " } else { "" };
    let base = match &element.ty {
        Type::Arith(_) if element.long_double => {
            return Err("it leads to long double, which is computed as double".to_owned());
        }
        Type::Arith(arith) => arith.name(),
        Type::Struct(_) => {
            numbers(unit, element)?;
            "$"
        }
        Type::Void => "void",
        Type::Pointer(_) => return Err("it is a pointer to pointers".to_owned()),
        Type::Array(..) | Type::Function(_) | Type::Refused(_) => {
            return Err(format!("it is a pointer to a {}", element.name()));
        }
    };
    let base = format!("{}{base}", qualifiers(element));
    Ok(match matches!(to.ty, Type::Array(..)) {
        true => format!("{base} (*{restrict}@)#"),
        false => format!("{base} *{restrict}@"),
    })
}

/// The declaration of a value that is passed or returned.
fn value(unit: &Unit, ty: &Qualified) -> CDeclaration {
    match &ty.ty {
        Type::Arith(_) if ty.long_double => Ok("long double @".to_owned()),
        Type::Arith(arith) => Ok(format!("{} @", arith.name())),
        // The way in which a structure is passed depends on all of its members.
        Type::Struct(_) => match lacks_members(unit, ty) {
            true => Err("it has members that are not used".to_owned()),
            false => numbers(unit, ty),
        },
        Type::Void | Type::Pointer(_) | Type::Array(..) | Type::Function(_) | Type::Refused(_) => {
            Err(format!("it is a {}", ty.name()))
        }
    }
}

fn qualifiers(ty: &Qualified) -> String {
    let constant = if ty.constant { "const " } else { "" };
    let volatile = if ty.volatile { "volatile " } else { "" };
    format!("{constant}{volatile}")
}

/// True of a structure with members left out, directly or in inner structures.
fn lacks_members(unit: &Unit, ty: &Qualified) -> bool {
    holds_type(
        unit,
        ty,
        |ty| matches!(ty, Type::Struct(s) if unit.structure(*s).declared.is_some()),
    )
}

/// The declaration of a number, or a structure of numbers, in memory. Members that are left out keep their places.
fn numbers(unit: &Unit, ty: &Qualified) -> CDeclaration {
    let mut open = vec![ty];
    let mut seen = std::collections::HashSet::new();
    while let Some(ty) = open.pop() {
        match &ty.ty {
            Type::Arith(_) if ty.long_double => {
                return Err("it has long double in it, which is computed as double".to_owned());
            }
            Type::Arith(_) if ty.width.is_some() => {
                return Err("it has bit-fields in it".to_owned());
            }
            Type::Arith(_) => {}
            Type::Array(of, _) => open.push(of),
            Type::Struct(s) if complex::words(*s).is_some() => {
                return Err("it is, or has in it, a complex number, which is a structure of two numbers here".to_owned());
            }
            Type::Struct(s) if seen.insert(*s) => {
                let structure = unit.structure(*s);
                if structure.assigned {
                    return Err("members of it are assigned that are not read".to_owned());
                }
                if structure.declared.is_some() && structure.copied {
                    return Err("it is copied, with members that are not read".to_owned());
                }
                if structure.packed || structure.declared.is_some() && !has_known_places(unit, *s) {
                    return Err("the places of its members are not known".to_owned());
                }
                open.extend(unit.structure(*s).members.iter().map(|m| &m.ty));
            }
            Type::Struct(_) => {}
            Type::Void | Type::Pointer(_) | Type::Function(_) | Type::Refused(_) => {
                return Err(format!("it has a {} in it", ty.name()));
            }
        }
    }
    let base = ty.arith().map_or("$", |arith| arith.name());
    Ok(format!("{}{base} @", qualifiers(ty)))
}
