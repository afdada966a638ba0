//! Translates functions to routines: those to differentiate, and those that they call.

mod access;
mod call;
mod checkpoint;
mod compare;
mod copies;
mod declare;
mod effects;
mod expression;
mod extent;
mod facts;
mod flat;
mod given;
mod heap;
mod initial;
mod layouts;
mod left_out;
mod loops;
mod null;
mod order;
mod place;
mod region;
mod resize;
pub(crate) mod returned;
mod routine;
mod rows;
mod several;
mod slot;
mod started;
mod statement;
mod structure;
mod switch;
mod value;
mod values;
mod walk;

use crate::braces::Failed;
use crate::{
    ast::{DeclId, DeclKind, StructId, Unit},
    calls, codes,
    interface::Interface,
    points::{self, Targets},
    preprocess::{Choice, Role},
    reach::Reached,
    source::Sink,
    types::{Qualified, Type},
};
use cfg_core::{
    builder::{ProgramBuilder, RoutineBuilder},
    entity::{GlobalId, RoutineId},
    ir::{Derivatives, Expr, External, Program, ScalarType},
};
use effects::Effects;
use facts::Facts;
use slot::Elem;
use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    rc::Rc,
};

type Lowered<T> = Result<T, Failed>;

/// The state that the translations of all routines share.
struct Lower<'u> {
    unit: &'u Unit,
    sink: &'u mut Sink,
    program: ProgramBuilder,
    facts: Facts,
    effects: Effects,
    routines: HashMap<usize, RoutineId>,
    globals: HashMap<DeclId, Option<GlobalId>>,
    global_names: HashSet<String>,
    /// The record of each structure; `None` for a structure that is refused.
    records: HashMap<StructId, Option<ScalarType>>,
    record_names: HashSet<String>,
    /// By record, the bytes in it that belong to members that are left out.
    gaps: BTreeMap<String, Vec<(usize, u64)>>,
    targets: HashMap<DeclId, Rc<Targets>>,
    interface: &'u Interface,
    /// The choices of pragmas, by function.
    choices: HashMap<usize, Vec<&'u Choice>>,
    /// The derivatives that are given.
    derivatives: HashMap<usize, Derivatives>,
    /// By type, the function that returns its argument, with the derivative 0.
    passive: HashMap<ScalarType, RoutineId>,
    /// True if pointers are values; false if they are resolved to arrays and indices.
    values: bool,
    /// The functions to differentiate.
    heads: Vec<usize>,
    /// Variables that are kept between calls and get their initial values by assignments.
    started: Vec<DeclId>,
    /// The variable that says whether they have got them.
    flag: Option<GlobalId>,
    /// Adapters: routines that take matrices as one sequence and pass them on, by callee and the positions of the
    /// parameters, with their names.
    adapters: BTreeMap<(RoutineId, Vec<usize>), (RoutineId, String)>,
    /// Variables that are used other than by the numbers in them.
    pointed: HashSet<DeclId>,
}

