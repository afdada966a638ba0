//! Elements that a pass of a loop hands on to the next, such as `x[i]` in `x[i + 1] := x[i + 1] + x[i]`: scalars hold
//! them (scalar replacement, Callahan, Carr, Kennedy, PLDI 1990).
//!
//! A pass that loads what the one before has stored waits for memory besides the arithmetic. Compilers for C hold such
//! elements only where these are assigned once in a pass, and adjoints of stencils are sums.
//!
//! Each element is assigned the same values in the same order, and stored by the pass that assigns it last, or behind
//! the loop. Nothing is loaded that the first pass does not read, so that loops without passes touch no memory.

use super::{
    Emitted,
    lines::Statement,
    operators::{Code, Prefix, precedence::POSTFIX},
    unrolled::{Counted, counted, names},
    writer::Writer,
};
use cfg_core::{
    entity::{EdgeId, VarId, VertexId},
    flat::{FlatExpr, FlatStmt},
    ir::{Cfg, Expr, LoopTest, NameRole, Op, OpClass, Place, ScalarType, Stmt, StmtKind},
    memory::locations::offset,
    structure::Structure,
};

/// Most statements of a loop whose elements are held.
const MOST_STATEMENTS: usize = 32;

/// Most elements that are held of one row, and of all in a loop: more would not find registers.
const LONGEST: usize = 4;
const MOST_ELEMENTS: usize = 12;

/// A read or an assignment of a place in a pass.
#[derive(Clone, Copy)]
struct Access<'s> {
    place: &'s Place,
    is_write: bool,
}

/// Neighbours in a row of an array: an element that is the k-th for a pass is the k + 1-st for the next one.
struct Row<'s> {
    /// Accesses by position. There is one at each.
    accesses: Vec<Vec<Access<'s>>>,
    /// The first and the last position at which the element is assigned.
    assigned: [usize; 2],
}

impl Row<'_> {
    /// The element at a position.
    fn at(&self, k: usize) -> &Place {
        self.accesses[k][0].place
    }

    /// True if a pass reads the value that the element at a position has before it.
    fn is_read_first(&self, k: usize) -> bool {
        !self.accesses[k][0].is_write
    }
}

