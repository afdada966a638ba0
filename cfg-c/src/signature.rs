//! The function to differentiate as its file declares it, for callers of the original.

use crate::{
    ast::{Decl, DeclKind, ExprKind, StructId, Unit},
    complex,
    reach::Reached,
    source::{self, Pos},
    structures,
    types::{Qualified, Type},
};
use cfg_core::ir::ScalarType;
use std::{
    collections::{BTreeMap, HashMap},
    rc::Rc,
};

/// A function as its file declares it.
#[derive(Clone, Debug, PartialEq)]
pub struct Signature {
    /// The name of the function.
    pub name: String,
    /// The name of the file that defines it.
    pub file: String,
    /// The type of the result.
    pub result: CType,
    /// A function, passed by the caller, for which a pragma or an option has named one of the file.
    pub callback: Option<String>,
    /// The parameters in order, arrays as pointers.
    pub parameters: Vec<CParameter>,
    /// The variables of the file by name, including those that are only declared.
    pub globals: BTreeMap<String, CGlobal>,
    /// The structures of the file, by the numbers in [`CType::Structure`].
    pub structures: Vec<CStructure>,
}

/// A type.
#[derive(Clone, Debug, PartialEq)]
pub enum CType {
    /// An arithmetic type: its words in C, and its type in the representation.
    Number(&'static str, ScalarType),
    /// A pointer to a type.
    Pointer(Box<CType>),
    /// An array of elements of a type.
    Array(Box<CType>),
    /// A structure, by its number.
    Structure(usize),
    /// `void`, a function, a union and the like, in words.
    Other(String),
}

/// A parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct CParameter {
    /// The name, if there is one.
    pub name: Option<String>,
    /// The type.
    pub ty: CType,
    /// True if the function names the parameter.
    pub used: bool,
    /// True if the function writes a text through the parameter, such as an error message, that is left out.
    pub is_message: bool,
}

impl Signature {
    /// Gives pointers to void the types that were found for them, in parameters of the function with this number and
    /// in members.
    pub(crate) fn give_types(&mut self, unit: &Unit, function: usize) {
        let is_void = |ty: &CType| match ty {
            CType::Pointer(to) => matches!(&**to, CType::Other(what) if what == "void"),
            CType::Number(..) | CType::Array(_) | CType::Structure(_) | CType::Other(_) => false,
        };
        let named = |(name, ty): (&Rc<str>, &Qualified)| (name.to_string(), c_type(ty));
        let own = unit.functions[function].parameters.iter();
        let own = own.map(|d| (&unit.decl(*d).name, &unit.decl(*d).ty));
        let own: HashMap<String, CType> = own.map(named).collect();
        for p in self.parameters.iter_mut().filter(|p| is_void(&p.ty)) {
            if let Some(ty) = p.name.as_ref().and_then(|name| own.get(name)) {
                p.ty = ty.clone();
            }
        }
        for (structure, of) in self.structures.iter_mut().zip(&unit.structures) {
            if !structure.members.iter().any(|(_, ty)| is_void(ty)) {
                continue;
            }
            let own = structures::flatten_members(unit, &of.members);
            let own: HashMap<String, CType> = own.iter().map(|m| named((&m.name, &m.ty))).collect();
            for (name, ty) in structure.members.iter_mut().filter(|(_, ty)| is_void(ty)) {
                if let Some(given) = own.get(name) {
                    *ty = given.clone();
                }
            }
        }
    }

    /// Marks the parameters by which texts are left out.
    pub(crate) fn mark_messages<'n>(&mut self, names: impl Iterator<Item = &'n str>) {
        for name in names {
            let own = self.parameters.iter_mut();
            own.filter(|p| p.name.as_deref() == Some(name))
                .for_each(|p| p.is_message = true);
        }
    }
}

/// A variable of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct CGlobal {
    /// The type.
    pub ty: CType,
    /// The name of the file or header that defines the variable, or declares it if none defines it.
    pub file: String,
    /// True if the variable is declared, and not defined.
    pub external: bool,
    /// True if the variable is `const`.
    pub constant: bool,
}

