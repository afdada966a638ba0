//! Arguments that share cells although one of them is written: which may, the analysis of calls says; whether they do,
//! is seen when the call is made. The cells that a parameter of explicit shape covers are known to the called function,
//! which looks at its pairs on entry.

use crate::c::{
    Emitted, Failed, array::View, codes, faults::OVERLAP, variable::Kind, writer::Writer,
};
use cfg_core::{
    entity::GlobalId,
    ir::{Expr, Routine},
    memory::overlaps::{self, Other, TooMany},
};
use cfg_transform::lower::SharedCells;

/// The cells of an argument in C: the first, and how they lie.
#[derive(Clone, Debug)]
pub(in crate::c) struct Reach {
    first: String,
    lie: String,
}

impl Reach {
    /// Cells that follow each other.
    pub(in crate::c) fn of_cells(first: &str, count: &str) -> Self {
        Self {
            first: first.to_owned(),
            lie: format!("(const int64_t[]){{1, {count}, 1}}"),
        }
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
        self.failed(
            &codes::PAIRS,
            TooMany::MESSAGE,
            "pass the whole array, or leave --checks out",
        )
    }

    /// Compares cells before a call. The text is an argument of it: the pairs that the called function compares.
    pub(in crate::c) fn compare_cells(
        &mut self,
        theirs: &Routine,
        shared: &SharedCells,
        arguments: &[Option<Expr>],
        reaches: &[Option<Reach>],
    ) -> Emitted<String> {
        if !self.checked() {
            return Ok(String::new());
        }
        let mut texts = Vec::with_capacity(shared.parties.len());
        for &party in &shared.parties {
            texts.push(self.part(theirs, party, arguments, reaches)?);
        }
        if texts.is_empty() {
            return Ok("NULL".to_owned());
        }
        let (mut now, mut later) = (Vec::new(), Vec::new());
        for pair in &shared.pairs {
            let list = if pair.on_entry { &mut later } else { &mut now };
            list.push(format!("{{{}, {}}}", pair.first, pair.second));
        }
        self.stop();
        self.pieces.define("cfgrev_meet", || {
            include_str!("../pieces/meet.c").to_owned()
        });
        let name = self.fresh("parts");
        self.declared += 1;
        self.lines
            .line(format_args!("const struct cfgrev_part {name}[] = {{"));
        for text in &texts {
            self.lines.line(format_args!("    {text},"));
        }
        self.lines.line("};");
        let pairs = |message: &str, pairs: &[String]| {
            let (all, count) = (pairs.join(", "), pairs.len());
            format!(
                "&(const struct cfgrev_pairs){{{message}, {name}, (const int[][2]){{{all}}}, {count}}}"
            )
        };
        if !now.is_empty() {
            let meet = format!("!cfgrev_any_meet({}, NULL)", pairs("NULL", &now));
            self.must(&meet, OVERLAP);
            self.stop();
        }
        if later.is_empty() {
            return Ok("NULL".to_owned());
        }
        let message = self.messages(&[OVERLAP]).concat();
        Ok(pairs(&message, &later))
    }

    /// A party that may share cells with others, as an initialiser.
    fn part(
        &mut self,
        theirs: &Routine,
        party: Other,
        arguments: &[Option<Expr>],
        reaches: &[Option<Reach>],
    ) -> Emitted<String> {
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
                        let address = self.address(place)?;
                        self.stop();
                        Reach::of_cells(&address, "1")
                    }
                };
                let explicit = overlaps::is_explicit(theirs, k).then_some(k);
                (reach, self.routine.variable(place.var).ty, explicit)
            }
        };
        let parameter = parameter.map_or_else(|| "-1".to_owned(), |k| k.to_string());
        let (size, Reach { first, lie }) = (self.file.c_type(ty), reach);
        Ok(format!("{{sizeof({size}), {parameter}, {first}, {lie}}}"))
    }

    fn reach_of_global(&self, g: GlobalId) -> Reach {
        let size = self.file.program.global(g).variable.constant_size();
        let count = size.unwrap_or(i64::MAX).to_string();
        match self.file.globals.kind(g) {
            Kind::Array(array) => {
                let first = format!("{} + {}", array.pointer, array.offset);
                Reach::of_cells(&first, &count)
            }
            Kind::Value(name) => Reach::of_cells(&format!("&{name}"), &count),
            Kind::Pointer(name) | Kind::Tape(name) => Reach::of_cells(&name, &count),
        }
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
                    self.count_of(&extents).code().text
                }
                Kind::Array(_) | Kind::Value(_) | Kind::Pointer(_) | Kind::Tape(_) => {
                    "-1".to_owned()
                }
            });
        }
        let (pairs, memory) = (&self.pairs, &self.memory);
        let sizes = sizes.join(", ");
        self.lines.line(format_args!(
            "if (cfgrev_any_meet({pairs}, (const int64_t[]){{{sizes}}})) {{"
        ));
        self.lines
            .line(format_args!("    {memory}->message = {pairs}->message;"));
        self.lines.line("    return 4;");
        self.lines.line("}");
    }
}
