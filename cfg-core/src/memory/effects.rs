//! The effects of a call of each routine: which formals and globals it reads and writes, through all calls that it
//! makes, recursion included.
//!
//! One visit of each routine finds the effects of its own statements, and the variables that it binds to formals.
//! Reads of formals flow against these bindings to the variables until nothing is added; effects on globals flow from
//! callees to callers along the components of the call graph. The flows are linear in the size of the program, except
//! for the sets of globals, which share their common members ([`GlobalSet`]). A formal whose intent allows writing
//! counts as *written* even if no statement writes it, because the sweeps of its routine may restore it.
//!
//! A variable is *surely written* if every path from ENTRY to EXIT overwrites all of it. A forward analysis finds the
//! variables that may still be unwritten, for each routine that is called, callees first. Routines that call each
//! other surely write nothing through these calls.
//!
//! ```
//! use cfg_core::builder::{ProgramBuilder, RoutineBuilder, expr::*};
//! use cfg_core::ir::ScalarType::Real;
//! use cfg_core::memory::effects::Effects;
//!
//! let mut program = ProgramBuilder::new();
//! let g = program.global("g", Real);
//! let mut f = RoutineBuilder::new("f");
//! let (x, y) = (f.inout("x", Real), f.output("y", Real));
//! let g_in_f = f.global(program.program(), g);
//! f.assign(y, x * g_in_f);
//! let f = program.add(f);
//! let mut main = RoutineBuilder::new("main");
//! let (x, y) = (main.inout("x", Real), main.output("y", Real));
//! main.call(f, [x, y]);
//! program.add(main);
//! let program = program.finish()?;
//! let effects = Effects::summarise(&program);
//! assert!(effects.read(f).contains(g) && !effects.written(f).contains(g));
//! let formals = effects.formals(f);
//! assert!(formals.read.contains(0) && !formals.surely_written.contains(0));
//! assert!(!formals.read.contains(1) && formals.surely_written.contains(1));
//! # Ok::<(), cfg_core::diagnostic::Diagnostics>(())
//! ```

use super::{
    callgraph::CallGraph,
    global_set::GlobalSet,
    named::{Named, global_variables},
    storage::Storage,
};
use crate::{
    dataflow::{Analysis, Direction, Position, Set, solve},
    entity::{GlobalId, RoutineId, VarId, VertexId},
    ir::{
        Cfg, Intent, Place, Program, Role, Routine, ScalarType, Stmt, StmtKind, Variable, Vertex,
        visit::{PlaceRole, Visit, walk_place},
    },
};
use fixedbitset::FixedBitSet;

/// Default limit on the bits of all states of one routine in the search for sure writes.
pub const STATES_LIMIT: usize = 1 << 24;

/// The effects of a routine on its formals, by their positions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FormalEffects {
    /// Formals whose values may be read.
    pub read: FixedBitSet,
    /// Formals that may be written, as their intents say.
    pub written: FixedBitSet,
    /// Formals that every run that returns overwrites completely; optional ones if they are present.
    pub surely_written: FixedBitSet,
    /// Formals whose shape or presence inquiries ask for.
    pub asked: FixedBitSet,
}

/// The set of scalar types that some variables have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Types(u16);

impl Types {
    fn bit(ty: ScalarType) -> u16 {
        match ty {
            ScalarType::Real => 1,
            ScalarType::Real32 => 2,
            ScalarType::Integer => 4,
            ScalarType::Logical => 8,
            ScalarType::Tape => 16,
            ScalarType::Sized(ty) => 32 << ty as u16,
            // One bit for all records: code that has to tell records apart looks at the variables.
            ScalarType::Record(_) => 1 << 12,
            // One bit for all pointers, likewise.
            ScalarType::Pointer(_) => 1 << 13,
        }
    }

    /// True if one of them has this type.
    pub fn contains(self, ty: ScalarType) -> bool {
        self.0 & Self::bit(ty) != 0
    }

    fn insert(&mut self, ty: ScalarType) {
        self.0 |= Self::bit(ty);
    }
}

/// The effects of calls of the routines of a program.
#[derive(Clone, Debug, Default)]
pub struct Effects {
    /// The call graph of the program.
    pub calls: CallGraph,
    /// The storages in which the globals lie.
    pub storage: Storage,
    named: Vec<GlobalSet>,
    read: Vec<GlobalSet>,
    written: Vec<GlobalSet>,
    surely_written: Vec<GlobalSet>,
    formals: Vec<FormalEffects>,
    types_named: Vec<Types>,
    types_written: Vec<Types>,
}

impl Effects {
    /// The effects of the routines of a program, which need not be valid.
    pub fn summarise(program: &Program) -> Self {
        Self::summarise_within(program, STATES_LIMIT)
    }

