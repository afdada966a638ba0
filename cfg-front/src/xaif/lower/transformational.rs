//! Intrinsics that turn arrays into arrays, and vector subscripts: where the representation has no operator, a call
//! of an added routine precedes the statement. The routine's loops are differentiated like any others. `shifting`,
//! `packing` and `bits` have some of them.

use crate::xaif::{
    codes,
    lower::{
        Lower,
        helpers::Section,
        intrinsics::{self, Failure},
        typed::Typed,
    },
    read::xml::NodeId,
};
use cfg_core::{
    builder::{RoutineBuilder, expr::*},
    entity::{RoutineId, VarId},
    ir::{Dim, Expr, Extent, Op, Place, ScalarType, Stmt, StmtKind, Subscript},
};

/// An array of deferred extents.
pub(crate) fn deferred_array(ty: ScalarType, rank: usize) -> cfg_core::builder::VarType {
    ty.array(vec![Dim::deferred(); rank]).column()
}

pub(crate) fn element(var: VarId, subscripts: Vec<Subscript>) -> Place {
    Place {
        var,
        subscripts: subscripts.into(),
    }
}

pub(crate) fn size_of(var: VarId, dimension: usize) -> Expr {
    Expr::op(Op::Size, [Expr::var(var), Expr::Int(dimension as i64 + 1)])
}

/// Opens a loop `i = 1, size(var, dimension)`.
pub(crate) fn over(b: &mut RoutineBuilder, var: VarId, dimension: usize) -> VarId {
    let i = b.local(format!("i{}", dimension + 1), ScalarType::Integer);
    b.begin_for(i, 1, size_of(var, dimension), 1);
    i
}

pub(crate) fn close_loops(b: &mut RoutineBuilder, loops: usize) {
    for _ in 0..loops {
        b.end_loop();
    }
}

/// True of intrinsics that [`Lower::lower_transformational`] lowers.
pub(crate) fn is_transformational(stem: &str, operands: &[Typed]) -> bool {
    let integers = !operands.is_empty() && operands.iter().all(|o| o.ty == ScalarType::Integer);
    match stem {
        "matmul" | "maxloc" | "minloc" | "spread" | "reshape" | "cshift" | "eoshift" | "pack"
        | "unpack" | "shape" | "allocated" | "associated" => true,
        "sum" | "product" | "maxval" | "minval" | "any" | "all" | "count" => {
            operands[..].first().is_some_and(|a| a.rank > 1)
                && operands[1..].iter().any(|o| o.ty == ScalarType::Integer)
        }
        "and" | "or" | "xor" | "not" => integers,
        "iand" | "band" | "ior" | "bior" | "ieor" | "ixor" | "bxor" | "bnot" | "inot" | "ishft"
        | "shl" | "lshift" | "shiftl" | "shr" | "rshift" | "shiftr" | "lshr" | "ashr" | "btest"
        | "ibset" | "ibclr" => true,
        _ => false,
    }
}

pub(crate) type Outcome<T> = Result<T, Failure>;

pub(crate) fn shape_failure(message: &str) -> Failure {
    Failure::Shape(message.to_owned())
}

pub(crate) fn unsupported_failure(message: &str) -> Failure {
    Failure::Unsupported(message.to_owned())
}

/// A constant dimension, counted from 0.
pub(crate) fn dimension(of: &Typed, rank: usize) -> Outcome<usize> {
    match of.expr {
        Expr::Int(k) if (1..=rank as i64).contains(&k) => Ok(k as usize - 1),
        Expr::Int(k) => Err(Failure::Shape(format!(
            "dimension {k} of an array of {rank} dimensions"
        ))),
        Expr::Real(_)
        | Expr::Real32(_)
        | Expr::Logical(_)
        | Expr::Place(_)
        | Expr::Op(..)
        | Expr::Null(_)
        | Expr::Addr(_) => Err(unsupported_failure("the dimension is not a constant")),
    }
}

