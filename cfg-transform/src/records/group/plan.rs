//! The plan for a routine: the variables that become fields of each record, and the names of the others.

use super::globals::{Globals, suffix};
use crate::{
    codes,
    names::fresh_name,
    records::{
        layout::{Layouts, LeafPath},
        split::is_derivative,
    },
};
use cfg_core::{
    diagnostic::{
        Diagnostic, Diagnostics,
        site::{Element, Site},
    },
    entity::{GlobalId, RecordId, RoutineId, VarId},
    flat::{Parts, RecordParts},
    ir::{
        Extent, Intent, NameOrigin, NameRole, ParameterRole, Program, Role, Routine, Signature,
        Variable,
    },
    text::{self, Name},
};
use std::collections::{HashMap, HashSet};

/// Facts about all routines.
pub(super) struct Planner<'p> {
    pub(super) split: &'p Program,
    pub(super) parts: &'p Parts,
    pub(super) derived: &'p Program,
    pub(super) globals: &'p Globals,
    pub(super) layouts: &'p Layouts<'p>,
}

/// The record variable of a part, and the leaf for which the part stands.
#[derive(Clone, Copy)]
pub(super) struct Home {
    /// Position in [`Plan::records`].
    pub(super) record: usize,
    pub(super) leaf: usize,
}

/// A variable of record type.
pub(super) struct Record {
    pub(super) id: VarId,
    pub(super) ty: RecordId,
    /// Number of dimensions of the variable itself.
    pub(super) rank: usize,
}

/// The variables of a routine with its records.
#[derive(Default)]
pub(super) struct Plan {
    /// The record that each old variable is a part of.
    pub(super) homes: Vec<Option<Home>>,
    pub(super) records: Vec<Record>,
    /// The new variables; expressions in their shapes name old ones until the routine is rewritten.
    pub(super) variables: Vec<Variable>,
    /// The new number of each old variable; for a part, the number of its record.
    pub(super) ids: Vec<VarId>,
    /// The parameters in old order.
    pub(super) parameters: Vec<VarId>,
}

/// The identity of a record: one of the original, or the derivative of one.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Key {
    /// The record of the original routine at this position of its list, or its derivative.
    Own(usize, Option<NameRole>),
    Global(GlobalId),
}

/// The parts of one record, before it is a variable.
struct Draft {
    key: Key,
    /// The leaf and the variable of each part.
    parts: Vec<(usize, VarId)>,
}

