//! Tests of each pass on small programs: `passes/PASS/NAME.cfgrev` and, beside it, the result `NAME.txt`, both in the
//! text form. `BLESS=1` writes the latter.

use cfg_core::{
    diagnostic::Diagnostics,
    entity::RoutineId,
    flat::Flat,
    ir::{Program, Routine},
    memory::effects::Effects,
    recover::{flatten, recover},
    text,
    validate::{ValidProgram, validate},
};
use std::{fs, num::NonZeroU32, path::Path};

use crate::{
    Blocks, Directions, Inside, Options, Prefer, Results, Unstructured, directions,
    explain::explain,
    memory::summary::Summary,
    prepare::{lower::lower, normalize::normalize, tables_of_first_cells},
    reverse, skip_idle_loops, tangent, without_unused_parameters,
};

/// A pass: from a program and its main routine to the text of the result.
type Pass = fn(&ValidProgram, RoutineId) -> Result<String, Diagnostics>;

/// The passes by the names of their folders.
const PASSES: [(&str, Pass); 28] = [
    ("flatten", |valid, main| {
        Ok(one(
            valid,
            &flatten(valid, &Effects::summarise(valid), valid.routine(main)),
        ))
    }),
    ("recover", |valid, main| {
        Ok(one(
            valid,
            &recover(valid, &Effects::summarise(valid), valid.routine(main)),
        ))
    }),
    ("normalize", |valid, main| {
        let normal = normalize(valid, &Summary::summarise(valid), main);
        Ok(one(valid, &normal.routine))
    }),
    ("subscripts", |valid, main| {
        let flat = flat(valid)?;
        let summary = Summary::summarise(&flat);
        let mut normal = normalize(&flat, &summary, main);
        if let Some(structure) = flat.structure(main) {
            normal.substitute(&flat, &summary, &tables_of_first_cells(&flat), structure);
        }
        Ok(one(&flat, &normal.routine))
    }),
    ("split", |valid, main| {
        let mut normal = normalize(valid, &Summary::summarise(valid), main);
        normal.split(valid);
        Ok(one(valid, &normal.routine))
    }),
    ("lower", |valid, main| {
        let summary = Summary::summarise(valid);
        let mut normal = normalize(valid, &summary, main);
        let routine = lower(valid, &summary, normal.routine, false, &mut normal.namer)?;
        Ok(one(valid, &routine))
    }),
    ("reverse", |valid, main| {
        sweeps(valid, main, &Options::default())
    }),
    // The model of L. Hascoët, V. Pascual, *The Tapenade AD tool*, INRIA RR-7957: values and markers are recorded as
    // they are overwritten, adjoints of statements read operands.
    ("save_on_kill", |valid, main| {
        let options = Options {
            operands: true,
            ..Options::default()
        };
        sweeps(valid, main, &options)
    }),
    ("naive", |valid, main| {
        let options = Options {
            operands: true,
            values: true,
            ..Options::default()
        };
        sweeps(valid, main, &options)
    }),
    ("merge", |valid, main| {
        let options = Options {
            merge: true,
            ..Options::default()
        };
        sweeps(valid, main, &options)
    }),
    ("preaccumulate", |valid, main| {
        let options = Options {
            blocks: Blocks::Preaccumulate,
            ..Options::default()
        };
        sweeps(valid, main, &options)
    }),
    ("choose", |valid, main| {
        let options = Options {
            blocks: Blocks::Auto,
            ..Options::default()
        };
        sweeps(valid, main, &options)
    }),
    ("gradient", |valid, main| {
        let reversal = reverse(&flat(valid)?, main, &Options::default())?;
        Ok(all(&reversal.program, [reversal.gradient].into_iter()))
    }),
    ("gradient_alone", |valid, main| {
        let options = Options {
            results: Results::Drop,
            ..Options::default()
        };
        let reversal = reverse(&flat(valid)?, main, &options)?;
        Ok(all(&reversal.program, [reversal.gradient].into_iter()))
    }),
    ("gradient_memory", |valid, main| {
        let options = Options {
            results: Results::Drop,
            prefer: Prefer::Memory,
            ..Options::default()
        };
        let reversal = reverse(&flat(valid)?, main, &options)?;
        Ok(all(&reversal.program, [reversal.gradient].into_iter()))
    }),
    ("gradient_naive", |valid, main| {
        let options = Options {
            results: Results::Drop,
            values: true,
            ..Options::default()
        };
        let reversal = reverse(&flat(valid)?, main, &options)?;
        Ok(all(&reversal.program, [reversal.gradient].into_iter()))
    }),
    ("trace", |valid, main| {
        let options = Options {
            unstructured: Unstructured::Trace,
            ..Options::default()
        };
        sweeps(valid, main, &options)
    }),
    ("explain", |valid, main| {
        Ok(explain(&flat(valid)?, main, &Options::default())?.to_string())
    }),
    ("explain_preaccumulated", |valid, main| {
        let options = Options {
            blocks: Blocks::Preaccumulate,
            ..Options::default()
        };
        Ok(explain(&flat(valid)?, main, &options)?.to_string())
    }),
    ("explain_always", |valid, main| {
        let options = Options {
            counters: true,
            markers: true,
            ..Options::default()
        };
        Ok(explain(&flat(valid)?, main, &options)?.to_string())
    }),
    ("explain_integers", |valid, main| {
        let options = Options {
            indices: true,
            ..Options::default()
        };
        Ok(explain(&flat(valid)?, main, &options)?.to_string())
    }),
    ("inside", |valid, main| {
        let options = Options {
            inside: Inside::Arrays,
            ..Options::default()
        };
        sweeps(valid, main, &options)
    }),
    ("idle", |valid, main| {
        let reversal = reverse(&flat(valid)?, main, &Options::default())?;
        let skipping = skip_idle_loops(reversal.program);
        Ok(all(&skipping, [reversal.reverse].into_iter()))
    }),
    ("parameters", |valid, main| {
        let made = reverse(&flat(valid)?, main, &Options::default())?;
        let first = RoutineId::new(valid.routines.len());
        let heads = [made.forward, made.reverse, made.gradient];
        let program = without_unused_parameters(made.program, first, &heads, &[]);
        let program = validate(program)?;
        let shown = 0..program.routines.len();
        Ok(all(&program, shown.map(RoutineId::new)))
    }),
    ("tangent", |valid, main| {
        let flat = flat(valid)?;
        let tangent = tangent(&flat, main)?.regrouped(&flat)?;
        let generated = valid.routines.len()..tangent.program.routines.len();
        Ok(all(&tangent.program, generated.map(RoutineId::new)))
    }),
    ("directions", |valid, main| {
        let tangent = tangent(&flat(valid)?, main)?;
        let reversal = reverse(&flat(valid)?, main, &Options::default())?;
        let sweeps = (reversal.sweeps.iter()).map(|&(_, _, reverse)| reverse);
        let mut shown = Vec::new();
        for (program, routines) in [
            (tangent.program, vec![tangent.tangent]),
            (reversal.program, sweeps.collect()),
        ] {
            let before = program.routines.len();
            let (program, _) = directions(program, &routines, &[], Directions::Given)?;
            let generated = before..program.routines.len();
            shown.push(all(&program, generated.map(RoutineId::new)));
        }
        Ok(shown.join("\n"))
    }),
    ("directions_of_tangent", |valid, main| {
        let tangent = tangent(&flat(valid)?, main)?;
        let before = tangent.program.routines.len();
        let given = Directions::Given;
        let (program, _) = directions(tangent.program, &[tangent.tangent], &[], given)?;
        let generated = before..program.routines.len();
        Ok(all(&program, generated.map(RoutineId::new)))
    }),
    ("fixed_directions", |valid, main| {
        let reversal = reverse(&flat(valid)?, main, &Options::default())?;
        let before = reversal.program.routines.len();
        let (globals, routines) = (reversal.program.globals.len(), [reversal.gradient]);
        let derivatives: Vec<_> = reversal.adjoint_globals.iter().map(|&(_, g)| g).collect();
        let three = Directions::Fixed(const { NonZeroU32::new(3).unwrap() });
        let (program, _) = directions(reversal.program, &routines, &derivatives, three)?;
        let mut shown: Vec<String> = (program.globals.iter().skip(globals))
            .map(|g| format!("{}: {:?}\n", g.variable.name, g.variable.shape))
            .collect();
        let generated = before..program.routines.len();
        shown.push(all(&program, generated.map(RoutineId::new)));
        Ok(shown.join("\n"))
    }),
];

