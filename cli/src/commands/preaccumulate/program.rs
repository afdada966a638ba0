//! The basic blocks of a program: graph, costs, sequence, bound and code of each.

use super::{Clock, Drawn, Interrupt, Results, SEARCH, options, people, steps, write};
use crate::Outcome;
use crate::args::Preaccumulate;
use crate::codes;
use crate::commands::{flatten, select_routine, wanted_parts, wishes};
use crate::input::Session;
use crate::output::{file_stem, problem};
use crate::report::Text;
use bb_preaccum::listing::{self, Elimination};
use bb_preaccum::report::{self, Scarce};
use bb_preaccum::search;
use cfg_core::ir::{Place, Stmt};
use cfg_core::text::Printer;
use cfg_reverse::preaccumulate::{Block, Preaccumulation, preaccumulate, preaccumulate_within};
use serde::Serialize;
use serde_json::value::RawValue;
use std::collections::{HashMap, HashSet};
use std::io::{self, Write};
use std::sync::OnceLock;
use std::time::Instant;

/// Statements of a block that the listing for people shows.
const LINES: usize = 1000;

pub(super) fn run(args: &Preaccumulate, text: &Text, session: &Session) -> anyhow::Result<Outcome> {
    let wanted = wanted_parts(&args.what.select, Some(&args.what.variables));
    let program = session.load_text(text, &wanted)?;
    let routine = select_routine(&program, &args.what.select, session)?;
    let wishes = wishes(&args.what.variables, args.what.heap, session);
    let (program, routine) = flatten((program, routine), &wishes, session)?;
    let interrupt = Interrupt::listen()?;
    let options = search::Options {
        interrupt: Some(&interrupt.flag),
        ..options(args.search)
    };
    let began = Instant::now();
    let clock: OnceLock<Option<Clock>> = OnceLock::new();
    let is_over = |part| {
        let clock = clock.get().and_then(Option::as_ref);
        clock.is_some_and(|clock| clock.is_over(part))
    };
    let mut result = {
        let _progress = session.progress("linearizing and searching");
        if args.clock.time.or(args.clock.cpu_time).is_some() {
            preaccumulate_within(&program, routine, &options, || {
                clock.get_or_init(|| Clock::start(args.clock));
                |part| is_over(part * SEARCH)
            })?
        } else {
            preaccumulate(&program, routine, &options)?
        }
    };
    if let Some(vertex) = args.vertex {
        let all: Vec<String> = vertices(&result);
        let blocks = &mut result.blocks;
        blocks.retain(|block| block.vertex == vertex);
        if blocks.is_empty() {
            return Err(problem(
                &codes::NO_BLOCK,
                format!("vertex {vertex} has no local Jacobian"),
                match &*all {
                    [] => "no block of this program has one".to_owned(),
                    all => format!("vertices that have one: {}", all.join(", ")),
                },
            ));
        }
    }
    // The rest of the time is divided evenly among the blocks.
    let count = result.blocks.len() as f64;
    let blocks = result.blocks.iter().enumerate();
    let scarce: Vec<Option<Scarce>> = blocks
        .map(|(at, block)| {
            let part = SEARCH + (1.0 - SEARCH) * (at + 1) as f64 / count;
            let mut stop = || interrupt.is_set() || is_over(part);
            report::scarce(&block.lcg, &block.outcome, &mut stop)
        })
        .collect();
    let milliseconds = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
    if result.blocks.iter().any(|block| block.outcome.interrupted) {
        session.reporter.remark("interrupted: best so far");
    }
    let _progress = session.progress("writing");
    let printers = result.printers();
    let graphs: Vec<Drawn<'_>> = result
        .blocks
        .iter()
        .map(|block| Drawn {
            stem: stem(&result, block),
            lcg: &block.lcg,
            found: &block.outcome,
            names: vertex_names(block, &printers[block.routine.index()][0]),
        })
        .collect();
    let results = Results {
        stem: "blocks",
        json: &|out, details| write_json(out, &result, &scarce, milliseconds, details),
        listing: &|out| listing(out, &result, &scarce),
        steps: &|out| all_steps(out, &result),
        graphs: &graphs,
    };
    write(args, session, &results)?;
    Ok(Outcome::Done)
}

