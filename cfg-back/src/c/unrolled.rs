//! Loops whose passes share nothing, such as `x_b[j] += y_b * a[j]`: they are written upwards, two passes at a time.
//!
//! Compilers for C make vectors of neighbouring statements wherever these are profitable, of loops only with options
//! that cost code (gcc up to -O2 makes none of a loop whose trips it does not know), and of loops that run downwards,
//! as those of reverse sweeps do, with an exchange of elements for each access.
//!
//! Each element is assigned in one pass only, by the same expression as before, so that no bit of the results depends
//! on the order of passes.

use super::{
    Emitted,
    lines::Statement,
    operators::{Infix, precedence::POSTFIX},
    writer::Writer,
};
use cfg_core::{
    entity::{EdgeId, VarId, VertexId},
    flat::FlatExpr,
    ir::{
        Cfg, Expr, Extent, LoopTest, Op, Place, Role, Routine, ScalarType, Stmt, StmtKind,
        VertexKind, visit,
    },
    structure::Structure,
};
use std::collections::{HashMap, HashSet};

/// Most statements of a loop that is unrolled, so that the text stays short.
const MOST_STATEMENTS: usize = 4;

/// A counted loop by 1 or -1, without loops and branches inside.
pub(super) struct Counted<'c> {
    pub(super) index: VarId,
    pub(super) first: &'c Expr,
    pub(super) last: &'c Expr,
    pub(super) step: i64,
    pub(super) body: Vec<(VertexId, usize, &'c Stmt)>,
}

/// Index, bounds and step of a loop that counts by 1 or -1, and whose bounds do not name its index.
pub(super) fn by_one(test: &LoopTest) -> Option<(VarId, [&Expr; 2], i64)> {
    let LoopTest::Counted {
        index,
        first,
        last,
        step,
    } = test
    else {
        return None;
    };
    let step = step.constant().filter(|n| matches!(n, 1 | -1))?;
    let is_own_bound = names(first, *index) || names(last, *index);
    (!is_own_bound).then_some((*index, [first, last], step))
}

/// The counted loop of a LOOP, of at most so many statements, whose bounds do not name its index.
pub(super) fn counted<'c>(
    cfg: &'c Cfg,
    structure: &Structure,
    v: VertexId,
    test: &'c LoopTest,
    most: usize,
) -> Option<Counted<'c>> {
    let (index, [first, last], step) = by_one(test)?;
    let body = |e: &&EdgeId| structure.kind(**e).loop_body;
    let mut at = cfg.edge(*cfg.out_edges(v).iter().find(body)?).to;
    let mut found = Counted {
        index,
        first,
        last,
        step,
        body: Vec::new(),
    };
    while Some(at) != structure.partner(v) {
        let VertexKind::Block(statements) = &cfg.vertex(at).kind else {
            return None;
        };
        if found.body.len() + statements.len() > most {
            return None;
        }
        let statements = statements.iter().enumerate();
        found.body.extend(statements.map(|(k, s)| (at, k, s)));
        at = cfg.edge(*cfg.out_edges(at).first()?).to;
    }
    Some(found)
}

/// An element that a pass assigns, with a subscript that no other pass has.
struct Moving<'s> {
    place: &'s Place,
    dimension: usize,
    at: &'s Expr,
}

