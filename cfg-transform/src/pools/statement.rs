//! Statements: copies of pointers and records, calls, and operations on the heap.

use super::{
    address::{Address, Located, Open},
    arithmetic::{add, all, either, eq, is_simple, le, mul, sub},
    cells,
    expression::Pointer,
    plan::{CELL, Freed, Kind, OBJECT, Pool},
    writer::{Mode, Refused, Writer, field, internal_error, section},
};
use cfg_core::{
    entity::{RoutineId, VarId},
    ir::{Expr, Extent, Intent, Op, Place, ScalarType, Stmt, StmtKind, Subscript},
};

/// Most cells of a record that are copied one by one.
const MOST_CELLS: usize = 10_000;

/// Most rows of an array with gaps that get a value one by one.
const MOST_ROWS: usize = 1_000;

impl Writer<'_, '_> {
    pub(super) fn lower_statement(&mut self, statement: &Stmt) -> Result<(), Refused> {
        match &statement.kind {
            StmtKind::Assign { target, value } => self.lower_assignment(target, value),
            StmtKind::Call {
                callee,
                arguments,
                result,
            } => self.lower_call(*callee, arguments, result.as_ref()),
            StmtKind::Push { tape, class, value } => {
                let value = self.lower_expr(value, Mode::Ahead)?;
                self.block.push(Stmt::new(StmtKind::Push {
                    tape: *tape,
                    class: *class,
                    value,
                }));
                Ok(())
            }
            StmtKind::Pop {
                tape,
                class,
                target,
            } => {
                let target = self.lower_place(target, Mode::Ahead)?;
                self.block.push(Stmt::new(StmtKind::Pop {
                    tape: *tape,
                    class: *class,
                    target,
                }));
                Ok(())
            }
            StmtKind::Opaque {
                text,
                reads,
                writes,
            } => {
                if writes.iter().any(|&v| self.plan.is_moved(self.id, v)) {
                    return Err(Refused::new(
                        "an opaque statement writes a variable to which pointers lead",
                        "let it write a variable of its own, and assign that",
                    ));
                }
                let mut read = Vec::new();
                for &v in reads {
                    match self.located_variable(v) {
                        Some((pool, ty)) => {
                            for ty in cells::cell_types(self.plan.program, ty) {
                                let array = self.array_of_cells(pool, ty)?;
                                if !read.contains(&array) {
                                    read.push(array);
                                }
                            }
                        }
                        None => read.push(v),
                    }
                }
                self.block.push(Stmt::new(StmtKind::Opaque {
                    text: text.clone(),
                    reads: read.into(),
                    writes: writes.clone(),
                }));
                Ok(())
            }
            StmtKind::Stop { text } => {
                let text = text.clone();
                self.block.push(Stmt::new(StmtKind::Stop { text }));
                Ok(())
            }
            StmtKind::Allocate {
                pointer,
                count,
                zeroed,
            } => {
                let (pool, ty) = self.heap_pool(pointer)?;
                let count = self.lower_expr(count, Mode::Ahead)?;
                let target = self.lower_place(pointer, Mode::Ahead)?;
                let made = self.lower_allocate(pool, ty, count)?;
                if *zeroed {
                    self.clear_object(pool, ty, &made)?;
                }
                self.assign_pointer(&target, made.pointer);
                Ok(())
            }
            StmtKind::Free { pointer } => {
                let (pool, _) = self.heap_pool(pointer)?;
                let place = self.lower_place(pointer, Mode::Ahead)?;
                self.lower_free(pool, &place);
                Ok(())
            }
            StmtKind::Resize { pointer, count } => {
                let (pool, ty) = self.heap_pool(pointer)?;
                let count = self.lower_expr(count, Mode::Ahead)?;
                let target = self.lower_place(pointer, Mode::Ahead)?;
                self.lower_resize(pool, ty, count, &target)
            }
        }
    }

    /// The pool of a variable that lives in one, and its type.
    fn located_variable(&self, v: VarId) -> Option<(usize, ScalarType)> {
        if !self.plan.is_moved(self.id, v) {
            return None;
        }
        let pool = self.plan.pool(self.plan.classes.variable(self.id, v))?;
        Some((pool, self.routine.variable(v).ty))
    }

