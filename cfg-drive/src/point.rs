//! POINT, SEED and directions: JSON objects bound to the variables of a routine.

use crate::codes;
use crate::json;
use crate::json::pointer;
use crate::objects::{Levels, Sizes, base_name};
use crate::options::{Options, word_count};
use crate::records::{Content, Given, Reading, is_field_of};
use crate::slot::{Slot, nearest};
use crate::template::Template;
use cfg_core::diagnostic::{Diagnostics, similar::Similarity};
use cfg_core::elemental::Scalar;
use cfg_core::entity::{GlobalId, RoutineId, VarId};
use cfg_core::ir::{
    CHead, CLeftOut, Expr, Extent, Intent, Program, Role, Routine, ScalarType, Variable,
};
use cfg_exec::{Argument, Lease, Session, Tape, Value};
use cfg_format::json::values::{self, ValueTree};
use std::collections::{HashMap, HashSet};

/// Values at entry of a routine.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Point {
    /// The arguments, one per parameter. `out` parameters that were not given have a shape but no values; tapes are
    /// empty.
    pub arguments: Vec<Argument>,
    /// Globals that were given; the others start with the program's own values.
    pub globals: Vec<(GlobalId, Value)>,
    /// The lease that pays for the values, and for the text that they were read from.
    pub held: Lease,
    /// The sizes of the objects behind nested pointers.
    sizes: Sizes,
    /// The position of each variable of the routine among its parameters.
    positions: Vec<Option<usize>>,
}

/// Most words that reading a text of values takes temporarily: a tree, whose nodes each follow a bracket, a comma or
/// a colon, in lists that grow by doubling.
pub(crate) fn words_of_tree(text: &[u8]) -> u64 {
    let nodes = text
        .iter()
        .filter(|b| matches!(b, b'[' | b'{' | b',' | b':'));
    let words = 2 * size_of::<ValueTree>().div_ceil(8) + size_of::<Scalar>().div_ceil(8);
    (nodes.count() as u64 + 1).saturating_mul(words as u64)
}

impl Point {
    /// Reads a POINT for a routine of the program that the session runs. No value may take more memory
    /// than the options allow for a run.
    ///
    /// # Errors
    /// All problems found, with pointers into `text`.
    pub fn parse(
        text: &[u8],
        program: &Program,
        routine: RoutineId,
        session: &Session,
        options: &Options,
    ) -> Result<Self, Diagnostics> {
        Self::without(text, program, routine, session, options, &[])
    }

    /// The value of a parameter, to be changed: its elements in storage order. A run refuses values whose shapes the
    /// declarations do not allow.
    pub fn value_mut(&mut self, parameter: VarId) -> Option<&mut Value> {
        let position = self.position(parameter)?;
        match self.arguments.get_mut(position)? {
            Argument::Value(value) => Some(value),
            Argument::Absent | Argument::Tape(_) => None,
        }
    }

    /// The value of a parameter; `None` if it is absent, or a tape.
    pub fn value(&self, parameter: VarId) -> Option<&Value> {
        self.argument(parameter)?.value()
    }

    /// The sizes of the objects behind nested pointers. [`crate::Members::with_sizes`] uses them to show results in the
    /// form of the point.
    pub fn sizes(&self) -> &Sizes {
        &self.sizes
    }

    /// The position of a parameter among the arguments.
    pub(crate) fn position(&self, parameter: VarId) -> Option<usize> {
        self.positions.get(parameter.index()).copied().flatten()
    }

    /// The argument for a parameter.
    pub(crate) fn argument(&self, parameter: VarId) -> Option<&Argument> {
        self.arguments.get(self.position(parameter)?)
    }

    /// True unless the slot is an optional parameter that is absent.
    pub(crate) fn has(&self, slot: Slot) -> bool {
        match slot {
            Slot::Parameter(v) => self.value(v).is_some(),
            Slot::Global(_) | Slot::Result(_) => true,
        }
    }

