//! The place of a part as a place in its record.

use super::plan::Plan;
use crate::records::layout::Layouts;
use cfg_core::{
    entity::VarId,
    ir::{Place, Range, Subscript},
};

/// A name in a place, the variable's or a field's, with its subscripts, or none if the whole array is meant.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Level {
    pub(super) field: Option<Box<str>>,
    pub(super) subscripts: Vec<Subscript>,
}

impl Level {
    /// True if it selects all elements, with subscripts or without.
    pub(super) fn is_whole(&self) -> bool {
        let all = |s: &Subscript| matches!(s, Subscript::Range(r) if **r == Range::default());
        self.subscripts.iter().all(all)
    }
}

impl Plan {
    /// The levels in its record of a place of a part; for another place, its own subscripts.
    pub(super) fn levels(&self, layouts: &Layouts<'_>, place: &Place) -> Vec<Level> {
        let mut rest = place.subscripts.iter().cloned();
        let Some(home) = self.homes[place.var.index()] else {
            return vec![Level {
                field: None,
                subscripts: rest.collect(),
            }];
        };
        let record = &self.records[home.record];
        let layout = layouts.layout(record.ty);
        let mut levels = vec![Level {
            field: None,
            subscripts: rest.by_ref().take(record.rank).collect(),
        }];
        for step in &layout.leaves[home.leaf].fields {
            levels.push(Level {
                field: Some(step.name.clone()),
                subscripts: rest.by_ref().take(step.rank).collect(),
            });
        }
        levels
    }

    /// The place in its record of a place of a part; another place with its new variable.
    pub(super) fn regroup_place(&self, layouts: &Layouts<'_>, place: &Place) -> Place {
        joined(self.ids[place.var.index()], &self.levels(layouts, place))
    }
}

/// The place with these levels. A level that selects all elements loses its subscripts if another level has some. If
/// no level has, they stay, since a place without subscripts has the lower bounds of its declaration.
pub(super) fn joined(var: VarId, levels: &[Level]) -> Place {
    let partial = levels.iter().any(|level| !level.is_whole());
    let mut subscripts = Vec::new();
    for level in levels {
        subscripts.extend(level.field.clone().map(Subscript::Field));
        if !(partial && level.is_whole()) {
            subscripts.extend(level.subscripts.iter().cloned());
        }
    }
    Place {
        var,
        subscripts: subscripts.into(),
    }
}
