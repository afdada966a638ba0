//! The effects of calls, against the definitions of reads and writes, applied one by one until nothing changes.

use cfg_core::{
    entity::{GlobalId, RoutineId, VarId, VertexId},
    ir::{
        Intent, Program, Role, Routine, Stmt,
        visit::{PlaceRole, each_name, each_written},
    },
    memory::effects::Effects,
};
use cfg_testkit::generate::{Options, undamped};
use std::collections::BTreeSet;

type Globals = BTreeSet<GlobalId>;

/// Every name in a routine with its role: in statements, decisions, extents, and the facts about an external routine.
fn names(routine: &Routine) -> Vec<(VarId, PlaceRole)> {
    struct Names(Vec<(VarId, PlaceRole)>);
    impl<'ir> cfg_core::ir::visit::Visit<'ir> for Names {
        fn visit_place(&mut self, place: &'ir cfg_core::ir::Place, role: PlaceRole) {
            cfg_core::ir::visit::walk_place(self, place);
            self.0.push((place.var, role));
        }
        fn visit_variable(&mut self, v: &'ir VarId, role: PlaceRole) {
            self.0.push((*v, role));
        }
    }
    let mut names = Names(Vec::new());
    cfg_core::ir::visit::Visit::visit_routine(&mut names, routine);
    names.0
}

/// The reads through formals and globals, by repeating the definition until nothing is added.
fn read(program: &Program) -> Vec<(BTreeSet<usize>, Globals)> {
    let all: Vec<_> = program.routines.iter().map(names).collect();
    let mut found = vec![(BTreeSet::new(), Globals::new()); program.routines.len()];
    loop {
        let before = found.clone();
        for (r, routine) in program.routines.iter().enumerate() {
            if routine.body.is_none() {
                let formals = routine.parameter_ids().map(|p| routine.variable(p));
                let read = formals
                    .enumerate()
                    .filter(|(_, v)| v.intent() != Some(Intent::Out));
                found[r].0.extend(read.map(|(k, _)| k));
            }
            for &(v, role) in &all[r] {
                let reads = match role {
                    PlaceRole::Bind { callee, formal } => {
                        before[callee.index()].0.contains(&formal)
                    }
                    role => role.reads(),
                };
                if reads {
                    match routine.variable(v).role {
                        Role::Parameter { .. } => found[r].0.extend(routine.parameter_position(v)),
                        Role::Global(g) => drop(found[r].1.insert(g)),
                        Role::Local => {}
                    }
                }
            }
            for callee in routine.statements().filter_map(|s| s.kind.callee()) {
                found[r].1.extend(before[callee.index()].1.iter());
            }
        }
        if found == before {
            return found;
        }
    }
}

/// The globals that calls may write, in the same way.
fn written(program: &Program) -> Vec<Globals> {
    let mut found = vec![Globals::new(); program.routines.len()];
    loop {
        let before = found.clone();
        for (r, routine) in program.routines.iter().enumerate() {
            let mut write = |v: VarId| {
                if let Role::Global(g) = routine.variable(v).role {
                    found[r].insert(g);
                }
            };
            for (_, vertex) in routine.body.iter().flat_map(|cfg| cfg.vertices()) {
                vertex.kind.index().into_iter().for_each(&mut write);
                for statement in vertex.statements() {
                    each_written(program, statement, &mut write);
                }
            }
            for callee in routine.statements().filter_map(|s| s.kind.callee()) {
                found[r].extend(before[callee.index()].iter());
            }
        }
        if found == before {
            return found;
        }
    }
}

/// True if a path from ENTRY to EXIT has no statement that overwrites the variable completely; calls have the effects
/// of their routines.
fn can_stay(program: &Program, effects: &Effects, routine: &Routine, v: VarId) -> bool {
    let cfg = routine.body.as_ref().expect("it has a body");
    let overwrites = |statement: &Stmt| {
        let mut found = false;
        each_name(statement, &mut |x, role| {
            found |= x == v
                && match role {
                    PlaceRole::Define { whole } | PlaceRole::Pop { whole } => whole,
                    PlaceRole::Bind { callee, formal } => {
                        // An element that is bound to a scalar leaves the rest of its array.
                        let formals = effects.formals(callee);
                        let parameter = program.routine(callee).parameter(formal).unwrap();
                        let scalars = parameter.rank() == 0 && routine.variable(x).rank() == 0;
                        scalars && formals.surely_written.contains(formal)
                    }
                    _ => false,
                };
        });
        if let Some(callee) = statement.kind.callee()
            && let Role::Global(g) = routine.variable(v).role
        {
            found |= effects.surely_written(callee).contains(g);
        }
        found
    };
    let mut seen = vec![false; cfg.vertex_count()];
    let mut work: Vec<VertexId> = cfg.entry().into_iter().collect();
    while let Some(u) = work.pop() {
        if std::mem::replace(&mut seen[u.index()], true) {
            continue;
        }
        let vertex = cfg.vertex(u);
        let stops = vertex.kind.index() == Some(v) || vertex.statements().iter().any(overwrites);
        if !stops {
            work.extend(cfg.successors(u));
        }
    }
    cfg.exit().is_some_and(|exit| seen[exit.index()])
}

#[test]
fn effects_are_what_they_are_defined_to_be() {
    let options = Options {
        recursion: 60,
        globals: 90,
        ..Options::WIDE
    };
    let mut surely = 0;
    for seed in 0..400 {
        let case = undamped(&options, seed);
        let program = &case.program;
        let effects = Effects::summarise(program);
        let called: BTreeSet<RoutineId> = (program.routines.iter())
            .flat_map(|r| r.statements().filter_map(|s| s.kind.callee()))
            .collect();
        let (reads, writes) = (read(program), written(program));
        for (r, routine) in program.routines.iter().enumerate() {
            let id = RoutineId::new(r);
            let read: BTreeSet<usize> = effects.formals(id).read.ones().collect();
            assert_eq!(read, reads[r].0, "seed {seed}, {}", routine.name);
            let globals: Globals = effects.read(id).to_vec().into_iter().collect();
            assert_eq!(globals, reads[r].1, "seed {seed}, {}", routine.name);
            let globals: Globals = effects.written(id).to_vec().into_iter().collect();
            assert_eq!(globals, writes[r], "seed {seed}, {}", routine.name);
            if routine.body.is_none() || !called.contains(&id) {
                continue;
            }
            for (v, variable) in routine.variables.iter().enumerate() {
                let sure = match variable.role {
                    Role::Parameter { .. } => effects.formals(id).surely_written.contains(v),
                    Role::Global(g) => effects.surely_written(id).contains(g),
                    Role::Local => continue,
                };
                surely += usize::from(sure);
                // Sure writes through recursion are not found.
                if sure || !calls_itself(program, id) {
                    let stays = can_stay(program, &effects, routine, VarId::new(v));
                    assert_eq!(
                        sure, !stays,
                        "seed {seed}, {}: {}",
                        routine.name, variable.name
                    );
                }
            }
        }
    }
    assert!(surely > 200, "{surely}");
}

fn calls_itself(program: &Program, r: RoutineId) -> bool {
    let mut seen = BTreeSet::new();
    let mut work = vec![r];
    while let Some(u) = work.pop() {
        for callee in program
            .routine(u)
            .statements()
            .filter_map(|s| s.kind.callee())
        {
            if callee == r {
                return true;
            }
            if seen.insert(callee) {
                work.push(callee);
            }
        }
    }
    false
}