    /// The slots that the point has: an optional parameter may be absent.
    ///
    /// # Errors
    /// The point has none of them.
    pub(crate) fn present(
        &self,
        slots: &[Slot],
        program: &Program,
        routine: &Routine,
    ) -> Result<Vec<Slot>, Diagnostics> {
        let found: Vec<Slot> = slots.iter().copied().filter(|s| self.has(*s)).collect();
        if !found.is_empty() || slots.is_empty() {
            return Ok(found);
        }
        let names: Vec<&str> = slots.iter().map(|s| s.key(program, routine)).collect();
        Err(codes::general(
            &codes::NOTHING,
            format!("POINT leaves out {}", names.join(", ")),
            "give at least one of the optional parameters that are differentiated a value",
        ))
    }

    /// Reads a POINT as [`Self::parse`] does, but refuses values for some globals: those that a transformation has
    /// added.
    pub(crate) fn without(
        text: &[u8],
        program: &Program,
        routine: RoutineId,
        session: &Session,
        options: &Options,
        hidden: &[GlobalId],
    ) -> Result<Self, Diagnostics> {
        let within = |words| options.lease(words, program.routine(routine));
        let mut held = within(text.len().div_ceil(8) as u64)?;
        let tree = within(words_of_tree(text))?;
        let members = values::read(text)?;
        // Shapes may depend on globals: on their values in POINT, else on their initial ones.
        let mut start = reads_globals(program.routine(routine)).then(|| session.fresh());
        let mut binder = Binder {
            program,
            id: routine,
            routine: program.routine(routine),
            slots: Slot::by_name(program, program.routine(routine)),
            locals: locals(program.routine(routine)),
            dependents: program
                .routine(routine)
                .dependents
                .iter()
                .copied()
                .collect(),
            similarity: Similarity::default(),
            levels: Levels::find(program.routine(routine)),
            session,
            hidden: hidden.iter().copied().collect(),
            max_bytes: options.run.max_memory,
            options,
            zero_dependents: options.zero_dependents,
            positions: program.routine(routine).parameter_positions(),
            arguments: vec![Argument::Absent; program.routine(routine).parameters.len()],
            words: 0,
            globals: Vec::new(),
            places: Sizes::new(),
            missing: Vec::new(),
        };
        let mut problems = Diagnostics::default();
        let mut members = members;
        let null = CLeftOut::from_annotations(&program.annotations).null;
        for name in null.get(&binder.routine.name).into_iter().flatten() {
            if members.iter().all(|(given, _)| base_name(given) != name) {
                members.push((name.clone(), ValueTree::Null));
            }
        }
        members.retain(|(name, tree)| {
            !matches!(tree, ValueTree::SameAs(..)) || !options.same_as.contains(name)
        });
        let reading = Reading {
            program,
            routine: program.routine(routine),
            levels: &binder.levels,
            sizes: None,
            room: &within,
        };
        let members = reading.fields(members, "", &mut problems);
        for given in &members {
            if let Err(found) = binder.read(given) {
                problems.0.extend(found.0);
            }
        }
        // Shapes depend on values, so they are compared only if all values could be read.
        if problems.iter().all(|d| d.code == codes::UNKNOWN.code) {
            let parameters = binder.routine.parameter_ids();
            let globals = 0..binder.globals.len();
            let mut keep = |result: Result<(), Diagnostics>| {
                if let Err(found) = result {
                    problems.0.extend(found.0);
                }
            };
            globals.for_each(|i| keep(binder.fit_global(i, start.as_mut())));
            if let Some(start) = &start {
                binder.session = start;
            }
            let parameters = parameters.enumerate();
            parameters.for_each(|(k, v)| keep(binder.complete(k, v)));
            // Extents that depend on missing values are no problems of their own.
            if let Some(missing) = binder.values_are_missing(text) {
                problems.0.retain(|d| d.code.starts_with('P'));
                problems.0.extend(missing.0);
            }
        }
        if !problems.is_empty() {
            return Err(problems);
        }
        drop((members, tree));
        let sizes = binder.sizes();
        let globals = binder.globals.iter().map(|(_, v)| v.len() as u64);
        let sized = sizes.values().map(|v| v.len() as u64);
        held.join(within(
            word_count(&binder.arguments) + globals.sum::<u64>() + sized.sum::<u64>(),
        )?);
        Ok(Self {
            sizes,
            arguments: binder.arguments,
            globals: binder.globals,
            held,
            positions: binder.positions,
        })
    }
}

