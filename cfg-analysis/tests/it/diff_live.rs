//! Diff-liveness, for adjoints that read at random, against walks from ENTRY to EXIT, each followed back from its end.

use crate::tbr::Reads;
use cfg_analysis::{diff_live::DiffLiveness, tbr::ReverseSweep};
use cfg_core::{
    dataflow::{Analysis as _, Position, solve, solve_within},
    entity::{EdgeId, VarId, VertexId},
    ir::{Cfg, Expr, Extent, Intent, Place, Program, Role, Routine, Stmt, VertexKind},
    memory::{
        access::{Access, Accesses, decision_accesses},
        effects::Effects,
        locations::Locations,
    },
};
use cfg_testkit::{
    generate::{Options, undamped},
    rng::Rng,
};
use std::collections::BTreeSet;

/// Walks of one routine.
const WALKS: usize = 300;

/// Most edges of a walk.
const LONGEST: usize = 400;

struct Oracle<'a> {
    routine: &'a Routine,
    cfg: &'a Cfg,
    locations: &'a Locations,
    accesses: Accesses<'a>,
    reads: &'a Reads<'a>,
}

impl Oracle<'_> {
    fn locations(&self, place: &Place) -> Vec<usize> {
        let mut found = Vec::new();
        (self.locations).each_location(place, &mut |l| found.push(l.index()));
        found
    }

    /// The locations of all variables that an expression names.
    fn named(&self, e: &Expr) -> Vec<usize> {
        let mut found = Vec::new();
        e.walk_places(&mut |place| found.extend(self.locations(&Place::whole(place.var))));
        found
    }

    fn add(&self, access: Access, needed: &mut BTreeSet<usize>) {
        if let Access::Read(v) = access {
            needed.extend(self.locations(&Place::whole(v)));
        }
    }

    /// The locations that have to be defined at the end.
    fn at_exit(&self) -> BTreeSet<usize> {
        let variables = (0..self.routine.variables.len()).map(VarId::new);
        let outlive = variables.filter(|&v| match self.routine.variable(v).role {
            Role::Parameter { intent, .. } => intent == Intent::Out,
            Role::Global(_) => true,
            Role::Local => self.routine.result == Some(v),
        });
        outlive
            .flat_map(|v| self.locations(&Place::whole(v)))
            .collect()
    }

    /// A walk from ENTRY to EXIT: its edges.
    fn walk(&self, rng: &mut Rng) -> Option<Vec<EdgeId>> {
        let mut at = self.cfg.entry()?;
        let mut walk = Vec::new();
        while !matches!(self.cfg.vertex(at).kind, VertexKind::Exit) {
            let edges = self.cfg.out_edges(at);
            let &edge = edges.get(rng.below(edges.len().max(1)))?;
            walk.push(edge);
            at = self.cfg.edge(edge).to;
            if walk.len() > LONGEST {
                return None;
            }
        }
        Some(walk)
    }

    /// Adds the statements of a vertex whose runs on a walk are needed.
    fn through(&self, v: VertexId, needed: &mut BTreeSet<usize>, all: &mut BTreeSet<Position>) {
        let vertex = self.cfg.vertex(v);
        decision_accesses(vertex, &mut |access| self.add(access, needed));
        self.reads
            .decision_reads(v, &mut |e| needed.extend(self.named(e)));
        for (s, statement) in vertex.statements().iter().enumerate().rev() {
            let at = Position {
                vertex: v,
                statement: s,
            };
            needed.extend(self.reads.reads_after_list(at));
            let inverse = self.reads.inverses.get(&at);
            needed.extend(inverse.into_iter().flat_map(|e| self.named(e)));
            if self.is_needed(statement, needed) {
                all.insert(at);
                if let Some((target, _)) = statement.kind.assignment()
                    && self.locations.replaces(target)
                {
                    for l in self.locations(target) {
                        needed.remove(&l);
                    }
                }
                self.accesses
                    .each_access(statement, &mut |access| self.add(access, needed));
            }
            needed.extend(self.reads.reads_before_list(at));
        }
    }

    fn is_needed(&self, statement: &Stmt, needed: &BTreeSet<usize>) -> bool {
        let assigned = statement.kind.assignment();
        assigned.is_none_or(|(target, _)| {
            let shape = &self.routine.variable(target.var).shape;
            let is_deferred = shape.iter().any(|dim| dim.extent == Extent::Deferred);
            is_deferred || self.locations(target).iter().any(|l| needed.contains(l))
        })
    }

    /// The statements that are needed on some walk.
    fn needed(&self, rng: &mut Rng) -> BTreeSet<Position> {
        let mut all = BTreeSet::new();
        for _ in 0..WALKS {
            let Some(walk) = self.walk(rng) else {
                continue;
            };
            let mut needed = self.at_exit();
            for &e in walk.iter().rev() {
                let edge = self.cfg.edge(e);
                self.through(edge.to, &mut needed, &mut all);
                for (_, value) in self.reads.computed.get(&e).into_iter().flatten() {
                    needed.extend(self.named(value));
                }
            }
        }
        all
    }
}

/// The statements of a routine: all, those that no derivative needs, and those that are taken to be needed although no
/// walk needs them.
fn check(program: &Program, routine: &Routine, cfg: &Cfg, rng: &mut Rng) -> [usize; 3] {
    let effects = Effects::summarise(program);
    let locations = Locations::divide(program, routine).with_elements(program, routine, cfg);
    let reads = Reads::random(routine, cfg, locations.len(), program.globals.len(), rng);
    let analysis = DiffLiveness::new(program, &effects, routine, &locations, &reads);
    let oracle = Oracle {
        routine,
        cfg,
        locations: &locations,
        accesses: Accesses::resolve(program, &effects, routine),
        reads: &reads,
    };
    let needed = oracle.needed(rng);
    let mut counts = [0; 3];
    for (k, solution) in [solve(cfg, &analysis), solve_within(cfg, &analysis, 0)]
        .iter()
        .enumerate()
    {
        solution.each_vertex(cfg, |v, state| {
            let vertex = cfg.vertex(v);
            analysis.decision(v, vertex, state);
            for (s, statement) in vertex.statements().iter().enumerate().rev() {
                let at = Position {
                    vertex: v,
                    statement: s,
                };
                let is_live = analysis.needing(at, statement, state);
                assert!(is_live || !needed.contains(&at), "{} {at:?}", routine.name);
                if k == 0 {
                    counts[0] += 1;
                    counts[1] += usize::from(!is_live);
                    counts[2] += usize::from(is_live && !needed.contains(&at));
                }
            }
        });
    }
    counts
}

#[test]
fn what_is_left_out_is_what_no_walk_needs() {
    let mut all = [0; 3];
    for seed in 0..60 {
        let case = undamped(&Options::WIDE, seed);
        let mut rng = Rng::new(seed);
        for routine in &case.program.routines {
            if let Some(cfg) = &routine.body {
                let counts = check(&case.program, routine, cfg, &mut rng);
                (0..3).for_each(|k| all[k] += counts[k]);
            }
        }
    }
    let [statements, left_out, unseen] = all;
    // Long walks are cut off, so that some needs are not seen.
    assert!(left_out > 300 && unseen * 100 < statements, "{all:?}");
}