    /// The effects of the routines of a program, with a limit: in a routine with more than `states` vertices times
    /// variables, nothing counts as surely written, which is sound but less precise.
    pub fn summarise_within(program: &Program, states: usize) -> Self {
        let calls = CallGraph::build(program);
        let mut direct = Direct::collect(program);
        direct.bind(program);
        let Direct {
            mut named,
            mut read,
            mut written,
            formals,
            ..
        } = direct;
        let types = |sets: &[GlobalSet]| -> Vec<Types> {
            let of = |set: &GlobalSet| {
                let mut types = Types::default();
                set.each(|g| types.insert(program.global(g).variable.ty));
                types
            };
            sets.iter().map(of).collect()
        };
        let (mut types_named, mut types_written) = (types(&named), types(&written));
        for types in [&mut types_named, &mut types_written] {
            calls.propagate(types, |all, of| all.0 |= of.0);
        }
        for sets in [&mut named, &mut read, &mut written] {
            if sets.iter().any(|set| !set.is_empty()) {
                calls.propagate(sets, |all, of| {
                    all.extend(of);
                });
            }
        }
        let mut all = Self {
            surely_written: vec![GlobalSet::default(); named.len()],
            calls,
            storage: Storage::group(program),
            named,
            read,
            written,
            formals,
            types_named,
            types_written,
        };
        all.find_sure_writes(program, states);
        all
    }

    /// True if the program has the routine.
    pub fn has(&self, r: RoutineId) -> bool {
        r.index() < self.named.len()
    }

    /// The globals that a routine names, itself or in the routines that it calls.
    pub fn named(&self, r: RoutineId) -> &GlobalSet {
        &self.named[r.index()]
    }

    /// The globals whose values a call may read.
    pub fn read(&self, r: RoutineId) -> &GlobalSet {
        &self.read[r.index()]
    }

    /// The globals that a call may write.
    pub fn written(&self, r: RoutineId) -> &GlobalSet {
        &self.written[r.index()]
    }

    /// True if a call may read cells of a global, under whatever name.
    pub fn may_read(&self, r: RoutineId, g: GlobalId) -> bool {
        self.storage.meets(self.read(r), g)
    }

    /// True if a call may write cells of a global, under whatever name.
    pub fn may_write(&self, r: RoutineId, g: GlobalId) -> bool {
        self.storage.meets(self.written(r), g)
    }

    /// The globals that every call that returns overwrites completely.
    pub fn surely_written(&self, r: RoutineId) -> &GlobalSet {
        &self.surely_written[r.index()]
    }

    /// The effects of a call on the variables bound to its formals.
    pub fn formals(&self, r: RoutineId) -> &FormalEffects {
        &self.formals[r.index()]
    }

    /// The types of the globals in [`Effects::named`].
    pub fn types_named(&self, r: RoutineId) -> Types {
        self.types_named[r.index()]
    }

    /// The types of the globals in [`Effects::written`].
    pub fn types_written(&self, r: RoutineId) -> Types {
        self.types_written[r.index()]
    }

    /// Finds the sure writes of all routines that are called, callees first.
    fn find_sure_writes(&mut self, program: &Program, states: usize) {
        let mut called = FixedBitSet::with_capacity(program.routines.len());
        for r in (0..program.routines.len()).map(RoutineId::new) {
            called.extend(self.calls.callees(r).iter().map(|c| c.index()));
        }
        let order: Vec<RoutineId> = self.calls.components().iter().flatten().copied().collect();
        for r in order.into_iter().filter(|r| called.contains(r.index())) {
            let routine = program.routine(r);
            let Some(cfg) = &routine.body else { continue };
            let size = routine.variables.len().saturating_mul(cfg.vertex_count());
            let Some(exit) = cfg.exit().filter(|_| size <= states) else {
                continue;
            };
            let unwritten = Unwritten {
                program,
                routine,
                effects: self,
                globals: Named::collect(routine),
            };
            let solution = solve(cfg, &unwritten);
            let left = solution.state_at_inflow(exit);
            let mut formals = FixedBitSet::with_capacity(self.formals[r.index()].written.len());
            let mut globals = GlobalSet::default();
            for (k, p) in routine.parameter_ids().enumerate() {
                let is_parameter = |v: &Variable| matches!(v.role, Role::Parameter { .. });
                if routine.variables.get(p.index()).is_some_and(is_parameter)
                    && !left.contains(p.index())
                {
                    formals.insert(k);
                }
            }
            for (v, variable) in routine.variables.iter().enumerate() {
                match variable.role {
                    Role::Global(g) if !left.contains(v) => globals.insert(g),
                    Role::Global(_) | Role::Parameter { .. } | Role::Local => {}
                }
            }
            self.formals[r.index()].surely_written = formals;
            self.surely_written[r.index()] = globals;
        }
    }
}

