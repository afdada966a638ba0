//! Records in the functions of a file: variables of the flat program that are leaves of one record are members of one
//! structure.
//!
//! A record is a structure where nothing but its elements are named: between the cells of a member of several
//! structures there are others. A parameter is a structure where all callers pass what is one; else there is a
//! parameter for each leaf, and structures are passed on by their leaves, which an array of structures cannot be. So a
//! record that is none leads to others, of callers and of what is called, until nothing changes.

use super::{
    passed::{Passed, is_optional},
    stack::{LARGEST_ON_STACK, bytes},
    structs::{Leaf, Structs},
};
use cfg_core::{
    entity::{RecordId, RoutineId, VarId},
    flat::{FlatStmt, FlatSubscript, Parts, RecordParts},
    ir::{
        Expr, Intent, Op, OpClass, ParameterRole, Place, Program, Role, Routine, Signature, Stmt,
        StmtKind, Subscript, TapeClass,
        visit::{PlaceRole, Visit, walk_place, walk_statement},
    },
    memory::callgraph::CallGraph,
};
use std::{collections::BTreeMap, rc::Rc};

/// Most numbers of a structure that is passed by value.
const MOST_BY_VALUE: usize = 8;

/// A record of a routine.
#[derive(Debug)]
pub(super) struct Record {
    /// The name in the program.
    pub(super) name: String,
    pub(super) ty: RecordId,
    /// The variables that are its leaves, in order.
    pub(super) parts: Vec<VarId>,
    /// The leaves, in order.
    pub(super) leaves: Rc<[Leaf]>,
    /// The number of dimensions, 0 or 1, and the number of elements where that is constant.
    pub(super) rank: usize,
    count: Option<usize>,
    /// True of an array of one structure that is written as one structure.
    pub(super) is_single: bool,
    /// The way in which it is passed; `None` of one that is local.
    pub(super) passed: Option<Passed>,
    /// For each leaf, whether the function, or one that is handed the structure, may read what it is.
    pub(super) needed: Vec<bool>,
    /// True if it is no structure after all.
    is_lost: bool,
}

impl Record {
    /// The number of elements of a local array of structures.
    pub(super) fn elements(&self) -> Option<usize> {
        self.count.filter(|_| self.rank > 0 && !self.is_single)
    }
}

/// The records of a routine.
#[derive(Debug, Default)]
pub(super) struct OfRoutine {
    pub(super) all: Vec<Record>,
    /// The record of which each variable is a leaf, and which leaf.
    homes: Vec<Option<(usize, usize)>>,
}

impl OfRoutine {
    /// The record of which a variable is a leaf, and which leaf.
    pub(super) fn home(&self, v: VarId) -> Option<(usize, usize)> {
        self.homes.get(v.index()).copied().flatten()
    }

    fn add(&mut self, record: Record) {
        for (leaf, part) in record.parts.iter().enumerate() {
            self.homes[part.index()] = Some((self.all.len(), leaf));
        }
        self.all.push(record);
    }

    fn lose(&mut self, record: usize) -> bool {
        let record = &mut self.all[record];
        record
            .parts
            .iter()
            .for_each(|v| self.homes[v.index()] = None);
        !std::mem::replace(&mut record.is_lost, true)
    }

    /// Notes which leaves are needed: of locals those that are named, of parameters all.
    fn with_needs(mut self, routine: &Routine) -> Self {
        if self.all.is_empty() {
            return self;
        }
        let mut named = Named(vec![false; routine.variables.len()]);
        named.visit_routine(routine);
        for record in &mut self.all {
            let is_local = record.passed.is_none();
            let needed = record.parts.iter().map(|v| !is_local || named.0[v.index()]);
            record.needed = needed.collect();
        }
        self
    }

    /// Takes away what is no structure.
    fn keep(mut self) -> Self {
        let all = std::mem::take(&mut self.all);
        self.homes.fill(None);
        all.into_iter()
            .filter(|record| !record.is_lost)
            .for_each(|record| self.add(record));
        self
    }
}

/// The records of each routine that are structures in its function.
#[derive(Debug, Default)]
pub(super) struct Records(Vec<OfRoutine>);

impl Records {
    /// The records of a routine.
    pub(super) fn of(&self, r: RoutineId) -> Option<&OfRoutine> {
        self.0.get(r.index())
    }