impl Writer<'_> {
    /// Writes a loop two passes at a time if these share nothing; the edge behind it.
    pub(super) fn emit_unrolled(
        &mut self,
        cfg: &Cfg,
        structure: &Structure,
        v: VertexId,
        test: &LoopTest,
    ) -> Emitted<Option<EdgeId>> {
        let Some(found) = self.find_unrolled(cfg, structure, v, test) else {
            return Ok(None);
        };
        let Counted { index, body, .. } = found;
        let (low, high) = match found.step {
            1 => (found.first, found.last),
            _ => (found.last, found.first),
        };
        self.pieces.begin_statement();
        self.open_place();
        self.note_read(index);
        let i = self.scalar_place(index)?.at_least(POSTFIX);
        let low = self.emit_scalar(low)?;
        let mut last = self.emit_scalar(high)?;
        let at = |v: VertexId| structure.position[v.index()] as usize;
        let end = structure.partner(v).unwrap_or(v);
        if !self.is_invariant(high, index, &(at(v) + 1..at(end))) {
            last = self.keep("last", last);
        }
        let two = i.clone().with(Infix::AddTo, 2);
        // The last but one is compared, not the sum, which might overflow.
        let test = i.clone().is(Infix::Lt, last.clone());
        let begin = Some(i.clone().set(low));
        self.add(Statement::For(begin, [test, two].into(), false));
        self.open_indices.push(index);
        for (vertex, k, statement) in &body {
            self.set_place(Some((*vertex, Some(*k))));
            self.emit_statement(statement, false)?;
            self.emit_statement(&next_pass(statement, index, 1), false)?;
        }
        self.pieces.begin_statement();
        self.back_to_open();
        self.lines.close_block();
        let test = self.within(i, (high, last), true)?;
        self.add(Statement::If(test));
        for (vertex, k, statement) in &body {
            self.set_place(Some((*vertex, Some(*k))));
            self.emit_statement(statement, false)?;
        }
        self.pieces.begin_statement();
        self.back_to_open();
        self.open_indices.pop();
        self.lines.close_block();
        self.close_place();
        let exit = |e: &&EdgeId| structure.kind(**e).loop_exit;
        Ok(cfg.out_edges(v).iter().find(exit).copied())
    }

    fn find_unrolled<'c>(
        &self,
        cfg: &'c Cfg,
        structure: &Structure,
        v: VertexId,
        test: &'c LoopTest,
    ) -> Option<Counted<'c>> {
        let found = counted(cfg, structure, v, test, MOST_STATEMENTS)?;
        let is_counter = self.is_own(found.index) && self.counters.contains(&found.index);
        let is_fixed = found.first.constant().is_some() && found.last.constant().is_some();
        if self.is_checked() || !is_counter || is_fixed {
            return None;
        }
        self.passes_share_nothing(&found).then_some(found)
    }

    /// True if each pass assigns elements of its own, which no other pass reads, and computes at least one of them.
    fn passes_share_nothing(&self, counted: &Counted<'_>) -> bool {
        let mut values: Vec<&Expr> = Vec::new();
        let mut moving: Vec<Moving<'_>> = Vec::new();
        for (_, _, statement) in &counted.body {
            let Some((target, value)) = statement.kind.assignment() else {
                return false;
            };
            let Some(target) = self.moving(target, counted.index) else {
                return false;
            };
            moving.push(target);
            values.push(value);
        }
        let is_computed = |e: &&Expr| matches!(e, Expr::Op(..));
        let places = moving.iter().map(|m| m.place);
        values.iter().any(is_computed)
            && places.into_iter().all(|p| self.is_read_apart(p, &moving))
            && values.into_iter().all(|e| self.is_arithmetic(e, &moving))
    }

    /// An element of reals with a subscript that differs from pass to pass.
    fn moving<'s>(&self, place: &'s Place, index: VarId) -> Option<Moving<'s>> {
        let ty = self.routine.variable(place.var).ty;
        let is_real = matches!(ty, ScalarType::Real | ScalarType::Real32);
        let mut all = place.subscript_exprs().enumerate();
        let (dimension, at) = all.find(|(_, e)| differs(e, index))?;
        let is_element = is_real && place.is_element() && self.pool_of(place.var).is_none();
        is_element.then_some(Moving {
            place,
            dimension,
            at,
        })
    }

    /// True if a place shares no cell with the targets of other passes: it has the subscript of this pass, as these
    /// have theirs, or shares no cell with any.
    fn is_apart(&self, place: &Place, targets: &[Moving<'_>]) -> bool {
        targets.iter().all(|target| {
            if target.place.var != place.var {
                return !self.locations.may_share(target.place.var, place.var);
            }
            place.subscript_exprs().nth(target.dimension) == Some(target.at)
        })
    }

    /// True of sums and products of elements and scalars that no other pass assigns.
    fn is_arithmetic(&self, value: &Expr, targets: &[Moving<'_>]) -> bool {
        let mut open = vec![value];
        while let Some(e) = open.pop() {
            let is_fine = match FlatExpr::view(e) {
                FlatExpr::Constant(_) => true,
                FlatExpr::Place(place) => self.is_read_apart(place, targets),
                FlatExpr::Op(Op::Add | Op::Sub | Op::Mul | Op::StrongMul | Op::Neg, operands) => {
                    open.extend(operands);
                    true
                }
                FlatExpr::Op(..) => false,
            };
            if !is_fine {
                return false;
            }
        }
        true
    }

    fn is_read_apart(&self, place: &Place, targets: &[Moving<'_>]) -> bool {
        let is_scalar = place.subscripts.is_empty() && self.routine.variable(place.var).rank() == 0;
        (is_scalar || place.is_element())
            && self.is_apart(place, targets)
            && place
                .subscript_exprs()
                .all(|e| self.is_subscript(e, targets))
    }

    /// True of arithmetic over integers that no pass assigns.
    fn is_subscript(&self, e: &Expr, targets: &[Moving<'_>]) -> bool {
        let mut stays = true;
        e.walk(&mut |e| match FlatExpr::view(e) {
            FlatExpr::Constant(_) => {}
            FlatExpr::Place(place) => {
                let is_element = place.subscripts.is_empty() || place.is_element();
                let is_assigned = |t: &Moving<'_>| self.locations.may_share(t.place.var, place.var);
                stays &= is_element && !targets.iter().any(is_assigned);
            }
            FlatExpr::Op(op, _) => {
                stays &= matches!(op, Op::Add | Op::Sub | Op::Mul | Op::Neg | Op::Convert(..));
            }
        });
        stays
    }
}

/// The statement as the next pass has it.
pub(super) fn next_pass(statement: &Stmt, index: VarId, step: i64) -> Stmt {
    let mut next = statement.clone();
    let own = Expr::var(index);
    let mut shift = |e: Expr| match e == own {
        true if step < 0 => Expr::op(Op::Sub, [e, Expr::Int(1)]),
        true => Expr::op(Op::Add, [e, Expr::Int(1)]),
        false => e,
    };
    if let Some((target, value)) = statement.kind.assignment() {
        let target = target.map_subscripts(&mut |e| e.map(&mut shift));
        next.kind = Stmt::assign(target, value.map(&mut shift)).kind;
    } else if let StmtKind::Push { value, .. } = &mut next.kind {
        *value = value.map(&mut shift);
    }
    next
}

pub(super) fn names(e: &Expr, v: VarId) -> bool {
    let mut found = false;
    e.walk_places(&mut |place| found |= place.var == v);
    found
}

/// True of a sum or difference in which a variable stands once, as a term of its own: values of the variable give
/// values of their own.
fn differs(mut e: &Expr, v: VarId) -> bool {
    loop {
        e = match FlatExpr::view(e) {
            FlatExpr::Place(place) => return place.var == v,
            FlatExpr::Op(Op::Add | Op::Sub, [x, y]) if !names(y, v) => x,
            FlatExpr::Op(Op::Add | Op::Sub, [x, y]) if !names(x, v) => y,
            FlatExpr::Op(..) | FlatExpr::Constant(_) => return false,
        };
    }
}

/// The local integers that are read only in counted loops over them, so that their values behind these are not read.
pub(super) fn counters(routine: &Routine, cfg: &Cfg, structure: &Structure) -> HashSet<VarId> {
    let mut counters = HashSet::new();
    for (v, variable) in (0..).map(VarId::new).zip(&routine.variables) {
        let is_own = variable.role == Role::Local && routine.result != Some(v);
        if is_own && variable.ty == ScalarType::Integer && variable.rank() == 0 {
            counters.insert(v);
        }
    }
    for variable in &routine.variables {
        for dim in &variable.shape {
            let extent = match &dim.extent {
                Extent::Fixed(e) => Some(e),
                Extent::Deferred => None,
            };
            for e in extent.into_iter().chain([&dim.lower]) {
                e.walk_places(&mut |place| {
                    counters.remove(&place.var);
                });
            }
        }
    }
    // The number of loops over each variable around a vertex.
    let mut around: HashMap<VarId, usize> = HashMap::new();
    let mut index_until: HashMap<VertexId, VarId> = HashMap::new();
    for &v in &structure.order {
        if let Some(index) = index_until.remove(&v) {
            around.entry(index).and_modify(|n| *n -= 1);
        }
        let vertex = cfg.vertex(v);
        let mut read = |v: VarId| {
            if around.get(&v).is_none_or(|n| *n == 0) {
                counters.remove(&v);
            }
        };
        for e in vertex.kind.exprs() {
            e.walk_places(&mut |place| read(place.var));
        }
        for statement in vertex.statements() {
            visit::each_name(statement, &mut |v, role| {
                if role.reads() {
                    read(v);
                }
            });
        }
        if let (Some(index), Some(end)) = (vertex.kind.index(), structure.partner(v)) {
            *around.entry(index).or_default() += 1;
            index_until.insert(end, index);
        }
    }
    counters
}
