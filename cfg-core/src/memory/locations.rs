//! The cells that a place may name: the one rule for whether two places of a routine may overlap.
//!
//! The cells of a routine's variables are divided into *locations*: disjoint sets of cells. A variable is a location
//! of its own, except for
//!
//! - globals that overlap in one storage, which are one location;
//! - parameters and globals of one type in a routine that is `aliased`, which are one location, since a parameter may
//!   share cells with another one or with a global;
//! - arrays whose elements are told apart ([`Locations::with_elements`]).
//!
//! In a routine that is not `aliased`, a parameter shares no cell with a global or with another parameter if one of
//! the two is written: a call that binds them so is an error. Cells that are only read may have two names.
//!
//! ```
//! use cfg_core::builder::{ProgramBuilder, RoutineBuilder, expr::*};
//! use cfg_core::ir::{Expr, Overlay, Place, ScalarType::Real};
//! use cfg_core::memory::locations::Locations;
//!
//! let mut program = ProgramBuilder::new();
//! let a = program.global("a", Real.array([6]));
//! let [low, high] = [("low", 0), ("high", 3)].map(|(name, offset)| {
//!     let g = program.global(name, Real.array([3]));
//!     program.overlay(g, Overlay { base: a, offset });
//!     g
//! });
//! let mut f = RoutineBuilder::new("f");
//! let [low, high] = [low, high].map(|g| f.global(program.program(), g));
//! f.assign(high, low);
//! let f = program.add(f);
//! let program = program.finish()?;
//! let cells = Locations::divide(&program, program.routine(f));
//! assert!(!cells.may_share(low, high)); // they lie in different halves of `a`, which `f` does not name
//! let element = |i| Place::element(low, [Expr::Int(i)]);
//! assert!(!cells.may_overlap(&element(1), &element(2)));
//! assert!(cells.may_overlap(&element(1), &Place::whole(low)));
//! assert!(cells.replaces(&Place::whole(low)));
//! # Ok::<(), cfg_core::diagnostic::Diagnostics>(())
//! ```

use crate::{
    entity::{GlobalId, LocationId, VarId},
    ir::{
        Cfg, Expr, Op, Place, Program, Role, Routine, ScalarType, Subscript, Variable,
        visit::each_place,
    },
};
use fixedbitset::FixedBitSet;
use std::{
    cell::Cell,
    collections::{HashMap, HashSet},
};

/// Default limit on the elements of arrays that are told apart in one routine.
pub const ELEMENTS_LIMIT: usize = 4096;

/// The locations of one routine.
#[derive(Clone, Debug, Default)]
pub struct Locations {
    /// The location of each variable whose elements are not told apart.
    of_variable: Vec<LocationId>,
    /// Locations that several variables share.
    shared: FixedBitSet,
    /// The elements that are told apart, by variable, in order of appearance.
    elements: HashMap<VarId, Vec<(Vec<i64>, LocationId)>>,
    element: HashMap<(VarId, Vec<i64>), LocationId>,
    len: usize,
}