    /// The pool to which a pointer leads, and the type of the elements there.
    fn heap_pool(&self, pointer: &Place) -> Result<(usize, ScalarType), Refused> {
        let found = self.plan.classes.class_of_place(self.id, pointer);
        let (class, ty) = found.ok_or_else(|| internal_error("a pointer without a class"))?;
        let ty = ty
            .pointer()
            .ok_or_else(|| internal_error("the heap behind no pointer"))?;
        let (_, pool) = (self.plan.pointee(class, ty))
            .ok_or_else(|| internal_error("a pointer without a pool"))?;
        Ok((pool, ty.pointee()))
    }

    fn lower_assignment(&mut self, target: &Place, value: &Expr) -> Result<(), Refused> {
        let to = cfg_core::typing::place_type_in(
            &self.plan.program.records,
            &self.routine.variables,
            target,
        );
        let to = to.map_err(|_| internal_error("a target without a type"))?;
        let ty = to.ty;
        if ty.record().is_some()
            && let Expr::Place(source) = value
        {
            let from = self.locate_place(source, Mode::Ahead)?;
            let to = self.locate_place(target, Mode::Ahead)?;
            return self.copy_record(ty, to, from);
        }
        let value = match (ty.pointer(), value) {
            (None, value) => self.lower_expr(value, Mode::Ahead)?,
            (Some(_), Expr::Place(source)) => self.lower_place(source, Mode::Ahead)?.into(),
            (Some(_), value) => {
                let pointer = self.lower_pointer(value, Mode::Ahead)?;
                if to.rank <= 1 {
                    let target = self.lower_place(target, Mode::Ahead)?;
                    self.assign_pointer(&target, pointer);
                    return Ok(());
                }
                self.in_variable(pointer, "value")
            }
        };
        let is_matrix = to.rank > 1 && is_scalar(self, &value);
        if !is_matrix {
            let target = self.lower_place(target, Mode::Ahead)?;
            self.assign(target, value);
            return Ok(());
        }
        // All elements get the value of a scalar, which may be read from one of them.
        let (ty, rows) = match self.locate_place(target, Mode::Ahead)? {
            Located::Plain(place) => {
                self.assign(place, value);
                return Ok(());
            }
            Located::Pooled(address) => (address.ty, rows(address)?),
        };
        let value = match rows.len() != 1 && !is_simple(&value) {
            true => {
                let v = self.declare_local("value", self.plan.lowered_type(ty));
                self.assign(Place::whole(v), value);
                Expr::var(v)
            }
            false => value,
        };
        for row in rows {
            let row = self.place_of_cells(row, Mode::Ahead)?;
            self.assign(row, value.clone());
        }
        Ok(())
    }

    /// Assigns a pointer, whose object and cell may be read from the target itself.
    fn assign_pointer(&mut self, target: &Place, pointer: Pointer) {
        let (object, cell) = (field(target, OBJECT), field(target, CELL));
        let mut reads = false;
        pointer
            .cell
            .walk_places(&mut |p| reads |= p.var == target.var);
        let stays = pointer.object == Expr::Place(object.clone());
        let mut value = pointer.cell;
        if reads && !stays {
            // The cell may be read from the target, which changes with the object.
            let v = self.declare_local("cell", ScalarType::Integer);
            self.assign(Place::whole(v), value);
            value = Expr::var(v);
        }
        if !stays {
            self.assign(object, pointer.object);
        }
        self.assign(cell, value);
    }

    /// Copies a record, or an array of records.
    fn copy_record(&mut self, ty: ScalarType, to: Located, from: Located) -> Result<(), Refused> {
        match (to, from) {
            (Located::Plain(to), Located::Plain(from)) => {
                self.assign(to, from.into());
                Ok(())
            }
            (Located::Pooled(to), Located::Pooled(from)) => {
                let size = Expr::Int(cells::cell_count(self.plan.program, ty));
                let (to, from) = (run(to, &size)?, run(from, &size)?);
                let mut places = Vec::new();
                for ty in kinds(cells::cell_types(self.plan.program, ty)) {
                    let [to, from] = [&to, &from].map(|address| Address {
                        ty,
                        open: address.open.clone(),
                        inside: address.inside.clone(),
                        fits: address.fits.clone(),
                        object: address.object.clone(),
                        cell: address.cell.clone(),
                        ..*address
                    });
                    let from = self.place_of_cells(from, Mode::Ahead)?;
                    places.push((self.place_of_cells(to, Mode::Ahead)?, from));
                }
                for (to, from) in places {
                    self.assign(to, from.into());
                }
                Ok(())
            }
            (Located::Plain(place), Located::Pooled(address)) => {
                self.cell_by_cell(ty, &place, address, false)
            }
            (Located::Pooled(address), Located::Plain(place)) => {
                self.cell_by_cell(ty, &place, address, true)
            }
        }
    }