/// Most parameters without a value that a message names.
const MOST_NAMED: usize = 5;
/// Longest text that a message repeats.
const MOST_GIVEN: usize = 1000;

struct Binder<'a> {
    program: &'a Program,
    id: RoutineId,
    routine: &'a Routine,
    slots: HashMap<&'a str, Slot>,
    locals: HashSet<&'a str>,
    dependents: HashSet<VarId>,
    similarity: Similarity,
    levels: Levels<'a>,
    session: &'a Session,
    hidden: HashSet<GlobalId>,
    max_bytes: u64,
    options: &'a Options,
    zero_dependents: bool,
    /// The position of each variable among the parameters.
    positions: Vec<Option<usize>>,
    arguments: Vec<Argument>,
    /// The number of words that the arguments take.
    words: u64,
    globals: Vec<(GlobalId, Value)>,
    /// For records that lead to records of their own kind, the pointer at which they stand.
    places: Sizes,
    /// The parameters without a value that need one.
    missing: Vec<VarId>,
}

impl Binder<'_> {
    fn read(&mut self, given: &Given) -> Result<(), Diagnostics> {
        let Given {
            name,
            content,
            pointer,
        } = given;
        if let (Content::Value(value), true) = (content, self.levels.is_place(name)) {
            self.places.insert(name.clone(), value.clone());
            return Ok(());
        }
        // An empty list of records, like null, is set field by field.
        let is_whole = self.slots.contains_key(name.as_str());
        let is_left_out = match content {
            Content::Tree(ValueTree::Null) => true,
            Content::Tree(ValueTree::Array(items)) => !is_whole && items.is_empty(),
            Content::Tree(ValueTree::Size(extents)) => !is_whole && extents.contains(&0),
            Content::Tree(_) | Content::Value(_) => false,
        };
        if is_left_out && (self.leave_out(name)? || self.is_unused(name)) {
            return Ok(());
        }
        let slot = self.slots.get(name.as_str()).copied();
        let Some((slot, variable)) = slot.and_then(|s| {
            let variable = s.variable(self.program, self.routine)?;
            let known = match s {
                Slot::Parameter(_) => true,
                Slot::Global(g) => !self.hidden.contains(&g),
                Slot::Result(_) => false,
            };
            known.then_some((s, variable))
        }) else {
            return Err(self.unknown(name, pointer));
        };
        let (ty, rank, order) = (variable.ty, variable.rank(), variable.order);
        let value = match content {
            Content::Value(value) => value.clone(),
            Content::Tree(ValueTree::Size(extents)) => self.sized(variable, extents, pointer)?,
            Content::Tree(tree) => json::read(tree, ty, rank, order, name, pointer)?,
        };
        match slot {
            Slot::Parameter(v) => {
                if let Some(k) = self.positions[v.index()] {
                    self.set(k, value);
                }
            }
            Slot::Global(g) => self.globals.push((g, value)),
            Slot::Result(_) => {}
        }
        Ok(())
    }

    /// The sizes of the objects behind nested pointers.
    fn sizes(&self) -> Sizes {
        let mut sizes = self.levels.sizes(|name| {
            let slot = self.slots.get(name)?;
            let Slot::Parameter(v) = slot else {
                return None;
            };
            let position = self.positions.get(v.index()).copied().flatten()?;
            self.arguments.get(position)?.value()
        });
        sizes.extend(self.places.clone());
        sizes
    }

    /// Leaves out a parameter or a global that is `null`, or all fields of a record. A parameter that is not optional
    /// gets no elements, if its extents are open. False if there is no variable of this name.
    fn leave_out(&mut self, name: &str) -> Result<bool, Diagnostics> {
        let known = match self.slots.get(name) {
            Some(Slot::Parameter(_)) => true,
            Some(Slot::Global(g)) => !self.hidden.contains(g),
            Some(Slot::Result(_)) | None => false,
        };
        let parameters = self.routine.parameter_ids().enumerate();
        let parameters = parameters.map(|(k, v)| (k, self.routine.variable(v)));
        let mut any = known;
        for (k, variable) in
            parameters.filter(|(_, v)| v.name == name || is_field_of(name, &v.name))
        {
            any = true;
            // The extents of an array field, behind the open ones, stay.
            let mut extents = variable.shape.iter().map(|d| &d.extent);
            let open = extents.clone().any(|e| *e == Extent::Deferred)
                && extents.all(|e| matches!(e, Extent::Deferred | Extent::Fixed(Expr::Int(_))));
            let optional = matches!(variable.role, Role::Parameter { optional: true, .. });
            if open && !optional {
                let extents = variable.shape.iter().map(|d| match d.extent {
                    Extent::Fixed(Expr::Int(n)) => usize::try_from(n).unwrap_or(0),
                    Extent::Fixed(_) | Extent::Deferred => 0,
                });
                let shape: Vec<usize> = extents.collect();
                let none = Value::uninitialised(variable.ty, &shape, variable.order)
                    .ok_or_else(|| self.too_large(&variable.name, &shape))?;
                self.set(k, none);
            }
        }
        Ok(any)
    }

    /// Gives the parameter at a position its value.
    fn set(&mut self, k: usize, value: Value) {
        let argument = &mut self.arguments[k];
        self.words -= argument.value().map_or(0, |v| v.len() as u64);
        self.words += value.len() as u64;
        *argument = Argument::Value(value);
    }

    /// An output array of which only the size is given.
    fn sized(
        &self,
        variable: &Variable,
        extents: &[usize],
        pointer: &str,
    ) -> Result<Value, Diagnostics> {
        let name = &variable.name;
        if !variable.intent().is_some_and(Intent::writes) || variable.ty == ScalarType::Tape {
            let message = format!("{name} is no output, so its size is not enough");
            let help = "give its values";
            return Err(codes::problem(&codes::MISSING, message, help, pointer));
        }
        if variable.rank() == 0 || extents.len() != variable.rank() {
            let message = format!(
                "{name} has {} dimensions, but its size has {}",
                variable.rank(),
                extents.len()
            );
            let help =
                "give one extent for each dimension of an array: {\"size\": 5}, {\"size\": [2, 3]}";
            return Err(codes::problem(&codes::SHAPE, message, help, pointer));
        }
        if !self.fits(extents) {
            return Err(self.too_large(name, extents));
        }
        let _room = self.room(extents)?;
        Value::uninitialised(variable.ty, extents, variable.order)
            .ok_or_else(|| self.too_large(name, extents))
    }

    /// Takes memory for the values so far, and one more of this shape.
    fn room(&self, shape: &[usize]) -> Result<Lease, Diagnostics> {
        let elements = shape.iter().map(|&n| n as u64);
        let more = elements.fold(1, u64::saturating_mul);
        let all = self.words.saturating_add(more);
        self.options.lease(all, self.routine)
    }

    /// True of a parameter of the C function that the program no longer has, since it is not used.
    fn is_unused(&self, name: &str) -> bool {
        let head = CHead::from_annotations(&self.routine.annotations);
        let parameters = head.iter().flat_map(|head| &head.parameters);
        let mut unused = parameters.filter(|p| p.variable.is_none());
        unused.any(|p| p.name == base_name(name))
    }

    fn unknown(&mut self, name: &str, pointer: &str) -> Diagnostics {
        let routine = self.routine;
        if self.is_unused(name) {
            let message = format!("{} does not use {name}", routine.name);
            let help = "leave it out, or give null";
            return codes::problem(&codes::UNKNOWN, message, help, pointer);
        }
        let local = self.locals.contains(name);
        let (message, help) = if local {
            (
                format!("{name} is a local variable of routine {}", routine.name),
                "locals have no value at entry: leave it out".to_owned(),
            )
        } else {
            let own = routine.variables.iter().filter(|v| v.role != Role::Local);
            let known = own
                .chain(self.program.globals.iter().map(|g| &g.variable))
                .filter(|v| match v.role {
                    _ if self.levels.is_hidden(&v.name) => false,
                    Role::Global(g) => !self.hidden.contains(&g),
                    Role::Parameter { .. } | Role::Local => v.ty != ScalarType::Tape,
                })
                .map(|v| &*v.name);
            (
                format!("routine {} has no parameter {name}", routine.name),
                nearest(&mut self.similarity, name, known),
            )
        };
        codes::problem(&codes::UNKNOWN, message, help, pointer)
    }

    /// Checks the value of a parameter, or finds the value that it has without one.
    fn complete(&mut self, k: usize, v: VarId) -> Result<(), Diagnostics> {
        let variable = self.routine.variable(v);
        if variable.ty == ScalarType::Tape {
            self.arguments[k] = Argument::Tape(Tape::default());
            return Ok(());
        }
        let Role::Parameter { intent, optional } = variable.role else {
            return Ok(());
        };
        let open = variable
            .shape
            .iter()
            .any(|d| matches!(d.extent, Extent::Deferred));
        if let Argument::Value(given) = &self.arguments[k] {
            if !open {
                let declared = self.declared(v)?;
                let fitted = fit(variable, given, &declared, &pointer(&variable.name))?;
                self.set(k, fitted);
            }
            return Ok(());
        }
        if optional || self.levels.is_hidden(&variable.name) {
            return Ok(());
        }
        let zero = self.zero_dependents && intent.writes() && self.dependents.contains(&v);
        if intent != Intent::Out && !zero {
            self.missing.push(v);
            return Ok(());
        }
        let missing = |help: String| {
            let message = format!("POINT gives no value for {}", variable.name);
            codes::problem(&codes::MISSING, message, help, "")
        };
        if open {
            return Err(missing(format!(
                "{0} has assumed shape: give its extents, \"{0}\": {{\"size\": {1}}}",
                variable.name,
                match variable.rank() {
                    1 => "5".to_owned(),
                    n => format!("{:?}", vec![5; n]),
                }
            )));
        }
        let shape = self.declared(v)?;
        let _room = self.room(&shape)?;
        let value = Value::uninitialised(variable.ty, &shape, variable.order)
            .ok_or_else(|| self.too_large(&variable.name, &shape))?;
        let value = if zero { zeros_like(&value) } else { value };
        self.set(k, value);
        Ok(())
    }

    /// One problem for all parameters without a value, with a POINT that adds them to those in the text.
    fn values_are_missing(&self, text: &[u8]) -> Option<Diagnostics> {
        let given = |name: &str| {
            let mut fields = self.routine.parameter_ids().enumerate();
            fields.any(|(k, v)| {
                let field = base_name(&self.routine.variable(v).name) == name;
                field && !matches!(self.arguments[k], Argument::Absent)
            })
        };
        // Names of parameters without any value, and of single fields of parameters with values for other fields.
        let (mut names, mut whole): (Vec<&str>, Vec<&str>) = (Vec::new(), Vec::new());
        for v in &self.missing {
            let name = &*self.routine.variable(*v).name;
            if whole.last() == Some(&base_name(name)) {
                continue;
            }
            let in_part = base_name(name) != name && given(base_name(name));
            whole.extend((!in_part).then(|| base_name(name)));
            names.push(if in_part { name } else { base_name(name) });
        }
        let message = match &names[..] {
            [] => return None,
            [name] => format!("POINT gives no value for {name}"),
            [first @ .., last] if first.len() < MOST_NAMED => {
                format!("POINT gives no values for {} and {last}", first.join(", "))
            }
            all => format!(
                "POINT gives no values for {} and {} more",
                all[..MOST_NAMED].join(", "),
                all.len() - MOST_NAMED
            ),
        };
        let what = match names[..] {
            [name] => self.described(name),
            _ => String::new(),
        };
        if whole.is_empty() {
            let fields = format!("{what}add these fields where the others are");
            return Some(codes::problem(&codes::MISSING, message, fields, ""));
        }
        let arguments = self.stand_ins();
        let shape = |v: VarId| {
            let known = self.session.shape_of_parameter(self.id, v, &arguments);
            let dims = self.routine.variable(v).shape.iter().enumerate();
            let of_known = |k: usize| known.as_ref().ok().and_then(|shape| shape.get(k).copied());
            dims.map(|(k, d)| match d.extent {
                Extent::Fixed(_) => of_known(k).or(d.constant_extent()).unwrap_or(1),
                Extent::Deferred => 1,
            })
            .collect()
        };
        let text_given = match text {
            text if text.len() <= MOST_GIVEN => String::from_utf8_lossy(text).into_owned(),
            _ => "{".to_owned(),
        };
        let whole = Template::new(self.routine, &shape).members(&text_given, &whole);
        let help = match text.len() <= MOST_GIVEN {
            true => format!("{what}a whole POINT with numbers to change: {whole}"),
            false => format!("{what}add what stands in {whole}"),
        };
        Some(codes::problem(&codes::MISSING, message, help, ""))
    }

    /// The declaration of a parameter without fields, in words.
    fn described(&self, name: &str) -> String {
        let last = self.missing.last().map(|v| self.routine.variable(*v));
        let Some(variable) = last.filter(|v| v.name == name && !self.levels.has(name)) else {
            return String::new();
        };
        let rank = match variable.rank() {
            0 => String::new(),
            n => format!(" of rank {n}"),
        };
        let ty = variable.ty.name();
        let intent = variable.intent().map_or("in", Intent::name);
        format!("add \"{name}\": {ty}{rank} with intent {intent}; ")
    }

    /// The arguments with a number in place of each scalar that is not given, on which extents may depend.
    fn stand_ins(&self) -> Vec<Argument> {
        let mut arguments = self.arguments.clone();
        for v in &self.missing {
            let variable = self.routine.variable(*v);
            let one = match variable.ty {
                ScalarType::Integer => Scalar::Integer(1),
                ScalarType::Sized(ty) => Scalar::Sized(ty, 1),
                ScalarType::Real
                | ScalarType::Real32
                | ScalarType::Logical
                | ScalarType::Tape
                | ScalarType::Record(_)
                | ScalarType::Pointer(_) => continue,
            };
            let value = Value::uninitialised(variable.ty, &[], variable.order);
            let position = self.positions.get(v.index()).copied().flatten();
            if let (0, Some(mut value), Some(k)) = (variable.rank(), value, position) {
                value.fill(one);
                arguments[k] = Argument::Value(value);
            }
        }
        arguments
    }

    /// The shape that the declaration gives with the arguments so far.
    fn declared(&self, v: VarId) -> Result<Vec<usize>, Diagnostics> {
        let shape = self
            .session
            .shape_of_parameter(self.id, v, &self.arguments)
            .map_err(|d| Diagnostics(vec![d.at_pointer("")]))?;
        if self.fits(&shape) {
            Ok(shape)
        } else {
            Err(self.too_large(&self.routine.variable(v).name, &shape))
        }
    }

    /// True if an array of this shape takes no more memory than a run may use.
    fn fits(&self, shape: &[usize]) -> bool {
        let bytes = shape
            .iter()
            .try_fold(8u64, |n, &extent| n.checked_mul(extent as u64));
        // An empty dimension makes any product 0.
        bytes.is_some_and(|bytes| bytes <= self.max_bytes) || shape.contains(&0)
    }

    fn too_large(&self, name: &str, shape: &[usize]) -> Diagnostics {
        codes::problem(
            &codes::TOO_LARGE,
            format!(
                "{name} of shape {} takes more than {} bytes",
                tuple(shape),
                self.max_bytes
            ),
            "check the values that its extents depend on, or raise --max-memory",
            "",
        )
    }

    /// Checks a global that was given, and sets it in `start`.
    fn fit_global(&mut self, i: usize, start: Option<&mut Session>) -> Result<(), Diagnostics> {
        let (g, given) = &self.globals[i];
        let variable = &self.program.global(*g).variable;
        let declared = self.session.global_shape(*g);
        let fitted = fit(variable, given, &declared, &pointer(&variable.name))?;
        if let Some(start) = start {
            start.set_global(*g, &fitted)?;
        }
        self.globals[i].1 = fitted;
        Ok(())
    }
}