    /// The record that a parameter is a leaf of, and which leaf.
    pub(super) fn home(&self, r: RoutineId, v: VarId) -> Option<(&Record, usize)> {
        let of = self.of(r)?;
        let (record, leaf) = of.home(v)?;
        Some((of.all.get(record)?, leaf))
    }

    /// The records of a program that are structures; functions for others call these routines, or one in place of the
    /// other, which takes the same.
    pub(super) fn find(
        program: &Program,
        structs: &Structs<'_>,
        parts: &Parts,
        entries: &[(RoutineId, Option<RoutineId>)],
    ) -> Self {
        let graph = CallGraph::build(program);
        let mut calls_itself = vec![false; program.routines.len()];
        for component in graph.components() {
            let is_one = |r: &&RoutineId| component.len() > 1 || graph.callees(**r).contains(r);
            component
                .iter()
                .filter(is_one)
                .for_each(|r| calls_itself[r.index()] = true);
        }
        let mut is_entry = vec![false; program.routines.len()];
        for (r, apart) in entries {
            [Some(*r), *apart]
                .into_iter()
                .flatten()
                .for_each(|r| is_entry[r.index()] = true);
        }
        let routines = (0..)
            .map(RoutineId::new)
            .zip(&program.routines)
            .zip(&parts.routines);
        let found = routines.map(|((r, routine), parts)| {
            let mut found = OfRoutine {
                homes: vec![None; routine.variables.len()],
                ..OfRoutine::default()
            };
            let mut room = if calls_itself[r.index()] {
                0
            } else {
                4 * LARGEST_ON_STACK
            };
            let roles = is_entry[r.index()].then(|| Signature::from_origins(program, r).parameters);
            for record in &parts.records {
                let candidate = candidate(structs, record).and_then(|found| {
                    let variable = routine.variable(*found.parts.first()?);
                    match variable.role {
                        Role::Local => local(routine, found, &mut room),
                        Role::Parameter { .. } => parameter(routine, found, roles.as_deref()),
                        Role::Global(_) => None,
                    }
                });
                candidate.into_iter().for_each(|record| found.add(record));
            }
            found
        });
        let mut search = Search {
            program,
            found: found.collect(),
            partners: BTreeMap::new(),
            lost: Vec::new(),
        };
        for (r, apart) in entries {
            apart.iter().for_each(|apart| search.pair(*r, *apart));
        }
        let all: Vec<RoutineId> = (0..program.routines.len()).map(RoutineId::new).collect();
        let callers = graph.callers(&all);
        let mut open = all;
        while let Some(r) = open.pop() {
            search.look_at(r);
            while let Some((r, record)) = search.lost.pop() {
                if search.lose(r, record) {
                    open.push(r);
                    open.extend(&callers[r.index()]);
                }
            }
        }
        let found = search.found.into_iter().zip(&program.routines);
        Self(
            found
                .map(|(of, routine)| of.keep().with_needs(routine))
                .collect(),
        )
    }
}

/// A record that may be a structure, with one dimension at most.
fn candidate(structs: &Structs<'_>, record: &RecordParts) -> Option<Record> {
    let RecordParts { variable, parts } = record;
    let ty = variable.ty.record()?;
    let leaves: Rc<[Leaf]> = structs.leaves(ty).into();
    let count = match &*variable.shape {
        [] => None,
        [dim] => dim.constant_extent(),
        [_, _, ..] => return None,
    };
    (leaves.len() == parts.len()).then(|| Record {
        name: variable.name.clone(),
        ty,
        parts: parts.clone(),
        leaves,
        rank: variable.rank(),
        count,
        is_single: false,
        passed: None,
        needed: Vec::new(),
        is_lost: false,
    })
}