impl Lower<'_, '_> {
    /// Lowers an intrinsic of which [`is_transformational`] is true; `None` if it cannot be, which has
    /// been reported.
    pub(crate) fn lower_transformational(
        &mut self,
        v: NodeId,
        name: &str,
        stem: &str,
        operands: Vec<Typed>,
    ) -> Option<Typed> {
        let result = match stem {
            "matmul" => return self.lower_matmul(v, operands),
            "maxloc" | "minloc" => self.lower_location(v, stem, operands),
            "spread" => self.lower_spread(v, operands),
            "reshape" => self.lower_reshape(v, operands),
            "cshift" => self.lower_cshift(v, operands),
            "eoshift" => self.lower_eoshift(v, operands),
            "pack" => self.lower_pack(v, operands),
            "unpack" => self.lower_unpack(v, operands),
            "allocated" | "associated" => Err(self.not_known(&operands)),
            "shape" => self.lower_shape(v, operands),
            "sum" | "product" | "maxval" | "minval" | "any" | "all" | "count" => {
                self.reduction_along(v, stem, operands)
            }
            _ => self.lower_bits(v, stem, operands),
        };
        match result {
            Ok(result) => result,
            Err(failure) => {
                self.refuse_intrinsic(v, name, failure);
                None
            }
        }
    }

    pub(crate) fn convert_to_integer(&mut self, operand: Typed) -> Outcome<Typed> {
        if operand.ty == ScalarType::Integer && operand.rank == 0 {
            return Ok(operand);
        }
        Err(Failure::Type("an operand is not an integer".to_owned()))
    }

    /// The failure of an inquiry whether a variable is allocated or associated: the statements that decide it are
    /// markers.
    fn not_known(&self, operands: &[Typed]) -> Failure {
        let name = match operands.first().map(|o| &o.expr) {
            Some(Expr::Place(place)) => &self.ir.variable(place.var).name,
            _ => "its operand",
        };
        Failure::Unsupported(format!(
            "the document does not show the statements that allocate {name}"
        ))
    }

    /// A value as a place that can be passed, and asked for its extents.
    pub(crate) fn as_place(&mut self, v: NodeId, value: Typed) -> Option<Place> {
        let value = match value.expr {
            Expr::Place(_) => value,
            Expr::Int(_)
            | Expr::Real(_)
            | Expr::Real32(_)
            | Expr::Logical(_)
            | Expr::Op(..)
            | Expr::Null(_)
            | Expr::Addr(_) => self.spill_value(v, value)?,
        };
        match value.expr {
            Expr::Place(place) => Some(place),
            Expr::Int(_)
            | Expr::Real(_)
            | Expr::Real32(_)
            | Expr::Logical(_)
            | Expr::Op(..)
            | Expr::Null(_)
            | Expr::Addr(_) => None,
        }
    }

    /// Extents of an array or section, as expressions to be evaluated at the statement.
    pub(crate) fn extents_now(&self, place: &Place) -> Vec<Expr> {
        let variable = self.ir.variable(place.var);
        let whole = |d: usize| match &variable.shape[d].extent {
            Extent::Fixed(Expr::Int(n)) => Expr::Int(*n),
            Extent::Fixed(_) | Extent::Deferred => size_of(place.var, d),
        };
        if place.subscripts.is_empty() {
            return (0..variable.rank()).map(whole).collect();
        }
        let mut list = Vec::new();
        for (d, s) in place.subscripts.iter().enumerate() {
            let Subscript::Range(r) = s else { continue };
            let bound = |op| Expr::op(op, [Expr::var(place.var), Expr::Int(d as i64 + 1)]);
            list.push(match (&r.lower, &r.upper, &r.stride) {
                (None, None, None) => whole(d),
                (Some(Expr::Int(l)), Some(Expr::Int(u)), None) => {
                    Expr::Int(u.saturating_sub(*l).saturating_add(1).max(0))
                }
                (l, u, s) => Expr::op(
                    Op::Trips,
                    [
                        l.clone().unwrap_or_else(|| bound(Op::LBound)),
                        u.clone().unwrap_or_else(|| bound(Op::UBound)),
                        s.clone().unwrap_or(Expr::Int(1)),
                    ],
                ),
            });
        }
        list
    }

