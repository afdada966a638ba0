//! The rule that only its loop writes the index of a counted loop.

use super::checker::{At, Checker};
use crate::diagnostic::site::{Element, Part};
use crate::{
    codes,
    entity::{GlobalId, RoutineId, VarId, VertexId},
    ir::{Program, Role, StmtKind, Vertex, VertexKind, visit::each_written},
    memory::{effects::Effects, global_set::GlobalSet},
    structure::Structure,
};
use std::collections::HashMap;

/// The globals that calls write, and those that share storage. Only computed if some counted loop has a global as its
/// index, which hardly any program does.
#[derive(Default)]
pub(super) struct GlobalWrites(Option<Effects>);

impl GlobalWrites {
    pub(super) fn summarise(program: &Program) -> Self {
        let needed = program.routines.iter().any(|r| {
            r.body.iter().flat_map(|cfg| cfg.vertices()).any(|(_, v)| {
                let index = v.kind.index().and_then(|i| r.variables.get(i.index()));
                matches!(index.map(|v| v.role), Some(Role::Global(_)))
            })
        });
        Self(needed.then(|| Effects::summarise(program)))
    }

    /// All globals in the storage of the given one.
    fn around(&self, g: GlobalId) -> GlobalSet {
        let around = self.0.as_ref().and_then(|e| e.storage.overlaid_with(g));
        around.cloned().unwrap_or_else(|| [g].into_iter().collect())
    }

    fn of_routine(&self, r: RoutineId) -> Option<&GlobalSet> {
        let effects = self.0.as_ref()?;
        effects.has(r).then(|| effects.written(r))
    }
}

/// Calls `write` with each variable that a vertex writes by itself, and the number of the statement.
fn each_write(program: &Program, vertex: &Vertex, write: &mut impl FnMut(VarId, Option<usize>)) {
    if let Some(index) = vertex.kind.index() {
        write(index, None);
    }
    for (s, statement) in vertex.statements().iter().enumerate() {
        each_written(program, statement, &mut |v| write(v, Some(s)));
    }
}

pub(super) fn check(c: &mut Checker<'_>, structure: &Structure, writes: &GlobalWrites) {
    let Some(cfg) = &c.routine.body else { return };
    // The open counted loop of which each variable is the index. The first global of a storage stands for all of them.
    let mut owner: Vec<Option<VertexId>> = vec![None; c.routine.variables.len()];
    let mut first: HashMap<GlobalId, usize> = HashMap::new();
    for (v, variable) in c.routine.variables.iter().enumerate() {
        if let Role::Global(g) = variable.role {
            first.entry(c.program.storage(g).0).or_insert(v);
        }
    }
    let cell = |c: &Checker<'_>, v: VarId| match c.variable(v).role {
        Role::Global(g) => (first.get(&c.program.storage(g).0).copied()).unwrap_or(v.index()),
        Role::Parameter { .. } | Role::Local => v.index(),
    };
    // Open loops whose index is a global, outermost first: all globals in its storage, the index, the header.
    let mut open: Vec<(GlobalSet, VarId, VertexId)> = Vec::new();
    let mut indices = GlobalSet::default();
    let mut found: Vec<(VertexId, Option<usize>, VarId, VertexId)> = Vec::new();
    for &v in &structure.order {
        let vertex = cfg.vertex(v);
        each_write(c.program, vertex, &mut |x, s| {
            if let Some(header) = owner.get(cell(c, x)).copied().flatten() {
                found.push((v, s, x, header));
            }
        });
        if !open.is_empty() {
            for (s, statement) in vertex.statements().iter().enumerate() {
                if let StmtKind::Call { callee, .. } = &statement.kind
                    && let Some(written) = writes.of_routine(*callee)
                    && indices.intersects(written)
                {
                    for (around, index, header) in &open {
                        if around.intersects(written) {
                            found.push((v, Some(s), *index, *header));
                        }
                    }
                }
            }
        }
        if let Some(index) = vertex.kind.index()
            && let Some(slot) = owner.get_mut(cell(c, index))
        {
            slot.get_or_insert(v);
            if let Role::Global(g) = c.variable(index).role {
                let around = writes.around(g);
                indices.extend(&around);
                open.push((around, index, v));
            }
        }
        if matches!(vertex.kind, VertexKind::EndLoop) {
            if let Some(header) = structure.partner(v)
                && let Some(index) = cfg.vertex(header).kind.index()
                && let Some(slot) = owner.get_mut(cell(c, index))
                && *slot == Some(header)
            {
                *slot = None;
                if let Role::Global(g) = c.variable(index).role {
                    indices = indices.minus(&writes.around(g));
                }
            }
            open.pop_if(|o| Some(o.2) == structure.partner(v));
        }
    }
    for (v, s, x, header) in found {
        let at = match s {
            Some(s) => At::new(Element::Statement(v, s), Part::Target),
            None => At::new(Element::Vertex(v), Part::Index),
        };
        let name = c.name(x);
        c.error(
            at,
            &codes::LOOP_INDEX,
            format!(
                "{name} is written in the body of the counted loop at vertex {}, whose index it is",
                cfg.vertex(header).id
            ),
            "use another variable; or write the loop with \"test\": \"pre\", in text `while`, and increment the index in its body",
        );
    }
}
