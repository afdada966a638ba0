//! Integer variables whose values are known by expressions over what a routine never writes and indices of the loops
//! around: behind assignments of such expressions, behind steps, and behind loops that add a known amount.
//!
//! The statements of a structured graph are executed once in the order of the graph with such expressions as values.
//! In the body of a loop, the value of a variable that the loop writes is that at the start of the pass and what the
//! pass has added since; at the end of the body, the amount that a pass adds, from which follows the amount that all
//! passes add.

use cfg_core::{
    dataflow::Position,
    entity::{VarId, VertexId},
    flat::FlatExpr,
    ir::{Cfg, Expr, LoopTest, ScalarType, Stmt, Variable, VertexKind},
    memory::access::{Access, Accesses},
    structure::Structure,
};
use fixedbitset::FixedBitSet;
use std::collections::BTreeMap;

use crate::plan::{
    counters::LoopPlan,
    steps::{
        increment::{Increment, is_short},
        sums::{Passes, Sum, is_narrow},
    },
    undone::Computed,
};

/// Most levels of an expression for a value.
const MOST_LEVELS: usize = 12;

/// The value of a variable.
#[derive(Clone, Debug, PartialEq)]
struct Value {
    /// True if the value at the start of the pass of the innermost loop that writes the variable is a term.
    relative: bool,
    sum: Sum,
    /// The expression, if it is a single one of the variable's type.
    same: Option<Expr>,
}

impl Value {
    fn new(relative: bool, sum: Sum) -> Self {
        Self {
            relative,
            sum,
            same: None,
        }
    }
}

type Values = BTreeMap<VarId, Value>;

/// A loop around the present vertex.
struct Around {
    header: VertexId,
    index: Option<VarId>,
    /// The bounds, if they are known, of a loop that is not counted by a counter.
    passes: Option<Passes>,
    /// The variables that the loop writes.
    written: Vec<VarId>,
    before: Values,
}

/// The graph and the variables of a routine.
pub(super) struct Graph<'a> {
    pub(super) cfg: &'a Cfg,
    pub(super) structure: &'a Structure,
    pub(super) variables: &'a [Variable],
    pub(super) plans: &'a [Option<LoopPlan>],
    pub(super) accesses: &'a Accesses<'a>,
    /// Variables that nothing writes.
    pub(super) unwritten: &'a FixedBitSet,
    /// Variables that only LOOPs write, none of which is in another with the same index.
    pub(super) indices: &'a FixedBitSet,
    /// The positions in the order at which each followed variable is written.
    pub(super) followed: &'a BTreeMap<VarId, Vec<u32>>,
    /// The headers of loops that the reverse sweep has in any case.
    pub(super) needed: &'a FixedBitSet,
}

/// The walk through the graph.
pub(super) struct Walk<'a> {
    graph: Graph<'a>,
    /// The values behind vertices whose successors have not been visited yet.
    behind: BTreeMap<VertexId, Values>,
    around: Vec<Around>,
    /// The indices of the loops around, true of those whose values are narrow.
    active: BTreeMap<VarId, bool>,
    /// The terms of the steps, where their values are known.
    pub(super) terms: BTreeMap<Position, Vec<Expr>>,
    /// The values behind loops, by header.
    pub(super) computed: BTreeMap<VertexId, Vec<Computed>>,
}

impl<'a> Walk<'a> {
    /// Executes the graph.
    pub(super) fn execute(graph: Graph<'a>) -> Self {
        let mut walk = Self {
            graph,
            behind: BTreeMap::new(),
            around: Vec::new(),
            active: BTreeMap::new(),
            terms: BTreeMap::new(),
            computed: BTreeMap::new(),
        };
        for &v in &walk.graph.structure.order {
            walk.vertex(v);
        }
        walk
    }

