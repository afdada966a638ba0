//! The functions that are asked for, and those that they call, as routines.

mod call;
mod compare;
mod copies;
mod declare;
mod expression;
mod facts;
mod heap;
mod initial;
mod loops;
pub(crate) mod math;
mod order;
mod place;
pub(crate) mod points;
mod resize;
mod routine;
mod rows;
mod several;
mod slot;
mod statement;
mod structure;
mod switch;
mod value;
mod walk;

use crate::braces::Failed;
use crate::{
    Options,
    ast::{DeclId, DeclKind, StructId, Unit},
    calls, codes,
    preprocess::Choice,
    source::{Pos, Sink},
    types::Type,
};
use cfg_core::{
    builder::ProgramBuilder,
    diagnostic::similar::did_you_mean,
    entity::{GlobalId, RoutineId},
    ir::{Program, ScalarType},
};
use facts::Facts;
use points::Targets;
use std::{
    collections::{BTreeSet, HashMap, HashSet},
    rc::Rc,
};

type Lowered<T> = Result<T, Failed>;

/// What all routines share.
struct Lower<'u> {
    unit: &'u Unit,
    sink: &'u mut Sink,
    program: ProgramBuilder,
    facts: Facts,
    routines: HashMap<usize, RoutineId>,
    globals: HashMap<DeclId, Option<GlobalId>>,
    global_names: HashSet<String>,
    /// The records that structures are; none of those that are refused.
    records: HashMap<StructId, Option<ScalarType>>,
    record_names: HashSet<String>,
    targets: HashMap<DeclId, Rc<Targets>>,
    /// What pragmas choose, by function.
    choices: HashMap<usize, Vec<&'u Choice>>,
}

/// The program of the functions that are chosen; problems go to `sink`.
pub(crate) fn lower<'u>(
    unit: &'u Unit,
    chosen: &Chosen,
    choices: &'u [Choice],
    sink: &'u mut Sink,
) -> Option<Program> {
    let order = calls::reachable(unit, &chosen.read);
    let facts = Facts::of(unit, &order);
    let mut l = Lower {
        unit,
        sink,
        program: ProgramBuilder::new(),
        facts,
        routines: HashMap::new(),
        globals: HashMap::new(),
        global_names: HashSet::new(),
        records: HashMap::new(),
        record_names: HashSet::new(),
        targets: HashMap::new(),
        choices: HashMap::new(),
    };
    l.place_choices(choices);
    for name in &l.sink.files {
        l.program.source(name.clone());
    }
    for &f in &order {
        let name = unit.decl(unit.functions[f].decl).name.to_string();
        let id = l.program.declare(name);
        l.routines.insert(f, id);
    }
    l.declare_globals(&order);
    for &f in &order {
        routine::routine(&mut l, f);
    }
    if let Some(main) = chosen.main {
        l.program.main(l.routines[&main]);
    }
    if l.sink.found.has_errors() {
        return None;
    }
    match l.program.into_program() {
        Ok(program) => Some(program),
        Err(problems) => {
            for problem in problems.0 {
                l.sink.found.push(problem);
            }
            None
        }
    }
}

/// The functions that are asked for.
#[derive(Debug)]
pub(crate) struct Chosen {
    /// The function to differentiate, if there is only one.
    main: Option<usize>,
    /// Those that are read with what they call.
    pub(crate) read: Vec<usize>,
}

