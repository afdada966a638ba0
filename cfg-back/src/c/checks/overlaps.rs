//! Arguments that share cells although one of them is written: which may, the analysis of calls says; whether they do, is seen
//! when the call is made. What a parameter of explicit shape covers the called function knows, which looks at its pairs on entry.

use crate::c::{
    Emitted, Failed,
    array::View,
    call::Arguments,
    codes,
    faults::OVERLAP,
    variable::Kind,
    writer::{Writer, is_by_value},
};
use cfg_core::{
    entity::GlobalId,
    ir::{Expr, Routine},
    memory::overlaps::{self, Other, Pair, TooMany},
};

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

    fn text(&self) -> String {
        format!("{}, {}", self.first, self.lie)
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
        pairs: &[Pair],
        arguments: &[Option<Expr>],
        written: &Arguments,
    ) -> Emitted<String> {
        let mut later = Vec::new();
        if !self.checked() {
            return Ok(String::new());
        }
        for pair in pairs {
            let Some(first) = self.reach(theirs, pair.argument, arguments, written)? else {
                continue;
            };
            let (second, position) = match pair.other {
                Other::Argument(k) => (self.reach(theirs, k, arguments, written)?, Some(k)),
                Other::Global(g) => (Some(self.reach_of_global(g)), None),
            };
            let Some(second) = second else {
                continue;
            };
            self.pieces.define("cfgrev_meet", || {
                include_str!("../pieces/meet.c").to_owned()
            });
            let Some(Expr::Place(place)) = &arguments[pair.argument] else {
                continue;
            };
            let ty = self.routine.variable(place.var).ty;
            let size = format!("sizeof({})", self.file.c_type(ty));
            let (first, second) = (first.text(), second.text());
            if pair.is_found_on_entry(theirs) {
                let explicit = |k: Option<usize>| match k {
                    Some(k) if overlaps::is_explicit(theirs, k) => k.to_string(),
                    Some(_) | None => "-1".to_owned(),
                };
                let sides = [explicit(Some(pair.argument)), explicit(position)].join(", ");
                later.push(format!("{{{size}, {sides}, {first}, {second}}}"));
            } else {
                let meet = format!("!cfgrev_meet({size}, {first}, -1, {second}, -1)");
                self.must(&meet, OVERLAP);
            }
        }
        self.stop();
        if later.is_empty() {
            return Ok("NULL".to_owned());
        }
        let message = self.messages(&[OVERLAP]).concat();
        let (count, all) = (later.len(), later.join(", "));
        Ok(format!(
            "&(const struct cfgrev_pairs){{{message}, {count}, (const struct cfgrev_pair[]){{{all}}}}}"
        ))
    }

    /// The cells of an argument that is a place.
    fn reach(
        &mut self,
        theirs: &Routine,
        k: usize,
        arguments: &[Option<Expr>],
        written: &Arguments,
    ) -> Emitted<Option<Reach>> {
        if let Some(found) = &written.reaches[k] {
            return Ok(Some(found.clone()));
        }
        let (Some(Expr::Place(place)), Some(formal)) =
            (&arguments[k], theirs.parameter_ids().nth(k))
        else {
            return Ok(None);
        };
        // What came by value has no cell that others know.
        if theirs.variable(formal).rank() > 0
            || (place.subscripts.is_empty() && is_by_value(self.routine, place.var))
        {
            return Ok(None);
        }
        let address = self.address(place)?;
        self.stop();
        Ok(Some(Reach::of_cells(&address, "1")))
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
