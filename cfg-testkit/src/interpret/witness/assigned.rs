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

    /// Compares the values of each forward sweep that ran again with those of the plain run. What runs again in the
    /// reverse sweeps of as many parts with checkpoints, one in the other, is reversed in the opposite order of the
    /// plain run, in which also other values are assigned.
    pub(super) fn compare_again(
        &self,
        again: &[(usize, Self)],
        sweeps: &Sweeps,
        report: &mut Report,
    ) {
        let is_whole = |(original, number): &(RoutineId, usize)| {
            let sweep = sweeps.original(*original).map(|k| sweeps.get(k));
            sweep.is_some_and(|sweep| sweep.whole.contains(number))
        };
        let mut ends: BTreeMap<(usize, (RoutineId, usize)), usize> = BTreeMap::new();
        for (depth, run) in again {
            for (key, found) in run.0.iter().filter(|(key, _)| is_whole(key)) {
                // The results of calls are assigned in forward sweeps alone.
                let Some(wanted) = self.0.get(key) else {
                    continue;
                };
                let end = ends.entry((*depth, *key)).or_insert(wanted.len());
                let is_found = |values: &[Value<D>]| {
                    let mut pairs = values.iter().zip(found);
                    pairs.all(|(a, b)| same_bits(a, b))
                };
                let mut places = wanted[..*end].windows(found.len().max(1));
                report.assigned_again += found.len() as u64;
                match places.rposition(is_found) {
                    Some(start) => *end = start,
                    None => {
                        let values: Vec<String> = found.iter().map(shown).collect();
                        report.differ(format!(
                            "statement {} of routine {} assigns {} when it runs again, which a plain run does not",
                            key.1,
                            key.0.index(),
                            values.join(", ")
                        ));
                    }
                }
            }
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
