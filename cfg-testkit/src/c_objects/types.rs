//! Types: scalars, arrays and structures of them, and their leaves.

use super::Writer;
use std::fmt::Write as _;

/// The arithmetic types that leaves have.
pub(super) const SCALARS: [&str; 13] = [
    "double",
    "double",
    "float",
    "int",
    "char",
    "signed char",
    "unsigned char",
    "short",
    "unsigned short",
    "unsigned",
    "long",
    "long long",
    "_Bool",
];

#[derive(Clone, Debug)]
pub(super) enum Ty {
    Scalar(&'static str),
    Array(Box<Self>, usize),
    /// A structure, by its number.
    Struct(usize),
}

#[derive(Clone, Debug)]
pub(super) struct Structure {
    pub(super) name: String,
    pub(super) members: Vec<(String, Ty)>,
}

impl Ty {
    pub(super) fn array(of: Self, n: usize) -> Self {
        Self::Array(Box::new(of), n)
    }

    /// True of arrays that a text may be the initial value of.
    pub(super) fn is_text(&self) -> bool {
        matches!(self, Self::Array(of, _) if matches!(**of, Self::Scalar("char" | "signed char" | "unsigned char")))
    }
}

impl Writer<'_> {
    /// The parts of an array or structure, with what leads to each.
    pub(super) fn parts(&self, ty: &Ty) -> Vec<(String, Ty)> {
        match ty {
            Ty::Scalar(_) => Vec::new(),
            Ty::Array(of, n) => (0..*n)
                .map(|k| (format!("[{k}]"), (**of).clone()))
                .collect(),
            Ty::Struct(s) => {
                let members = self.structures[*s].members.iter();
                members
                    .map(|(name, ty)| (format!(".{name}"), ty.clone()))
                    .collect()
            }
        }
    }

    /// The number of leaves of a type.
    pub(super) fn size(&self, ty: &Ty) -> usize {
        match ty {
            Ty::Scalar(_) => 1,
            Ty::Array(of, n) => n * self.size(of),
            Ty::Struct(s) => {
                let members = self.structures[*s].members.iter();
                members.map(|(_, ty)| self.size(ty)).sum()
            }
        }
    }

    /// The designators of each leaf, and its type.
    pub(super) fn leaves(&self, ty: &Ty) -> Vec<(String, &'static str)> {
        match ty {
            Ty::Scalar(name) => vec![(String::new(), name)],
            Ty::Array(..) | Ty::Struct(_) => {
                let mut all = Vec::new();
                for (step, part) in self.parts(ty) {
                    let inner = self.leaves(&part).into_iter();
                    all.extend(inner.map(|(rest, ty)| (format!("{step}{rest}"), ty)));
                }
                all
            }
        }
    }

    /// A declaration of a name; of an array, the first extent may be left out.
    pub(super) fn declarator(&self, ty: &Ty, name: &str, open: bool) -> String {
        let mut extents = String::new();
        let mut inner = ty;
        while let Ty::Array(of, n) = inner {
            match open && extents.is_empty() {
                true => extents.push_str("[]"),
                false => {
                    let _ = write!(extents, "[{n}]");
                }
            }
            inner = of;
        }
        let base = match inner {
            Ty::Struct(s) => &self.structures[*s].name,
            Ty::Scalar(name) => *name,
            Ty::Array(..) => "",
        };
        let space = if name.is_empty() { "" } else { " " };
        format!("{base}{space}{name}{extents}")
    }

    pub(super) fn scalar(&mut self) -> &'static str {
        SCALARS[self.rng.below(SCALARS.len())]
    }

    /// A type for an object, with no more leaves than can be looked at.
    pub(super) fn draw(&mut self) -> Ty {
        for _ in 0..20 {
            let ty = self.draw_part(2);
            if self.size(&ty) <= 30 && !matches!(ty, Ty::Scalar(_)) {
                return ty;
            }
        }
        Ty::array(Ty::Scalar("double"), 3)
    }

    fn draw_part(&mut self, depth: usize) -> Ty {
        let structures = self.structures.len();
        match self.rng.below(10) {
            0..=3 if structures > 0 => Ty::Struct(self.rng.below(structures)),
            4..=7 if depth > 0 => {
                let n = 1 + self.rng.below(4);
                Ty::array(self.draw_part(depth - 1), n)
            }
            8 => Ty::array(Ty::Scalar("char"), 2 + self.rng.below(4)),
            _ => Ty::Scalar(self.scalar()),
        }
    }

    /// Structures, each made of those before it, with functions that return and take them.
    pub(super) fn draw_structures(&mut self) {
        for _ in 0..1 + self.rng.below(4) {
            let name = self.shared("S");
            let mut members = Vec::new();
            for k in 0..1 + self.rng.below(4) {
                let ty = self.draw_part(2);
                let own = Structure {
                    name: String::new(),
                    members: members.clone(),
                };
                let before: usize = own.members.iter().map(|(_, ty)| self.size(ty)).sum();
                if before + self.size(&ty) > 20 {
                    break;
                }
                members.push((format!("m{k}"), ty));
            }
            if members.is_empty() {
                members.push(("m0".to_owned(), Ty::Scalar("int")));
            }
            let fields = members
                .iter()
                .map(|(m, ty)| format!("{}; ", self.declarator(ty, m, false)));
            let fields: String = fields.collect();
            let _ = writeln!(self.outside, "typedef struct {{ {fields}}} {name};");
            self.structures.push(Structure { name, members });
            self.functions(self.structures.len() - 1);
        }
    }

    /// A function that makes a structure, and one that takes it.
    fn functions(&mut self, s: usize) {
        let name = self.structures[s].name.clone();
        let ty = Ty::Struct(s);
        let leaves = self.leaves(&ty);
        let (last, kind) = leaves[leaves.len() - 1].clone();
        let sum: String = (1..)
            .zip(&leaves)
            .map(|(k, (path, _))| format!(" + {k} * (double)p{path}"))
            .collect();
        let value = if matches!(kind, "double" | "float") {
            "v"
        } else {
            "3"
        };
        let list = self.list(&ty, super::Place::Kept);
        let _ = write!(
            self.outside,
            "static {name} {name}_make(double v)\n{{\n    {name} made = {list};\n    made{last} = {value};\n    return made;\n}}\n\
             static double {name}_sum({name} p)\n{{\n    return 0.0{sum};\n}}\n"
        );
    }
}
