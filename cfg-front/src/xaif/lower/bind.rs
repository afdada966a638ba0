//! Lowering calls: actual arguments bound to formals.

use crate::xaif::{
    codes,
    lower::{Lower, expression::TypedPlace, typed::Typed},
    read::{
        model::{SymbolType, int_attribute, unexpected_element},
        xml::{At, El, NodeId},
    },
};
use cfg_core::ir::{Dim, Expr, Extent, Op, Place, Range, ScalarType, Stmt, StmtKind, Subscript};

/// A formal argument: the type, shape and access that it wants.
struct Formal {
    name: String,
    ty: ScalarType,
    /// Bounds as declared; `None` where the document does not show them.
    shape: Vec<Option<(i64, i64)>>,
    written: bool,
}

impl Formal {
    fn rank(&self) -> usize {
        self.shape.len()
    }

    /// True if the document shows all bounds: the formal is a view of cells in sequence.
    fn explicit(&self) -> bool {
        self.shape.iter().all(Option::is_some)
    }
}

impl Lower<'_, '_> {
    /// Appends a call, with the copies before and after it, to the prelude.
    pub(crate) fn lower_call(
        &mut self,
        n: NodeId,
        callee: usize,
        result: Option<Place>,
    ) -> Option<()> {
        let doc = self.doc;
        let formals = &self.model.routines[callee].formals;
        let mut actuals: Vec<Option<NodeId>> = vec![None; formals.len()];
        for argument in doc.children(n) {
            if doc.name(argument) != El::Argument {
                let problem = unexpected_element(doc, argument);
                self.sink.push(problem);
                return None;
            }
            let position = int_attribute(doc, argument, At::Position, self.sink)?;
            let place = self.model.routines[callee].slot(position);
            if place == Some(None) {
                // A formal of a type that is not computed with.
                continue;
            }
            let slot = place.flatten().and_then(|i| actuals.get_mut(i));
            let Some(slot) = slot else {
                self.report(
                    argument,
                    &codes::CALL,
                    format!(
                        "position {position} of {}, which has {} formal arguments",
                        self.model.routines[callee].symbol,
                        formals.len()
                    ),
                    "number the arguments 1, 2, ... as in its ArgumentList",
                );
                return None;
            };
            if slot.replace(argument).is_some() {
                self.report(
                    argument,
                    &codes::DUPLICATE,
                    format!("two arguments have position {position}"),
                    "number the arguments 1, 2, ...",
                );
                return None;
            }
        }
        let mut after = Vec::new();
        let mut arguments = Vec::with_capacity(actuals.len());
        for (i, actual) in actuals.into_iter().enumerate() {
            arguments.push(match actual {
                None => None,
                Some(argument) => Some(self.bind_argument(argument, callee, i, &mut after)?),
            });
        }
        // Variables of routines around the callee travel as further arguments.
        for &symbol in &self.scan.routines[callee].host {
            let var = self.known_variable(symbol);
            let Some(var) = var else {
                self.report(
                    n,
                    &codes::CALL,
                    format!(
                        "{} of a routine around the callee is not available here",
                        self.model.symbols[symbol].id
                    ),
                    "call the routine from where its host's variables are visible",
                );
                return None;
            };
            // Another argument of the call may be a part of the host variable.
            let passed = |a: &Option<Expr>| matches!(a, Some(Expr::Place(p)) if p.var == var);
            if arguments.iter().any(passed) {
                self.helpers.aliased.insert(callee);
            }
            arguments.push(Some(Expr::var(var)));
        }
        let statement = Stmt::new(StmtKind::Call {
            callee: self.routine_id(callee),
            arguments: arguments.into(),
            result,
        });
        self.emit_before(n, statement);
        for statement in after {
            self.emit_before(n, statement);
        }
        Some(())
    }

    fn find_formal(&mut self, callee: usize, i: usize) -> Option<Formal> {
        let (symbol, _) = *self.model.routines[callee].formals.get(i)?;
        let s = &self.model.symbols[symbol];
        // A formal of another type has been reported where it is declared.
        let SymbolType::Scalar(ty) = s.ty else {
            return None;
        };
        let shape = if s.bounds.is_empty() {
            vec![None; s.rank]
        } else {
            s.bounds
                .iter()
                .map(|&(lower, upper)| Some((lower, upper?)))
                .collect()
        };
        Some(Formal {
            name: s.id.clone(),
            ty,
            shape,
            written: self.scan.writes_formal[callee].get(i) == Some(&true),
        })
    }

