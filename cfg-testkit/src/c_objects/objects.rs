//! Objects with initial values, whose leaves are written out and changed.

use super::{Place, Writer, types::Ty};
use std::fmt::Write as _;

impl Writer<'_> {
    /// Writes all leaves of an object.
    fn read(&mut self, ty: &Ty, name: &str, repeated: bool) {
        for (path, _) in self.leaves(ty) {
            self.result(&format!("{name}{path}"), repeated);
        }
    }

    /// Changes some leaves, so that the next pass sees whether they get their initial values again.
    fn spoil(&mut self, ty: &Ty, name: &str) {
        for (path, kind) in self.leaves(ty) {
            if self.rng.percent(60) {
                let value = match kind {
                    "double" | "float" => "v + 7",
                    "_Bool" => "n > 0",
                    _ => "9",
                };
                self.line(&format!("{name}{path} = {value};"));
            }
        }
    }

    /// A declaration with an initial value, and the type that the object has then.
    fn declared(&mut self, ty: Ty, name: &str, place: Place) -> (String, Ty) {
        if let Ty::Array(of, _) = &ty
            && self.rng.percent(35)
        {
            let (list, end) = self.list_of(&ty, place);
            let n = end.div_ceil(self.size(of));
            if n > 0 {
                let text = format!("{} = {list}", self.declarator(&ty, name, true));
                return (text, Ty::array((**of).clone(), n));
            }
        }
        let list = self.list(&ty, place);
        (
            format!("{} = {list}", self.declarator(&ty, name, false)),
            ty,
        )
    }

    /// An integer that the next initial value may change.
    fn with_counter(&mut self) -> String {
        let counter = self.own("c");
        self.line(&format!("int {counter} = 2;"));
        self.counter = Some(counter.clone());
        counter
    }

    pub(super) fn local(&mut self) {
        let counter = self.with_counter();
        let (ty, name) = (self.draw(), self.own("x"));
        let constant = if self.rng.percent(15) { "const " } else { "" };
        let (text, ty) = self.declared(ty, &name, Place::Local);
        self.line(&format!("{constant}{text};"));
        self.counter = None;
        self.read(&ty, &name, false);
        self.result(&counter, false);
        if let Ty::Struct(s) = ty {
            let copy = self.own("y");
            let type_name = self.structures[s].name.clone();
            self.values.push((s, name));
            let value = self.structure(s);
            self.line(&format!("{type_name} {copy} = {value};"));
            self.read(&Ty::Struct(s), &copy, false);
        }
    }

    pub(super) fn in_loop(&mut self) {
        let i = self.own("i");
        self.open(&format!("for (int {i} = 0; {i} < n; {i}++) {{"));
        let counter = self.with_counter();
        let (ty, name) = (self.draw(), self.own("x"));
        let (text, ty) = self.declared(ty, &name, Place::Local);
        self.line(&format!("{text};"));
        self.counter = None;
        self.read(&ty, &name, true);
        self.result(&counter, true);
        self.spoil(&ty, &name);
        self.close();
    }

    /// A static variable, which has its initial value in the first pass only.
    pub(super) fn kept(&mut self) {
        let i = self.own("i");
        self.open(&format!("for (int {i} = 0; {i} < n; {i}++) {{"));
        let (ty, name) = (self.draw(), self.own("x"));
        let (text, ty) = self.declared(ty, &name, Place::Kept);
        self.line(&format!("static {text};"));
        self.read(&ty, &name, true);
        if self.rng.percent(60) {
            self.spoil(&ty, &name);
        }
        self.close();
    }

    pub(super) fn global(&mut self) {
        let (ty, name) = (self.draw(), self.shared("g"));
        let kind = ["static ", "", "static const "][self.rng.below(3)];
        let (text, ty) = self.declared(ty, &name, Place::Kept);
        let _ = writeln!(self.outside, "{kind}{text};");
        self.read(&ty, &name, false);
        if !kind.contains("const") && self.rng.percent(40) {
            self.spoil(&ty, &name);
            self.read(&ty, &name, false);
        }
    }

    /// A compound literal: assigned, pointed to, passed, or named in part.
    pub(super) fn literal(&mut self) {
        let s = self.rng.below(self.structures.len());
        let (ty, name) = (Ty::Struct(s), self.structures[s].name.clone());
        let list = self.list(&ty, Place::Local);
        let own = self.own("x");
        match self.rng.below(5) {
            0 => {
                self.line(&format!("{name} {own};"));
                self.line(&format!("{own} = ({name}){list};"));
                self.read(&ty, &own, false);
            }
            1 => {
                self.line(&format!("const {name} *{own} = &({name}){list};"));
                self.read(&ty, &format!("(*{own})"), false);
            }
            2 => self.result(&format!("{name}_sum(({name}){list})"), false),
            3 => {
                let leaves = self.leaves(&ty);
                let (path, _) = leaves[self.rng.below(leaves.len())].clone();
                self.result(&format!("(({name}){list}){path}"), false);
            }
            _ => {
                let ty = Ty::array(Ty::Scalar("double"), 1 + self.rng.below(4));
                let open = self.rng.percent(50);
                let (list, end) = self.list_of(&ty, Place::Local);
                let open = open && end > 0;
                let literal = format!("({}){list}", self.declarator(&ty, "", open));
                let n = if open { end } else { self.size(&ty) };
                match self.rng.below(2) {
                    0 => {
                        self.line(&format!("double *{own} = {literal};"));
                        self.read(&Ty::array(Ty::Scalar("double"), n), &own, false);
                    }
                    _ => {
                        let k = self.rng.below(n);
                        self.result(&format!("{literal}[{k}]"), false);
                    }
                }
            }
        }
    }

    /// Arrays of characters, and arrays of these.
    pub(super) fn texts(&mut self) {
        let n = 1 + self.rng.below(5);
        let name = self.own("s");
        let kind = ["char", "unsigned char", "signed char"][self.rng.below(3)];
        let keep = ["", "static ", "const "][self.rng.below(3)];
        let row = Ty::array(Ty::Scalar(kind), n);
        let length = self.rng.below(n + 1);
        let ty = match self.rng.below(3) {
            0 => {
                let text = self.text(length);
                self.line(&format!("{keep}{kind} {name}[] = {text};"));
                Ty::array(Ty::Scalar(kind), length + 1)
            }
            1 => {
                let text = self.text(length);
                self.line(&format!("{keep}{kind} {name}[{n}] = {text};"));
                row
            }
            _ => {
                let texts: Vec<String> = (0..3).map(|_| self.text(length)).collect();
                let list = texts.join(", ");
                self.line(&format!(
                    "{keep}{kind} {name}[][{n}] = {{{list}, [1][0] = 'x'}};"
                ));
                Ty::array(row, 3)
            }
        };
        self.read(&ty, &name, false);
        self.result(&format!("sizeof {name}"), false);
    }

    /// Scalars whose initial values use earlier scalars of the same declaration.
    pub(super) fn scalars(&mut self) {
        let (a, b, c) = (self.own("a"), self.own("b"), self.own("d"));
        let value = self.integer(Place::Local);
        let form = match self.rng.below(3) {
            0 => {
                format!("int {a} = {{{value}}}, {b}[3] = {{{a}, [2] = {a} + 1}}, {c} = sizeof {b};")
            }
            1 => {
                format!("int {a} = {value}, {b}[] = {{{a}++, [3] = 4, 5, [1] = 6}}, {c} = {b}[4];")
            }
            _ => format!(
                "int {a} = {value}, {c} = {a}, {b}[2][2] = {{[1] = {{{c}}}, [0] = {{1, {a}}}, [1][1] = 8}};"
            ),
        };
        self.line(&form);
        for value in [a, format!("*(int *){b}"), c] {
            self.result(&value.replace("*(int *)", "sizeof "), false);
        }
    }
}