    /// Copies a record between a variable and a pool.
    pub(super) fn cell_by_cell(
        &mut self,
        ty: ScalarType,
        place: &Place,
        address: Address,
        to_pool: bool,
    ) -> Result<(), Refused> {
        if !address.open.is_empty() {
            return Err(Refused::new(
                "an array of records is copied between a variable and memory that pointers lead to",
                "copy the records one by one, in a loop",
            ));
        }
        let program = self.plan.program;
        let all = cells::each_cell(program, ty, MOST_CELLS).ok_or_else(|| {
            Refused::new(
                format!("a record of more than {MOST_CELLS} cells is copied from or to what pointers lead to"),
                "copy its fields one by one",
            )
        })?;
        let index = self.checked_index(&address, all.len() as i64, Mode::Ahead);
        for cell in all {
            let array = self.array_of_cells(address.pool, cell.ty)?;
            let pooled = Place::element(array, [add(index.clone(), Expr::Int(cell.number))]);
            let mut subscripts = place.subscripts.to_vec();
            for (name, indices) in cell.path {
                subscripts.push(Subscript::Field(name.into()));
                let indices = indices.into_iter().map(|i| Subscript::Index(Expr::Int(i)));
                subscripts.extend(indices);
            }
            let own = Place {
                var: place.var,
                subscripts: subscripts.into(),
            };
            match to_pool {
                true => self.assign(pooled, own.into()),
                false => self.assign(own, pooled.into()),
            }
        }
        Ok(())
    }

    fn lower_call(
        &mut self,
        callee: RoutineId,
        arguments: &[Option<Expr>],
        result: Option<&Place>,
    ) -> Result<(), Refused> {
        let called = self.plan.program.routine(callee);
        let mut passed = Vec::with_capacity(arguments.len());
        for (formal, argument) in called.parameter_ids().zip(arguments) {
            passed.push(match argument {
                None => None,
                Some(e) => Some(self.lower_argument(callee, formal, e)?),
            });
        }
        let record = called.result.map(|v| called.variable(v).ty);
        let record = record.filter(|ty| ty.record().is_some());
        let mut behind = None;
        let result = match result {
            None => None,
            Some(place) => Some(match (self.locate_place(place, Mode::Ahead)?, record) {
                (Located::Plain(place), _) => place,
                (Located::Pooled(address), Some(ty)) => {
                    let v = self.declare_local("returned", ty);
                    behind = Some((ty, v, address));
                    Place::whole(v)
                }
                (Located::Pooled(address), None) => self.place_of_cells(address, Mode::Ahead)?,
            }),
        };
        self.block.push(Stmt::new(StmtKind::Call {
            callee,
            arguments: passed.into(),
            result,
        }));
        match behind {
            Some((ty, v, address)) => self.cell_by_cell(ty, &Place::whole(v), address, true),
            None => Ok(()),
        }
    }

