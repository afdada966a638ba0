//! Random programs with pointers: the lowered program against the interpreter, which has objects and a derivative for each
//! cell. `CFGREV_CASES` programs, 100 if that is not set, from `CFGREV_FIRST` on; of one in ten the tangent of the gradient, too.

use crate::flat;
use crate::records::read;
use cfg_core::{
    diagnostic::Diagnostics,
    elemental::Scalar,
    entity::{GlobalId, RoutineId},
    ir::{Expr, NameRole},
    validate::{ValidProgram, validate},
};
use cfg_drive::{Adjoint, Members, Options, Primal, Tangent, declare};
use cfg_exec::{CompileOptions, Compiled, RunOptions, Session};
use cfg_testkit::{
    interpret::{Argument, Limits, Value, interpret},
    pointers,
    rng::Rng,
};
use cfg_transform::{pools, records};
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;

/// Independent reals: `x` and `t`.
const INDEPENDENT: usize = 7;

fn reals(tree: &Json) -> Vec<f64> {
    match tree {
        Json::Array(items) => items.iter().flat_map(reals).collect(),
        other => vec![other.as_f64().unwrap_or(f64::NAN)],
    }
}

fn within(tolerance: f64, wanted: &[f64], found: &[f64]) -> bool {
    let scale = wanted.iter().fold(1.0, |m: f64, w| m.max(w.abs()));
    wanted.len() == found.len()
        && (wanted.iter().zip(found)).all(|(w, f)| (w - f).abs() <= tolerance * scale)
}

fn close(wanted: &[f64], found: &[f64]) -> bool {
    within(1e-9, wanted, found)
}

/// A point: `x`, `c` and `t`.
struct At {
    x: Vec<f64>,
    c: Vec<f64>,
    t: f64,
}

impl At {
    /// The point so far along a direction of `x` and `t`.
    fn moved(&self, direction: &[f64], by: f64) -> Self {
        let x = self.x.iter().zip(direction).map(|(x, d)| x + by * d);
        Self {
            x: x.collect(),
            c: self.c.clone(),
            t: self.t + by * direction[6],
        }
    }
}

/// What the interpreter finds: `x` and `y` afterwards, the derivatives of each of these reals, the objects that are alive.
struct Found {
    values: Vec<f64>,
    derivatives: Vec<Vec<f64>>,
    alive: usize,
}

impl Found {
    fn interpret(program: &ValidProgram, at: &At) -> Result<Self, String> {
        let main = program.main.expect("one is marked");
        // By operator overloading, one direction for each independent.
        let unit = |k: usize| -> Vec<f64> {
            (0..INDEPENDENT)
                .map(|j| f64::from(u8::from(j == k)))
                .collect()
        };
        let array = |values: &[f64], unit: &dyn Fn(usize) -> Vec<f64>| Argument {
            extents: vec![values.len()],
            elements: (values.iter().enumerate())
                .map(|(k, &v)| Value::Real(v, unit(k)))
                .collect(),
        };
        let scalar = Argument {
            extents: vec![],
            elements: vec![Value::Real(at.t, unit(6))],
        };
        let constant = |_| Vec::new();
        let (x, c) = (array(&at.x, &unit), array(&at.c, &constant));
        let arguments = [Some(x), Some(c), Some(scalar), None];
        let (globals, limits) = (BTreeMap::new(), Limits::default());
        let outcome = interpret(program, main, &arguments, &globals, limits)
            .map_err(|fault| format!("{fault:?}"))?;
        let dependents = [&outcome.parameters[0], &outcome.parameters[3]];
        let dependents = dependents.into_iter().flat_map(|a| &a.elements);
        let (values, derivatives) = dependents
            .map(|value| match value {
                Value::Real(v, d) if d.is_empty() => (*v, vec![0.0; INDEPENDENT]),
                Value::Real(v, d) => (*v, d.clone()),
                other => panic!("{other:?}"),
            })
            .unzip();
        Ok(Self {
            values,
            derivatives,
            alive: outcome.alive.len(),
        })
    }

