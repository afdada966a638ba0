//! Statistics of a program's text and of a run, and their distribution over many programs.

use crate::case::Case;
use crate::interpret::{Fault, Limits};
use cfg_core::ir::{
    Cfg, LoopTest, Program, Role, ScalarType, Selector, StmtKind, VertexKind, VertexType,
};
use std::fmt;

/// Properties of one case.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Census {
    /// Assignments and calls of all routines.
    pub statements: usize,
    /// Vertices of all routines.
    pub vertices: usize,
    /// Deepest nesting of loops and branches in one routine.
    pub nesting: usize,
    /// Calls in the text.
    pub calls: usize,
    /// A routine calls itself.
    pub recursion: bool,
    /// Loops, by kind: pre-test, post-test, counted.
    pub loops: [usize; 3],
    /// Branches by an integer with three arms or more, or with labels other than 0 and 1.
    pub multi_way: usize,
    /// Edges from a loop or branch that go straight to its end.
    pub empty_regions: usize,
    /// More than one edge between two vertices.
    pub parallel_edges: usize,
    /// A loop's exit edge that runs straight into an outer ENDLOOP.
    pub exits_into_end: usize,
    /// There are global variables.
    pub globals: bool,
    /// There is an external function.
    pub externals: bool,
    /// A parameter is optional.
    pub optionals: bool,
    /// Parameters of a routine may overlap.
    pub aliased: bool,
    /// There are 32-bit reals.
    pub real32: bool,
    /// Steps of a run.
    pub steps: u64,
    /// A loop was entered and left without a pass.
    pub zero_trip: bool,
    /// An initialised array element was stored over and the new value used.
    pub overwritten_element_used: bool,
    /// A variable used in a subscript was assigned again.
    pub overwritten_index: bool,
}

impl Census {
    /// Looks at the program and runs it once.
    ///
    /// # Errors
    /// The fault of the run.
    pub fn take(case: &Case) -> Result<Self, Fault> {
        let mut census = Self::of_program(&case.program);
        let seen = case.run(Limits::default())?.seen;
        census.steps = seen.steps;
        census.zero_trip = seen.zero_trip;
        census.overwritten_element_used = seen.overwritten_element_used;
        census.overwritten_index = seen.overwritten_index;
        Ok(census)
    }

    /// The statistics of the text alone.
    pub fn of_program(program: &Program) -> Self {
        let mut census = Self {
            globals: !program.globals.is_empty(),
            ..Self::default()
        };
        for (r, routine) in program.routines.iter().enumerate() {
            census.externals |= routine.external.is_some();
            census.aliased |= routine.aliased;
            for v in &routine.variables {
                census.optionals |= matches!(v.role, Role::Parameter { optional: true, .. });
                census.real32 |= v.ty == ScalarType::Real32;
            }
            let Some(body) = &routine.body else {
                continue;
            };
            census.vertices += body.vertex_count();
            census.nesting = census.nesting.max(nesting(body));
            for (_, vertex) in body.vertices() {
                for statement in vertex.statements() {
                    match &statement.kind {
                        StmtKind::Assign { .. } => census.statements += 1,
                        StmtKind::Call { callee, .. } => {
                            census.statements += 1;
                            census.calls += 1;
                            census.recursion |= callee.index() == r;
                        }
                        StmtKind::Push { .. }
                        | StmtKind::Pop { .. }
                        | StmtKind::Opaque { .. }
                        | StmtKind::Stop { .. } => {}
                        StmtKind::Allocate { .. }
                        | StmtKind::Free { .. }
                        | StmtKind::Resize { .. } => census.statements += 1,
                    }
                }
                match &vertex.kind {
                    VertexKind::Loop { test, .. } => {
                        let kind = match **test {
                            LoopTest::Pre(_) => 0,
                            LoopTest::Post(_) => 1,
                            LoopTest::Counted { .. } => 2,
                        };
                        census.loops[kind] += 1;
                    }
                    VertexKind::Branch(selector) => {
                        if let Selector::Cases { arms, .. } = &**selector {
                            census.multi_way += usize::from(arms.len() > 2);
                        }
                    }
                    VertexKind::Entry
                    | VertexKind::Exit
                    | VertexKind::Block(_)
                    | VertexKind::EndLoop
                    | VertexKind::EndBranch => {}
                }
            }
            let mut ends = Vec::new();
            for (_, e) in body.edges() {
                let types = [e.from, e.to].map(|v| body.vertex(v).vertex_type());
                match (types, e.label) {
                    ([VertexType::Loop, VertexType::EndLoop], None) => census.exits_into_end += 1,
                    (
                        [VertexType::Loop, VertexType::EndLoop]
                        | [VertexType::Branch, VertexType::EndBranch],
                        _,
                    ) => census.empty_regions += 1,
                    _ => {}
                }
                ends.push((e.from, e.to));
            }
            ends.sort_unstable();
            census.parallel_edges += ends.windows(2).filter(|w| w[0] == w[1]).count();
        }
        census
    }
}

/// Deepest nesting of loops and branches of a structured graph, by one walk over it.
pub fn nesting(body: &Cfg) -> usize {
    let Some(entry) = body.entry() else {
        return 0;
    };
    let mut depth = vec![usize::MAX; body.vertex_count()];
    let mut stack = vec![(entry, 0usize)];
    let mut deepest = 0;
    while let Some((v, around)) = stack.pop() {
        if depth[v.index()] != usize::MAX {
            continue;
        }
        depth[v.index()] = around;
        deepest = deepest.max(around);
        let ty = body.vertex(v).vertex_type();
        for &e in body.out_edges(v) {
            let edge = body.edge(e);
            let inside =
                matches!(ty, VertexType::Loop | VertexType::Branch) && edge.label.is_some();
            let to_end = matches!(
                body.vertex(edge.to).vertex_type(),
                VertexType::EndLoop | VertexType::EndBranch
            );
            let around = around + usize::from(inside);
            stack.push((edge.to, around.saturating_sub(usize::from(to_end))));
        }
    }
    deepest
}