impl Locations {
    /// Locations of one or several whole variables. The program need not be valid.
    pub fn divide(program: &Program, routine: &Routine) -> Self {
        let n = routine.variables.len();
        let mut of_variable: Vec<LocationId> = (0..n).map(LocationId::new).collect();
        // By type: the location of parameters that may overlap.
        let mut parameters: HashMap<ScalarType, LocationId> = HashMap::new();
        if routine.aliased {
            // The result is a parameter of the sweeps, where a caller may pass one array for it and for an argument.
            for p in routine.parameter_ids().chain(routine.result) {
                if let Some(variable) = routine.variables.get(p.index())
                    && variable.ty != ScalarType::Tape
                {
                    let own = of_variable[p.index()];
                    of_variable[p.index()] = *parameters.entry(variable.ty).or_insert(own);
                }
            }
        }
        let mut globals: Vec<(GlobalId, i64, i64, usize)> = Vec::new();
        for (v, variable) in routine.variables.iter().enumerate() {
            if let Role::Global(g) = variable.role {
                // A global of unknown extent may take all of the storage.
                let (owner, cells) = (program.cells(g))
                    .unwrap_or_else(|| (program.storage(g).0, i64::MIN..i64::MAX));
                globals.push((owner, cells.start, cells.end, v));
            }
        }
        globals.sort_unstable();
        // Sorted by their first cells, globals that overlap the ones before them join their location.
        let mut reach: Option<(GlobalId, i64, LocationId)> = None;
        for (owner, start, end, v) in globals {
            let same = reach.filter(|&(o, last, _)| o == owner && start < last);
            let own = match (same, parameters.get(&routine.variables[v].ty)) {
                (Some((_, _, before)), _) => before,
                (None, Some(&parameters)) => parameters,
                (None, None) => of_variable[v],
            };
            of_variable[v] = own;
            let last = same.map_or(end, |(_, last, _)| last.max(end));
            reach = Some((owner, last, own));
        }
        let mut seen = FixedBitSet::with_capacity(n);
        let mut shared = FixedBitSet::with_capacity(n);
        for location in &of_variable {
            if seen.put(location.index()) {
                shared.insert(location.index());
            }
        }
        Self {
            of_variable,
            shared,
            len: n,
            ..Self::default()
        }
    }

    /// Splits arrays into one location for each element. An array is split if the graph names it only by elements with
    /// constant subscripts (`y(1)`, `y(2)`), and if it is no global and shares no cells.
    pub fn with_elements(self, program: &Program, routine: &Routine, cfg: &Cfg) -> Self {
        self.with_elements_within(program, routine, cfg, ELEMENTS_LIMIT)
    }

    /// [`Locations::with_elements`] with a limit: an array with an element beyond the first `most` that are named
    /// stays one location.
    pub fn with_elements_within(
        mut self,
        program: &Program,
        routine: &Routine,
        cfg: &Cfg,
        most: usize,
    ) -> Self {
        for (v, elements) in self.named_by_elements(program, routine, cfg, most) {
            let mut numbered = Vec::with_capacity(elements.len());
            for subscripts in elements {
                let location = LocationId::new(self.len);
                self.len += 1;
                self.element.insert((v, subscripts.clone()), location);
                numbered.push((subscripts, location));
            }
            self.elements.insert(v, numbered);
        }
        self
    }

    /// The constant subscripts of each array that is named by such elements only, in order of appearance.
    fn named_by_elements(
        &self,
        program: &Program,
        routine: &Routine,
        cfg: &Cfg,
        most: usize,
    ) -> Vec<(VarId, Vec<Vec<i64>>)> {
        let candidate = |(v, variable): (usize, &Variable)| {
            let global = matches!(variable.role, Role::Global(_));
            variable.rank() > 0 && !global && !self.is_shared(VarId::new(v))
        };
        let variables = routine.variables.iter().enumerate();
        let mut split: Vec<bool> = variables.map(candidate).collect();
        let left = Cell::new(split.iter().filter(|&&s| s).count());
        let mut seen: Vec<Vec<Vec<i64>>> = vec![Vec::new(); split.len()];
        let mut known: HashSet<(VarId, Vec<i64>)> = HashSet::new();
        let mut place = |p: &Place| {
            let v = p.var.index();
            if !split[v] {
                return;
            }
            match element(p).map(|subscripts| (p.var, subscripts)) {
                Some(named) if known.contains(&named) => {}
                Some(named) if known.len() < most => {
                    seen[v].push(named.1.clone());
                    known.insert(named);
                }
                _ => {
                    split[v] = false;
                    left.set(left.get() - 1);
                }
            }
        };
        for (_, vertex) in cfg.vertices() {
            if left.get() == 0 {
                break;
            }
            each_place(program, vertex, &mut place);
        }
        let found = seen.into_iter().enumerate();
        found
            .filter(|(v, subscripts)| split[*v] && !subscripts.is_empty())
            .map(|(v, subscripts)| (VarId::new(v), subscripts))
            .collect()
    }

    /// The number of locations. The location of a variable has the number of one of its variables; elements come
    /// behind.
    pub fn len(&self) -> usize {
        self.len
    }

