//! The code of a routine while it is written: registers, labels, constants, places.

use std::{
    collections::{BTreeMap, HashMap},
    sync::atomic::{AtomicU64, Ordering::Relaxed},
};

use cfg_core::{
    diagnostic::Diagnostic,
    entity::{RoutineId, VarId, VertexId},
    ir::{Program, Routine, ScalarType, Variable, VertexKind},
    memory::locations::Locations,
};

use cfg_transform::lower::{Convention, Conventions};

use super::{CompileOptions, Compiling};
use crate::{
    cell,
    code::{self, Arr, Code, Ext, Instr, Reg, Target},
    descriptor,
    fault::TOO_LARGE,
};

/// The identity of the next code that is finished.
static NEXT_CODE: AtomicU64 = AtomicU64::new(1);

/// Most temporaries of one statement.
const TEMPORARIES: usize = 120;
/// Registers of a frame.
pub(super) const REGISTERS: usize = 256;
/// Registers for constants.
pub(super) const CONSTANTS: usize = 32;

/// The place of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Home {
    /// The variable is in a register.
    Register(Reg),
    /// The variable is in the frame's memory.
    Frame(u32),
    /// The variable is at the address in a register.
    Address(Reg),
    /// The variable is at the address in the frame's memory.
    AddressFrame(u32),
    /// The variable is at a fixed address.
    Global(u32),
    /// The variable is an array.
    Array(Arr),
}

/// A scalar value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Value {
    Register(Reg),
    Constant(u64),
}

/// A scalar value and its type.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Operand {
    pub(super) value: Value,
    pub(super) ty: ScalarType,
}

/// The value of a name of a form.
#[derive(Clone, Copy, Debug)]
pub(super) enum Lane {
    /// The element at the address in a register.
    Cursor(Reg, ScalarType),
    /// The element at the address in a register, used exactly once in each pass: the address moves on along this
    /// dimension of this array.
    Moving(Reg, ScalarType, u8, Arr),
    /// A scalar computed before the loop.
    Scalar(Operand),
}

/// The place of the state of counted loops of one depth.
#[derive(Clone, Copy, Debug)]
pub(super) enum LoopState {
    /// Passes left, step, index.
    Registers(Reg),
    /// Passes left, step.
    Frame(u32),
}

/// One routine being compiled.
pub(super) struct Emitter<'p> {
    pub(super) program: &'p Program,
    pub(super) conventions: &'p Conventions,
    pub(super) locations: Locations,
    pub(super) id: RoutineId,
    pub(super) routine: &'p Routine,
    pub(super) options: &'p CompileOptions,
    /// Addresses of globals.
    pub(super) globals: &'p super::globals::Globals,
    pub(super) code: Code,
    labels: Vec<u32>,
    /// Labels of vertices, ascending.
    vertices: Vec<(Target, VertexId)>,
    constants: HashMap<u64, u32>,
    constant_registers: HashMap<u64, Reg>,
    pub(super) homes: Vec<Home>,
    /// First register for constants.
    pub(super) constants_at: usize,
    pub(super) loop_states: BTreeMap<u32, LoopState>,
    /// True if the graph is structured: then two loops of one depth never run at the same time.
    pub(super) nested: bool,
    pub(super) temporaries_at: usize,
    temporary: usize,
    temporaries: usize,
    pub(super) arrays_at: usize,
    array: usize,
    /// Loops around the current vertex.
    pub(super) depth: u32,
    pub(super) place: (Option<VertexId>, Option<u32>),
    /// True if the current statement makes temporary arrays.
    arrays_made: bool,
    /// The routine's variables and, behind them, the names of the form whose code is emitted.
    pub(super) scope: Vec<Variable>,
    /// The values of the names of the form.
    pub(super) lanes: Vec<Option<Lane>>,
}