    fn lower_argument(
        &mut self,
        callee: RoutineId,
        formal: VarId,
        e: &Expr,
    ) -> Result<Expr, Refused> {
        let called = self.plan.program.routine(callee);
        let declared = called.variable(formal);
        if self.plan.is_moved(callee, formal) {
            return self.pointer_to_argument(e);
        }
        let place = match e {
            Expr::Place(place) => place,
            _ if declared.ty.pointer().is_some() => {
                let pointer = self.lower_pointer(e, Mode::Ahead)?;
                return Ok(self.in_variable(pointer, "argument"));
            }
            Expr::Int(_)
            | Expr::Real(_)
            | Expr::Real32(_)
            | Expr::Logical(_)
            | Expr::Null(_)
            | Expr::Addr(_)
            | Expr::Op(..) => return self.lower_expr(e, Mode::Ahead),
        };
        let address = match self.locate_place(place, Mode::Ahead)? {
            Located::Plain(place) => return Ok(place.into()),
            Located::Pooled(address) => address,
        };
        if declared.rank() == 0 {
            let place = self.place_of_cells(address, Mode::Ahead)?;
            if declared.intent() != Some(Intent::In) || called.aliased {
                return Ok(place.into());
            }
            // An argument that is only read is copied, so that no write of the routine can overlap it.
            let v = self.declare_local("argument", self.plan.lowered_type(declared.ty));
            self.assign(Place::whole(v), place.into());
            return Ok(Expr::var(v));
        }
        let deferred = declared.shape.iter().any(|d| d.extent == Extent::Deferred);
        if deferred && declared.rank() > 1 {
            return Err(Refused::new(
                format!(
                    "`{}` of `{}` takes its extents from an array of more than one dimension to which pointers lead",
                    declared.name, called.name
                ),
                "declare the extents of the parameter, and pass them",
            ));
        }
        if address.open.is_empty() {
            return self.until_the_end(address);
        }
        let address = match address.open.len() {
            1 => address,
            _ => dense(address)?,
        };
        Ok(self.place_of_cells(address, Mode::Ahead)?.into())
    }

    /// The cells from an element to the end of its object, for an element in place of an array argument.
    fn until_the_end(&mut self, address: Address) -> Result<Expr, Refused> {
        let array = self.array_of_cells(address.pool, address.ty)?;
        let lower = self.checked_index(&address, 1, Mode::Ahead);
        let last = self.table_entry(self.plan.pools[address.pool].last, address.object.clone());
        Ok(section(array, lower, last.into()).into())
    }

    /// The pointer to an actual argument, for a formal that lives in a pool.
    fn pointer_to_argument(&mut self, e: &Expr) -> Result<Expr, Refused> {
        let Expr::Place(place) = e else {
            return Err(Refused::new(
                "the address of a parameter is taken to which an expression is passed",
                "assign the expression to a variable, and pass that",
            ));
        };
        let Located::Pooled(address) = self.locate_place(place, Mode::Ahead)? else {
            return Err(internal_error("the address of what is in no pool"));
        };
        if address.open.len() == 1
            && address.open[0].step != Expr::Int(cells::cell_count(self.plan.program, address.ty))
            || address.open.len() > 1 && !address.dense
        {
            return Err(Refused::new(
                "a section with gaps is passed to a parameter of which the address is taken",
                "copy the section to an array of its own, and pass that",
            ));
        }
        let object = address.object.clone();
        let cell = match address.open.is_empty() {
            true => self.checked_index(&address, 1, Mode::Ahead),
            false => address.cell,
        };
        Ok(self.in_variable(Pointer { object, cell }, "argument"))
    }

    /// A pointer in a variable of its own.
    fn in_variable(&mut self, pointer: Pointer, name: &str) -> Expr {
        let v = self.declare_local(name, ScalarType::Record(self.plan.pointer));
        self.assign_pointer(&Place::whole(v), pointer);
        Expr::var(v)
    }
}

/// A new object.
struct Made {
    pointer: Pointer,
    /// Number of its cells.
    size: Expr,
}

