//! `cfgrev preaccumulate`: cheap elimination sequences for local Jacobians.

mod pictures;
mod program;

use crate::Outcome;
use crate::args::{Elimination, EmitGraph, Form, Model, Preaccumulate, Search, SearchTime};
use crate::input::{Session, Usage};
use crate::kind::Kind;
use crate::output::{create_folder, file_stem, refuse_existing, to_file, to_stdout};
use crate::progress::Status;
use anyhow::Context as _;
use bb_preaccum::cost::CostModel;
use bb_preaccum::heuristic::Technique;
use bb_preaccum::lcg::Lcg;
use bb_preaccum::report::Scarce;
use bb_preaccum::{listing, report, search};
use cfg_core::diagnostic::Diagnostics;
use cfg_core::text::Visible;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Steps, lines of code and vertices of a proof that the table for people shows.
const LINES: usize = 1000;

pub(crate) fn run(args: &Preaccumulate, session: &Session) -> anyhow::Result<Outcome> {
    let several = args.emit.iter().any(|form| *form != args.emit[0]);
    if args.output.is_none() && several {
        return Err(Usage("--emit of several forms needs a folder: -o DIR".into()).into());
    }
    if (args.panels || args.legend) && !args.emit.contains(&EmitGraph::Dot) {
        return Err(Usage("--panels and --legend need --emit dot".into()).into());
    }
    let text = session.read_source(&args.what.source)?;
    // Everything but a program is read as a graph, so errors are those of the reader of graphs.
    if text.language != cfg_languages::JSON || Kind::detect(&text.bytes) == Some(Kind::Program) {
        return program::run(args, &text, session);
    }
    if args.vertex.is_some() || args.what.select.routine.is_some() {
        let message = "--vertex and --routine choose a part of a program; FILE is a bare graph";
        return Err(Usage(message.into()).into());
    }
    let lcg = {
        let _progress = session.progress(format!("checking {}", text.name));
        Lcg::from_json(&text.bytes).map_err(Diagnostics::from)?
    };
    drop(text);
    let (found, scarce, milliseconds) = find(&lcg, args.search, args.clock, session)?;
    if found.interrupted {
        session.reporter.remark("interrupted: best so far");
    }
    let _progress = session.progress("writing");
    let stem = match lcg.name() {
        "" => "graph".to_owned(),
        name => file_stem(name),
    };
    let json = |out: &mut dyn Write, details: bool| {
        writeln!(
            out,
            "{}",
            report::to_json(&lcg, &found, scarce.as_ref(), milliseconds, details)
        )
    };
    let names = listing::ids(&lcg);
    let results = Results {
        stem: &stem,
        json: &json,
        listing: &|out| people(out, &lcg, &found, scarce.as_ref(), &names),
        steps: &|out| steps(out, &lcg, &found, &names),
        graphs: &[Drawn {
            stem: stem.clone(),
            lcg: &lcg,
            found: &found,
            names: names.clone(),
        }],
    };
    write(args, session, &results)?;
    Ok(Outcome::Done)
}

impl Model {
    /// The model of the library.
    pub(crate) fn model(self) -> CostModel {
        match self {
            Self::Plain => CostModel::Plain,
            Self::UnitFree => CostModel::UnitFree,
            Self::ConstantAware => CostModel::ConstantAware,
        }
    }
}

impl Elimination {
    /// The class of the library.
    pub(crate) fn technique(self) -> Option<Technique> {
        match self {
            Self::Vertex => Some(Technique::Vertex),
            Self::Edge => Some(Technique::Edge),
            Self::Face => Some(Technique::Face),
            Self::Auto => None,
        }
    }
}

/// The options of the search from the command line.
fn options(args: Search) -> search::Options<'static> {
    search::Options {
        model: args.model.map_or(CostModel::Plain, Model::model),
        technique: args.technique.technique(),
        heuristic: args.heuristic,
        seed: args.rng,
        exact: args.exact,
        chains: args.chains.map_or(search::DEFAULT_CHAINS, usize::from),
        ..search::Options::default()
    }
}

/// The part of the time that the search for a sequence may take; the rest is for its scarce representation.
const SEARCH: f64 = 0.9;