/// The effects of each routine's own statements, without those of calls.
struct Direct {
    named: Vec<GlobalSet>,
    read: Vec<GlobalSet>,
    written: Vec<GlobalSet>,
    formals: Vec<FormalEffects>,
    /// The variables that are bound to each formal of each routine, and the routines that bind them.
    bound: Vec<Vec<Vec<(RoutineId, VarId)>>>,
}

impl Direct {
    fn collect(program: &Program) -> Self {
        let n = program.routines.len();
        let declared = |routine: &Routine| {
            let n = routine.parameters.len();
            let intent = |k: usize| routine.parameter(k).and_then(Variable::intent);
            let mut effects = FormalEffects {
                read: FixedBitSet::with_capacity(n),
                written: FixedBitSet::with_capacity(n),
                surely_written: FixedBitSet::with_capacity(n),
                asked: FixedBitSet::with_capacity(n),
            };
            let written = (0..n).filter(|&k| intent(k).is_some_and(Intent::writes));
            effects.written.extend(written);
            effects
        };
        let mut direct = Self {
            named: vec![GlobalSet::default(); n],
            read: vec![GlobalSet::default(); n],
            written: vec![GlobalSet::default(); n],
            formals: program.routines.iter().map(declared).collect(),
            bound: (program.routines.iter())
                .map(|r| vec![Vec::new(); r.parameters.len()])
                .collect(),
        };
        let positions = positions_of(program);
        for (r, routine) in program.routines.iter().enumerate() {
            let id = RoutineId::new(r);
            let globals = global_variables(routine).map(|(_, g)| g);
            direct.named[r] = globals
                .filter(|g| g.index() < program.globals.len())
                .collect();
            // A routine without a body still evaluates the extents of its variables.
            Walk {
                program,
                direct: &mut direct,
                id,
                routine,
                positions: &positions[r],
            }
            .visit_routine(routine);
            if routine.body.is_none() {
                direct.declared(id, routine);
            }
        }
        direct
    }

    /// A routine without a body reads and writes as its intents say.
    fn declared(&mut self, r: RoutineId, routine: &Routine) {
        let formals = &mut self.formals[r.index()];
        for k in 0..routine.parameters.len() {
            let intent = routine.parameter(k).and_then(Variable::intent);
            formals.read.set(k, intent != Some(Intent::Out));
            formals.surely_written.set(k, intent == Some(Intent::Out));
        }
    }

    /// Adds to variables the reads of, and inquiries about, the formals to which they are bound.
    fn bind(&mut self, program: &Program) {
        type Kind = fn(&mut FormalEffects) -> &mut FixedBitSet;
        let kinds: [(Kind, bool); 2] = [(|f| &mut f.read, true), (|f| &mut f.asked, false)];
        let bound = std::mem::take(&mut self.bound);
        let positions = positions_of(program);
        for (kind, reads) in kinds {
            let mut work: Vec<(usize, usize)> = Vec::new();
            for (r, formals) in self.formals.iter_mut().enumerate() {
                work.extend(kind(formals).ones().map(|p| (r, p)));
            }
            while let Some((r, p)) = work.pop() {
                for &(caller, v) in &bound[r][p] {
                    let routine = program.routine(caller);
                    match routine.variable(v).role {
                        Role::Parameter { .. } => {
                            let formals = kind(&mut self.formals[caller.index()]);
                            if let Some(own) = positions[caller.index()][v.index()]
                                && !formals.put(own)
                            {
                                work.push((caller.index(), own));
                            }
                        }
                        Role::Global(g) if reads => self.read[caller.index()].insert(g),
                        Role::Global(_) | Role::Local => {}
                    }
                }
            }
        }
    }
}

/// The position of each variable of each routine among its parameters.
fn positions_of(program: &Program) -> Vec<Vec<Option<usize>>> {
    let routines = program.routines.iter();
    routines.map(Routine::parameter_positions).collect()
}

/// A visit of one routine.
struct Walk<'a> {
    program: &'a Program,
    direct: &'a mut Direct,
    id: RoutineId,
    routine: &'a Routine,
    /// The position of each variable among the parameters.
    positions: &'a [Option<usize>],
}