    /// A temporary array of these extents.
    pub(crate) fn array_of(&mut self, v: NodeId, ty: ScalarType, extents: Vec<Expr>) -> VarId {
        if extents.iter().all(|e| matches!(e, Expr::Int(_))) {
            return self.temporary_of(ty, extents.into_iter().map(Dim::with_extent).collect());
        }
        let var = self.declare_temporary(ty, extents.len());
        let zero = match ty {
            ScalarType::Real
            | ScalarType::Tape
            | ScalarType::Record(_)
            | ScalarType::Pointer(_) => Expr::Real(0.0),
            ScalarType::Real32 => Expr::Real32(0.0),
            ScalarType::Integer | ScalarType::Sized(_) => Expr::Int(0),
            ScalarType::Logical => Expr::Logical(false),
        };
        let value = Expr::op(Op::Fill, std::iter::once(zero).chain(extents));
        self.emit_before(v, Stmt::assign(Place::whole(var), value));
        var
    }

    pub(crate) fn call_helper(&mut self, v: NodeId, callee: RoutineId, arguments: Vec<Expr>) {
        let kind = StmtKind::Call {
            callee,
            arguments: arguments.into_iter().map(Some).collect(),
            result: None,
        };
        self.emit_before(v, Stmt::new(kind));
    }

    /// A call of a helper with an array result.
    pub(crate) fn by_helper(
        &mut self,
        v: NodeId,
        callee: Option<RoutineId>,
        mut arguments: Vec<Expr>,
        ty: ScalarType,
        extents: Vec<Expr>,
    ) -> Option<Typed> {
        let rank = extents.len();
        let target = self.array_of(v, ty, extents);
        arguments.push(Expr::var(target));
        self.call_helper(v, callee?, arguments);
        Some(Typed {
            rank,
            ..Typed::leaf(Expr::var(target), ty)
        })
    }

    /// `sum(a, dim)` and the like.
    fn reduction_along(
        &mut self,
        v: NodeId,
        stem: &str,
        operands: Vec<Typed>,
    ) -> Outcome<Option<Typed>> {
        let mut operands = operands.into_iter();
        let array = operands
            .next()
            .ok_or_else(|| shape_failure("it has no operand"))?;
        let rank = array.rank;
        let (mut along, mut mask) = (None, None);
        for extra in operands {
            match extra.ty {
                ScalarType::Integer => along = Some(dimension(&extra, rank)?),
                ScalarType::Logical => mask = Some(extra),
                ScalarType::Real
                | ScalarType::Real32
                | ScalarType::Sized(_)
                | ScalarType::Tape
                | ScalarType::Record(_)
                | ScalarType::Pointer(_) => {
                    return Err(Failure::Type("an operand is real".to_owned()));
                }
            }
        }
        let along = along.ok_or_else(|| shape_failure("it has no dimension"))?;
        let (op, array) = match stem {
            "count" => (
                Op::Sum,
                array
                    .convert_to(ScalarType::Integer)
                    .map_err(Failure::Type)?,
            ),
            "product" => (Op::Product, array),
            "maxval" => (Op::MaxVal, array),
            "minval" => (Op::MinVal, array),
            "any" => (Op::Any, array),
            "all" => (Op::All, array),
            _ => (Op::Sum, array),
        };
        let logical = matches!(op, Op::Any | Op::All);
        if logical != (array.ty == ScalarType::Logical) {
            return Err(Failure::Type(format!("{stem} of type {}", array.ty.name())));
        }
        let array = match mask {
            Some(mask) => intrinsics::masked(op, array, mask)?,
            None => array,
        };
        let ty = array.ty;
        let key = format!("oad_{}_{}_{rank}{}", op.name(), ty.name(), along + 1);
        let callee = self.helpers.get(&key, |b| {
            let a = b.input("a", deferred_array(ty, rank));
            let t = b.inout("t", deferred_array(ty, rank - 1));
            let mut from = vec![full(); rank];
            let mut to = Vec::new();
            for d in (0..rank).rev().filter(|&d| d != along) {
                let i = over(b, a, d);
                from[d] = Subscript::Index(Expr::var(i));
                to.push(from[d].clone());
            }
            to.reverse();
            let value = Expr::op(op, [Expr::Place(element(a, from))]);
            b.assign(element(t, to), value);
            close_loops(b, rank - 1);
        });
        let Some(place) = self.as_place(v, array) else {
            return Ok(None);
        };
        let mut extents = self.extents_now(&place);
        extents.remove(along);
        Ok(self.by_helper(v, callee, vec![Expr::Place(place)], ty, extents))
    }

