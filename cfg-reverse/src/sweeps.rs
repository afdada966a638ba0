//! The statements of the forward and the reverse sweep of one routine. `control` asks for them vertex by vertex and
//! edge by edge; `plan` and `blocks` have decided what they are.

pub(crate) mod forward;
pub(crate) mod jumps;
pub(crate) mod loops;
pub(crate) mod reverse;
pub(crate) mod unused;
pub(crate) mod zeros;

use cfg_core::{
    entity::{EdgeId, VarId, VertexId},
    ir::{
        Cfg, Control, Expr, LoopTest, NameOrigin, NameRole, Place, Routine, ScalarType, Selector,
        Span, Stmt, StmtKind, TapeClass,
    },
};
use std::{collections::HashMap, sync::Arc};

use crate::{
    code::{
        names::Namer,
        routines::{add_local, tape_class},
    },
    plan::{at_exit::dying, counters::LoopPlan, draft::Draft, provisions::Provisions},
    prepare::context::Context,
};

/// The data that the forward and the reverse sweep of a routine share.
pub(crate) struct Sweeps<'a, 'p> {
    pub(crate) context: &'p Context,
    pub(crate) draft: &'a Draft<'p>,
    pub(crate) provisions: &'a Provisions<'a>,
    /// True if both sweeps become one routine, in which locals keep their values from one to the other.
    pub(crate) in_one: bool,
}

/// Variables of one loop in one sweep.
#[derive(Clone, Copy, Default)]
pub(crate) struct LoopVariables {
    counter: Option<VarId>,
    index: Option<VarId>,
    first: Option<VarId>,
    step: Option<VarId>,
    point: Option<VarId>,
    state: Option<VarId>,
}

/// A local for a loop, made on first use and named after the loop's vertex.
pub(crate) fn loop_local(
    slot: &mut Option<VarId>,
    id: i64,
    base: &str,
    origin: NameRole,
    namer: &mut Namer,
    routine: &mut Routine,
) -> VarId {
    *slot.get_or_insert_with(|| {
        let name = namer.fresh_name(format!("{base}_{}", id.unsigned_abs()));
        add_local(routine, name, ScalarType::Integer, origin)
    })
}

/// Sets the parameters and the graph of a sweep; `structured`: the graph nests.
pub(crate) fn finish(
    mut routine: Routine,
    (cfg, structured): (Cfg, bool),
    name: String,
    parameters: &[VarId],
    original: &Routine,
    what: NameRole,
) -> Routine {
    routine.origin = Some(Box::new(NameOrigin::new(what, &*original.name)));
    routine.name = name;
    routine.body = Some(cfg);
    routine.control = match structured {
        true => Control::Structured,
        false => Control::General,
    };
    routine.result = None;
    routine.parameters = parameters.to_vec();
    give_spans(&mut routine, original);
    routine
}

/// Gives each vertex the span of the original's vertex that it was made from.
fn give_spans(routine: &mut Routine, original: &Routine) {
    let vertices = original.body.iter().flat_map(Cfg::vertices);
    let spans = vertices.filter_map(|(_, v)| Some((v.id, v.at.clone()?)));
    let spans: HashMap<i64, Arc<Span>> = spans.collect();
    let Some(cfg) = routine.body.as_mut().filter(|_| !spans.is_empty()) else {
        return;
    };
    for vertex in cfg.vertices_mut().filter(|v| v.at.is_none()) {
        let origin = vertex.origin.map(|origin| origin.vertex);
        vertex.at = origin.and_then(|id| spans.get(&id)).cloned();
    }
}

impl<'p> Sweeps<'_, 'p> {
    fn original(&self) -> &'p Routine {
        self.context.program.routine(self.draft.id)
    }

    /// A push of the forward sweep.
    pub(crate) fn push(&self, class: TapeClass, value: Expr) -> Stmt {
        Stmt::new(StmtKind::Push {
            tape: self.draft.tape,
            class,
            value,
        })
    }

    /// A pop of the reverse sweep.
    pub(crate) fn pop(&self, class: TapeClass, target: Place) -> Stmt {
        Stmt::new(StmtKind::Pop {
            tape: self.draft.tape,
            class,
            target,
        })
    }

    fn tape_class(&self, v: VarId) -> TapeClass {
        tape_class(self.original().variable(v).ty)
    }

    /// The tape stack of the k-th global that only callees name and that is pushed.
    fn class_of_global(&self, k: usize) -> TapeClass {
        let g = self.provisions.callee_globals.saved[k];
        tape_class(self.context.program.global(g).variable.ty)
    }

    fn plan(&self, header: VertexId) -> LoopPlan {
        self.provisions.of_loop(header)
    }

    fn test(&self, header: VertexId) -> Option<&'p LoopTest> {
        self.draft.cfg.vertex(header).kind.test()
    }

    /// The index of a counted loop, if its value is to be saved on this edge into the loop.
    fn index_saved_on(&self, header: VertexId, entry: EdgeId) -> Option<VarId> {
        if !self.provisions.is_index_needed(entry) {
            return None;
        }
        match self.test(header)? {
            LoopTest::Counted { index, .. } => Some(*index),
            LoopTest::Pre(_) | LoopTest::Post(_) => None,
        }
    }

    /// The variables that die at the end although the reverse sweep needs them.
    fn dying(&self) -> Vec<(VarId, Vec<Place>, usize)> {
        if self.in_one {
            return Vec::new();
        }
        dying(self.context, self.draft, self.provisions)
    }

    /// Control bits that tell the arms of a branch apart.
    fn marker_class(&self, branch: VertexId) -> TapeClass {
        TapeClass::Control(self.provisions.marker(branch))
    }

    fn selector(&self, branch: VertexId) -> Option<&'p Selector> {
        self.draft.cfg.vertex(branch).kind.selector()
    }
}