/// A record of local variables, if it is no larger than local arrays are, all of which have `room` bytes together.
fn local(routine: &Routine, mut record: Record, room: &mut i64) -> Option<Record> {
    let is_local = |v: &VarId| routine.variable(*v).role == Role::Local;
    if !record.parts.iter().all(is_local) || record.rank > 0 && record.count.is_none() {
        return None;
    }
    let count = i64::try_from(record.count.unwrap_or(1)).ok()?;
    let mut size = 0_i64;
    for leaf in &*record.leaves {
        let cells = i64::try_from(leaf.elements()).ok()?.checked_mul(count)?;
        size = cells
            .checked_mul(bytes(leaf.ty, false))?
            .checked_add(size)?;
    }
    // Scalars alone take no more of the machine's stack than variables of their own.
    let is_array = record.rank > 0 || record.leaves.iter().any(|leaf| leaf.elements() > 1);
    if is_array && size > LARGEST_ON_STACK.min(*room) {
        return None;
    }
    *room -= if is_array { size } else { 0 };
    record.is_single = record.rank > 0 && record.count == Some(1);
    Some(record)
}

/// A record whose leaves are parameters of a function with a body; functions for others have those with these roles.
fn parameter(
    routine: &Routine,
    mut record: Record,
    roles: Option<&[ParameterRole]>,
) -> Option<Record> {
    let first = routine.parameter_position(*record.parts.first()?)?;
    let own = routine.parameters.get(first..first + record.parts.len())?;
    let intent = routine.variable(record.parts[0]).intent()?;
    let is_one = |v: &VarId| {
        let variable = routine.variable(*v);
        variable.intent() == Some(intent) && !is_optional(variable)
    };
    if own != record.parts || !own.iter().all(is_one) {
        return None;
    }
    if routine.body.is_none() || routine.restart_role().is_some() {
        return None;
    }
    let is_known = |role: &ParameterRole| match role {
        ParameterRole::Primal(_) | ParameterRole::Adjoint(_) | ParameterRole::Tangent(_) => true,
        ParameterRole::Tape | ParameterRole::Own(_) => false,
    };
    if let Some(roles) = roles
        && !roles.get(first..first + own.len())?.iter().all(is_known)
    {
        return None;
    }
    let are_scalars = record.rank == 0 && record.leaves.iter().all(|leaf| leaf.elements() == 1);
    let is_small = are_scalars && own.len() <= MOST_BY_VALUE;
    let by_value = is_small && roles.is_none() && !routine.aliased;
    record.passed = Some(match intent {
        Intent::Out | Intent::InOut => Passed::Pointer,
        Intent::In if by_value => Passed::Value,
        Intent::In => Passed::Constant,
    });
    Some(record)
}

/// A place of a record, or of several of an array.
pub(super) struct RecordPlace<'a> {
    /// The record of the routine.
    pub(super) record: usize,
    /// The leaf of which the record is the beginning.
    pub(super) leaf: usize,
    /// The number of members on the way from the one to the other.
    pub(super) members: usize,
    pub(super) place: &'a Place,
}

impl<'a> RecordPlace<'a> {
    /// The place of which all leaves are passed for a parameter.
    pub(super) fn passed(
        of: &OfRoutine,
        formal: &Record,
        arguments: &'a [Option<Expr>],
    ) -> Option<Self> {
        let place = |e: &'a Option<Expr>| match e {
            Some(Expr::Place(place)) => Some(place),
            Some(_) | None => None,
        };
        let place_of_first = place(arguments.first()?)?;
        let (record, leaf) = of.home(place_of_first.var)?;
        let actual = &of.all[record];
        let (whole, part) = (actual.leaves.get(leaf)?, formal.leaves.first()?);
        let members = whole.path.len().checked_sub(part.path.len())?;
        if *whole.records.get(members)? != formal.ty {
            return None;
        }
        let mut rest = arguments.iter().zip(actual.parts.get(leaf..)?);
        let is_leaf = |(e, v): (&'a Option<Expr>, &VarId)| place(e).is_some_and(|p| p.var == *v);
        (arguments.len() == formal.leaves.len() && rest.all(is_leaf)).then_some(Self {
            record,
            leaf,
            members,
            place: place_of_first,
        })
    }

    /// The numbers of dimensions of the record and of the members on the way.
    pub(super) fn ranks(&self, record: &Record) -> Vec<usize> {
        let path = &record.leaves[self.leaf].path[..self.members];
        let members = path.iter().map(|(_, extents)| extents.len());
        std::iter::once(record.rank).chain(members).collect()
    }

