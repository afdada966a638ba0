//! Initial values.

use super::{Place, Writer, types::Ty};

/// The part of a type that has these leaves.
struct Part {
    /// The designators that lead there.
    way: String,
    ty: Ty,
    first: usize,
}

impl Writer<'_> {
    /// A list in braces for a type.
    pub(super) fn list(&mut self, ty: &Ty, place: Place) -> String {
        self.list_of(ty, place).0
    }

    /// A list, and the number of leaves up to the last that it names or initialises.
    pub(super) fn list_of(&mut self, ty: &Ty, place: Place) -> (String, usize) {
        let outer = std::mem::take(&mut self.fixed);
        let list = self.braces(ty, place, 0, 3);
        self.fixed = outer;
        list
    }

    /// A list for the part of the object that begins at this leaf.
    fn braces(&mut self, ty: &Ty, place: Place, base: usize, depth: usize) -> (String, usize) {
        let (size, mut next, mut end) = (self.size(ty), 0, 0);
        let mut items = Vec::new();
        let most = self.rng.below(7);
        // gcc sometimes takes a string behind a character for one more character, so the two are not neighbours.
        let mut behind_character = false;
        while items.len() < most {
            let designated = next >= size || self.rng.percent(30);
            let part = match designated {
                true => self.designated(ty),
                false => self.part_at(ty, next),
            };
            let (first, behind) = (part.first, part.first + self.size(&part.ty));
            let mut way = String::new();
            if designated {
                way = format!("{} = ", part.way);
            }
            if !self.is_free(base + first, base + behind) {
                break;
            }
            if part.ty.is_text() && behind_character && !designated {
                break;
            }
            let elided = !matches!(part.ty, Ty::Scalar(_)) && self.rng.percent(25);
            let alone = elided || matches!(part.ty, Ty::Scalar(_));
            behind_character = alone && self.leaves(&part.ty)[0].1.ends_with("char");
            let value = match elided {
                true => {
                    let leaves = self.leaves(&part.ty);
                    next = first + 1;
                    self.value(leaves[0].1, place, base + first)
                }
                false => {
                    next = behind;
                    self.part_value(&part.ty, place, base + first, depth)
                }
            };
            end = end.max(next);
            items.push(format!("{way}{value}"));
        }
        let comma = if !items.is_empty() && self.rng.percent(10) {
            ","
        } else {
            ""
        };
        (format!("{{{}{comma}}}", items.join(", ")), end)
    }

    /// True if these leaves may be initialised (again): they are no part of an object that was given as a whole, and
    /// none of their values so far has side effects.
    fn is_free(&self, first: usize, behind: usize) -> bool {
        let apart = |&(a, b): &(usize, usize)| behind <= a || b <= first;
        self.fixed.iter().all(apart)
    }

    /// The largest part that begins at a leaf.
    fn part_at(&self, ty: &Ty, leaf: usize) -> Part {
        let (mut ty, mut first) = (ty.clone(), 0);
        loop {
            for (way, part) in self.parts(&ty) {
                let size = self.size(&part);
                if leaf < first + size {
                    ty = part;
                    if leaf == first {
                        return Part { way, ty, first };
                    }
                    break;
                }
                first += size;
            }
        }
    }

    /// A part with the designators that lead to it.
    fn designated(&mut self, ty: &Ty) -> Part {
        let mut part = Part {
            way: String::new(),
            ty: ty.clone(),
            first: 0,
        };
        loop {
            let parts = self.parts(&part.ty);
            if parts.is_empty() || !part.way.is_empty() && self.rng.percent(55) {
                return part;
            }
            let k = self.rng.below(parts.len());
            let before = parts[..k].iter().map(|(_, ty)| self.size(ty));
            part.first += before.sum::<usize>();
            part.way.push_str(&parts[k].0);
            part.ty = parts[k].1.clone();
        }
    }

    /// The value of a part as a whole.
    fn part_value(&mut self, ty: &Ty, place: Place, first: usize, depth: usize) -> String {
        let size = self.size(ty);
        match ty {
            Ty::Scalar(kind) => {
                let value = self.value(kind, place, first);
                match self.rng.below(12) {
                    0 => format!("{{{value}}}"),
                    _ => value,
                }
            }
            _ if self.rng.percent(8) => "{0}".to_owned(),
            _ if depth == 0 || self.rng.percent(6) => "{}".to_owned(),
            Ty::Array(_, n) if ty.is_text() && self.rng.percent(60) => {
                let length = self.rng.below(n + 1);
                let text = self.text(length);
                match self.rng.below(4) {
                    0 => format!("{{{text}}}"),
                    _ => text,
                }
            }
            Ty::Struct(s) if place == Place::Local && self.rng.percent(35) => {
                self.fixed.push((first, first + size));
                self.structure(*s)
            }
            Ty::Array(..) | Ty::Struct(_) => self.braces(ty, place, first, depth - 1).0,
        }
    }

    /// An expression that is a structure.
    pub(super) fn structure(&mut self, s: usize) -> String {
        let known = self.values.iter().filter(|(of, _)| *of == s);
        let known: Vec<String> = known.map(|(_, name)| name.clone()).collect();
        let name = self.structures[s].name.clone();
        match self.rng.below(4) {
            0 => format!("{name}_make({})", self.real(Place::Local)),
            1 => {
                let outer = self.counter.take();
                let list = self.list(&Ty::Struct(s), Place::Local);
                self.counter = outer;
                format!("({name}){list}")
            }
            _ => match self.rng.pick(&known).cloned() {
                Some(value) if self.rng.percent(25) => {
                    format!("v > 0 ? {value} : {name}_make(v)")
                }
                Some(value) => value,
                None => format!("{name}_make(v)"),
            },
        }
    }

    /// A text of so many characters.
    pub(super) fn text(&mut self, length: usize) -> String {
        let pieces = [
            "a", "Z", "%", "7", "\\n", "\\t", "\\0", "\\x41", "\\101", "\\\\", "\\\"", "\\377", "?",
        ];
        let mut text = String::from("\"");
        for k in 0..length {
            // Each piece is a literal of its own, which C joins: an escape would swallow digits of the next piece.
            if k > 0 {
                text.push_str("\" \"");
            }
            text.push_str(pieces[self.rng.below(pieces.len())]);
        }
        text.push('"');
        match self.rng.percent(50) {
            true => {
                let plain: String = ["b", "C", " "]
                    .iter()
                    .cycle()
                    .take(length)
                    .copied()
                    .collect();
                format!("\"{plain}\"")
            }
            false => text,
        }
    }

    /// The value of a leaf.
    pub(super) fn value(&mut self, kind: &str, place: Place, leaf: usize) -> String {
        if place == Place::Local
            && self.rng.percent(12)
            && let Some(counter) = self.counter.take()
        {
            self.fixed.push((leaf, leaf + 1));
            let by = ["++", "--", " += 2"][self.rng.below(3)];
            return match by {
                "++" | "--" => format!("{counter}{by}"),
                _ => format!("({counter}{by})"),
            };
        }
        match kind {
            "double" | "float" => self.real(place),
            _ => self.integer(place),
        }
    }

    /// A real, or a constant that becomes one.
    pub(super) fn real(&mut self, place: Place) -> String {
        let number = self.rng.coarse();
        match (place, self.rng.below(9)) {
            (Place::Local, 0..=2) => "v".to_owned(),
            (Place::Local, 3) => format!("v * {number:?}"),
            (Place::Local, 4) => format!("n + {number:?}"),
            (_, 5) => self.integer(place),
            (_, 6) => format!("{number:?}f * 3"),
            (_, 7) => format!("-{:?} / 3", number.abs() + 0.5),
            _ => format!("{number:?}"),
        }
    }

    /// An integer.
    pub(super) fn integer(&mut self, place: Place) -> String {
        let number = self.rng.between(-3, 120);
        match (place, self.rng.below(12)) {
            (Place::Local, 0 | 1) => "n".to_owned(),
            (Place::Local, 2) => format!("n * {} - 1", number.abs()),
            (_, 3) => "'c'".to_owned(),
            (_, 4) => format!("(int){}.75", number.abs()),
            (_, 5) => "3 > 2.5".to_owned(),
            (_, 6) => format!("1 << {}", number.abs() % 7),
            (_, 7) => "sizeof(short) + 1".to_owned(),
            (_, 8) => "!0.0".to_owned(),
            (_, 9) => format!("1 ? {number} : 2"),
            _ => number.to_string(),
        }
    }
}