impl Writer<'_, '_> {
    /// Makes an object of `count` elements.
    fn lower_allocate(
        &mut self,
        pool: usize,
        ty: ScalarType,
        count: Expr,
    ) -> Result<Made, Refused> {
        let plan = self.plan;
        let pool = &plan.pools[pool];
        let each = cells::cell_count(plan.program, ty);
        // Counts beyond the size of the pool are cut, since the product with the cells of an element might overflow.
        let most = plan.size.saturating_add(1);
        let count = match count.constant() {
            _ if each == 1 => count,
            Some(n) => Expr::Int(n.min(most)),
            None => Expr::op(Op::Min, [count, Expr::Int(most)]),
        };
        let size = self.hoist(mul(count, Expr::Int(each)), "size", Mode::Ahead);
        let (objects, top) = (self.counter(pool.objects), self.counter(pool.top));
        let bottom = self.counter(pool.bottom);
        let variables = self.counter(pool.variables);
        let object = self.declare_local("object", ScalarType::Integer);
        let cell = self.declare_local("cell", ScalarType::Integer);
        let new = add(objects.clone().into(), Expr::Int(1));
        let has_room = all(vec![
            le(Expr::Int(0), size.clone()),
            le(size.clone(), sub(bottom.into(), top.clone().into())),
        ]);
        let end = add(cell.into(), size.clone());
        let Some(freed) = &pool.freed else {
            self.assign(Place::whole(object), new);
            self.assign(Place::whole(cell), top.clone().into());
            let has_room = all(vec![
                has_room,
                Expr::op(Op::Lt, [object.into(), variables.into()]),
            ]);
            self.enter_object(pool, ty, (object, has_room), (cell, &size));
            self.assign(objects, object.into());
            self.assign(top, end);
            return Ok(Made {
                pointer: Pointer {
                    object: object.into(),
                    cell: cell.into(),
                },
                size,
            });
        };
        // The number for an object at the top: a new one, or that of a freed object whose cells were returned to the
        // pool.
        let number = self.declare_local("number", ScalarType::Integer);
        let is_new = Expr::op(Op::Lt, [new.clone(), variables.into()]);
        let without_cells = self.table_entry(freed.lists, Expr::Int(0));
        self.assign(
            Place::whole(number),
            either(is_new, new, without_cells.into()),
        );
        // Without a number or room at the top, the last freed object of this size is used again.
        let list = self.hoist(Freed::list(&size), "list", Mode::Ahead);
        let other = self.table_entry(freed.lists, list.clone());
        let other = self.hoist(other.into(), "freed", Mode::Ahead);
        let first = self.table_entry(pool.first, other.clone());
        let last = self.table_entry(pool.last, other.clone());
        let fits = eq(
            last.into(),
            sub(sub(first.into(), Expr::Int(2)), size.clone()),
        );
        let has_room = all(vec![
            Expr::op(Op::Gt, [number.into(), Expr::Int(0)]),
            has_room,
        ]);
        self.assign(
            Place::whole(object),
            either(has_room, number.into(), either(fits, other, Expr::Int(0))),
        );
        let is_number = eq(object.into(), number.into());
        let first = self.table_entry(pool.first, object.into());
        self.assign(
            Place::whole(cell),
            either(is_number.clone(), top.clone().into(), first.into()),
        );
        let is_there = Expr::op(Op::Gt, [object.into(), Expr::Int(0)]);
        self.enter_object(pool, ty, (object, is_there), (cell, &size));
        // The object leaves its list.
        let list = either(is_number.clone(), Expr::Int(0), list);
        let list = self.hoist(list, "list", Mode::Ahead);
        let head = self.table_entry(freed.lists, list);
        let next = self.table_entry(freed.next, object.into());
        let left = eq(head.clone().into(), object.into());
        self.assign(head.clone(), either(left, next.into(), head.into()));
        self.assign(
            objects.clone(),
            Expr::op(Op::Max, [objects.into(), object.into()]),
        );
        self.assign(top.clone(), either(is_number, end, top.into()));
        Ok(Made {
            pointer: Pointer {
                object: object.into(),
                cell: cell.into(),
            },
            size,
        })
    }

    /// Enters an object into the tables. If the condition is false, the entry does not exist, which is the run-time
    /// error.
    fn enter_object(
        &mut self,
        pool: &Pool,
        ty: ScalarType,
        (object, may_be): (VarId, Expr),
        (cell, size): (VarId, &Expr),
    ) {
        let entry = either(may_be, object.into(), Expr::Int(-1));
        let entry = self.hoist(entry, "entry", Mode::Ahead);
        let entry = self.table_entry(pool.first, entry);
        self.assign(entry, cell.into());
        let last = self.table_entry(pool.last, object.into());
        let end = add(cell.into(), size.clone());
        self.assign(last, sub(end, Expr::Int(1)));
        self.record_layout(pool, ty, object.into());
    }

