//! XAIF, the exchange format of OpenAD.
//!
//! [`read_xaif`] takes a document apart in steps, each in its own module: `xml` parses it into an arena
//! (without entities, without recursion); `model` reads the declarations; `scan` resolves every
//! reference and finds what each routine uses and writes; `storage` finds COMMON and EQUIVALENCE;
//! `hidden` finds what markers stand for; `lower` and its companions turn each routine into one of the
//! representation; `effects` names independents and dependents. See `docs/xaif.md`.

mod bind;
mod bits;
mod codes;
mod common;
mod control;
mod effects;
mod exact;
mod expression;
mod graph;
mod helpers;
mod hidden;
mod intrinsics;
mod legal;
mod loops;
mod lower;
mod model;
mod names;
mod packing;
mod passed;
mod scan;
mod shapes;
mod shifting;
mod spelling;
mod storage;
mod strings;
mod transformational;
mod typed;
mod unstructured;
mod write;
mod xml;

use cfg_core::{
    diagnostic::{Diagnostic, Diagnostics, Severity},
    entity::{GlobalId, RoutineId},
    ir::{Dim, Expr, Global, Order, Overlay, Program, Role, Variable},
};
use common::Cluster;
use graph::Places;
use lower::{Lower, Shared, annotations, free};
use model::{Model, Sink, SymbolId, SymbolType};
use scan::{Home, Scan};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use storage::Storage;
use xml::{Document, El, NodeId};

pub use codes::CODES;
pub use names::{find_routine, find_variable, short_name};
pub use write::{to_string, write_xaif};

/// What the user says besides the document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The top routine; by default the only one that is not called, else `head`.
    pub routine: Option<String>,
    /// Independents; by default the active formals of the top routine that are read before they are
    /// written.
    pub independents: Vec<String>,
    /// Dependents; by default the active formals of the top routine that are written.
    pub dependents: Vec<String>,
}