impl<'p> Emitter<'p> {
    pub(super) fn new(
        program: &'p Program,
        conventions: &'p Conventions,
        id: RoutineId,
        options: &'p CompileOptions,
        globals: &'p super::globals::Globals,
    ) -> Self {
        Self {
            program,
            conventions,
            locations: Locations::divide(program, program.routine(id)),
            id,
            routine: program.routine(id),
            options,
            globals,
            code: Code::default(),
            labels: Vec::new(),
            vertices: Vec::new(),
            constants: HashMap::new(),
            constant_registers: HashMap::new(),
            homes: Vec::new(),
            constants_at: 0,
            loop_states: BTreeMap::new(),
            nested: false,
            temporaries_at: 0,
            temporary: 0,
            temporaries: 0,
            arrays_at: 0,
            array: 0,
            depth: 0,
            place: (None, None),
            arrays_made: false,
            scope: program.routine(id).variables.clone(),
            lanes: Vec::new(),
        }
    }

    pub(super) fn variable(&self, v: VarId) -> &'p Variable {
        self.routine.variable(v)
    }

    /// How the parameters of this routine are passed.
    pub(super) fn convention(&self) -> &'p Convention {
        &self.conventions.routines[self.id.index()]
    }

    pub(super) fn home(&self, v: VarId) -> Home {
        self.homes[v.index()]
    }

    /// The descriptor of an array variable.
    pub(super) fn array_of(&self, v: VarId) -> Compiling<Arr> {
        if let Home::Array(arr) = self.home(v) {
            return Ok(arr);
        }
        Err(self.too_large("a scalar is used as an array"))
    }

    // --- places and errors -------------------------------------------------------------------

    /// Instructions that follow belong to this vertex and statement.
    pub(super) fn at(&mut self, vertex: Option<VertexId>, statement: Option<u32>) {
        self.place = (vertex, statement);
        let pc = self.code.instrs.len() as u32;
        match self.code.places.last_mut() {
            Some(last) if last.0 == pc => *last = (pc, vertex, statement),
            Some(last) if (last.1, last.2) == (vertex, statement) => {}
            _ => self.code.places.push((pc, vertex, statement)),
        }
    }

    pub(super) fn located(&self, diagnostic: Diagnostic) -> Box<Diagnostic> {
        let element = super::element(self.program, self.id, self.place.0, self.place.1);
        Box::new(diagnostic.at_element(element))
    }

    pub(super) fn too_large(&self, what: &str) -> Box<Diagnostic> {
        self.located(Diagnostic::error(
            &TOO_LARGE,
            what,
            "split the statement or the routine",
        ))
    }

    // --- code --------------------------------------------------------------------------------

    pub(super) fn emit(&mut self, instr: Instr) {
        self.code.instrs.push(instr);
    }

    pub(super) fn emit_ext(&mut self, ext: Ext) {
        let k = self.code.ext.len() as u32;
        self.code.ext.push(ext);
        self.emit(Instr::Ext { k });
    }

    pub(super) fn new_label(&mut self) -> Target {
        self.labels.push(u32::MAX);
        (self.labels.len() - 1) as Target
    }

    /// The label of a vertex.
    pub(super) fn label_of(&mut self, vertex: VertexId) -> Target {
        let label = self.new_label();
        self.vertices.push((label, vertex));
        label
    }

    pub(super) fn bind(&mut self, label: Target) {
        self.labels[label as usize] = self.code.instrs.len() as u32;
    }

    pub(super) fn emit_jump(&mut self, t: Target) {
        self.emit(Instr::Jump { t });
    }

    // --- registers ---------------------------------------------------------------------------

    pub(super) fn temporary(&mut self) -> Compiling<Reg> {
        self.temporaries_in_row(1)
    }

    /// The first of several registers that follow each other.
    pub(super) fn temporaries_in_row(&mut self, n: usize) -> Compiling<Reg> {
        let first = self.temporary;
        if first + n > TEMPORARIES.min(REGISTERS - self.temporaries_at) {
            return Err(self.too_large("a statement needs too many temporaries"));
        }
        self.temporary += n;
        self.temporaries = self.temporaries.max(self.temporary);
        Ok((self.temporaries_at + first) as Reg)
    }

    pub(super) fn mark(&self) -> usize {
        self.temporary
    }

    pub(super) fn release(&mut self, mark: usize) {
        self.temporary = mark;
    }

    /// `dest`, or a new temporary.
    pub(super) fn dest_or_temporary(&mut self, dest: Option<Reg>) -> Compiling<Reg> {
        match dest {
            Some(d) => Ok(d),
            None => self.temporary(),
        }
    }

    /// A new descriptor for the current statement.
    pub(super) fn temporary_array(&mut self, rank: usize) -> Compiling<Arr> {
        let arr = self.arrays_at + self.array;
        self.array += descriptor::position_count(rank);
        let end = self.arrays_at + self.array;
        if end > 65_000 || rank > usize::from(u8::MAX) {
            return Err(self.too_large("too many arrays"));
        }
        self.code.descriptors = self.code.descriptors.max(end);
        Ok(arr as Arr)
    }

    /// Begins a statement: no temporaries are in use.
    pub(super) fn begin_statement(&mut self) {
        self.temporary = 0;
        self.array = 0;
        self.arrays_made = false;
    }

    /// Ends a statement: temporary arrays are given back.
    pub(super) fn end_statement(&mut self) {
        if std::mem::take(&mut self.arrays_made) {
            self.emit_ext(Ext::Release);
        }
    }

    /// Notes that the statement makes a temporary array, to be given back at its end.
    pub(super) fn will_release(&mut self) {
        self.arrays_made = true;
    }

    // --- constants ---------------------------------------------------------------------------

    fn constant_number(&mut self, cell: u64) -> u32 {
        let consts = &mut self.code.consts;
        *self.constants.entry(cell).or_insert_with(|| {
            consts.push(cell);
            (consts.len() - 1) as u32
        })
    }

    /// A register that holds a constant. Registers filled at the call are used while any is free (in loops), or while
    /// half of them are (elsewhere); after that, a temporary. Constants in loops are loaded more often.
    pub(super) fn constant(&mut self, cell: u64) -> Compiling<Reg> {
        if let Some(&r) = self.constant_registers.get(&cell) {
            return Ok(r);
        }
        let used = self.constant_registers.len();
        let free = if self.depth > 0 {
            CONSTANTS
        } else {
            CONSTANTS / 2
        };
        if used < free {
            let r = (self.constants_at + used) as Reg;
            self.constant_registers.insert(cell, r);
            self.code.template.push(cell);
            return Ok(r);
        }
        let d = self.temporary()?;
        let k = self.constant_number(cell);
        self.emit(Instr::Const { d, k });
        Ok(d)
    }

    /// Puts a constant into a register.
    pub(super) fn set_constant(&mut self, d: Reg, cell: u64) {
        let k = self.constant_number(cell);
        self.emit(Instr::Const { d, k });
    }

    pub(super) fn register_of(&mut self, value: Value) -> Compiling<Reg> {
        match value {
            Value::Register(r) => Ok(r),
            Value::Constant(cell) => self.constant(cell),
        }
    }

    /// Makes sure that a value is in this register.
    pub(super) fn move_to(&mut self, d: Reg, value: Value) {
        match value {
            Value::Register(a) if a == d => {}
            Value::Register(a) => self.emit(Instr::Mov { d, a }),
            Value::Constant(cell) => match self.constant_registers.get(&cell) {
                Some(&a) => self.emit(Instr::Mov { d, a }),
                None => self.set_constant(d, cell),
            },
        }
    }

    // --- the end -----------------------------------------------------------------------------

    /// Jumps back from vertex to vertex: the position after each, its target, and the vertex that is repeated: the
    /// LOOP, or in general control flow the target.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "all other instructions have one target at most"
    )]
    fn jumps_back(&self) -> Vec<(u32, u32, VertexId)> {
        let mut found = Vec::new();
        let mut places = self.code.places.iter().peekable();
        let mut from = None;
        for (k, &instr) in self.code.instrs.iter().enumerate() {
            while let Some(place) = places.next_if(|place| place.0 as usize <= k) {
                from = place.1;
            }
            let mut look = |label: Target| {
                let target = self.labels[label as usize];
                let vertex = self.vertices.binary_search_by_key(&label, |v| v.0);
                if let (true, Ok(at)) = (target as usize <= k, vertex) {
                    let to = self.vertices[at].1;
                    let vertex = from.filter(|&v| self.is_loop(v)).unwrap_or(to);
                    found.push((k as u32 + 1, target, vertex));
                }
            };
            match instr {
                Instr::Switch { table, .. } => {
                    let switch = &self.code.switches[table as usize];
                    switch.cases.iter().for_each(|case| look(case.2));
                    switch.default.into_iter().for_each(look);
                }
                mut instr => instr.target_mut().copied().into_iter().for_each(look),
            }
        }
        found
    }

    fn is_loop(&self, v: VertexId) -> bool {
        let body = self.routine.body.as_ref();
        body.is_some_and(|g| matches!(g.vertex(v).kind, VertexKind::Loop { .. }))
    }

    /// Turns labels into positions.
    pub(super) fn finish(mut self) -> Code {
        let (regions, backs) = code::regions(&self.jumps_back(), |v| self.is_loop(v));
        (self.code.regions, self.code.backs) = (regions, backs);
        self.code.nested = self.nested;
        let labels = &self.labels;
        let resolve = |t: &mut Target| *t = labels[*t as usize];
        for instr in &mut self.code.instrs {
            if let Some(t) = instr.target_mut() {
                resolve(t);
            }
        }
        for ext in &mut self.code.ext {
            if let Some(t) = ext.target_mut() {
                resolve(t);
            }
        }
        for switch in &mut self.code.switches {
            for case in &mut switch.cases {
                resolve(&mut case.2);
            }
            if let Some(t) = &mut switch.default {
                resolve(t);
            }
        }
        let constants = self.constants_at + self.constant_registers.len();
        self.code.constants = self.constants_at..constants;
        self.code.registers = self.temporaries_at + self.temporaries;
        self.code.descriptors = self.code.descriptors.max(self.arrays_at);
        self.code.identity = NEXT_CODE.fetch_add(1, Relaxed);
        self.code
    }
}

