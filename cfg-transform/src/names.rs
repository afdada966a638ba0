//! Names that are new in their scope.

use cfg_core::ir::Variable;
use std::collections::HashSet;

/// The wanted name, with the first number that makes it new if it is taken; long names are cut. The name counts as
/// taken from now on.
pub(crate) fn fresh_name(wanted: String, taken: &mut HashSet<String>) -> String {
    let mut name = wanted.clone();
    let mut number = 1u64;
    while name.len() > Variable::MAX_NAME || taken.contains(&name) {
        number += 1;
        let suffix = format!("_{number}");
        let most = wanted.len().min(Variable::MAX_NAME - suffix.len());
        let end = (0..=most).rev().find(|&end| wanted.is_char_boundary(end));
        name = format!("{}{suffix}", &wanted[..end.unwrap_or(0)]);
    }
    taken.insert(name.clone());
    name
}

#[cfg(test)]
mod tests {
    use super::fresh_name;
    use std::collections::HashSet;

    #[test]
    fn names_are_new_and_not_too_long() {
        let mut taken = HashSet::from(["f".to_owned(), "f_2".to_owned()]);
        assert_eq!(fresh_name("g".to_owned(), &mut taken), "g");
        assert_eq!(fresh_name("f".to_owned(), &mut taken), "f_3");
        let long = "ä".repeat(600);
        let (a, b) = (
            fresh_name(long.clone(), &mut taken),
            fresh_name(long, &mut taken),
        );
        assert!(a != b && a.len() <= 1000 && b.len() <= 1000);
    }

    /// A name of the greatest length stays as it is, and the next longer one is cut to it.
    #[test]
    fn names_are_cut_from_the_greatest_length_on() {
        let mut taken = HashSet::new();
        assert_eq!(fresh_name("a".repeat(1000), &mut taken), "a".repeat(1000));
        let cut = format!("{}_2", "b".repeat(998));
        assert_eq!(fresh_name("b".repeat(1001), &mut taken), cut);
    }
}
