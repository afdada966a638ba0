//! The state in which one routine is written.

pub(super) use super::stack::{LARGEST_ON_STACK, bytes};
use super::{
    Failed, codes,
    file::{File, Made},
    lines::{Lines, Statement},
    names::Names,
    operators::{Code, Infix, Name, Pieces, Prefix},
    returned::Returned,
    scoped::Local,
    structures,
    variable::{Array, Axis, Cells, Kind, Variable, Variables, given_shape, zero},
};
use cfg_core::{
    diagnostic::{
        Diagnostic,
        site::{Element, Site},
    },
    entity::{RoutineId, VarId, VertexId},
    ir::{Place, Role, Routine, ScalarType},
    memory::locations::Locations,
};

use cfg_transform::lower::is_passed_by_value;
use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};

/// The state in which one routine is written.
pub(super) struct Writer<'a> {
    pub(super) file: &'a File<'a>,
    pub(super) pieces: &'a mut Pieces,
    pub(super) id: RoutineId,
    pub(super) routine: &'a Routine,
    pub(super) locations: Locations,
    pub(super) names: Names,
    pub(super) variables: Variables,
    /// The body, as far as it is written.
    pub(super) lines: Lines,
    /// Variables of the function for values that are kept for a while.
    pub(super) helpers: Vec<Local>,
    /// The values that stand for the names of a form, by position behind the routine's variables.
    pub(super) lanes: Vec<Option<Code>>,
    /// The routine's variables and, behind them, these names. Functions without forms copy no variable.
    pub(super) scope: Cow<'a, [cfg_core::ir::Variable]>,
    /// The names of the variables of loop nests over elements, outermost first.
    pub(super) loop_names: Vec<Code>,
    /// Indices of the counted loops around the place that is written.
    pub(super) open_indices: Vec<VarId>,
    /// The positions in the order of a structured graph at which each variable may be written.
    pub(super) writes: std::collections::HashMap<VarId, Vec<usize>>,
    /// The name of the parameter with the memory of work arrays.
    pub(super) memory: Name,
    /// The name of the variable that a call's status goes to.
    pub(super) status: Code,
    /// The vertex and the statement that are written.
    pub(super) place: Option<(VertexId, Option<usize>)>,
    /// The properties of the function that came to light so far.
    pub(super) made: Made,
    /// True if the routine uses memory for allocatable arrays itself.
    pub(super) allocates: bool,
    /// For each tape that the routine itself pushes to or pops from, the copy of where its stacks end.
    pub(super) tops: BTreeMap<VarId, Name>,
    /// True in a loop before which room was made for all that its passes push.
    pub(super) roomy: bool,
    /// True while bounds of sections are kept in variables of their own, because what they name may change.
    pub(super) keeps_bounds: bool,
    /// True if elements of array parameters may have gaps between them.
    pub(super) strided: bool,
    /// The number of variables that were declared in the innermost block so far.
    pub(super) declared: usize,
    /// Those of them that steps may leave unread.
    pub(super) unsure: Vec<Name>,
    /// True if the routine may call itself.
    pub(super) recursive: bool,
    /// True if calls are made that return a status.
    pub(super) has_status: bool,
    /// Arrays for results that calls return, by type and size.
    pub(super) kept_results: Vec<(ScalarType, i64, Name)>,
    /// The names of what says where the result is that this function makes, and its extents.
    pub(super) made_result: (String, String),
    /// The name of the pairs of arguments that are compared on entry.
    pub(super) pairs: Name,
    /// Local integers that nothing reads.
    pub(super) unread: HashSet<VarId>,
    /// The variable for conditions that are pushed in front of their branches.
    pub(super) taken: Option<Code>,
    /// Blocks whose last statement, a push, is written in front of the branch around them.
    pub(super) pushed: HashSet<VertexId>,
    /// Local integers that are read only in counted loops over them.
    pub(super) counters: HashSet<VarId>,
    /// Elements in the loop that is written which scalars hold, and these.
    pub(super) carried: Vec<(Place, Code)>,
    /// The checks.
    pub(super) checks: super::faults::State,
    /// What the code comes from, if that is to be said.
    pub(super) traced: Option<super::traced::Traced<'a>>,
}