impl Walk<'_> {
    fn found(&mut self, v: VarId, role: PlaceRole) {
        let Some(variable) = self.routine.variables.get(v.index()) else {
            return;
        };
        let r = self.id.index();
        if let PlaceRole::Bind { callee, formal } = role {
            let bound = &mut self.direct.bound;
            let list = bound
                .get_mut(callee.index())
                .and_then(|b| b.get_mut(formal));
            let known = match variable.role {
                Role::Parameter { .. } => true,
                Role::Global(g) => self.direct.named[r].contains(g),
                Role::Local => false,
            };
            if let Some(list) = list.filter(|_| known) {
                list.push((self.id, v));
            }
            let called = self.program.routines.get(callee.index());
            let formal = called.and_then(|c| c.parameter(formal));
            if !formal.is_some_and(|f| f.intent().is_some_and(Intent::writes)) {
                return;
            }
        }
        // A binding reads only if the callee reads the formal, which the flow along `bound` finds later.
        let reads = role.reads() && !matches!(role, PlaceRole::Bind { .. });
        match variable.role {
            Role::Parameter { .. } => {
                let formals = &mut self.direct.formals[r];
                let put = |set: &mut FixedBitSet| {
                    if let Some(own) = self.positions[v.index()] {
                        set.insert(own);
                    }
                };
                if role == PlaceRole::Shape {
                    put(&mut formals.asked);
                }
                if reads {
                    put(&mut formals.read);
                }
            }
            Role::Global(g) if self.direct.named[r].contains(g) => {
                if reads {
                    self.direct.read[r].insert(g);
                }
                if role.writes() {
                    self.direct.written[r].insert(g);
                }
            }
            Role::Global(_) | Role::Local => {}
        }
    }
}

impl<'ir> Visit<'ir> for Walk<'_> {
    fn visit_place(&mut self, place: &'ir Place, role: PlaceRole) {
        walk_place(self, place);
        self.found(place.var, role);
    }

    fn visit_variable(&mut self, v: &'ir VarId, role: PlaceRole) {
        self.found(*v, role);
    }
}

/// Variables that may not have been overwritten yet: `in(b) = ⋃ out(p)` over the predecessors p, all variables at
/// ENTRY; `out(b) = in(b)` without the variables that b overwrites.
struct Unwritten<'a> {
    program: &'a Program,
    routine: &'a Routine,
    effects: &'a Effects,
    globals: Named,
}

impl Analysis for Unwritten<'_> {
    const NAME: &'static str = "unwritten";
    const DIRECTION: Direction = Direction::Forward;
    type Domain = Set;

    fn bottom(&self, _: &Cfg) -> Set {
        Set::new(self.routine.variables.len())
    }

    fn boundary(&self, cfg: &Cfg) -> Set {
        let mut all = self.bottom(cfg);
        all.fill();
        all
    }

    fn statement(&self, _: Position, statement: &Stmt, state: &mut Set) {
        if let StmtKind::Stop { .. } = statement.kind {
            // Control does not return to a caller, so no variable counts as unwritten.
            state.clear();
            return;
        }
        let mut overwritten = Overwritten {
            within: self,
            state,
        };
        overwritten.visit_statement(statement);
        if let Some(callee) = statement.kind.callee()
            && let Some(surely) = self.effects.surely_written.get(callee.index())
        {
            for v in self.globals.variables_in(surely) {
                state.remove(v.index());
            }
        }
    }

    fn decision(&self, _: VertexId, vertex: &Vertex, state: &mut Set) {
        if let Some(index) = vertex.kind.index().map(|v| v.index())
            && index < state.limit()
        {
            state.remove(index);
        }
    }
}

/// Takes the variables that a statement overwrites completely out of the state.
struct Overwritten<'a> {
    within: &'a Unwritten<'a>,
    state: &'a mut Set,
}

impl<'ir> Visit<'ir> for Overwritten<'_> {
    fn visit_place(&mut self, place: &'ir Place, role: PlaceRole) {
        let Unwritten {
            program,
            routine,
            effects,
            ..
        } = self.within;
        let is_scalar = |v: Option<&Variable>| v.is_some_and(|v| v.rank() == 0);
        let all = match role {
            PlaceRole::Define { whole } | PlaceRole::Renew { whole } | PlaceRole::Pop { whole } => {
                whole
            }
            // A formal of explicit shape may be a view of a part of the array only.
            PlaceRole::Bind { callee, formal } => {
                let called = program.routines.get(callee.index());
                let formals = effects.formals.get(callee.index());
                formals.is_some_and(|f| f.surely_written.contains(formal))
                    && place.subscripts.is_empty()
                    && is_scalar(called.and_then(|r| r.parameter(formal)))
                    && is_scalar(routine.variables.get(place.var.index()))
            }
            PlaceRole::Read
            | PlaceRole::Shape
            | PlaceRole::Address
            | PlaceRole::AddressTaken
            | PlaceRole::Clobber
            | PlaceRole::Push
            | PlaceRole::Tape => false,
        };
        if all && place.var.index() < self.state.limit() {
            self.state.remove(place.var.index());
        }
    }
}

#[cfg(test)]
mod tests;