/// The distribution of properties over many programs.
#[derive(Clone, Debug, Default)]
pub struct Distribution {
    all: Vec<Census>,
}

impl Distribution {
    /// Adds one program.
    pub fn add(&mut self, census: Census) {
        self.all.push(census);
    }

    /// Number of programs.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Median number of statements.
    pub fn median_statements(&self) -> usize {
        let mut sizes: Vec<usize> = self.all.iter().map(|c| c.statements).collect();
        sizes.sort_unstable();
        sizes.get(sizes.len() / 2).copied().unwrap_or(0)
    }

    /// Share of the programs with a property, 0 to 1.
    pub fn share(&self, has: impl Fn(&Census) -> bool) -> f64 {
        let n = self.all.iter().filter(|c| has(c)).count();
        n as f64 / self.all.len().max(1) as f64
    }

    /// The requirements on the default suite that these programs do not meet. Required are a median of 40 statements,
    /// half of the programs with nesting of 3 or more, 30 % each with calls, overwritten elements that are used,
    /// overwritten indices, a zero-trip loop that is executed, and a multi-way branch.
    pub fn shortfalls(&self) -> Vec<String> {
        let mut list = Vec::new();
        if self.median_statements() < 40 {
            list.push(format!("median of {} statements", self.median_statements()));
        }
        let wanted = [(0.5, 0), (0.3, 1), (0.3, 2), (0.3, 3), (0.3, 4), (0.3, 5)];
        for (least, k) in wanted {
            let (name, share) = self.wanted(k);
            if share < least {
                list.push(format!("{name} in {:.1} %", 100.0 * share));
            }
        }
        list
    }

    fn wanted(&self, k: usize) -> (&'static str, f64) {
        match k {
            0 => ("nesting of 3 or more", self.share(|c| c.nesting >= 3)),
            1 => ("calls", self.share(|c| c.calls > 0)),
            2 => (
                "overwritten elements used",
                self.share(|c| c.overwritten_element_used),
            ),
            3 => ("overwritten indices", self.share(|c| c.overwritten_index)),
            4 => ("zero-trip loop executed", self.share(|c| c.zero_trip)),
            _ => ("multi-way branch", self.share(|c| c.multi_way > 0)),
        }
    }
}

impl fmt::Display for Distribution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{} programs, median of {} statements",
            self.len(),
            self.median_statements()
        )?;
        let mut rows: Vec<(&str, f64)> = (0..6).map(|k| self.wanted(k)).collect();
        rows.extend([
            ("recursion", self.share(|c| c.recursion)),
            ("pre-test loop", self.share(|c| c.loops[0] > 0)),
            ("post-test loop", self.share(|c| c.loops[1] > 0)),
            ("counted loop", self.share(|c| c.loops[2] > 0)),
            ("empty arm or body", self.share(|c| c.empty_regions > 0)),
            ("parallel edges", self.share(|c| c.parallel_edges > 0)),
            (
                "loop exit into ENDLOOP",
                self.share(|c| c.exits_into_end > 0),
            ),
            ("global variables", self.share(|c| c.globals)),
            ("external function", self.share(|c| c.externals)),
            ("optional parameter", self.share(|c| c.optionals)),
            ("parameters that may overlap", self.share(|c| c.aliased)),
            ("32-bit reals", self.share(|c| c.real32)),
        ]);
        for (name, share) in rows {
            writeln!(f, "{:5.1} %  {name}", 100.0 * share)?;
        }
        let mut steps: Vec<u64> = self.all.iter().map(|c| c.steps).collect();
        steps.sort_unstable();
        let at = |q: usize| steps.get((steps.len() * q / 100).min(steps.len().saturating_sub(1)));
        let (median, most) = (at(50).copied().unwrap_or(0), at(100).copied().unwrap_or(0));
        write!(f, "steps of a run: median {median}, most {most}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::{Options, generate};
    use crate::golden::golden;
    use std::ops::Range;

    fn distribution(options: &Options, seeds: Range<u64>) -> Distribution {
        let mut all = Distribution::default();
        for seed in seeds {
            let case = generate(options, seed).unwrap_or_else(|e| panic!("seed {seed}: {e:?}"));
            let census = Census::take(&case).unwrap_or_else(|e| panic!("seed {seed}: {e:?}"));
            all.add(census);
        }
        all
    }

    // The same seeds as in the tests of the reversal.

    #[test]
    fn exact_programs_are_what_the_suite_needs() {
        let all = distribution(&Options::EXACT, 0..5000);
        assert_eq!(all.shortfalls(), Vec::<String>::new(), "{all}");
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/golden/distribution.txt");
        golden(path, &format!("{all}\n"));
    }

    #[test]
    fn smooth_programs_are_what_the_suite_needs() {
        let all = distribution(&Options::SMOOTH, 5000..10_000);
        assert_eq!(all.shortfalls(), Vec::<String>::new(), "{all}");
    }

    #[test]
    fn a_seed_gives_the_same_program() {
        for seed in 0..50 {
            assert_eq!(
                generate(&Options::EXACT, seed),
                generate(&Options::EXACT, seed)
            );
        }
    }
}
