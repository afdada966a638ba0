//! The cells of an array operand: a variable, a section, an array of a form.

use super::Arrays;
use crate::c::{
    Emitted,
    amount::Amount,
    expression::at_least_zero,
    operators::{Code, Infix, Name, Node, precedence::POSTFIX},
    variable::{Array, Inside, strides},
    writer::Writer,
};
use cfg_core::{
    entity::VarId,
    flat::{Constant, FlatExpr, FlatSubscript},
    ir::{Expr, Op, Order, Place, ScalarType, Subscript},
};
use cfg_transform::scalarize::ArrayId;

/// The part of a dimension that a subscript selects: where it begins and, of a range, the extent, the stride, whether
/// it is whole, and whether the stride is 1.
struct Along {
    start: Amount,
    range: Option<(Amount, Amount, bool, bool)>,
}

/// The elements of a member of structures.
#[derive(Clone, Debug)]
pub(in crate::c) struct Elements {
    structures: Code,
    steps: Vec<Inner>,
}

/// A step from structures to the elements of a member.
#[derive(Clone, Debug)]
enum Inner {
    Member(Name),
    Dimension(Dimension),
}

/// A dimension of structures, or of the member.
#[derive(Clone, Debug)]
struct Dimension {
    offset: Amount,
    /// The axis of the view that goes along it.
    axis: Option<usize>,
    /// True of that of an array of one structure, which is written as that structure.
    is_single: bool,
}

impl Inner {
    fn dimension(&mut self) -> Option<&mut Dimension> {
        match self {
            Self::Dimension(dimension) => Some(dimension),
            Self::Member(_) => None,
        }
    }
}

impl Inside {
    /// The steps to the elements.
    fn steps(&self) -> Vec<Inner> {
        let dimension = |is_single: bool| {
            Inner::Dimension(Dimension {
                offset: 0.into(),
                axis: None,
                is_single,
            })
        };
        let mut steps = vec![dimension(self.is_single); self.rank];
        let is_pointer = self.is_behind && (self.rank == 0 || self.is_single);
        let mut sign = if is_pointer { "->" } else { "." };
        for (member, rank) in &self.path {
            steps.push(Inner::Member(format!("{sign}{member}").into()));
            sign = ".";
            steps.extend(vec![dimension(false); *rank]);
        }
        steps
    }
}

/// The cells of an array: a pointer and an offset, and for each dimension the extent and the stride.
#[derive(Clone, Debug)]
pub(in crate::c) struct View {
    pub(in crate::c) pointer: Code,
    /// The elements of a member of structures, unless it is one array of one dimension.
    pub(in crate::c) inside: Option<Elements>,
    pub(in crate::c) offset: Amount,
    pub(in crate::c) axes: Vec<(Amount, Amount)>,
    pub(in crate::c) order: Order,
    pub(in crate::c) ty: ScalarType,
    /// True if the elements are known to follow each other in storage order.
    pub(in crate::c) dense: bool,
}

impl View {
    /// The cells of an array without gaps.
    pub(in crate::c) fn dense(
        pointer: impl Into<Name>,
        extents: Vec<Amount>,
        order: Order,
        ty: ScalarType,
    ) -> Self {
        let steps = strides(&extents, order);
        Self {
            pointer: Code::name(pointer, ty),
            inside: None,
            offset: 0.into(),
            axes: extents.into_iter().zip(steps).collect(),
            order,
            ty,
            dense: true,
        }
    }

    /// The number of elements along each dimension.
    pub(in crate::c) fn extents(&self) -> Vec<Amount> {
        self.axes.iter().map(|(extent, _)| extent.clone()).collect()
    }

    /// The pointer to its first element.
    pub(in crate::c) fn first(&self) -> Code {
        let pointer = self.pointer.clone();
        match self.offset.constant() {
            Some(0) => pointer,
            _ => pointer.with(Infix::Add, self.offset.to_code()),
        }
    }

    /// The element at these positions.
    pub(in crate::c) fn element(&self, at: &[Amount]) -> Code {
        if let Some(elements) = &self.inside {
            return self.element_inside(elements, at);
        }
        let mut offset = self.offset.clone();
        for (at, (_, stride)) in at.iter().zip(&self.axes) {
            offset = offset.plus(&at.times(stride));
        }
        self.pointer.clone().at(offset.to_code())
    }