    /// Sets all cells of a new object to zero, false or null.
    fn clear_object(&mut self, pool: usize, ty: ScalarType, made: &Made) -> Result<(), Refused> {
        let end = sub(
            add(made.pointer.cell.clone(), made.size.clone()),
            Expr::Int(1),
        );
        for ty in kinds(cells::cell_types(self.plan.program, ty)) {
            let array = self.array_of_cells(pool, ty)?;
            let cells = section(array, made.pointer.cell.clone(), end.clone());
            self.clear_cells(cells, Kind::from_type(ty));
        }
        Ok(())
    }

    /// Ends the object to whose first cell a pointer leads; null ends nothing.
    fn lower_free(&mut self, pool: usize, pointer: &Place) {
        let plan = self.plan;
        let pool = &plan.pools[pool];
        let object: Expr = field(pointer, OBJECT).into();
        let cell: Expr = field(pointer, CELL).into();
        let is_null = eq(object.clone(), Expr::Int(0));
        let first: Expr = self.table_entry(pool.first, object.clone()).into();
        let last: Expr = self.table_entry(pool.last, object.clone()).into();
        let variables = self.counter(pool.variables);
        let before = sub(first.clone(), Expr::Int(1));
        // An object can be ended once, by a pointer to its beginning, and only if it was allocated. In other cases the
        // entry does not exist, which is the run-time error.
        let may = Expr::op(
            Op::Or,
            [
                is_null.clone(),
                all(vec![
                    eq(cell, first.clone()),
                    le(before.clone(), last.clone()),
                    Expr::op(Op::Lt, [object.clone(), variables.into()]),
                ]),
            ],
        );
        let negative = sub(Expr::op(Op::Neg, [object.clone()]), Expr::Int(1));
        // The object at the top returns its cells to the pool.
        let top = self.counter(pool.top);
        let is_last = eq(add(last.clone(), Expr::Int(1)), top.clone().into());
        let release = all(vec![
            Expr::op(Op::Gt, [object.clone(), Expr::Int(0)]),
            is_last,
        ]);
        let left = either(release.clone(), first.clone(), top.clone().into());
        let left = self.hoist(left, "top", Mode::Ahead);
        let size = self.hoist(sub(last, before), "size", Mode::Ahead);
        let freed = pool.freed.as_ref();
        let list = freed.map(|freed| {
            let list = either(release, Expr::Int(0), Freed::list(&size));
            (freed, self.hoist(list, "list", Mode::Ahead))
        });
        let entry = either(may, object.clone(), negative);
        let entry = self.hoist(entry, "entry", Mode::Ahead);
        let entry = self.table_entry(pool.last, entry);
        let ended = sub(sub(first, Expr::Int(2)), size);
        self.assign(entry, either(is_null.clone(), Expr::Int(0), ended));
        self.assign(top, left);
        if let Some((freed, list)) = list {
            let head = self.table_entry(freed.lists, list);
            let next = self.table_entry(freed.next, object.clone());
            self.assign(next, head.clone().into());
            self.assign(head.clone(), either(is_null, head.into(), object));
        }
    }

    /// Makes a new object with the contents of the old one, as far as they fit, and ends the old one.
    fn lower_resize(
        &mut self,
        pool: usize,
        ty: ScalarType,
        count: Expr,
        target: &Place,
    ) -> Result<(), Refused> {
        let plan = self.plan;
        let number = pool;
        let pool = &plan.pools[pool];
        let old = self.declare_local("resized", ScalarType::Record(plan.pointer));
        let old = Place::whole(old);
        self.assign(old.clone(), target.clone().into());
        let object: Expr = field(&old, OBJECT).into();
        let first: Expr = self.table_entry(pool.first, object.clone()).into();
        let last: Expr = self.table_entry(pool.last, object).into();
        let before = sub(first.clone(), Expr::Int(1));
        let size = Expr::op(Op::Max, [sub(last, before), Expr::Int(0)]);
        let is_null = eq(field(&old, OBJECT).into(), Expr::Int(0));
        let size = either(is_null, Expr::Int(0), size);
        let size = self.hoist(size, "size", Mode::Ahead);
        let first = self.hoist(first, "first", Mode::Ahead);
        // The object at the top gets the same cells again, and nothing has to be copied.
        self.lower_free(number, &old);
        let made = self.lower_allocate(number, ty, count)?;
        let common = Expr::op(Op::Min, [size, made.size.clone()]);
        let stays = eq(made.pointer.cell.clone(), first.clone());
        let common = self.hoist(either(stays, Expr::Int(0), common), "count", Mode::Ahead);
        let end = |from: &Expr| sub(add(from.clone(), common.clone()), Expr::Int(1));
        for ty in kinds(cells::cell_types(plan.program, ty)) {
            let array = self.array_of_cells(number, ty)?;
            let cell = &made.pointer.cell;
            let to = section(array, cell.clone(), end(cell));
            let from = section(array, first.clone(), end(&first));
            self.assign(to, from.into());
        }
        self.assign_pointer(target, made.pointer);
        Ok(())
    }
}