/// Reads a whole input. Of one that begins like no XML document only the beginning is returned: what is wrong there
/// is for [`read_xaif`] to say.
///
/// # Errors
/// The input cannot be read.
pub fn load(mut input: impl std::io::Read) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut piece = vec![0; 1 << 16];
    loop {
        match input.read(&mut piece) {
            Ok(0) => return Ok(bytes),
            Ok(count) => {
                let start = bytes.len();
                bytes.extend_from_slice(&piece[..count]);
                // No document has a NUL, unless it is in an encoding that is not read.
                if bytes[start..].contains(&0) || !begins_like_xml(&bytes) {
                    return Ok(bytes);
                }
            }
            Err(e) if e.kind() == std::io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
}

fn begins_like_xml(bytes: &[u8]) -> bool {
    const MARK: &[u8] = b"\xef\xbb\xbf";
    if MARK.starts_with(bytes) {
        return true;
    }
    let text = bytes.strip_prefix(MARK).unwrap_or(bytes);
    let first = text.iter().find(|b| !b.is_ascii_whitespace());
    first.is_none_or(|b| *b == b'<')
}

/// Reads a document. The program is there unless there are errors; warnings may come with it.
///
/// Names: a routine or variable is called by its symbol without the trailing number, in lower case;
/// where two of one routine would have the same name, by the whole `symbol_id`. The symbol is kept in the
/// annotations (`{"xaif": {"symbol": ...}}`), and [`find_routine`] and [`find_variable`] accept both.
pub fn read_xaif(bytes: &[u8], options: &Options) -> (Option<Program>, Diagnostics) {
    let text = match xml::decode(bytes) {
        Ok(text) => text,
        Err(problem) => return (None, Diagnostics::from(*problem)),
    };
    let doc = match Document::parse(&text) {
        Ok(doc) => doc,
        Err(problem) => return (None, Diagnostics::from(*problem)),
    };
    let mut sink = Sink::default();
    let program = match exact::declarations(&doc) {
        Some(declared) => exact::program(&doc, &declared, options, &mut sink),
        None => program(&doc, options, &mut sink),
    };
    (program.filter(|_| !sink.failed()), sink.found)
}

fn program(doc: &Document<'_>, options: &Options, sink: &mut Sink) -> Option<Program> {
    let mut model = Model::read(doc, sink);
    if sink.failed() {
        return None;
    }
    let scan = Scan::of(doc, &model, sink);
    if sink.failed() {
        return None;
    }
    model.assume_sizes(&scan.beyond);
    let hidden = hidden::find(doc, &model, &scan, sink);
    let storage = Storage::of(doc, &model, &scan, sink);
    let functions = functions(doc, &scan);
    let mut routine_names = HashSet::new();
    let names: Vec<String> = model
        .routines
        .iter()
        .map(|d| free(&mut routine_names, &short_name(&d.symbol), &d.symbol))
        .collect();
    let parameters = parameter_names(&model, &scan);
    let mut program = Program {
        annotations: annotations(vec![(
            "program",
            json!(
                doc.attr(doc.root(), xml::At::ProgramName)
                    .unwrap_or_default()
            ),
        )]),
        ..Program::default()
    };
    let globals = globals(
        doc,
        &model,
        &scan,
        &storage,
        &parameters,
        &mut program,
        sink,
    );
    let shared = Shared {
        doc,
        model: &model,
        scan: &scan,
        storage: &storage,
        hidden: &hidden,
        globals: &globals,
        parameters: &parameters,
        functions: &functions,
    };
    let mut helpers = helpers::Helpers::new(routine_names, model.routines.len());
    let mut places = Vec::with_capacity(names.len());
    for (r, name) in names.into_iter().enumerate() {
        let (routine, place) = Lower::routine(&shared, &mut helpers, sink, r, name);
        program.routines.push(routine);
        places.push(place);
    }
    for &r in &helpers.aliased {
        program.routines[r].aliased = true;
    }
    program.routines.append(&mut helpers.routines);
    if sink.failed() {
        return None;
    }
    effects::independents(doc, &model, &scan, &mut program);
    main(doc, &model, &scan, options, &mut program, sink);
    if sink.failed() {
        return None;
    }
    validated(doc, &model, &places, &program, sink);
    Some(program)
}

/// Routines that some expression calls.
fn functions(doc: &Document<'_>, scan: &Scan) -> BTreeSet<usize> {
    scan.callee
        .iter()
        .filter(|(n, _)| doc.name(**n) == El::FunctionCall)
        .map(|(_, r)| *r)
        .collect()
}

/// Names of formals and of variables of hosts, which become parameters.
fn parameter_names(model: &Model, scan: &Scan) -> Vec<Vec<String>> {
    let mut all = Vec::with_capacity(model.routines.len());
    for (decl, routine) in model.routines.iter().zip(&scan.routines) {
        let mut taken = HashSet::new();
        let formals = decl.formals.iter().map(|f| f.0);
        all.push(
            formals
                .chain(routine.host.iter().copied())
                .map(|s| {
                    let id = &model.symbols[s].id;
                    free(&mut taken, &short_name(id), id)
                })
                .collect(),
        );
    }
    all
}

/// The global variables of the program, by leading symbol.
fn globals(
    doc: &Document<'_>,
    model: &Model,
    scan: &Scan,
    storage: &Storage,
    parameters: &[Vec<String>],
    program: &mut Program,
    sink: &mut Sink,
) -> HashMap<SymbolId, Variable> {
    // Members of each storage, and the parameter names that its own must not hide.
    let mut members: BTreeMap<SymbolId, BTreeSet<SymbolId>> = BTreeMap::new();
    let mut hides: HashMap<SymbolId, HashSet<&str>> = HashMap::new();
    for (r, routine) in scan.routines.iter().enumerate() {
        for &symbol in &routine.used {
            if Scan::home(model, r, symbol) != Home::Global || !model.symbols[symbol].variable {
                continue;
            }
            let leader = storage.leader(symbol);
            members.entry(leader).or_default().insert(symbol);
            let names = hides.entry(leader).or_default();
            names.extend(parameters[r].iter().map(String::as_str));
        }
    }
    let mut wishes: HashMap<String, usize> = HashMap::new();
    for &leader in members.keys() {
        *wishes
            .entry(short_name(&model.symbols[leader].id))
            .or_default() += 1;
    }
    let mut taken = HashSet::new();
    let mut found = HashMap::new();
    // What others lie over comes first.
    let bases: Vec<Option<Base>> = storage
        .clusters
        .iter()
        .map(|cluster| base(model, cluster, &members, &mut taken, program))
        .collect();
    let first: BTreeSet<SymbolId> = bases
        .iter()
        .filter_map(|b| match b {
            Some(Base::Member(leader)) => Some(*leader),
            Some(Base::Added(_)) | None => None,
        })
        .collect();
    let (bases_first, others): (Vec<SymbolId>, Vec<SymbolId>) =
        members.keys().partition(|leader| first.contains(leader));
    for leader in bases_first.into_iter().chain(others) {
        let symbol = &model.symbols[leader];
        // A global of a type that is not computed with gets no variable; using it is an error.
        let SymbolType::Scalar(ty) = symbol.ty else {
            continue;
        };
        let short = short_name(&symbol.id);
        let clear = wishes.get(&short) == Some(&1)
            && hides
                .get(&leader)
                .is_none_or(|h| !h.contains(short.as_str()));
        let wish = if clear { &short } else { &symbol.id };
        let name = free(&mut taken, wish, &symbol.id);
        let id = GlobalId::new(program.globals.len());
        let role = Role::Global(id);
        let shape = shapes::declared(doc, model, leader, role, sink);
        let mut variable = Variable::new(name, ty, shape, role);
        variable.order = Order::Column;
        let symbols: Vec<&str> = members[&leader]
            .iter()
            .map(|&m| model.symbols[m].id.as_str())
            .collect();
        variable.annotations = annotations(vec![("symbols", json!(symbols))]);
        found.insert(leader, variable.clone());
        program.globals.push(Global {
            variable,
            initial: None,
            overlay: None,
        });
    }
    for (cluster, base) in storage.clusters.iter().zip(bases) {
        if let Some(base) = base {
            overlay(cluster, base, &found, program);
        }
    }
    found
}

/// What the members of a cluster lie over.
enum Base {
    /// The member that has all cells.
    Member(SymbolId),
    /// A global that has been added, as none has.
    Added(GlobalId),
}

/// The base of a cluster; `None` if it has one variable of those that are computed with.
fn base(
    model: &Model,
    cluster: &Cluster,
    members: &BTreeMap<SymbolId, BTreeSet<SymbolId>>,
    taken: &mut HashSet<String>,
    program: &mut Program,
) -> Option<Base> {
    let computed = |s: SymbolId| {
        members.contains_key(&s) && matches!(model.symbols[s].ty, SymbolType::Scalar(_))
    };
    let mut present = cluster.members.iter().filter(|m| computed(m.0));
    let whole = present
        .clone()
        .find(|m| m.1 == 0 && m.2 == cluster.cells)
        .map(|m| Base::Member(m.0));
    present.nth(1)?;
    Some(whole.unwrap_or_else(|| {
        let id = GlobalId::new(program.globals.len());
        let block = cluster.block.trim_matches('_').to_ascii_lowercase();
        let wish = format!("common_{block}");
        let name = free(taken, &wish, &format!("{wish}_{}", id.index()));
        let shape = vec![Dim::of(Expr::Int(cluster.cells))];
        let mut variable = Variable::new(name, cluster.ty, shape, Role::Global(id));
        variable.order = Order::Column;
        variable.annotations = annotations(vec![("common", json!(cluster.block))]);
        program.globals.push(Global {
            variable,
            initial: None,
            overlay: None,
        });
        Base::Added(id)
    }))
}

/// Lays the variables of a cluster over its base.
fn overlay(
    cluster: &Cluster,
    base: Base,
    found: &HashMap<SymbolId, Variable>,
    program: &mut Program,
) {
    let global = |symbol: SymbolId| match found.get(&symbol)?.role {
        Role::Global(id) => Some(id),
        Role::Local | Role::Parameter { .. } => None,
    };
    let base = match base {
        Base::Member(symbol) => global(symbol),
        Base::Added(id) => Some(id),
    };
    let Some(base) = base else { return };
    for &(symbol, offset, _) in &cluster.members {
        if let Some(id) = global(symbol).filter(|&id| id != base) {
            program.globals[id.index()].overlay = Some(Overlay { base, offset });
        }
    }
}

/// Chooses the top routine and applies what the user names.
fn main(
    doc: &Document<'_>,
    model: &Model,
    scan: &Scan,
    options: &Options,
    program: &mut Program,
    sink: &mut Sink,
) {
    let root = doc.root();
    let main = match &options.routine {
        Some(name) => chosen_routine(doc, name, program, sink),
        None => {
            let mut called = vec![false; model.routines.len()];
            for (r, routine) in scan.routines.iter().enumerate() {
                // A routine that calls itself is still a top routine if nobody else does.
                for call in routine.calls.iter().filter(|c| c.callee != r) {
                    called[call.callee] = true;
                }
            }
            let tops: Vec<usize> = (0..called.len()).filter(|&r| !called[r]).collect();
            let head = || {
                let heads: Vec<usize> = (0..model.routines.len())
                    .filter(|&r| short_name(&model.routines[r].symbol) == "head")
                    .collect();
                match heads.as_slice() {
                    &[only] => Some(only),
                    _ => None,
                }
            };
            let found = match tops.as_slice() {
                &[only] => Some(only),
                _ => head(),
            };
            if found.is_none() {
                let list = |rs: &[usize]| {
                    let names: Vec<&str> = rs
                        .iter()
                        .take(10)
                        .map(|&r| program.routines[r].name.as_str())
                        .collect();
                    names.join(", ")
                };
                let message = if tops.is_empty() {
                    "every routine is called, and none is named head".to_owned()
                } else {
                    format!("{} are not called, and none is named head", list(&tops))
                };
                sink.push(
                    doc.error(
                        root,
                        &codes::MAIN,
                        message,
                        "say which one with --routine NAME",
                    )
                    .warning(),
                );
            }
            found.map(RoutineId::new)
        }
    };
    program.main = main;
    chosen_variables(doc, options, program, sink);
}

/// The routine that the user names.
fn chosen_routine(
    doc: &Document<'_>,
    name: &str,
    program: &Program,
    sink: &mut Sink,
) -> Option<RoutineId> {
    let found = names::find_routine(program, name);
    if found.is_none() {
        let known: Vec<&str> = program.routines.iter().map(|r| r.name.as_str()).collect();
        sink.push(doc.error(
            doc.root(),
            &codes::NAME,
            format!("there is no routine {name}"),
            format!("the document has {}", known.join(", ")),
        ));
    }
    found
}

/// Applies the independents and dependents that the user names.
fn chosen_variables(doc: &Document<'_>, options: &Options, program: &mut Program, sink: &mut Sink) {
    let root = doc.root();
    let Some(main) = program.main else { return };
    for (names, dependent) in [(&options.independents, false), (&options.dependents, true)] {
        if names.is_empty() {
            continue;
        }
        let mut list = Vec::new();
        for name in names {
            let var = effects::named(program, main, name);
            match var.filter(|&v| program.routine(main).variable(v).ty.is_real()) {
                Some(v) if !list.contains(&v) => list.push(v),
                Some(_) => {}
                None => sink.push(doc.error(
                    root,
                    &codes::NAME,
                    format!(
                        "{} has no real argument or global variable {name}",
                        program.routine(main).name
                    ),
                    "name a formal argument, a COMMON or a module variable, or its whole symbol_id",
                )),
            }
        }
        let routine = &mut program.routines[main.index()];
        if dependent {
            routine.dependents = list;
        } else {
            routine.independents = list;
        }
    }
}

/// Validates what was made, and reports problems at the elements they come from.
fn validated(
    doc: &Document<'_>,
    model: &Model,
    places: &[Places],
    program: &Program,
    sink: &mut Sink,
) {
    let (_, problems) = cfg_core::validate::problems(program);
    for mut problem in problems.0 {
        if problem.severity == Severity::Warning {
            continue;
        }
        if let Some(node) = place(model, places, &problem) {
            let (line, column) = doc.position(node);
            problem = problem.at_line(line, column);
            problem.at.element = Some(doc.describe(node));
        }
        sink.push(problem);
    }
}

/// The element that a JSON pointer of a problem leads to.
fn place(model: &Model, places: &[Places], problem: &Diagnostic) -> Option<NodeId> {
    let mut parts = problem.at.pointer.as_deref()?.split('/').skip(1);
    if parts.next()? != "routines" {
        return None;
    }
    let r: usize = parts.next()?.parse().ok()?;
    let decl = model.routines.get(r)?;
    let places = places.get(r)?;
    let found = (|| {
        let kind = parts.next()?;
        let i: usize = parts.next()?.parse().ok()?;
        match kind {
            "edges" => places.edges.get(i).copied(),
            "vertices" => {
                let statement = (|| {
                    if parts.next()? != "statements" {
                        return None;
                    }
                    let s: usize = parts.next()?.parse().ok()?;
                    places.statements.get(i)?.get(s).copied()
                })();
                statement.or_else(|| places.vertices.get(i).copied())
            }
            "parameters" => decl.formals.get(i).map(|f| f.1),
            _ => None,
        }
    })();
    Some(found.unwrap_or(decl.node))
}
