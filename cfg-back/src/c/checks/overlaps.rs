//! Arguments that share cells although one of them is written: which may, the analysis of calls says; whether they do,
//! is seen when the call is made. The cells that a parameter of explicit shape covers are known to the called function,
//! which looks at its pairs on entry.

use crate::c::{
    Emitted, Failed,
    array::View,
    codes,
    faults::OVERLAP,
    lines::Statement,
    operators::{Code, Infix, Prefix},
    variable::{Kind, null},
    writer::Writer,
};
use cfg_core::{
    entity::GlobalId,
    ir::{Expr, Routine, ScalarType},
    memory::overlaps::{self, Other, TooMany},
};
use cfg_transform::lower::SharedCells;

/// The cells of an argument in C: the first, and how they lie.
#[derive(Clone, Debug)]
pub(in crate::c) struct Reach {
    first: Code,
    lie: Code,
}

impl Reach {
    /// Cells that follow each other.
    pub(in crate::c) fn of_cells(first: Code, count: impl Into<Code>) -> Self {
        let numbers = [1.into(), count.into(), 1.into()];
        let lie = Code::list("const int64_t[]", numbers);
        Self { first, lie }
    }

    pub(in crate::c) fn of_view(view: &View) -> Self {
        Self {
            first: view.first(),
            lie: Writer::lie_in_numbers(view),
        }
    }
}

impl Writer<'_> {
    /// A call has too many pairs of arguments to compare.
    pub(in crate::c) fn too_many_pairs(&self) -> Failed {
        self.failure(
            &codes::PAIRS,
            TooMany::MESSAGE,
            "pass the whole array, or leave --checks out",
        )
    }

    /// Compares cells before a call. The code is an argument of it: the pairs that the called function compares.
    pub(in crate::c) fn compare_cells(
        &mut self,
        theirs: &Routine,
        shared: &SharedCells,
        arguments: &[Option<Expr>],
        reaches: &[Option<Reach>],
    ) -> Emitted<Option<Code>> {
        if !self.is_checked() {
            return Ok(None);
        }
        let mut parts = Vec::with_capacity(shared.parties.len());
        for &party in &shared.parties {
            parts.push(self.overlap_party(theirs, party, arguments, reaches)?);
        }
        if parts.is_empty() {
            return Ok(Some(null()));
        }
        let (mut now, mut later) = (Vec::new(), Vec::new());
        for pair in &shared.pairs {
            let list = if pair.on_entry { &mut later } else { &mut now };
            list.push(Code::list(
                "",
                [pair.first, pair.second].map(|k| Code::from(k as i64)),
            ));
        }
        self.stop_on_fault();
        self.pieces.define("cfgrev_meet", || {
            include_str!("../pieces/meet.c").to_owned()
        });
        let name = Code::name(self.fresh_name("parts"), ScalarType::Tape);
        self.declared += 1;
        let declared = name.clone().declared("const struct cfgrev_part");
        self.add(Statement::Table(declared, parts));
        let pairs = |message: Code, pairs: Vec<Code>| {
            let count = Code::from(pairs.len() as i64);
            let all = Code::list("const int[][2]", pairs);
            let pairs = [message, name.clone(), all, count];
            Code::list("const struct cfgrev_pairs", pairs).prefix(Prefix::Address)
        };
        if !now.is_empty() {
            let any = [pairs(null(), now), null()];
            let meet = Code::call("cfgrev_any_meet", any, ScalarType::Logical);
            self.check_condition(meet.prefix(Prefix::Not), OVERLAP);
            self.stop_on_fault();
        }
        if later.is_empty() {
            return Ok(Some(null()));
        }
        let message = self.fault_messages(&[OVERLAP]).concat();
        Ok(Some(pairs(Code::text(&message), later)))
    }

    /// A party that may share cells with others, as an initialiser.
    fn overlap_party(
        &mut self,
        theirs: &Routine,
        party: Other,
        arguments: &[Option<Expr>],
        reaches: &[Option<Reach>],
    ) -> Emitted<Code> {
        let (reach, ty, parameter) = match party {
            Other::Global(g) => {
                let ty = self.file.program.global(g).variable.ty;
                (self.reach_of_global(g), ty, None)
            }
            Other::Argument(k) => {
                let Some(Expr::Place(place)) = &arguments[k] else {
                    return Err(self.malformed("an argument without cells is compared"));
                };
                let reach = match &reaches[k] {
                    Some(found) => found.clone(),
                    // By value: its cell is looked up for the test only.
                    None => {
                        let address = self.emit_address(place)?;
                        self.stop_on_fault();
                        Reach::of_cells(address, 1)
                    }
                };
                let explicit = overlaps::is_explicit(theirs, k).then_some(k);
                (reach, self.routine.variable(place.var).ty, explicit)
            }
        };
        let parameter = parameter.map_or(-1, |k| k as i64);
        let Reach { first, lie } = reach;
        let size = self.cell_size(ty);
        Ok(Code::list("", [size, parameter.into(), first, lie]))
    }

    fn reach_of_global(&self, g: GlobalId) -> Reach {
        let variable = &self.file.program.global(g).variable;
        let count = variable.constant_size().unwrap_or(i64::MAX);
        let kind = self.file.globals.kind(g);
        let name = Code::name(kind.name().clone(), variable.ty);
        let first = match kind {
            Kind::Array(array) => name.with(Infix::Add, array.offset),
            Kind::Value(_) => name.prefix(Prefix::Address),
            Kind::Pointer(_) | Kind::Tape(_) => name,
        };
        Reach::of_cells(first, count)
    }

    /// Compares, on entry, what callers could not: the sizes of the parameters of explicit shape are known.
    pub(in crate::c) fn compare_on_entry(&mut self) {
        if !self.made.compared {
            return;
        }
        self.pieces.define("cfgrev_meet", || {
            include_str!("../pieces/meet.c").to_owned()
        });
        let mut sizes = Vec::new();
        for (k, p) in self.routine.parameter_ids().enumerate() {
            let kind = self.variables.all[p.index()].kind.clone();
            sizes.push(match kind {
                Kind::Array(array) if overlaps::is_explicit(self.routine, k) => {
                    let extents = self.variables.extents(&array.axes);
                    self.count_of(&extents).to_code()
                }
                Kind::Array(_) | Kind::Value(_) | Kind::Pointer(_) | Kind::Tape(_) => (-1).into(),
            });
        }
        let (pairs, memory) = (
            Code::from(self.pairs.clone()),
            Code::from(self.memory.clone()),
        );
        let arguments = [pairs.clone(), Code::list("const int64_t[]", sizes)];
        let meet = Code::call("cfgrev_any_meet", arguments, ScalarType::Logical);
        self.add(Statement::If(meet));
        self.set(&memory.member("->message"), pairs.member("->message"));
        self.add(Statement::Return(4.into()));
        self.lines.close_block();
    }
}
