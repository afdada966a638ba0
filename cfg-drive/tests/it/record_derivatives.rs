//! Derivative programs with records have the results of those of the program without records, bit for bit.

use crate::flat;
use crate::records::{main_of, read};
use cfg_core::{
    diagnostic::Diagnostics,
    entity::RoutineId,
    ir::{Program, ScalarType},
    validate::{ValidProgram, validate},
};
use cfg_drive::{Adjoint, Members, Named, Options, Primal, Tangent};
use cfg_testkit::{records, rng::Rng};
use serde_json::{Map, Value as Json, json};

/// Name and extents of a parameter or global, and what it is for, as [`records::text`] declares it.
pub(crate) const INTERFACE: &[(&str, &[usize], bool)] = &[
    ("p", &[], true),
    ("ps", &[2], true),
    ("q", &[], false),
    ("os", &[2], true),
    ("t", &[], false),
    ("kept", &[], true),
];

pub(crate) fn type_of(program: &Program, name: &str) -> ScalarType {
    let routine = program.routine(main_of(program));
    let own = routine.variables.iter().find(|v| v.name == name);
    own.expect("it is declared").ty
}

/// A value of a variable: `real` gives reals, the others are 1 and false.
fn value(program: &Program, name: &str, extents: &[usize], real: &mut dyn FnMut() -> f64) -> Json {
    let mut cell = |ty: ScalarType| match ty {
        ScalarType::Integer => json!(1),
        ScalarType::Logical => json!(false),
        _ => json!(real()),
    };
    records::value(program, type_of(program, name), extents, &mut cell)
}

fn members(values: &Named, program: &Program, routine: RoutineId) -> Json {
    serde_json::to_value(Members::new(values, program, routine)).expect("values")
}

/// The value without fields that are not real.
fn reals(program: &Program, name: &str, extents: &[usize], tree: &Json) -> Vec<Option<Json>> {
    let ty = type_of(program, name);
    let kinds = records::value(program, ty, extents, &mut |ty| json!(ty.is_real()));
    let kinds = records::cells(program, ty, extents, Some(&kinds));
    let cells = records::cells(program, ty, extents, Some(tree));
    let both = kinds.into_iter().zip(cells);
    both.filter(|(kind, _)| *kind == Some(json!(true)))
        .map(|(_, cell)| cell)
        .collect()
}

/// A random program, a point of it, and values for the derivatives of all parameters and globals.
pub(crate) struct Case {
    pub(crate) text: String,
    pub(crate) program: ValidProgram,
    pub(crate) point: Map<String, Json>,
    derivatives: Map<String, Json>,
}

impl Case {
    pub(crate) fn random(seed: u64) -> Self {
        let text = records::text(seed);
        let program = read(&text);
        let mut rng = Rng::new(seed ^ 0xb17);
        let (mut point, mut derivatives) = (Map::new(), Map::new());
        for &(name, extents, _) in INTERFACE {
            let ty = type_of(&program, name);
            let mut cell = |ty| records::scalar(&mut rng, ty);
            let given = records::value(&program, ty, extents, &mut cell);
            point.insert(name.to_owned(), given);
            let mut any = || rng.between(-2, 2) as f64;
            let derivative = value(&program, name, extents, &mut any);
            derivatives.insert(name.to_owned(), derivative);
        }
        Self {
            text,
            program,
            point,
            derivatives,
        }
    }

    pub(crate) fn fail(&self, e: Diagnostics) -> ! {
        panic!("{e}\n{}\n{}", self.text, Json::Object(self.point.clone()))
    }

    /// The point with derivatives under their names.
    fn with_derivatives(&self, suffix: &str, derivatives: &Map<String, Json>) -> Vec<u8> {
        let mut point = self.point.clone();
        for (name, tree) in derivatives {
            point.insert(format!("{name}_{suffix}"), tree.clone());
        }
        Json::Object(point).to_string().into_bytes()
    }

    /// Runs a routine of a derivative program; returns its parameters afterwards.
    pub(crate) fn run(&self, program: &ValidProgram, routine: RoutineId, point: &[u8]) -> Json {
        let options = Options::default();
        let mut run =
            Primal::new(&flat(program), routine, &options).unwrap_or_else(|e| self.fail(e));
        let point = run.read_point(point).unwrap_or_else(|e| self.fail(e));
        let found = run.run(&point).unwrap_or_else(|e| self.fail(e));
        members(&found.value, program, routine)
    }

    /// The derivatives with only those reals that are not to be taken as 0.
    pub(crate) fn only(&self, wanted: impl Fn(bool) -> bool) -> Map<String, Json> {
        let mut all = Map::new();
        for &(name, extents, written) in INTERFACE {
            let tree = match wanted(written) {
                true => self.derivatives[name].clone(),
                false => value(&self.program, name, extents, &mut || 0.0),
            };
            all.insert(name.to_owned(), tree);
        }
        all
    }