impl Planner<'_> {
    /// The variables of one routine that was made from another one.
    pub(super) fn plan(&self, r: RoutineId, of: Option<RoutineId>) -> Result<Plan, Diagnostics> {
        let routine = self.derived.routine(r);
        let known = of.and_then(|o| self.parts.routines.get(o.index()));
        let known = known.map_or(&[][..], |parts| &parts.records);
        let keys = self.keys(r, of, known);
        let mut drafts: Vec<Draft> = Vec::new();
        let mut position: HashMap<&Key, usize> = HashMap::new();
        for (v, key) in keys.iter().enumerate() {
            let Some((key, leaf)) = key else { continue };
            let d = *position.entry(key).or_insert_with(|| {
                drafts.push(Draft {
                    key: key.clone(),
                    parts: Vec::new(),
                });
                drafts.len() - 1
            });
            drafts[d].parts.push((*leaf, VarId::new(v)));
        }
        let mut found = Vec::with_capacity(drafts.len());
        let mut whole = HashSet::new();
        for draft in drafts {
            let variable = self.declaration(routine, &draft, known);
            if let (Key::Own(i, None), Some(_)) = (&draft.key, &variable) {
                whole.insert(*i);
            }
            found.push((draft, variable));
        }
        let mut kept = Vec::with_capacity(found.len());
        for (draft, variable) in found {
            // If a record stays split, its derivative does, too.
            let derivative = matches!(&draft.key, Key::Own(i, Some(_)) if !whole.contains(i));
            match variable.filter(|_| !derivative) {
                Some(variable) => kept.push((draft, variable)),
                None => self.stays_split(r, &draft)?,
            }
        }
        Ok(self.numbered(routine, kept))
    }

    /// The record that each variable is a part of, and the leaf.
    fn keys(
        &self,
        r: RoutineId,
        of: Option<RoutineId>,
        known: &[RecordParts],
    ) -> Vec<Option<(Key, usize)>> {
        let routine = self.derived.routine(r);
        let before = of.map(|o| self.split.routine(o));
        let count = before.map_or(0, |b| b.variables.len());
        let mut home = vec![None; count];
        for (i, record) in known.iter().enumerate() {
            for (leaf, part) in record.parts.iter().enumerate() {
                home[part.index()] = Some((i, leaf));
            }
        }
        let mut source = vec![None; routine.variables.len()];
        let signature = Signature::made_from(self.derived, of, r);
        for (p, role) in routine.parameter_ids().zip(&signature.parameters) {
            if let ParameterRole::Primal(v) = *role {
                source[p.index()] = Some(v);
            }
        }
        // Derived routines keep the numbers of the original's variables.
        let both = before
            .into_iter()
            .flat_map(|b| b.variables.iter().zip(&routine.variables));
        for (k, (theirs, ours)) in both.enumerate() {
            let primal = ours
                .origin
                .as_deref()
                .filter(|o| o.role == NameRole::Primal);
            let same = ours.name == theirs.name || primal.is_some_and(|o| o.of == theirs.name);
            if ours.role == Role::Local && theirs.role == Role::Local && same {
                source[k] = Some(VarId::new(k));
            }
        }
        let primal = |v: usize| match routine.variables[v].role {
            Role::Global(g) => {
                let leaf = *self.globals.leaves.get(g.index())?;
                Some((Key::Global(self.globals.ids[g.index()]), leaf?))
            }
            Role::Parameter { .. } | Role::Local => {
                let (i, leaf) = (*home.get(source[v]?.index())?)?;
                Some((Key::Own(i, None), leaf))
            }
        };
        let mut keys: Vec<_> = (0..routine.variables.len()).map(primal).collect();
        let by_name: HashMap<&str, (usize, usize)> = (routine.variables.iter().zip(&keys))
            .filter_map(|(variable, key)| match key {
                Some((Key::Own(i, None), leaf)) => Some((&*variable.name, (*i, *leaf))),
                _ => None,
            })
            .collect();
        for (v, variable) in routine.variables.iter().enumerate() {
            let origin = variable.origin.as_deref();
            let origin = origin.filter(|o| is_derivative(&o.role) && source[v].is_none());
            if let Some(origin) = origin
                && keys[v].is_none()
                && let Some(&(i, leaf)) = by_name.get(&*origin.of)
            {
                keys[v] = Some((Key::Own(i, Some(origin.role.clone())), leaf));
            }
        }
        keys
    }

    /// The record for some parts, with its wanted name; `None` if the parts differ in ways that one variable cannot.
    fn declaration(
        &self,
        routine: &Routine,
        draft: &Draft,
        known: &[RecordParts],
    ) -> Option<Variable> {
        let template = match &draft.key {
            Key::Own(i, _) => &known.get(*i)?.variable,
            Key::Global(g) => &self.globals.grouped.get(g.index())?.variable,
        };
        let layout = self.layouts.layout(template.ty.record()?);
        let (_, first) = *draft.parts.first()?;
        let first = routine.variable(first);
        let rank = template.rank();
        let shape = first.shape.get(..rank)?;
        let deferred = shape.iter().any(|d| matches!(d.extent, Extent::Deferred));
        // The parts are allocated one by one, and may differ in shape.
        if deferred && first.role == Role::Local {
            return None;
        }
        let mut seen = HashSet::new();
        let mut role = first.role;
        for &(leaf, part) in &draft.parts {
            let part = routine.variable(part);
            let LeafPath { ty, shape: own, .. } = layout.leaves.get(leaf)?;
            let fits = part.ty == *ty
                && part.shape.get(..rank)? == shape
                && part.shape.get(rank..)? == &own[..]
                && seen.insert(leaf);
            role = if fits {
                joined(role, part.role)?
            } else {
                return None;
            };
        }
        if let Key::Global(g) = draft.key {
            role = Role::Global(g);
        }
        let mut variable = Variable {
            shape: shape.to_vec(),
            role,
            ..template.clone()
        };
        if let Key::Own(_, Some(derivative)) = &draft.key {
            variable.name = format!("{}_{}", template.name, suffix(derivative));
            variable.at = None;
            variable.annotations = None;
        }
        Some(variable)
    }

    /// Lets a record stay split if it is local; an error for others.
    fn stays_split(&self, r: RoutineId, draft: &Draft) -> Result<(), Diagnostics> {
        let routine = self.derived.routine(r);
        let bound = |&&(_, v): &&(usize, VarId)| routine.variable(v).role != Role::Local;
        let Some(&(_, v)) = draft.parts.iter().find(bound) else {
            return Ok(());
        };
        let name = Name(&routine.variable(v).name);
        let message = format!("{name} does not become a field again");
        let site = Site::whole(r, Element::Variable(v));
        Err(not_grouped(self.derived, message, site).into())
    }

    /// The variables with their numbers and names.
    fn numbered(&self, routine: &Routine, drafts: Vec<(Draft, Variable)>) -> Plan {
        let count = routine.variables.len();
        let mut homes = vec![None; count];
        for (record, (draft, _)) in drafts.iter().enumerate() {
            for &(leaf, v) in &draft.parts {
                homes[v.index()] = Some(Home { record, leaf });
            }
        }
        let names = self.names(routine, &homes, &drafts);
        let mut plan = Plan {
            ids: vec![VarId::new(0); count],
            parameters: routine.parameters.clone(),
            ..Plan::default()
        };
        let position: HashMap<&Key, usize> = (drafts.iter().enumerate())
            .map(|(k, (d, _))| (&d.key, k))
            .collect();
        let by_name: HashMap<&str, usize> = (routine.variables.iter().enumerate())
            .map(|(v, d)| (&*d.name, v))
            .collect();
        let new_name = |old: &str| {
            let v = *by_name.get(old)?;
            match homes[v] {
                Some(home) => names.records.get(home.record),
                None => names.others.get(v),
            }
        };
        let mut made: Vec<Option<VarId>> = vec![None; drafts.len()];
        for (v, variable) in routine.variables.iter().enumerate() {
            let next = VarId::new(plan.variables.len());
            let Some(home) = homes[v] else {
                let mut variable = variable.clone();
                variable.name.clone_from(&names.others[v]);
                if let Some(origin) = &mut variable.origin
                    && is_derivative(&origin.role)
                    && let Some(name) = new_name(&origin.of)
                {
                    origin.of.clone_from(name);
                }
                if let Role::Global(g) = variable.role {
                    variable.role = Role::Global(self.globals.ids[g.index()]);
                }
                plan.ids[v] = next;
                plan.variables.push(variable);
                continue;
            };
            // A record takes the place of its first part.
            plan.ids[v] = *made[home.record].get_or_insert_with(|| {
                let (draft, variable) = &drafts[home.record];
                let mut variable = variable.clone();
                let name = &names.records[home.record];
                match &draft.key {
                    Key::Own(i, Some(role)) => {
                        let of = position.get(&Key::Own(*i, None));
                        let of = of.map_or("", |&k| &*names.records[k]);
                        variable.origin = Some(Box::new(NameOrigin::new(role.clone(), of)));
                    }
                    Key::Own(_, None) if *name != variable.name && variable.origin.is_none() => {
                        let origin = NameOrigin::new(NameRole::Primal, &*variable.name);
                        variable.origin = Some(Box::new(origin));
                    }
                    Key::Own(_, None) | Key::Global(_) => {}
                }
                variable.name.clone_from(name);
                plan.variables.push(variable);
                next
            });
        }
        for ((_, variable), id) in drafts.iter().zip(made) {
            if let (Some(id), Some(ty)) = (id, variable.ty.record()) {
                plan.records.push(Record {
                    id,
                    ty,
                    rank: variable.rank(),
                });
            }
        }
        plan.homes = homes;
        plan
    }

    /// A name for each variable. Globals keep their names, then original variables get theirs, then generated ones.
    fn names(
        &self,
        routine: &Routine,
        homes: &[Option<Home>],
        drafts: &[(Draft, Variable)],
    ) -> Names {
        let mut taken = HashSet::new();
        let mut names = Names {
            records: vec![String::new(); drafts.len()],
            others: vec![String::new(); routine.variables.len()],
        };
        let others = || {
            let all = routine.variables.iter().enumerate();
            all.filter(|(v, _)| homes[*v].is_none())
        };
        for (k, (draft, variable)) in drafts.iter().enumerate() {
            if matches!(draft.key, Key::Global(_)) {
                taken.insert(variable.name.clone());
                names.records[k].clone_from(&variable.name);
            }
        }
        for (v, variable) in others().filter(|(_, v)| matches!(v.role, Role::Global(_))) {
            taken.insert(variable.name.clone());
            names.others[v].clone_from(&variable.name);
        }
        let mut of_records = |wanted: &dyn Fn(&Key) -> bool, taken: &mut HashSet<String>| {
            for (k, (draft, variable)) in drafts.iter().enumerate() {
                if wanted(&draft.key) {
                    names.records[k] = fresh_name(variable.name.clone(), taken);
                }
            }
        };
        of_records(&|key| matches!(key, Key::Own(_, None)), &mut taken);
        // Derivatives of records give way to variables that keep their names.
        let mut all = taken.clone();
        all.extend(others().map(|(_, v)| v.name.clone()));
        of_records(&|key| matches!(key, Key::Own(_, Some(_))), &mut all);
        taken.extend(names.records.iter().cloned());
        let globals = self.globals.grouped.iter().map(|g| &g.variable);
        let globals = globals.filter(|v| v.ty.record().is_some());
        let records: HashSet<String> = (names.records.iter().cloned())
            .chain(globals.map(|v| v.name.clone()))
            .collect();
        for (v, variable) in others().filter(|(_, v)| !matches!(v.role, Role::Global(_))) {
            let dotted = variable.name.split_once('.');
            let wanted = match dotted.is_some_and(|(before, _)| records.contains(before)) {
                true => variable.name.replace('.', "_"),
                false => variable.name.clone(),
            };
            names.others[v] = fresh_name(wanted, &mut taken);
        }
        names
    }
}

/// The new names of records, and those of variables that are no parts.
struct Names {
    records: Vec<String>,
    others: Vec<String>,
}

/// The role of a record whose parts have these roles.
fn joined(a: Role, b: Role) -> Option<Role> {
    match (a, b) {
        (
            Role::Parameter { intent, optional },
            Role::Parameter {
                intent: other,
                optional: too,
            },
        ) if optional == too => Some(Role::Parameter {
            intent: if intent == other {
                intent
            } else {
                Intent::InOut
            },
            optional,
        }),
        (Role::Local, Role::Local) => Some(Role::Local),
        (Role::Global(_), Role::Global(_)) => Some(a),
        (Role::Parameter { .. } | Role::Local | Role::Global(_), _) => None,
    }
}

/// The error for a place that cannot be put together.
pub(super) fn not_grouped(program: &Program, message: String, site: Site) -> Diagnostic {
    let help = "make the derivatives of the split program: `cfgrev convert --records split`";
    let element = text::site_text(program, &site);
    Diagnostic::error(&codes::NOT_GROUPED, message, help)
        .at_site_in(program, site)
        .at_element(element)
}
