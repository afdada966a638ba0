//! The prototypes of the functions of the C library, by which declarations in a file are recognised that are made without its headers.

use crate::{
    ast::{Decl, DeclKind},
    complex,
    preprocess::headers,
    types::{Parameter, Qualified, Signature, Type},
};
use std::{collections::BTreeMap, rc::Rc};

/// What a header declares.
struct Prototype {
    ty: Qualified,
    header: Rc<str>,
}

/// The functions of headers.
#[derive(Default)]
pub(crate) struct Prototypes(BTreeMap<Rc<str>, Prototype>);

impl Prototypes {
    /// The functions among declarations, which are in headers of these names.
    pub(crate) fn of(decls: Vec<Decl>, headers: &[String]) -> Self {
        let functions = (decls.into_iter()).filter(|d| d.kind == DeclKind::Function);
        let prototypes = functions.map(|decl| {
            let header = Rc::from(headers[decl.at.file as usize].as_str());
            let ty = decl.ty;
            (decl.name, Prototype { ty, header })
        });
        Self(prototypes.collect())
    }

    /// The names of the functions, in order.
    #[cfg(test)]
    pub(crate) fn names(&self) -> impl Iterator<Item = &Rc<str>> {
        self.0.keys()
    }

    /// The type of a function; none if the library has none of this name.
    pub(crate) fn get(&self, name: &str) -> Option<&Qualified> {
        self.0.get(name).map(|p| &p.ty)
    }

    /// The header that declares a function, in angle brackets.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let header = self.0.get(name).map(|p| &*p.header);
        header.filter(|header| *header != headers::ALL)
    }
}

/// The type of a function of the library, where a declaration in a file says the same, with or without its parameters.
pub(crate) fn agreed(own: &Qualified, library: &Qualified) -> Option<Qualified> {
    let (Type::Function(own_signature), Type::Function(signature)) = (&own.ty, &library.ty) else {
        return None;
    };
    if !own_signature.open {
        return is_same(own, library).then(|| own.clone());
    }
    // Before there was void, memory was one of characters.
    let bytes = own_signature.result.target().is_some() && signature.result.is_void_pointer();
    let same = bytes || is_same(&own_signature.result, &signature.result);
    // Arguments are not converted to what is not declared.
    let mut known = (**signature).clone();
    known.open = true;
    let ty = Type::Function(Rc::new(known));
    (same && !names_structure(library)).then(|| Qualified::plain(ty))
}

/// True of types that are one but for qualifiers, and for names and extents of parameters.
fn is_same(a: &Qualified, b: &Qualified) -> bool {
    // Declarators nest at most as deep as the parser lets them.
    match (&a.ty, &b.ty) {
        (Type::Arith(a), Type::Arith(b)) => a.scalar() == b.scalar(),
        (Type::Pointer(a), Type::Pointer(b)) => is_same(a, b),
        (Type::Function(a), Type::Function(b)) => {
            let alike = |(a, b): (&Parameter, &Parameter)| is_same(&a.ty, &b.ty);
            is_same(&a.result, &b.result)
                && a.variadic == b.variadic
                && a.parameters.len() == b.parameters.len()
                && a.parameters.iter().zip(&b.parameters).all(alike)
        }
        // The library's own, whose members nothing names, or complex numbers.
        (Type::Struct(_), Type::Struct(_)) => complex::part(&a.ty) == complex::part(&b.ty),
        (Type::Void, Type::Void) => true,
        _ => false,
    }
}

/// True if there is a structure in the type of a function.
fn names_structure(ty: &Qualified) -> bool {
    match &ty.ty {
        Type::Struct(_) => true,
        Type::Pointer(to) | Type::Array(to, _) => names_structure(to),
        Type::Function(signature) => {
            let Signature {
                result, parameters, ..
            } = &**signature;
            names_structure(result) || parameters.iter().any(|p| names_structure(&p.ty))
        }
        Type::Void | Type::Arith(_) | Type::Refused(_) => false,
    }
}
