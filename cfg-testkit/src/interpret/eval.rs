//! Expressions.

use super::object::moved;
use super::scalar::{scalar, trips};
use super::storage::{Cells, Span, View, cells_of, field_bounds};
use super::value::{Data, storage_positions};
use super::{Derivative, FaultKind, Value};
use cfg_core::entity::RecordId;
use cfg_core::ir::{Expr, Op, OpClass, Part, Place, Program, Subscript};

type Result<T> = std::result::Result<T, FaultKind>;

/// The context of an evaluation.
pub(super) struct Scope<'a, D> {
    pub(super) cells: &'a mut Cells<D>,
    pub(super) views: &'a [View],
    pub(super) program: &'a Program,
}

impl<D: Derivative> Scope<'_, D> {
    pub(super) fn eval(&mut self, e: &Expr) -> Result<Data<D>> {
        self.value(e, false)
    }

    /// An integer that decides the path or an address, so it must be initialised.
    pub(super) fn integer(&mut self, e: &Expr, subscript: bool) -> Result<i64> {
        match self.value(e, subscript)? {
            Data::Scalar(Value::Integer(i)) => Ok(i),
            Data::Scalar(Value::Sized(_, i)) => i64::try_from(i).map_err(|_| FaultKind::Overflow),
            Data::Scalar(Value::Undefined) => Err(FaultKind::Undefined),
            Data::Scalar(_) | Data::Array { .. } => Err(FaultKind::Type),
        }
    }

    /// A logical that decides the path, so it must be initialised.
    pub(super) fn condition(&mut self, e: &Expr) -> Result<bool> {
        truth(&self.eval(e)?)
    }

    fn value(&mut self, e: &Expr, subscript: bool) -> Result<Data<D>> {
        Ok(match e {
            Expr::Int(i) => Data::Scalar(Value::Integer(*i)),
            Expr::Real(x) => Data::Scalar(Value::Real(*x, D::constant())),
            Expr::Real32(x) => Data::Scalar(Value::Real32(*x, D::constant())),
            Expr::Logical(b) => Data::Scalar(Value::Logical(*b)),
            Expr::Null(ty) => Data::Scalar(Value::Pointer(*ty, None)),
            Expr::Addr(place) => {
                let view = self.view(place)?;
                if !view.allocated {
                    return Err(FaultKind::Unallocated);
                }
                Data::Scalar(self.cells.address(self.program, &view)?)
            }
            Expr::Place(place) => {
                let view = self.view(place)?;
                if !view.allocated {
                    return Err(FaultKind::Unallocated);
                }
                let whole = &self.views[place.var.index()];
                let mut read = |cell| {
                    let value = self.cells.read(cell, subscript);
                    self.cells.observe(place.var, whole, cell, &value);
                    value
                };
                if view.dims.is_empty() {
                    Data::Scalar(read(view.first()))
                } else {
                    Data::Array {
                        extents: view.extents(),
                        elements: view.cells().into_iter().map(read).collect(),
                        column: view.column,
                    }
                }
            }
            Expr::Op(op, operands) => self.operation(*op, operands, subscript)?,
        })
    }

    /// The cells of a place.
    pub(super) fn view(&mut self, place: &Place) -> Result<View> {
        let whole = &self.views[place.var.index()];
        if place.subscripts.is_empty() {
            return Ok(whole.clone());
        }
        if !whole.allocated {
            return Err(FaultKind::Unallocated);
        }
        let mut base = whole.base as i64;
        let (mut column, mut list) = (whole.column, whole.list.clone());
        let (mut own, mut record) = (whole.dims.clone(), whole.record);
        let mut dims = Vec::new();
        let mut written = false;
        for level in place.levels() {
            // The cells of a record are a dimension behind those of the array.
            let mut cells = record.and_then(|_| own.pop());
            if level.part == Part::Deref {
                let pointer = match (&*dims, &list) {
                    ([], Some(list)) => list[base as usize],
                    ([], None) => base as usize,
                    _ => return Err(FaultKind::Type),
                };
                let pointer = self.cells.read(pointer, true);
                let offset = match level.subscripts {
                    [] => 0,
                    [Subscript::Index(k)] => self.integer(k, true)?,
                    _ => return Err(FaultKind::Type),
                };
                let view = self.cells.target(self.program, &pointer, offset)?;
                base = view.base as i64;
                (dims, record, list, column, written) =
                    (view.dims, view.record, None, false, false);
                continue;
            }
            if let Part::Field(name) = level.part {
                // The field is a part of the last dimension, the cells of the record.
                let span = dims.pop().ok_or(FaultKind::Type)?;
                (base, own, record) = self.field(record.take(), name, span, base)?;
                cells = record.and_then(|_| own.pop());
            }
            if level.subscripts.is_empty() {
                dims.append(&mut own);
            } else if own.len() == level.subscripts.len() {
                written = true;
                for (span, subscript) in own.iter().zip(level.subscripts) {
                    base += self.subscript(span, subscript, &mut dims)?;
                }
            } else {
                return Err(FaultKind::Shape);
            }
            own.clear();
            dims.extend(cells);
        }
        if written {
            dims.iter_mut().for_each(|span| span.lower = 1);
        }
        Ok(View {
            base: base as usize,
            list,
            dims,
            column,
            allocated: true,
            record,
        })
    }

    /// The first cell, the dimensions and the record of a field.
    fn field(
        &self,
        record: Option<RecordId>,
        name: &str,
        span: Span,
        base: i64,
    ) -> Result<(i64, Vec<Span>, Option<RecordId>)> {
        let fields = &self.program.record(record.ok_or(FaultKind::Type)?).fields;
        let mut before = 0;
        for field in fields {
            let size = cells_of(self.program, field.ty).ok_or(FaultKind::Type)?;
            let bounds = field.shape.iter().map(field_bounds);
            let mut bounds: Vec<(i64, i64)> =
                bounds.collect::<Option<_>>().ok_or(FaultKind::Type)?;
            let record = field.ty.record();
            if record.is_some() {
                bounds.push((1, size));
            }
            let view = View::dense(0, &bounds, false);
            if field.name == name {
                let mut dims = view.dims;
                dims.iter_mut().for_each(|d| d.stride *= span.stride);
                return Ok((base + before * span.stride, dims, record));
            }
            before += view.len() as i64;
        }
        Err(FaultKind::Type)
    }

    /// The distance to the first cell that a subscript leaves; a range leaves a dimension.
    fn subscript(
        &mut self,
        span: &Span,
        subscript: &Subscript,
        dims: &mut Vec<Span>,
    ) -> Result<i64> {
        match subscript {
            Subscript::Field(_) | Subscript::Deref => Err(FaultKind::Shape),
            Subscript::Index(e) => {
                let i = self.integer(e, true)?;
                offset(span, i)
            }
            Subscript::Range(range) => {
                let (first, last) = (span.lower, span.lower + span.extent - 1);
                let mut bound = |e: &Option<Expr>, default: i64| match e {
                    Some(e) => self.integer(e, true),
                    None => Ok(default),
                };
                let stride = bound(&range.stride, 1)?;
                let lower = bound(&range.lower, if stride < 0 { last } else { first })?;
                let upper = bound(&range.upper, if stride < 0 { first } else { last })?;
                let extent = trips(lower, upper, stride)?;
                dims.push(Span {
                    lower: 1,
                    extent,
                    stride: span.stride * stride,
                });
                if extent == 0 {
                    return Ok(0);
                }
                offset(span, lower + (extent - 1) * stride)?;
                offset(span, lower)
            }
        }
    }

    fn operation(&mut self, op: Op, operands: &[Expr], subscript: bool) -> Result<Data<D>> {
        let Some((first, rest)) = operands.split_first() else {
            return Err(FaultKind::Type);
        };
        match op.class() {
            OpClass::Inquiry => return self.inquiry(op, first, rest),
            OpClass::Reduction | OpClass::Transformational => {
                let data = self.value(first, subscript)?;
                if let (Op::Fill, Data::Scalar(x)) = (op, &data) {
                    let mut extents = Vec::with_capacity(rest.len());
                    for e in rest {
                        extents.push(self.integer(e, true)?.max(0) as usize);
                    }
                    let size = extents.iter().product();
                    return Ok(Data::Array {
                        elements: vec![x.clone(); size],
                        extents,
                        column: false,
                    });
                }
                return match op {
                    Op::Transpose => transpose(data),
                    Op::ProductPartial | Op::MaxValPartial | Op::MinValPartial => {
                        reduction_partial(op, data)
                    }
                    _ => reduce(op, data.in_storage_order()),
                };
            }
            OpClass::Pointer => return self.pointers(op, first, rest),
            OpClass::Elemental => {}
        }
        match op {
            Op::And | Op::Or => self.logical(op, operands, subscript),
            Op::If => {
                let [yes, no] = rest else {
                    return Err(FaultKind::Type);
                };
                match self.value(first, subscript)? {
                    Data::Array {
                        extents,
                        elements,
                        column,
                    } => {
                        let yes = self.value(yes, subscript)?;
                        let no = self.value(no, subscript)?;
                        let chosen = elements.into_iter().enumerate().map(|(k, mask)| {
                            let chosen = if truth(&Data::Scalar(mask))? {
                                &yes
                            } else {
                                &no
                            };
                            match chosen {
                                Data::Scalar(value) => Ok(value.clone()),
                                Data::Array {
                                    extents: e,
                                    elements,
                                    ..
                                } if *e == extents => Ok(elements[k].clone()),
                                Data::Array { .. } => Err(FaultKind::Shape),
                            }
                        });
                        let elements = chosen.collect::<Result<_>>()?;
                        Ok(Data::Array {
                            extents,
                            elements,
                            column,
                        })
                    }
                    mask @ Data::Scalar(_) => {
                        let chosen = if truth(&mask)? { yes } else { no };
                        self.value(chosen, subscript)
                    }
                }
            }
            Op::Add
            | Op::Mul
            | Op::Min
            | Op::Max
            | Op::WrapAdd
            | Op::WrapMul
            | Op::BitAnd
            | Op::BitOr
            | Op::BitXor => {
                let mut sum = self.value(first, subscript)?;
                for e in rest {
                    let next = self.value(e, subscript)?;
                    sum = zip(sum, next, &mut |a, b| scalar(op, &[a, b]))?;
                }
                Ok(sum)
            }
            _ => {
                let a = self.value(first, subscript)?;
                match rest {
                    [] => map(a, &mut |a| scalar(op, &[a])),
                    [b] => {
                        let b = self.value(b, subscript)?;
                        if let (Data::Scalar(p @ Value::Pointer(..)), Data::Scalar(q)) = (&a, &b)
                            && !matches!(op, Op::Eq | Op::Ne)
                        {
                            // The distance from the second pointer to the first.
                            let cells = self.cells.difference(p, q)?;
                            let (zero, cells) = (Value::Integer(0), Value::Integer(cells));
                            return scalar(op, &[cells, zero]).map(Data::Scalar);
                        }
                        zip(a, b, &mut |a, b| scalar(op, &[a, b]))
                    }
                    [b, c] => {
                        let b = self.value(b, subscript)?;
                        let c = self.value(c, subscript)?;
                        // Each element of the first two, then with the third.
                        let mut pairs = Vec::new();
                        let places = zip(a, b, &mut |a, b| {
                            pairs.push((a, b));
                            Ok(Value::Integer(pairs.len() as i64 - 1))
                        })?;
                        zip(places, c, &mut |at, c| match at {
                            Value::Integer(at) => {
                                let (a, b) = pairs[at as usize].clone();
                                scalar(op, &[a, b, c])
                            }
                            _ => Err(FaultKind::Type),
                        })
                    }
                    _ => Err(FaultKind::Unsupported(op)),
                }
            }
        }
    }

    /// `shift` and `distance`.
    fn pointers(&mut self, op: Op, first: &Expr, rest: &[Expr]) -> Result<Data<D>> {
        let (Data::Scalar(pointer), [second]) = (self.eval(first)?, rest) else {
            return Err(FaultKind::Type);
        };
        if op == Op::Shift {
            let by = self.integer(second, false)?;
            return Ok(Data::Scalar(moved(self.program, &pointer, by)?));
        }
        let Data::Scalar(other) = self.eval(second)? else {
            return Err(FaultKind::Type);
        };
        let elements = self.cells.distance(self.program, &pointer, &other)?;
        Ok(Data::Scalar(Value::Integer(elements)))
    }

    /// `and`, `or`: from the left until the result is known. Arrays are combined element by element. An array behind
    /// a scalar that decides gives only its shape; if its evaluation fails, it is skipped.
    fn logical(&mut self, op: Op, operands: &[Expr], subscript: bool) -> Result<Data<D>> {
        let decides = op == Op::Or;
        let mut result = Data::Scalar(Value::Logical(!decides));
        let mut decided = false;
        for e in operands {
            if decided && !self.is_array(e) {
                continue;
            }
            let data = match self.value(e, subscript) {
                Ok(data) => data,
                Err(_) if decided => continue,
                Err(fault) => return Err(fault),
            };
            if let (Data::Scalar(_), Data::Scalar(_)) = (&result, &data) {
                if !decided {
                    decided = truth(&data)? == decides;
                    result = data;
                }
                continue;
            }
            result = zip(result, data, &mut |a, b| match a {
                Value::Logical(a) if a != decides => Ok(b),
                a => Ok(a),
            })?;
        }
        Ok(result)
    }

    /// True if the value of an expression is an array.
    fn is_array(&self, e: &Expr) -> bool {
        match e {
            Expr::Int(_)
            | Expr::Real(_)
            | Expr::Real32(_)
            | Expr::Logical(_)
            | Expr::Null(_)
            | Expr::Addr(_) => false,
            Expr::Place(place) if place.subscripts.is_empty() => {
                !self.views[place.var.index()].dims.is_empty()
            }
            Expr::Place(place) => {
                let mut subscripts = place.subscripts.iter();
                subscripts.any(|s| matches!(s, Subscript::Range(_)))
            }
            Expr::Op(op, operands) => match op.class() {
                OpClass::Elemental => operands.iter().any(|e| self.is_array(e)),
                OpClass::Transformational => true,
                OpClass::Reduction | OpClass::Inquiry | OpClass::Pointer => false,
            },
        }
    }

    fn inquiry(&mut self, op: Op, first: &Expr, rest: &[Expr]) -> Result<Data<D>> {
        let Expr::Place(place) = first else {
            return Err(FaultKind::Type);
        };
        let view = self.view(place)?;
        if op == Op::Present {
            return Ok(Data::Scalar(Value::Logical(view.allocated)));
        }
        // In sweeps an array that has no shape yet has extents of 0; a program has no use for them.
        let in_sweep = self.cells.witness.is_some();
        let has_extents = op == Op::Size && !rest.is_empty() && !view.dims.is_empty();
        if !(view.allocated || in_sweep && has_extents) {
            return Err(FaultKind::Unallocated);
        }
        let span = match rest.first() {
            None => None,
            Some(k) => {
                let k = self.integer(k, false)? - 1;
                let k = usize::try_from(k).map_err(|_| FaultKind::Shape)?;
                Some(*view.dims.get(k).ok_or(FaultKind::Shape)?)
            }
        };
        Ok(Data::Scalar(Value::Integer(match (op, span) {
            (Op::Size, None) => {
                // The dimension of a record's cells does not count.
                let dims = &view.dims[..view.dims.len() - usize::from(view.record.is_some())];
                dims.iter().map(|d| d.extent).product()
            }
            (Op::Size, Some(s)) => s.extent,
            (Op::LBound, Some(s)) => s.lower,
            (Op::UBound, Some(s)) => s.lower + s.extent - 1,
            _ => return Err(FaultKind::Type),
        })))
    }
}