/// Searches, with a progress bar, until the end, the time limit or Ctrl-C.
fn find(
    lcg: &Lcg,
    args: Search,
    time: SearchTime,
    session: &Session,
) -> anyhow::Result<(search::Outcome, Option<Scarce>, u64)> {
    let interrupt = Interrupt::listen()?;
    let monitor = Arc::new(search::Monitor::default());
    let clock = Clock::start(time);
    let over = |part| clock.as_ref().is_some_and(|clock| clock.is_over(part));
    let late = || over(SEARCH);
    let options = search::Options {
        timer: clock.is_some().then_some(&late),
        interrupt: Some(&interrupt.flag),
        monitor: Some(&monitor),
        ..options(args)
    };
    let began = Instant::now();
    let _progress = {
        let monitor = Arc::clone(&monitor);
        let (time, exact) = (time.time.or(time.cpu_time), args.exact);
        session.watch("searching", move || Status {
            done: match time {
                Some(time) => Some(began.elapsed().as_secs_f64() * 1e3 / time.max(1) as f64),
                None if exact => None,
                None => Some(monitor.spent() as f64 / monitor.budget().max(1) as f64),
            },
            count: Some((monitor.spent(), "steps")),
            so_far: match monitor.best() {
                Some(cost) => format!("{cost} multiplications so far; Ctrl-C ends the search"),
                None => String::new(),
            },
        })
    };
    let found = search::search(lcg, &options);
    let mut stop = || interrupt.is_set() || over(1.0);
    let scarce = report::scarce(lcg, &found, &mut stop);
    let milliseconds = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
    Ok((found, scarce, milliseconds))
}

/// Says when the time is over: by the clock, or when so much processor time is used up or three times as much has
/// passed.
struct Clock {
    began: Instant,
    used: Option<Duration>,
    budget: Duration,
}

impl Clock {
    /// A clock that starts now; none if there is no limit.
    fn start(time: SearchTime) -> Option<Self> {
        let of = |milliseconds, used| Self {
            began: Instant::now(),
            used,
            budget: Duration::from_millis(milliseconds),
        };
        match (time.time, time.cpu_time) {
            (Some(passed), _) => Some(of(passed, None)),
            (None, Some(used)) => Some(of(used, processor_time())),
            (None, None) => None,
        }
    }

    /// True if this part of the budget is used up.
    fn is_over(&self, part: f64) -> bool {
        let budget = self.budget.mul_f64(part.clamp(0.0, 1.0));
        let passed = self.began.elapsed();
        // Several threads can use more processor time than passes by the clock.
        match (self.used, self.used.and_then(|_| processor_time())) {
            (Some(start), Some(now)) => now.saturating_sub(start) >= budget || passed / 3 >= budget,
            _ => passed >= budget,
        }
    }
}

/// Processor time of all threads.
#[cfg(unix)]
fn processor_time() -> Option<Duration> {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::try_from(time).ok()
}

/// Processor time of all threads, which is not known here.
#[cfg(not(unix))]
fn processor_time() -> Option<Duration> {
    None
}

/// Listens to Ctrl-C while it lives. The first one ends the search, the second one the program.
struct Interrupt {
    flag: Arc<AtomicBool>,
    handlers: Vec<signal_hook::SigId>,
}

impl Interrupt {
    fn listen() -> anyhow::Result<Self> {
        use signal_hook::{consts::SIGINT, flag};
        let signal = Arc::new(AtomicBool::new(false));
        let listen = || -> io::Result<Vec<signal_hook::SigId>> {
            // The order matters: at the first signal the flag is unset, so the program goes on; at the second it
            // ends.
            let end = flag::register_conditional_shutdown(SIGINT, 130, Arc::clone(&signal))?;
            let set = flag::register(SIGINT, Arc::clone(&signal))?;
            Ok(vec![end, set])
        };
        let handlers = listen().context("cannot listen to Ctrl-C")?;
        Ok(Self {
            flag: signal,
            handlers,
        })
    }
}

impl Interrupt {
    fn is_set(&self) -> bool {
        self.flag.load(Ordering::Relaxed)
    }
}

impl Drop for Interrupt {
    fn drop(&mut self) {
        for handler in self.handlers.drain(..) {
            signal_hook::low_level::unregister(handler);
        }
        self.flag.store(false, Ordering::Relaxed);
        // Unregistered handlers leave the signal ignored, so the default handling is set up again.
        let _ = crate::signals::listen();
    }
}

/// The results that `write` puts where the command line says.
struct Results<'a> {
    /// Stem of the files' names, for the object.
    stem: &'a str,
    /// The object, with or without code.
    json: &'a dyn Fn(&mut dyn Write, bool) -> io::Result<()>,
    /// The listing for people.
    listing: &'a dyn Fn(&mut dyn Write) -> io::Result<()>,
    /// Each elimination beside its code.
    steps: &'a dyn Fn(&mut dyn Write) -> io::Result<()>,
    /// Each graph that can be drawn.
    graphs: &'a [Drawn<'a>],
}

/// A graph with a sequence, to be drawn.
struct Drawn<'a> {
    /// The beginning of its files' names.
    stem: String,
    lcg: &'a Lcg,
    found: &'a search::Outcome,
    /// A name for each vertex.
    names: Vec<String>,
}

