//! Which segments are preaccumulated.
//!
//! The measure is what a run costs: operations of both sweeps, and values pushed and popped, each times
//! an estimate of how often the vertex is visited (eight times for each loop around it). A segment whose
//! statements alone keep some values in the to-be-recorded sets saves their pushes when it is
//! preaccumulated; it pays with its Jacobian entries, or with the edges of the remainder graph where
//! that is cheaper. Because segments share values, the outcome is checked: of all statements, all
//! segments, and the segments that pay one by one, a routine takes the cheapest.

use bb_preaccum::{
    cost::CostModel,
    lcg::Kind,
    scarcity::remainder,
    search::{Outcome, replay},
};
use cfg_core::{
    diagnostic::Diagnostics,
    entity::VertexId,
    ir::{Expr, Op, Stmt, StmtKind},
};
use std::collections::HashMap;

use crate::{
    blocks::{self, Choice, Found},
    draft::Draft,
    plan::{StatementCode, Tbr},
    reverse::{Setting, solve},
    sweeps::Sweeps,
};

/// Every segment by its whole Jacobian (or what the search has left, if that is too large).
pub(crate) fn complete<'f>(all: &'f [Found], outcomes: &[Option<Outcome>]) -> Vec<Choice<'f>> {
    all.iter()
        .zip(outcomes)
        .map(|(found, outcome)| Choice {
            found,
            steps: outcome.as_ref().map_or(Vec::new(), |o| o.steps.clone()),
        })
        .collect()
}

/// What a value costs that is pushed and popped, in operations.
const PUSH: u64 = 6;

/// Every segment by its Jacobian, or by the remainder graph from which a product is cheaper.
fn scarce<'f>(all: &'f [Found], outcomes: &[Option<Outcome>]) -> Vec<Choice<'f>> {
    let mut choices = complete(all, outcomes);
    for choice in &mut choices {
        let Some(lcg) = &choice.found.segment.lcg else {
            continue;
        };
        // One product, and a push and a pop of each label.
        let directions = 1 + PUSH;
        let rest = remainder(lcg, CostModel::ConstantAware, &choice.steps, directions);
        let whole = replay(lcg, &choice.steps).map_or(u64::MAX, |done| {
            let nontrivial = done.entries.iter().filter(|e| e.kind != Kind::Unit).count();
            done.counts.multiplications(CostModel::ConstantAware) + directions * nontrivial as u64
        });
        if rest.total(directions) < whole {
            choice.steps = rest.steps;
        }
    }
    choices
}

/// The routines with each segment in the way that is estimated to cost less.
pub(crate) fn cheapest<'p>(
    setting: &Setting<'_, 'p>,
    work: u64,
) -> Result<Vec<Option<Draft<'p>>>, Diagnostics> {
    let statements = setting.drafts(&[])?;
    let all = setting.survey();
    if all.is_empty() {
        return Ok(statements);
    }
    let outcomes = blocks::eliminate(&all, &blocks::search_options(work), None);
    let choices = scarce(&all, &outcomes);
    let together = setting.drafts(&choices)?;
    let mixed_choices = one_by_one(setting, &statements, &together, choices.clone());
    let mixed = setting.drafts(&mixed_choices)?;
    // Per routine.
    let mut selected: Vec<Choice<'_>> = Vec::new();
    for r in 0..statements.len() {
        let cost = |drafts: &[Option<Draft<'_>>]| {
            let draft = drafts.get(r).and_then(Option::as_ref);
            draft.map_or(0, |draft| routine_cost(setting, draft))
        };
        let (none, some, every) = (cost(&statements), cost(&mixed), cost(&together));
        let from = if none <= some && none <= every {
            continue;
        } else if some <= every {
            &mixed_choices
        } else {
            &choices
        };
        let own = from.iter().filter(|c| c.found.routine.index() == r);
        selected.extend(own.cloned());
    }
    if selected.is_empty() {
        return Ok(statements);
    }
    setting.drafts(&selected)
}

/// How often a vertex is visited, roughly.
fn rate(draft: &Draft<'_>, v: VertexId) -> u64 {
    8u64.pow(draft.shape.loop_depth(v).min(10))
}

fn operations(e: &Expr) -> u64 {
    let mut sum = 0;
    e.walk(&mut |e| {
        if let Expr::Op(op, operands) = e {
            sum += match op {
                Op::Add | Op::Mul => operands.len() as u64 - 1,
                Op::Neg | Op::Sub | Op::StrongMul | Op::Fma | Op::If => 1,
                Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge | Op::ToReal => 1,
                Op::Div | Op::Sqrt => 4,
                Op::Min | Op::Max | Op::Abs => 1,
                _ => 12,
            };
        }
    });
    sum
}

fn code_cost(statements: &[Stmt]) -> u64 {
    let cost = |statement: &Stmt| match &statement.kind {
        StmtKind::Assign { target, value } => {
            operations(value) + target.subscript_exprs().map(operations).sum::<u64>()
        }
        // Half of it; the other half is the pop.
        StmtKind::Push { .. } | StmtKind::Pop { .. } => PUSH / 2,
        StmtKind::Call { .. } | StmtKind::Opaque { .. } => 0,
    };
    statements.iter().map(cost).sum()
}