    fn gradient(&self) {
        let main = main_of(&self.program);
        let reversal = crate::reversed(&self.program, main, &cfg_reverse::Options::default())
            .unwrap_or_else(|e| self.fail(e));
        let grouped = validate(reversal.program).unwrap_or_else(|e| self.fail(e));
        let routine = grouped.routine(reversal.gradient);
        for &(name, ..) in INTERFACE {
            let adjoint = format!("{name}_b");
            let v = routine.find_variable(&adjoint).expect("it has an adjoint");
            assert_eq!(
                routine.variable(v).ty,
                type_of(&self.program, name),
                "{name}"
            );
        }
        let mut seeds = self.only(|written| written);
        let mut here = seeds.clone();
        here.insert("y".to_owned(), json!(0.5));
        let found = self.run(
            &grouped,
            reversal.gradient,
            &self.with_derivatives("b", &here),
        );

        let options = Options::default();
        let mut adjoint =
            Adjoint::new(&flat(&self.program), main, &options).unwrap_or_else(|e| self.fail(e));
        let point = Json::Object(self.point.clone()).to_string();
        let point = adjoint
            .read_point(point.as_bytes())
            .unwrap_or_else(|e| self.fail(e));
        seeds.remove("q");
        seeds.remove("t");
        seeds.insert("y".to_owned(), json!(0.5));
        let only_reals = self.seed(seeds);
        let (seeds, _) = adjoint
            .read_seeds(&only_reals, &point)
            .unwrap_or_else(|e| self.fail(e));
        let wanted = adjoint
            .gradient(&point, &seeds[0])
            .unwrap_or_else(|e| self.fail(e));
        let value = members(&wanted.value, &self.program, main);
        let gradient = members(&wanted.gradient, &self.program, main);
        assert_eq!(found["y"], value["y"], "{}", self.text);
        for &(name, extents, _) in INTERFACE.iter().filter(|(name, ..)| *name != "kept") {
            let here = reals(&self.program, name, extents, &found[format!("{name}_b")]);
            let there = reals(&self.program, name, extents, &gradient[name]);
            assert_eq!(here, there, "{name}\n{}", self.text);
        }
    }

    /// Derivatives as a SEED: without fields that are not real.
    fn seed(&self, mut derivatives: Map<String, Json>) -> Vec<u8> {
        for (name, tree) in &mut derivatives {
            *tree = without_others(tree.take());
            let _ = name;
        }
        Json::Object(derivatives).to_string().into_bytes()
    }

    fn tangent(&self) {
        let main = main_of(&self.program);
        let made = crate::tangent_of(&self.program, main).unwrap_or_else(|e| self.fail(e));
        let grouped = validate(made.program).unwrap_or_else(|e| self.fail(e));
        let all = self.only(|_| true);
        let found = self.run(&grouped, made.tangent, &self.with_derivatives("t", &all));

        let mut tangent = Tangent::new(&flat(&self.program), main, &Options::default())
            .unwrap_or_else(|e| self.fail(e));
        let point = Json::Object(self.point.clone()).to_string();
        let point = tangent
            .read_point(point.as_bytes())
            .unwrap_or_else(|e| self.fail(e));
        let direction = self.seed(all);
        let direction = tangent
            .read_direction(&direction, &point)
            .unwrap_or_else(|e| self.fail(e));
        let wanted = tangent
            .tangent(&point, &direction)
            .unwrap_or_else(|e| self.fail(e));
        let wanted = members(&wanted.tangent, &self.program, main);
        assert_eq!(found["y_t"], wanted["y"], "{}", self.text);
        for &(name, extents, written) in INTERFACE {
            if written && name != "kept" {
                let here = reals(&self.program, name, extents, &found[format!("{name}_t")]);
                let there = reals(&self.program, name, extents, &wanted[name]);
                assert_eq!(here, there, "{name}\n{}", self.text);
            }
        }
    }
}

/// Without integers and logicals, and the fields that these are.
fn without_others(tree: Json) -> Json {
    match tree {
        Json::Array(items) => items.into_iter().map(without_others).collect(),
        Json::Object(fields) => {
            let real = |tree: &Json| !(tree.is_i64() || tree.is_boolean());
            let fields = fields.into_iter().filter(|(_, tree)| real(tree));
            Json::Object(fields.map(|(k, tree)| (k, without_others(tree))).collect())
        }
        other => other,
    }
}

#[test]
fn gradients_of_programs_with_records_are_those_of_the_split_ones() {
    for seed in 0..100 {
        Case::random(seed).gradient();
    }
}

#[test]
fn tangents_of_programs_with_records_are_those_of_the_split_ones() {
    for seed in 0..100 {
        Case::random(seed).tangent();
    }
}
