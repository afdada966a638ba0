//! Programs that are entered with records that lead to their like: lists, trees and graphs.

use crate::nested_pointers::{agrees, gradient, run};
use cfg_testkit::rng::Rng;
use serde_json::{Value as Json, json};

/// A walk through a graph, in which each edge that is passed loses half of its weight.
const WALK: &str = "
record Vertex
  real value
  integer degree
  ^^record Edge edges
end
record Edge
  real weight
  ^record Vertex to
end
record Graph
  ^record Vertex first
  ^record Edge last
  ^^record Vertex others
end

main subroutine walk(in integer steps, in ^record Graph g, out real y)
  local ^record Vertex v
  local ^record Edge e
  local integer k
  independent g
  dependent y
  y := 1.0
  v := g^.first
  for k = 1, steps
    e := v^.edges^[modulo(k, v^.degree)]
    y := 0.5*y*v^.value + e^.weight
    e^.weight := 0.5*e^.weight
    v := e^.to
    if v == null(record Vertex)
      v := g^.others^[1]
    end
  end
  if g^.last != null(record Edge)
    y := y + g^.last^.weight
  end
end
";

/// The same with the graph by value.
fn by_value() -> String {
    WALK.replace("in ^record Graph g", "in record Graph g")
        .replace("g^.", "g.")
}

/// A random graph.
struct Graph {
    values: Vec<f64>,
    weights: Vec<f64>,
    /// The edges of each vertex, and the vertex where each edge leads, if any.
    edges: Vec<Vec<usize>>,
    to: Vec<Option<usize>>,
    first: usize,
    others: [usize; 2],
    last: Option<usize>,
}

impl Graph {
    fn new(rng: &mut Rng) -> Self {
        let (n, m) = (1 + rng.below(4), 1 + rng.below(5));
        let real = |rng: &mut Rng| (rng.below(64) as f64 - 31.5) / 16.0;
        Self {
            values: (0..n).map(|_| real(rng)).collect(),
            weights: (0..m).map(|_| real(rng)).collect(),
            edges: (0..n)
                .map(|_| (0..1 + rng.below(3)).map(|_| rng.below(m)).collect())
                .collect(),
            to: (0..m)
                .map(|_| rng.percent(80).then(|| rng.below(n)))
                .collect(),
            first: rng.below(n),
            others: [rng.below(n), rng.below(n)],
            last: rng.percent(70).then(|| rng.below(m)),
        }
    }

    /// The value, and its derivatives with respect to values and weights.
    fn walk(&self, steps: usize) -> (f64, Vec<f64>) {
        let n = self.values.len();
        let all = n + self.weights.len();
        let variable = |k: usize, x: f64| {
            let mut d = vec![0.0; all];
            d[k] = 1.0;
            (x, d)
        };
        let mut weights: Vec<(f64, Vec<f64>)> = (self.weights.iter().enumerate())
            .map(|(k, w)| variable(n + k, *w))
            .collect();
        let mut y = (1.0, vec![0.0; all]);
        let mut v = self.first;
        for k in 1..=steps {
            let e = self.edges[v][k % self.edges[v].len()];
            let value = variable(v, self.values[v]);
            let d = (0..all).map(|i| 0.5 * (y.1[i] * value.0 + y.0 * value.1[i]) + weights[e].1[i]);
            y = (0.5 * y.0 * value.0 + weights[e].0, d.collect());
            weights[e].0 *= 0.5;
            weights[e].1.iter_mut().for_each(|d| *d *= 0.5);
            v = self.to[e].unwrap_or(self.others[1]);
        }
        if let Some(e) = self.last {
            y.0 += weights[e].0;
            let more = &weights[e].1;
            y.1.iter_mut().zip(more).for_each(|(d, more)| *d += more);
        }
        y
    }

    /// The point, with vertices and edges where they can stand, and the pointers to these.
    fn point(&self, steps: usize, rng: &mut Rng) -> (Json, String, String) {
        let number = |k: Option<usize>| k.map_or(json!(null), |k| json!(k + 1));
        let vertices: Vec<Json> = (self.values.iter().zip(&self.edges))
            .map(|(value, edges)| {
                let edges: Vec<Json> = edges.iter().map(|e| number(Some(*e))).collect();
                json!({"value": value, "degree": edges.len(), "edges": edges})
            })
            .collect();
        let edges: Json = (self.weights.iter().zip(&self.to))
            .map(|(weight, to)| json!({"weight": weight, "to": number(*to)}))
            .collect();
        let mut graph = json!({
            "first": number(Some(self.first)),
            "last": number(self.last),
            "others": self.others.map(|v| number(Some(v))),
        });
        // Each kind stands at a pointer to its first record.
        let mut places: Vec<String> = (vertices.iter().zip(&self.edges).enumerate())
            .flat_map(|(v, (_, edges))| {
                let slots = edges.iter().enumerate().filter(|(_, e)| **e == 0);
                slots.map(move |(k, _)| format!("/{v}/edges/{k}"))
            })
            .collect();
        let mut vertices = Json::Array(vertices);
        if self.last == Some(0) {
            places.push(String::new());
        }
        let edges_at = (!places.is_empty()).then(|| places.swap_remove(rng.below(places.len())));
        let vertices_at = [
            (self.first, "/first"),
            (self.others[0], "/others/0"),
            (self.others[1], "/others/1"),
        ];
        let vertices_at: Vec<&str> = (vertices_at.iter())
            .filter(|(v, _)| *v == 0)
            .map(|(_, place)| *place)
            .collect();
        let (Some(edges_at), false) = (edges_at, vertices_at.is_empty()) else {
            return (Json::Null, String::new(), String::new());
        };
        let vertices_at = vertices_at[rng.below(vertices_at.len())];
        let edges_at = match edges_at.is_empty() {
            true => {
                graph["last"] = edges;
                "/last".to_owned()
            }
            false => {
                *vertices.pointer_mut(&edges_at).expect("a slot") = edges;
                format!("{vertices_at}{edges_at}")
            }
        };
        *graph.pointer_mut(vertices_at).expect("a slot") = vertices;
        let point = json!({"steps": steps, "g": graph});
        (point, vertices_at.to_owned(), edges_at)
    }
}

