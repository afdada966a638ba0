//! Names that are new in their scope.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

/// Hands out names that nothing in a scope has yet. Asking for the same base again and again is
/// linear: the next number of each base is remembered.
#[derive(Clone, Debug, Default)]
pub(crate) struct Namer {
    /// Names that many scopes have: those of globals.
    shared: Arc<HashSet<String>>,
    taken: HashSet<String>,
    next: HashMap<String, u64>,
}

impl Namer {
    pub(crate) fn new<'n>(taken: impl IntoIterator<Item = &'n str>) -> Self {
        Self::with_shared(Arc::default(), taken)
    }

    /// Some of the names that are taken are held once for many scopes.
    pub(crate) fn with_shared<'n>(
        shared: Arc<HashSet<String>>,
        taken: impl IntoIterator<Item = &'n str>,
    ) -> Self {
        Self {
            shared,
            taken: taken.into_iter().map(str::to_owned).collect(),
            next: HashMap::new(),
        }
    }

    /// `wanted`, with underscores appended while it is taken (the rule of the command line for
    /// generated routines, tangents and adjoints).
    pub(crate) fn suffixed(&mut self, wanted: String) -> String {
        let mut name = wanted;
        while self.shared.contains(&name) || self.taken.contains(&name) {
            name.push('_');
        }
        self.taken.insert(name.clone());
        name
    }

    /// Takes a name that something else in the scope has.
    pub(crate) fn reserve(&mut self, name: &str) {
        self.taken.insert(name.to_owned());
    }

    /// Replaces the names that many scopes have.
    pub(crate) fn share(&mut self, shared: Arc<HashSet<String>>) {
        self.shared = shared;
    }

    /// `base1`, `base2`, ...: the next number that is free.
    pub(crate) fn numbered(&mut self, base: &str) -> String {
        let next = self.next.entry(base.to_owned()).or_insert(1);
        loop {
            let name = format!("{base}{next}");
            *next += 1;
            if !self.shared.contains(&name) && self.taken.insert(name.clone()) {
                return name;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Arc, Namer};

    #[test]
    fn never_hands_out_a_name_twice() {
        let shared = Arc::new(["x_b".to_owned(), "t3".to_owned()].into());
        let mut namer = Namer::with_shared(shared, ["x", "t1"]);
        assert_eq!(namer.suffixed("x_b".into()), "x_b_");
        assert_eq!(namer.suffixed("x_b".into()), "x_b__");
        assert_eq!(namer.numbered("t"), "t2");
        assert_eq!(namer.numbered("t"), "t4");
        namer.share(Arc::new(["t5".to_owned(), "y".to_owned()].into()));
        assert_eq!(namer.numbered("t"), "t6");
        assert_eq!(namer.suffixed("y".into()), "y_");
    }
}