    /// The element of a member of structures.
    fn element_inside(&self, elements: &Elements, at: &[Amount]) -> Code {
        let mut code = elements.structures.clone();
        for step in &elements.steps {
            code = match step {
                Inner::Member(name) => code.member(name.clone()),
                Inner::Dimension(Dimension {
                    is_single: true, ..
                }) => code,
                Inner::Dimension(Dimension { offset, axis, .. }) => {
                    let along = axis.and_then(|k| Some((at.get(k)?, self.axes.get(k)?)));
                    let offset = match along {
                        Some((at, (_, stride))) => offset.plus(&at.times(stride)),
                        None => offset.clone(),
                    };
                    code.at(offset.to_code())
                }
            };
        }
        code
    }
}

/// The number of elements of these extents.
pub(in crate::c) fn size(extents: &[Amount]) -> Amount {
    match extents {
        // Loops and allocation take a negative one for none.
        [extent] => extent.clone(),
        extents => extents.iter().fold(1.into(), |size: Amount, extent| {
            size.times(&at_least_zero(extent))
        }),
    }
}

/// True if a section's elements follow each other: all dimensions that vary faster than the slowest range are whole,
/// and all ranges have stride 1.
pub(in crate::c) fn is_dense(order: Order, rank: usize, ranges: &[(usize, bool, bool)]) -> bool {
    if ranges.iter().any(|(_, _, unit)| !unit) {
        return false;
    }
    // Ranges must be the fastest dimensions, and all but the slowest of them whole.
    let fastest = |k: usize| match order {
        Order::Row => rank - 1 - k,
        Order::Column => k,
    };
    let mut places: Vec<(usize, bool)> = ranges
        .iter()
        .map(|(k, whole, _)| (fastest(*k), *whole))
        .collect();
    places.sort_unstable();
    let count = places.len();
    places
        .iter()
        .enumerate()
        .all(|(at, (k, whole))| at == *k && (*whole || at + 1 == count))
}