/// Names of the routine's local variables.
fn locals(routine: &Routine) -> HashSet<&str> {
    let locals = routine.variables.iter().filter(|v| v.role == Role::Local);
    locals.map(|v| v.name.as_str()).collect()
}

/// True if the shape of a parameter depends on a global.
fn reads_globals(routine: &Routine) -> bool {
    let mut found = false;
    for dim in routine
        .parameter_ids()
        .flat_map(|v| &routine.variable(v).shape)
    {
        let mut read = |e: &Expr| {
            e.walk_places(&mut |p| {
                let role = routine.variable(p.var).role;
                found |= matches!(role, Role::Global(_));
            });
        };
        read(&dim.lower);
        if let Extent::Fixed(e) = &dim.extent {
            read(e);
        }
    }
    found
}

/// The value with the declared shape, if it has it: an empty dimension hides those below it.
pub(crate) fn fit(
    variable: &Variable,
    given: &Value,
    declared: &[usize],
    pointer: &str,
) -> Result<Value, Diagnostics> {
    let seen = given.shape().iter().position(|&n| n == 0);
    let seen = seen.map_or(declared.len(), |k| k + 1);
    let agree = declared.iter().zip(given.shape()).take(seen);
    if declared.len() != given.shape().len() || agree.clone().any(|(d, g)| d != g) {
        return Err(codes::problem(
            &codes::SHAPE,
            format!(
                "{} has shape {}, but its value has shape {}",
                variable.name,
                tuple(declared),
                tuple(given.shape())
            ),
            "give as many elements as the routine declares",
            pointer,
        ));
    }
    if declared == given.shape() {
        return Ok(given.clone());
    }
    Ok(
        Value::uninitialised(variable.ty, declared, variable.order)
            .unwrap_or_else(|| given.clone()),
    )
}

pub(crate) fn tuple(shape: &[usize]) -> String {
    let extents: Vec<String> = shape.iter().map(ToString::to_string).collect();
    format!("({})", extents.join(", "))
}

/// Zeros with the type, shape and order of a value.
pub(crate) fn zeros_like(value: &Value) -> Value {
    let mut zeros = value.clone();
    set_to_zero(&mut zeros);
    zeros
}

/// Makes all elements zero.
pub(crate) fn set_to_zero(zeros: &mut Value) {
    match zeros.ty() {
        ScalarType::Real => zeros.fill(Scalar::Real(0.0)),
        ScalarType::Real32 => zeros.fill(Scalar::Real32(0.0)),
        ScalarType::Integer => zeros.fill(Scalar::Integer(0)),
        ScalarType::Sized(ty) => zeros.fill(Scalar::Sized(ty, 0)),
        ScalarType::Logical => zeros.fill(Scalar::Logical(false)),
        ScalarType::Tape | ScalarType::Record(_) | ScalarType::Pointer(_) => {}
    }
}

#[cfg(test)]
mod tests;
