//! Comparison of two programs up to the order of declarations, vertices and edges, and up to names and ids that a
//! transformation made. The first difference is reported.
//!
//! An item with an origin (`routine.origin`, `variable.origin`, `vertex.origin`) was generated, and may have another
//! name in the other program; all other items are paired by name or id. Generated routines and globals are paired
//! where they are used, generated variables where parameters, statements and tests name them, vertices and edges by
//! walking both graphs from ENTRY along edges of the same label. Annotations count.
//!
//! ```
//! use cfg_core::builder::{ProgramBuilder, RoutineBuilder, expr::*};
//! use cfg_core::ir::ScalarType::Real;
//! use cfg_testkit::same::same;
//!
//! let square = |exponent: i64| {
//!     let mut f = RoutineBuilder::new("f");
//!     let (x, y) = (f.input("x", Real), f.output("y", Real));
//!     f.assign(y, pow(x, exponent));
//!     let mut program = ProgramBuilder::new();
//!     program.add(f);
//!     program.finish().expect("the builder is used right").into_program()
//! };
//! assert_eq!(same(&square(2), &square(2)), Ok(()));
//! let difference = same(&square(2), &square(3)).expect_err("another exponent");
//! assert_eq!(difference.to_string(), "routine f, vertex 2, statement 1: `y := x**2` against `y := x**3`");
//! ```

mod body;

use cfg_core::entity::{GlobalId, RoutineId, VarId};
use cfg_core::ir::{
    Dim, Expr, Extent, Global, NameOrigin, NameRole, Place, Program, Role, Routine, Subscript,
    Variable,
};
use std::collections::HashMap;
use std::fmt::Debug;

/// The first thing in which two programs differ.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{at}: {a} against {b}")]
pub struct Difference {
    /// The place in the first program: routine, vertex, statement.
    pub at: String,
    /// The item there in the first program.
    pub a: String,
    /// The item there in the second.
    pub b: String,
}

/// Compares two programs. Spans in their sources are not compared: they mean nothing.
///
/// # Errors
/// The first difference, in the order of the first program's routines.
pub fn same(a: &Program, b: &Program) -> Result<(), Difference> {
    let mut comparison = Comparison {
        a,
        b,
        routines: Pairs::default(),
        globals: Pairs::default(),
        todo: Vec::new(),
    };
    comparison.run()
}

/// A one-to-one relation that grows.
#[derive(Default)]
struct Pairs {
    there: HashMap<usize, usize>,
    back: HashMap<usize, usize>,
}

impl Pairs {
    /// True if the two are, or become, a pair; the flag tells whether they were none before.
    fn bind(&mut self, a: usize, b: usize) -> (bool, bool) {
        match (self.there.get(&a), self.back.get(&b)) {
            (None, None) => {
                self.there.insert(a, b);
                self.back.insert(b, a);
                (true, true)
            }
            (Some(&other), _) => (other == b, false),
            (None, Some(_)) => (false, false),
        }
    }
}

fn differ<T>(at: impl Into<String>, a: impl Debug, b: impl Debug) -> Result<T, Difference> {
    Err(Difference {
        at: at.into(),
        a: format!("{a:?}"),
        b: format!("{b:?}"),
    })
}

/// Requires that two descriptions are equal.
fn equal<T: PartialEq + Debug>(
    at: impl FnOnce() -> String,
    a: &T,
    b: &T,
) -> Result<(), Difference> {
    match a == b {
        true => Ok(()),
        false => differ(at(), a, b),
    }
}

type Origin = Option<Box<NameOrigin>>;

/// The role of an item relative to its original; names in it may be generated ones, so they are not compared as
/// texts.
fn role(origin: &Origin) -> Option<&NameRole> {
    origin.as_ref().map(|o| &o.role)
}

struct Comparison<'p> {
    a: &'p Program,
    b: &'p Program,
    routines: Pairs,
    globals: Pairs,
    /// Pairs of routines that were not compared yet.
    todo: Vec<(RoutineId, RoutineId)>,
}

