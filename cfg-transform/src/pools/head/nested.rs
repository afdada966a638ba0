//! Objects from levels, and back.
//!
//! Objects are made in the order of their pointers in the level before. Since a pool numbers the objects of variables
//! one after the other, they are found again without the pointers, which may have changed. Recursive records of a type
//! are one object, made before all others of the parameter.

use super::{
    super::{
        address::Address,
        arithmetic::{add, either, eq, mul, sub},
        cells,
        plan::{CELL, OBJECT},
        writer::{Mode, Refused, Writer, field, internal_error, section},
    },
    count, flush_pieces,
    levels::Level,
    object_of,
    pieces::Piece,
};
use cfg_core::{
    entity::VarId,
    ir::{Dim, Expr, Extent, Place, Role, ScalarType, Subscript, Variable},
};
use std::collections::BTreeMap;

/// A parameter that leads to further pointers.
pub(super) struct Nested {
    levels: Vec<Level>,
    /// The local variables of each level: the place of the current object, and the number of elements of the objects
    /// before it.
    locals: Vec<Locals>,
    /// The mark of each pool before the objects were made.
    pools: BTreeMap<usize, VarId>,
    /// The variable that is handed to the original.
    pub(super) given: VarId,
}

#[derive(Clone, Copy)]
struct Locals {
    at: VarId,
    before: VarId,
}

/// A part of the work: copying to the objects, or back.
struct Copying<'n> {
    levels: &'n [Level],
    locals: &'n [Locals],
    to_pool: bool,
    /// On the way back, the number of the last object found in each pool.
    found: BTreeMap<usize, VarId>,
}

/// The home of the elements of a level.
enum Home {
    Pool(Address),
    /// A variable of the original's type.
    Variable(Place),
}

/// Makes the objects of a parameter.
pub(super) fn take(
    writer: &mut Writer<'_, '_>,
    parameter: &Variable,
    levels: Vec<Level>,
    pieces: &mut Vec<Piece>,
) -> Result<Nested, Refused> {
    let plan = writer.plan;
    let record = ScalarType::Record(plan.pointer);
    let mut pools = BTreeMap::new();
    let mut locals = Vec::new();
    for level in &levels {
        let name = writer.out.variable(level.own).name.clone();
        if let Some(pool) = level.pool
            && !pools.contains_key(&pool)
        {
            let mark = writer.declare_local(&format!("{name}_mark"), record);
            let numbers = [plan.pools[pool].variables, plan.pools[pool].bottom];
            for (name, g) in [OBJECT, CELL].into_iter().zip(numbers) {
                let value = writer.counter(g).into();
                writer.assign(field(&Place::whole(mark), name), value);
            }
            pools.insert(pool, mark);
        }
        let at = writer.declare_local(&format!("{name}_at"), record);
        let before = writer.declare_local(&format!("{name}_before"), ScalarType::Integer);
        writer.assign(Place::whole(before), Expr::Int(0));
        locals.push(Locals { at, before });
    }
    let [root, ..] = &*levels else {
        return Err(internal_error("a parameter without levels"));
    };
    let by_value = parameter.ty.pointer().is_none() || parameter.rank() > 0;
    let (own, pool) = (root.own, root.pool);
    let given = match (by_value, pool) {
        (true, Some(_)) => locals[0].at,
        (true, None) => whole(writer, parameter, own),
        (false, _) => writer.declare_local(&format!("{}_pointer", parameter.name), record),
    };
    let nested = Nested {
        levels,
        locals,
        pools,
        given,
    };
    let mut copying = Copying {
        levels: &nested.levels,
        locals: &nested.locals,
        to_pool: true,
        found: BTreeMap::new(),
    };
    copying.make_homes(writer);
    let size = count(writer, own);
    match (by_value, pool) {
        (false, _) => copying.pointer(writer, 0, size, &Place::whole(given), pieces)?,
        (true, Some(pool)) => {
            copying.object(writer, 0, pool, size, pieces)?;
        }
        (true, None) => copying.variable(writer, given, size, pieces)?,
    }
    copying.homes_hold(writer, pieces)?;
    Ok(nested)
}

