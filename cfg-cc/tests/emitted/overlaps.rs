//! Arguments that share cells although one is written: with checks C compares what the executor compares (X214). Arguments
//! with gaps of which the parameters are apart have the executor's values.

use crate::{
    checks::by_hand,
    trial::{Trial, check, check_with},
};
use cfg_core::validate::validate;
use cfg_format::text;
use cfg_testkit::rng::Rng;
use std::collections::BTreeMap;

/// Routines that are called, with array parameters of rank 1 and 2: of explicit shape, as large as what is passed, single
/// numbers; some name globals that lie over each other.
const CALLED: &str = "\
global real block[12] = 1.0
global real tail[4] overlays block at 3
global real grid[3, 4] column = 2.0

subroutine sized(in integer n, inout real x[n], in real y[n])
  x := x + 1.0
end

subroutine both(in integer n, inout real x[n], inout real y[:])
  x := x + 1.0
  y := y*2.0
end

subroutine shaped(inout real x[:], in real y[:])
  x := x*2.0
end

subroutine square(in integer m, in integer n, inout real x[m, n], inout real y[n, m] column)
  x := x*2.0
  y := y + 1.0
end

subroutine rows(inout real x[:, :], in real y[:, :] column)
  x := x + 0.5
  x[size(x, 1), 1] := y[1, size(y, 2)]
end

subroutine flat(in integer n, inout real x[n], in real y[:, :])
  x := x + 0.5
  x[1] := y[size(y, 1), 1]
end

subroutine number(inout real x, in real y)
  x := x*y
end

subroutine mixed(in real x, inout real y[:])
  y := y + x
end

subroutine tailed(in integer n, inout real x[n])
  uses tail
  local real t
  t := tail[2]
  x := x + t
end

subroutine gridded(in real x[:])
  uses grid
  grid[1, 2] := grid[2, 3]
end

subroutine maybe(in integer n, optional inout real x[n], optional in real y[:])
  if present(x)
    x[1] := 1.0
  end
end

function valued(in integer n, inout real x[n], in real y) result real r
  x[1] := y
  r := y
end

aliased subroutine again(in integer n, inout real x[n], inout real y[:])
  call sized(n, x, y)
  call tailed(n, x)
end

aliased subroutine from(in integer m, in integer n, inout real x[:], inout real y[n])
  call sized(n, x[m], y)
end

";

/// Calls, with holes for a place of one number `@`, of rank 1 `#`, of rank 2 `%`.
const CALLS: &[&str] = &[
    "call sized(n, #, #)",
    "call sized(n, @, @)",
    "call sized(n, %, @)",
    "call both(n, #, #)",
    "call both(n, @, #)",
    "call shaped(#, #)",
    "call square(m, n, %, %)",
    "call square(m, n, #, @)",
    "call rows(%, %)",
    "call flat(n, #, %)",
    "call flat(n, @, %)",
    "call number(@, @)",
    "call mixed(@, #)",
    "call tailed(n, #)",
    "call tailed(n, @)",
    "call gridded(#)",
    "call maybe(n, #, #)",
    "call maybe(n, absent, #)",
    "call again(n, #, #)",
    "call again(n, @, #)",
    "call from(m, n, #, #)",
    "call from(m, n, #, @)",
    "@ := call valued(n, #, @)",
    "v[1:3] := call valued(n, #, @)",
];

