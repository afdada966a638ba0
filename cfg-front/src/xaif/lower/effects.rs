//! Independents and dependents: active formals that are read before they are written, and those that
//! are written.
//!
//! "Before" along paths from ENTRY on which no part of the variable has been written, loops taken to
//! run at least once: `y(i) = ...` in a loop followed by a use of `y(j)` does not make y an independent.

use crate::xaif::{
    notation::names,
    read::{
        model::Model,
        scan::Scan,
        xml::{At, Document},
    },
};
use cfg_core::{
    entity::{GlobalId, RoutineId, VarId},
    graph::{Adjacency, postorder},
    ir::{
        Cfg, Intent, Place, Program, Role, Stmt, StmtKind,
        visit::{PlaceRole, Visit, walk_place, walk_statement},
    },
    structure::Structure,
};
use fixedbitset::FixedBitSet;
use std::collections::BTreeSet;

/// Sets the independents and dependents of every routine.
pub(crate) fn independents(doc: &Document<'_>, model: &Model, scan: &Scan, program: &mut Program) {
    let exposed = exposed(scan, program);
    for (r, decl) in model.routines.iter().enumerate() {
        let mut independents = Vec::new();
        let mut dependents = Vec::new();
        for (i, &(symbol, node)) in decl.formals.iter().enumerate() {
            let routine = &program.routines[r];
            let active = model.symbols[symbol].active
                && routine.parameter(i).is_some_and(|x| x.ty.is_real());
            let Some(&v) = routine.parameters.get(i).filter(|_| active) else {
                continue;
            };
            let out = doc.attr(node, At::Intent).as_deref() == Some("out");
            if exposed[r].contains(i) && !out {
                independents.push(v);
            }
            if scan.writes_formal[r].get(i) == Some(&true) {
                dependents.push(v);
            }
        }
        let routine = &mut program.routines[r];
        routine.independents = independents;
        routine.dependents = dependents;
    }
}

/// A variable of the main routine by name; a global that only other routines use is added to it.
pub(crate) fn named(program: &mut Program, main: RoutineId, name: &str) -> Option<VarId> {
    if let Some(v) = names::find_variable(program, main, name) {
        let local = matches!(program.routine(main).variable(v).role, Role::Local);
        return (!local).then_some(v);
    }
    let lower = name.to_ascii_lowercase();
    let by = |f: &dyn Fn(&cfg_core::ir::Variable) -> bool| {
        program.globals.iter().position(|g| f(&g.variable))
    };
    let g = by(&|v| v.name == name)
        .or_else(|| by(&|v| names::has_symbol(&v.annotations, name)))
        .or_else(|| by(&|v| v.name == lower))?;
    let id = GlobalId::new(g);
    let routine = &program.routines[main.index()];
    let used = routine
        .variables
        .iter()
        .position(|v| v.role == Role::Global(id));
    if let Some(v) = used {
        return Some(VarId::new(v));
    }
    let variable = program.globals[g].variable.clone();
    if routine.find_variable(&variable.name).is_some() {
        return None;
    }
    Some(program.routines[main.index()].add_variable(variable))
}

/// Parameters of each routine that may be read before any part of them is written.
fn exposed(scan: &Scan, program: &Program) -> Vec<FixedBitSet> {
    let count = program.routines.len();
    let mut callers: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); count];
    for (r, routine) in program.routines.iter().enumerate() {
        for (_, vertex) in routine.body.iter().flat_map(Cfg::vertices) {
            for statement in vertex.statements() {
                if let StmtKind::Call { callee, .. } = &statement.kind {
                    callers[callee.index()].insert(r);
                }
            }
        }
    }
    let structures: Vec<Option<Structure>> = program
        .routines
        .iter()
        // Validation reports a graph that does not nest; here every read in such a graph counts.
        .map(|r| Structure::compute(r.body.as_ref()?).ok())
        .collect();
    let mut found: Vec<FixedBitSet> = program
        .routines
        .iter()
        .map(|r| FixedBitSet::with_capacity(r.parameters.len()))
        .collect();
    // Callees first; only recursion needs another round.
    let calls = callers
        .iter()
        .enumerate()
        .flat_map(|(callee, of)| of.iter().map(move |&caller| (caller, callee)));
    // An artificial vertex calls every routine, so that one search reaches all.
    let all = (0..count).map(|r| (count, r));
    let graph = Adjacency::new(count + 1, calls.chain(all));
    let order = postorder(&graph, count);
    let mut waiting = vec![true; count + 1];
    waiting[count] = false;
    let mut again = true;
    while std::mem::take(&mut again) {
        for &r in &order {
            if !std::mem::replace(&mut waiting[r], false) {
                continue;
            }
            let new = of_routine(scan, program, r, structures[r].as_ref(), &found);
            if new != found[r] {
                found[r] = new;
                for &caller in &callers[r] {
                    waiting[caller] = true;
                    again = true;
                }
            }
        }
    }
    found
}