/// Object and cell of a pointer to an element of a level without a pool, with `before` elements before it. The program
/// only compares pointers of such a level.
fn without_pool(writer: &Writer<'_, '_>, level: &Level, before: Expr) -> [Expr; 2] {
    let each = cells::cell_count(writer.plan.program, level.ty).max(1);
    [object_of(level.own), mul(before, Expr::Int(each))]
}

/// The variable that is handed to the original in place of a parameter passed by value.
fn whole(writer: &mut Writer<'_, '_>, parameter: &Variable, own: VarId) -> VarId {
    let ty = writer.plan.lowered_type(parameter.ty);
    let v = writer.declare_local(&format!("{}_whole", parameter.name), ty);
    if parameter.rank() == 0 {
        return v;
    }
    let size = count(writer, own);
    let declared = writer.out.variable(own).shape.clone();
    let dims = declared.into_iter().map(|dim| Dim {
        extent: match dim.extent {
            Extent::Fixed(extent) => Extent::Fixed(extent),
            Extent::Deferred => Extent::Fixed(size.clone()),
        },
        lower: dim.lower,
    });
    writer.out.variables[v.index()].shape = dims.collect();
    v
}

/// Copies the contents of a parameter's objects back, and ends the objects.
pub(super) fn give_back(
    writer: &mut Writer<'_, '_>,
    nested: &Nested,
    pieces: &mut Vec<Piece>,
) -> Result<(), Refused> {
    let written = |level: &Level| is_written(writer, level);
    if nested.levels.iter().any(written) {
        let mut found = BTreeMap::new();
        for (&pool, &mark) in &nested.pools {
            let number = writer.declare_local("found", ScalarType::Integer);
            let before = field(&Place::whole(mark), OBJECT);
            writer.assign(Place::whole(number), before.into());
            found.insert(pool, number);
        }
        for locals in &nested.locals {
            writer.assign(Place::whole(locals.before), Expr::Int(0));
        }
        let mut copying = Copying {
            levels: &nested.levels,
            locals: &nested.locals,
            to_pool: false,
            found,
        };
        copying.make_homes(writer);
        let root = &nested.levels[0];
        let size = count(writer, root.own);
        match root.pool {
            Some(pool) => copying.object(writer, 0, pool, size, pieces)?,
            None => copying.variable(writer, nested.given, size, pieces)?,
        }
        copying.homes_hold(writer, pieces)?;
    }
    for (&pool, &mark) in nested.pools.iter().rev() {
        end(writer, pool, mark, pieces);
    }
    Ok(())
}

/// Ends the objects of variables that a pool has got since it was marked.
fn end(writer: &mut Writer<'_, '_>, pool: usize, mark: VarId, pieces: &mut Vec<Piece>) {
    let plan = writer.plan;
    let pool = &plan.pools[pool];
    let mark = Place::whole(mark);
    let variables = writer.counter(pool.variables);
    flush_pieces(writer, pieces);
    let index = writer.declare_local("object", ScalarType::Integer);
    let before = sub(Expr::var(index), Expr::Int(1));
    let object = add(variables.clone().into(), before);
    let first = writer.table_entry(pool.first, object.clone());
    let last = writer.table_entry(pool.last, object);
    writer.assign(last, sub(first.into(), Expr::Int(2)));
    let mut body = Vec::new();
    flush_pieces(writer, &mut body);
    let count = sub(field(&mark, OBJECT).into(), variables.clone().into());
    pieces.push(Piece::Loop {
        index,
        last: count,
        body,
    });
    let bottom = writer.counter(pool.bottom);
    writer.assign(variables, field(&mark, OBJECT).into());
    writer.assign(bottom, field(&mark, CELL).into());
}

/// True if the contents of a level are given back.
fn is_written(writer: &Writer<'_, '_>, level: &Level) -> bool {
    let variable = writer.out.variable(level.own);
    matches!(variable.role, Role::Parameter { intent, .. } if intent.writes())
}

/// Loops over all elements of a field; no loop for a field in no array.
pub(super) struct Loops<'f> {
    field: &'f cells::Elements<'f>,
    indices: Vec<VarId>,
}