/// Places of rank 0, 1 and 2.
const PLACES: &[&[&str]] = &[
    &[
        "v[i]",
        "v[j]",
        "v[i + k]",
        "a[i, j]",
        "a[k, l]",
        "c[j, i]",
        "c[k, l]",
        "block[j]",
        "block[i + l]",
        "tail[i]",
        "grid[i, j]",
        "grid[l, k]",
    ],
    &[
        "v",
        "v[i:j:s]",
        "v[k:l:t]",
        "v[i:]",
        "v[:j]",
        "a[i, :]",
        "a[:, j]",
        "a[i, k:l:s]",
        "a[k:l:t, j]",
        "c[:, i]",
        "c[i:j:s, k]",
        "c[k, j:]",
        "block",
        "block[i:j:s]",
        "block[l:]",
        "tail",
        "tail[k:l]",
        "grid[:, i]",
        "grid[k, j:l:t]",
        "grid[2, :]",
    ],
    &[
        "a",
        "a[i:j:s, k:l:t]",
        "a[k:l, :]",
        "a[:, i:j:s]",
        "c",
        "c[i:j:s, :]",
        "c[:, k:l:t]",
        "c[k:l:t, i:j:s]",
        "grid",
        "grid[i:j, k:l]",
        "grid[:, k:l:t]",
    ],
];

/// A place of this rank, mostly of the array with this name.
fn random_place(rng: &mut Rng, rank: usize, favourite: &str) -> String {
    let all = PLACES[rank];
    let of_one: Vec<&&str> = (all.iter())
        .filter(|text| text.split('[').next() == Some(favourite))
        .collect();
    if of_one.is_empty() || rng.below(5) == 0 {
        return all[rng.below(all.len())].to_owned();
    }
    (*of_one[rng.below(of_one.len())]).to_owned()
}

#[test]
fn overlapping_arguments_are_found_where_the_executor_finds_them() {
    let mut trials = Vec::new();
    let mut found: BTreeMap<String, usize> = BTreeMap::new();
    let programs = std::env::var("CFGREV_OVERLAPS").map_or(250, |n| n.parse().unwrap());
    for seed in 0..programs {
        let mut rng = Rng::new(seed);
        let call = CALLS[seed as usize % CALLS.len()];
        let favourite = ["v", "a", "c", "block", "grid"][rng.below(5)];
        let mut statement = String::new();
        for c in call.chars() {
            match c {
                '@' => statement.push_str(&random_place(&mut rng, 0, favourite)),
                '#' => statement.push_str(&random_place(&mut rng, 1, favourite)),
                '%' => statement.push_str(&random_place(&mut rng, 2, favourite)),
                _ => statement.push(c),
            }
        }
        let mut small = |most: usize| 1 + rng.below(most) as i64;
        let (i, j, k, l) = (small(4), small(4), small(4), small(4));
        let (m, n) = (small(2), small(3));
        let mut step = |from: i64, to: i64| {
            let size = 1 + rng.below(3) as i64;
            if from > to { -size } else { size }
        };
        let (s, t) = (step(i, j), step(k, l));
        let point =
            format!("i = {i}, j = {j}, k = {k}, l = {l}, m = {m}, n = {n}, s = {s}, t = {t}");
        let text = format!(
            "// {point}\n{CALLED}main subroutine f(in integer i, in integer j, in integer k, in integer l, in integer m, in integer \
             n, in integer s, in integer t, inout real v[10], inout real a[5, 4], inout real c[4, 5] column)\n  \
             uses block, tail, grid\n  {statement}\nend\n"
        );
        // Arguments that overlap whatever the point are refused before.
        let parsed = text::parse(&text).program.expect("the text is a program");
        if let Err(problems) = validate(parsed) {
            assert!(problems.to_string().contains("V150"), "{problems}");
            continue;
        }
        let trial = by_hand(&format!("{statement} at {point}"), &text);
        let code = match &trial.expected {
            Ok(_) => "none".to_owned(),
            Err((code, _)) => code.clone(),
        };
        *found.entry(code).or_default() += 1;
        trials.push(trial);
    }
    for code in ["none", "X214", "X212"] {
        assert!(
            found.get(code).is_some_and(|n| *n * 20 > trials.len()),
            "{found:?}"
        );
    }
    check(&trials, trials.len() / 10);
    // Without checks those that end without an error have the same values.
    let sound: Vec<Trial> = trials.into_iter().filter(|t| t.expected.is_ok()).collect();
    check_with(&sound, sound.len() / 10, false);
}
