//! Liveness against paths to reads.

use cfg_analysis::liveness::Liveness;
use cfg_core::{
    dataflow::solve,
    entity::VarId,
    ir::{Cfg, Intent, LoopTest, Program, Role, Routine, VertexKind},
    memory::{
        access::{Access, Accesses, decision_accesses},
        effects::Effects,
    },
};
use cfg_format::text;
use cfg_testkit::generate::{Options, undamped};

/// The graph of single accesses: for each vertex a chain of its accesses, loop headers entered through chains of their
/// own for the entry and the back edge.
#[derive(Default)]
struct Points {
    accesses: Vec<Option<Access>>,
    next: Vec<Vec<usize>>,
    first: Vec<usize>,
    last: Vec<usize>,
}

impl Points {
    fn build(program: &Program, effects: &Effects, routine: &Routine, cfg: &Cfg) -> Self {
        let mut p = Self::default();
        let accesses = Accesses::resolve(program, effects, routine);
        for (_, vertex) in cfg.vertices() {
            let mut list = Vec::new();
            for s in vertex.statements() {
                accesses.each_access(s, &mut |a| list.push(a));
            }
            if !matches!(vertex.kind, VertexKind::Loop { .. }) {
                decision_accesses(vertex, &mut |a| list.push(a));
            }
            let (first, last) = p.chain(&list);
            p.first.push(first);
            p.last.push(last);
        }
        for (_, e) in cfg.edges() {
            let mut list = Vec::new();
            if let VertexKind::Loop { test, .. } = &cfg.vertex(e.to).kind {
                let back = matches!(cfg.vertex(e.from).kind, VertexKind::EndLoop);
                match (&**test, back) {
                    (LoopTest::Counted { index, .. }, true) => list.push(Access::Read(*index)),
                    (LoopTest::Post(_), false) => {}
                    _ => decision_accesses(cfg.vertex(e.to), &mut |a| list.push(a)),
                }
            }
            let (first, last) = p.chain(&list);
            p.next[p.last[e.from.index()]].push(first);
            p.next[last].push(p.first[e.to.index()]);
        }
        p
    }

    fn chain(&mut self, list: &[Access]) -> (usize, usize) {
        let first = self.accesses.len();
        self.accesses.push(None);
        self.next.push(Vec::new());
        for &a in list {
            self.next[self.accesses.len() - 1].push(self.accesses.len());
            self.accesses.push(Some(a));
            self.next.push(Vec::new());
        }
        (first, self.accesses.len() - 1)
    }

    /// True if a path leads to a read of the variable, or to the point `end`, without a write before.
    fn reads(&self, from: usize, v: VarId, end: Option<usize>) -> bool {
        let mut seen = vec![false; self.accesses.len()];
        let mut work = vec![from];
        while let Some(p) = work.pop() {
            if std::mem::replace(&mut seen[p], true) {
                continue;
            }
            if self.accesses[p] == Some(Access::Read(v)) || end == Some(p) {
                return true;
            }
            if self.accesses[p] != Some(Access::Write(v)) {
                work.extend(&self.next[p]);
            }
        }
        false
    }
}

#[test]
fn a_variable_is_live_if_a_path_leads_to_a_read_without_a_write() {
    let (mut live, mut all) = (0, 0);
    for seed in 0..80 {
        let case = undamped(&Options::WIDE, seed);
        let program = &case.program;
        let effects = Effects::summarise(program);
        for routine in &program.routines {
            let Some(cfg) = &routine.body else { continue };
            let analysis = Liveness::new(program, &effects, routine);
            let solution = solve(cfg, &analysis);
            let points = Points::build(program, &effects, routine, cfg);
            // Variables that the caller sees: parameters that come out, globals, and the result.
            let is_seen = |x: usize| match routine.variables[x].role {
                Role::Parameter { intent, .. } => intent != Intent::In,
                Role::Global(_) => true,
                Role::Local => routine.result == Some(VarId::new(x)),
            };
            let exit = cfg.exit().map(|exit| points.last[exit.index()]);
            for (u, vertex) in cfg.vertices() {
                let found = solution.before(cfg, &analysis, u);
                for x in 0..routine.variables.len() {
                    let end = exit.filter(|_| is_seen(x));
                    let expected = points.reads(points.first[u.index()], VarId::new(x), end);
                    let name = &routine.variables[x].name;
                    assert_eq!(
                        found.contains(x),
                        expected,
                        "seed {seed}: {name} before {}",
                        vertex.id
                    );
                    all += 1;
                    live += usize::from(expected);
                }
            }
        }
    }
    assert!(live > 1000 && all - live > 1000, "{live} of {all}");
}

/// The condition of a loop that is tested last is not evaluated where the loop is entered.
#[test]
fn a_loop_that_is_tested_last_reads_nothing_at_its_entry() {
    for (head, foot, is_read) in [("do", "end while l", false), ("while l", "end", true)] {
        let text = format!(
            "main subroutine f(in real x, out real y)
              local logical l
              l := x > 1.0
              y := x
              {head}
                y := y + x
                l := y < 3.0
              {foot}
            end"
        );
        let parsed = text::parse(&text);
        let problems = parsed.problems;
        let program = parsed.program.unwrap_or_else(|| panic!("{problems}{text}"));
        let routine = &program.routines[0];
        let cfg = routine.body.as_ref().expect("it has a body");
        let effects = Effects::summarise(&program);
        let analysis = Liveness::new(&program, &effects, routine);
        let solution = solve(cfg, &analysis);
        let l = routine.variables.iter().position(|v| v.name == "l");
        let l = l.expect("it is declared");
        let first = cfg.vertices().find(|(_, v)| v.statements().len() == 2);
        let (first, _) = first.expect("statements before the loop");
        let behind = solution.after(cfg, &analysis, first);
        assert_eq!(behind.contains(l), is_read, "{head}");
    }
}