/// Finds the functions that are asked for.
pub(crate) fn chosen(unit: &Unit, options: &Options, sink: &mut Sink) -> Option<Chosen> {
    let name = |f: usize| &*unit.decl(unit.functions[f].decl).name;
    let all = 0..unit.functions.len();
    if let Some(wanted) = &options.routine {
        if let Some(f) = all.clone().find(|f| name(*f) == wanted) {
            let (main, read) = (Some(f), vec![f]);
            return Some(Chosen { main, read });
        }
        let message = format!("no function {wanted} is defined");
        let near = did_you_mean(wanted, all.map(name));
        let help = near.unwrap_or_else(|| "name a function that the file defines".to_owned());
        sink.error(&codes::ROUTINE, Pos::default(), message, help);
        return None;
    }
    let mut called = BTreeSet::new();
    for f in all.clone().filter(|f| name(*f) != "main") {
        called.extend(calls::named(unit, f).into_iter().filter(|g| *g != f));
    }
    let others: Vec<usize> = all.filter(|f| name(*f) != "main").collect();
    let heads: Vec<usize> = others
        .iter()
        .copied()
        .filter(|f| !called.contains(f))
        .collect();
    let (main, read) = match (&heads[..], &others[..]) {
        (_, []) => {
            let help = "functions named main are left out";
            sink.error(
                &codes::ROUTINE,
                Pos::default(),
                "the file defines no function",
                help,
            );
            return None;
        }
        (&[head], _) => (Some(head), vec![head]),
        ([], _) => (None, others),
        _ => (None, heads),
    };
    Some(Chosen { main, read })
}

impl<'u> Lower<'u> {
    /// Gives each pragma to the function that it stands in or before.
    fn place_choices(&mut self, choices: &'u [Choice]) {
        for choice in choices {
            let at = choice.pragma;
            let mut behind = self.unit.functions.iter().enumerate();
            let found = behind.find(|(_, f)| {
                f.to.file == at.file && (f.to.line, f.to.column) > (at.line, at.column)
            });
            match found {
                Some((f, _)) => self.choices.entry(f).or_default().push(choice),
                None => {
                    let message = "no function follows the pragma";
                    let help = "write it before the function that it is for";
                    self.sink.error(&codes::PREPROCESSOR, at, message, help);
                }
            }
        }
    }

    /// Declares the globals and static variables that the functions name.
    fn declare_globals(&mut self, order: &[usize]) {
        let mut named = BTreeSet::new();
        for &f in order {
            for k in self.unit.functions[f].part.clone() {
                if let crate::ast::ExprKind::Name(d) = self.unit.exprs[k as usize].kind {
                    named.insert(d);
                }
            }
        }
        for d in named {
            let decl = self.unit.decl(d);
            if !matches!(decl.kind, DeclKind::Global | DeclKind::Static)
                || matches!(decl.ty.ty, Type::Function(_))
            {
                continue;
            }
            let header = self.sink.files.get(decl.at.file as usize);
            if header.is_some_and(|name| name.starts_with('<')) {
                continue;
            }
            if self.is_table(d) {
                continue;
            }
            let id = initial::global(self, d).ok();
            self.globals.insert(d, id);
        }
    }

    /// True of structures with initial values that nothing changes: each function has them as its own.
    fn is_table(&self, d: DeclId) -> bool {
        let decl = self.unit.decl(d);
        let mut ty = &decl.ty;
        while let Type::Array(of, _) = &ty.ty {
            ty = of;
        }
        matches!(decl.kind, DeclKind::Global | DeclKind::Static)
            && matches!(ty.ty, Type::Struct(_))
            && decl.init.is_some()
            && decl.assigned.is_empty()
            && !self.facts.is_written(d)
    }

    /// What a pointer may point to.
    fn targets(&mut self, d: DeclId) -> Rc<Targets> {
        let unit = self.unit;
        let found = self.targets.entry(d);
        Rc::clone(found.or_insert_with(|| Rc::new(points::of_variable(unit, d))))
    }

    /// A name for a global that is free.
    fn global_name(&mut self, d: DeclId) -> String {
        let decl = self.unit.decl(d);
        let mut name = decl.name.to_string();
        if decl.kind == DeclKind::Static
            && let Some(f) = decl.function
        {
            name = format!(
                "{}_{name}",
                self.unit.decl(self.unit.functions[f].decl).name
            );
        }
        let mut k = 1;
        let stem = name.clone();
        while !self.global_names.insert(name.clone()) {
            k += 1;
            name = format!("{stem}_{k}");
        }
        name
    }
}