/// Ids of the vertices that have a block, each once.
fn vertices(result: &Preaccumulation) -> Vec<String> {
    let mut ids: Vec<i64> = result.blocks.iter().map(|block| block.vertex).collect();
    ids.sort_unstable();
    ids.dedup();
    ids.truncate(20);
    ids.iter().map(i64::to_string).collect()
}

/// The beginning of file names: ROUTINE.VERTEX.STATEMENT.
fn stem(result: &Preaccumulation, block: &Block) -> String {
    let name = &result.program.routine(block.routine).name;
    let (vertex, first) = (block.vertex, block.statements.start);
    format!("{}.{vertex}.{first}", file_stem(name))
}

/// Names of the vertices that stand for variables.
#[derive(Serialize)]
struct Name {
    id: i64,
    variable: String,
}

#[derive(Serialize)]
struct EntryOut {
    source: i64,
    target: i64,
    value: String,
}

#[derive(Serialize)]
struct Code {
    linearized: Vec<String>,
    jacobian: Vec<String>,
    pushes: Vec<String>,
    adjoint: Vec<String>,
}

#[derive(Serialize)]
struct BlockOut<'a> {
    routine: &'a str,
    vertex: i64,
    /// First statement and the one after the last.
    statements: (usize, usize),
    independents: Vec<Name>,
    dependents: Vec<Name>,
    graph: Box<RawValue>,
    result: Box<RawValue>,
    pushed: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    entries: Option<Vec<EntryOut>>,
    /// Each elimination beside its code, in names of variables.
    #[serde(skip_serializing_if = "Option::is_none")]
    eliminations: Option<Vec<Elimination>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<Code>,
}

fn names(printer: &Printer<'_>, list: &[(i64, Place)]) -> Vec<Name> {
    list.iter()
        .map(|(id, place)| Name {
            id: *id,
            variable: printer.display_place(place).to_string(),
        })
        .collect()
}

fn write_json(
    out: &mut dyn Write,
    result: &Preaccumulation,
    scarce: &[Option<Scarce>],
    milliseconds: u64,
    details: bool,
) -> io::Result<()> {
    let printers = result.printers();
    out.write_all(b"{\"blocks\":[")?;
    for (k, block) in result.blocks.iter().enumerate() {
        if k > 0 {
            out.write_all(b",\n")?;
        }
        let [forward, reverse] = &printers[block.routine.index()];
        let lines = |printer: &Printer<'_>, list: &[Stmt]| -> Vec<String> {
            list.iter()
                .map(|s| printer.display_stmt(s).to_string())
                .collect()
        };
        // The time is that of the whole program.
        let (lcg, outcome, scarce) = (&block.lcg, &block.outcome, scarce[k].as_ref());
        let found = report::to_json(lcg, outcome, scarce, milliseconds, details);
        let shown = BlockOut {
            routine: &result.program.routine(block.routine).name,
            vertex: block.vertex,
            statements: (block.statements.start, block.statements.end),
            independents: names(forward, &block.independents),
            dependents: names(forward, &block.dependents),
            graph: RawValue::from_string(lcg.to_json())?,
            result: RawValue::from_string(found)?,
            pushed: block.pushes.len(),
            entries: details.then(|| {
                let entries = block.entries.iter();
                entries
                    .map(|(source, target, value)| EntryOut {
                        source: *source,
                        target: *target,
                        value: forward.display_expr(value).to_string(),
                    })
                    .collect()
            }),
            eliminations: details
                .then(|| {
                    let names = vertex_names(block, forward);
                    listing::listing(&block.lcg, &block.outcome.steps, &names)
                })
                .transpose()
                .map_err(io::Error::other)?
                .map(|listed| listed.eliminations),
            code: details.then(|| Code {
                linearized: lines(forward, &block.linearized),
                jacobian: lines(forward, &block.jaes),
                pushes: lines(forward, &block.pushes),
                adjoint: lines(reverse, &block.reverse),
            }),
        };
        serde_json::to_writer(&mut *out, &shown)?;
    }
    writeln!(out, "]}}")
}