    /// True if a pointer to the first one leads to all that the parameter has.
    fn fits(&self, actual: &Record, formal: &Record) -> bool {
        let ranks = self.ranks(actual);
        let count: usize = ranks.iter().sum();
        let last = ranks.last().copied().unwrap_or(0);
        let subscripts = self.place.subscripts.get(..count).unwrap_or(&[]);
        let unit = |s: &Subscript| match FlatSubscript::view(s) {
            FlatSubscript::Index(_) => true,
            FlatSubscript::Range(range) => range.stride.is_none(),
        };
        let is_writable = !matches!(actual.passed, Some(Passed::Constant | Passed::Value));
        let is_element = match self.place.subscripts.is_empty() {
            true => count == 0,
            false => subscripts.iter().all(|s| s.index().is_some()),
        };
        // Of arrays around others one element is taken, unless there is one.
        let outer = count - last;
        let outer_is_one = match self.place.subscripts.is_empty() {
            true => outer == 0,
            false => subscripts.iter().take(outer).all(|s| s.index().is_some()),
        };
        let is_one = formal.rank == 0 || formal.count == Some(1);
        (is_writable || formal.passed != Some(Passed::Pointer))
            && last <= 1
            && subscripts.iter().all(unit)
            && match is_element {
                true => is_one || last > 0,
                false => formal.rank > 0 && outer_is_one,
            }
    }
}

/// The search for records that are no structures.
struct Search<'a> {
    program: &'a Program,
    found: Vec<OfRoutine>,
    /// The record of a routine in whose place another one is called, and the other way round.
    partners: BTreeMap<(RoutineId, usize), (RoutineId, usize)>,
    lost: Vec<(RoutineId, usize)>,
}

impl Search<'_> {
    /// Parameters of a routine that is called in place of another one are structures if those of the other are.
    fn pair(&mut self, r: RoutineId, apart: RoutineId) {
        for (one, other) in [(r, apart), (apart, r)] {
            let records = self.found.get(one.index()).map_or(&[][..], |of| &of.all);
            for (k, record) in records.iter().enumerate() {
                if record.passed.is_none() {
                    continue;
                }
                let there = || {
                    let at = self
                        .program
                        .routine(one)
                        .parameter_position(record.parts[0])?;
                    let v = self.program.routine(other).parameters.get(at)?;
                    let of = self.found.get(other.index())?;
                    let (k, leaf) = of.home(*v)?;
                    let same = of.all[k].ty == record.ty && of.all[k].passed == record.passed;
                    (leaf == 0 && same).then_some((other, k))
                };
                match there() {
                    Some(partner) => {
                        self.partners.insert((one, k), partner);
                    }
                    None => self.lost.push((one, k)),
                }
            }
        }
    }

    fn lose(&mut self, r: RoutineId, record: usize) -> bool {
        let is_new = self.found[r.index()].lose(record);
        if let (true, Some(partner)) = (is_new, self.partners.get(&(r, record))) {
            self.lost.push(*partner);
        }
        is_new
    }

    /// Looks at the uses of records in a routine.
    fn look_at(&mut self, r: RoutineId) {
        let Some(routine) = self.program.routines.get(r.index()) else {
            return;
        };
        let mut uses = Uses {
            program: self.program,
            found: &self.found,
            here: self.found.get(r.index()),
            many: Vec::new(),
            lost: Vec::new(),
            by_elements: false,
            lost_by_callees: Vec::new(),
        };
        uses.visit_routine(routine);
        let Uses {
            many,
            lost,
            lost_by_callees,
            ..
        } = uses;
        self.lost.extend(lost.into_iter().map(|record| (r, record)));
        self.lost.extend(lost_by_callees);
        many.into_iter()
            .for_each(|record| self.found[r.index()].all[record].is_single = false);
    }
}

/// The variables that a routine names.
struct Named(Vec<bool>);

impl<'ir> Visit<'ir> for Named {
    fn visit_place(&mut self, place: &'ir Place, _: PlaceRole) {
        walk_place(self, place);
        self.0[place.var.index()] = true;
    }

    fn visit_variable(&mut self, v: &'ir VarId, _: PlaceRole) {
        self.0[v.index()] = true;
    }
}

/// The uses of records in a routine.
struct Uses<'a> {
    program: &'a Program,
    found: &'a [OfRoutine],
    /// The records of the routine; none of one that has no records to begin with.
    here: Option<&'a OfRoutine>,
    /// Arrays with subscripts that are not constant.
    many: Vec<usize>,
    lost: Vec<usize>,
    /// True in a statement that names elements alone of the arrays that it has.
    by_elements: bool,
    /// Records of routines that are called.
    lost_by_callees: Vec<(RoutineId, usize)>,
}