impl<'f> Loops<'f> {
    /// Begins the loops.
    pub(super) fn over(
        writer: &mut Writer<'_, '_>,
        field: &'f cells::Elements<'f>,
        pieces: &mut Vec<Piece>,
    ) -> Self {
        let mut index = |_| writer.declare_local("element", ScalarType::Integer);
        let indices: Vec<VarId> = field.dims.iter().map(&mut index).collect();
        if !indices.is_empty() {
            flush_pieces(writer, pieces);
        }
        Self { field, indices }
    }

    /// The numbers of the element in its dimensions, from 0.
    fn numbers(&self) -> impl Iterator<Item = Expr> {
        let indices = self.indices.iter();
        indices.map(|index| sub(Expr::var(*index), Expr::Int(1)))
    }

    /// The number of the element's cell in the whole object.
    fn number(&self) -> Expr {
        let first = Expr::Int(self.field.number);
        let steps = self.numbers().zip(&self.field.dims);
        steps.fold(first, |sum, (number, dim)| {
            add(sum, mul(number, Expr::Int(dim.stride)))
        })
    }

    /// The place of the element in that of the whole object.
    pub(super) fn part(&self, whole: &Place) -> Place {
        let mut subscripts = whole.subscripts.to_vec();
        let mut inside = self.numbers().zip(&self.field.dims);
        for (name, rank) in &self.field.path {
            subscripts.push(Subscript::Field((*name).into()));
            let indices = inside.by_ref().take(*rank);
            subscripts
                .extend(indices.map(|(n, dim)| Subscript::Index(add(n, Expr::Int(dim.lower)))));
        }
        Place {
            var: whole.var,
            subscripts: subscripts.into(),
        }
    }

    /// Ends the loops: these pieces, and the statements written since the beginning, are done for each element.
    pub(super) fn end(
        self,
        writer: &mut Writer<'_, '_>,
        body: Vec<Piece>,
        pieces: &mut Vec<Piece>,
    ) {
        let mut body = body;
        if !self.indices.is_empty() {
            flush_pieces(writer, &mut body);
        }
        for (index, dim) in self.indices.into_iter().zip(&self.field.dims).rev() {
            let last = Expr::Int(dim.extent);
            body = vec![Piece::Loop { index, last, body }];
        }
        pieces.append(&mut body);
    }
}

