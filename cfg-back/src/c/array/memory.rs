//! The memory of temporary arrays and of arrays that an assignment gives their shape.

use super::{Arrays, view::View};
use crate::c::{
    Emitted,
    amount::Amount,
    expression::at_least_zero,
    lines::Statement,
    operators::{Code, Infix, Prefix},
    variable::Bound,
    writer::Writer,
};
use cfg_core::{
    entity::VarId,
    ir::{Order, ScalarType},
};
use cfg_transform::scalarize::ArrayId;

impl Writer<'_> {
    /// A new array for values in between.
    pub(super) fn declare_temporary(
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
        let name = self.fresh_name(name);
        let size = self.size_of(&extents).to_code();
        let view = View::dense(name, extents, order, ty);
        self.allocate_work(&view.first(), &size);
        Ok(view)
    }

    /// A pointer to elements in the memory for work arrays.
    pub(in crate::c) fn allocate_work(&mut self, pointer: &Code, size: &Code) {
        let cell = pointer
            .clone()
            .prefix(Prefix::Dereference)
            .prefix(Prefix::Sizeof);
        let of = format!("{} *const", self.file.c_type(pointer.ty));
        let found = self.allocated("->work", size.clone(), cell);
        self.set(&pointer.clone().declared(&of), found);
        self.out_of_memory_if(pointer.clone().prefix(Prefix::Not));
    }

    /// The call that finds memory for so many cells.
    pub(in crate::c) fn allocated(&mut self, arena: &'static str, size: Code, cell: Code) -> Code {
        let arguments = [self.arena(arena), size, cell];
        Code::call("cfgrev_allocate", arguments, ScalarType::Tape)
    }

    /// The size of the cells of a type.
    pub(in crate::c) fn cell_size(&self, ty: ScalarType) -> Code {
        let of = Code::name(self.file.c_type(ty), ty);
        Code::call("sizeof", [of], ScalarType::Integer)
    }

    /// An allocatable array gets a shape, and memory where what it has does not do.
    pub(super) fn reallocate_array(
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

    /// [`Self::reallocate_array`] of a variable.
    pub(in crate::c) fn reallocate_variable(&mut self, v: VarId, like: &View) -> Emitted<()> {
        let it = self.array_kind(v)?;
        let (Some(room), ty) = (&it.room, self.variables.all[v.index()].ty) else {
            return Err(self.malformed("an array that has a shape gets another one"));
        };
        self.allocates = true;
        let mut extents = Vec::new();
        for (axis, (extent, _)) in it.axes.iter().zip(&like.axes) {
            let Bound::Kept(k) = axis.extent else {
                return Err(self.malformed("an array that has a shape gets another one"));
            };
            let kept = &mut self.variables.bounds[k];
            kept.used = true;
            let name = Code::from(kept.name.clone());
            // The other array may be this one with its dimensions in another order.
            let extent = if it.axes.len() > 1 && !like.dense {
                &self.kept_amount("extent", extent.clone())
            } else {
                extent
            };
            extents.push((name, at_least_zero(extent).to_code()));
        }
        for (name, extent) in &extents {
            if name != extent {
                self.set(name, extent.clone());
            }
        }
        let names = extents.into_iter().map(|(name, _)| name);
        let size = names
            .reduce(|x, y| x.with(Infix::Times, y))
            .unwrap_or(1.into());
        let (room, pointer) = (Code::from(room.clone()), Code::name(it.pointer.clone(), ty));
        let nothing = pointer.clone().prefix(Prefix::Not);
        let small = room.clone().is(Infix::Lt, size.clone());
        self.add(Statement::If(nothing.clone().is(Infix::Or, small)));
        let twice = Code::from(2).with(Infix::Times, room.clone());
        self.set(
            &room,
            size.clone()
                .is(Infix::Gt, twice.clone())
                .choose(size, twice),
        );
        let cell = self.cell_size(ty);
        let found = self.allocated("->arrays", room, cell);
        self.set(&pointer, found);
        self.out_of_memory_if(nothing);
        self.lines.close_block();
        Ok(())
    }
}