impl<'ir> Visit<'ir> for Uses<'_> {
    fn visit_statement(&mut self, statement: &'ir Stmt) {
        self.by_elements = is_by_elements(&statement.kind);
        walk_statement(self, statement);
        self.by_elements = false;
        if let FlatStmt::Call {
            callee, arguments, ..
        } = FlatStmt::view(&statement.kind)
        {
            let parameters = self.program.routine(callee).parameter_ids();
            for (k, p) in parameters.enumerate() {
                let Some((record, 0)) = self.formal(callee, p) else {
                    continue;
                };
                let formal = &self.found[callee.index()].all[record];
                let passed = arguments.get(k..k + formal.parts.len());
                let fits = passed.zip(self.here).is_some_and(|(passed, of)| {
                    let place = RecordPlace::passed(of, formal, passed);
                    place.is_some_and(|place| place.fits(&of.all[place.record], formal))
                });
                if !fits {
                    self.lost_by_callees.push((callee, record));
                }
            }
        }
    }

    fn visit_place(&mut self, place: &'ir Place, role: PlaceRole) {
        walk_place(self, place);
        let Some((of, (k, leaf))) = self.here.and_then(|of| Some((of, of.home(place.var)?))) else {
            return;
        };
        let record = &of.all[k];
        let leaf = &record.leaves[leaf];
        let (at, members) = place
            .subscripts
            .split_at(record.rank.min(place.subscripts.len()));
        let is_constant = |s: &Subscript| match FlatSubscript::view(s) {
            FlatSubscript::Index(e) => e.constant().is_some(),
            FlatSubscript::Range(range) => {
                range.lower.as_ref().is_none_or(|e| e.constant().is_some())
            }
        };
        if record.is_single && !at.iter().all(is_constant) {
            self.many.push(k);
        }
        if record.rank == 0 && leaf.is_plain() || role == PlaceRole::Shape {
            return;
        }
        let mut formal = None;
        if let PlaceRole::Bind { callee, formal: at } = role {
            let p = self.program.routine(callee).parameters.get(at);
            if p.is_some_and(|p| self.formal(callee, *p).is_some()) {
                return;
            }
            formal = self.program.routine(callee).parameter(at);
        }
        // Between the elements of different structures there are others.
        let inner = leaf.path.iter().rev().skip(1);
        let inner: usize = inner.map(|(_, extents)| extents.len()).sum();
        let is_inside = match place.subscripts.is_empty() {
            true => inner == 0,
            false => members.iter().take(inner).all(|s| s.index().is_some()),
        };
        let is_one = record.rank == 0 || record.count == Some(1);
        let is_element = !at.is_empty() && at.iter().all(|s| s.index().is_some());
        let is_many = formal.is_some_and(|f| f.rank() > 0 && f.constant_size() != Some(1));
        let has_gaps = !is_inside || !is_element && !is_one;
        if has_gaps && !self.by_elements || place.is_element() && is_many {
            self.lost.push(k);
        }
    }
}

/// True of a statement that is a loop over elements: of a push, a pop, and an assignment of what is computed from
/// elements, all of which are there.
fn is_by_elements(kind: &StmtKind) -> bool {
    match FlatStmt::view(kind) {
        FlatStmt::Push { class, value, .. } => {
            class != TapeClass::Disk && matches!(value, Expr::Place(_))
        }
        FlatStmt::Pop { class, .. } => class != TapeClass::Disk,
        FlatStmt::Assign { value, .. } => {
            let mut all = true;
            value.walk(&mut |e| {
                if let Expr::Op(op, _) = e {
                    let is_lazy = matches!(op, Op::If | Op::And | Op::Or);
                    all &= op.class() == OpClass::Elemental && !is_lazy;
                }
            });
            all
        }
        FlatStmt::Call { .. } | FlatStmt::Opaque { .. } | FlatStmt::Stop { .. } => false,
    }
}

impl Uses<'_> {
    /// The record that a parameter of a routine is a leaf of, and which leaf.
    fn formal(&self, callee: RoutineId, p: VarId) -> Option<(usize, usize)> {
        self.found.get(callee.index())?.home(p)
    }
}
