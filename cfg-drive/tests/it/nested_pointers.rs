//! Programs that are entered with pointers that lead to pointers, and with pointers that lead where others do.

use crate::flat;
use crate::records::read;
use cfg_core::{diagnostic::Diagnostics, entity::RoutineId, validate::ValidProgram};
use cfg_drive::{Adjoint, Members, Options, PointText, Primal, Tolerances, Wishes, check, prepare};
use cfg_testkit::rng::Rng;
use cfg_transform::pools;
use serde_json::{Map, Value as Json, json};

/// Sums the squares of all reals, each times its number, and doubles what rows hold.
const NETS: &str = "
record Layer
  integer rows
  ^integer length
  ^^real w
  real bias[2]
end
record Net
  integer depth
  ^record Layer layers
  real scale
  ^real shift
  ^real rows[2]
end

subroutine add(in record Net net, inout real s, inout integer k)
  local integer i
  local integer r
  local integer j
  local ^record Layer l
  for i = 0, net.depth - 1
    l := shift(net.layers, i)
    for r = 0, l^.rows - 1
      for j = 0, l^.length^[r] - 1
        k := k + 1
        s := s + k*l^.w^[r]^[j]**2
        l^.w^[r]^[j] := 2.0*l^.w^[r]^[j]
      end
    end
    for j = 1, 2
      k := k + 1
      s := s + k*l^.bias[j]**2
    end
  end
  k := k + 1
  s := s + k*net.scale**2
  if net.shift != null(real)
    k := k + 1
    s := s + k*net.shift^**2
  end
  for j = 1, 2
    if net.rows[j] != null(real)
      k := k + 1
      s := s + k*net.rows[j]^**2
    end
  end
end

main subroutine f(in integer n, in ^record Net nets, in record Net one, in record Net two[2], out real s)
  local integer k
  local integer i
  local ^record Net p
  independent nets, one, two
  dependent s
  s := 0.0
  k := 0
  for i = 0, n - 1
    call add(nets^[i], s, k)
  end
  call add(one, s, k)
  call add(two[1], s, k)
  call add(two[2], s, k)
end
";

/// The same, with values passed in memory behind pointers.
fn moved() -> String {
    let moved = NETS
        .replace(
            "call add(one, s, k)",
            "p := addr(one)\n  call add(p^, s, k)",
        )
        .replace(
            "call add(two[1], s, k)",
            "p := addr(two[1])\n  call add(p^, s, k)",
        )
        .replace(
            "call add(two[2], s, k)",
            "p := shift(p, 1)\n  call add(p^, s, k)",
        );
    assert_eq!(moved.matches("p :=").count(), 3);
    moved
}

/// The program without pointers, and the routine by which it is entered.
fn lowered(
    program: &ValidProgram,
    main: RoutineId,
) -> Result<(ValidProgram, RoutineId), Diagnostics> {
    let name = program.routine(main).name.clone();
    let lowered = pools::lower(program, &[main], 2000)?;
    let main = lowered.find_routine(&name).expect("it keeps its name");
    Ok((lowered, main))
}

/// A program at a point, with the pointers that the point declares to lead where others do.
fn at_point(text: &str, point: &str) -> Result<(ValidProgram, RoutineId, Options), Diagnostics> {
    let program = read(text);
    let main = program.main.unwrap_or(RoutineId::new(0));
    let bytes = point.as_bytes();
    let wishes = Wishes {
        cells: 2000,
        point: Some(PointText {
            name: "POINT",
            bytes,
        }),
        ..Wishes::default()
    };
    let made = prepare(program, main, &wishes, &Options::default())?;
    let options = Options {
        same_as: made.same_as,
        ..Options::default()
    };
    Ok((made.program.into_grouped(), made.routine, options))
}

pub(crate) fn run(text: &str, point: &str) -> Result<Json, Diagnostics> {
    let (program, main, options) = at_point(text, point)?;
    let mut primal = Primal::new(&flat(&program), main, &options)?;
    let point = primal.read_point(point.as_bytes())?;
    let run = primal.run(&point)?;
    let values = Members::new(&run.value, &program, main).with_sizes(point.sizes());
    Ok(serde_json::to_value(values).expect("values"))
}