    /// `maxloc` and `minloc`: the first extreme element in storage order.
    fn lower_location(
        &mut self,
        v: NodeId,
        stem: &str,
        operands: Vec<Typed>,
    ) -> Outcome<Option<Typed>> {
        let mut operands = operands.into_iter();
        let array = operands
            .next()
            .ok_or_else(|| shape_failure("it has no operand"))?;
        let (rank, ty) = (array.rank, array.ty);
        if rank == 0 || ty == ScalarType::Logical {
            return Err(shape_failure("its operand is not an array of numbers"));
        }
        let (mut scalar, mut mask) = (false, None);
        for extra in operands {
            match extra.ty {
                ScalarType::Integer if rank == 1 => {
                    dimension(&extra, 1)?;
                    scalar = true;
                }
                ScalarType::Integer => {
                    return Err(unsupported_failure("along one of several dimensions"));
                }
                ScalarType::Logical if extra.rank == rank => mask = Some(extra),
                ScalarType::Real
                | ScalarType::Real32
                | ScalarType::Sized(_)
                | ScalarType::Logical
                | ScalarType::Tape
                | ScalarType::Record(_)
                | ScalarType::Pointer(_) => {
                    return Err(shape_failure("its mask has another shape"));
                }
            }
        }
        let op = if stem == "maxloc" { Op::Gt } else { Op::Lt };
        let masked = if mask.is_some() { "m" } else { "" };
        let key = format!("oad_{stem}_{}_{rank}{masked}", ty.name());
        let callee = self.helpers.get(&key, |b| {
            let a = b.input("a", deferred_array(ty, rank));
            let m = mask
                .is_some()
                .then(|| b.input("m", deferred_array(ScalarType::Logical, rank)));
            let p = b.inout("p", ScalarType::Integer.array([rank as i32]).column());
            let best = b.local("best", ty);
            b.assign(p, 0);
            let mut at = vec![full(); rank];
            for d in (0..rank).rev() {
                let i = over(b, a, d);
                at[d] = Subscript::Index(Expr::var(i));
            }
            let here = Expr::Place(element(a, at.clone()));
            let first = eq(p.at(1), 0);
            let better = Expr::op(op, [here.clone(), Expr::var(best)]);
            // `or` does not look at `best` before it has a value.
            let mut taken = Expr::op(Op::Or, [first, better]);
            if let Some(m) = m {
                taken = Expr::op(Op::And, [Expr::Place(element(m, at.clone())), taken]);
            }
            b.if_then(taken, |b| {
                b.assign(best, here);
                for (d, i) in at.iter().enumerate() {
                    if let Subscript::Index(i) = i {
                        b.assign(p.at(d as i32 + 1), i.clone());
                    }
                }
            });
            close_loops(b, rank);
        });
        let mut arguments = Vec::new();
        for operand in std::iter::once(array).chain(mask) {
            let Some(place) = self.as_place(v, operand) else {
                return Ok(None);
            };
            arguments.push(Expr::Place(place));
        }
        let extents = vec![Expr::Int(rank as i64)];
        let found = self.by_helper(v, callee, arguments, ScalarType::Integer, extents);
        Ok(found.map(|found| match found.expr {
            Expr::Place(place) if scalar => {
                Typed::leaf(Expr::Place(place.var.at(1)), ScalarType::Integer)
            }
            Expr::Int(_)
            | Expr::Real(_)
            | Expr::Real32(_)
            | Expr::Logical(_)
            | Expr::Place(_)
            | Expr::Op(..)
            | Expr::Null(_)
            | Expr::Addr(_) => found,
        }))
    }