/// Parameters that one routine reads before it writes them, by position, given those of the routines it calls.
fn of_routine(
    scan: &Scan,
    program: &Program,
    r: usize,
    structure: Option<&Structure>,
    callees: &[FixedBitSet],
) -> FixedBitSet {
    let routine = &program.routines[r];
    let parameters = routine.parameters.len();
    let mut flow = Flow {
        scan,
        program,
        callees,
        positions: routine.parameter_positions(),
        exposed: FixedBitSet::with_capacity(parameters),
        written: FixedBitSet::with_capacity(parameters),
        bound: Vec::new(),
    };
    let Some(cfg) = &routine.body else {
        return flow.exposed;
    };
    let mut out: Vec<Option<FixedBitSet>> = vec![None; cfg.vertex_count()];
    match structure {
        Some(structure) => {
            for &v in &structure.order {
                // After a loop: what its body has written; in the body and elsewhere: what every
                // predecessor that has been seen has.
                let mut state: Option<FixedBitSet> = None;
                for &e in cfg.in_edges(v) {
                    let from = cfg.edge(e).from;
                    let source = if structure.kind(e).loop_exit {
                        structure.partner(from).unwrap_or(from)
                    } else {
                        from
                    };
                    if let Some(other) = &out[source.index()] {
                        match &mut state {
                            Some(state) => state.intersect_with(other),
                            None => state = Some(other.clone()),
                        }
                    }
                }
                flow.written = state.unwrap_or_else(|| FixedBitSet::with_capacity(parameters));
                flow.visit_vertex(v, cfg.vertex(v));
                out[v.index()] = Some(flow.written.clone());
            }
        }
        None => {
            // No structure: every read of a parameter counts.
            for (v, vertex) in cfg.vertices() {
                flow.written.clear();
                flow.visit_vertex(v, vertex);
            }
        }
    }
    flow.exposed
}

struct Flow<'a> {
    scan: &'a Scan,
    program: &'a Program,
    callees: &'a [FixedBitSet],
    /// The position of each variable among the parameters.
    positions: Vec<Option<usize>>,
    exposed: FixedBitSet,
    written: FixedBitSet,
    /// The variables among the arguments seen of a call, as far as it writes them.
    bound: Vec<VarId>,
}

impl Flow<'_> {
    fn read_var(&mut self, v: VarId) {
        if let Some(i) = self.positions[v.index()]
            && !self.written.contains(i)
        {
            self.exposed.insert(i);
        }
    }

    fn write(&mut self, v: VarId) {
        if let Some(i) = self.positions[v.index()] {
            self.written.insert(i);
        }
    }

    /// Values that the call has written to its actuals count after all of them have been read.
    fn end_of_arguments(&mut self) {
        for v in std::mem::take(&mut self.bound) {
            self.write(v);
        }
    }

    fn reads_formal(&self, callee: RoutineId, formal: usize) -> bool {
        self.callees[callee.index()].contains(formal)
    }

    fn writes_formal(&self, callee: RoutineId, formal: usize) -> bool {
        let scanned = self.scan.writes_formal.get(callee.index());
        let declared = || {
            let formal = self.program.routine(callee).parameter(formal);
            formal.and_then(|p| p.intent()).is_some_and(Intent::writes)
        };
        let scanned = scanned.and_then(|f| f.get(formal).copied());
        scanned.unwrap_or_else(declared)
    }
}

impl<'ir> Visit<'ir> for Flow<'_> {
    fn visit_statement(&mut self, statement: &'ir Stmt) {
        walk_statement(self, statement);
        self.end_of_arguments();
    }

    fn visit_place(&mut self, place: &'ir Place, role: PlaceRole) {
        match role {
            PlaceRole::Read
            | PlaceRole::Shape
            | PlaceRole::Address
            | PlaceRole::AddressTaken
            | PlaceRole::Push => {
                self.read_var(place.var);
                walk_place(self, place);
            }
            PlaceRole::Bind { callee, formal } => {
                walk_place(self, place);
                if self.reads_formal(callee, formal) {
                    self.read_var(place.var);
                }
                if self.writes_formal(callee, formal) {
                    self.bound.push(place.var);
                }
            }
            PlaceRole::Define { .. } | PlaceRole::Renew { .. } | PlaceRole::Pop { .. } => {
                self.end_of_arguments();
                walk_place(self, place);
                self.write(place.var);
            }
            // No place has one of these roles.
            PlaceRole::Clobber | PlaceRole::Tape => {}
        }
    }

    fn visit_variable(&mut self, v: &'ir VarId, role: PlaceRole) {
        // The index of a counted loop; opaque statements and tapes have no derivatives.
        if let PlaceRole::Define { .. } = role {
            self.write(*v);
        }
    }
}
