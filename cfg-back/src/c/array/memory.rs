//! The memory of temporary arrays and of arrays that an assignment gives their shape.

use super::{Arrays, view::View};
use crate::c::{
    Emitted, amount::Amount, expression::at_least_zero, variable::Bound, writer::Writer,
};
use cfg_core::{
    entity::VarId,
    ir::{Order, ScalarType},
};
use cfg_transform::scalarize::ArrayId;

impl Writer<'_> {
    /// A new array for values in between.
    pub(super) fn temporary(
        &mut self,
        arrays: &mut Arrays<'_>,
        array: ArrayId,
        extents: Vec<Amount>,
    ) -> Emitted<()> {
        let it = arrays.form.arrays[array.index()];
        let extents = if arrays.reallocates {
            let kept = extents.into_iter().map(|n| self.kept_amount("extent", n));
            kept.collect()
        } else {
            extents
        };
        let view = self.work_array("w", it.ty, it.order, extents)?;
        self.set_view(arrays, array, view)
    }

    /// An array in the memory for work arrays.
    pub(in crate::c) fn work_array(
        &mut self,
        name: &str,
        ty: ScalarType,
        order: Order,
        extents: Vec<Amount>,
    ) -> Emitted<View> {
        self.declared += 1;
        let name = self.fresh(name);
        let size = self.size_of(&extents).code().text;
        self.allocate_work(&name, &size, ty);
        Ok(View::dense(name, extents, order, ty))
    }

    /// A pointer of this name to elements in the memory for work arrays.
    pub(in crate::c) fn allocate_work(&mut self, name: &str, size: &str, ty: ScalarType) {
        let (memory, ty) = (self.work(), self.file.c_type(ty));
        self.lines.line(format_args!(
            "{ty} *const {name} = cfgrev_allocate(&{memory}->work, {size}, sizeof *{name});"
        ));
        let leave = self.out_of_memory();
        self.lines.line(format_args!("if (!{name})"));
        self.lines.line(format_args!("    {leave}"));
    }

    /// An allocatable array gets a shape, and memory where what it has does not do.
    pub(super) fn reallocate(
        &mut self,
        arrays: &Arrays<'_>,
        array: ArrayId,
        like: &View,
    ) -> Emitted<()> {
        match arrays.form.arrays[array.index()].variable {
            Some(v) => self.reallocate_variable(v, like),
            None => Err(self.malformed("a temporary gets a shape")),
        }
    }

    /// [`Self::reallocate`] of a variable.
    pub(in crate::c) fn reallocate_variable(&mut self, v: VarId, like: &View) -> Emitted<()> {
        let it = self.array_kind(v)?;
        let (Some(room), ty) = (&it.room, self.variables.all[v.index()].ty) else {
            return Err(self.malformed("an array that has a shape gets another one"));
        };
        let memory = self.work();
        self.allocates = true;
        let mut extents = Vec::new();
        for (axis, (extent, _)) in it.axes.iter().zip(&like.axes) {
            let Bound::Kept(k) = axis.extent else {
                return Err(self.malformed("an array that has a shape gets another one"));
            };
            let kept = &mut self.variables.bounds[k];
            kept.used = true;
            let name = kept.name.clone();
            // The other array may be this one with its dimensions in another order.
            let extent = if it.axes.len() > 1 && !like.dense {
                &self.kept_amount("extent", extent.clone())
            } else {
                extent
            };
            extents.push((name, at_least_zero(extent).code().text));
        }
        for (name, extent) in &extents {
            if name != extent {
                self.lines.line(format_args!("{name} = {extent};"));
            }
        }
        let names: Vec<&str> = extents.iter().map(|(name, _)| name.as_str()).collect();
        let (size, pointer) = (names.join("*"), &it.pointer);
        self.lines
            .open(format_args!("if (!{pointer} || {room} < {size})"));
        self.lines.line(format_args!(
            "{room} = {size} > 2*{room} ? {size} : 2*{room};"
        ));
        self.lines.line(format_args!(
            "{pointer} = cfgrev_allocate(&{memory}->arrays, {room}, sizeof({}));",
            self.file.c_type(ty)
        ));
        let leave = self.out_of_memory();
        self.lines.line(format_args!("if (!{pointer})"));
        self.lines.line(format_args!("    {leave}"));
        self.lines.close();
        Ok(())
    }
}
