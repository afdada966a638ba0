//! The adjoint of a function whose result has extents that depend on the point.

use crate::{
    mode::{Adjoint, Primal},
    options::Options,
    point::Point,
    sizes::ResultSizes,
};
use cfg_core::{diagnostic::Diagnostics, entity::RoutineId, flat::Flat};
use std::sync::Arc;

/// Makes the adjoint of a function for the extents that its result has at a point, anew where these are others than
/// at the point before.
#[derive(Debug)]
pub struct Resized {
    program: Arc<Flat>,
    routine: RoutineId,
    options: Options,
    sizes: ResultSizes,
    made: Option<Made>,
}

/// The adjoint for some extents.
#[derive(Debug)]
struct Made {
    extents: Vec<usize>,
    program: Flat,
    adjoint: Adjoint,
}

impl Resized {
    /// `None` if a single adjoint serves all points: the routine returns nothing, or extents are constants.
    ///
    /// # Errors
    /// The program has something that the executor cannot run.
    pub fn new(
        program: &Flat,
        routine: RoutineId,
        options: &Options,
    ) -> Result<Option<Self>, Diagnostics> {
        let sizes = ResultSizes::find(program, routine, options)?;
        Ok(sizes.map(|sizes| Self {
            program: Arc::new(program.clone()),
            routine,
            options: options.clone(),
            sizes,
            made: None,
        }))
    }

    /// A copy for another thread, with an account of memory of its own.
    ///
    /// # Errors
    /// The errors are those of [`Primal::for_thread`].
    pub fn for_thread(&self) -> Result<Self, Diagnostics> {
        Ok(Self {
            program: Arc::clone(&self.program),
            routine: self.routine,
            options: self.options.for_thread(),
            sizes: self.sizes.for_thread()?,
            made: None,
        })
    }

    /// The adjoint at a point, and the program with the extents that the result has there.
    ///
    /// # Errors
    /// The point has problems; the run that finds the extents fails; the routine cannot be reversed.
    pub fn at(
        &mut self,
        read_point: impl FnOnce(&Primal) -> Result<Point, Diagnostics>,
    ) -> Result<(&Flat, &mut Adjoint), Diagnostics> {
        let extents = {
            let point = read_point(self.sizes.primal())?;
            self.sizes.at(&point)?
        };
        let made = match self.made.take() {
            Some(made) if made.extents == extents => made,
            other => {
                // The adjoint that is made has the limit of memory for itself.
                drop(other);
                let program = self.sizes.give((*self.program).clone(), &extents)?;
                Made {
                    adjoint: Adjoint::new(&program, self.routine, &self.options)?,
                    extents,
                    program,
                }
            }
        };
        let made = self.made.insert(made);
        Ok((&made.program, &mut made.adjoint))
    }
}