    fn bind_argument(
        &mut self,
        argument: NodeId,
        callee: usize,
        i: usize,
        after: &mut Vec<Stmt>,
    ) -> Option<Expr> {
        let doc = self.doc;
        let formal = self.find_formal(callee, i)?;
        let only = {
            let mut children = doc.children(argument);
            children.next().filter(|_| children.next().is_none())
        };
        self.same_kind_of_text(argument, only, callee, i, &formal)?;
        if let Some(reference) = only.filter(|&c| doc.name(c) == El::VariableReference) {
            let place = self.lower_place(reference)?;
            let converts = place.ty.is_real() && formal.ty.is_real();
            if place.ty != formal.ty && !converts {
                self.report(
                    argument,
                    &codes::CALL,
                    format!(
                        "an actual of type {} for the formal {} of type {}",
                        place.ty.name(),
                        formal.name,
                        formal.ty.name()
                    ),
                    "pass a variable of the formal's type",
                );
                return None;
            }
            let kind = place.ty;
            let place = match place.section() {
                Ok(place) => place,
                Err((section, ty)) => {
                    if formal.written {
                        self.report(
                            argument,
                            &codes::CALL,
                            format!("a section with a vector subscript for the formal {}, which is written", formal.name),
                            "pass a variable, and assign it afterwards",
                        );
                        return None;
                    }
                    let value = self.gather_section(argument, section, ty)?;
                    let value = self.convert_value(argument, value, formal.ty)?;
                    let value = match value.expr {
                        Expr::Place(_) => value,
                        Expr::Int(_)
                        | Expr::Real(_)
                        | Expr::Real32(_)
                        | Expr::Logical(_)
                        | Expr::Op(..)
                        | Expr::Null(_)
                        | Expr::Addr(_) => self.spill_value(argument, value)?,
                    };
                    let Expr::Place(place) = value.expr else {
                        return None;
                    };
                    let rank = value.rank;
                    return self.bind_place(argument, callee, place, rank, &formal, after);
                }
            };
            if kind != formal.ty {
                return self.other_kind(argument, callee, place, &formal, after);
            }
            return self.bind_place(argument, callee, place.place, place.rank, &formal, after);
        }
        // Expressions and constants go through a temporary.
        let value = self.lower_expression(argument)?;
        if value.rank != formal.rank() {
            self.report(
                argument,
                &codes::SHAPE,
                format!(
                    "a value of {} dimensions for the formal {} of {}",
                    value.rank,
                    formal.name,
                    formal.rank()
                ),
                "pass a value of the formal's shape",
            );
            return None;
        }
        let value = self.convert_value(argument, value, formal.ty)?;
        let value = self.spill_value(argument, value)?;
        Some(value.expr)
    }

    /// Refuses a string for a number and a number for a string.
    fn same_kind_of_text(
        &mut self,
        argument: NodeId,
        only: Option<NodeId>,
        callee: usize,
        i: usize,
        formal: &Formal,
    ) -> Option<()> {
        // A string and a number have nothing in common, although both are integers here.
        let (symbol, _) = self.model.routines[callee].formals[i];
        let formal_is_string = self.model.symbols[symbol].string;
        let is_string = only.is_some_and(|c| self.is_string(c));
        if is_string != formal_is_string {
            let name = &formal.name;
            if is_string {
                self.report(
                    argument,
                    &codes::CALL,
                    format!(
                        "a string for the formal {name} of type {}",
                        formal.ty.name()
                    ),
                    "pass a variable of the formal's type",
                );
            } else {
                self.report(
                    argument,
                    &codes::HIDDEN,
                    format!("the formal {name} is a string whose value is needed, and what is passed is not in the document"),
                    "pass a constant, or a formal argument that gets constants",
                );
            }
            return None;
        }
        Some(())
    }

