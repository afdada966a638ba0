//! The XAIF documents of the corpus, and our own: programs, gradients and tangents, at the point of their references.

use crate::{
    families::options,
    random::check,
    support::{Job, jobs},
};
use cfg_core::{
    ir::{Expr, Extent, Program, Role, ScalarType, Variable},
    validate::validate,
};
use cfg_front::xaif::{self, read_xaif};
use cfg_testkit::{
    case::{Case, Datum, Elements},
    needs,
};
use std::{collections::BTreeMap, path::Path};

/// The numbers of inputs and outputs of each document of a folder.
fn sizes(folder: &Path) -> BTreeMap<String, [i64; 2]> {
    let text = std::fs::read_to_string(folder.join("expected.jsonl")).unwrap();
    let size = |line: &str| {
        let entry: serde_json::Value = serde_json::from_str(line).unwrap();
        let number = |name: &str| entry[name].as_i64().unwrap();
        let name = entry["name"].as_str().unwrap().to_owned();
        (name, [number("n"), number("m")])
    };
    text.lines().map(size).collect()
}

/// Elements of a variable: independents are 1/2, 2/2, ..., others 0.
fn datum(variable: &Variable, varied: bool, next: &mut usize) -> Option<Datum> {
    let mut extents = Vec::new();
    for dim in &variable.shape {
        let Extent::Fixed(Expr::Int(n)) = dim.extent else {
            return None;
        };
        extents.push(usize::try_from(n).ok()?);
    }
    let count: usize = extents.iter().product();
    let mut real = || {
        if !varied {
            return 0.0;
        }
        *next += 1;
        *next as f64 / 2.0
    };
    let elements = match variable.ty {
        ScalarType::Real => Elements::Real((0..count).map(|_| real()).collect()),
        ScalarType::Real32 => Elements::Real32((0..count).map(|_| real() as f32).collect()),
        ScalarType::Integer => Elements::Integer(vec![0; count]),
        ScalarType::Sized(ty) => Elements::Sized(ty, vec![0; count]),
        ScalarType::Logical => Elements::Logical(vec![false; count]),
        ScalarType::Tape | ScalarType::Record(_) | ScalarType::Pointer(_) => return None,
    };
    Some(Datum { extents, elements })
}

/// The program at its point; extents that the program leaves to its caller are taken from its reference.
fn case(mut program: Program, size: Option<[i64; 2]>) -> Option<Case> {
    let main = program.main?;
    let routine = &mut program.routines[main.index()];
    let [n, m] = size.unwrap_or([1, 1]);
    for v in routine.parameter_ids().collect::<Vec<_>>() {
        let varied = routine.independents.contains(&v);
        let dims = &mut routine.variables[v.index()].shape;
        for dim in dims.iter_mut().filter(|dim| dim.extent == Extent::Deferred) {
            dim.extent = Extent::Fixed(Expr::Int(if varied { n } else { m }));
        }
    }
    let routine = program.routine(main);
    let mut next = 0;
    let mut point = Vec::new();
    for (v, variable) in routine.variables.iter().enumerate() {
        let v = cfg_core::entity::VarId::new(v);
        let varied = routine.independents.contains(&v);
        let listed = varied || routine.dependents.contains(&v);
        let wanted = match variable.role {
            Role::Parameter { .. } => true,
            Role::Global(_) => listed,
            Role::Local => false,
        };
        if wanted {
            point.push((v, datum(variable, varied, &mut next)?));
        }
    }
    Some(Case {
        program,
        main,
        point,
        direction: Vec::new(),
        seed: Vec::new(),
    })
}

/// The jobs of the documents of a folder that can be read and run.
fn all(folder: &Path) -> Vec<Job> {
    let sizes = sizes(folder);
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "xaif"))
        .collect();
    files.sort();
    let mut found = Vec::new();
    for (seed, file) in (0..).zip(files) {
        let name = file.file_stem().unwrap().to_str().unwrap();
        let bytes = std::fs::read(&file).unwrap();
        let (program, _) = read_xaif(&bytes, &xaif::Options::default());
        let made = program.and_then(|program| case(program, sizes.get(name).copied()));
        if let Some(case) = made
            && validate(case.program.clone()).is_ok()
        {
            found.extend(jobs(name, &case, &options(seed), seed));
        }
    }
    found
}

#[test]
fn openad() {
    let Some(folder) = needs::corpus("openad") else {
        return;
    };
    let all = all(&folder);
    // Of 114 documents 98 have a reference and can be run.
    assert!(all.len() >= 3 * 98, "{}", all.len());
    check(&all);
}

#[test]
fn own_documents() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../fixtures/xaif");
    let all = all(Path::new(folder));
    assert!(all.len() >= 100, "{}", all.len());
    check(&all);
}