pub(crate) fn gradient(text: &str, point: &str) -> Result<Json, Diagnostics> {
    let (program, main, options) = at_point(text, point)?;
    let mut adjoint = Adjoint::new(&flat(&program), main, &options)?;
    let point = adjoint.read_point(point.as_bytes())?;
    let seed = adjoint.default_seed(&point)?;
    let found = adjoint.gradient(&point, &seed)?;
    let values = Members::new(&found.gradient, &program, main).with_sizes(point.sizes());
    Ok(serde_json::to_value(values).expect("values"))
}

pub(crate) fn agrees(text: &str, point: &str) {
    let (program, main, options) = at_point(text, point).unwrap_or_else(|e| panic!("{e}"));
    let read = |primal: &Primal| primal.read_point(point.as_bytes());
    let checked = check(&flat(&program), main, &options, read, Tolerances::default());
    let checked = checked.unwrap_or_else(|e| panic!("{text}{point}\n{e}"));
    assert_eq!(checked.agrees(), Some(true), "{text}{point}");
}

/// A random net: its value in a point, the contents of the rows at the end, and its gradient.
struct Known {
    value: f64,
    number: f64,
    rng: Rng,
}

impl Known {
    /// A real that is summed: in the point, in the end, and in the gradient.
    fn real(&mut self, twice: bool) -> [Json; 3] {
        let x = (self.rng.below(64) as f64 - 31.5) / 8.0;
        self.number += 1.0;
        self.value += self.number * x * x;
        let end = if twice { 2.0 * x } else { x };
        [json!(x), json!(end), json!(2.0 * self.number * x)]
    }

    /// An array of what a pointer leads to, or null.
    fn list(all: Vec<[Json; 3]>) -> [Json; 3] {
        if all.is_empty() {
            return [Json::Null, Json::Null, Json::Null];
        }
        [0, 1, 2].map(|k| all.iter().map(|parts| parts[k].clone()).collect())
    }

    fn layer(&mut self) -> [Json; 3] {
        let rows = self.rng.below(4);
        let length: Vec<usize> = (0..rows).map(|_| self.rng.below(4)).collect();
        let w = length
            .iter()
            .map(|&n| Self::list((0..n).map(|_| self.real(true)).collect()));
        let w = Self::list(w.collect());
        let bias = Self::list(vec![self.real(false), self.real(false)]);
        let [mut point, end, mut gradient] = [0, 1, 2].map(|k| json!({"w": w[k]}));
        point["rows"] = json!(rows);
        point["length"] = json!(length);
        point["bias"] = bias[0].clone();
        gradient["bias"] = bias[2].clone();
        [point, end, gradient]
    }

    fn net(&mut self) -> [Json; 3] {
        let depth = self.rng.below(3);
        let layers = Self::list((0..depth).map(|_| self.layer()).collect());
        let scale = self.real(false);
        let maybe = |known: &mut Self| {
            let n = known.rng.below(2);
            Self::list((0..n).map(|_| known.real(false)).collect())
        };
        let shift = maybe(self);
        let rows = [maybe(self), maybe(self)];
        let of = |k: usize| {
            let mut net = Map::new();
            net.insert("layers".to_owned(), layers[k].clone());
            if k != 1 {
                net.insert("scale".to_owned(), scale[k].clone());
                net.insert("shift".to_owned(), shift[k].clone());
                net.insert("rows".to_owned(), json!([rows[0][k], rows[1][k]]));
            }
            Json::Object(net)
        };
        let [mut point, end, gradient] = [0, 1, 2].map(of);
        point["depth"] = json!(depth);
        [point, end, gradient]
    }
}

