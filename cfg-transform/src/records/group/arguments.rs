//! Arguments for fields as arguments for records.

use super::{
    levels::{Level, joined},
    plan::Plan,
};
use crate::records::layout::{Layouts, Step};
use cfg_core::{
    entity::RecordId,
    ir::{Expr, Place, Routine, ScalarType},
};
use std::collections::HashMap;

/// The parameters of a routine with records, and the old parameters behind each.
pub(super) struct Formals {
    all: Vec<Formal>,
    /// The parameters that are the result of a function with records.
    returned: Option<Formal>,
}

enum Formal {
    /// The old parameter at a position.
    Same(usize),
    /// A record: leaves, and the positions of the old parameters for them.
    Record(RecordId, Vec<(usize, usize)>),
}

impl Formals {
    /// The parameters of a routine of the original, with an old parameter for each leaf.
    pub(super) fn of_original(routine: &Routine, layouts: &Layouts<'_>) -> Self {
        let mut next = 0;
        let mut formal = |ty: ScalarType| {
            let first = next;
            match ty.record() {
                None => {
                    next += 1;
                    Formal::Same(first)
                }
                Some(r) => {
                    let count = layouts.layout(r).leaves.len();
                    next += count;
                    Formal::Record(r, (0..count).map(|k| (k, first + k)).collect())
                }
            }
        };
        let all = routine
            .parameter_ids()
            .map(|p| formal(routine.variable(p).ty));
        let all = all.collect();
        let result = routine.result.map(|v| routine.variable(v).ty);
        let returned = result.filter(|ty| ty.record().is_some()).map(formal);
        Self { all, returned }
    }

    /// The parameters of a routine that is put together.
    pub(super) fn of_plan(plan: &Plan) -> Self {
        let mut all = Vec::new();
        let mut position: HashMap<usize, usize> = HashMap::new();
        for (k, p) in plan.parameters.iter().enumerate() {
            let Some(home) = plan.homes[p.index()] else {
                all.push(Formal::Same(k));
                continue;
            };
            let at = *position.entry(home.record).or_insert_with(|| {
                all.push(Formal::Record(plan.records[home.record].ty, Vec::new()));
                all.len() - 1
            });
            if let Formal::Record(_, leaves) = &mut all[at] {
                leaves.push((home.leaf, k));
            }
        }
        Self {
            all,
            returned: None,
        }
    }

    /// The arguments of a call, and the place of its result if that is a record. New arguments have the subscripts of
    /// the old ones.
    pub(super) fn bind(
        &self,
        plan: &Plan,
        layouts: &Layouts<'_>,
        old: &[Option<Expr>],
    ) -> Result<(Vec<Option<Expr>>, Option<Place>), String> {
        let mut all = Vec::with_capacity(self.all.len());
        for formal in &self.all {
            all.push(formal.bind(plan, layouts, old)?);
        }
        let returned = match &self.returned {
            Some(formal) => formal.bind(plan, layouts, old)?,
            None => None,
        };
        let returned = match returned {
            Some(Expr::Place(place)) => Some(place),
            _ => None,
        };
        Ok((all, returned))
    }
}

impl Formal {
    fn bind(
        &self,
        plan: &Plan,
        layouts: &Layouts<'_>,
        old: &[Option<Expr>],
    ) -> Result<Option<Expr>, String> {
        let (record, leaves) = match self {
            Self::Same(k) => {
                let e = old.get(*k).cloned().flatten();
                return Ok(e.map(|e| {
                    let Expr::Place(place) = &e else { return e };
                    plan.regroup_place(layouts, place).into()
                }));
            }
            Self::Record(record, leaves) => (*record, leaves),
        };
        let argument = |k: usize| old.get(k).and_then(Option::as_ref);
        if leaves.iter().all(|&(_, k)| argument(k).is_none()) {
            return Ok(None);
        }
        let layout = layouts.layout(record);
        let mut found: Option<Place> = None;
        for &(leaf, k) in leaves {
            let path = &layout.leaves[leaf].fields;
            let place = match argument(k) {
                Some(Expr::Place(place)) => around(plan, layouts, place, path),
                _ => None,
            };
            let Some(place) = place else {
                return Err("the fields of an argument do not come from one record".to_owned());
            };
            if *found.get_or_insert_with(|| place.clone()) != place {
                return Err("the fields of an argument come from several records".to_owned());
            }
        }
        Ok(found.map(Expr::Place))
    }
}

/// The record around a leaf, if the place ends with the fields of `path`, without subscripts.
fn around(plan: &Plan, layouts: &Layouts<'_>, place: &Place, path: &[Step]) -> Option<Place> {
    let home = plan.homes[place.var.index()]?;
    let record = &plan.records[home.record];
    let layout = layouts.layout(record.ty);
    let fields = &layout.leaves[home.leaf].fields;
    let before = fields.len().checked_sub(path.len())?;
    if fields[before..] != *path {
        return None;
    }
    let mut levels = plan.levels(layouts, place);
    if !levels[before + 1..].iter().all(Level::is_whole) {
        return None;
    }
    levels.truncate(before + 1);
    // A whole dimension may be written in two ways, since the parameter has lower bounds of its own.
    for level in &mut levels {
        if level.is_whole() {
            level.subscripts.clear();
        }
    }
    Some(joined(record.id, &levels))
}