/// A name for each vertex: the variable that it is a value of, with primes for earlier values, or `t` and a
/// number for what is inside an expression.
fn vertex_names(block: &Block, printer: &Printer<'_>) -> Vec<String> {
    let place = |v: usize| {
        let id = usize::try_from(block.lcg.id(v as u32) - 1).ok()?;
        let place = block.names.get(id)?.as_ref()?;
        Some(printer.display_place(place).to_string())
    };
    let count = block.lcg.vertex_count();
    let places: Vec<Option<String>> = (0..count).map(place).collect();
    let known: HashSet<&str> = places.iter().flatten().map(String::as_str).collect();
    let mut numbers = (0..)
        .map(|at| {
            if at == 0 {
                "t".to_owned()
            } else {
                format!("t{at}")
            }
        })
        .filter(|name| !known.contains(name.as_str()));
    // The last value of a variable has the plain name.
    let mut later: HashMap<&str, usize> = HashMap::new();
    let mut names = vec![String::new(); count];
    for v in (0..count).rev() {
        if let Some(place) = &places[v] {
            let primes = later.entry(place).or_insert(0);
            names[v] = format!("{place}{}", "'".repeat(*primes));
            *primes += 1;
        }
    }
    for name in names.iter_mut().filter(|name| name.is_empty()) {
        name.extend(numbers.next());
    }
    names
}

fn all_steps(out: &mut dyn Write, result: &Preaccumulation) -> io::Result<()> {
    let printers = result.printers();
    for (k, block) in result.blocks.iter().enumerate() {
        if k > 0 {
            writeln!(out)?;
        }
        let routine = &result.program.routine(block.routine).name;
        let (vertex, range) = (block.vertex, &block.statements);
        let (first, last) = (range.start + 1, range.end);
        writeln!(
            out,
            "routine {routine}, vertex {vertex}, statements {first} to {last}"
        )?;
        let [forward, _] = &printers[block.routine.index()];
        steps(
            out,
            &block.lcg,
            &block.outcome,
            &vertex_names(block, forward),
        )?;
    }
    Ok(())
}

fn listing(
    out: &mut dyn Write,
    result: &Preaccumulation,
    scarce: &[Option<Scarce>],
) -> io::Result<()> {
    if result.blocks.is_empty() {
        return writeln!(out, "no block has a local Jacobian");
    }
    let printers = result.printers();
    for (k, block) in result.blocks.iter().enumerate() {
        if k > 0 {
            writeln!(out)?;
        }
        writeln!(
            out,
            "routine {}, vertex {}, statements {} to {}",
            result.program.routine(block.routine).name,
            block.vertex,
            block.statements.start + 1,
            block.statements.end
        )?;
        let [forward, reverse] = &printers[block.routine.index()];
        for (what, list) in [
            ("independents", &block.independents),
            ("dependents", &block.dependents),
        ] {
            let shown: Vec<String> = names(forward, &list[..list.len().min(LINES)])
                .iter()
                .map(|name| format!("{} = {}", name.id, name.variable))
                .collect();
            writeln!(out, "{what}: {}", shown.join(", "))?;
        }
        people(
            out,
            &block.lcg,
            &block.outcome,
            scarce[k].as_ref(),
            &vertex_names(block, forward),
        )?;
        for (what, printer, list) in [
            ("linearized block", forward, &block.linearized),
            ("Jacobian code", forward, &block.jaes),
            ("recorded", forward, &block.pushes),
            ("adjoint block", reverse, &block.reverse),
        ] {
            writeln!(out, "\n{what}: {} statements", list.len())?;
            for statement in list.iter().take(LINES) {
                writeln!(out, "  {}", printer.display_stmt(statement))?;
            }
            if list.len() > LINES {
                writeln!(out, "  ... {} more", list.len() - LINES)?;
            }
        }
    }
    Ok(())
}