    /// True if there is no location.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The location of a variable whose elements are not told apart. A variable that was added to the routine later
    /// has a location of its own.
    #[inline]
    pub fn of_variable(&self, v: VarId) -> LocationId {
        let known = self.of_variable.get(v.index()).copied();
        // Numbered behind the locations of elements.
        known.unwrap_or_else(|| LocationId::new(self.len + v.index() - self.of_variable.len()))
    }

    /// True if another variable may name cells of this one.
    #[inline]
    pub fn is_shared(&self, v: VarId) -> bool {
        self.shared.contains(self.of_variable(v).index())
    }

    /// True if two variables may have a cell in common.
    pub fn may_share(&self, a: VarId, b: VarId) -> bool {
        self.of_variable(a) == self.of_variable(b)
    }

    /// True if two places may have a cell in common when their subscripts are evaluated at the same point of a run.
    pub fn may_overlap(&self, a: &Place, b: &Place) -> bool {
        self.may_share(a.var, b.var) && !are_apart(a, b)
    }

    /// Calls `visit` with every location in which the place may have cells.
    #[inline]
    pub fn each_location(&self, place: &Place, visit: &mut impl FnMut(LocationId)) {
        match self.elements.get(&place.var) {
            None => visit(self.of_variable(place.var)),
            Some(elements) => match element(place) {
                Some(subscripts) => {
                    if let Some(&location) = self.element.get(&(place.var, subscripts)) {
                        visit(location);
                    }
                }
                None => elements.iter().for_each(|(_, location)| visit(*location)),
            },
        }
    }

    /// True if an assignment to the place replaces all cells of its locations.
    #[inline]
    pub fn replaces(&self, place: &Place) -> bool {
        self.elements.contains_key(&place.var)
            || place.subscripts.is_empty() && !self.is_shared(place.var)
    }

    /// The parts of a variable whose locations are members: the variable itself, or some of its elements.
    pub fn member_places(&self, v: VarId, is_member: impl Fn(LocationId) -> bool) -> Vec<Place> {
        match self.elements.get(&v) {
            None => {
                let whole = is_member(self.of_variable(v));
                whole.then(|| Place::whole(v)).into_iter().collect()
            }
            Some(elements) => elements
                .iter()
                .filter(|(_, location)| is_member(*location))
                .map(|(s, _)| Place::element(v, s.iter().map(|&i| Expr::Int(i))))
                .collect(),
        }
    }
}

/// The subscripts of an element whose subscripts are constant.
fn element(place: &Place) -> Option<Vec<i64>> {
    if place.subscripts.is_empty() {
        return None;
    }
    place.constant_subscripts()
}

/// True if two elements of one variable are different cells for all values of variables: in some dimension their
/// subscripts differ by a constant.
pub fn are_apart(a: &Place, b: &Place) -> bool {
    let differ = |(s, t): (&Subscript, &Subscript)| {
        s.index().zip(t.index()).is_some_and(|(s, t)| {
            let ((base, i), (other, j)) = (offset(s), offset(t));
            base == other && i != j
        })
    };
    a.var == b.var
        && a.subscripts.len() == b.subscripts.len()
        && a.subscripts.iter().zip(&b.subscripts).any(differ)
}

/// An index as base + constant.
pub fn offset(e: &Expr) -> (Option<&Expr>, i64) {
    match e {
        Expr::Int(i) => (None, *i),
        Expr::Op(Op::Add, operands) => match operands.as_ref() {
            [base, Expr::Int(i)] | [Expr::Int(i), base] => (Some(base), *i),
            _ => (Some(e), 0),
        },
        Expr::Op(Op::Sub, operands) => match operands.as_ref() {
            // -i64::MIN does not exist.
            [base, Expr::Int(i)] if *i != i64::MIN => (Some(base), -*i),
            _ => (Some(e), 0),
        },
        Expr::Real(_)
        | Expr::Real32(_)
        | Expr::Logical(_)
        | Expr::Place(_)
        | Expr::Op(..)
        | Expr::Null(_)
        | Expr::Addr(_) => (Some(e), 0),
    }
}

#[cfg(test)]
mod tests;
