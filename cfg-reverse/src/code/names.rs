//! Names that are new in their scope.

use cfg_core::ir::Variable;
use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

/// Longest suffix of a name that is kept where the name is cut.
const SUFFIX: usize = 16;

/// Hands out names that are not taken in a scope. The next number of each base is remembered, so that n requests for
/// one base take O(n).
#[derive(Clone, Debug, Default)]
pub(crate) struct Namer {
    /// Names taken in many scopes, held once: those of globals.
    shared: Arc<HashSet<String>>,
    taken: HashSet<String>,
    next: HashMap<String, u64>,
}

impl Namer {
    pub(crate) fn new<'n>(taken: impl IntoIterator<Item = &'n str>) -> Self {
        Self::with_shared(Arc::default(), taken)
    }

    /// A scope in which the names of `shared` are taken beside its own; `shared` is held once for many scopes.
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

    fn is_taken(&self, name: &str) -> bool {
        self.shared.contains(name) || self.taken.contains(name)
    }

    /// `wanted`, with underscores appended while it is taken (the rule of the command line for
    /// generated routines, tangents and adjoints). A name that is too long is cut before its suffix and
    /// numbered.
    pub(crate) fn fresh_name(&mut self, wanted: String) -> String {
        let mut name = wanted;
        while name.len() <= Variable::MAX_NAME && self.is_taken(&name) {
            name.push('_');
        }
        if name.len() > Variable::MAX_NAME {
            return self.cut(name.trim_end_matches('_'));
        }
        self.taken.insert(name.clone());
        name
    }

    /// The beginning of a long name, a number, and the name's suffix.
    fn cut(&mut self, name: &str) -> String {
        let suffix = name.rfind('_').map_or("", |at| &name[at..]);
        let suffix = if suffix.len() <= SUFFIX { suffix } else { "" };
        // 21 bytes: the separator and the longest number.
        let mut end = Variable::MAX_NAME - SUFFIX - 21;
        end = end.min(name.len() - suffix.len());
        while !name.is_char_boundary(end) {
            end -= 1;
        }
        let head = format!("{}_", &name[..end]);
        loop {
            let next = self.next.entry(head.clone()).or_insert(1);
            let name = format!("{head}{next}{suffix}");
            *next += 1;
            if !self.is_taken(&name) {
                self.taken.insert(name.clone());
                return name;
            }
        }
    }

    /// Marks a name as taken.
    pub(crate) fn reserve(&mut self, name: &str) {
        self.taken.insert(name.to_owned());
    }

    /// Replaces the names that are held for many scopes.
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
    use super::{Arc, HashSet, Namer, SUFFIX, Variable};

    #[test]
    fn never_hands_out_a_name_twice() {
        let shared = Arc::new(["x_b".to_owned(), "t3".to_owned()].into());
        let mut namer = Namer::with_shared(shared, ["x", "t1"]);
        assert_eq!(namer.fresh_name("x_b".into()), "x_b_");
        assert_eq!(namer.fresh_name("x_b".into()), "x_b__");
        assert_eq!(namer.numbered("t"), "t2");
        assert_eq!(namer.numbered("t"), "t4");
        namer.share(Arc::new(["t5".to_owned(), "y".to_owned()].into()));
        assert_eq!(namer.numbered("t"), "t6");
        assert_eq!(namer.fresh_name("y".into()), "y_");
    }

    #[test]
    fn long_names_stay_allowed_and_new() {
        for letter in ["q", "\u{e9}", "\u{1f600}", "_"] {
            for bytes in [990, 996, 998, 999, 1000] {
                let long = letter.repeat(bytes / letter.len());
                let mut names = HashSet::from([long.clone()]);
                let mut namer = Namer::new([long.as_str()]);
                for suffix in ["_b", "_b", "_t", "_fwd", "_rev", "_grad", "_b", "", ""] {
                    for _ in 0..5 {
                        let name = namer.fresh_name(format!("{long}{suffix}"));
                        assert!(name.len() <= Variable::MAX_NAME, "{} bytes", name.len());
                        assert!(names.insert(name.clone()), "{name} twice");
                    }
                }
            }
        }
    }

    #[test]
    fn names_have_a_length_that_they_may_have() {
        for (length, stays) in [
            (Variable::MAX_NAME - 1, true),
            (Variable::MAX_NAME, true),
            (Variable::MAX_NAME + 1, false),
        ] {
            let wanted = "x".repeat(length);
            let mut namer = Namer::new([]);
            let first = namer.fresh_name(wanted.clone());
            assert_eq!(first == wanted, stays, "{length}");
            // A name that is cut has room for a suffix and any number.
            let cut = Variable::MAX_NAME - SUFFIX - 21 + "_1".len();
            assert_eq!(first.len(), if stays { length } else { cut });
            let second = namer.fresh_name(wanted.clone());
            assert!(
                first != second && second.len() <= Variable::MAX_NAME,
                "{length}"
            );
            let has_room = length < Variable::MAX_NAME;
            assert_eq!(second == format!("{wanted}_"), has_room, "{length}");
        }
    }
}