impl<'p> Comparison<'p> {
    fn run(&mut self) -> Result<(), Difference> {
        let (a, b) = (self.a, self.b);
        let program = || "program".to_owned();
        equal(program, &a.annotations, &b.annotations)?;
        equal(
            || "number of routines".to_owned(),
            &a.routines.len(),
            &b.routines.len(),
        )?;
        equal(
            || "number of globals".to_owned(),
            &a.globals.len(),
            &b.globals.len(),
        )?;
        let own = |g: &Global| g.variable.origin.is_none();
        for (k, global) in a.globals.iter().enumerate().filter(|(_, g)| own(g)) {
            let name = &global.variable.name;
            match b
                .globals
                .iter()
                .position(|g| own(g) && g.variable.name == *name)
            {
                Some(there) => self.global(GlobalId::new(k), GlobalId::new(there))?,
                None => return differ("globals", name, "no such global"),
            }
        }
        match (a.main, b.main) {
            (Some(r), Some(s)) => self.routine(r, s)?,
            (r, s) => equal(|| "main routine".to_owned(), &r.is_some(), &s.is_some())?,
        }
        for (k, routine) in a.routines.iter().enumerate() {
            let generated = routine.origin.is_some();
            if generated {
                continue;
            }
            match b.find_routine(&routine.name) {
                Some(s) => self.routine(RoutineId::new(k), s)?,
                None => return differ("routines", &routine.name, "no such routine"),
            }
        }
        self.drain()?;
        // Generated routines that nothing calls are paired by their originals; then those that alone are left of
        // their kind.
        for by_original in [true, false] {
            for (k, routine) in a.routines.iter().enumerate() {
                if self.routines.there.contains_key(&k) {
                    continue;
                }
                let alike = |(s, other): &(usize, &Routine)| {
                    !self.routines.back.contains_key(s)
                        && role(&other.origin) == role(&routine.origin)
                        && (!by_original || self.of_the_same(&routine.origin, &other.origin))
                };
                let mut found = b.routines.iter().enumerate().filter(alike);
                match (found.next(), found.next()) {
                    (Some((s, _)), None) => {
                        self.routine(RoutineId::new(k), RoutineId::new(s))?;
                        self.drain()?;
                    }
                    _ if by_original => {}
                    (first, _) => {
                        let left = ["none", "several routines of its kind"];
                        return differ(
                            "routines",
                            &routine.name,
                            left[usize::from(first.is_some())],
                        );
                    }
                }
            }
        }
        self.left_globals()
    }

    /// True if two routines were made of the same one: by its name, or of a pair.
    fn of_the_same(&self, r: &Origin, s: &Origin) -> bool {
        let (Some(r), Some(s)) = (r, s) else {
            return false;
        };
        let paired =
            |r: RoutineId, s: RoutineId| self.routines.there.get(&r.index()) == Some(&s.index());
        match (self.a.find_routine(&r.of), self.b.find_routine(&s.of)) {
            (Some(r), Some(s)) => paired(r, s),
            _ => r.of == s.of,
        }
    }

    fn drain(&mut self) -> Result<(), Difference> {
        while let Some((r, s)) = self.todo.pop() {
            body::compare(self, r, s)?;
        }
        Ok(())
    }

    /// Globals that no routine names.
    fn left_globals(&mut self) -> Result<(), Difference> {
        for k in 0..self.a.globals.len() {
            if self.globals.there.contains_key(&k) {
                continue;
            }
            let global = &self.a.globals[k];
            let alike = |(s, other): &(usize, &Global)| {
                let (x, y) = (&global.variable, &other.variable);
                !self.globals.back.contains_key(s)
                    && role(&y.origin) == role(&x.origin)
                    && (x.name == y.name || x.origin.is_some() && x.origin == y.origin)
            };
            match self.b.globals.iter().enumerate().find(alike) {
                Some((s, _)) => self.global(GlobalId::new(k), GlobalId::new(s))?,
                None => return differ("globals", &global.variable.name, "no such global"),
            }
        }
        Ok(())
    }

    /// Pairs two routines, to be compared later.
    fn routine(&mut self, r: RoutineId, s: RoutineId) -> Result<(), Difference> {
        let (pair, new) = self.routines.bind(r.index(), s.index());
        if !pair {
            return differ("routines", &self.a.routine(r).name, &self.b.routine(s).name);
        }
        if new {
            self.todo.push((r, s));
        }
        Ok(())
    }

    /// Pairs two globals and compares them.
    fn global(&mut self, g: GlobalId, h: GlobalId) -> Result<(), Difference> {
        let (x, y) = (self.a.global(g), self.b.global(h));
        let at = || format!("global {}", x.variable.name);
        let (pair, new) = self.globals.bind(g.index(), h.index());
        if !pair {
            return differ(at(), &x.variable.name, &y.variable.name);
        }
        if !new {
            return Ok(());
        }
        header(at, &x.variable, &y.variable)?;
        // Shapes and values of globals name no variables.
        equal(
            at,
            &format!("{:?}", x.variable.shape),
            &format!("{:?}", y.variable.shape),
        )?;
        equal(at, &format!("{:?}", x.initial), &format!("{:?}", y.initial))?;
        match (x.overlay, y.overlay) {
            (Some(o), Some(p)) => {
                equal(at, &o.offset, &p.offset)?;
                self.global(o.base, p.base)
            }
            (o, p) => equal(at, &o.is_some(), &p.is_some()),
        }
    }
}