impl Writer<'_> {
    /// The number of elements of these extents, as memory is asked for.
    pub(in crate::c) fn size_of(&self, extents: &[Amount]) -> Amount {
        match self.is_checked() {
            true => self.count_of(extents),
            false => size(extents),
        }
    }

    /// The cells of an array of a form.
    pub(super) fn view_of(&mut self, arrays: &mut Arrays<'_>, array: ArrayId) -> Emitted<View> {
        if let Some(view) = &arrays.views[array.index()] {
            return Ok(view.clone());
        }
        match arrays.form.arrays[array.index()].variable {
            Some(v) => self.emit_view(&Place::whole(v)),
            None => Err(self.malformed("a step names an array that none has made")),
        }
    }

    /// An array becomes this view.
    pub(super) fn set_view(
        &mut self,
        arrays: &mut Arrays<'_>,
        array: ArrayId,
        mut view: View,
    ) -> Emitted<()> {
        if !arrays.variable.contains(&array) {
            // The elements of a transposed array are taken in the order of their cells.
            view.order = arrays.form.arrays[array.index()].order;
            arrays.views[array.index()] = Some(view);
            return Ok(());
        }
        let to = self.view_of(arrays, array)?;
        // Views are read only, or of what may be written.
        let pointer = to.pointer;
        let cast = format!("{} *", self.file.c_type(view.ty));
        self.set(&pointer, view.first().parenthesised().cast(&cast, view.ty));
        for ((extent, stride), (e, s)) in to.axes.iter().zip(&view.axes) {
            for (to, from) in [(extent, e), (stride, s)] {
                self.set(&to.to_code(), from.to_code());
            }
        }
        Ok(())
    }

    /// The cells of a whole array or a section. Bounds that are more than names are evaluated here.
    pub(in crate::c) fn emit_view(&mut self, place: &Place) -> Emitted<View> {
        self.note_read(place.var);
        if !place.subscripts.is_empty() {
            return self.section_view(place);
        }
        let array = self.array_kind(place.var)?;
        if array.inside.is_some() {
            let subscripts = array.axes.iter().map(|_| Subscript::Range(Box::default()));
            return self.section_view(&Place {
                var: place.var,
                subscripts: subscripts.collect(),
            });
        }
        let extents = self.variables.extents(&array.axes);
        let strides = self.variables.strides(&array);
        let dense = !array.is_strided();
        let ty = self.variables.all[place.var.index()].ty;
        Ok(View {
            pointer: Code::name(array.pointer, ty),
            inside: None,
            offset: array.offset.into(),
            axes: extents.into_iter().zip(strides).collect(),
            order: array.order,
            ty,
            dense,
        })
    }

    /// The cells of a section, which with checks are all there when the function has not left.
    pub(in crate::c) fn section_view(&mut self, place: &Place) -> Emitted<View> {
        self.note_read(place.var);
        let array = self.array_kind(place.var)?;
        let ty = self.variables.all[place.var.index()].ty;
        let extents = self.variables.extents(&array.axes);
        let strides = self.variables.strides(&array);
        // With checks all subscripts are evaluated before one is looked at.
        let mut evaluated = Vec::new();
        if self.is_checked() {
            for subscript in &place.subscripts {
                evaluated.push(self.kept_parts(subscript)?);
            }
            self.must_exist(place.var);
        }
        let mut offset = Amount::from(array.offset);
        let mut axes = Vec::new();
        let mut ranges = Vec::new();
        let (mut pointer, mut outer) = (Code::name(array.pointer.clone(), ty), 0);
        let (mut steps, mut has_gaps) = (Vec::new(), array.is_strided());
        if let Some(members) = &array.inside {
            outer = members.outer();
            let stays = |k: usize| place.subscripts[k].index().is_none();
            has_gaps = (0..outer).any(|k| stays(k) && extents[k].constant() != Some(1));
            if !has_gaps {
                pointer = self.member_cells((&array, members), ty, &place.subscripts)?;
            }
            if has_gaps || outer + 1 != place.subscripts.len() {
                steps = members.steps();
            }
        }
        for (k, subscript) in place.subscripts.iter().enumerate() {
            if k < outer && steps.is_empty() {
                // A dimension of structures that stays is one of one structure.
                if subscript.index().is_none() {
                    ranges.push((k, true, true));
                    axes.push((1.into(), strides[k].clone()));
                }
                continue;
            }
            let parts = match evaluated.get_mut(k) {
                Some(parts) => std::mem::take(parts),
                None => self.kept_parts(subscript)?,
            };
            let along = self.along(&array, (place.var, k), &extents[k], parts)?;
            let structures = steps.iter_mut().filter_map(Inner::dimension).nth(k);
            let (offset, stride) = match structures {
                Some(dimension) => {
                    dimension.axis = along.range.is_some().then_some(axes.len());
                    (&mut dimension.offset, 1.into())
                }
                None => (&mut offset, strides[k].clone()),
            };
            *offset = offset.plus(&along.start.times(&stride));
            if let Some((extent, by, whole, unit)) = along.range {
                ranges.push((k, whole, unit));
                axes.push((extent, by.times(&stride)));
            }
        }
        self.stop_on_fault();
        let dense = !has_gaps && is_dense(array.order, place.subscripts.len(), &ranges);
        let structures = Code::name(array.pointer, ty);
        let inside = (!steps.is_empty()).then_some(Elements { structures, steps });
        Ok(View {
            pointer,
            inside,
            offset,
            axes,
            order: array.order,
            ty,
            dense,
        })
    }

    /// The part of a dimension that a subscript selects, whose index or range is evaluated.
    fn along(
        &mut self,
        array: &Array,
        (v, k): (VarId, usize),
        extent: &Amount,
        [index, from, to, step]: [Option<Amount>; 4],
    ) -> Emitted<Along> {
        let axis = &array.axes[k];
        let lower = self.variables.amount_of(&axis.lower);
        if let Some(index) = index {
            let start = match self.is_checked() {
                true => self.checked_index(&index, (&axis.lower, &axis.extent), v),
                false => index.minus_code(&lower),
            };
            return Ok(Along { start, range: None });
        }
        let (unit, whole) = (step.is_none(), from.is_none() && to.is_none());
        let from = from.unwrap_or_else(|| lower.clone());
        let to = to.unwrap_or_else(|| lower.plus(&at_least_zero(extent)).minus(1));
        let step = step.unwrap_or_else(|| 1.into());
        let (extent, start, by) = match step.constant() {
            Some(1) if whole && unit && self.is_checked() => (extent.clone(), 0.into(), step),
            _ if self.is_checked() => {
                let range = [&from, &to, &step];
                self.checked_range(range, &lower, extent, v)
            }
            Some(1) => {
                let extent = match whole && unit {
                    true => extent.clone(),
                    false => to.minus_code(&from).plus(&1.into()),
                };
                (extent, from.minus_code(&lower), step)
            }
            _ => {
                let operands = [&from, &to, &step].map(Amount::to_code);
                let trips = Amount::from(self.emit_operator(Op::Trips, operands.into())?);
                let extent = self.kept_amount("extent", trips);
                (extent, from.minus_code(&lower), step)
            }
        };
        Ok(Along {
            start,
            range: Some((extent, by, whole && unit, unit)),
        })
    }

    /// The index of a subscript, or the lower bound, the upper bound and the stride of its range.
    fn kept_parts(&mut self, subscript: &Subscript) -> Emitted<[Option<Amount>; 4]> {
        let range = match FlatSubscript::view(subscript) {
            FlatSubscript::Range(range) => [&range.lower, &range.upper, &range.stride],
            FlatSubscript::Index(_) => [&None; 3],
        };
        let mut kept: [Option<Amount>; 4] = Default::default();
        let parts = [subscript.index()].into_iter();
        let parts = parts.chain(range.into_iter().map(Option::as_ref));
        for (kept, part) in kept.iter_mut().zip(parts) {
            *kept = part.map(|e| self.keep_amount(e)).transpose()?;
        }
        Ok(kept)
    }

    /// The value of an integer that is named several times: a name, a constant, or a variable that is set here.
    pub(in crate::c) fn keep_amount(&mut self, e: &Expr) -> Emitted<Amount> {
        let mut own = true;
        e.walk(&mut |e| {
            own &= match FlatExpr::view(e) {
                FlatExpr::Place(p) => p.subscripts.is_empty() && self.is_simple(p.var),
                FlatExpr::Constant(Constant::Int(_)) | FlatExpr::Op(Op::Add | Op::Sub, _) => true,
                FlatExpr::Constant(
                    Constant::Real(_) | Constant::Real32(_) | Constant::Logical(_),
                )
                | FlatExpr::Op(..) => false,
            };
        });
        let amount = self.emit_integer(e)?;
        if self.is_checked() {
            // Everything that is computed is checked.
            let index = matches!(e, Expr::Place(p) if self.is_index(p.var) || self.lane_value(p.var).is_some());
            if index || amount.constant().is_some() {
                return Ok(amount);
            }
            let amount = self.kept_amount("at", amount);
            self.stop_on_fault();
            return Ok(amount);
        }
        let mut stays = !self.keeps_bounds;
        if !stays {
            stays = true;
            e.walk_places(&mut |p| stays &= self.is_index(p.var));
        }
        if own && e.depth() < 3 && stays {
            return Ok(amount);
        }
        Ok(self.kept_amount("at", amount))
    }

    /// The value of an integer in a variable that is set here, if it is no constant.
    pub(super) fn kept_amount(&mut self, name: &str, amount: Amount) -> Amount {
        if amount.constant().is_some() {
            return amount;
        }
        self.keep(name, amount.to_code()).into()
    }

    pub(super) fn is_simple(&self, v: VarId) -> bool {
        match self.lane_value(v) {
            Some(lane) => lane.is_ok_and(|code| {
                let is_element = |node: &Node| {
                    *node == Node::Element || node.word().is_some_and(|name| name.contains('['))
                };
                code.precedence() == POSTFIX && !code.nodes().iter().any(is_element)
            }),
            None => self.is_own(v),
        }
    }
}