fn offset(span: &Span, index: i64) -> Result<i64> {
    let k = index - span.lower;
    if (0..span.extent).contains(&k) {
        Ok(k * span.stride)
    } else {
        Err(FaultKind::Bounds)
    }
}

fn truth<D>(data: &Data<D>) -> Result<bool> {
    match data {
        Data::Scalar(Value::Logical(b)) => Ok(*b),
        Data::Scalar(Value::Undefined) => Err(FaultKind::Undefined),
        Data::Scalar(_) | Data::Array { .. } => Err(FaultKind::Type),
    }
}

fn map<D: Derivative>(
    a: Data<D>,
    f: &mut impl FnMut(Value<D>) -> Result<Value<D>>,
) -> Result<Data<D>> {
    Ok(match a {
        Data::Scalar(a) => Data::Scalar(f(a)?),
        Data::Array {
            extents,
            elements,
            column,
        } => Data::Array {
            extents,
            elements: elements.into_iter().map(f).collect::<Result<_>>()?,
            column,
        },
    })
}

fn zip<D: Derivative>(
    a: Data<D>,
    b: Data<D>,
    f: &mut impl FnMut(Value<D>, Value<D>) -> Result<Value<D>>,
) -> Result<Data<D>> {
    match (a, b) {
        (Data::Scalar(a), Data::Scalar(b)) => Ok(Data::Scalar(f(a, b)?)),
        (Data::Scalar(a), b @ Data::Array { .. }) => map(b, &mut |b| f(a.clone(), b)),
        (a @ Data::Array { .. }, Data::Scalar(b)) => map(a, &mut |a| f(a, b.clone())),
        (
            Data::Array {
                extents,
                elements,
                column,
            },
            Data::Array {
                extents: other,
                elements: with,
                ..
            },
        ) => {
            if extents != other {
                return Err(FaultKind::Shape);
            }
            let elements = elements.into_iter().zip(with).map(|(a, b)| f(a, b));
            Ok(Data::Array {
                extents,
                elements: elements.collect::<Result<_>>()?,
                column,
            })
        }
    }
}

