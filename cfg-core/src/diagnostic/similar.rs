//! "Did you mean": the known name that is nearest to an unknown one, by one rule for all front ends.
//!
//! ```
//! use cfg_core::diagnostic::similar::{did_you_mean, nearest};
//!
//! assert_eq!(nearest("independants", ["dependents", "independents"]), Some("independents"));
//! assert_eq!(nearest("x", ["y"]), None);
//! assert_eq!(did_you_mean("Loop", ["LOOP"]).as_deref(), Some("did you mean `LOOP`?"));
//! ```

/// Longest name that is compared, in bytes, since the work is quadratic.
const LONGEST: usize = 100;

/// The known name nearest to `name`, if any is near enough (see [`Similarity::nearest`]).
pub fn nearest<'n>(name: &str, known: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    Similarity::default().nearest(name, known)
}

/// [`nearest`] as help text.
pub fn did_you_mean<'n>(name: &str, known: impl IntoIterator<Item = &'n str>) -> Option<String> {
    nearest(name, known).map(did_you_mean_text)
}

/// The question whether a name near to the unknown one was meant.
pub fn did_you_mean_text(near: &str) -> String {
    format!("did you mean `{near}`?")
}

/// Finds similar names, with bounded work over all calls together.
#[derive(Debug)]
pub struct Similarity {
    budget: usize,
}

impl Default for Similarity {
    fn default() -> Self {
        Self { budget: 20_000_000 }
    }
}

impl Similarity {
    /// [`Self::nearest`] as help text.
    pub fn did_you_mean<'n>(
        &mut self,
        name: &str,
        known: impl IntoIterator<Item = &'n str>,
    ) -> Option<String> {
        self.nearest(name, known).map(did_you_mean_text)
    }

    /// The name with the smallest edit distance (optimal string alignment; upper and lower case are the
    /// same), if that is at most a third of the length; of equal ones the first.
    pub fn nearest<'n>(
        &mut self,
        name: &str,
        known: impl IntoIterator<Item = &'n str>,
    ) -> Option<&'n str> {
        if name.len() > LONGEST {
            return None;
        }
        let letters = name.chars().count();
        let lower = name.to_lowercase();
        let mut best: Option<(usize, &str)> = None;
        for candidate in known {
            let cost = (name.len() + 1) * (candidate.len() + 1);
            if candidate.len() > LONGEST || candidate.is_empty() {
                continue;
            }
            self.budget = self.budget.checked_sub(cost)?;
            // No letter is nearer to a letter than any other.
            let allowed = match letters.max(candidate.chars().count()) {
                _ if letters == 1 => 0,
                1 => 0,
                longest => (longest / 3).max(1),
            };
            let distance = match strsim::osa_distance(&lower, &candidate.to_lowercase()) {
                // Equal but for the case: nearer than any name at a distance.
                0 => 0,
                distance => 1 + distance,
            };
            if distance <= 1 + allowed && best.is_none_or(|(d, _)| distance < d) {
                best = Some((distance, candidate));
            }
        }
        best.map(|(_, name)| name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_near() {
        let known = ["x", "y", "flag", "BASICBLOCK", "été", ""];
        for (name, near) in [
            ("X", Some("x")),
            ("z", None),
            ("x_", Some("x")),
            ("flog", Some("flag")),
            ("falg", Some("flag")),
            ("Flog", Some("flag")),
            ("fl", None),
            ("basic_block", Some("BASICBLOCK")),
            ("ete", None),
            ("Été", Some("été")),
            ("", None),
        ] {
            assert_eq!(nearest(name, known), near, "{name}");
        }
        assert_eq!(nearest(&"x".repeat(101), ["x"]), None);
    }

    #[test]
    fn work_is_bounded() {
        let name = "n".repeat(100);
        let many = vec![name.as_str(); 10_000];
        let mut similarity = Similarity::default();
        assert_eq!(
            similarity.nearest(&name, many),
            None,
            "the budget is used up"
        );
    }

    /// Names are compared up to a length only, the unknown name as well as the known ones.
    #[test]
    fn lengths_on_both_sides() {
        let [most, more] = [LONGEST, LONGEST + 1].map(|n| "n".repeat(n));
        assert_eq!(nearest(&most, [most.as_str()]), Some(most.as_str()));
        assert_eq!(nearest(&most, [more.as_str()]), None);
        assert_eq!(nearest(&more, [most.as_str()]), None);
    }

    /// A budget pays for comparisons; each costs (m + 1)(n + 1) for names of m and n bytes.
    #[test]
    fn budgets_on_both_sides() {
        for (budget, known, near) in [
            (15, &["abc"][..], None),
            (16, &["abc"], Some("abc")),
            (31, &["abc", "abe"], None),
            (32, &["abc", "abe"], Some("abc")),
        ] {
            let mut similarity = Similarity { budget };
            let found = similarity.nearest("abd", known.iter().copied());
            assert_eq!(found, near, "{budget}");
        }
    }
}