    fn lower_spread(&mut self, v: NodeId, operands: Vec<Typed>) -> Outcome<Option<Typed>> {
        let [source, along, copies]: [Typed; 3] = operands
            .try_into()
            .map_err(|_| Failure::Count("it must have 3 operands".to_owned()))?;
        let copies = self.convert_to_integer(copies)?;
        let rank = source.rank;
        let along = dimension(&along, rank + 1)?;
        let ty = source.ty;
        let count = Expr::op(Op::Max, [copies.expr, Expr::Int(0)]);
        if rank == 0 {
            return Ok(Some(Typed {
                expr: Expr::op(Op::Fill, [source.expr, count]),
                ty,
                rank: 1,
                depth: source.depth.max(copies.depth + 1) + 1,
            }));
        }
        if rank > 6 {
            return Err(shape_failure("its result has more than 7 dimensions"));
        }
        let key = format!("oad_spread_{}_{rank}{}", ty.name(), along + 1);
        let callee = self.helpers.get(&key, |b| {
            let s = b.input("s", deferred_array(ty, rank));
            let t = b.inout("t", deferred_array(ty, rank + 1));
            let i = over(b, t, along);
            let mut to = vec![full(); rank + 1];
            to[along] = Subscript::Index(Expr::var(i));
            b.assign(element(t, to), s);
            close_loops(b, 1);
        });
        let Some(place) = self.as_place(v, source) else {
            return Ok(None);
        };
        let mut extents = self.extents_now(&place);
        extents.insert(along, count);
        Ok(self.by_helper(v, callee, vec![Expr::Place(place)], ty, extents))
    }

    /// Lowers `reshape(source, shape)`: elements in storage order.
    fn lower_reshape(&mut self, v: NodeId, operands: Vec<Typed>) -> Outcome<Option<Typed>> {
        let [source, wanted]: [Typed; 2] = operands
            .try_into()
            .map_err(|_| unsupported_failure("it must have two operands, source and shape"))?;
        if source.rank == 0 || wanted.rank != 1 || wanted.ty != ScalarType::Integer {
            return Err(shape_failure(
                "it reshapes an array to a shape that is a vector",
            ));
        }
        let Some(wanted) = self.spill_value(v, wanted.clone()).and_then(|spilled| {
            // The rank of the result is the length of the shape, which must be constant: that of a temporary's type
            // is not.
            let Expr::Place(place) = &wanted.expr else {
                return None;
            };
            match self.extents_now(place).as_slice() {
                &[Expr::Int(n)] if (1..=7).contains(&n) => Some((spilled.expr, n as usize)),
                _ => None,
            }
        }) else {
            return Err(unsupported_failure(
                "the length of its shape is not a constant",
            ));
        };
        let (Expr::Place(wanted), rank) = wanted else {
            return Ok(None);
        };
        let (from, ty) = (source.rank, source.ty);
        let callee = self.reshape_routine(ty, (from, rank));
        let Some(place) = self.as_place(v, source) else {
            return Ok(None);
        };
        let extents = (1..=rank)
            .map(|d| Expr::Place(wanted.var.at(d as i32)))
            .collect();
        Ok(self.by_helper(v, callee, vec![Expr::Place(place)], ty, extents))
    }