/// The types of cells, one for all pointers.
fn kinds(types: impl IntoIterator<Item = ScalarType>) -> Vec<ScalarType> {
    let mut seen = std::collections::BTreeMap::new();
    for ty in types {
        seen.entry(Kind::from_type(ty)).or_insert(ty);
    }
    seen.into_values().collect()
}

fn has_gaps() -> Refused {
    Refused::new(
        "a part of an array of more than one dimension, to which pointers lead, is used as a whole",
        "use its elements in loops, or one row at a time",
    )
}

/// All elements of an array without gaps, in one dimension.
fn dense(mut address: Address) -> Result<Address, Refused> {
    if !address.dense {
        return Err(has_gaps());
    }
    let step = address.open.iter().map(|open| &open.step);
    let step = step
        .min_by_key(|step| step.constant().unwrap_or(i64::MAX))
        .cloned();
    let count = (address.open.iter()).fold(Expr::Int(1), |n, open| mul(n, open.count.clone()));
    address.open = step
        .into_iter()
        .map(|step| Open {
            count: count.clone(),
            step,
        })
        .collect();
    Ok(address)
}

/// All elements of an array as rows: one row if there are no gaps, else a row along the longest dimension for each
/// element of the others, whose number must be constant.
fn rows(mut address: Address) -> Result<Vec<Address>, Refused> {
    if address.dense {
        return Ok(vec![dense(address)?]);
    }
    if address.open.iter().any(|open| open.count == Expr::Int(0)) {
        return Ok(Vec::new());
    }
    let open = std::mem::take(&mut address.open);
    // An unknown length counts as the longest.
    let length = |open: &Open| open.count.constant().unwrap_or(i64::MAX);
    let kept = (0..open.len()).max_by_key(|&at| length(&open[at]));
    let mut cells = vec![address.cell.clone()];
    for (at, open) in open.into_iter().enumerate() {
        if Some(at) == kept {
            address.open.push(open);
            continue;
        }
        let count = open.count.constant().and_then(|n| usize::try_from(n).ok());
        let Some(count) = count.filter(|n| n.saturating_mul(cells.len()) <= MOST_ROWS) else {
            return Err(has_gaps());
        };
        let steps = (0..count).map(|k| mul(Expr::Int(k as i64), open.step.clone()));
        let steps: Vec<Expr> = steps.collect();
        let all = cells
            .iter()
            .flat_map(|cell| steps.iter().map(|step| add(cell.clone(), step.clone())));
        cells = all.collect();
    }
    let row = |cell| Address {
        cell,
        ..address.clone()
    };
    Ok(cells.into_iter().map(row).collect())
}

/// All cells of a record, or of an array of records without gaps, as a section.
fn run(address: Address, size: &Expr) -> Result<Address, Refused> {
    let is_run = match &*address.open {
        [] => true,
        [open] => open.step == *size,
        _ => address.dense,
    };
    if !is_run {
        return Err(Refused::new(
            "a section of records with gaps, to which pointers lead, is copied",
            "copy the records one by one, in a loop",
        ));
    }
    let elements = (address.open.iter()).fold(Expr::Int(1), |n, open| mul(n, open.count.clone()));
    let open = Open {
        count: mul(elements, size.clone()),
        step: Expr::Int(1),
    };
    Ok(Address {
        open: vec![open],
        ..address
    })
}

fn is_scalar(writer: &Writer<'_, '_>, e: &Expr) -> bool {
    let types = cfg_core::typing::type_in(&writer.plan.records, &writer.out.variables, e);
    types.is_ok_and(|ty| ty.rank == 0)
}