impl Copying<'_> {
    /// Makes the objects for recursive records, or finds them.
    fn make_homes(&self, writer: &mut Writer<'_, '_>) {
        for (k, level) in self.levels.iter().enumerate() {
            if let (true, Some(pool)) = (level.is_home, level.pool) {
                let size = count(writer, level.own);
                self.make(writer, k, pool, &size);
            }
        }
    }

    /// Copies the contents of the objects for recursive records.
    fn homes_hold(
        &mut self,
        writer: &mut Writer<'_, '_>,
        pieces: &mut Vec<Piece>,
    ) -> Result<(), Refused> {
        for (k, level) in self.levels.iter().enumerate() {
            if let (true, Some(pool)) = (level.is_home, level.pool) {
                let size = count(writer, level.own);
                self.held(writer, k, pool, size, pieces)?;
            }
        }
        Ok(())
    }

    /// Sets a pointer to the element of a level with this number, from 1, or to null for 0.
    fn link(&self, writer: &mut Writer<'_, '_>, level: usize, number: Expr, target: &Place) {
        let number = writer.hoist(number, "number", Mode::Ahead);
        let before = sub(number.clone(), Expr::Int(1));
        let of = &self.levels[level];
        let values = match of.pool {
            Some(_) => {
                let at = Place::whole(self.locals[level].at);
                let each = Expr::Int(cells::cell_count(writer.plan.program, of.ty));
                let cell = add(field(&at, CELL).into(), mul(before, each));
                [field(&at, OBJECT).into(), cell]
            }
            None => without_pool(writer, of, before),
        };
        let is_null = eq(number, Expr::Int(0));
        for (name, value) in [OBJECT, CELL].into_iter().zip(values) {
            let value = either(is_null.clone(), Expr::Int(0), value);
            writer.assign(field(target, name), value);
        }
    }

    /// Copies the elements of the variable that is handed to the original.
    fn variable(
        &mut self,
        writer: &mut Writer<'_, '_>,
        given: VarId,
        size: Expr,
        pieces: &mut Vec<Piece>,
    ) -> Result<(), Refused> {
        let home = Home::Variable(Place::whole(given));
        if writer.out.variable(given).rank() > 0 {
            return self.elements(writer, 0, size, home, pieces);
        }
        let element = Place::element(self.levels[0].own, [Expr::Int(1)]);
        self.element(writer, 0, &element, home, pieces)
    }

    /// Sets a pointer to an object of the level, and copies the contents of the object.
    fn pointer(
        &mut self,
        writer: &mut Writer<'_, '_>,
        level: usize,
        size: Expr,
        target: &Place,
        pieces: &mut Vec<Piece>,
    ) -> Result<(), Refused> {
        let empty = || eq(size.clone(), Expr::Int(0));
        let Some(pool) = self.levels[level].pool else {
            // Its target is never used, but the pointer may be tested for null and compared with others.
            if self.to_pool {
                let of = &self.levels[level];
                let before = Place::whole(self.locals[level].before);
                let [object, cell] = without_pool(writer, of, before.clone().into())
                    .map(|value| either(empty(), Expr::Int(0), value));
                writer.assign(field(target, OBJECT), object);
                writer.assign(field(target, CELL), cell);
                let sum = add(before.clone().into(), size);
                writer.assign(before, sum);
            }
            return Ok(());
        };
        if self.to_pool {
            // The object is made next, with the next numbers.
            self.make(writer, level, pool, &size);
            let at = Place::whole(self.locals[level].at);
            for name in [OBJECT, CELL] {
                let value = either(empty(), Expr::Int(0), field(&at, name).into());
                writer.assign(field(target, name), value);
            }
            return self.held(writer, level, pool, size, pieces);
        }
        self.object(writer, level, pool, size, pieces)
    }

    /// Makes or finds the next object of a level, and copies its contents.
    fn object(
        &mut self,
        writer: &mut Writer<'_, '_>,
        level: usize,
        pool: usize,
        size: Expr,
        pieces: &mut Vec<Piece>,
    ) -> Result<(), Refused> {
        self.make(writer, level, pool, &size);
        self.held(writer, level, pool, size, pieces)
    }

    /// Makes the next object of a level, or finds it.
    fn make(&self, writer: &mut Writer<'_, '_>, level: usize, pool: usize, size: &Expr) {
        let at = Place::whole(self.locals[level].at);
        let Some(&found) = self.found.get(&pool) else {
            let ty = self.levels[level].ty;
            let each = Expr::Int(cells::cell_count(writer.plan.program, ty));
            writer.take_cells((pool, ty), &at, mul(size.clone(), each));
            return;
        };
        let found = Place::whole(found);
        let next = sub(found.clone().into(), Expr::Int(1));
        writer.assign(found.clone(), next);
        writer.assign(field(&at, OBJECT), found.clone().into());
        let first = writer.plan.pools[pool].first;
        let cell = writer.table_entry(first, found.into());
        writer.assign(field(&at, CELL), cell.into());
    }

    /// Copies the contents of the current object of a level.
    fn held(
        &mut self,
        writer: &mut Writer<'_, '_>,
        level: usize,
        pool: usize,
        size: Expr,
        pieces: &mut Vec<Piece>,
    ) -> Result<(), Refused> {
        let at = Place::whole(self.locals[level].at);
        let home = Home::Pool(Address {
            pool,
            object: field(&at, OBJECT).into(),
            cell: field(&at, CELL).into(),
            inside: Vec::new(),
            fits: None,
            ty: self.levels[level].ty,
            open: Vec::new(),
            dense: true,
        });
        self.elements(writer, level, size.clone(), home, pieces)?;
        let before = Place::whole(self.locals[level].before);
        let sum = add(before.clone().into(), size);
        writer.assign(before, sum);
        Ok(())
    }

    /// Copies the elements of an object, which follow those of earlier objects in their level.
    fn elements(
        &mut self,
        writer: &mut Writer<'_, '_>,
        level: usize,
        size: Expr,
        home: Home,
        pieces: &mut Vec<Piece>,
    ) -> Result<(), Refused> {
        let of = &self.levels[level];
        let (own, before) = (of.own, Expr::var(self.locals[level].before));
        let copied = self.to_pool || is_written(writer, of);
        if of.below.is_empty() && !copied {
            return Ok(());
        }
        if let Home::Pool(address) = &home
            && of.ty.record().is_none()
            && of.ty.pointer().is_none()
        {
            let array = writer.array_of_cells(address.pool, of.ty)?;
            let cell = address.cell.clone();
            let last = sub(add(cell.clone(), size.clone()), Expr::Int(1));
            let cells = section(array, cell, last);
            let last = sub(add(before.clone(), size), Expr::Int(1));
            let own = section(own, before, last);
            match self.to_pool {
                true => writer.assign(cells, own.into()),
                false => writer.assign(own, cells.into()),
            }
            return Ok(());
        }
        let each = cells::cell_count(writer.plan.program, of.ty);
        flush_pieces(writer, pieces);
        let index = writer.declare_local("element", ScalarType::Integer);
        let number = sub(Expr::var(index), Expr::Int(1));
        let lower = writer.out.variable(own).shape[0].lower.clone();
        let home = match home {
            Home::Pool(address) => Home::Pool(Address {
                cell: add(address.cell, mul(number.clone(), Expr::Int(each))),
                ..address
            }),
            Home::Variable(place) => Home::Variable(Place::element(
                place.var,
                [add(number.clone(), lower.clone())],
            )),
        };
        let element = Place::element(own, [add(add(before, number), lower)]);
        let mut body = Vec::new();
        self.element(writer, level, &element, home, &mut body)?;
        flush_pieces(writer, &mut body);
        pieces.push(Piece::Loop {
            index,
            last: size,
            body,
        });
        Ok(())
    }

    /// Copies one element, field by field.
    fn element(
        &mut self,
        writer: &mut Writer<'_, '_>,
        level: usize,
        own: &Place,
        home: Home,
        pieces: &mut Vec<Piece>,
    ) -> Result<(), Refused> {
        let program = writer.plan.program;
        let of = &self.levels[level];
        let copied = self.to_pool || is_written(writer, of);
        let (pool, index) = match &home {
            Home::Pool(address) if copied => {
                let each = cells::cell_count(program, of.ty);
                let index = writer.checked_index(address, each, Mode::Ahead);
                (Some(address.pool), index)
            }
            Home::Pool(address) => (Some(address.pool), Expr::Int(0)),
            Home::Variable(_) => (None, Expr::Int(0)),
        };
        for field in cells::fields(program, of.ty) {
            let path: Vec<String> = field.path.iter().map(|(f, _)| (*f).to_owned()).collect();
            let (link, below) = (of.links.get(&path).copied(), of.below.get(&path).copied());
            if field.ty.pointer().is_some() && link.is_none() && below.is_none() {
                return Err(internal_error("a pointer without a level"));
            }
            if link.is_some() && !self.to_pool || below.is_none() && !copied {
                continue;
            }
            let loops = Loops::over(writer, &field, pieces);
            let own = loops.part(own);
            let place = match (pool, &home) {
                (Some(pool), _) => {
                    let array = writer.array_of_cells(pool, field.ty)?;
                    Place::element(array, [add(index.clone(), loops.number())])
                }
                (None, Home::Variable(whole)) => loops.part(whole),
                (None, Home::Pool(_)) => return Err(internal_error("cells without a pool")),
            };
            let mut body = Vec::new();
            if let Some(home) = link {
                self.link(writer, home, own.into(), &place);
            } else if let Some(below) = below {
                let size = writer.hoist(own.into(), "size", Mode::Ahead);
                self.pointer(writer, below, size, &place, &mut body)?;
            } else if self.to_pool {
                writer.assign(place, own.into());
            } else {
                writer.assign(own, place.into());
            }
            loops.end(writer, body, pieces);
        }
        Ok(())
    }
}
