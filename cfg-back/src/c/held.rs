//! Scalars of the caller that a loop assigns, and elements of its small arrays: they are held in local variables, since
//! compilers must take a pointer for one that may reach the cells of any array, and then store and load in each pass.

use super::{
    file::Written,
    lines::Statement,
    operators::{Code, Name, Prefix},
    structures::held_name,
    variable::{HeldElement, Kind, Variables, c_type, zero},
    writer::Writer,
};
use cfg_core::{
    entity::{VarId, VertexId},
    ir::{
        Extent, Intent, Place, Program, Role, Routine, ScalarType, StmtKind, Variable,
        visit::{self, PlaceRole, Visit, walk_place},
    },
};
use std::collections::{BTreeMap, BTreeSet};

/// The most elements of one array that are held: more than these would not find registers.
const MOST_ELEMENTS: usize = 16;

/// Gives local names to the parameters and elements that are held.
pub(super) fn hold(
    program: &Program,
    written: &Written<'_>,
    variables: &mut Variables,
    mut fresh: impl FnMut(&str) -> String,
) {
    for v in held(program, written) {
        let is_behind = variables.is_behind(v);
        let variable = &mut variables.all[v.index()];
        if let (Kind::Value(place), true) = (variable.kind.clone(), is_behind) {
            let name = place.replace("->", "_");
            variable.kind = Kind::Value(fresh(&format!("{name}_here")).into());
            variable.behind = Some(place);
        } else if let Kind::Pointer(pointer) = variable.kind.clone() {
            variable.kind = Kind::Value(fresh(&format!("{pointer}_here")).into());
            variable.behind = Some(pointer);
        }
    }
    let (all, written_ones) = held_elements(written);
    for (v, elements) in all {
        let Kind::Array(array) = &variables.all[v.index()].kind else {
            continue;
        };
        if array.is_strided() {
            continue;
        }
        let array = array.clone();
        for subscripts in elements {
            let at: Vec<String> = subscripts.iter().map(i64::to_string).collect();
            let name = fresh(&held_name(&array, &at.join("_").replace('-', "m")));
            let held = HeldElement {
                name: name.into(),
                cell: None,
                assigned: written_ones.contains(&(v, subscripts.clone())),
            };
            variables.elements.insert((v, subscripts), held);
        }
    }
}

/// The subscripts of elements, by array.
type ByArray = BTreeMap<VarId, BTreeSet<Vec<i64>>>;

/// What a routine does with the elements of its arrays.
struct Elements<'a> {
    routine: &'a Routine,
    /// The elements that are named, by array: `None` where not all of them have constant subscripts.
    named: BTreeMap<VarId, Option<BTreeSet<Vec<i64>>>>,
    /// The arrays of which an element is assigned in a loop.
    assigned: BTreeSet<VarId>,
    /// The elements that are assigned anywhere.
    written: BTreeSet<(VarId, Vec<i64>)>,
    in_loop: bool,
}

impl Elements<'_> {
    fn is_in_bounds(&self, v: VarId, subscripts: &[i64]) -> bool {
        let shape = &self.routine.variable(v).shape;
        subscripts.len() == shape.len()
            && subscripts.iter().zip(shape).all(|(&at, dim)| {
                let extent = match &dim.extent {
                    Extent::Fixed(e) => e.constant(),
                    Extent::Deferred => None,
                };
                let first = dim.lower.constant();
                let offset = first.and_then(|first| at.checked_sub(first));
                (offset.zip(extent)).is_some_and(|(offset, extent)| (0..extent).contains(&offset))
            })
    }
}

impl<'ir> Visit<'ir> for Elements<'_> {
    fn visit_place(&mut self, place: &'ir Place, role: PlaceRole) {
        walk_place(self, place);
        let held = match role {
            PlaceRole::Read
            | PlaceRole::Address
            | PlaceRole::AddressTaken
            | PlaceRole::Push
            | PlaceRole::Define { .. }
            | PlaceRole::Renew { .. }
            | PlaceRole::Pop { .. } => place.constant_subscripts(),
            // The shape of an array of the caller is its own.
            PlaceRole::Shape => return,
            PlaceRole::Bind { .. } | PlaceRole::Clobber | PlaceRole::Tape => None,
        };
        if self.in_loop && role.writes() {
            self.assigned.insert(place.var);
        }
        let held = held.filter(|at| self.is_in_bounds(place.var, at));
        if let (Some(at), true) = (&held, role.writes()) {
            self.written.insert((place.var, at.clone()));
        }
        let named = self.named.entry(place.var);
        let named = named.or_insert_with(|| Some(BTreeSet::new()));
        match (named.as_mut(), held) {
            (Some(all), Some(at)) if all.len() < MOST_ELEMENTS || all.contains(&at) => {
                all.insert(at);
            }
            _ => *named = None,
        }
    }

    fn visit_variable(&mut self, v: &'ir VarId, _: PlaceRole) {
        self.named.insert(*v, None);
    }
}

