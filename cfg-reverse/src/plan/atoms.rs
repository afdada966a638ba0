//! What the to-be-recorded analysis tells apart.
//!
//! A scalar is an atom, and so is an array, except an array that the routine only ever names by elements
//! with constant subscripts (`y(1)`, `y(2)`): there each element is one. Variables that may share storage
//! are one atom together.

use cfg_core::{
    entity::VarId,
    ir::{Cfg, Expr, Place, Program, Role, Routine},
};
use fixedbitset::FixedBitSet;
use std::collections::{HashMap, HashSet};

use crate::memory::statements::each_place;

/// Most elements that are told apart in one routine.
const MOST_ELEMENTS: usize = 4096;

/// The atoms of one routine.
#[derive(Clone, Debug)]
pub(crate) struct Atoms {
    /// Storage class of each variable: the atom of those that are not split.
    class: Vec<u32>,
    /// The atoms of each variable that is split into elements.
    elements: HashMap<VarId, Vec<(Vec<i64>, u32)>>,
    /// The atom of each element of these variables, by subscripts.
    element: HashMap<(VarId, Vec<i64>), u32>,
    /// Atoms that a whole assignment replaces: no other variable shares them.
    single: FixedBitSet,
    len: usize,
}

impl Atoms {
    pub(crate) fn new(program: &Program, routine: &Routine, cfg: &Cfg, class: &[u32]) -> Self {
        let n = routine.variables.len();
        let mut members = vec![0u32; n];
        for &c in class {
            members[c as usize] += 1;
        }
        let mut single = FixedBitSet::with_capacity(n);
        for (c, &m) in members.iter().enumerate() {
            single.set(c, m == 1);
        }
        let elements = elements(program, routine, cfg, class, &single);
        let mut atoms = Self {
            class: class.to_vec(),
            elements: HashMap::new(),
            element: HashMap::new(),
            single,
            len: n,
        };
        for (v, subscripts) in elements {
            let mut numbered = Vec::with_capacity(subscripts.len());
            for s in subscripts {
                let atom = atoms.len as u32;
                atoms.len += 1;
                atoms.element.insert((v, s.clone()), atom);
                numbered.push((s, atom));
            }
            atoms.elements.insert(v, numbered);
        }
        atoms.single.grow(atoms.len);
        atoms.single.insert_range(n..);
        atoms
    }

    /// Number of atoms.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Calls `visit` for every atom that the place has cells of.
    pub(crate) fn of_place(&self, place: &Place, visit: &mut impl FnMut(u32)) {
        match self.elements.get(&place.var) {
            None => visit(self.class[place.var.index()]),
            Some(elements) => match constant_subscripts(place) {
                Some(s) => {
                    if let Some(&atom) = self.element.get(&(place.var, s)) {
                        visit(atom);
                    }
                }
                None => elements.iter().for_each(|(_, atom)| visit(*atom)),
            },
        }
    }

    /// Calls `visit` for every atom of a variable.
    pub(crate) fn of_var(&self, v: VarId, visit: &mut impl FnMut(u32)) {
        self.of_place(&Place::whole(v), visit);
    }

    /// True if assigning the place replaces all that its atom stands for.
    pub(crate) fn is_replaced(&self, place: &Place) -> bool {
        match self.elements.get(&place.var) {
            Some(_) => true,
            None => {
                place.subscripts.is_empty()
                    && self.single.contains(self.class[place.var.index()] as usize)
            }
        }
    }

    /// The places of a variable whose atoms are in the set: the whole variable, or its elements.
    pub(crate) fn members(&self, set: &FixedBitSet, v: VarId) -> Vec<Place> {
        match self.elements.get(&v) {
            None => {
                let whole = set.contains(self.class[v.index()] as usize);
                whole.then(|| Place::whole(v)).into_iter().collect()
            }
            Some(elements) => elements
                .iter()
                .filter(|(_, atom)| set.contains(*atom as usize))
                .map(|(s, _)| Place::element(v, s.iter().map(|&i| Expr::Int(i))))
                .collect(),
        }
    }
}

fn constant_subscripts(place: &Place) -> Option<Vec<i64>> {
    if place.subscripts.is_empty() {
        return None;
    }
    place.constant_subscripts()
}

/// The constant subscripts of each array that is named by such elements only, in order of appearance.
fn elements(
    program: &Program,
    routine: &Routine,
    cfg: &Cfg,
    class: &[u32],
    single: &FixedBitSet,
) -> Vec<(VarId, Vec<Vec<i64>>)> {
    let n = routine.variables.len();
    let mut split: Vec<bool> = routine
        .variables
        .iter()
        .enumerate()
        .map(|(v, variable)| {
            variable.rank() > 0
                && !matches!(variable.role, Role::Global(_))
                && single.contains(class[v] as usize)
        })
        .collect();
    // How many are still candidates.
    let left = std::cell::Cell::new(split.iter().filter(|&&s| s).count());
    let mut seen: Vec<Vec<Vec<i64>>> = vec![Vec::new(); n];
    let mut known: HashSet<(VarId, Vec<i64>)> = HashSet::new();
    {
        let mut place = |p: &Place| {
            let v = p.var.index();
            if !split[v] {
                return;
            }
            match constant_subscripts(p) {
                Some(s) if known.len() < MOST_ELEMENTS => {
                    if known.insert((p.var, s.clone())) {
                        seen[v].push(s);
                    }
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
    }
    seen.into_iter()
        .enumerate()
        .filter(|(v, subscripts)| split[*v] && !subscripts.is_empty())
        .map(|(v, subscripts)| (VarId::new(v), subscripts))
        .collect()
}
