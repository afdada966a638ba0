//! The programs of the folder `fixtures`: classic kernels and programs for corners of the language.
//!
//! Each has a point of a given size, so that the same program serves tests (small) and benchmarks. The
//! files are written from here (`cargo run -p cfg-testkit --example make_fixtures`); the expected gradients
//! next to them come from an independent script.

mod calls;
mod corners;
mod dynamics;
mod language;
mod matrices;
mod scalars;

use crate::case::{Case, Datum, Elements};
use cfg_core::builder::{ProgramBuilder, RoutineBuilder};
use cfg_core::entity::RoutineId;
use cfg_core::ir::{Intent, Program};
use serde_json::Value as Json;

/// Named values of parameters.
pub type Point = Vec<(&'static str, Datum)>;

/// A program of the fixtures.
#[derive(Clone, Debug)]
pub struct Kernel {
    /// Name of the file and of the main routine.
    pub name: &'static str,
    /// A short description of the computation.
    pub description: &'static str,
    /// The program.
    pub program: Program,
    /// Size of the point in the fixture.
    pub size: usize,
    /// Size for benchmarks, with about a million operations or more; `None` if it is no benchmark.
    pub bench: Option<usize>,
    /// The point of a size.
    pub point: fn(usize) -> Point,
}

/// All kernels, by name.
///
/// # Panics
/// If one of them cannot be built, which a test would show.
pub fn all() -> Vec<Kernel> {
    let mut all = [
        scalars::kernels(),
        matrices::kernels(),
        dynamics::kernels(),
        calls::kernels(),
        language::kernels(),
        corners::kernels(),
    ]
    .concat();
    all.sort_by_key(|k| k.name);
    all
}

/// The kernel with this name.
pub fn find(name: &str) -> Option<Kernel> {
    all().into_iter().find(|k| k.name == name)
}

impl Kernel {
    /// The case of a size, with directions and seeds of 1.
    ///
    /// # Panics
    /// If the point names a parameter that does not exist.
    pub fn case(&self, size: usize) -> Case {
        let main = self.program.main.unwrap_or(RoutineId::new(0));
        let routine = self.program.routine(main);
        let mut point = Vec::new();
        for (name, datum) in (self.point)(size) {
            match routine.find_variable(name) {
                Some(v) => point.push((v, datum)),
                None => panic!("{}: no parameter {name}", self.name),
            }
        }
        let ones = |vars: &[cfg_core::entity::VarId]| {
            vars.iter()
                .map(|&v| {
                    let datum = point.iter().find(|(w, _)| *w == v);
                    (v, vec![1.0; datum.map_or(1, |(_, d)| d.len())])
                })
                .collect()
        };
        Case {
            direction: ones(&routine.independents),
            seed: ones(&routine.dependents),
            program: self.program.clone(),
            main,
            point,
        }
    }
}

/// Builds a kernel from its routines; the last one that `build` adds is the main one.
fn kernel(
    name: &'static str,
    description: &'static str,
    (size, bench): (usize, Option<usize>),
    point: fn(usize) -> Point,
    build: impl FnOnce(&mut ProgramBuilder) -> RoutineBuilder,
) -> Kernel {
    let mut builder = ProgramBuilder::new();
    let main = build(&mut builder);
    let main = builder.add(main);
    builder.main(main);
    let mut program = match builder.into_program() {
        Ok(program) => program,
        Err(problems) => panic!("{name}: {problems}"),
    };
    let text = Json::from(description);
    let note = [("description".to_owned(), text)];
    program.annotations = Some(Box::new(note.into_iter().collect()));
    // Every real input is an independent, every real output a dependent.
    let routine = &mut program.routines[main.index()];
    let parameters: Vec<_> = routine.parameter_ids().collect();
    if routine.independents.is_empty() {
        routine.independents = (parameters.iter().copied())
            .filter(|&p| {
                let v = routine.variable(p);
                v.ty.is_real() && v.intent() != Some(Intent::Out)
            })
            .collect();
    }
    if routine.dependents.is_empty() {
        routine.dependents = (parameters.into_iter())
            .filter(|&p| {
                let v = routine.variable(p);
                v.ty.is_real() && v.intent() == Some(Intent::Out)
            })
            .chain(routine.result)
            .collect();
    }
    Kernel {
        name,
        description,
        program,
        size,
        bench,
        point,
    }
}

/// An integer of a point.
fn integer_value(value: usize) -> Datum {
    Datum {
        extents: vec![],
        elements: Elements::Integer(vec![value as i64]),
    }
}

/// A real of a point.
fn real_value(value: f64) -> Datum {
    Datum {
        extents: vec![],
        elements: Elements::Real(vec![value]),
    }
}

/// Reals of a point, in storage order.
fn real_values(extents: &[usize], value: impl Fn(usize) -> f64) -> Datum {
    let n = extents.iter().product();
    Datum {
        extents: extents.to_vec(),
        elements: Elements::Real((0..n).map(value).collect()),
    }
}

/// A value between -1 and 1 with few digits, different for each k.
fn wave(k: usize, frequency: f64) -> f64 {
    ((frequency * (k + 1) as f64).sin() * 256.0).round() / 256.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::census::Census;
    use crate::interpret::Limits;
    use crate::pairs;
    use std::collections::BTreeSet;

    #[test]
    fn kernels_run_at_their_points() {
        let all = all();
        assert!(all.len() > 20);
        for kernel in all {
            let case = kernel.case(kernel.size);
            let outcome = case.run(Limits::default());
            assert!(outcome.is_ok(), "{}: {:?}", kernel.name, outcome.err());
            let problems = cfg_core::validate::find_problems(&case.program).1;
            assert!(problems.is_empty(), "{}: {problems}", kernel.name);
        }
    }

    #[test]
    fn names_are_distinct_and_those_of_the_main_routines() {
        let all = all();
        let names: BTreeSet<&str> = all.iter().map(|k| k.name).collect();
        assert_eq!(names.len(), all.len());
        for kernel in all {
            let main = kernel.program.main.map(|m| kernel.program.routine(m));
            assert_eq!(main.map(|r| r.name.as_str()), Some(kernel.name));
        }
    }

    /// Every legal pair of adjacent vertex types, with the programs that have it.
    #[test]
    fn every_legal_pair_is_in_a_fixture() {
        let all = all();
        let mut missing = Vec::new();
        let mut listing = String::new();
        for pair in pairs::legal() {
            let having: Vec<&str> = (all.iter())
                .filter(|k| pairs::of_program(&k.program).contains(&pair))
                .map(|k| k.name)
                .collect();
            listing.push_str(&format!("{pair}: {}\n", having.join(" ")));
            if having.is_empty() {
                missing.push(pair.to_string());
            }
        }
        assert!(missing.is_empty(), "no fixture has {missing:?}\n{listing}");
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures");
        crate::golden::golden(folder.join("pairs.txt"), &listing);
    }

    #[test]
    fn together_they_have_all_constructs() {
        let mut census = Vec::new();
        for kernel in all() {
            match Census::take(&kernel.case(kernel.size)) {
                Ok(c) => census.push(c),
                Err(fault) => panic!("{}: {fault:?}", kernel.name),
            }
        }
        let any = |has: fn(&Census) -> bool| census.iter().any(has);
        assert!((0..3).all(|k| census.iter().any(|c| c.loops[k] > 0)));
        assert!(any(|c| c.zero_trip));
        assert!(any(|c| c.empty_regions > 0));
        assert!(any(|c| c.parallel_edges > 0));
        assert!(any(|c| c.multi_way > 0));
        assert!(any(|c| c.calls > 0));
        assert!(any(|c| c.recursion));
        assert!(any(|c| c.overwritten_element_used));
        assert!(any(|c| c.overwritten_index));
        assert!(any(|c| c.exits_into_end > 0));
    }
}
