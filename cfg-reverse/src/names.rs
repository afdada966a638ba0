//! Names that are new in their scope.

use std::collections::{HashMap, HashSet};

/// Hands out names that nothing in a scope has yet. Asking for the same base again and again is
/// linear: the next number of each base is remembered.
#[derive(Clone, Debug, Default)]
pub(crate) struct Namer {
    taken: HashSet<String>,
    next: HashMap<String, u64>,
}

impl Namer {
    pub(crate) fn new<'n>(taken: impl IntoIterator<Item = &'n str>) -> Self {
        Self {
            taken: taken.into_iter().map(str::to_owned).collect(),
            next: HashMap::new(),
        }
    }

    /// `wanted`, with underscores appended while it is taken (the rule of the command line for
    /// generated routines, tangents and adjoints).
    pub(crate) fn suffixed(&mut self, wanted: String) -> String {
        let mut name = wanted;
        while self.taken.contains(&name) {
            name.push('_');
        }
        self.taken.insert(name.clone());
        name
    }

    /// Takes a name that something else in the scope has.
    pub(crate) fn reserve(&mut self, name: &str) {
        self.taken.insert(name.to_owned());
    }

    /// `base1`, `base2`, ...: the next number that is free.
    pub(crate) fn numbered(&mut self, base: &str) -> String {
        let next = self.next.entry(base.to_owned()).or_insert(1);
        loop {
            let name = format!("{base}{next}");
            *next += 1;
            if self.taken.insert(name.clone()) {
                return name;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Namer;

    #[test]
    fn never_hands_out_a_name_twice() {
        let mut namer = Namer::new(["x", "x_b", "t1"]);
        assert_eq!(namer.suffixed("x_b".into()), "x_b_");
        assert_eq!(namer.suffixed("x_b".into()), "x_b__");
        assert_eq!(namer.numbered("t"), "t2");
        assert_eq!(namer.numbered("t"), "t3");
    }
}