    fn tangent(&self, direction: &[f64]) -> Vec<f64> {
        let rows = self.derivatives.iter();
        rows.map(|row| row.iter().zip(direction).map(|(d, v)| d * v).sum())
            .collect()
    }

    fn gradient(&self, weights: &[f64]) -> Vec<f64> {
        let column = |k: usize| {
            self.derivatives
                .iter()
                .zip(weights)
                .map(move |(row, w)| w * row[k])
        };
        (0..INDEPENDENT).map(|k| column(k).sum()).collect()
    }
}

/// The objects on the heap that are alive after a run, by the tables of the pools: in pools to which globals lead, and in those that begin anew
/// with each call.
fn alive(program: &ValidProgram, routine: RoutineId, values: &Json) -> [usize; 2] {
    let program = records::split(program).expect("it has a counterpart");
    let compiled =
        Compiled::new(&flat(&program), &CompileOptions::default()).expect("it is compiled");
    let mut session = Session::new(&compiled);
    let called = program.routine(routine);
    let mut arguments: Vec<cfg_exec::Argument> = (called.parameter_ids())
        .map(|p| {
            let name = &called.variable(p).name;
            match &values[name] {
                Json::Array(_) => cfg_exec::Argument::from(&*reals(&values[name])),
                Json::Null => 0.0.into(),
                value => value.as_f64().expect("a real").into(),
            }
        })
        .collect();
    (session.run(routine, &mut arguments, &RunOptions::default())).expect("it runs");
    let globals = (0..program.globals.len()).map(GlobalId::new);
    let by_name: BTreeMap<&str, GlobalId> = globals
        .map(|g| (&*program.global(g).variable.name, g))
        .collect();
    let number = |g: GlobalId, at: usize| match session.global(g).get(at) {
        Some(Scalar::Integer(n)) => n,
        other => panic!("{other:?}"),
    };
    let mut count = [0; 2];
    for (name, &first) in &by_name {
        let origin = program.global(first).variable.origin.as_deref();
        let Some(pool) = name.strip_suffix(".first") else {
            continue;
        };
        let place = match origin.map(|o| &o.role) {
            Some(NameRole::FirstCells) => 0,
            Some(NameRole::ScratchFirstCells) => 1,
            other => panic!("{name}: {other:?}"),
        };
        let [last, objects] = ["last", "objects"].map(|n| by_name[&*format!("{pool}.{n}")]);
        let objects = usize::try_from(number(objects, 0)).expect("a count");
        count[place] += (1..=objects)
            .filter(|&o| number(first, o) - 1 <= number(last, o))
            .count();
    }
    count
}