impl Operand {
    pub(super) fn register(r: Reg, ty: ScalarType) -> Self {
        Self {
            value: Value::Register(r),
            ty,
        }
    }

    pub(super) fn constant(cell: u64, ty: ScalarType) -> Self {
        Self {
            value: Value::Constant(cell),
            ty,
        }
    }

    pub(super) fn integer(n: i64) -> Self {
        Self::constant(n as u64, ScalarType::Integer)
    }

    /// The uninitialised value of a type.
    pub(super) fn poison(ty: ScalarType) -> Self {
        Self::constant(cell::poison(ty), ty)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use cfg_core::{elemental::Math, structure::Structure, validate::validate};
    use cfg_format::text;

    use crate::compile::Globals;

    /// The result of `look` on the emitter of a program's main routine, before any code is written.
    pub(crate) fn in_main<T>(
        source: &str,
        look: impl FnOnce(&mut Emitter<'_>, Option<&Structure>) -> T,
    ) -> T {
        let parsed = text::parse(source);
        let problems = parsed.problems;
        let program = parsed
            .program
            .unwrap_or_else(|| panic!("{problems}{source}"));
        let program = validate(program).unwrap_or_else(|d| panic!("{d}{source}"));
        let options = CompileOptions::default();
        let globals = Globals::new(&program, Math::Portable).unwrap_or_else(|d| panic!("{d}"));
        let conventions = Conventions::decide(&program);
        let main = program.main.expect("one is marked");
        let mut emitter = Emitter::new(&program, &conventions, main, &options, &globals);
        let structure = program.structure(main);
        emitter.nested = structure.is_some();
        look(&mut emitter, structure)
    }

    const PLAIN: &str = "main subroutine f(in real x, out real y)\n  y := x\nend\n";

    /// Constants outside of loops may take half of the registers for constants, constants in loops all of them.
    #[test]
    fn constants_have_registers() {
        in_main(PLAIN, |emitter, _| {
            (emitter.constants_at, emitter.temporaries_at) = (10, 100);
            let mut found = Vec::new();
            for (depth, cells) in [(0, 500..517), (0, 500..501), (1, 600..617), (1, 516..517)] {
                emitter.depth = depth;
                for cell in cells {
                    found.push(emitter.constant(cell).unwrap_or_else(|d| panic!("{d}")));
                }
            }
            let mut expected: Vec<Reg> = (10..26).collect();
            expected.extend([100, 10]);
            expected.extend(26..42);
            expected.extend([101, 102]);
            assert_eq!(found, expected);
            assert_eq!(emitter.code.consts, [516, 616]);
            let in_registers: Vec<u64> = (500..516).chain(600..616).collect();
            assert_eq!(emitter.code.template, in_registers);
            let (to, from) = (50, Value::Register(50));
            emitter.move_to(to, from);
            emitter.move_to(to, Value::Register(51));
            emitter.move_to(to, Value::Constant(501));
            emitter.move_to(to, Value::Constant(516));
            emitter.move_to(to, Value::Constant(700));
            let instrs = format!("{:?}", emitter.code.instrs);
            assert_eq!(
                instrs,
                "[Const { d: 100, k: 0 }, Const { d: 101, k: 1 }, Const { d: 102, k: 0 }, \
                 Mov { d: 50, a: 51 }, Mov { d: 50, a: 11 }, Const { d: 50, k: 0 }, Const { d: 50, k: 2 }]"
            );
        });
    }

    #[test]
    fn temporaries_have_registers() {
        for (at, room) in [(0, 120), (136, 120), (137, 119), (200, 56), (255, 1)] {
            in_main(PLAIN, |emitter, _| {
                emitter.temporaries_at = at;
                assert!(emitter.temporaries_in_row(room + 1).is_err(), "{at}");
                assert_eq!(emitter.temporaries_in_row(room).ok(), Some(at as Reg));
                assert!(emitter.temporary().is_err(), "{at}");
                emitter.release(room - 1);
                let last = (at + room - 1) as Reg;
                assert_eq!(emitter.temporary().ok(), Some(last));
                assert_eq!((emitter.mark(), emitter.temporaries), (room, room));
                emitter.begin_statement();
                assert_eq!(emitter.temporary().ok(), Some(at as Reg));
                assert_eq!(emitter.temporaries, room);
            });
        }
    }

    #[test]
    fn temporary_arrays_have_descriptors() {
        for (at, rank, found) in [
            (0, 1, Some(1)),
            (0, 2, Some(1)),
            (7, 3, Some(9)),
            (0, 255, Some(128)),
            (0, 256, None),
            (64_998, 4, Some(65_000)),
            (64_999, 4, None),
            (64_999, 2, Some(65_000)),
        ] {
            in_main(PLAIN, |emitter, _| {
                emitter.arrays_at = at;
                let arr = emitter.temporary_array(rank).ok();
                assert_eq!(arr, found.map(|_| at as Arr), "{at} {rank}");
                if let Some(end) = found {
                    assert_eq!(emitter.code.descriptors, end);
                    if end < 65_000 {
                        assert_eq!(emitter.temporary_array(1).ok(), Some(end as Arr));
                        emitter.begin_statement();
                        assert_eq!(emitter.temporary_array(1).ok(), Some(at as Arr));
                        assert_eq!(emitter.code.descriptors, end + 1);
                    }
                }
            });
        }
    }

    /// A place begins at its first instruction; a place without instructions has no entry.
    #[test]
    fn places_begin_with_instructions() {
        in_main(PLAIN, |emitter, _| {
            let v = |k: usize| Some(VertexId::new(k));
            for (vertex, statement, emits) in [
                (None, None, false),
                (v(0), None, true),
                (v(0), None, true),
                (v(1), Some(0), false),
                (v(1), Some(1), true),
                (v(1), Some(1), true),
                (v(1), Some(2), true),
                (v(1), None, true),
                (v(2), None, true),
            ] {
                emitter.at(vertex, statement);
                if emits {
                    emitter.emit(Instr::Return);
                }
            }
            let expected = [
                (0, v(0), None),
                (2, v(1), Some(1)),
                (4, v(1), Some(2)),
                (5, v(1), None),
                (6, v(2), None),
            ];
            assert_eq!(emitter.code.places, expected);
        });
    }

    /// Temporary arrays are given back once, at the end of the statement that made them.
    #[test]
    fn arrays_are_given_back_at_the_end() {
        in_main(PLAIN, |emitter, _| {
            for (makes, begins, releases) in [
                (false, false, 0),
                (true, false, 1),
                (false, false, 1),
                (true, true, 1),
            ] {
                if makes {
                    emitter.will_release();
                }
                if begins {
                    emitter.begin_statement();
                }
                emitter.end_statement();
                assert_eq!(emitter.code.ext.len(), releases);
            }
        });
    }
}