    /// The routine that copies an array to one of other dimensions, in storage order.
    pub(crate) fn reshape_routine(
        &mut self,
        ty: ScalarType,
        (from, rank): (usize, usize),
    ) -> Option<RoutineId> {
        let key = format!("oad_reshape_{}_{from}{rank}", ty.name());
        self.helpers.get(&key, |b| {
            let s = b.input("s", deferred_array(ty, from));
            let t = b.inout("t", deferred_array(ty, rank));
            let k = b.local("k", ScalarType::Integer);
            let rest = b.local("rest", ScalarType::Integer);
            let j: Vec<VarId> = (0..from)
                .map(|d| b.local(format!("j{}", d + 1), ScalarType::Integer))
                .collect();
            b.assign(k, 0);
            let mut to = vec![full(); rank];
            for d in (0..rank).rev() {
                let i = over(b, t, d);
                to[d] = Subscript::Index(Expr::var(i));
            }
            b.assign(rest, k);
            for (d, &j) in j.iter().enumerate() {
                b.assign(j, Expr::op(Op::Mod, [Expr::var(rest), size_of(s, d)]) + 1);
                b.assign(rest, rest / size_of(s, d));
            }
            let at = j.iter().map(|&j| Subscript::Index(Expr::var(j))).collect();
            b.assign(element(t, to), element(s, at));
            b.assign(k, k + 1);
            close_loops(b, rank);
        })
    }

    /// Lowers `shape(a)`: a vector of the extents.
    fn lower_shape(&mut self, v: NodeId, operands: Vec<Typed>) -> Outcome<Option<Typed>> {
        let [array]: [Typed; 1] = operands
            .try_into()
            .map_err(|_| Failure::Count("it must have one operand".to_owned()))?;
        let rank = array.rank;
        let Some(place) = self.as_place(v, array) else {
            return Ok(None);
        };
        let extents = self.extents_now(&place);
        let dim = Dim::with_extent(Expr::Int(rank as i64));
        let target = self.temporary_of(ScalarType::Integer, vec![dim]);
        for (d, extent) in extents.into_iter().enumerate() {
            self.emit_before(v, Stmt::assign(target.at(d as i32 + 1), extent));
        }
        Ok(Some(Typed {
            rank: 1,
            ..Typed::leaf(Expr::var(target), ScalarType::Integer)
        }))
    }

    /// Splits the subscripts of a section at its vectors: the pattern (v for a vector, r for a range), the
    /// index vectors counted from 1, and the extents.
    fn split_section(
        &mut self,
        v: NodeId,
        section: Section,
    ) -> Option<(String, Vec<Expr>, Vec<Expr>)> {
        let ranges = self.extents_now(&section.place);
        let mut ranges = ranges.into_iter();
        let mut vectors = section.vectors.into_iter().peekable();
        let (mut pattern, mut indices, mut extents) = (String::new(), Vec::new(), Vec::new());
        for (d, s) in section.place.subscripts.iter().enumerate() {
            if matches!(s, Subscript::Index(_)) {
                continue;
            }
            let range = ranges.next()?;
            let Some((_, vector)) = vectors.next_if(|(at, _)| *at == d) else {
                pattern.push('r');
                extents.push(range);
                continue;
            };
            pattern.push('v');
            let lower = self.ir.variable(section.place.var).shape[d].lower.clone();
            let mut counted = vector;
            if lower != Expr::Int(1) {
                let shift = Expr::op(Op::Sub, [lower, Expr::Int(1)]);
                counted.expr = Expr::op(Op::Sub, [counted.expr, shift]);
                counted.depth += 2;
            }
            // A copy, since the assigned array may be the index vector itself.
            let counted = self.spill_value(v, counted)?;
            let Expr::Place(place) = counted.expr else {
                return None;
            };
            extents.push(size_of(place.var, 0));
            indices.push(Expr::Place(place));
        }
        Some((pattern, indices, extents))
    }