    /// An actual of the other kind of real: a copy of the formal's kind is passed, and copied back if the
    /// callee writes it. Only the cells that the formal has are copied, as the way there and back rounds.
    fn other_kind(
        &mut self,
        argument: NodeId,
        callee: usize,
        actual: TypedPlace,
        formal: &Formal,
        after: &mut Vec<Stmt>,
    ) -> Option<Expr> {
        let Some((place, rank)) = self.same_cells(&actual.place, actual.rank, formal) else {
            self.report(
                argument,
                &codes::CALL,
                format!(
                    "an actual of type {} for the formal {} of type {}, which has other elements",
                    actual.ty.name(),
                    formal.name,
                    formal.ty.name()
                ),
                "pass a variable of the formal's type, or an array of its size",
            );
            return None;
        };
        let place = self.fix_subscripts(argument, place, formal)?;
        let value = Typed {
            expr: Expr::Place(place.clone()),
            ty: actual.ty,
            rank,
            depth: actual.depth + 1,
        };
        let value = self.convert_value(argument, value, formal.ty)?;
        let copy = self.spill_value(argument, value)?;
        if formal.written {
            let back = self.convert_value(argument, copy.clone(), actual.ty)?;
            after.push(Stmt::assign(place, back.expr));
        }
        let Expr::Place(copy) = copy.expr else {
            return None;
        };
        self.bind_place(argument, callee, copy, rank, formal, after)
    }

    /// The part of an actual that a formal covers, and its number of dimensions; `None` if that is no array
    /// or section.
    fn same_cells(&self, actual: &Place, rank: usize, formal: &Formal) -> Option<(Place, usize)> {
        if formal.rank() == 0 {
            let first = match rank {
                0 => actual.clone(),
                _ => self.first_element(actual.clone()),
            };
            return Some((first, 0));
        }
        let size = formal.shape.iter().try_fold(1i64, |n, bounds| {
            let (lower, upper) = (*bounds)?;
            n.checked_mul(upper.checked_sub(lower)?.checked_add(1)?.max(0))
        });
        let whole = || (rank > 0).then(|| (actual.clone(), rank));
        let Some(size) = size else {
            // Bounds that are not known are those of the actual.
            return whole();
        };
        let of_actual = self
            .extents_now(actual)
            .iter()
            .try_fold(1i64, |n, e| match e {
                Expr::Int(e) => n.checked_mul(*e),
                Expr::Real(_)
                | Expr::Real32(_)
                | Expr::Logical(_)
                | Expr::Place(_)
                | Expr::Op(..)
                | Expr::Null(_)
                | Expr::Addr(_) => None,
            });
        if (of_actual == Some(size) || !formal.written)
            && let Some(whole) = whole()
        {
            return Some(whole);
        }
        // A vector from its start or an element on.
        let from = match actual.subscripts.as_ref() {
            [] => self.ir.variable(actual.var).shape.first()?.lower.clone(),
            [Subscript::Index(e)] => e.clone(),
            _ => return None,
        };
        if self.ir.variable(actual.var).rank() != 1 {
            return None;
        }
        let upper = match &from {
            Expr::Int(i) => Expr::Int(i.checked_add(size)?.checked_sub(1)?),
            e @ (Expr::Real(_)
            | Expr::Real32(_)
            | Expr::Logical(_)
            | Expr::Place(_)
            | Expr::Op(..)
            | Expr::Null(_)
            | Expr::Addr(_)) => Expr::op(Op::Add, [e.clone(), Expr::Int(size.checked_sub(1)?)]),
        };
        let range = Range {
            lower: Some(from),
            upper: Some(upper),
            stride: None,
        };
        let section = Place {
            var: actual.var,
            subscripts: [Subscript::Range(Box::new(range))].into(),
        };
        Some((section, 1))
    }