impl<'a> Writer<'a> {
    /// What is written next belongs to this place.
    pub(super) fn set_place(&mut self, place: Option<(VertexId, Option<usize>)>) {
        self.place = place;
        let Some(traced) = &self.traced else {
            return;
        };
        let number = match (place, &self.routine.body) {
            (Some(place), Some(cfg)) => {
                let origin = traced.origin(self.file.program, cfg, place);
                self.file.origins.borrow_mut().add(origin)
            }
            _ => 0,
        };
        self.add(Statement::Mark(number));
    }

    /// A problem at the place that is written.
    pub(super) fn failure(
        &self,
        code: &cfg_core::diagnostic::CodeInfo,
        message: impl Into<String>,
        help: &str,
    ) -> Failed {
        let element = match self.place {
            None => Element::Routine,
            Some((v, None)) => Element::Vertex(v),
            Some((v, Some(k))) => Element::Statement(v, k),
        };
        let site = Site {
            routine: Some(self.id),
            element,
            part: None,
            index: None,
            path: Box::default(),
        };
        let problem = Diagnostic::error(code, message, help);
        Box::new(problem.at_site_in(self.file.program, site))
    }

    /// A problem that no valid program has.
    pub(super) fn malformed(&self, message: impl Into<String>) -> Failed {
        self.failure(
            &codes::MALFORMED,
            message,
            "report the program as a defect of cfgrev",
        )
    }

    /// An identifier that nothing else in the function has.
    pub(super) fn fresh_name(&mut self, name: &str) -> String {
        self.names.fresh(name, Some(&self.file.names))
    }

    /// A scalar of the function for a value that is kept for a while.
    pub(super) fn declare_helper(&mut self, name: &str, ty: ScalarType) -> Code {
        let name: Name = self.fresh_name(name).into();
        let code = Code::name(name.clone(), ty);
        let declared = code.clone().declared(self.file.c_type(ty));
        let first = zero(ty);
        self.helpers.push(Local {
            name,
            members: Vec::new(),
            declared,
            first,
        });
        code
    }

    /// The value in a scalar of the function.
    pub(super) fn keep(&mut self, name: &str, value: Code) -> Code {
        let kept = self.declare_helper(name, value.ty);
        self.set(&kept, value);
        kept
    }

    /// Adds a statement.
    pub(super) fn add(&mut self, statement: impl Into<Statement>) {
        self.lines.add(statement);
    }

    /// Adds an assignment.
    pub(super) fn set(&mut self, target: &Code, value: impl Into<Code>) {
        self.lines.set(target, value);
    }

    /// Adds a statement under a condition.
    pub(super) fn guard(&mut self, condition: Code, statement: impl Into<Statement>) {
        self.add(Statement::Guard(condition));
        self.add(statement);
    }

    /// Begins a loop of an index from 0 on, which repeats the next statement or a block.
    pub(super) fn count_up(&mut self, k: &Code, end: Code, alone: bool) {
        let first = k.clone().declared("int64_t").set(0);
        let rest = [
            k.clone().is(Infix::Lt, end),
            k.clone().prefix(Prefix::Increment),
        ];
        self.add(Statement::For(Some(first), rest.into(), alone));
    }

    /// The pointer to memory for work arrays or for others.
    pub(super) fn arena(&mut self, name: &'static str) -> Code {
        self.work_parameter().member(name).prefix(Prefix::Address)
    }

    /// The declaration of a mark in the memory for arrays, and what gives back all behind it.
    pub(super) fn mark(&mut self, arena: &'static str, name: &str) -> [Code; 2] {
        let mark = Code::name(self.fresh_name(name), ScalarType::Tape);
        let arena = self.arena(arena);
        let found = Code::call("cfgrev_mark_of", [arena.clone()], ScalarType::Tape);
        let declared = mark.clone().declared("const struct cfgrev_mark");
        let release = Code::call("cfgrev_release", [arena, mark], ScalarType::Tape);
        [declared.set(found), release]
    }

    /// The function returns a status under a condition.
    pub(super) fn fail_if(&mut self, condition: Code, status: impl Into<Code>) {
        self.made.can_fail = true;
        self.guard(condition, Statement::Return(status.into()));
    }

    /// The variable of the k-th loop of a nest over elements.
    pub(super) fn loop_name(&mut self, k: usize) -> Code {
        while self.loop_names.len() <= k {
            let name = self.fresh_name(["k", "l", "m"].get(self.loop_names.len()).unwrap_or(&"k"));
            self.loop_names.push(Code::name(name, ScalarType::Integer));
        }
        self.loop_names[k].clone()
    }