/// The tangent of the gradient against differences of the interpreter's derivatives.
fn second(
    program: &ValidProgram,
    lowered: &ValidProgram,
    at: &At,
    direction: &[f64],
    weights: &[f64],
) -> Result<(), String> {
    let main = lowered.main.expect("it stays the main one");
    let options = Options::default();
    let said = |e: Diagnostics| e.to_string();
    let reversal = cfg_reverse::reverse(&flat(lowered), main, &options.reversal).map_err(said)?;
    let mut both = reversal.program;
    let names = |names: [&str; 2]| names.map(str::to_owned);
    let (to, of) = (names(["x_b", "t_b"]), names(["x", "t"]));
    declare(&mut both, reversal.gradient, Some(&of), Some(&to)).map_err(said)?;
    let both = validate(both).map_err(said)?;
    let mut tangent = Tangent::new(&flat(&both), reversal.gradient, &options).map_err(said)?;
    let point = json!({"x": at.x, "c": at.c, "t": at.t, "x_b": weights[..6], "t_b": 0.0, "c_b": vec![0.0; 4], "y_b": weights[6]});
    let point = tangent
        .read_point(point.to_string().as_bytes())
        .map_err(said)?;
    let given = json!({"x": direction[..6], "t": direction[6]}).to_string();
    let given = tangent
        .read_direction(given.as_bytes(), &point)
        .map_err(said)?;
    let result = tangent.tangent(&point, &given).map_err(said)?;
    let found = Members::new(&result.tangent, &both, reversal.gradient);
    let found = serde_json::to_value(found).expect("values");
    let found: Vec<f64> = ["x_b", "t_b"]
        .into_iter()
        .flat_map(|n| reals(&found[n]))
        .collect();
    // A comparison that changes its result between two points says nothing of the derivative: one that does so at the point itself
    // leaves the difference to one side.
    let here = Found::interpret(program, at)?.gradient(weights);
    let mut all = Vec::new();
    for h in [1e-5, 1e-6, 1e-7] {
        let [less, more] = [-h, h].map(|h| Found::interpret(program, &at.moved(direction, h)));
        let (less, more) = (less?.gradient(weights), more?.gradient(weights));
        for (a, b, width, tolerance) in [
            (&less, &more, 2.0 * h, 1e-4),
            (&less, &here, h, 1e-3),
            (&here, &more, h, 1e-3),
        ] {
            let slope = a.iter().zip(b).map(|(a, b)| (b - a) / width);
            let slope: Vec<f64> = slope.collect();
            if within(tolerance, &slope, &found) {
                return Ok(());
            }
            all.push(slope);
        }
    }
    Err(format!("tangent of the gradient {found:?} {all:?}"))
}

/// The tangent where cells that nobody can use after the program has ended have NaN for tangents before.
fn tangent_without_zeros(
    lowered: &ValidProgram,
    at: &At,
    direction: &[f64],
) -> Result<Vec<f64>, String> {
    let said = |e: Diagnostics| e.to_string();
    let main = lowered.main.expect("it stays the main one");
    let made = cfg_reverse::tangent(&flat(lowered), main).map_err(said)?;
    let mut program = made.program;
    for (g, tangent) in made.tangent_globals {
        let origin = program.global(g).variable.origin.as_deref();
        if origin.is_some_and(|o| o.role == NameRole::ScratchCells) {
            program.globals[tangent.index()].initial = Some([Expr::Real(f64::NAN)].into());
        }
    }
    let program = validate(program).map_err(said)?;
    let compiled = Compiled::new(&flat(&program), &CompileOptions::default()).map_err(said)?;
    let called = program.routine(made.tangent);
    let names: Vec<&str> = (called.parameter_ids())
        .map(|p| &*called.variable(p).name)
        .collect();
    let values = json!({
        "x": at.x, "c": at.c, "t": at.t,
        "x_t": direction[..6], "c_t": [0.0, 0.0, 0.0, 0.0], "t_t": direction[6],
    });
    let argument = |name: &&str| match &values[*name] {
        Json::Array(_) => cfg_exec::Argument::from(&*reals(&values[*name])),
        value => value.as_f64().unwrap_or(0.0).into(),
    };
    let mut arguments: Vec<cfg_exec::Argument> = names.iter().map(argument).collect();
    let run = Session::new(&compiled).run(made.tangent, &mut arguments, &RunOptions::default());
    run.map_err(|e| format!("{e:?}"))?;
    let found = names
        .iter()
        .zip(&arguments)
        .filter_map(|(name, a)| match *name {
            "x_t" => Some((0..6).filter_map(|k| a.value()?.get_f64(k)).collect()),
            "y_t" => Some(vec![a.value()?.get_f64(0)?]),
            _ => None,
        });
    let found: Vec<Vec<f64>> = found.collect();
    Ok(found.concat())
}