    fn bind_place(
        &mut self,
        argument: NodeId,
        callee: usize,
        place: Place,
        rank: usize,
        formal: &Formal,
        after: &mut Vec<Stmt>,
    ) -> Option<Expr> {
        if formal.rank() == 0 {
            if rank == 0 {
                return Some(Expr::Place(place));
            }
            // An array for a scalar: its first element, unless the routine is elemental (then it would
            // be called for each).
            let elemental = self.model.routines[callee]
                .formals
                .iter()
                .all(|f| self.model.symbols[f.0].rank == 0);
            if elemental && self.constant_size(&place) != Some(1) {
                self.report(
                    argument,
                    &codes::CALL,
                    format!("an array for the scalar formal {}", formal.name),
                    "pass one element, or write a loop",
                );
                return None;
            }
            return Some(Expr::Place(self.first_element(place)));
        }
        if formal.explicit() {
            if rank == 0 || self.is_contiguous(&place) {
                return Some(Expr::Place(place));
            }
            return self.bind_by_copy(argument, place, rank, formal, after);
        }
        if rank == formal.rank() {
            let extents = self.extents_now(&place);
            let fits = formal
                .shape
                .iter()
                .zip(&extents)
                .all(|(bounds, extent)| match bounds {
                    Some((lower, upper)) => {
                        *extent == Expr::Int(upper.saturating_sub(*lower).saturating_add(1).max(0))
                    }
                    None => true,
                });
            if fits {
                return Some(Expr::Place(place));
            }
        }
        // An array of other dimensions for one of assumed size: its elements in sequence.
        let leading: Option<Vec<i64>> = formal.shape[..formal.rank() - 1]
            .iter()
            .map(|bounds| {
                let (lower, upper) = (*bounds)?;
                upper.checked_sub(lower)?.checked_add(1)
            })
            .collect();
        if let Some(leading) = leading.filter(|l| rank > 0 && l.iter().all(|&e| e > 0)) {
            return self.in_sequence(argument, place, (rank, &leading), formal, after);
        }
        // An element for an array: the array from there on, along the first dimension.
        if formal.rank() == 1 && place.is_element() {
            let subscripts = place
                .subscripts
                .iter()
                .enumerate()
                .map(|(d, s)| match s {
                    Subscript::Index(e) if d == 0 => Subscript::Range(Box::new(Range {
                        lower: Some(e.clone()),
                        upper: None,
                        stride: None,
                    })),
                    other @ (Subscript::Index(_)
                    | Subscript::Range(_)
                    | Subscript::Field(_)
                    | Subscript::Deref) => other.clone(),
                })
                .collect();
            return Some(Expr::Place(Place {
                var: place.var,
                subscripts,
            }));
        }
        self.report(
            argument,
            &codes::SHAPE,
            format!(
                "an actual of {rank} dimensions for the formal {} of {}, whose bounds are not in the document",
                formal.name,
                formal.rank()
            ),
            "declare the formal with constant bounds, or pass an array of its rank",
        );
        None
    }

    /// Number of elements of a whole array with constant extents.
    fn constant_size(&self, place: &Place) -> Option<i64> {
        if !place.subscripts.is_empty() {
            return None;
        }
        self.ir
            .variable(place.var)
            .shape
            .iter()
            .try_fold(1i64, |n, d| match &d.extent {
                Extent::Fixed(Expr::Int(e)) => n.checked_mul(*e),
                Extent::Fixed(_) | Extent::Deferred => None,
            })
    }

    fn first_element(&self, place: Place) -> Place {
        let shape = &self.ir.variable(place.var).shape;
        let lower = |d: usize, dim: &Dim| match &dim.extent {
            Extent::Fixed(_) => dim.lower.clone(),
            Extent::Deferred => {
                Expr::op(Op::LBound, [Expr::var(place.var), Expr::Int(d as i64 + 1)])
            }
        };
        let first = if place.subscripts.is_empty() {
            shape
                .iter()
                .enumerate()
                .map(|(d, dim)| Subscript::Index(lower(d, dim)))
                .collect()
        } else {
            place
                .subscripts
                .iter()
                .zip(shape)
                .enumerate()
                .map(|(d, (s, dim))| match s {
                    Subscript::Index(e) => Subscript::Index(e.clone()),
                    Subscript::Range(r) => {
                        Subscript::Index(r.lower.clone().unwrap_or_else(|| lower(d, dim)))
                    }
                    other @ (Subscript::Field(_) | Subscript::Deref) => other.clone(),
                })
                .collect()
        };
        Place {
            var: place.var,
            subscripts: first,
        }
    }

    /// True if the cells of an array or section follow each other without gaps for certain.
    fn is_contiguous(&self, place: &Place) -> bool {
        // Column order: whole dimensions first, then one unit-stride range, then single indices.
        let shape = &self.ir.variable(place.var).shape;
        let mut broken = false;
        for (s, dim) in place.subscripts.iter().zip(shape) {
            match s {
                Subscript::Index(_) => broken = true,
                Subscript::Field(_) | Subscript::Deref => return false,
                Subscript::Range(r) => {
                    if broken || r.stride.is_some() {
                        return false;
                    }
                    let whole = r.lower.as_ref().is_none_or(|l| *l == dim.lower)
                        && match (&r.upper, &dim.extent, &dim.lower) {
                            (None, _, _) => true,
                            (Some(Expr::Int(u)), Extent::Fixed(Expr::Int(n)), Expr::Int(l)) => {
                                l.checked_add(*n) == u.checked_add(1)
                            }
                            _ => false,
                        };
                    broken = !whole;
                }
            }
        }
        true
    }

