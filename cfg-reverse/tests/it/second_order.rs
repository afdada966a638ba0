//! Second derivatives: tangent of tangent, tangent of adjoint and adjoint of tangent agree, on exact
//! programs without any tolerance.

use crate::run::{Named, filled, point, run, valid};
use cfg_core::{entity::RoutineId, ir::Program};
use cfg_reverse::{Blocks, Options, Unstructured, reverse, tangent};
use cfg_testkit::{case::Case, general, generate::Options as Generate, property};

/// Names of the real parameters and result, with the values of the program at the point.
fn reals(case: &Case, results: &Named) -> Vec<String> {
    let r = case.routine();
    let names = r.parameter_ids().chain(r.result).filter_map(|v| {
        let variable = r.variable(v);
        (variable.ty.is_real() && results.contains_key(&variable.name))
            .then(|| variable.name.clone())
    });
    names.collect()
}

/// A direction: different for each variable and element, whole numbers.
fn direction(salt: usize, name: usize, i: usize) -> f64 {
    ((salt * 7 + name * 5 + i * 3) % 5) as f64 - 2.0
}

struct Setting {
    results: Named,
    names: Vec<String>,
    /// Positions in `names` of the independents and the dependents.
    independent: Vec<usize>,
    dependent: Vec<usize>,
}

impl Setting {
    fn new(case: &Case) -> Result<Self, String> {
        let program = valid(case.program.clone())?;
        let results = run(&program, case.main, &point(case))?;
        let names = reals(case, &results);
        let r = case.routine();
        let position = |list: &[cfg_core::entity::VarId]| {
            let mut at: Vec<usize> = list
                .iter()
                .filter_map(|&v| names.iter().position(|n| *n == r.variable(v).name))
                .collect();
            at.sort_unstable();
            at
        };
        Ok(Self {
            independent: position(&r.independents),
            dependent: position(&r.dependents),
            results,
            names,
        })
    }

    /// Adds `NAME suffix`, filled, for every real variable.
    fn add(&self, to: &mut Named, suffix: &str, x: impl Fn(usize, usize) -> f64) {
        for (k, name) in self.names.iter().enumerate() {
            let like = &self.results[name];
            to.insert(format!("{name}{suffix}"), filled(like, |i| x(k, i)));
        }
    }

    fn independent(&self, k: usize, x: f64) -> f64 {
        if self.independent.contains(&k) {
            x
        } else {
            0.0
        }
    }

    fn dependent(&self, k: usize, x: f64) -> f64 {
        if self.dependent.contains(&k) { x } else { 0.0 }
    }

    /// The sum over the given variables of `weight * value`.
    fn dot(
        &self,
        from: &Named,
        suffix: &str,
        which: &[usize],
        weight: impl Fn(usize, usize) -> f64,
    ) -> Result<f64, String> {
        let mut sum = 0.0;
        for &k in which {
            let name = format!("{}{suffix}", self.names[k]);
            let values = from
                .get(&name)
                .and_then(|v| v.to_f64s())
                .ok_or_else(|| format!("no value of {name}"))?;
            for (i, x) in values.iter().enumerate() {
                sum += weight(k, i) * x;
            }
        }
        Ok(sum)
    }
}

fn tangent_of(program: Program, routine: RoutineId) -> Result<(Program, RoutineId), String> {
    let t = tangent(&valid(program)?, routine).map_err(|d| d.to_string())?;
    Ok((t.program, t.tangent))
}

