//! Arguments that share cells although one of them is written: which may, the analysis of calls says; whether they do, is seen
//! when the call is made. What a parameter of explicit shape covers the called function knows, which looks at its pairs on entry.

use crate::c::{
    Emitted, Failed,
    array::View,
    codes,
    faults::OVERLAP,
    variable::Kind,
    writer::{Writer, is_by_value},
};
use cfg_core::{
    entity::GlobalId,
    ir::{Expr, Place, Routine},
    memory::overlaps::{self, Other, Pair, TooMany},
};
use std::collections::HashMap;

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

/// The arguments and globals of the pairs of a call, each once.
#[derive(Default)]
struct Parts {
    index: HashMap<Other, usize>,
    texts: Vec<String>,
}

impl Parts {
    fn add(&mut self, side: Other, text: String) -> usize {
        let k = self.texts.len();
        self.texts.push(text);
        self.index.insert(side, k);
        k
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
        reaches: &[Option<Reach>],
    ) -> Emitted<String> {
        if !self.checked() {
            return Ok(String::new());
        }
        let mut parts = Parts::default();
        let (mut now, mut later) = (Vec::new(), Vec::new());
        for pair in pairs {
            let sides = [Other::Argument(pair.argument), pair.other];
            let mut indices = Vec::with_capacity(2);
            for side in sides {
                if let Some(known) = parts.index.get(&side) {
                    indices.push(*known);
                } else if let Some(text) = self.part(theirs, side, arguments, reaches)? {
                    indices.push(parts.add(side, text));
                }
            }
            let [a, b] = indices[..] else {
                continue;
            };
            let list = match pair.is_found_on_entry(theirs) {
                true => &mut later,
                false => &mut now,
            };
            list.push(format!("{{{a}, {b}}}"));
        }
        if parts.texts.is_empty() {
            return Ok("NULL".to_owned());
        }
        self.stop();
        self.pieces.define("cfgrev_meet", || {
            include_str!("../pieces/meet.c").to_owned()
        });
        let name = self.fresh("parts");
        self.declared += 1;
        self.lines
            .line(format_args!("const struct cfgrev_part {name}[] = {{"));
        for text in &parts.texts {
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

    /// One of two that may share cells, as an initialiser; none if it is not given, or has no cell that others know.
    fn part(
        &mut self,
        theirs: &Routine,
        side: Other,
        arguments: &[Option<Expr>],
        reaches: &[Option<Reach>],
    ) -> Emitted<Option<String>> {
        let (reach, ty, parameter) = match side {
            Other::Global(g) => {
                let ty = self.file.program.global(g).variable.ty;
                (self.reach_of_global(g), ty, None)
            }
            Other::Argument(k) => {
                let Some(Expr::Place(place)) = &arguments[k] else {
                    return Ok(None);
                };
                let Some(reach) = self.reach(theirs, k, place, reaches)? else {
                    return Ok(None);
                };
                let explicit = overlaps::is_explicit(theirs, k).then_some(k);
                (reach, self.routine.variable(place.var).ty, explicit)
            }
        };
        let parameter = parameter.map_or_else(|| "-1".to_owned(), |k| k.to_string());
        let (size, Reach { first, lie }) = (self.file.c_type(ty), reach);
        Ok(Some(format!(
            "{{sizeof({size}), {parameter}, {first}, {lie}}}"
        )))
    }

    /// The cells of an argument that is a place.
    fn reach(
        &mut self,
        theirs: &Routine,
        k: usize,
        place: &Place,
        reaches: &[Option<Reach>],
    ) -> Emitted<Option<Reach>> {
        if let Some(found) = &reaches[k] {
            return Ok(Some(found.clone()));
        }
        let scalar = theirs.parameter(k).is_some_and(|v| v.rank() == 0);
        // What came by value has no cell that others know.
        if !scalar || (place.subscripts.is_empty() && is_by_value(self.routine, place.var)) {
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