    /// The scalar that a variable is, as an lvalue.
    pub(super) fn scalar_place(&mut self, v: VarId) -> Result<Code, Failed> {
        let variable = &mut self.variables.all[v.index()];
        variable.used = true;
        let ty = variable.ty;
        match &variable.kind {
            Kind::Value(name) => Ok(Code::name(name.clone(), ty)),
            Kind::Pointer(name) => Ok(Code::name(name.clone(), ty).prefix(Prefix::Dereference)),
            Kind::Array(_) | Kind::Tape(_) => Err(self.malformed("an array stands for a scalar")),
        }
    }

    /// A variable is read, or handed on.
    pub(super) fn note_read(&mut self, v: VarId) {
        let variable = &mut self.variables.all[v.index()];
        (variable.used, variable.read) = (true, true);
    }

    /// The array that a variable is; it counts as used.
    pub(super) fn array_kind(&mut self, v: VarId) -> Result<Array, Failed> {
        self.variables.all[v.index()].used = true;
        match &self.variables.all[v.index()].kind {
            Kind::Array(array) => Ok(array.clone()),
            Kind::Value(_) | Kind::Pointer(_) | Kind::Tape(_) => {
                Err(self.malformed("a scalar stands for an array"))
            }
        }
    }

    /// The pointer to the tape that a variable is.
    pub(super) fn tape_pointer(&mut self, v: VarId) -> Result<Code, Failed> {
        self.note_read(v);
        match &self.variables.all[v.index()].kind {
            Kind::Tape(name) => Ok(Code::name(name.clone(), ScalarType::Tape)),
            Kind::Value(_) | Kind::Pointer(_) | Kind::Array(_) => {
                Err(self.malformed("a number stands for a tape"))
            }
        }
    }

    /// The pointer to a tape, and where its stacks end.
    pub(super) fn tape_and_top(&mut self, v: VarId) -> Result<(Code, Code), Failed> {
        let tape = self.tape_pointer(v)?;
        let top = match self.tops.get(&v) {
            Some(copy) => Code::name(copy.clone(), ScalarType::Tape),
            None => tape.clone().member("->top"),
        };
        Ok((tape, top))
    }

    /// True of a member of what a parameter points to, unless a local variable holds it.
    pub(super) fn is_behind(&self, v: VarId) -> bool {
        let is_held = self.variables.all[v.index()].behind.is_some();
        !is_held && self.variables.is_behind(v)
    }

    /// True of a variable that only this routine's own statements name: a local scalar, or a scalar passed by value.
    pub(super) fn is_own(&self, v: VarId) -> bool {
        let role = self.routine.variables.get(v.index()).map(|v| v.role);
        let value = matches!(
            self.variables.all.get(v.index()).map(|v| &v.kind),
            Some(Kind::Value(_))
        );
        value && !matches!(role, Some(Role::Global(_)) | None) && !self.is_behind(v)
    }

    /// The function returns because there is no memory, under a condition.
    pub(super) fn out_of_memory_if(&mut self, condition: Code) {
        self.fail_if(condition, 1);
    }
}