/// Records that lead to records that lead to rows of any length, or to none; values and gradients are known.
#[test]
fn what_nested_pointers_lead_to_goes_in_and_out() {
    for text in [NETS.to_owned(), moved()] {
        let (program, main) = {
            let program = read(&text);
            let main = program.main.expect("it is marked");
            lowered(&program, main).unwrap_or_else(|e| panic!("{e}"))
        };
        let options = Options::default();
        let mut primal = Primal::new(&flat(&program), main, &options).expect("it is compiled");
        let mut adjoint = Adjoint::new(&flat(&program), main, &options).expect("it is reversed");
        for seed in 0..60 {
            let mut known = Known {
                value: 0.0,
                number: 0.0,
                rng: Rng::new(seed),
            };
            let n = known.rng.below(3);
            let nets: Vec<[Json; 3]> = (0..n).map(|_| known.net()).collect();
            let nets = [0, 1, 2].map(|k| nets.iter().map(|net| net[k].clone()).collect::<Json>());
            let one = known.net();
            let two = Known::list(vec![known.net(), known.net()]);
            let all = [0, 1, 2].map(|k| json!({"nets": nets[k], "one": one[k], "two": two[k]}));
            let [mut point, mut end, wanted] = all;
            point["n"] = json!(n);
            end["s"] = json!(known.value);
            let text = point.to_string();

            let there = primal
                .read_point(text.as_bytes())
                .unwrap_or_else(|e| panic!("{text} {e}"));
            let run = primal.run(&there).unwrap_or_else(|e| panic!("{text} {e}"));
            let found = Members::new(&run.value, &program, main).with_sizes(there.sizes());
            assert_eq!(serde_json::to_value(found).expect("values"), end, "{text}");

            let there = adjoint.read_point(text.as_bytes()).expect("a point");
            let seed = adjoint.default_seed(&there).expect("one dependent");
            let found = adjoint
                .gradient(&there, &seed)
                .unwrap_or_else(|e| panic!("{text} {e}"));
            let found = Members::new(&found.gradient, &program, main).with_sizes(there.sizes());
            assert_eq!(
                serde_json::to_value(found).expect("values"),
                wanted,
                "{text}"
            );
        }
        let mut known = Known {
            value: 0.0,
            number: 0.0,
            rng: Rng::new(7),
        };
        let [nets, one] = [0, 1].map(|_| known.net()[0].clone());
        let two = [known.net()[0].clone(), known.net()[0].clone()];
        let point = json!({"n": 1, "nets": [nets], "one": one, "two": two}).to_string();
        agrees(&text, &point);
    }
}

const ROWS: &str = "
record Pair
  real x
  ^real of
end
main subroutine f(in ^^real a, in record Pair pair, in ^record Pair pairs, out real s)
  local ^real row
  independent a, pair, pairs
  dependent s, a
  row := a^[0]
  a^[0] := a^[1]
  a^[1] := row
  s := a^[0]^[1]*a^[1]^*pair.of^*pairs^.x
  a^[0]^[1] := s*pair.x
end
";
const POINT: &str =
    r#"{"a": [[2], [3, 5]], "pair": {"x": 7, "of": [11]}, "pairs": {"x": 13, "of": null}}"#;

