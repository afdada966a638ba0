//! The leaves of records, with the fields that lead to each.

use cfg_core::{
    entity::RecordId,
    ir::{Dim, Program, ScalarType},
};
use std::{cell::RefCell, collections::HashMap, ops::Range, rc::Rc};

/// A scalar or an array of scalars in a record.
pub(super) struct LeafPath {
    pub(super) ty: ScalarType,
    /// The fields on the way, the last one is the leaf.
    pub(super) fields: Vec<Step>,
    /// The dimensions of all fields on the way.
    pub(super) shape: Vec<Dim>,
}

/// A field on the way to a leaf.
#[derive(PartialEq)]
pub(super) struct Step {
    /// The record that has the field.
    pub(super) record: RecordId,
    pub(super) name: Box<str>,
    /// Number of dimensions of the field.
    pub(super) rank: usize,
}

/// The leaves of a record in order, and the range of leaves of each of its fields.
pub(super) struct Layout {
    pub(super) leaves: Vec<LeafPath>,
    pub(super) fields: HashMap<Box<str>, Range<usize>>,
}

/// The layouts of the records that were asked for.
pub(super) struct Layouts<'p> {
    program: &'p Program,
    known: RefCell<HashMap<RecordId, Rc<Layout>>>,
}

impl<'p> Layouts<'p> {
    pub(super) fn of_program(program: &'p Program) -> Self {
        Self {
            program,
            known: RefCell::default(),
        }
    }

    pub(super) fn layout(&self, record: RecordId) -> Rc<Layout> {
        let mut known = self.known.borrow_mut();
        let made = known.entry(record).or_insert_with(|| {
            let leaves = self.paths(record);
            let mut fields: HashMap<Box<str>, Range<usize>> = HashMap::new();
            for (k, leaf) in leaves.iter().enumerate() {
                if let Some(field) = leaf.fields.first() {
                    fields.entry(field.name.clone()).or_insert(k..k).end = k + 1;
                }
            }
            Rc::new(Layout { leaves, fields })
        });
        Rc::clone(made)
    }

    fn paths(&self, record: RecordId) -> Vec<LeafPath> {
        let leaves = self.program.leaves(ScalarType::Record(record)).into_iter();
        let paths = leaves.map(|leaf| {
            let mut fields = Vec::with_capacity(leaf.path.len());
            let mut around = Some(record);
            for &name in &leaf.path {
                let Some(record) = around else { break };
                let field = self.program.record(record).field(name);
                fields.push(Step {
                    record,
                    name: name.into(),
                    rank: field.map_or(0, |f| f.shape.len()),
                });
                around = field.and_then(|f| f.ty.record());
            }
            LeafPath {
                ty: leaf.ty,
                fields,
                shape: leaf.shape.into_iter().cloned().collect(),
            }
        });
        paths.collect()
    }
}