/// The variables of a routine in C.
pub(super) fn variables(
    file: &File<'_>,
    (id, routine): (RoutineId, &Routine),
    names: &mut Names,
    strided: bool,
    recursive: bool,
) -> (Variables, bool) {
    let mut made = Variables::default();
    // Functions that call themselves take as little of the machine's stack as they can.
    let mut on_stack = if recursive { i64::MAX } else { 0 };
    let mut can_fail = false;
    // Names of parameters first: they are what callers see.
    let mut own: Vec<Option<Name>> = vec![None; routine.variables.len()];
    structures::add_structures(file, id, names, &mut made.structures, true);
    let members = structures::homes(file, id);
    for v in routine.parameter_ids().filter(|v| !members.contains_key(v)) {
        let name = names.fresh(&routine.variable(v).name, Some(&file.names));
        own[v.index()] = Some(name.into());
    }
    let given = Returned::given(routine);
    if let Some(v) = given {
        let name = names.fresh(&format!("{}_value", routine.name), Some(&file.names));
        own[v.index()] = Some(name.into());
    }
    structures::add_structures(file, id, names, &mut made.structures, false);
    let members = structures::of_structures(file, id, &made.structures);
    for (v, variable) in (0..).map(VarId::new).zip(&routine.variables) {
        if variable.role == Role::Local && given != Some(v) && !members.contains_key(&v) {
            own[v.index()] = Some(names.fresh(&variable.name, Some(&file.names)).into());
        }
    }
    let stable = |v: VarId| is_passed_by_value(routine, v);
    for (v, variable) in (0..).map(VarId::new).zip(&routine.variables) {
        let name = own[v.index()].take().unwrap_or_else(|| "".into());
        let ty = variable.ty;
        let rank = variable.rank();
        if let Some(member) = members.get(&v) {
            // The leaves of an array of structures have its extents in common.
            let (structure, leaf) = member.home;
            let structure = &made.structures[structure];
            let first = made.all.get(structure.parts[0].index());
            let shared = first
                .filter(|_| leaf > 0)
                .and_then(|first| first.kind.first_axis());
            let shared: Vec<Axis> = shared.filter(|_| member.has_count()).into_iter().collect();
            let (name, shape) = (structure.name.clone(), &variable.shape[shared.len()..]);
            let axes = made.axes(&name, shape, (names, &file.names), false, &stable);
            made.all.push(Variable {
                kind: member.kind(variable, shared.into_iter().chain(axes).collect()),
                behind: None,
                ty,
                member: Some(member.home),
                used: false,
                read: false,
            });
            continue;
        }
        let kind = match variable.role {
            Role::Global(g) => file.globals.kind(g),
            Role::Parameter { .. } | Role::Local if ty == ScalarType::Tape => Kind::Tape(name),
            Role::Parameter { .. } if rank == 0 => {
                if is_passed_by_value(routine, v) {
                    Kind::Value(name)
                } else {
                    Kind::Pointer(name)
                }
            }
            Role::Local if rank == 0 => Kind::Value(name),
            Role::Parameter { .. } | Role::Local => {
                let axes = made.axes(
                    &name,
                    &variable.shape,
                    (names, &file.names),
                    strided && variable.role != Role::Local,
                    &stable,
                );
                let (mut cells, mut room) = (Cells::Given, None);
                match variable.role {
                    Role::Parameter { .. } => {}
                    Role::Local if given == Some(v) => {}
                    Role::Local | Role::Global(_) => {
                        cells = local_cells(variable, file.checks, &mut on_stack);
                        if routine.result == Some(v) && cells == Cells::Work {
                            cells = Cells::Returned;
                        }
                        can_fail |= matches!(cells, Cells::Work | Cells::Returned);
                        if cells == Cells::Allocatable {
                            room = Some(
                                names
                                    .fresh(&format!("{name}_room"), Some(&file.names))
                                    .into(),
                            );
                        }
                    }
                }
                let given = file.checks && variable.role != Role::Local;
                let own_extents = strided && given_shape(variable);
                Kind::Array(Array {
                    count: given.then(|| {
                        names
                            .fresh(&format!("{name}_count"), Some(&file.names))
                            .into()
                    }),
                    laid_over: own_extents.then(|| {
                        names
                            .fresh(&format!("{name}_view"), Some(&file.names))
                            .into()
                    }),
                    pointer: name,
                    inside: None,
                    offset: 0,
                    axes,
                    order: variable.order,
                    cells,
                    room,
                })
            }
        };
        made.all.push(Variable {
            kind,
            behind: None,
            ty,
            member: None,
            used: false,
            read: false,
        });
    }
    (made, can_fail)
}

/// The place of the cells of a local array.
fn local_cells(variable: &cfg_core::ir::Variable, checks: bool, on_stack: &mut i64) -> Cells {
    if (variable.shape.iter()).any(|dim| dim.extent == cfg_core::ir::Extent::Deferred) {
        return Cells::Allocatable;
    }
    let bytes = bytes(variable.ty, checks);
    let size = variable.constant_size();
    let size = size.filter(|n| n.saturating_mul(bytes) <= LARGEST_ON_STACK);
    match size {
        Some(n) if *on_stack <= 4 * LARGEST_ON_STACK => {
            *on_stack += n * bytes;
            Cells::Fixed(n)
        }
        _ => Cells::Work,
    }
}
