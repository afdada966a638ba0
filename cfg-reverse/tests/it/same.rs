//! The comparison of programs, tested on adjoints: it ignores order, generated names and ids, and nothing else.

use cfg_core::ir::{Cfg, FreshIds, Program};
use cfg_core::validate::validate;
use cfg_format::json;
use cfg_reverse::{Blocks, Options, reverse};
use cfg_testkit::flat;
use cfg_testkit::generate::{Options as Generate, generate};
use cfg_testkit::{case::Case, general, rng::Rng, same::same};
use serde_json::Value;

/// Original and adjoint of random programs of every kind.
fn programs(count: u64) -> impl Iterator<Item = (u64, Program)> {
    (0..count).map(|seed| {
        let case: Case = match seed % 3 {
            0 => generate(&Generate::SMALL, seed).expect("runs do not fail"),
            1 => generate(&Generate::WIDE, seed).expect("runs do not fail"),
            _ => general::generate(seed),
        };
        let options = Options {
            blocks: [Blocks::Statement, Blocks::Preaccumulate][seed as usize % 2],
            work: 500,
            ..Options::default()
        };
        let valid = validate(case.program.clone()).expect("it is valid");
        // A program that is refused has no adjoint to compare.
        let made =
            reverse(&flat(&valid), case.main, &options).map_or(case.program, |made| made.program);
        (seed, made)
    })
}

fn document(program: &Program) -> Value {
    let mut bytes = Vec::new();
    json::write(program, &mut bytes).expect("it can be written");
    serde_json::from_slice(&bytes).expect("it is JSON")
}

fn read(document: &Value) -> Option<Program> {
    json::read(document.to_string().as_bytes()).ok()
}

/// Generated routines, variables and vertices with other names and ids.
fn renamed(program: &Program) -> Program {
    let mut program = program.clone();
    let names: Vec<String> = program.routines.iter().map(|r| r.name.clone()).collect();
    for (k, routine) in program.routines.iter_mut().enumerate() {
        let generated = routine.origin.is_some();
        if generated {
            routine.name = format!("{} #{k}", names[names.len() - 1 - k]);
        }
        for (v, variable) in routine.variables.iter_mut().enumerate() {
            if variable.origin.is_some() {
                variable.name = format!("v{v} of {k}");
            }
        }
        let Some(cfg) = routine.body.take() else {
            continue;
        };
        let mut fresh = FreshIds::of_vertices(&cfg);
        let (mut vertices, mut edges) = cfg.into_parts();
        for vertex in vertices.iter_mut().filter(|v| v.origin.is_some()) {
            vertex.id = fresh.next_id();
        }
        for edge in edges.iter_mut().filter(|_| generated) {
            edge.id = None;
        }
        routine.body = Cfg::new(vertices, edges);
    }
    for global in &mut program.globals {
        if global.variable.origin.is_some() {
            global.variable.name.push_str(" again");
        }
    }
    program
}

/// All lists of declarations, vertices and edges in another order.
fn shuffled(program: &Program, rng: &mut Rng) -> Program {
    let mut document = document(program);
    for list in ["routines", "globals"] {
        if let Some(Value::Array(list)) = document.get_mut(list) {
            rng.shuffle(list);
        }
    }
    for routine in document["routines"]
        .as_array_mut()
        .expect("there are routines")
    {
        for list in ["locals", "vertices", "edges"] {
            // Edges without ids are numbered by their positions.
            if let Some(Value::Array(list)) = routine.get_mut(list)
                && !(list
                    .iter()
                    .any(|e| e.get("from").is_some() && e.get("id").is_none())
                    && list.iter().any(|e| e.get("id").is_some()))
            {
                rng.shuffle(list);
            }
        }
    }
    read(&document).expect("order does not matter")
}

#[test]
fn order_and_generated_names_do_not_matter() {
    for (seed, program) in programs(150) {
        let mut rng = Rng::new(seed);
        let other = shuffled(&renamed(&program), &mut rng);
        assert_eq!(same(&program, &other), Ok(()), "seed {seed}");
        assert_eq!(same(&other, &program), Ok(()), "seed {seed}");
    }
}

/// The leaves of a document that mean something: all but names in declarations, ids, spans and free-form data.
fn leaves<'v>(value: &'v mut Value, found: &mut Vec<&'v mut Value>) {
    match value {
        Value::Array(list) => list.iter_mut().for_each(|v| leaves(v, found)),
        Value::Object(members) => {
            for (key, value) in members {
                if !matches!(
                    key.as_str(),
                    "id" | "name" | "annotations" | "cfgrev" | "format" | "at" | "sources"
                ) {
                    leaves(value, found);
                }
            }
        }
        leaf => found.push(leaf),
    }
}

/// Every change of one number, word or name that leaves a program readable is found.
#[test]
fn changes_are_found() {
    let mut found = 0;
    for (seed, program) in programs(25) {
        let mut rng = Rng::new(seed);
        let original = document(&program);
        for _ in 0..60 {
            let mut changed = original.clone();
            let mut list = Vec::new();
            leaves(&mut changed, &mut list);
            let (k, other) = (rng.below(list.len()), rng.below(list.len()));
            let with = list[other].clone();
            *list[k] = match &*list[k] {
                Value::Bool(b) => Value::from(!*b),
                Value::Number(n) if n.is_i64() && rng.percent(50) => {
                    Value::from(n.as_i64().map(|n| n.wrapping_add(1)))
                }
                _ => with,
            };
            let Some(other) = read(&changed) else {
                continue;
            };
            if document(&other) == original {
                continue;
            }
            found += 1;
            let difference = same(&program, &other);
            assert!(
                difference.is_err(),
                "seed {seed}:\n{changed}\nis the same as\n{original}"
            );
        }
    }
    assert!(found > 300, "{found}");
}