fn transpose<D: Derivative>(data: Data<D>) -> Result<Data<D>> {
    let Data::Array {
        extents,
        elements,
        column,
    } = data
    else {
        return Err(FaultKind::Shape);
    };
    let &[rows, columns] = &extents[..] else {
        return Err(FaultKind::Shape);
    };
    Ok(Data::Array {
        extents: vec![columns, rows],
        elements: (0..rows * columns)
            .map(|k| elements[(k % rows) * columns + k / rows].clone())
            .collect(),
        column,
    })
}

/// Reductions as left folds over the elements in storage order.
fn reduce<D: Derivative>(op: Op, elements: Vec<Value<D>>) -> Result<Data<D>> {
    let mut elements = elements.into_iter();
    let fold = match op {
        Op::Sum => Op::Add,
        Op::Product => Op::Mul,
        Op::MaxVal => Op::Max,
        Op::MinVal => Op::Min,
        Op::Any | Op::All => {
            for value in elements {
                if truth(&Data::Scalar(value))? == (op == Op::Any) {
                    return Ok(Data::Scalar(Value::Logical(op == Op::Any)));
                }
            }
            return Ok(Data::Scalar(Value::Logical(op == Op::All)));
        }
        _ => return Err(FaultKind::Unsupported(op)),
    };
    let Some(first) = elements.next() else {
        // Here an empty reduction is always one of reals.
        return Ok(Data::Scalar(Value::Real(
            match op {
                Op::Sum => 0.0,
                Op::Product => 1.0,
                Op::MaxVal => f64::NEG_INFINITY,
                _ => f64::INFINITY,
            },
            D::constant(),
        )));
    };
    let mut sum = match (op, &first) {
        // The sum starts at +0, so a sum of negative zeros is +0.
        (Op::Sum, Value::Real(..)) => scalar(fold, &[Value::Real(0.0, D::constant()), first])?,
        (Op::Sum, Value::Real32(..)) => scalar(fold, &[Value::Real32(0.0, D::constant()), first])?,
        _ => first,
    };
    for next in elements {
        sum = scalar(fold, &[sum, next])?;
    }
    Ok(Data::Scalar(sum))
}