/// The program of the functions that are chosen; problems go to `sink`.
pub(crate) fn lower<'u>(
    unit: &'u Unit,
    chosen: &Chosen,
    (choices, interface): (&'u [Choice], &'u Interface),
    values: bool,
    sink: &'u mut Sink,
) -> Option<Program> {
    let order = calls::reachable(unit, &chosen.read);
    let named = calls::names(unit, &order);
    let facts = Facts::collect(unit, &order);
    let effects = Effects::summarise(unit, &order, &facts);
    let mut l = Lower {
        unit,
        sink,
        program: ProgramBuilder::new(),
        facts,
        effects,
        routines: HashMap::new(),
        globals: HashMap::new(),
        global_names: HashSet::new(),
        records: HashMap::new(),
        record_names: HashSet::new(),
        gaps: BTreeMap::new(),
        targets: HashMap::new(),
        interface,
        choices: HashMap::new(),
        derivatives: HashMap::new(),
        passive: HashMap::new(),
        values,
        heads: chosen.read.clone(),
        started: Vec::new(),
        flag: None,
        adapters: BTreeMap::new(),
        pointed: started::pointed(unit, &order, &named),
    };
    l.place_choices(choices, chosen);
    for name in &l.sink.files {
        l.program.source(name.clone());
    }
    for &f in &order {
        let name = unit.decl(unit.functions[f].decl).name.to_string();
        let id = l.program.declare(name);
        l.routines.insert(f, id);
    }
    l.declare_derivatives(&order);
    l.declare_globals(&named);
    for &f in &order {
        routine::routine(&mut l, f);
    }
    for &f in &order {
        l.define_derivatives(f);
    }
    flat::define_adapters(&mut l);
    if let Some(main) = chosen.main {
        l.program.main(l.routines[&main]);
    }
    if l.sink.found.has_errors() {
        return None;
    }
    let left_out = l.left_out();
    match l.program.into_program() {
        Ok(mut program) => {
            cfg_transform::aliased::mark_globals(&mut program);
            left_out.note(&mut program.annotations);
            Some(program)
        }
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
    pub(crate) main: Option<usize>,
    /// The functions to be read, together with their callees.
    pub(crate) read: Vec<usize>,
}

/// Finds the functions to differentiate among those that have been parsed.
pub(crate) fn chosen(unit: &Unit, reached: &Reached) -> Chosen {
    let heads = reached.heads.iter();
    let read: Vec<usize> = heads
        .filter_map(|(file, name)| unit.function_named(*file, name))
        .collect();
    let main = read.first().copied().filter(|_| reached.is_one);
    Chosen { main, read }
}

/// The function because of which pointers cannot be values: one to differentiate that returns a pointer to anything
/// but numbers or a structure of numbers.
pub(crate) fn leads_on(unit: &Unit, chosen: &Chosen) -> Option<DeclId> {
    let functions = chosen.read.iter().map(|f| unit.functions[*f].decl);
    let mut heads = functions.filter(|d| match &unit.decl(*d).ty.ty {
        Type::Function(signature) => returned::has_no_value(unit, &signature.result),
        _ => false,
    });
    heads.next()
}

/// True of a type that leads to structures which lead to structures of their own type.
pub(crate) fn is_recursive(unit: &Unit, ty: &Qualified) -> bool {
    // Structures that have been entered, and whether they have been left.
    let mut seen: HashMap<StructId, bool> = HashMap::new();
    let mut open = vec![(ty, None)];
    while let Some((ty, leaves)) = open.pop() {
        if let Some(s) = leaves {
            seen.insert(s, true);
            continue;
        }
        match &ty.ty {
            Type::Pointer(of) | Type::Array(of, _) => open.push((of, None)),
            Type::Struct(s) => match seen.insert(*s, false) {
                None => {
                    open.push((ty, Some(*s)));
                    let members = unit.structure(*s).members.iter();
                    open.extend(members.map(|member| (&member.ty, None)));
                }
                Some(false) => return true,
                Some(true) => {
                    seen.insert(*s, true);
                }
            },
            Type::Void | Type::Arith(_) | Type::Function(_) | Type::Refused(_) => {}
        }
    }
    false
}

/// The function that a pragma is about, the one that it stands in or before; an option is about the function to
/// differentiate.
fn function_of(unit: &Unit, choice: &Choice, chosen: &Chosen) -> Option<usize> {
    if choice.pragma.is_none() {
        return chosen.read.first().copied();
    }
    unit.function_named(choice.unit, choice.function.as_ref()?)
}

fn no_function(sink: &mut Sink, choice: &Choice) {
    let message = "no function follows the pragma";
    let help = "write it before the function that it is for";
    let at = choice.pragma.unwrap_or(choice.at);
    sink.error(&codes::PREPROCESSOR, at, message, help);
}

/// Marks the variables whose derivatives are taken to be 0. Functions have been marked by the parser.
pub(crate) fn place_passive(unit: &mut Unit, choices: &[Choice], chosen: &Chosen, sink: &mut Sink) {
    for choice in choices.iter().filter(|c| c.role == Role::Passive) {
        let same = |d: &crate::ast::Decl| d.name == choice.name;
        if unit
            .decls
            .iter()
            .any(|d| d.kind == DeclKind::Function && same(d))
        {
            continue;
        }
        let Some(f) = function_of(unit, choice, chosen) else {
            no_function(sink, choice);
            continue;
        };
        let function = &unit.functions[f];
        let own = function.parameters.iter().chain(&function.locals);
        let mut found: Vec<DeclId> = own.copied().filter(|d| same(unit.decl(*d))).collect();
        if found.is_empty() {
            let all = (0..unit.decls.len()).map(|k| DeclId(k as u32));
            let global = |d: &DeclId| unit.decl(*d).kind == DeclKind::Global;
            found = all.filter(|d| global(d) && same(unit.decl(*d))).collect();
        }
        if choice.is_for_bits() {
            // A function of this name has been marked; a variable of the name is meant as well, if it is real.
            found.retain(|d| unit.decl(*d).ty.arith().is_some_and(|ty| ty.is_real()));
        } else if found.is_empty() {
            let message = format!("{} is no variable of the function", choice.name);
            let help = "name functions, parameters, local variables or globals";
            sink.error(&codes::UNKNOWN, choice.at, message, help);
        }
        for d in found {
            let decl = unit.decl(d);
            let real = |ty: &crate::types::Qualified| ty.arith().is_some_and(|ty| ty.is_real());
            let head = chosen.read.contains(&f) && decl.kind == DeclKind::Parameter;
            let number = real(&decl.ty) && !decl.address;
            if !(number || head && real(decl.ty.bottom())) {
                let message = format!("the derivative of {} cannot be taken to be 0", choice.name);
                let help = "name real variables that are no arrays and whose addresses are not taken, or parameters of the function to differentiate";
                sink.error(&codes::OPERAND, choice.at, message, help);
                continue;
            }
            unit.decls[d.index()].passive = true;
        }
    }
}

impl<'u> Lower<'u> {
    /// The contents of a variable, an element or a member of a type; `None` if the type is not supported.
    fn elem(&self, ty: &Qualified) -> Option<Elem> {
        match self.values {
            true => Elem::of_value(ty),
            false => Elem::from_type(ty),
        }
    }

    /// The function that returns its argument, with the derivative 0; it is made at the first request.
    fn passive_routine(&mut self, ty: ScalarType) -> RoutineId {
        if let Some(known) = self.passive.get(&ty) {
            return *known;
        }
        let mut name = "no_diff".to_owned();
        while self
            .program
            .program()
            .routines
            .iter()
            .any(|r| r.name == name)
        {
            name.push('_');
        }
        let mut f = RoutineBuilder::new(name.clone());
        let v = f.input("v", ty);
        f.result("result", ty);
        f.external(External {
            value: Some(Expr::var(v)),
            partials: Some(Vec::new()),
        });
        let id = self.program.declare(name);
        self.program.define(id, f);
        self.passive.insert(ty, id);
        id
    }

    /// Assigns each pragma to the function that it stands in or before.
    fn place_choices(&mut self, choices: &'u [Choice], chosen: &Chosen) {
        for choice in choices.iter().filter(|c| c.role != Role::Passive) {
            match function_of(self.unit, choice, chosen) {
                Some(f) => self.choices.entry(f).or_default().push(choice),
                None => no_function(self.sink, choice),
            }
        }
    }

    /// Declares the globals and static variables that are among these names.
    fn declare_globals(&mut self, named: &BTreeSet<DeclId>) {
        for &d in named {
            let decl = self.unit.decl(d);
            if !matches!(decl.kind, DeclKind::Global | DeclKind::Static)
                || matches!(decl.ty.ty, Type::Function(_))
                || self.sink.is_header(decl.at) && !decl.internal
                || self.is_table(d)
            {
                continue;
            }
            let id = initial::global(self, d).ok();
            self.globals.insert(d, id);
        }
        started::flag(self);
    }

    /// True of structures with initial values that no function changes, here or in another file. Each function has a
    /// local copy of them.
    fn is_table(&self, d: DeclId) -> bool {
        let decl = self.unit.decl(d);
        let mut ty = &decl.ty;
        while let Type::Array(of, _) = &ty.ty {
            ty = of;
        }
        matches!(decl.kind, DeclKind::Global | DeclKind::Static)
            && matches!(ty.ty, Type::Struct(_))
            && !(self.values && self.pointed.contains(&d))
            && decl.init.is_some()
            && self.interface.global(d).is_none()
            && decl.assigned.is_empty()
            && !self.facts.is_written(d)
    }

    /// The targets that a pointer may point to.
    fn targets(&mut self, d: DeclId) -> Rc<Targets> {
        let unit = self.unit;
        let found = self.targets.entry(d);
        Rc::clone(found.or_insert_with(|| Rc::new(points::of_variable(unit, d))))
    }

    /// A free name for a global.
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