/// Values and gradients of random graphs, wherever their records stand.
#[test]
fn graphs_go_in_and_gradients_come_out() {
    let mut rng = Rng::new(3);
    let mut seen = 0;
    for k in 0..200 {
        let graph = Graph::new(&mut rng);
        let steps = rng.below(7);
        let (point, vertices_at, edges_at) = graph.point(steps, &mut rng);
        if point.is_null() {
            continue;
        }
        seen += 1;
        let (text, base) = match k % 2 {
            0 => (WALK.to_owned(), "/g/0"),
            _ => (by_value(), "/g"),
        };
        let (value, wanted) = graph.walk(steps);
        let point = point.to_string();
        let there = format!("{text}{point}");
        let found = run(&text, &point).unwrap_or_else(|e| panic!("{there}\n{e}"));
        assert_eq!(found["y"], json!(value), "{there}");
        let found = gradient(&text, &point).unwrap_or_else(|e| panic!("{there}\n{e}"));
        let n = graph.values.len();
        for (k, wanted) in wanted.iter().enumerate() {
            let place = match k.checked_sub(n) {
                None => format!("{base}{vertices_at}/{k}/value"),
                Some(k) => format!("{base}{edges_at}/{k}/weight"),
            };
            let found = found.pointer(&place).and_then(Json::as_f64);
            let found = found.unwrap_or_else(|| panic!("{there}\n{place} {found:?}"));
            assert!(
                (found - wanted).abs() < 1e-9,
                "{there}\n{place} {found} {wanted}"
            );
        }
        if k < 20 {
            agrees(&text, &point);
        }
    }
    assert!(seen > 80, "{seen}");
}

const LIST: &str = "
record Node
  real x
  ^record Node next
end
main subroutine f(in ^record Node a, in ^record Node b, out real y)
  independent a, b
  dependent y
  a^.x := 2.0*a^.x
  y := a^.x*a^.next^.x + b^.x
end
";

/// Two parameters have records of their own, unless one is said to be the same as the other.
#[test]
fn two_lists_are_apart_or_the_same() {
    let apart =
        r#"{"a": [{"x": 3, "next": 2}, {"x": 5, "next": null}], "b": {"x": 7, "next": null}}"#;
    assert_eq!(run(LIST, apart).expect("it runs")["y"], json!(37.0));
    let same = r#"{"a": [{"x": 3, "next": 1}, {"x": 5, "next": null}], "b": {"same_as": "a"}}"#;
    // Both factors are twice the first, and so is what is added.
    assert_eq!(run(LIST, same).expect("it runs")["y"], json!(42.0));
    let found = gradient(LIST, same).expect("it has one");
    assert_eq!(found, json!({"a": [{"x": 26.0}, {"x": 0.0}]}));
    agrees(LIST, same);
    let other =
        r#"{"a": [{"x": 3, "next": 2}, {"x": 5, "next": 2}], "b": {"same_as": "a", "offset": 1}}"#;
    assert_eq!(run(LIST, other).expect("it runs")["y"], json!(35.0));
}

/// Record numbers without a record, or that are no numbers, are reported with their places.
#[test]
fn numbers_of_records_lead_somewhere() {
    let node = |next: &str| format!(r#"{{"x": 1, "next": {next}}}"#);
    for (next, code, word) in [
        ("2", "P416", "record 2, and there is 1"),
        ("-1", "P416", "record -1"),
        ("1.5", "P415", "a real number"),
        ("true", "P415", "number of a record"),
        (r#"[{"x": 1, "next": null}]"#, "P416", "one array"),
        (r#"{"x": 1, "next": null}"#, "P416", "one array"),
    ] {
        let (own, end) = (node(next), node("null"));
        let point = format!(r#"{{"a": [{own}], "b": [{end}]}}"#);
        let wrong = run(LIST, &point).expect_err(&point);
        assert_eq!(wrong.0[0].code, code, "{wrong}");
        assert!(wrong.0[0].message.contains(word), "{wrong}");
        assert_eq!(
            wrong.0[0].at.pointer.as_deref(),
            Some("/a/0/next"),
            "{wrong}"
        );
    }
    let point = format!(r#"{{"a": [{}], "b": null}}"#, node("1"));
    let wrong = run(LIST, &point).expect_err("b is null");
    assert_eq!(wrong.0[0].code, "X224", "{wrong}");
}