    fn vertex(&mut self, v: VertexId) {
        let (cfg, structure) = (self.graph.cfg, self.graph.structure);
        let kind = &cfg.vertex(v).kind;
        let mut values = self.arriving(v);
        match kind {
            VertexKind::Block(statements) => {
                for (statement, code) in statements.iter().enumerate() {
                    let at = Position {
                        vertex: v,
                        statement,
                    };
                    self.statement(at, code, &mut values);
                }
            }
            VertexKind::Loop { test, .. } => {
                let end = structure.partner(v).unwrap_or(v);
                let range = [v, end].map(|v| structure.position[v.index()]);
                let before = values.clone();
                let is_written = |positions: &Vec<u32>| {
                    let first = positions.partition_point(|p| *p < range[0]);
                    positions.get(first).is_some_and(|p| *p <= range[1])
                };
                let followed = self.graph.followed.iter();
                let written: Vec<VarId> = (followed.filter(|(_, positions)| is_written(positions)))
                    .map(|(x, _)| *x)
                    .collect();
                let start = Value::new(true, Sum::default());
                values.extend(written.iter().map(|x| (*x, start.clone())));
                self.enter(v, test, before, written);
            }
            VertexKind::EndLoop => {
                if let Some(around) = self.around.pop() {
                    let header = around.header;
                    let left = self.leave(around, &values);
                    self.behind.insert(header, left);
                }
                return;
            }
            VertexKind::Entry
            | VertexKind::Exit
            | VertexKind::Branch(_)
            | VertexKind::EndBranch => {}
        }
        self.behind.insert(v, values);
    }

    /// The values with which control comes to a vertex from the vertices before it.
    fn arriving(&mut self, v: VertexId) -> Values {
        let (cfg, structure) = (self.graph.cfg, self.graph.structure);
        let mut found: Option<Values> = None;
        for &e in cfg.in_edges(v) {
            if structure.kind(e).loop_back {
                continue;
            }
            let u = cfg.edge(e).from;
            // The values behind a loop stand at its header as soon as its body has been visited.
            let is_last = cfg.out_edges(u).len() == 1 || structure.kind(e).loop_exit;
            let values = match is_last {
                true => self.behind.remove(&u),
                false => self.behind.get(&u).cloned(),
            };
            let values = values.unwrap_or_default();
            found = Some(match found {
                None => values,
                Some(mut both) => {
                    both.retain(|x, value| values.get(x) == Some(value));
                    both
                }
            });
        }
        found.unwrap_or_default()
    }

    fn enter(&mut self, header: VertexId, test: &LoopTest, before: Values, written: Vec<VarId>) {
        let counter = self.graph.plans[header.index()].is_none_or(|plan| plan.counter);
        let (mut index, mut passes) = (None, None);
        if let LoopTest::Counted {
            index: i,
            first,
            last,
            step,
        } = test
        {
            index = Some(*i).filter(|i| self.graph.indices.contains(i.index()));
            let bounds = [first, last, step].map(|e| self.known(e, &before));
            if let ([Some(first), Some(last), Some(step)], false) = (bounds, counter) {
                let narrow = matches!(step, Expr::Int(1 | -1))
                    && [&first, &last].into_iter().all(|e| self.is_narrow(e));
                self.active.extend(index.map(|i| (i, narrow)));
                passes = Some(Passes {
                    index: *i,
                    bounds: [first, last, step],
                });
            }
        }
        if let Some(i) = index {
            self.active.entry(i).or_insert(false);
        }
        self.around.push(Around {
            header,
            index,
            passes,
            written,
            before,
        });
    }

    fn is_narrow(&self, e: &Expr) -> bool {
        is_narrow(self.graph.variables, e, &|v| {
            self.active.get(&v) == Some(&true)
        })
    }