/// seed' * (second derivative along u and v) in three ways.
fn agrees(case: &Case, options: &Options) -> Result<(), String> {
    let s = Setting::new(case)?;
    let u = |k: usize, i: usize| s.independent(k, direction(1, k, i));
    let v = |k: usize, i: usize| s.independent(k, direction(2, k, i));
    let seed = |k: usize, i: usize| s.dependent(k, direction(3, k, i));

    let (once, t) = tangent_of(case.program.clone(), case.main)?;
    let (twice, tt) = tangent_of(once.clone(), t)?;
    let mut given = point(case);
    s.add(&mut given, "_t", u);
    s.add(&mut given, "_t_", v);
    s.add(&mut given, "_t_t", |_, _| 0.0);
    let twice = valid(twice)?;
    drop_outputs(&twice, tt, &mut given);
    let out = run(&twice, tt, &given).map_err(|e| format!("tangent of tangent: {e}"))?;
    let by_tangents = s.dot(&out, "_t_t", &s.dependent, seed)?;

    let r =
        reverse(&valid(case.program.clone())?, case.main, options).map_err(|d| d.to_string())?;
    let (program, gt) = tangent_of(r.program, r.gradient)?;
    let mut given = point(case);
    s.add(&mut given, "_b", seed);
    s.add(&mut given, "_t", u);
    s.add(&mut given, "_b_t", |_, _| 0.0);
    let program = valid(program)?;
    drop_outputs(&program, gt, &mut given);
    let out = run(&program, gt, &given).map_err(|e| format!("tangent of adjoint: {e}"))?;
    let by_adjoint = s.dot(&out, "_b_t", &s.independent, v)?;

    let mut once = once;
    let routine = &mut once.routines[t.index()];
    // The adjoint of the tangent along u, seeded on the tangents of the dependents.
    let named = |names: &[usize], suffix: &str| -> Vec<_> {
        names
            .iter()
            .filter_map(|&k| routine.find_variable(&format!("{}{suffix}", s.names[k])))
            .collect()
    };
    let (independents, dependents) = (named(&s.independent, ""), named(&s.dependent, "_t"));
    routine.independents = independents;
    routine.dependents = dependents;
    let r = reverse(&valid(once)?, t, options).map_err(|d| d.to_string())?;
    let mut given = point(case);
    s.add(&mut given, "_t", u);
    s.add(&mut given, "_b", |_, _| 0.0);
    s.add(&mut given, "_t_b", seed);
    let program = valid(r.program)?;
    drop_outputs(&program, r.gradient, &mut given);
    let out = run(&program, r.gradient, &given).map_err(|e| format!("adjoint of tangent: {e}"))?;
    let by_adjoint_of_tangent = s.dot(&out, "_b", &s.independent, v)?;

    // Whole numbers are exact as long as they are small enough.
    let exact = by_tangents.abs() < 2f64.powi(45);
    let tolerance = if exact { 0.0 } else { 1e-9 * by_tangents.abs() };
    let near = |x: f64| (x - by_tangents).abs() <= tolerance;
    if !near(by_adjoint) || !near(by_adjoint_of_tangent) {
        return Err(format!(
            "tangent of tangent {by_tangents}, tangent of adjoint {by_adjoint}, adjoint of tangent \
             {by_adjoint_of_tangent}"
        ));
    }
    Ok(())
}

/// `out` parameters bring no value in.
fn drop_outputs(program: &cfg_core::validate::ValidProgram, routine: RoutineId, given: &mut Named) {
    let r = program.routine(routine);
    for p in r.parameter_ids() {
        if r.variable(p).intent() == Some(cfg_core::ir::Intent::Out) {
            given.remove(&r.variable(p).name);
        }
    }
}

/// Second derivatives of the reduction `product` and of optional arguments in conditional expressions are
/// refused (docs/limits.md).
#[test]
fn three_ways_to_a_second_derivative() {
    let options = Generate { ..Generate::EXACT };
    property::check(&options, 30_000..30_600, |case| {
        agrees(case, &Options::default())
    });
    for (blocks, seeds) in [
        (Blocks::Preaccumulate, 50_000..50_250),
        (Blocks::Auto, 51_000..51_150),
    ] {
        let reversal = Options {
            blocks,
            work: 20_000,
            ..Options::default()
        };
        property::check(&options, seeds, |case| agrees(case, &reversal));
    }
}

/// Graphs that do not nest, reversed by structure and by the numbers of blocks. The tangent graph of one
/// is general again, and so is its adjoint.
#[test]
fn of_general_graphs() {
    for seed in 0..300 {
        let options = Options {
            unstructured: match seed % 3 {
                0 => Unstructured::Trace,
                _ => Unstructured::Structure,
            },
            merge: seed % 2 == 0,
            blocks: [Blocks::Statement, Blocks::Preaccumulate][seed as usize / 2 % 2],
            work: 20_000,
            ..Options::default()
        };
        let case = general::generate(seed);
        if let Err(message) = agrees(&case, &options) {
            panic!("seed {seed}, {options:?}: {message}");
        }
    }
}