    /// Copy-in, copy-out of an array of `rank` dimensions as one of which all extents but the last are given.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "any other expression is known at run time only"
    )]
    fn in_sequence(
        &mut self,
        argument: NodeId,
        place: Place,
        (rank, leading): (usize, &[i64]),
        formal: &Formal,
        after: &mut Vec<Stmt>,
    ) -> Option<Expr> {
        let place = self.fix_subscripts(argument, place, formal)?;
        let extents = self.extents_now(&place);
        let size = match extents.iter().try_fold(1i64, |n, e| match e {
            Expr::Int(e) => n.checked_mul(*e),
            Expr::Real(_)
            | Expr::Real32(_)
            | Expr::Logical(_)
            | Expr::Place(_)
            | Expr::Op(..)
            | Expr::Null(_)
            | Expr::Addr(_) => None,
        }) {
            Some(n) => Expr::Int(n),
            None => Expr::op(Op::Mul, extents),
        };
        let known = leading.iter().try_fold(1i64, |n, &e| n.checked_mul(e))?;
        let last = match size {
            Expr::Int(n) => Expr::Int(n / known),
            size if known == 1 => size,
            size @ (Expr::Real(_)
            | Expr::Real32(_)
            | Expr::Logical(_)
            | Expr::Place(_)
            | Expr::Op(..)
            | Expr::Null(_)
            | Expr::Addr(_)) => Expr::op(Op::Div, [size, Expr::Int(known)]),
        };
        let extents = leading.iter().map(|&e| Expr::Int(e)).chain([last]);
        let array = Expr::var(self.array_of(argument, formal.ty, extents.collect()));
        let copy = |lower: &mut Self, from: Expr, to: Expr, ranks| {
            let callee = lower.reshape_routine(formal.ty, ranks)?;
            Some(Stmt::new(StmtKind::Call {
                callee,
                arguments: [Some(from), Some(to)].into(),
                result: None,
            }))
        };
        let ranks = (rank, formal.rank());
        let copy_in = copy(self, Expr::Place(place.clone()), array.clone(), ranks)?;
        self.emit_before(argument, copy_in);
        if formal.written {
            let ranks = (formal.rank(), rank);
            let copy_out = copy(self, array.clone(), Expr::Place(place), ranks)?;
            after.push(copy_out);
        }
        Some(array)
    }

    /// The place with the values of its subscripts at the call, whatever the callee does to them, if the
    /// callee writes it.
    fn fix_subscripts(&mut self, argument: NodeId, place: Place, formal: &Formal) -> Option<Place> {
        if !formal.written {
            return Some(place);
        }
        let mut subscripts = Vec::with_capacity(place.subscripts.len());
        for s in &place.subscripts {
            let mut fixed = |e: &Expr| -> Option<Expr> {
                if matches!(e, Expr::Int(_)) {
                    return Some(e.clone());
                }
                let value = Typed {
                    expr: e.clone(),
                    ty: ScalarType::Integer,
                    rank: 0,
                    depth: e.depth(),
                };
                self.spill_value(argument, value).map(|v| v.expr)
            };
            subscripts.push(match s {
                Subscript::Index(e) => Subscript::Index(fixed(e)?),
                other @ (Subscript::Field(_) | Subscript::Deref) => other.clone(),
                Subscript::Range(r) => {
                    let mut part = |e: &Option<Expr>| -> Option<Option<Expr>> {
                        match e {
                            None => Some(None),
                            Some(e) => Some(Some(fixed(e)?)),
                        }
                    };
                    Subscript::Range(Box::new(Range {
                        lower: part(&r.lower)?,
                        upper: part(&r.upper)?,
                        stride: part(&r.stride)?,
                    }))
                }
            });
        }
        Some(Place {
            var: place.var,
            subscripts: subscripts.into(),
        })
    }

    /// Binds an argument by copy-in and copy-out.
    fn bind_by_copy(
        &mut self,
        argument: NodeId,
        place: Place,
        rank: usize,
        formal: &Formal,
        after: &mut Vec<Stmt>,
    ) -> Option<Expr> {
        let place = self.fix_subscripts(argument, place, formal)?;
        let value = Typed {
            expr: Expr::Place(place.clone()),
            ty: formal.ty,
            rank,
            depth: 2,
        };
        let copy = self.spill_value(argument, value)?;
        if formal.written {
            after.push(Stmt::assign(place, copy.expr.clone()));
        }
        Some(copy.expr)
    }
}