/// Partial derivatives of a reduction, element by element, straight from the definition.
fn reduction_partial<D: Derivative>(op: Op, data: Data<D>) -> Result<Data<D>> {
    let Data::Array {
        extents,
        elements,
        column,
    } = data
    else {
        return Err(FaultKind::Shape);
    };
    let order: Vec<usize> = if column && extents.len() >= 2 {
        storage_positions(&extents).collect()
    } else {
        (0..elements.len()).collect()
    };
    let (Some(&head), Some(zero)) = (order.first(), elements.first()) else {
        return Ok(Data::Array {
            extents,
            elements,
            column,
        });
    };
    let zero = scalar(Op::Sub, &[zero.clone(), zero.clone()])?;
    let one = scalar(Op::Add, &[zero.clone(), Value::Integer(1)])?;
    let mut partials = vec![zero; elements.len()];
    if op == Op::ProductPartial {
        for (i, slot) in partials.iter_mut().enumerate() {
            let mut product = one.clone();
            for &k in order.iter().filter(|&&k| k != i) {
                product = scalar(Op::Mul, &[product, elements[k].clone()])?;
            }
            *slot = product;
        }
    } else {
        let better = if op == Op::MaxValPartial {
            Op::Gt
        } else {
            Op::Lt
        };
        let mut chosen = head;
        for &k in &order {
            let pair = [elements[k].clone(), elements[chosen].clone()];
            if truth(&Data::Scalar(scalar(better, &pair)?))? {
                chosen = k;
            }
        }
        partials[chosen] = one;
    }
    Ok(Data::Array {
        extents,
        elements: partials,
        column,
    })
}