fn write(args: &Preaccumulate, session: &Session, results: &Results<'_>) -> anyhow::Result<()> {
    let emits = |form| args.emit.contains(&form);
    let nowhere = std::path::Path::new("");
    let folder = args.output.as_deref().unwrap_or(nowhere);
    let kinds = [
        (EmitGraph::Dot, pictures::Kind::Graphs),
        (EmitGraph::Jaes, pictures::Kind::Jaes),
    ];
    let pictures: Vec<pictures::Files<'_>> = kinds
        .into_iter()
        .filter(|(form, _)| emits(*form))
        .flat_map(|(_, kind)| {
            let graphs = results.graphs.iter();
            graphs.map(move |drawn| pictures::Files::new(folder, args, drawn, kind))
        })
        .collect();
    if args.output.is_none() {
        if !pictures.is_empty() {
            for pictures in pictures {
                pictures.print(session)?;
            }
            return Ok(());
        }
        return to_stdout(|out| {
            if emits(EmitGraph::Json) {
                (results.json)(out, true)
            } else if emits(EmitGraph::Steps) {
                (results.steps)(out)
            } else if args.format == Form::Json {
                (results.json)(out, false)
            } else {
                (results.listing)(out)
            }
        });
    }
    let object: Option<PathBuf> =
        emits(EmitGraph::Json).then(|| folder.join(format!("{}.preaccumulate.json", results.stem)));
    let listed: Option<PathBuf> =
        emits(EmitGraph::Steps).then(|| folder.join(format!("{}.steps.txt", results.stem)));
    // All or nothing, as far as it can be known before writing.
    for path in object
        .iter()
        .cloned()
        .chain(listed.clone())
        .chain(pictures.iter().flat_map(pictures::Files::paths))
    {
        refuse_existing(&path, args.force)?;
    }
    create_folder(folder)?;
    if let Some(path) = object {
        to_file(&path, args.force, |out| (results.json)(out, true))?;
    }
    if let Some(path) = listed {
        to_file(&path, args.force, |out| (results.steps)(out))?;
    }
    for pictures in pictures {
        pictures.write(args.force, session)?;
    }
    Ok(())
}

/// Each elimination beside its code and what it records.
fn steps(
    out: &mut dyn Write,
    lcg: &Lcg,
    found: &search::Outcome,
    names: &[String],
) -> io::Result<()> {
    let listed = listing::listing(lcg, &found.steps, names).map_err(io::Error::other)?;
    out.write_all(Visible(&listed.text()).to_string().as_bytes())
}

/// The table for people.
fn people(
    out: &mut dyn Write,
    lcg: &Lcg,
    found: &search::Outcome,
    scarce: Option<&Scarce>,
    names: &[String],
) -> io::Result<()> {
    let name = match lcg.name() {
        "" => "graph",
        name => name,
    };
    // Names come from outside and may hold anything.
    let name = Visible(name);
    writeln!(
        out,
        "{name}: inputs {}, intermediates {}, outputs {}, edges {}\n",
        lcg.inputs().len(),
        lcg.intermediates().count(),
        lcg.outputs().len(),
        lcg.edges().len()
    )?;
    writeln!(
        out,
        "multiplications ({}) of the heuristics",
        found.model.name()
    )?;
    writeln!(out, "{}", report::table(found))?;
    if found.interrupted {
        writeln!(out, "interrupted: best so far\n")?;
    }
    let done = search::recount(lcg, &found.steps).ok();
    let counts = done.map(|done| done.counts).unwrap_or_default();
    let what = match found.stopped {
        None => "best",
        Some(_) => "incomplete",
    };
    writeln!(
        out,
        "{what} sequence: {} multiplications, {} additions ({} of them fused)",
        found.cost,
        counts.additions,
        counts.fused(found.model),
    )?;
    if let Some(cause) = found.stopped {
        writeln!(
            out,
            "it stops at a remainder graph of {} edges: {}; a complete sequence needs {} multiplications or more",
            done.map_or(0, |done| done.edges_left),
            cause.sentence(),
            found.bound
        )?;
    }
    if let Some(scarce) = scarce {
        write!(out, "{}", report::scarcity(found, scarce))?;
    }
    writeln!(out, "{}", report::proof(lcg, found, LINES))?;
    let steps: Vec<String> = found
        .steps
        .iter()
        .take(LINES)
        .map(|&step| listing::step(step, names))
        .collect();
    let mut width = 0;
    for step in &steps {
        if width > 0 && width + 1 + step.len() > 100 {
            writeln!(out)?;
            width = 0;
        }
        let space = if width > 0 { " " } else { "" };
        write!(out, "{space}{step}")?;
        width += space.len() + step.len();
    }
    match found.steps.len() - steps.len() {
        0 => writeln!(out, "\n")?,
        rest => writeln!(out, "\n... {rest} more: --emit json has all of them\n")?,
    }
    out.write_all(report::code(lcg, found, names, LINES).as_bytes())
}
