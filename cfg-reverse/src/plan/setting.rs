//! The program and the plans that routines are drafted from.

use cfg_core::entity::RoutineId;

use crate::{
    plan::{carried::Region, draft::Draft, regions::Regions, shape::Shape},
    prepare::Prepared,
};

/// A prepared program, with the plans of its general graphs. Routines are drafted from it.
pub(crate) struct Setting<'v> {
    pub(crate) prepared: Prepared<'v>,
    generals: Vec<Option<Regions>>,
    /// The regions of each routine whose Jacobians are carried.
    pub(crate) carried: Vec<Vec<Region>>,
}

impl<'v> Setting<'v> {
    /// Plans the routines that get sweeps and whose graphs do not nest.
    pub(crate) fn plan(prepared: Prepared<'v>) -> Self {
        let context = &prepared.context;
        let routines = context.program.routines.iter().enumerate();
        let generals = routines.map(|(r, routine)| {
            context.sweeps[r]?;
            let nests = prepared.structures[r].is_some();
            let cfg = routine.body.as_ref().filter(|_| !nests)?;
            let (program, summary) = (&context.program, &context.summary);
            Some(Regions::plan(
                program,
                summary,
                routine,
                cfg,
                context.counters,
            ))
        });
        Self {
            generals: generals.collect(),
            carried: vec![Vec::new(); prepared.context.program.routines.len()],
            prepared,
        }
    }

    fn shape(&self, r: RoutineId) -> Option<Shape<'_>> {
        let structure = self.prepared.structures[r.index()].as_deref();
        let general = self.generals[r.index()].as_ref();
        structure
            .map(Shape::Structured)
            .or(general.map(Shape::General))
    }

    /// Declarations of a routine that is differentiated.
    pub(crate) fn draft(&self, r: RoutineId) -> Option<Draft<'_>> {
        self.prepared.context.sweeps[r.index()]?;
        let shape = self.shape(r)?;
        let normal = self.prepared.normals[r.index()].as_ref()?;
        let regions = &self.carried[r.index()];
        Draft::new(&self.prepared.context, r, normal, shape, regions)
    }
}
