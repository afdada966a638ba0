//! The vertices of loops that may write each location.

use super::{
    access::{Access, Accesses, decision_accesses},
    effects::Effects,
    locations::Locations,
};
use crate::{
    entity::VarId,
    graph::loops::{LoopForest, LoopId},
    ir::{Cfg, Program, Routine, Stmt},
};

/// The vertices in loops that may write each location of a routine, through calls too.
#[derive(Clone, Debug)]
pub struct LoopWrites<'a> {
    accesses: Accesses<'a>,
    locations: Locations,
    forest: &'a LoopForest,
    /// The writers of each location: (place among the members of loops, vertex), each once, in ascending order.
    writers: Vec<Vec<(usize, usize)>>,
}

impl<'a> LoopWrites<'a> {
    /// The writers in the loops of a graph of the routine; `effects` are those of its program.
    pub fn collect(
        program: &'a Program,
        effects: &'a Effects,
        routine: &'a Routine,
        cfg: &Cfg,
        forest: &'a LoopForest,
    ) -> Self {
        let locations = Locations::divide(program, routine);
        let accesses = Accesses::resolve(program, effects, routine);
        let mut writers: Vec<Vec<(usize, usize)>> = vec![Vec::new(); routine.variables.len()];
        for (v, vertex) in cfg.vertices() {
            let Some(place) = forest.position(v.index()) else {
                continue;
            };
            let mut found = |access| match access {
                Access::Read(_) => {}
                Access::Write(x) | Access::MayWrite(x) => {
                    let location = locations.of_variable(x).index();
                    if let Some(list) = writers.get_mut(location)
                        && list.last() != Some(&(place, v.index()))
                    {
                        list.push((place, v.index()));
                    }
                }
            };
            for statement in vertex.statements() {
                accesses.each_access(statement, &mut found);
            }
            decision_accesses(vertex, &mut found);
        }
        for list in &mut writers {
            list.sort_unstable();
        }
        Self {
            accesses,
            locations,
            forest,
            writers,
        }
    }

    /// The vertices of a loop that may write the variable's storage.
    pub fn inside(&self, l: LoopId, x: VarId) -> impl Iterator<Item = usize> {
        let list = &self.writers[self.locations.of_variable(x).index()];
        let range = self.forest.places(l);
        let first = list.partition_point(|w| w.0 < range.start);
        let inside = list[first..].iter().take_while(move |w| w.0 < range.end);
        inside.map(|w| w.1)
    }

    /// True if a statement may write the variable's storage.
    pub fn may_write(&self, statement: &Stmt, x: VarId) -> bool {
        let mut found = false;
        self.accesses.each_access(statement, &mut |access| {
            if let Access::Write(y) | Access::MayWrite(y) = access {
                found |= self.locations.may_share(x, y);
            }
        });
        found
    }

    /// The locations of the routine's variables.
    pub fn locations(&self) -> &Locations {
        &self.locations
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        builder::{ProgramBuilder, RoutineBuilder},
        entity::VertexId,
        ir::ScalarType::{Integer, Real},
        testing::{Rng, random_routine},
    };

    /// In random graphs of jumps, the writers in a loop are its members that write the variable, each once.
    #[test]
    fn writers_are_members_of_their_loops() {
        let mut rng = Rng::new(41);
        let mut writers = 0;
        for _ in 0..150 {
            let routine = random_routine(&mut rng, 30, true);
            let program = Program {
                routines: vec![routine.clone()],
                ..Program::default()
            };
            let effects = Effects::summarise(&program);
            let routine = crate::recover::flatten(&program, &effects, &routine);
            let cfg = routine.body.as_ref().expect("it has a body");
            let entry = cfg.entry().expect("it has an ENTRY");
            let forest = LoopForest::new(cfg, entry.index());
            let all = LoopWrites::collect(&program, &effects, &routine, cfg, &forest);
            let accesses = Accesses::resolve(&program, &effects, &routine);
            for l in forest.loops() {
                for x in (0..routine.variables.len()).map(VarId::new) {
                    let writes = |v: &usize| {
                        let mut found = false;
                        let mut look = |access: Access| {
                            found |= access == Access::Write(x) || access == Access::MayWrite(x);
                        };
                        let vertex = cfg.vertex(VertexId::new(*v));
                        for statement in vertex.statements() {
                            accesses.each_access(statement, &mut look);
                        }
                        decision_accesses(vertex, &mut look);
                        found
                    };
                    let mut expected = forest.members(l).to_vec();
                    expected.retain(writes);
                    let mut found: Vec<usize> = all.inside(l, x).collect();
                    writers += found.len();
                    expected.sort_unstable();
                    found.sort_unstable();
                    assert_eq!(found, expected);
                }
            }
        }
        assert!(writers > 100, "{writers}");
    }

    /// A statement that writes two names of one storage may write each of them.
    #[test]
    fn statements_that_write_one_storage_twice() {
        let mut program = ProgramBuilder::new();
        let mut two = RoutineBuilder::new("two");
        two.aliased();
        let (a, b) = (two.inout("a", Real), two.inout("b", Real));
        two.assign(a, b);
        two.assign(b, 1.0);
        let two = program.add(two);
        let mut f = RoutineBuilder::new("f");
        f.aliased();
        let (x, y) = (f.inout("x", Real), f.inout("y", Real));
        f.inout("n", Integer);
        f.call(two, [x, y]);
        program.add(f);
        let program = program.into_program().expect("the builder is used right");
        let effects = Effects::summarise(&program);
        let routine = &program.routines[1];
        let cfg = routine.body.as_ref().expect("it has a body");
        let forest = LoopForest::new(cfg, 0);
        let writes = LoopWrites::collect(&program, &effects, routine, cfg, &forest);
        let call = routine.statements().next().expect("it is there");
        let found = [0, 1, 2].map(|v| writes.may_write(call, VarId::new(v)));
        assert_eq!(found, [true, true, false]);
    }

    /// Statements write their targets and the variables that they bind to written parameters, under every name.
    #[test]
    fn statements_that_may_write_a_variable() {
        let mut program = ProgramBuilder::new();
        let g = program.global("g", Real);
        let mut helper = RoutineBuilder::new("helper");
        let (read, written) = (helper.input("r", Real), helper.inout("w", Real));
        helper.assign(written, read + 1.0);
        let helper = program.add(helper);
        let mut f = RoutineBuilder::new("f");
        let (x, y) = (f.inout("x", Real), f.inout("y", Real));
        let g = f.global(program.program(), g);
        f.assign(x, y + g);
        f.call(helper, [x, y]);
        f.call(helper, [y, g]);
        let f = program.add(f);
        let program = program.finish().expect("the builder is used right");
        let (routine, effects) = (program.routine(f), Effects::summarise(&program));
        let cfg = routine.body.as_ref().expect("it has a body");
        let forest = LoopForest::new(cfg, 0);
        let writes = LoopWrites::collect(&program, &effects, routine, cfg, &forest);
        let statements: Vec<&Stmt> = (cfg.vertices())
            .flat_map(|(_, vertex)| vertex.statements())
            .collect();
        let found: Vec<[bool; 3]> = (statements.iter())
            .map(|s| [x, y, g].map(|v| writes.may_write(s, v)))
            .collect();
        let expected = [
            [true, false, false],
            [false, true, false],
            [false, false, true],
        ];
        assert_eq!(found, expected);
    }
}
