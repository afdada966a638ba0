//! The prototypes of the functions of the C library. A file may declare such a function itself, without a header: it
//! is recognised by its prototype.

use crate::{
    ast::{Decl, DeclKind},
    complex,
    preprocess::headers,
    types::{Parameter, Qualified, Signature, Type},
};
use std::{collections::BTreeMap, rc::Rc};

/// The declaration of a function in a header.
struct Prototype {
    ty: Qualified,
    header: Rc<str>,
}

/// The functions of headers.
#[derive(Default)]
pub(crate) struct Prototypes(BTreeMap<Rc<str>, Prototype>);

impl Prototypes {
    /// The functions among declarations. `headers` has the name of each file that the positions refer to.
    pub(crate) fn from_declarations(decls: Vec<Decl>, headers: &[String]) -> Self {
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

    /// The type of a function; `None` if the library has no function of this name.
    pub(crate) fn get(&self, name: &str) -> Option<&Qualified> {
        self.0.get(name).map(|p| &p.ty)
    }

    /// The header that declares a function, in angle brackets.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let header = self.0.get(name).map(|p| &*p.header);
        header.filter(|header| *header != headers::ALL)
    }
}

/// The type of a function of the library, if the declaration in a file agrees with it, with or without parameters.
pub(crate) fn agreed(own: &Qualified, library: &Qualified) -> Option<Qualified> {
    let (Type::Function(own_signature), Type::Function(signature)) = (&own.ty, &library.ty) else {
        return None;
    };
    if !own_signature.open {
        return is_same(own, library).then(|| own.clone());
    }
    // In C before `void`, malloc and its like returned `char *`.
    let bytes = own_signature.result.target().is_some() && signature.result.is_void_pointer();
    let same = bytes || is_same(&own_signature.result, &signature.result);
    // Without declared parameters, C does not convert arguments.
    let mut known = (**signature).clone();
    known.open = true;
    let ty = Type::Function(Rc::new(known));
    (same && !names_structure(library)).then(|| Qualified::unqualified(ty))
}

/// True of types that are equal up to qualifiers, and up to names and extents of parameters.
fn is_same(a: &Qualified, b: &Qualified) -> bool {
    // Declarators nest at most as deep as the parser lets them.
    match (&a.ty, &b.ty) {
        (Type::Arith(a), Type::Arith(b)) => a.scalar_type() == b.scalar_type(),
        (Type::Pointer(a), Type::Pointer(b)) => is_same(a, b),
        (Type::Function(a), Type::Function(b)) => {
            let alike = |(a, b): (&Parameter, &Parameter)| is_same(&a.ty, &b.ty);
            is_same(&a.result, &b.result)
                && a.variadic == b.variadic
                && a.parameters.len() == b.parameters.len()
                && a.parameters.iter().zip(&b.parameters).all(alike)
        }
        // Structures of the library, whose members nothing names, are all alike; complex numbers must have the same
        // parts.
        (Type::Struct(_), Type::Struct(_)) => {
            complex::part_type(&a.ty) == complex::part_type(&b.ty)
        }
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