/// A structure.
#[derive(Clone, Debug, PartialEq)]
pub struct CStructure {
    /// The words that name the structure, `struct point` or `point`; `None` for one with neither a tag nor a
    /// `typedef`.
    pub name: Option<String>,
    /// The name of the file or header that declares the members.
    pub file: String,
    /// True if the declaration is inside of a function, where nothing else can name the structure.
    pub inside: bool,
    /// True if the function's file cannot name the structure, since another file, or a header of other files,
    /// declares it.
    pub elsewhere: bool,
    /// True if the structure is a complex number, whose members are its parts.
    pub complex: bool,
    /// The members, including those of anonymous structures and unions inside.
    pub members: Vec<(String, CType)>,
}

/// The signature of a function of a file that was parsed.
pub(crate) fn signature(
    unit: &Unit,
    function: usize,
    read: &Reached,
    files: &[String],
) -> Option<Signature> {
    let function = &unit.functions[function];
    let decl = unit.decl(function.decl);
    let Type::Function(signature) = &decl.ty.ty else {
        return None;
    };
    let part = function.part.start as usize..function.part.end as usize;
    let names = |d| {
        let body = unit.exprs[part.clone()].iter();
        body.into_iter()
            .any(|e| matches!(e.kind, ExprKind::Name(other) if other == d))
    };
    let parameters = signature.parameters.iter().map(|p| CParameter {
        name: p.name.as_ref().map(ToString::to_string),
        ty: c_type(&p.ty),
        used: p.decl.is_some_and(names),
        is_message: false,
    });
    let file_name = |at: Pos| {
        let name = files.get(at.file as usize);
        name.cloned().unwrap_or_default()
    };
    let mut globals: BTreeMap<String, CGlobal> = BTreeMap::new();
    // The variable behind `errno` is not one of the file.
    let is_header = |d: &Decl| source::is_header(&file_name(d.at));
    let globals_of_file =
        (unit.decls.iter()).filter(|d| d.kind == DeclKind::Global && !is_header(d));
    for d in globals_of_file {
        // A variable may be declared several times, in blocks, too; a definition replaces a mere declaration.
        let known = globals.get(&*d.name);
        if known.is_none_or(|known| known.external) {
            let global = CGlobal {
                ty: c_type(&d.ty),
                file: file_name(d.at),
                external: d.external,
                constant: d.ty.element().constant,
            };
            globals.insert(d.name.to_string(), global);
        }
    }
    let structures = unit.structures.iter().enumerate();
    let structures = structures.map(|(k, s)| CStructure {
        elsewhere: complex::words(StructId(k as u32)).is_none() && !read.is_known(s),
        name: s.name.as_ref().map(|name| match s.tagged {
            true if s.union => format!("union {name}"),
            true => format!("struct {name}"),
            false => complex::words(StructId(k as u32))
                .unwrap_or(name)
                .to_owned(),
        }),
        file: file_name(s.at),
        inside: s.inside,
        complex: complex::words(StructId(k as u32)).is_some(),
        members: (structures::flatten_members(unit, &s.members).iter())
            .map(|m| match m.ty.ty {
                // A flexible array member is not set by itself: its memory belongs to the structure.
                Type::Array(_, None) => (m.name.to_string(), CType::Other(m.ty.name())),
                _ => (m.name.to_string(), c_type(&m.ty)),
            })
            .collect(),
    });
    Some(Signature {
        name: decl.name.to_string(),
        file: file_name(function.from),
        result: c_type(&signature.result),
        callback: unit.callback.as_ref().map(ToString::to_string),
        parameters: parameters.collect(),
        globals,
        structures: structures.collect(),
    })
}

/// Converts a type. Recursion is bounded by the parser's limit on nesting.
fn c_type(ty: &Qualified) -> CType {
    match &ty.ty {
        Type::Arith(number) if ty.long_double => CType::Number("long double", number.scalar_type()),
        Type::Arith(number) => CType::Number(number.name(), number.scalar_type()),
        Type::Pointer(to) => CType::Pointer(Box::new(c_type(to))),
        Type::Array(of, _) => CType::Array(Box::new(c_type(of))),
        Type::Struct(s) => CType::Structure(s.index()),
        Type::Void | Type::Function(_) | Type::Refused(_) => CType::Other(ty.name()),
    }
}