/// Both sweeps of one statement, without what TBR pushes.
fn statement_cost(statement: &Stmt, code: &StatementCode) -> u64 {
    let forward = match &code.forward {
        Some(forward) => code_cost(forward),
        None => code_cost(std::slice::from_ref(statement)),
    };
    forward + code_cost(&code.adjoint.code)
}

/// What is pushed for a place, in values: whole arrays count ten.
fn values(place: &cfg_core::ir::Place, draft: &Draft<'_>) -> u64 {
    let variables = &draft.scope.routine.variables;
    if crate::typing::place_rank(variables, place) > 0 {
        10
    } else {
        1
    }
}

fn routine_cost(setting: &Setting<'_, '_>, draft: &Draft<'_>) -> u64 {
    let tbr = solve(setting.context, draft);
    let mut sum = 0u64;
    for (v, vertex) in draft.cfg.vertices() {
        let mut here = 0;
        for (statement, code) in vertex.statements().iter().zip(draft.code.of(v)) {
            here += statement_cost(statement, code);
        }
        tbr.each_save(v, |_, place| here += PUSH * values(place, draft));
        sum = sum.saturating_add(here.saturating_mul(rate(draft, v)));
    }
    let dying = Sweeps {
        context: setting.context,
        draft,
        tbr: &tbr,
    }
    .dying();
    for (_, places, _) in dying {
        sum += places.iter().map(|p| PUSH * values(p, draft)).sum::<u64>();
    }
    sum
}

/// Most segments among which the cost of a push is divided.
const MOST_READERS: usize = 16;

/// Who reads an atom's value in the reverse sweep.
#[derive(Clone, Default)]
struct Readers {
    segments: Vec<usize>,
    others: bool,
}

/// The segments that pay, each judged alone.
fn one_by_one<'f>(
    setting: &Setting<'_, '_>,
    statements: &[Option<Draft<'_>>],
    together: &[Option<Draft<'_>>],
    choices: Vec<Choice<'f>>,
) -> Vec<Choice<'f>> {
    let mut saved = vec![0u64; choices.len()];
    let mut of_routine: HashMap<usize, Vec<usize>> = HashMap::new();
    for (k, choice) in choices.iter().enumerate() {
        let r = choice.found.routine.index();
        of_routine.entry(r).or_default().push(k);
    }
    for (r, draft) in statements.iter().enumerate() {
        let (Some(draft), Some(own)) = (draft, of_routine.get(&r)) else {
            continue;
        };
        let tbr = solve(setting.context, draft);
        attribute(draft, &tbr, own, &choices, &mut saved);
    }
    let pays = |k: usize, choice: &Choice<'_>| {
        let found = choice.found;
        let r = found.routine.index();
        let (Some(Some(before)), Some(Some(after))) = (statements.get(r), together.get(r)) else {
            return false;
        };
        let all = before.cfg.vertex(found.vertex).statements();
        let cost = |draft: &Draft<'_>| -> u64 {
            let code = draft.code.of(found.vertex)[found.range.clone()].iter();
            let costs = all[found.range.clone()].iter().zip(code);
            costs.map(|(s, c)| statement_cost(s, c)).sum()
        };
        let rate = rate(before, found.vertex);
        let by_statement = cost(before).saturating_mul(rate).saturating_add(saved[k]);
        cost(after).saturating_mul(rate) < by_statement
    };
    choices
        .into_iter()
        .enumerate()
        .filter(|(k, choice)| pays(*k, choice))
        .map(|(_, choice)| choice)
        .collect()
}

/// Adds to each segment what the pushes cost that only its statements ask for; what several segments ask
/// for, and nobody else, is divided among them.
fn attribute(
    draft: &Draft<'_>,
    tbr: &Tbr<'_>,
    own: &[usize],
    choices: &[Choice<'_>],
    saved: &mut [u64],
) {
    let mut segment_at: HashMap<(usize, usize), usize> = HashMap::new();
    for &k in own {
        let found = choices[k].found;
        for s in found.range.clone() {
            segment_at.insert((found.vertex.index(), s), k);
        }
    }
    let mut readers = vec![Readers::default(); draft.atoms.len()];
    for (v, _) in draft.cfg.vertices() {
        for (s, code) in draft.code.of(v).iter().enumerate() {
            let segment = segment_at.get(&(v.index(), s)).copied();
            for &atom in code.reads_before.iter().chain(&code.reads_after) {
                let readers = &mut readers[atom as usize];
                match segment {
                    Some(k) if readers.segments.last() == Some(&k) => {}
                    // So many that each one's part is not worth counting.
                    Some(_) if readers.segments.len() == MOST_READERS => readers.others = true,
                    Some(k) => readers.segments.push(k),
                    None => readers.others = true,
                }
            }
        }
    }
    let mut share = |cost: u64, place: &cfg_core::ir::Place| {
        let mut asked: Vec<usize> = Vec::new();
        let mut others = false;
        draft.atoms.of_place(place, &mut |atom| {
            others |= readers[atom as usize].others;
            asked.extend_from_slice(&readers[atom as usize].segments);
        });
        if !others && !asked.is_empty() {
            for k in &asked {
                saved[*k] += cost / asked.len() as u64;
            }
        }
    };
    for (v, _) in draft.cfg.vertices() {
        let rate = rate(draft, v);
        tbr.each_save(v, |_, place| {
            share(rate.saturating_mul(PUSH * values(place, draft)), place);
        });
    }
}