/// Objects keep their places, even if the pointers to them change; seeds have the form of points, and values that
/// they leave out are 0.
#[test]
fn seeds_are_nested() {
    let s = 5.0 * 2.0 * 11.0 * 13.0;
    assert_eq!(
        run(ROWS, POINT).expect("it runs"),
        json!({"a": [[2.0], [3.0, s * 7.0]], "s": s})
    );
    let (program, main, options) = at_point(ROWS, POINT).expect("it is lowered");
    let mut adjoint = Adjoint::new(&flat(&program), main, &options).expect("it is reversed");
    let point = adjoint.read_point(POINT.as_bytes()).expect("a point");
    let of_s = json!({
        "a": [[s / 2.0], [0.0, s / 5.0]],
        "pair": {"x": 0.0, "of": [s / 11.0]},
        "pairs": [{"x": s / 13.0, "of": null}],
    });
    let of_a = json!({
        "a": [[s * 7.0 / 2.0], [1.0, s * 7.0 / 5.0]],
        "pair": {"x": s, "of": [s * 7.0 / 11.0]},
        "pairs": [{"x": s * 7.0 / 13.0, "of": null}],
    });
    for (seed, wanted) in [
        (r#"{"s": 1}"#, &of_s),
        (r#"{"s": 1, "a": null}"#, &of_s),
        (r#"{"a": [null, [1, 1]]}"#, &of_a),
        (r#"{"a": [[0], [1, 1]], "s": 0}"#, &of_a),
    ] {
        let (seeds, _) = adjoint
            .read_seeds(seed.as_bytes(), &point)
            .unwrap_or_else(|e| panic!("{e}"));
        let found = adjoint.gradient(&point, &seeds[0]).expect("it runs");
        let found = Members::new(&found.gradient, &program, main).with_sizes(point.sizes());
        assert_eq!(
            &serde_json::to_value(found).expect("values"),
            wanted,
            "{seed}"
        );
    }
    for (seed, code, place) in [
        (r#"{"a": [[0, 1], [1, 1]]}"#, "P416", "/a/0"),
        (r#"{"a": [[0]]}"#, "P416", "/a"),
        (r#"{"a": [{"size": 1}, null]}"#, "P415", "/a/0"),
        (r#"{"a": {"same_as": "a"}}"#, "P424", "/a"),
        (r#"{"pair": {"x": 1}}"#, "P412", "/pair"),
        (r#"{"a_elements": [1, 1, 1]}"#, "P412", "/a_elements"),
    ] {
        let wrong = adjoint.read_seeds(seed.as_bytes(), &point).expect_err(seed);
        let problem = &wrong.0[0];
        let at = problem.at.pointer.as_deref().unwrap_or("");
        assert_eq!((problem.code, at), (code, place), "{seed}\n{wrong}");
    }
    agrees(ROWS, POINT);
}

/// Each wrong point is refused, with the place.
#[test]
fn wrong_points_are_refused() {
    let mut all = String::new();
    for (member, value, code, place) in [
        ("a", "[[2], 3]", "P415", "/a/1"),
        ("a", "[[2], [true, 5]]", "P415", "/a/1/0"),
        ("a", "[[2], [[3], 5]]", "P415", "/a/1/0"),
        ("a", "3", "P415", "/a"),
        ("a", "[{\"x\": 1, \"y\": 2}]", "P415", "/a/0"),
        ("a", "[[2], {\"size\": [2, 3]}]", "P416", "/a/1"),
        ("a", "[[2], {\"size\": 4000000000000}]", "X210", ""),
        ("pair", "{\"x\": 7}", "P414", "/pair/of"),
        (
            "pair",
            "{\"x\": 7, \"of\": [1], \"z\": 1}",
            "P412",
            "/pair/z",
        ),
        ("pair", "[{\"x\": 7, \"of\": [1]}]", "P416", "/pair"),
        ("pair", "{\"x\": [7], \"of\": [1]}", "P415", "/pair/x"),
        (
            "pair",
            "{\"x\": 7, \"of\": {\"same_as\": \"a\"}}",
            "P424",
            "/pair/of",
        ),
        ("pairs", "[[{\"x\": 7, \"of\": [1]}]]", "P416", "/pairs/0"),
        ("pairs", "[1]", "P415", "/pairs/0"),
        ("a_elements", "[1]", "P412", "/a_elements"),
    ] {
        let mut point: Map<String, Json> = serde_json::from_str(POINT).expect("JSON");
        point.insert(
            member.to_owned(),
            serde_json::from_str(value).expect("JSON"),
        );
        let text = Json::Object(point).to_string();
        let found = match run(ROWS, &text) {
            Ok(values) => values.to_string(),
            Err(problems) => {
                let at = problems.0[0].at.pointer.as_deref().unwrap_or("");
                match (problems.0[0].code, at) == (code, place) {
                    true => continue,
                    false => problems.to_string(),
                }
            }
        };
        all += &format!("{value}: {code} {place}, not {found}\n");
    }
    assert!(all.is_empty(), "{all}");
    for member in ["a", "pair", "pairs"] {
        let mut point: Map<String, Json> = serde_json::from_str(POINT).expect("JSON");
        point.remove(member);
        let wrong = run(ROWS, &Json::Object(point).to_string()).expect_err(member);
        assert_eq!(wrong.0.len(), 1, "{wrong}");
        assert_eq!(wrong.0[0].code, "P414", "{wrong}");
        // The POINT in the message can be copied, though the program may need more elements.
        let (_, whole) = wrong.0[0].help.split_once(": ").expect("a POINT");
        if let Err(problems) = run(ROWS, whole) {
            assert_eq!(problems.0[0].code, "X224", "{problems}\n{whole}");
        }
    }
}

const TWO: &str = "
main subroutine f(in integer n, in ^real p, in ^real q, in ^integer k, out real s)
  local integer i
  independent p, q
  dependent s
  s := 0.0
  for i = 0, n - 1
    q^[i] := p^[i]**2
    s := s + q^[i]*(i + 1)
  end
end
";

/// A pointer may lead to elements without values: they may be assigned, and to decide by one is an error.
#[test]
fn sizes_are_memory_without_values() {
    let point = r#"{"n": 2, "p": [3, 5], "q": {"size": 3}, "k": null}"#;
    assert_eq!(
        run(TWO, point).expect("it runs"),
        json!({"q": [9.0, 25.0, null], "s": 59.0})
    );
    assert_eq!(
        gradient(TWO, point).expect("it runs"),
        json!({"p": [6.0, 20.0], "q": [0.0, 0.0, 0.0]})
    );
    agrees(TWO, point);
    let point = r#"{"n": 2, "p": {"size": 2}, "q": [1, 1], "k": null}"#;
    assert_eq!(
        gradient(TWO, point).expect_err("no values").0[0].code,
        "X202"
    );
    let nested = POINT.replace("[3, 5]", "{\"size\": 2}");
    assert_eq!(run(ROWS, &nested).expect_err("no values").0[0].code, "X202");
    let nested = POINT.replace("[3, 5]", "[3, 5], {\"size\": 2}");
    let of_s = ROWS.replace("dependent s, a", "dependent s");
    assert_eq!(
        run(&of_s, &nested).expect("it runs")["a"],
        json!([[2.0], [3.0, 5005.0 * 2.0], [null, null]])
    );
    agrees(&of_s, &nested);
    let records = POINT.replace("{\"x\": 13, \"of\": null}", "{\"size\": 1}");
    assert_eq!(
        gradient(&of_s, &records).expect_err("no values").0[0].code,
        "X202"
    );
}

/// Two pointers that lead to one object: what is written through one is read through the other.
#[test]
fn pointers_may_lead_where_others_do() {
    let point = r#"{"n": 2, "p": [3, 5, 7], "q": {"same_as": "p", "offset": 1}, "k": null}"#;
    // q[0] = p[1] = 9, q[1] = p[2] = 81.
    assert_eq!(
        run(TWO, point).expect("it runs"),
        json!({"p": [3.0, 9.0, 81.0], "s": 171.0})
    );
    assert_eq!(
        gradient(TWO, point).expect("it runs"),
        json!({"p": [6.0 + 2.0 * 2.0 * 9.0 * 6.0, 0.0, 0.0]})
    );
    agrees(TWO, point);
    let point = r#"{"n": 2, "p": {"same_as": "q"}, "q": [3, 5], "k": null}"#;
    assert_eq!(
        gradient(TWO, point).expect("it runs"),
        json!({"q": [6.0, 20.0]})
    );
    for (p, q, place, word) in [
        (
            "[1, 2]",
            r#"{"same_as": "r"}"#,
            "/q/same_as",
            "no parameter r",
        ),
        (
            "[1, 2]",
            r#"{"same_as": "k"}"#,
            "/q/same_as",
            "different types",
        ),
        ("[1, 2]", r#"{"same_as": "n"}"#, "/q/same_as", "no pointer"),
        ("[1, 2]", r#"{"same_as": "q"}"#, "/q/same_as", "itself"),
        ("null", r#"{"same_as": "p"}"#, "/q/same_as", "leads nowhere"),
        (
            "[1, 2]",
            r#"{"same_as": "p", "offset": 3}"#,
            "/q/offset",
            "outside",
        ),
        (
            "[1, 2]",
            r#"{"same_as": "p", "offset": -1}"#,
            "/q/offset",
            "outside",
        ),
        (
            r#"{"same_as": "q"}"#,
            r#"{"same_as": "p"}"#,
            "/p/same_as",
            "itself",
        ),
    ] {
        let point = format!(r#"{{"n": 2, "p": {p}, "q": {q}, "k": [1]}}"#);
        let wrong = run(TWO, &point).expect_err(&point);
        let problem = &wrong.0[0];
        let at = problem.at.pointer.as_deref().unwrap_or("");
        assert_eq!((problem.code, at), ("P424", place), "{point}\n{wrong}");
        assert!(problem.message.contains(word), "{wrong}");
    }
    let other = r#"{"n": {"same_as": "p"}, "p": [1], "q": [1], "k": [1]}"#;
    assert_eq!(run(TWO, other).expect_err("no pointer").0[0].code, "P424");
}

/// Arrays with open extents are what front ends make of pointers: one is a section of the other.
#[test]
fn arrays_may_be_parts_of_others() {
    let text = "
main aliased subroutine f(in integer n, in real p[: from 0], inout real q[: from 0], inout real t[: from 0], out real s)
  local integer i
  independent p, q
  dependent s, q
  s := 0.0
  for i = 0, n - 1
    q[i] := p[i]**2 + t[0]
    s := s + q[i]*(i + 1)
  end
end
";
    let point = r#"{"n": 2, "p": [3, 5, 7], "q": {"same_as": "p", "offset": 1}, "t": [0]}"#;
    assert_eq!(
        run(text, point).expect("it runs"),
        json!({"p": [3.0, 9.0, 81.0], "s": 171.0, "t": [0.0]})
    );
    agrees(text, point);
    let point = r#"{"n": 2, "p": [3, 5], "q": [1, 2], "t": {"same_as": "q", "offset": 1}}"#;
    assert_eq!(
        run(text, point).expect("it runs"),
        json!({"q": [11.0, 27.0], "s": 65.0})
    );
    agrees(text, point);
    let apart = text.replace("aliased ", "");
    let wrong = run(
        &apart,
        r#"{"n": 1, "p": {"same_as": "q"}, "q": [1], "t": [0]}"#,
    );
    assert_eq!(wrong.expect_err("it is not aliased").0[0].code, "V150");
}

/// Parameters that a POINT cannot give are refused by name.
#[test]
fn what_has_no_point_is_refused() {
    for (head, word) in [
        ("inout ^^real a, out real y", "may change"),
        ("in ^real a[2, 2], out real y", "more than one dimension"),
        ("inout record Row row, out real y", "may change"),
        ("out ^real p, out real y", "may change"),
    ] {
        let text =
            format!("record Row\n  ^real x\nend\nmain subroutine f({head})\n  y := 1.0\nend\n");
        let program = read(&text);
        let main = program.main.expect("it is marked");
        let wrong = lowered(&program, main).expect_err(&text);
        assert_eq!(wrong.0[0].code, "M504", "{wrong}");
        assert!(wrong.0[0].message.contains(word), "{wrong}");
    }
}

/// Pointers of a parameter lead to up to 50 places, the parameter itself among them.
#[test]
fn a_parameter_leads_to_so_many_places() {
    let entered = |pointers: usize| {
        let fields: String = (0..pointers).map(|k| format!("  ^real p{k}\n")).collect();
        let text = format!(
            "record Row\n{fields}end\nmain subroutine f(in record Row row, out real y)\n  y := row.p0^\nend\n"
        );
        let program = read(&text);
        let main = program.main.expect("it is marked");
        lowered(&program, main).map(|_| ())
    };
    assert!(entered(199).is_ok());
    let wrong = entered(200).expect_err("there are too many");
    assert_eq!(wrong.0[0].code, "M504", "{wrong}");
    assert!(
        wrong.0[0].message.contains("more than 200 places"),
        "{wrong}"
    );
}