/// The program without its records.
fn flat(valid: &ValidProgram) -> Result<Flat, Diagnostics> {
    let options = cfg_transform::flat::Options::default();
    Ok(cfg_transform::flatten(valid.clone(), &[], &options)?.program)
}

fn one(program: &Program, routine: &Routine) -> String {
    let mut out = String::new();
    text::routine(&mut out, program, routine).expect("strings take everything");
    out
}

fn all(program: &Program, routines: impl Iterator<Item = RoutineId>) -> String {
    let all: Vec<String> = routines.map(|r| one(program, program.routine(r))).collect();
    all.join("\n")
}

/// The forward and the reverse sweep of every routine.
fn sweeps(valid: &ValidProgram, main: RoutineId, options: &Options) -> Result<String, Diagnostics> {
    let flat = flat(valid)?;
    let reversal = reverse(&flat, main, options)?.regrouped(&flat)?;
    let sweeps = reversal.sweeps.iter().flat_map(|&(_, f, r)| [f, r]);
    Ok(all(&reversal.program, sweeps))
}

/// The inputs of a pass, in the order of their names.
fn inputs(folder: &Path) -> Vec<std::path::PathBuf> {
    let entries = fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let paths = entries.map(|entry| entry.expect("a folder can be read").path());
    let mut found: Vec<_> = paths
        .filter(|path| path.extension().is_some_and(|e| e == "cfgrev"))
        .collect();
    found.sort();
    found
}

#[test]
fn passes_make_of_small_programs_what_their_files_say() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/passes");
    let folders = fs::read_dir(&root).expect("the folder exists").count();
    assert_eq!(folders, PASSES.len(), "each folder has a pass");
    for (name, pass) in PASSES {
        let inputs = inputs(&root.join(name));
        assert!(!inputs.is_empty(), "{name} has no input");
        for path in inputs {
            let shown = path.display();
            let text = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{shown}: {e}"));
            let parsed = cfg_format::text::parse(&text);
            let problems = parsed.problems;
            let program = parsed
                .program
                .unwrap_or_else(|| panic!("{shown}\n{problems}"));
            let valid = validate(program).unwrap_or_else(|d| panic!("{shown}\n{d}"));
            let main = valid.main.unwrap_or(RoutineId::new(0));
            let made = pass(&valid, main).unwrap_or_else(|d| panic!("{shown}\n{d}"));
            let expected = path.with_extension("txt");
            if std::env::var_os("BLESS").is_some() {
                fs::write(&expected, &made).unwrap_or_else(|e| panic!("{shown}: {e}"));
                continue;
            }
            let expected = fs::read_to_string(&expected).unwrap_or_else(|e| panic!("{shown}: {e}"));
            assert_eq!(
                made,
                expected.replace("\r\n", "\n"),
                "{shown}; BLESS=1 renews it"
            );
        }
    }
}
