//! The report of a run: its result, events and visited vertices, and the place of a failure.

use cfg_core::{
    diagnostic::{
        Diagnostic,
        site::{Element, Site},
    },
    elemental::Event,
    entity::{RoutineId, VertexId},
    ir::{NameRole, Op, Order, Role, Variable, original_roles},
};

use crate::{
    cell,
    compile::{Inner, element_name},
    descriptor,
    fault::{Fault, Named, Pointed},
    machine::Machine,
    memory::Lease,
    tape::TapeCounts,
    value::Value,
};

/// A vertex that a run visited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Visited {
    /// The routine that the vertex is in.
    pub routine: RoutineId,
    /// Number of the activation of the routine: 0 for the one that the host called, the others in the order of the
    /// calls.
    pub activation: u64,
    /// The vertex that was visited.
    pub vertex: VertexId,
    /// The id of the vertex.
    pub id: i64,
    /// Id of the vertex from which a transformation made it; its own if none did.
    pub origin: i64,
}

/// A kink, a singular point or the edge of a domain that a run met; reported once per place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Met {
    /// The operator at which it happened.
    pub op: Op,
    /// The event that happened.
    pub event: Event,
    /// The place of the event in the program.
    pub site: Site,
    /// The number of times that it happened there.
    pub times: u64,
}

/// The account of a run: its result, steps, use of tapes, visits and kinks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunReport {
    /// The result of a function.
    pub result: Option<Value>,
    /// Steps taken, in the measure of [`RunOptions::fuel`](crate::RunOptions::fuel).
    pub steps: u64,
    /// The use of the tapes.
    pub tape: TapeCounts,
    /// The vertices visited, if the program was compiled for it.
    pub trace: Vec<Visited>,
    /// Kinks and singular points, if the program was compiled for it.
    pub events: Vec<Met>,
    /// A digest of the pieces on which operators with kinks or jumps (`abs`, `min`, `floor`, comparisons, ...) were
    /// evaluated, if the program was compiled for events. Between two runs with equal digests and equal traces the
    /// results vary smoothly. Reductions (`maxval`, ...) are not part of it.
    pub pieces: u64,
    /// The lease that pays for the trace, and for what the host adds.
    pub held: Lease,
}

/// The result of a function.
pub(super) fn result(machine: &Machine, variable: &Variable) -> Result<Value, Fault> {
    if variable.rank() == 0 {
        let cell = machine.registers.first().copied();
        let cell = cell.unwrap_or(cell::poison(variable.ty));
        let cell = vec![cell];
        return Ok(Value::from_cells(variable.ty, Vec::new(), Order::Row, cell));
    }
    let axes = descriptor::axes(&machine.returned, variable.rank());
    let n = descriptor::element_count(&axes).unwrap_or(u64::MAX);
    // The lease ends here: the host pays for values that it keeps.
    let _room = machine.scratch(n)?;
    let mut cells = Vec::with_capacity(n as usize);
    descriptor::for_each_cell(machine.returned[0].base, &axes, variable.order, |at| {
        cells.push(machine.memory[at as usize]);
        Ok(())
    })?;
    let shape = axes.iter().map(|a| a.extent as usize).collect();
    Ok(Value::from_cells(variable.ty, shape, variable.order, cells))
}

/// The place in the program that an instruction was made from.
struct Place {
    site: Site,
    /// The vertex's number in files.
    id: Option<i64>,
    statement: Option<u32>,
}

/// The place of an instruction; `pc` is the position after it.
fn at_instruction(inner: &Inner, routine: usize, pc: usize) -> Place {
    let places = &inner.image.routines[routine].places;
    let at = places.partition_point(|&(from, ..)| (from as usize) < pc);
    let found = at.checked_sub(1).and_then(|k| places.get(k));
    let (vertex, statement) = found.map_or((None, None), |&(_, v, s)| (v, s));
    let ids = &inner.signatures[routine].vertex_ids;
    let element = match (vertex, statement) {
        (Some(v), Some(s)) => Element::Statement(v, s as usize),
        (Some(v), None) => Element::Vertex(v),
        (None, _) => Element::Routine,
    };
    Place {
        site: Site::whole(RoutineId::new(routine), element),
        id: vertex.map(|v| ids[v.index()].0),
        statement,
    }
}

/// The role of a variable; a derivative of a global has the role of its original.
fn role_of(inner: &Inner, declared: &Variable) -> Option<NameRole> {
    match declared.role {
        Role::Global(g) => original_roles(&inner.global_variables)[g.index()].cloned(),
        Role::Parameter { .. } | Role::Local => {
            declared.origin.as_ref().map(|origin| origin.role.clone())
        }
    }
}

/// The diagnostic of a fault, with its place.
pub(super) fn locate(
    inner: &Inner,
    machine: &Machine,
    fault: &Fault,
) -> (Diagnostic, Option<Pointed>) {
    let now = machine.now;
    let signature = &inner.signatures[now.routine];
    let names = &inner.image.routines[now.routine].array_names;
    let name = |arr: u16| {
        let (_, v) = names[..names.partition_point(|&(a, _)| a <= arr)].last()?;
        let declared = &signature.variables[v.index()];
        let end = usize::from(names.iter().find(|n| n.1 == *v)?.0)
            + descriptor::position_count(declared.rank());
        (usize::from(arr) < end).then(|| Named {
            name: declared.name.clone(),
            role: role_of(inner, declared),
            global: match declared.role {
                Role::Global(g) => Some(g),
                Role::Parameter { .. } | Role::Local => None,
            },
        })
    };
    let at = at_instruction(inner, now.routine, now.pc);
    let problem = fault
        .diagnostic(&name)
        .at_element(element_name(&signature.name, at.id, at.statement))
        .at_site(at.site);
    (problem, fault.pointed(&name))
}

/// The visited vertices, and the lease for the list.
pub(super) fn trace(inner: &Inner, machine: &Machine) -> Result<(Vec<Visited>, Lease), Fault> {
    if !inner.trace {
        return Ok((Vec::new(), machine.scratch(0)?));
    }
    let words = size_of::<Visited>().div_ceil(8) as u64;
    let held = machine.scratch(words.saturating_mul(machine.trace.len() as u64))?;
    let visits = machine
        .trace
        .iter()
        .map(|visit| {
            let (id, origin) =
                inner.signatures[visit.routine.index()].vertex_ids[visit.vertex as usize];
            Visited {
                routine: visit.routine,
                activation: visit.activation,
                vertex: VertexId::new(visit.vertex as usize),
                id,
                origin,
            }
        })
        .collect();
    Ok((visits, held))
}

/// Kinks and singular points.
pub(super) fn events(inner: &Inner, machine: &Machine) -> Vec<Met> {
    machine
        .met
        .iter()
        .map(|met| {
            let at = at_instruction(inner, met.routine, met.pc);
            Met {
                op: met.op,
                event: met.event,
                site: at.site,
                times: met.times,
            }
        })
        .collect()
}
