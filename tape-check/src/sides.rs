//! The routines under comparison, a forward sweep with its reverse sweep or one routine, with the facts about them.

use cfg_core::{
    diagnostic::{CodeInfo, Diagnostic},
    entity::VarId,
    ir::Expr,
};

use crate::{
    code::{Code, Known, NodeId, TapeNames},
    reduce::{Effect, Reduced, reduce},
    report::{self, Summary},
    same::Correspondence,
};
use std::collections::HashSet;

/// A node of one of the two routines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct At2 {
    pub(crate) side: usize,
    pub(crate) node: NodeId,
}

/// A routine, with its nodes and their reduction.
pub(crate) struct Side<'p> {
    pub(crate) code: Code<'p>,
    pub(crate) reduced: Reduced,
    /// The pushing node that each popping node meets.
    pub(crate) partner: Vec<Option<At2>>,
}

impl<'p> Side<'p> {
    pub(crate) fn new(code: Code<'p>, visits: Effect) -> Self {
        let reduced = reduce(&code, visits);
        Self::with(code, reduced)
    }

    /// A side whose regions do not nest.
    pub(crate) fn flat(code: Code<'p>) -> Self {
        Self::with(code, Reduced::default())
    }

    fn with(code: Code<'p>, reduced: Reduced) -> Self {
        let n = code.nodes.len();
        Self {
            code,
            reduced,
            partner: vec![None; n],
        }
    }
}

/// The check of one routine, or of the two routines of a pair.
pub(crate) struct PairCheck<'p, 'a> {
    pub(crate) known: Known<'p, 'a>,
    pub(crate) names: TapeNames<'p>,
    pub(crate) sides: Vec<Side<'p>>,
    identity: Correspondence,
    across: Correspondence,
    /// The correspondence turned round: the forward sweep's variable for each variable of the reverse sweep.
    back: Vec<Option<VarId>>,
    pub(crate) work: Vec<(At2, At2)>,
    /// Matched pushes and pops.
    pub(crate) values: Vec<(At2, At2)>,
    /// Pushes of counters with pops of bounds of reverse loops, whose values are checked with the loops.
    pub(crate) counts: HashSet<(At2, At2)>,
    pub(crate) summary: Summary,
    pub(crate) problems: Vec<Diagnostic>,
}

impl<'p, 'a> PairCheck<'p, 'a> {
    pub(crate) fn new(known: Known<'p, 'a>, names: TapeNames<'p>, sides: Vec<Side<'p>>) -> Self {
        let (across, back) = match &*sides {
            [f, r] => {
                let across = Correspondence::by_name(f.code.routine, r.code.routine);
                let mut back = vec![None; r.code.routine.variables.len()];
                for v in (0..f.code.routine.variables.len()).map(VarId::new) {
                    if let Some(there) = across.variable(v) {
                        back[there.index()] = Some(v);
                    }
                }
                (across, back)
            }
            _ => (Correspondence::identity(), Vec::new()),
        };
        Self {
            known,
            names,
            sides,
            identity: Correspondence::identity(),
            across,
            back,
            work: Vec::new(),
            values: Vec::new(),
            counts: HashSet::new(),
            summary: Summary::default(),
            problems: Vec::new(),
        }
    }

    pub(crate) fn code(&self, side: usize) -> &Code<'p> {
        &self.sides[side].code
    }

    pub(crate) fn correspondence(&self, f: usize, r: usize) -> &Correspondence {
        if f == r { &self.identity } else { &self.across }
    }

    pub(crate) fn are_same(&self, f: usize, a: &Expr, r: usize, b: &Expr) -> bool {
        self.correspondence(f, r).same(a, b)
    }

    pub(crate) fn same_variable(&self, f: usize, a: VarId, r: usize, b: VarId) -> bool {
        self.correspondence(f, r).same_variable(a, b)
    }

    /// The forward sweep's variable of the same name.
    pub(crate) fn forward_variable(&self, f: usize, r: usize, b: VarId) -> Option<VarId> {
        if f == r {
            Some(b)
        } else {
            self.back.get(b.index()).copied().flatten()
        }
    }

    /// The pushing node that a popping node has met.
    pub(crate) fn partner(&self, side: usize, pop: NodeId) -> Option<At2> {
        self.sides[side].partner[pop]
    }

    pub(crate) fn name(&self, n: At2) -> String {
        report::name(self.known.program, self.code(n.side), n.node)
    }

    pub(crate) fn report(&mut self, info: &CodeInfo, n: At2, message: String, help: &str) {
        let code = self.code(n.side);
        let at = code.nodes[n.node].at;
        let problem = report::at(self.known.program, code, at, info, message, help);
        self.problems.push(problem);
    }
}