/// All of a variable but its shape; the name only if nobody generated it.
fn header(at: impl Fn() -> String, x: &Variable, y: &Variable) -> Result<(), Difference> {
    equal(&at, &role(&x.origin), &role(&y.origin))?;
    if x.origin.is_none() {
        equal(&at, &x.name, &y.name)?;
    }
    equal(&at, &x.ty, &y.ty)?;
    equal(&at, &x.order, &y.order)?;
    equal(&at, &x.annotations, &y.annotations)?;
    match (x.role, y.role) {
        (Role::Global(_), Role::Global(_)) => Ok(()),
        (r, s) => equal(&at, &r, &s),
    }
}

/// The variables of two routines, paired as they are met.
#[derive(Default)]
struct Variables {
    pairs: Pairs,
    /// Pairs whose declarations were not compared yet.
    todo: Vec<(VarId, VarId)>,
}

impl Variables {
    fn bind(&mut self, v: VarId, w: VarId) -> bool {
        let (pair, new) = self.pairs.bind(v.index(), w.index());
        if new {
            self.todo.push((v, w));
        }
        pair
    }

    fn exprs(&mut self, a: &Expr, b: &Expr) -> bool {
        match (a, b) {
            (Expr::Int(a), Expr::Int(b)) => a == b,
            (Expr::Real(a), Expr::Real(b)) => a.to_bits() == b.to_bits(),
            (Expr::Real32(a), Expr::Real32(b)) => a.to_bits() == b.to_bits(),
            (Expr::Logical(a), Expr::Logical(b)) => a == b,
            (Expr::Place(a), Expr::Place(b)) | (Expr::Addr(a), Expr::Addr(b)) => self.places(a, b),
            (Expr::Null(a), Expr::Null(b)) => a == b,
            (Expr::Op(f, a), Expr::Op(g, b)) => {
                f == g && a.len() == b.len() && a.iter().zip(b).all(|(a, b)| self.exprs(a, b))
            }
            (
                Expr::Int(_)
                | Expr::Real(_)
                | Expr::Real32(_)
                | Expr::Logical(_)
                | Expr::Place(_)
                | Expr::Op(..)
                | Expr::Null(_)
                | Expr::Addr(_),
                _,
            ) => false,
        }
    }

    fn options(&mut self, a: Option<&Expr>, b: Option<&Expr>) -> bool {
        match (a, b) {
            (Some(a), Some(b)) => self.exprs(a, b),
            (a, b) => a.is_none() && b.is_none(),
        }
    }

    fn places(&mut self, a: &Place, b: &Place) -> bool {
        self.bind(a.var, b.var)
            && a.subscripts.len() == b.subscripts.len()
            && (a.subscripts.iter().zip(&b.subscripts)).all(|pair| match pair {
                (Subscript::Index(a), Subscript::Index(b)) => self.exprs(a, b),
                (Subscript::Range(a), Subscript::Range(b)) => {
                    self.options(a.lower.as_ref(), b.lower.as_ref())
                        && self.options(a.upper.as_ref(), b.upper.as_ref())
                        && self.options(a.stride.as_ref(), b.stride.as_ref())
                }
                (Subscript::Field(a), Subscript::Field(b)) => a == b,
                (Subscript::Deref, Subscript::Deref) => true,
                (
                    Subscript::Index(_)
                    | Subscript::Range(_)
                    | Subscript::Field(_)
                    | Subscript::Deref,
                    _,
                ) => false,
            })
    }

    fn shapes(&mut self, a: &[Dim], b: &[Dim]) -> bool {
        a.len() == b.len()
            && a.iter().zip(b).all(|(a, b)| {
                self.exprs(&a.lower, &b.lower)
                    && match (&a.extent, &b.extent) {
                        (Extent::Fixed(a), Extent::Fixed(b)) => self.exprs(a, b),
                        (Extent::Deferred, Extent::Deferred) => true,
                        (Extent::Fixed(_) | Extent::Deferred, _) => false,
                    }
            })
    }
}