    /// The routine that copies between a section with vector subscripts and an array.
    fn move_routine(&mut self, ty: ScalarType, pattern: &str, scatter: bool) -> Option<RoutineId> {
        let name = if scatter { "scatter" } else { "gather" };
        let rank = pattern.len();
        self.helpers
            .get(&format!("oad_{name}_{}_{pattern}", ty.name()), |b| {
                let a = if scatter {
                    b.inout("a", deferred_array(ty, rank))
                } else {
                    b.input("a", deferred_array(ty, rank))
                };
                let dims: Vec<usize> = (0..rank)
                    .filter(|&d| pattern.as_bytes()[d] == b'v')
                    .collect();
                let vectors: Vec<VarId> = dims
                    .iter()
                    .map(|d| {
                        b.input(
                            format!("v{}", d + 1),
                            deferred_array(ScalarType::Integer, 1),
                        )
                    })
                    .collect();
                let t = if scatter {
                    b.input("t", deferred_array(ty, rank))
                } else {
                    b.inout("t", deferred_array(ty, rank))
                };
                let (mut of_a, mut of_t) = (vec![full(); rank], vec![full(); rank]);
                for (&d, &vector) in dims.iter().zip(&vectors).rev() {
                    let i = over(b, t, d);
                    of_t[d] = Subscript::Index(Expr::var(i));
                    of_a[d] = Subscript::Index(Expr::Place(vector.at(i)));
                }
                let (a, t) = (element(a, of_a), element(t, of_t));
                if scatter {
                    b.assign(a, t);
                } else {
                    b.assign(t, a);
                }
                close_loops(b, dims.len());
            })
    }

    /// The value of a section with vector subscripts.
    pub(crate) fn gather_section(
        &mut self,
        v: NodeId,
        section: Section,
        ty: ScalarType,
    ) -> Option<Typed> {
        let place = self.simplify_section(section.place.clone());
        let (pattern, indices, extents) = self.split_section(v, section)?;
        let callee = self.move_routine(ty, &pattern, false);
        let arguments = std::iter::once(Expr::Place(place)).chain(indices);
        self.by_helper(v, callee, arguments.collect(), ty, extents)
    }

    /// Assigns to a section with vector subscripts; the last statement is the call.
    pub(crate) fn scatter_section(
        &mut self,
        v: NodeId,
        section: Section,
        ty: ScalarType,
        value: Typed,
    ) -> Option<Stmt> {
        let place = self.simplify_section(section.place.clone());
        let (pattern, indices, extents) = self.split_section(v, section)?;
        let value = if value.rank == 0 {
            let fill = std::iter::once(value.expr).chain(extents);
            Typed {
                expr: Expr::op(Op::Fill, fill),
                ty,
                rank: pattern.len(),
                depth: value.depth + 2,
            }
        } else {
            value
        };
        let value = self.spill_value(v, value)?;
        let callee = self.move_routine(ty, &pattern, true)?;
        let arguments = std::iter::once(Expr::Place(place))
            .chain(indices)
            .chain([value.expr]);
        Some(Stmt::new(StmtKind::Call {
            callee,
            arguments: arguments.map(Some).collect(),
            result: None,
        }))
    }

    /// Reports the failure to lower an intrinsic.
    pub(crate) fn refuse_intrinsic(&mut self, v: NodeId, name: &str, failure: Failure) {
        let (info, message, help) = match failure {
            Failure::Unsupported(m) => (
                &codes::INTRINSIC,
                m,
                "see `cfgrev explain xaif` for the intrinsics that are read",
            ),
            Failure::Type(m) => (&codes::TYPE, m, "give the operands types that fit"),
            Failure::Shape(m) => (&codes::SHAPE, m, "give the operands shapes that fit"),
            Failure::Count(m) => (&codes::EXPRESSION, m, "give it its operands"),
        };
        self.report(v, info, format!("{name}: {message}"), help);
    }
}