impl Writer<'_> {
    /// Writes a loop with the elements that its passes hand on in scalars; the edge behind it.
    pub(super) fn emit_carried(
        &mut self,
        cfg: &Cfg,
        structure: &Structure,
        v: VertexId,
        test: &LoopTest,
    ) -> Emitted<Option<EdgeId>> {
        let Some(found) = counted(cfg, structure, v, test, MOST_STATEMENTS) else {
            return Ok(None);
        };
        let rows = self.find_rows(&found);
        if rows.is_empty() {
            return Ok(None);
        }
        let at = |v: VertexId| structure.position[v.index()] as usize;
        let end = structure.partner(v).unwrap_or(v);
        let range = at(v) + 1..at(end);
        let is_push = |(_, _, s): &(_, _, &Stmt)| matches!(s.kind, StmtKind::Push { .. });
        let pushed = self.pushed_per_pass(cfg, structure, &range);
        if !self.roomy && pushed.is_none() && found.body.iter().any(is_push) {
            return Ok(None);
        }
        self.pieces.begin_statement();
        self.open_place();
        self.note_read(found.index);
        let i = self.scalar_place(found.index)?.at_least(POSTFIX);
        let first = self.emit_scalar(found.first)?;
        let mut last = self.emit_scalar(found.last)?;
        if !self.is_invariant(found.last, found.index, &range) {
            last = self.keep("last", last);
        }
        self.room_for_passes(&pushed, &first, &last, found.step)?;
        self.set(&i, first);
        let step = match found.step {
            1 => Prefix::Increment,
            _ => Prefix::Decrement,
        };
        let test = self.within(i.clone(), (found.last, last), found.step == 1)?;
        let next = i.prefix(step);
        // Elements are there if there is a pass.
        self.add(Statement::If(test.clone()));
        self.open_indices.push(found.index);
        let mut held: Vec<Vec<Code>> = Vec::new();
        for row in &rows {
            held.push(self.begin_row(row)?);
        }
        self.add(Statement::For(None, [test, next].into(), false));
        self.emit_pass(&found, &rows, &held)?;
        self.back_to_open();
        self.lines.close_block();
        // The index is that of a pass behind the last one, and names are those that this would have.
        for (row, held) in rows.iter().zip(&held) {
            let [from, to] = row.assigned;
            for (k, name) in (0..).zip(held).take(to + 1).skip(from + 1) {
                self.store(row.at(k), name)?;
            }
        }
        self.open_indices.pop();
        self.lines.close_block();
        self.close_place();
        let exit = |e: &&EdgeId| structure.kind(**e).loop_exit;
        Ok(cfg.out_edges(v).iter().find(exit).copied())
    }

    /// The scalars of a row, with the values that its elements have in front of the first pass.
    fn begin_row(&mut self, row: &Row<'_>) -> Emitted<Vec<Code>> {
        let v = row.at(0).var;
        let (ty, name) = {
            let variable = &self.variables.all[v.index()];
            (variable.ty, variable.kind.name().clone())
        };
        let mut held = Vec::new();
        for k in 0..row.accesses.len() {
            let name = self.declare_helper(&format!("{name}_at"), ty);
            if k > 0 && row.is_read_first(k) {
                self.load(row.at(k), &name)?;
            }
            held.push(name);
        }
        Ok(held)
    }

    fn emit_pass(
        &mut self,
        found: &Counted<'_>,
        rows: &[Row<'_>],
        held: &[Vec<Code>],
    ) -> Emitted<()> {
        let mut names: Vec<(Place, Code)> = Vec::new();
        for (row, held) in rows.iter().zip(held) {
            if row.is_read_first(0) {
                self.load(row.at(0), &held[0])?;
            }
            for (accesses, name) in row.accesses.iter().zip(held) {
                for access in accesses {
                    // Subscripts can be written in few ways only.
                    if names.iter().all(|(place, _)| place != access.place) {
                        names.push((access.place.clone(), name.clone()));
                    }
                }
            }
        }
        self.carried = names;
        for (vertex, k, statement) in &found.body {
            self.set_place(Some((*vertex, Some(*k))));
            self.emit_statement(statement, false)?;
        }
        self.carried.clear();
        self.pieces.begin_statement();
        for (row, held) in rows.iter().zip(held) {
            let k = row.assigned[1];
            self.store(row.at(k), &held[k])?;
            for pair in held.windows(2).rev() {
                self.set(&pair[1], pair[0].clone());
            }
        }
        Ok(())
    }

    fn load(&mut self, place: &Place, name: &Code) -> Emitted<()> {
        let element = self.emit_load(place)?;
        self.set(name, element);
        Ok(())
    }

    fn store(&mut self, place: &Place, name: &Code) -> Emitted<()> {
        let element = self.element_or_scalar(place)?;
        self.set(&element, name.clone());
        Ok(())
    }

    /// The rows of which passes hand elements on, in a loop of assignments, pushes and pops of scalars and
    /// elements.
    fn find_rows<'c>(&self, found: &Counted<'c>) -> Vec<Row<'c>> {
        let origin = self.routine.variable(found.index).origin.as_deref();
        let is_direction = origin.is_some_and(|origin| origin.role == NameRole::Direction);
        if self.is_checked() || !self.is_own(found.index) || is_direction {
            return Vec::new();
        }
        let Some(accesses) = self.accesses(found) else {
            return Vec::new();
        };
        let mut rows: Vec<Row<'c>> = Vec::new();
        for (k, access) in accesses.iter().enumerate() {
            // The first assignment of each row stands for it.
            let is_of_row = |row: &Row<'_>| {
                let places = row.accesses.iter().flatten();
                places.into_iter().any(|a| a.place == access.place)
            };
            if !access.is_write || rows.iter().any(is_of_row) {
                continue;
            }
            let so_far: usize = rows.iter().map(|row| row.accesses.len()).sum();
            let row = self.row_of(found, accesses[k].place, &accesses);
            if let Some(row) = row.filter(|row| so_far + row.accesses.len() <= MOST_ELEMENTS) {
                rows.push(row);
            }
        }
        rows
    }

    /// All that a pass reads and writes, in this order; `None` where not all of it is done in each pass.
    fn accesses<'c>(&self, found: &Counted<'c>) -> Option<Vec<Access<'c>>> {
        let mut all: Vec<Access<'c>> = Vec::new();
        for (_, _, statement) in &found.body {
            let (target, value) = match FlatStmt::view(&statement.kind) {
                FlatStmt::Assign { target, value } => (Some(target), Some(value)),
                FlatStmt::Push { value, .. } => (None, Some(value)),
                FlatStmt::Pop { target, .. } => (Some(target), None),
                FlatStmt::Call { .. } | FlatStmt::Opaque { .. } | FlatStmt::Stop { .. } => {
                    return None;
                }
            };
            for e in value
                .into_iter()
                .chain(target.iter().flat_map(|t| t.subscript_exprs()))
            {
                let mut is_plain = true;
                e.walk(&mut |e| match FlatExpr::view(e) {
                    FlatExpr::Constant(_) => {}
                    FlatExpr::Place(place) => all.push(Access {
                        place,
                        is_write: false,
                    }),
                    // Operands that are not evaluated may lie outside of their arrays.
                    FlatExpr::Op(Op::If | Op::And | Op::Or, _) => is_plain = false,
                    FlatExpr::Op(op, _) => is_plain &= op.class() == OpClass::Elemental,
                });
                if !is_plain {
                    return None;
                }
            }
            all.extend(target.map(|place| Access {
                place,
                is_write: true,
            }));
        }
        let is_scalar = |v: VarId| self.routine.variable(v).rank() == 0;
        let is_one = |place: &Place| place.is_element() || is_scalar(place.var);
        all.iter().all(|a| is_one(a.place)).then_some(all)
    }

    /// The row of an element that is assigned, if a pass reads what an earlier one has assigned, and no place outside
    /// of the row may be a cell of it.
    fn row_of<'c>(
        &self,
        found: &Counted<'c>,
        element: &Place,
        accesses: &[Access<'c>],
    ) -> Option<Row<'c>> {
        let ty = self.routine.variable(element.var).ty;
        let is_real = matches!(ty, ScalarType::Real | ScalarType::Real32);
        if !is_real || !element.is_element() || self.pool_of(element.var).is_some() {
            return None;
        }
        let index = found.index;
        let mut moving = element
            .subscript_exprs()
            .enumerate()
            .filter(|(_, e)| names(e, index));
        let (dimension, at) = moving.next()?;
        let (Some(base), _) = offset(at) else {
            return None;
        };
        let direction = coefficient(base, index)? * found.step;
        if moving.next().is_some() || !self.stays(element, index, accesses) {
            return None;
        }
        let mut members: Vec<(i64, Access<'c>)> = Vec::new();
        for access in accesses {
            let place = access.place;
            if place.var != element.var {
                if self.locations.may_share(place.var, element.var) {
                    return None;
                }
                continue;
            }
            let pairs = || {
                let subscripts = place.subscript_exprs().zip(element.subscript_exprs());
                subscripts.enumerate()
            };
            let is_same = |(k, (s, t)): (usize, (&Expr, &Expr))| match k == dimension {
                true => offset(s).0 == Some(base),
                false => s == t,
            };
            if pairs().all(is_same) {
                let (_, constant) = offset(place.subscript_exprs().nth(dimension)?);
                members.push((constant, *access));
            } else if !pairs().any(|(_, (s, t))| are_never_equal(s, t, index)) {
                return None;
            }
        }
        // Passes meet an element at falling subscripts where these rise from pass to pass.
        let constants = members.iter().map(|(c, _)| *c);
        let new = match direction {
            1 => constants.max()?,
            _ => constants.min()?,
        };
        let mut by_position: Vec<Vec<Access<'c>>> = Vec::new();
        for (constant, access) in members {
            let k = usize::try_from(constant.abs_diff(new)).ok()?;
            if k >= LONGEST {
                return None;
            }
            if by_position.len() <= k {
                by_position.resize_with(k + 1, Vec::new);
            }
            by_position[k].push(access);
        }
        let is_written = |all: &Vec<Access<'c>>| all.iter().any(|a| a.is_write);
        let is_read = |all: &Vec<Access<'c>>| all.iter().any(|a| !a.is_write);
        let from = by_position.iter().position(is_written)?;
        let to = by_position.iter().rposition(is_written)?;
        let is_handed_on = by_position[from + 1..].iter().any(is_read);
        let has_gaps = by_position.iter().any(Vec::is_empty);
        (is_handed_on && !has_gaps).then_some(Row {
            accesses: by_position,
            assigned: [from, to],
        })
    }

    /// True if nothing in a loop assigns what the subscripts of an element name, apart from the index.
    fn stays(&self, element: &Place, index: VarId, accesses: &[Access<'_>]) -> bool {
        let mut stays = true;
        for e in element.subscript_exprs() {
            e.walk_places(&mut |place| {
                let changes =
                    |a: &Access<'_>| a.is_write && self.locations.may_share(a.place.var, place.var);
                stays &= !accesses.iter().any(changes);
            });
        }
        stays && !accesses.iter().any(|a| a.is_write && a.place.var == index)
    }
}

/// 1 or -1 of a sum or difference in which a variable stands once, as a term of its own.
fn coefficient(mut e: &Expr, v: VarId) -> Option<i64> {
    let mut sign = 1;
    loop {
        e = match FlatExpr::view(e) {
            FlatExpr::Place(place) => {
                return (place.var == v && place.subscripts.is_empty()).then_some(sign);
            }
            FlatExpr::Op(Op::Add | Op::Sub, [x, y]) if !names(y, v) => x,
            FlatExpr::Op(Op::Add, [x, y]) if !names(x, v) => y,
            FlatExpr::Op(Op::Sub, [x, y]) if !names(x, v) => {
                sign = -sign;
                y
            }
            FlatExpr::Op(..) | FlatExpr::Constant(_) => return None,
        };
    }
}

/// True of subscripts that differ by a constant and are the same in all passes.
fn are_never_equal(s: &Expr, t: &Expr, index: VarId) -> bool {
    let ((base, m), (other, n)) = (offset(s), offset(t));
    base == other && m != n && !names(s, index)
}
