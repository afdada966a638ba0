//! The values that the statements of originals assign, in a plain run and in forward sweeps.

use super::super::value::{Data, Derivative, Value};
use super::{Report, same_bits, shown, sweep::Sweeps};
use cfg_core::entity::RoutineId;
use std::collections::BTreeMap;

/// The values assigned, by original and number of the statement, in the order of a run.
#[derive(Debug)]
pub(super) struct Assigned<D>(BTreeMap<(RoutineId, usize), Vec<Value<D>>>);

impl<D> Default for Assigned<D> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<D: Derivative> Assigned<D> {
    pub(super) fn note(&mut self, key: (RoutineId, usize), value: &Data<D>) {
        let all = self.0.entry(key).or_default();
        match value {
            Data::Scalar(value) => all.push(value.clone()),
            Data::Array { elements, .. } => all.extend_from_slice(elements),
        }
    }

    /// Compares the values of forward sweeps with those of the plain run.
    pub(super) fn compare(&self, plain: &Self, sweeps: &Sweeps, report: &mut Report) {
        for (key, wanted) in &plain.0 {
            let found = self.0.get(key).filter(|found| found.len() == wanted.len());
            let Some(found) = found else {
                report.not_assigned += wanted.len() as u64;
                continue;
            };
            report.assigned += wanted.len() as u64;
            let differs = |(a, b): &(&Value<D>, &Value<D>)| !same_bits(a, b);
            if let Some((a, b)) = found.iter().zip(wanted).find(differs) {
                let name = sweeps.original(key.0).map(|k| sweeps.get(k).name.as_str());
                report.differ(format!(
                    "beside {}: statement {} of the original assigns {} in the forward sweep, {} in a plain run",
                    name.unwrap_or_default(),
                    key.1,
                    shown(a),
                    shown(b),
                ));
            }
        }
    }
}
