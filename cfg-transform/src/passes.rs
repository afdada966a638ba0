//! Tests of each transformation on small programs: `passes/NAME/*.cfgrev` and, beside each, the result in a file
//! `.txt`. `BLESS=1` writes the latter.

use cfg_core::{
    entity::RoutineId,
    ir::{Cfg, VertexKind},
    memory::locations::Locations,
    structure::Structure,
    text,
    validate::{ValidProgram, validate},
};
use std::{fmt::Write, fs, path::Path};

use crate::{
    outline::{Region, outline},
    scalarize::{Scalarizer, print},
};

/// A transformation: the text of its result for the first routine of a program.
type Pass = fn(&ValidProgram) -> String;

/// The transformations by the names of their folders.
const PASSES: [(&str, Pass); 2] = [("scalarize", forms), ("outline", outlined)];

/// The forms of all assignments to arrays, and of all reductions that are right sides.
fn forms(program: &ValidProgram) -> String {
    let routine = &program.routines[0];
    let locations = Locations::divide(program, routine);
    let scalarizer = Scalarizer::new(routine, &locations);
    let printer = text::Printer::new(program, routine);
    let mut out = String::new();
    for (target, value) in routine.statements().filter_map(|s| s.kind.assignment()) {
        let (to, e) = (printer.display_place(target), printer.display_expr(value));
        writeln!(out, "{to} := {e}").expect("strings take everything");
        let array = cfg_core::typing::place_type(&routine.variables, target);
        let form = match value {
            _ if array.expect("the program is valid").rank > 0 => {
                scalarizer.assignment(target, value)
            }
            cfg_core::ir::Expr::Op(op, operands) => {
                scalarizer.reduction(*op, operands).map(|made| made.0)
            }
            _ => continue,
        };
        let mut steps = String::new();
        let form = form.expect("the program is valid");
        print(&mut steps, program, routine, &form).expect("strings take everything");
        for line in steps.lines() {
            writeln!(out, "    {line}").expect("strings take everything");
        }
    }
    out
}

/// The construct of vertex 10: a loop, a branch with its end, or a block.
fn construct(cfg: &Cfg, structure: Option<&Structure>) -> Region {
    let v = cfg.with_id(10).expect("there is a vertex 10");
    match (&cfg.vertex(v).kind, structure.and_then(|s| s.partner(v))) {
        (VertexKind::Loop { .. }, _) => Region::of_loop(cfg, v).expect("the loop has edges"),
        (VertexKind::Branch(_), Some(end)) => {
            Region::between(cfg, cfg.in_edges(v)[0], cfg.out_edges(end)[0])
        }
        _ => Region::new([v]),
    }
}

fn outlined(program: &ValidProgram) -> String {
    let id = RoutineId::new(0);
    let cfg = program.routines[0].body.as_ref().expect("there is a body");
    match outline(program, id, &construct(cfg, program.structure(id))) {
        Ok(made) => validate(made).unwrap_or_else(|d| panic!("{d}")).to_string(),
        Err(problems) => format!("{problems}\n"),
    }
}

#[test]
fn transformations_make_of_small_programs_what_their_files_say() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/passes");
    let folders = fs::read_dir(&root).expect("the folder exists").count();
    assert_eq!(folders, PASSES.len(), "each folder has a transformation");
    for (name, pass) in PASSES {
        let entries = fs::read_dir(root.join(name)).expect("the folder exists");
        let paths = entries.map(|entry| entry.expect("a folder can be read").path());
        let mut inputs: Vec<_> = paths
            .filter(|path| path.extension().is_some_and(|e| e == "cfgrev"))
            .collect();
        inputs.sort();
        assert!(!inputs.is_empty(), "{name} has no input");
        for path in inputs {
            let shown = path.display();
            let text = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{shown}: {e}"));
            let parsed = cfg_format::text::parse(&text);
            let problems = parsed.problems;
            let program = parsed
                .program
                .unwrap_or_else(|| panic!("{shown}\n{problems}"));
            let made = pass(&validate(program).unwrap_or_else(|d| panic!("{shown}\n{d}")));
            let expected = path.with_extension("txt");
            if std::env::var_os("BLESS").is_some() {
                fs::write(&expected, &made).unwrap_or_else(|e| panic!("{shown}: {e}"));
                continue;
            }
            let expected = fs::read_to_string(&expected).unwrap_or_else(|e| panic!("{shown}: {e}"));
            let expected = expected.replace("\r\n", "\n");
            assert_eq!(made, expected, "{shown}; BLESS=1 renews it");
        }
    }
}