    /// The values behind a loop, by those at the end of its body.
    fn leave(&mut self, around: Around, end: &Values) -> Values {
        let Around {
            header,
            index,
            passes,
            mut before,
            written,
        } = around;
        let variables = self.graph.variables;
        let is_needed = self.graph.needed.contains(header.index());
        let mut computed = Vec::new();
        for x in written {
            let (Some(start), Some(pass)) = (before.remove(&x), end.get(&x)) else {
                continue;
            };
            if !pass.relative {
                continue;
            }
            let mut add = |sum: Sum, per_pass| {
                let ty = match per_pass {
                    None => variables[x.index()].ty,
                    Some(_) => ScalarType::Integer,
                };
                let value = sum.expr(ty);
                computed.push(Computed {
                    variable: x,
                    value,
                    per_pass,
                });
            };
            if let Some(passes) = &passes {
                let total = pass.sum.over_range(passes, &|e: &Expr| self.is_narrow(e));
                if let Some(sum) = total.and_then(|total| start.sum.plus(1, &total)) {
                    if !start.relative && is_needed {
                        add(sum.clone(), None);
                    }
                    before.insert(x, Value::new(start.relative, sum));
                }
            } else if !start.relative
                && is_needed
                && !index.is_some_and(|i| pass.sum.reads(i))
                && let Some(pass) = pass.sum.unfailing()
            {
                add(start.sum, Some(pass.expr(ScalarType::Integer)));
            }
        }
        if let Some(i) = index {
            self.active.remove(&i);
        }
        if !computed.is_empty() {
            self.computed.insert(header, computed);
        }
        before
    }

    fn statement(&mut self, at: Position, statement: &Stmt, values: &mut Values) {
        let variables = self.graph.variables;
        let mut new = None;
        if let Some((target, value)) = statement.kind.assignment() {
            if let Some(step) = Increment::of_assignment(variables, target, value) {
                let terms: Option<Vec<Expr>> = (step.terms.iter())
                    .map(|(_, term)| self.known(term, values))
                    .collect();
                let start = values.get(&target.var).cloned();
                if let (Some(Value { relative, sum, .. }), Some(terms)) = (start, &terms) {
                    let signs = step
                        .terms
                        .iter()
                        .map(|(negative, _)| if *negative { -1 } else { 1 });
                    let sum = signs.zip(terms).try_fold(sum, |sum, (sign, term)| {
                        sum.plus(sign, &Sum::of(variables, term.clone()))
                    });
                    new = sum.map(|sum| (target.var, Value::new(relative, sum)));
                }
                if let Some(terms) = terms {
                    self.terms.insert(at, terms);
                }
            } else if self.graph.followed.contains_key(&target.var)
                && is_short(variables, value)
                && let Some(value) = self.known(value, values)
            {
                let value = Value {
                    same: Some(value.clone()),
                    ..Value::new(false, Sum::of(variables, value))
                };
                new = Some((target.var, value));
            }
        }
        self.graph
            .accesses
            .each_access(statement, &mut |access| match access {
                Access::Read(_) => {}
                Access::Write(x) | Access::MayWrite(x) => {
                    values.remove(&x);
                }
            });
        values.extend(new.filter(|(x, _)| self.graph.followed.contains_key(x)));
    }

    /// An expression with the same value that reads only what the routine does not write and indices of loops around;
    /// none if there is no short one.
    fn known(&self, e: &Expr, values: &Values) -> Option<Expr> {
        let mut is_known = true;
        let known = e.map(&mut |node| match FlatExpr::view(&node) {
            FlatExpr::Place(place) => {
                let v = place.var;
                if self.graph.unwritten.contains(v.index()) {
                    return node;
                }
                let whole = place.subscripts.is_empty();
                if whole && self.active.contains_key(&v) {
                    return node;
                }
                match values.get(&v).filter(|value| whole && !value.relative) {
                    Some(value) => {
                        let ty = self.graph.variables[v.index()].ty;
                        value.same.clone().unwrap_or_else(|| value.sum.expr(ty))
                    }
                    None => {
                        is_known = false;
                        node
                    }
                }
            }
            FlatExpr::Constant(_) | FlatExpr::Op(..) => node,
        });
        (is_known && known.depth() <= MOST_LEVELS && is_short(self.graph.variables, &known))
            .then_some(known)
    }
}