/// Values, tangent, gradient and the objects that are left of one program at one point.
fn compared(seed: u64, program: &ValidProgram) -> Result<(), String> {
    let mut rng = Rng::new(seed ^ 0x5eed);
    let mut numbers = |n: usize| -> Vec<f64> { (0..n).map(|_| rng.coarse()).collect() };
    let at = At {
        x: numbers(6),
        c: numbers(4),
        t: numbers(1)[0],
    };
    let (direction, weights) = (numbers(INDEPENDENT), numbers(7));
    let wanted = Found::interpret(program, &at)?;

    let said = |e: Diagnostics| e.to_string();
    let main = program.main.expect("one is marked");
    let lowered = pools::lower(program, &[main], 1000).map_err(said)?;
    let main = lowered.main.expect("it stays the main one");
    let mut values = json!({"x": at.x, "c": at.c, "t": at.t});
    let point = values.to_string();
    let options = Options::default();
    let members =
        |named| serde_json::to_value(Members::new(named, &lowered, main)).expect("values");
    let both = |tree: &Json, names: [&str; 2]| -> Vec<f64> {
        names.into_iter().flat_map(|n| reals(&tree[n])).collect()
    };
    let same = |what: &str, wanted: &[f64], found: &[f64]| match close(wanted, found) {
        true => Ok(()),
        false => Err(format!("{what} {wanted:?} {found:?}")),
    };

    let mut primal = Primal::new(&flat(&lowered), main, &options).map_err(said)?;
    let there = primal.read_point(point.as_bytes()).map_err(said)?;
    let run = primal.run(&there).map_err(said)?;
    same(
        "values",
        &wanted.values,
        &both(&members(&run.value), ["x", "y"]),
    )?;

    let mut tangent = Tangent::new(&flat(&lowered), main, &options).map_err(said)?;
    let there = tangent.read_point(point.as_bytes()).map_err(said)?;
    let given = json!({"x": direction[..6], "t": direction[6]}).to_string();
    let given = tangent
        .read_direction(given.as_bytes(), &there)
        .map_err(said)?;
    let result = tangent.tangent(&there, &given).map_err(said)?;
    let found = both(&members(&result.tangent), ["x", "y"]);
    same("tangent", &wanted.tangent(&direction), &found)?;
    let found = tangent_without_zeros(&lowered, &at, &direction)?;
    same("tangent without zeros", &wanted.tangent(&direction), &found)?;

    let mut adjoint = Adjoint::new(&flat(&lowered), main, &options).map_err(said)?;
    let there = adjoint.read_point(point.as_bytes()).map_err(said)?;
    let given = json!({"x": weights[..6], "y": weights[6]}).to_string();
    let (seeds, _) = adjoint.read_seeds(given.as_bytes(), &there).map_err(said)?;
    let result = adjoint.gradient(&there, &seeds[0]).map_err(said)?;
    let found = both(&members(&result.gradient), ["x", "t"]);
    same("gradient", &wanted.gradient(&weights), &found)?;

    values["x_b"] = json!(weights[..6]);
    values["y_b"] = json!(weights[6]);
    values["c_b"] = json!([0.0, 0.0, 0.0, 0.0]);
    let name = format!("{}_grad", lowered.routine(main).name);
    let gradient = adjoint.program().find_routine(&name).ok_or("no gradient")?;
    let after = alive(&lowered, main, &values);
    let [kept, _] = alive(adjoint.program(), gradient, &values);
    if after.iter().sum::<usize>() != wanted.alive || kept != after[0] {
        return Err(format!("alive {} {after:?} {kept}", wanted.alive));
    }
    match seed % 10 {
        0 => second(program, &lowered, &at, &direction, &weights),
        _ => Ok(()),
    }
}

#[test]
fn the_lowered_program_agrees_with_objects() {
    let number = |name| std::env::var(name).ok().and_then(|n| n.parse().ok());
    let first = number("CFGREV_FIRST").unwrap_or(0);
    for seed in first..first + number("CFGREV_CASES").unwrap_or(100) {
        let text = pointers::text(seed);
        let program = read(&text);
        compared(seed, &program).unwrap_or_else(|e| panic!("seed {seed}: {e}\n{text}"));
    }
}