/// The elements of parameters that are there, share no cells, of which some are assigned in a loop, and of which
/// nothing but elements at constant places is named; and those of all elements that are assigned.
fn held_elements(written: &Written<'_>) -> (ByArray, BTreeSet<(VarId, Vec<i64>)>) {
    let routine = &*written.routine;
    let (Some(cfg), false) = (&routine.body, routine.aliased) else {
        return Default::default();
    };
    let mut elements = Elements {
        routine,
        named: BTreeMap::new(),
        assigned: BTreeSet::new(),
        written: BTreeSet::new(),
        in_loop: false,
    };
    for (v, vertex) in cfg.vertices() {
        elements.in_loop = is_in_loop(written, v);
        elements.visit_vertex(v, vertex);
    }
    let can_be_held = |variable: &Variable| {
        let is_given = match variable.role {
            Role::Parameter { intent, optional } => intent == Intent::InOut && !optional,
            Role::Local | Role::Global(_) => false,
        };
        // Of other types not every bit pattern that a caller leaves is a value.
        is_given && matches!(variable.ty, ScalarType::Real | ScalarType::Real32)
    };
    let named = elements.named.into_iter();
    let held = named
        .filter(|(v, _)| elements.assigned.contains(v) && can_be_held(routine.variable(*v)))
        .filter_map(|(v, all)| Some((v, all?)));
    (held.collect(), elements.written)
}

/// True of a vertex that may be executed more than once. Graphs of jumps have loops that nobody has counted.
fn is_in_loop(written: &Written<'_>, v: VertexId) -> bool {
    let structure = written.structure.as_ref();
    structure.is_none_or(|s| s.loop_depth[v.index()] > 0)
}

/// The scalar parameters that are there, share no cells, are assigned in a loop and handed to no call.
fn held(program: &Program, written: &Written<'_>) -> Vec<VarId> {
    let routine = &*written.routine;
    let (Some(cfg), false) = (&routine.body, routine.aliased) else {
        return Vec::new();
    };
    let mut assigned = vec![false; routine.variables.len()];
    let mut handed_on = assigned.clone();
    for (v, vertex) in cfg.vertices() {
        let in_loop = is_in_loop(written, v);
        if let (Some(index), true) = (vertex.kind.index(), in_loop) {
            assigned[index.index()] = true;
        }
        for statement in vertex.statements() {
            let is_call = matches!(statement.kind, StmtKind::Call { .. });
            if is_call {
                visit::each_name(statement, &mut |v, _| handed_on[v.index()] = true);
            } else if in_loop {
                visit::each_written(program, statement, &mut |v| assigned[v.index()] = true);
            }
        }
    }
    let is_held = |v: &VarId| assigned[v.index()] && !handed_on[v.index()] && is_there(routine, *v);
    routine.parameter_ids().filter(is_held).collect()
}

/// True for a scalar that the caller always gives.
fn is_there(routine: &Routine, v: VarId) -> bool {
    let variable = routine.variable(v);
    let given = match variable.role {
        Role::Parameter { optional, .. } => !optional,
        Role::Local | Role::Global(_) => false,
    };
    given && variable.rank() == 0 && variable.ty != ScalarType::Tape
}

impl Writer<'_> {
    /// The local variable that holds an element; the element itself if none does.
    pub(super) fn held_element(&mut self, place: &Place, cell: Code) -> Code {
        if self.variables.elements.is_empty() {
            return cell;
        }
        let key = place.constant_subscripts().map(|at| (place.var, at));
        match key.and_then(|key| self.variables.elements.get_mut(&key)) {
            Some(held) => {
                let local = Code::name(held.name.clone(), cell.ty);
                held.cell = Some(cell);
                local
            }
            None => cell,
        }
    }

    /// The statements that load the held parameters and elements that the function uses, and those that store them.
    pub(super) fn held_lines(&self) -> (Vec<Statement>, Vec<Statement>) {
        let (mut loads, mut stores) = (Vec::new(), Vec::new());
        let mut hold = |name: &Name, cell: &Code, first: Code, is_stored: bool| {
            let local = Code::name(name.clone(), cell.ty);
            let declared = local.clone().declared(c_type(cell.ty));
            loads.push(declared.set(first).into());
            if is_stored {
                stores.push(cell.clone().set(local).into());
            }
        };
        for (v, variable) in self.variables.numbered() {
            if let (Some(pointer), Kind::Value(local), true) =
                (&variable.behind, &variable.kind, variable.used)
            {
                let mut cell = Code::name(pointer.clone(), variable.ty);
                if variable.member.is_none() {
                    cell = cell.prefix(Prefix::Dereference);
                }
                // The caller may leave what only comes out without a value, and not every bit pattern is one.
                let first = match self.routine.variable(v).intent() {
                    Some(Intent::Out) => zero(variable.ty),
                    Some(Intent::In | Intent::InOut) | None => cell.clone(),
                };
                hold(local, &cell, first, true);
            }
        }
        for held in self.variables.elements.values() {
            if let Some(cell) = &held.cell {
                hold(&held.name, cell, cell.clone(), held.assigned);
            }
        }
        (loads, stores)
    }
}
