//! `check` compares the program that was read with the file as it is compiled.
//!
//! A macro that only the compiler defines makes reader and compiler see different programs, so that there is a
//! difference to find.

use crate::run_tool::{Ran, cfgrev, cfgrev_in, command};
use cfg_testkit::needs;
use serde_json::{Value, json};
use std::path::Path;

/// Checks a file at a point.
fn check(text: &str, point: &str, more: &[&str]) -> (Ran, Value) {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("f.c"), text).expect("it can be written");
    check_in(folder.path(), &[&["f.c", "--at", point], more].concat())
}

fn check_in(folder: &Path, args: &[&str]) -> (Ran, Value) {
    let ran = cfgrev_in(folder, &[&["check"], args].concat(), b"");
    let found: Value = serde_json::from_str(&ran.out).unwrap_or_default();
    let original = found["original"].clone();
    (ran, original)
}

/// Pointers that are values and asked whether they are null need not be given.
const ASKED: &str = "struct d { int n; double *t; }; struct o { double scale; double *w; };
 static void set(double *g, double v) { if (g) *g += v; }
 double f(const double *x, double *grad, struct d *d, struct o *opts)
 { double s = 0; for (int i = 0; i < d->n; i++) s += d->t[i] * x[0]; if (opts) s *= opts->scale * (opts->w ? opts->w[0] : 1); set(grad, s / x[0]); return s; }";
const LEFT_OUT: [(&str, &str, u64); 4] = [
    (ASKED, r#"{"x": [2], "d": {"n": 1, "t": [3]}}"#, 1),
    (
        ASKED,
        r#"{"x": [2], "d": {"n": 1, "t": [3]}, "grad": null, "opts": null}"#,
        1,
    ),
    (
        ASKED,
        r#"{"x": [2], "grad": [1], "d": {"n": 1, "t": [3]}}"#,
        2,
    ),
    (
        ASKED,
        r#"{"x": [2], "grad": {"same_as": "x"}, "d": {"n": 1, "t": [3]}, "opts": {"scale": 2, "w": null}}"#,
        2,
    ),
];

/// Functions with parameters of every form are called with the values of the point, and all their results are
/// compared.
#[test]
fn values_of_all_forms_agree() {
    let Some(_) = needs::tool("cc") else { return };
    let cases = [
        // Scalars of all kinds, results, written parameters.
        (
            "static double f(int n, unsigned char c, float s, _Bool b, long k, double *y)
             { y[0] = n + c; y[1] = s * 0.1f; y[2] = b ? k : -0.0; return s / n; }",
            r#"{"n": -3, "c": 200, "s": 0.1, "b": true, "k": 5, "y": {"size": 3}}"#,
            4,
        ),
        // Matrices, with extents of variables, constants, and as rows.
        (
            "void f(int n, int m, double a[n][m], double b[2][3], double **r)
             { for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) { a[i][j] *= b[i][j]; r[i][j] = a[i][j] + 1; } }",
            r#"{"n": 2, "m": 3, "a": [[1,2,3],[4,5,6]], "b": [[1,2,3],[4,5,7]], "r": [[0,0,0],[0,0,0]]}"#,
            12,
        ),
        // Structures by value, by pointer, in each other, with arrays, and as results.
        (
            "typedef struct { double x[2]; int n; } in; struct out { in i; double s; };
             struct out f(in p, struct out *q) { struct out r = *q; q->i.x[1] *= p.x[0]; r.s = p.n * q->i.x[1]; r.i.n++; return r; }",
            r#"{"p": {"x": [1.5, 2], "n": 3}, "q": [{"i": {"x": [3, 4], "n": 5}, "s": 6}]}"#,
            8,
        ),
        // Pointers in structures.
        (
            "struct m { int rows, cols; double *data; };
             double f(struct m *a, int n) { double s = 0; for (int k = 0; k < n; k++) for (int i = 0; i < a[k].rows * a[k].cols; i++) { a[k].data[i] *= 2; s += a[k].data[i]; } return s; }",
            r#"{"a": [{"rows":1,"cols":2,"data":[5,6]},{"rows":1,"cols":1,"data":[7]}], "n": 2}"#,
            4,
        ),
        // Arrays of pointers, and of structures with such, beside matrices.
        (
            "struct part { double w[2][3]; double *p[2]; int n; };
             struct all { int k; struct part a[2]; double last[4]; double *q; };
             double f(struct all *s, int m) { double t = 0; for (int j = 0; j < m; j++) for (int i = 0; i < 2; i++) {
                struct part *r = &s[j].a[i]; r->w[1][2] += r->p[1][0] * s[j].k; r->p[0][r->n] *= s[j].q[j]; s[j].last[2 + i] -= r->w[i][2];
                t += r->w[1][2] * r->p[0][r->n] + s[j].last[2 + i]; } return t; }",
            r#"{"m": 2, "s": [
                {"k": 2, "a": [{"w": [[1,2,3],[4,5,6]], "p": [[1,2],[3]], "n": 1}, {"w": [[7,8,9],[1,3,5]], "p": [[4],[5,6]], "n": 0}], "last": [1,2,3,4], "q": [0.5]},
                {"k": 3, "a": [{"w": [[2,4,6],[8,1,2]], "p": [[7,8,9],[2]], "n": 2}, {"w": [[3,6,9],[2,4,6]], "p": [[3],[4]], "n": 0}], "last": [5,6,7,8], "q": [2,1.5]}]}"#,
            54,
        ),
        // A pointer to a member may go on to neighbouring members of the same type; other members need no value.
        (
            "struct place { double x, y; }; struct s { long n; double a, b; struct place c; int k; float unused[40000]; int l; double v[2][2], w; void *data; int m; double z; };
             static double sum(const double *p, int n) { double t = 0; for (int i = 0; i < n; i++) t += (i + 1) * p[i]; return t; }
             double f(struct s *s) { double *p = s->v[1]; p[0] *= 3; p[2] += sum(&s->a, 4); return sum(s->v[0], 5); }",
            r#"{"s": [{"n": 0, "a": 1, "b": 2, "c": {"x": 3, "y": 4}, "k": 0, "l": 0, "v": [[1, 2], [3, 4]], "w": 5, "m": 0}]}"#,
            14,
        ),
        // A message for the caller, which is left out, has room.
        (
            "#include <stdio.h>\ndouble f(double x, char *message) { message[0] = 0; if (x < 2) snprintf(message, 80, \"small: %g\", x); return x * x; }",
            r#"{"x": 1.5}"#,
            1,
        ),
        // Null pointers, and pointers that are the same as another parameter.
        (
            "double f(int n, const double *x, const double *w) { double s = 0; for (int i = 0; i < n; i++) s += w ? w[i] * x[i] : 3 * x[i]; return s; }",
            r#"{"n": 2, "x": [1, 2], "w": null}"#,
            1,
        ),
        (
            "double f(int n, double *x, double *y) { for (int i = 0; i < n; i++) y[i] = 2 * x[i] + i; return x[1] * y[1]; }",
            r#"{"n": 2, "x": [1, 2, 3], "y": {"same_as": "x", "offset": 1}}"#,
            4,
        ),
        // Variables of the file, those of another file, and those of a function.
        (
            "static double g[2] = {1, 2}; int calls; extern const double w[]; extern double k;
             double f(double x) { static double last = 5; calls++; g[1] += x; last += x; return last * g[0] * k + w[1]; }",
            r#"{"x": 3, "g": [4, 5], "k": 2, "w": [1, 2]}"#,
            4,
        ),
        // Objects that pointers of the file, and of another one, lead to.
        (
            "struct grid { int n; double **field; }; static struct grid *grid; extern double *times; void set(struct grid *g) { grid = g; }
             static double row(int i) { double s = 0; for (int j = 0; j < grid->n; j++) s += grid->field[i][j]; return s; }
             void f(int n, double *y) { for (int i = 0; i < n; i++) y[i] *= row(i) * times[i]; }",
            r#"{"n": 2, "y": [1, 2], "grid": [{"n": 2, "field": [[0.5, 1.5], [2.5, 3.5]]}], "times": [0.4, 0.9]}"#,
            2,
        ),
        // Lists that are turned round, of which other pointers lead into the middle; trees; graphs; circles.
        (
            "struct node { double v; struct node *next; }; struct list { struct node *free, *head[2], *tail; };
             double f(struct list *l, double a)
             { struct node *p = l->head[1], *before = 0; double s = 0; l->tail->v *= a;
               while (p) { struct node *next = p->next; p->next = before; before = p; p = next; }
               l->head[0] = before; l->tail = l->free ? l->free : before;
               for (p = l->head[0]; p; p = p->next) s = p->v + 0.5 * s * s;
               l->tail->v += s; return s; }",
            r#"{"l": {"free": null, "head": [null, [{"v": 1, "next": 3}, {"v": 2, "next": null}, {"v": 3, "next": 2}]], "tail": 2}, "a": 2}"#,
            4,
        ),
        (
            "struct tree { double key; struct tree *kid[2], *up; }; static double fold(struct tree *t, double y)
             { if (!t) return y; y = fold(t->kid[0], y); y += t->key * y + (t->up ? t->up->key : 1); t->key *= 2; return fold(t->kid[1], y); }
             double f(struct tree *t, struct tree *below) { return fold(t, 1) + (below == t->kid[0] ? below->key : 100); }",
            r#"{"t": [{"key": 0.5, "kid": [2, 3], "up": null}, {"key": 0.3, "kid": [0, 4], "up": 1}, {"key": 0.7, "kid": [null, null], "up": 1},
                {"key": 0.35, "kid": [null, null], "up": 2}], "below": {"same_as": "t", "offset": 1}}"#,
            5,
        ),
        (
            "struct edge; struct vertex { double value; int degree; struct edge **edges; }; struct edge { double weight; struct vertex *from, *to; };
             double f(struct vertex *v, int steps)
             { double s = 1; while (steps-- > 0) { struct edge *e = v->edges[steps % v->degree]; s = s * v->value + e->weight; e->weight *= 1.5;
               v = e->from == v ? e->to : e->from; } return s; }",
            r#"{"v": [{"value": 1.5, "degree": 2, "edges": [2, [{"weight": 0.5, "from": 1, "to": 2}, {"weight": 0.25, "from": 1, "to": 3}, {"weight": 2, "from": 2, "to": 3}]]},
                {"value": 2, "degree": 2, "edges": [1, 3]}, {"value": 4, "degree": 2, "edges": [2, 3]}], "steps": 5}"#,
            4,
        ),
        (
            "struct node { double v; struct node *next; };
             double f(struct node n, struct node *ring) { double s = n.v; int k = 0; for (struct node *p = ring; k < 5; p = p->next, k++) s = s * n.next->v + p->v; return s + n.next->next->v; }",
            r#"{"n": {"v": 1.5, "next": [{"v": 0.5, "next": 2}, {"v": 0.25, "next": null}]}, "ring": [{"v": 1, "next": 2}, {"v": 3, "next": 1}]}"#,
            1,
        ),
        // Pointers that are only compared.
        (
            "struct other { int n; }; struct node { double v; struct other *of; struct node *next; };
             double f(struct node *l, struct other *a, struct other *b) { return l->v + (l->of == l->next->of) + 2 * (l->of == l->next->next->of) + 4 * (a == b) + 8 * (a != 0); }",
            r#"{"l": [{"v": 0.5, "of": [{"n": 1}], "next": 2}, {"v": 1, "of": [{"n": 1}], "next": 3}, {"v": 2, "of": null, "next": null}], "a": [{"n": 1}], "b": [{"n": 1}]}"#,
            1,
        ),
        // Memory that is returned, of sizes that are known before and after.
        (
            "#include <stdlib.h>\nstatic float *take(int n) { float *p = malloc(n * sizeof *p); if (!p) exit(1); return p; }
             float *f(int n, const double *x) { float *r = take(2 * n); if (!r) return 0; for (int i = 0; i < 2 * n; i++) r[i] = x[i / 2] * i; return r; }",
            r#"{"n": 2, "x": [1.5, 2.5]}"#,
            4,
        ),
        (
            "#include <stdlib.h>\ndouble *f(int n, const double *x)
             { double *r = NULL; int k = 0; for (int i = 0; i < n; i++) if (x[i] > 1) { r = realloc(r, (k + 1) * sizeof *r); r[k++] = x[i] * x[0]; } return r + 1; }",
            r#"{"n": 4, "x": [1.5, 0.5, 2.5, 3.5]}"#,
            2,
        ),
        (
            "#include <stdlib.h>\nstruct v { double x[2]; int n; }; static struct v *made(void) { struct v *p = calloc(1, sizeof *p); if (!p) abort(); return p; }
             struct v *f(const struct v *a, double h) { struct v *r = made(); r->x[1] = h * a->x[0]; r->n = a->n + 1; return r; }",
            r#"{"a": [{"x": [1, 2], "n": 4}], "h": 0.5}"#,
            3,
        ),
        // The numbers of a structure.
        (
            "struct world { double t; }; struct body { double x[2]; struct world *in; int n; };
             struct body f(struct body b, double h) { struct body r = b; if (b.in) r.x[1] += h * b.in->t; r.n++; return r; }",
            r#"{"b": {"x": [1, 2], "in": [{"t": 3}], "n": 4}, "h": 0.5}"#,
            3,
        ),
    ];
    for (text, point, least) in cases.into_iter().chain(LEFT_OUT) {
        // The length of an array that is declared elsewhere.
        let text = text.replace("const double w[]", "double w[2]");
        let (ran, original) = check(&text, point, &["--routine", "f"]);
        assert_eq!(original["agrees"], true, "{text}\n{}{}", ran.out, ran.err);
        let compared = original["compared"].as_u64().unwrap_or(0);
        assert!(compared >= least, "{text}\n{}", ran.out);
    }
}

/// Data behind pointers to void is given and compared in the type to which the function converts the pointer.
#[test]
fn data_behind_pointers_to_void_is_given() {
    let Some(_) = needs::tool("cc") else { return };
    let cases = [
        // Parameters: structures with a tag, with a name by typedef, numbers, arrays of them, rows, complex numbers.
        (
            "struct data { unsigned long n; double *t, *w, width; };
             static double of(double t, void *params) { const struct data *d = params; return t * d->width; }
             double f(double x, void *params) { struct data *d = (struct data *) params; double s = 0; for (unsigned i = 0; i < d->n; i++) { s += d->t[i] * x + (d->w ? d->w[i] : of(1, params)); d->t[i] = s; } return s; }",
            r#"{"x": 2, "params": {"n": 2, "t": [1, 2], "w": null, "width": 0.5}}"#,
            3,
        ),
        (
            "typedef struct { int n, *k; struct { double v; } in[2]; } data_t; enum { LAST = 1 };
             double f(int n, const double *x, void *ex) { data_t *d = ex; return d->in[LAST].v * x[d->k[d->n]] * n; }",
            r#"{"n": 2, "x": [2, 3], "ex": {"n": 1, "k": [0, 1], "in": [{"v": 1}, {"v": 2}]}}"#,
            1,
        ),
        (
            "double f(double x, void *one, const void *all, void *floats, void *counts) { double a = *(double *) one; const double *p = all; float *q = floats; q[1] *= p[0]; return a * x + p[1] * ((int *) counts)[1] + q[1]; }",
            r#"{"x": 2, "one": [3], "all": [4, 5], "floats": [0.1, 0.2], "counts": [6, 7]}"#,
            3,
        ),
        (
            "#include <complex.h>\ndouble f(double x, void *a, void *m, void *rows) { double complex *z = a; double (*p)[3] = m, **r = rows; z[0] *= x; return creal(z[1] * z[0]) + p[1][2] * r[1][0]; }",
            r#"{"x": 2, "a": [{"re": 1, "im": 2}, {"re": 3, "im": 4}], "m": [[1, 2, 3], [4, 5, 6]], "rows": [[1, 2], [3]]}"#,
            5,
        ),
        (
            "double f(double x, void *p, long double *q) { long double *l = p; l[0] += 1; return x * l[1] + q[1]; }",
            r#"{"x": 2, "p": [3, 4], "q": [5, 6]}"#,
            2,
        ),
        (
            "double f(double x, void *data, void *work) { double *p = data, *w = work; if (w) w[0] = x; return x * p[1]; }",
            r#"{"x": 2, "data": [3, 4]}"#,
            1,
        ),
        // Members.
        (
            "struct data { double k; int n; }; struct function { double (*f)(double, void *); void *params; int n; };
             double f(double x, struct function *F, void *more) { struct data *d = F->params; struct function *g = more; d->k *= x; if (g) d->n += g->n; return d->k * F->n + d->n; }",
            r#"{"x": 2, "F": {"params": {"k": 3, "n": 4}, "n": 2}, "more": {"params": {"k": 1, "n": 5}, "n": 3}}"#,
            2,
        ),
        (
            "struct vector { void *data; int n; }; double f(double x, struct vector *v) { double *p = v->data; for (int i = 0; i < v->n; i++) p[i] *= x; return p[1]; }",
            r#"{"x": 2, "v": {"data": [3, 4], "n": 2}}"#,
            3,
        ),
        (
            "struct node { double v; void *next; }; double f(double x, void *list) { double s = 0; for (struct node *p = list; p; p = p->next) { s = s * x + p->v; p->v = s; } return s; }",
            r#"{"x": 2, "list": [{"v": 1, "next": 3}, {"v": 2, "next": null}, {"v": 3, "next": 2}]}"#,
            4,
        ),
    ];
    for (text, point, least) in cases {
        let (ran, original) = check(text, point, &["--routine", "f"]);
        assert_eq!(original["agrees"], true, "{text}\n{}{}", ran.out, ran.err);
        let compared = original["compared"].as_u64().unwrap_or(0);
        assert!(compared >= least, "{text}\n{}", ran.out);
    }
    // A difference there is found.
    let text = "#ifdef __ATOMIC_RELAXED\n#define V 2\n#else\n#define V 1\n#endif\nstruct d { double w[2]; };\ndouble f(double x, void *data) { struct d *d = data; d->w[1] *= V; return x; }\n";
    let (ran, original) = check(text, r#"{"x": 2, "data": {"w": [3, 4]}}"#, &[]);
    assert_eq!(ran.code, Some(1), "{}{}", ran.out, ran.err);
    assert_eq!(original["differs"]["place"], "data[0].w[1]", "{}", ran.out);
}

/// Types that the caller of a function cannot name are reported, also where a structure of the file has the same tag.
#[test]
fn data_of_types_that_callers_cannot_name_is_not_given() {
    let Some(_) = needs::tool("cc") else { return };
    let inside = "the type of `p` is declared inside of a function";
    let cases = [
        (
            "double f(double x, void *p) { struct in { double a; int n; } *d = p; return d->a * x * d->n; }",
            inside,
        ),
        (
            "struct in { int k; double n, a; };\ndouble f(double x, void *p) { struct in { double a; int n; } *d = p; return d->a * x * d->n; }",
            inside,
        ),
        (
            "double f(double x, void *p) { typedef struct { double a; int n; } in; in *d = p; return d->a * x * d->n; }",
            inside,
        ),
        (
            "static struct { double a; int n; } *last;\ndouble f(double x, void *p) { last = p; return last->a * x * last->n; }",
            "the type of `p` has no name",
        ),
    ];
    let point = r#"{"x": 2, "p": {"a": 3, "n": 4}}"#;
    for (text, why) in cases {
        let (ran, original) = check(text, point, &[]);
        assert_eq!(ran.code, Some(0), "{text}\n{}{}", ran.out, ran.err);
        let expected = json!({"compared": 0, "reason": why, "agrees": null});
        assert_eq!(original, expected, "{text}\n{}", ran.err);
        assert!(ran.err.contains("warning[B908]"), "{text}\n{}", ran.err);
    }
    let text = "struct s { void *p; };\ndouble f(double x, struct s *s) { struct in { double a; } *d = s->p; return d->a * x; }";
    let (_, original) = check(text, r#"{"x": 2, "s": {"p": {"a": 3}}}"#, &[]);
    assert_eq!(original["reason"], inside.replace("`p`", "`s[0].p`"));
    // Another file alone knows what is in the data; a header is known to both.
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| {
        std::fs::write(folder.path().join(name), text).expect("it can be written");
    };
    let first = "double g(double x, void *p);\ndouble f(double x, void *p) { return g(x, p); }\n";
    let other = "double g(double x, void *p) { struct in *d = p; return d->a * x * d->n; }\n";
    let own = "struct in { double a; int n; };\n";
    let include = "#include \"in.h\"\n";
    write("in.h", own);
    let args = ["f.c", "g.c", "--routine", "f", "--at", point];
    for (before, of_other, expected) in [
        ("", own, json!("the type of `p` is that of g.c")),
        (
            "struct in { int n; double z, a; };\n",
            own,
            json!("the type of `p` is that of g.c"),
        ),
        // The header is that of the other file alone, and the file has another structure with the tag.
        (
            "struct in { int n; double z, a; };\n",
            include,
            json!("the type of `p` is that of in.h"),
        ),
        (include, include, Value::Null),
        // A structure of a function hides none of the file.
        (
            "#include \"in.h\"\nstatic int one(void) { struct in { int one; } k = {1}; return k.one; }\n",
            include,
            Value::Null,
        ),
    ] {
        write("f.c", &format!("{before}{first}"));
        write("g.c", &format!("{of_other}{other}"));
        let (ran, original) = check_in(folder.path(), &args);
        assert_eq!(original["reason"], expected, "{}{}", ran.out, ran.err);
        assert_eq!(
            original["agrees"] == true,
            expected.is_null(),
            "{}",
            ran.out
        );
    }
}

/// A pointer that has its value from the file does not get another one.
#[test]
fn pointers_with_initial_values_are_not_given() {
    let text = "static double w[2] = {1, 2}; static double *p = w; double f(double x) { return p[1] * x; }";
    let (ran, _) = check(text, r#"{"x": 1, "p": [5, 6]}"#, &[]);
    assert_eq!(ran.code, Some(1), "{}", ran.out);
    assert!(
        ran.err
            .contains("error[P412]: p is a global that f assigns itself"),
        "{}",
        ran.err
    );
}

/// The first number that differs is named, whatever it is part of, and the check fails.
#[test]
fn a_difference_is_found_wherever_it_is() {
    let Some(_) = needs::tool("cc") else { return };
    // The second of two values is the compiler's.
    let cases = [
        (
            "double f(double x) { return x * (V); }",
            json!(["return", 3.0, 6.0]),
            ["1", "2"],
        ),
        (
            "void f(double x, double y[2][3]) { for (int i = 0; i < 6; i++) y[i / 3][i % 3] = x; y[1][2] = V; }",
            json!(["y[1][2]", 1.0, 2.0]),
            ["1", "2"],
        ),
        (
            "struct s { int n; double a[2]; }; struct s f(double x) { struct s r = {1, {x, x * V}}; return r; }",
            json!(["return.a[1]", 3.0, 6.0]),
            ["1", "2"],
        ),
        (
            "double f(double x, int *n) { *n = V; return x; }",
            json!(["n[0]", 7, -7]),
            ["7", "-7"],
        ),
        (
            "unsigned long k; double f(double x) { k = V; return x; }",
            json!(["k", 1, u64::MAX]),
            ["1", "-1"],
        ),
        (
            "double f(double x) { return x * V; }",
            json!(["return", 0.0, -0.0]),
            ["0", "-0.0"],
        ),
        (
            "float f(float x) { return x * V; }",
            json!(["return", 3.0, 3.000_000_476_837_158]),
            ["1.0f", "1.0000001f"],
        ),
        (
            "double f(double x) { return x * V; }",
            json!(["return", 3.0, "NaN"]),
            ["1", "(0.0 / 0.0)"],
        ),
    ];
    for (text, expected, [read, compiled]) in cases {
        let text = format!(
            "#ifdef __ATOMIC_RELAXED\n#define V {compiled}\n#else\n#define V {read}\n#endif\n{text}\n"
        );
        let mut point = r#"{"x": 3"#.to_owned();
        for (name, value) in [
            ("*n", r#", "n": [0]"#),
            ("y[", r#", "y": {"size": [2, 3]}"#),
        ] {
            point += if text.contains(name) { value } else { "" };
        }
        point += "}";
        let (ran, original) = check(&text, &point, &["--independent", "x"]);
        assert_eq!(ran.code, Some(1), "{text}\n{}{}", ran.out, ran.err);
        assert!(ran.err.contains("error[P400]"), "{text}\n{}", ran.err);
        assert_eq!(original["agrees"], false, "{text}\n{}", ran.out);
        let differs = &original["differs"];
        let found = json!([differs["place"], differs["read"], differs["compiled"]]);
        assert_eq!(
            found.to_string(),
            expected.to_string(),
            "{text}\n{}",
            ran.out
        );
    }
}

/// A function that cannot be compared is reported with the reason; everything else is checked.
#[test]
fn what_is_not_compared_is_told() {
    let Some(_) = needs::tool("cc") else { return };
    let only = |text: &str| format!("#ifdef __ATOMIC_RELAXED\n{text}\n#endif\n");
    let function = |body: &str| {
        let body = only(body);
        format!("#include <stdlib.h>\ndouble f(double x)\n{{\n{body}\n    return x * x;\n}}\n")
    };
    let cases = [
        (
            "double g(double t);\n#pragma cfgrev external(g) value(t * t)\ndouble f(double x) { return g(x); }".to_owned(),
            "undefined reference to `g'",
        ),
        (
            "#pragma cfgrev external(g) value(t * t)\ndouble f(double g(double t), double x) { return g(x); }".to_owned(),
            "`g` is a function that the caller gives",
        ),
        (
            "static double g(double t) { return t * t; }\nstruct s { double (*g)(double); };\nextern struct s s;\n#pragma cfgrev external(s.g) is(g)\ndouble f(double x) { return s.g(x); }".to_owned(),
            "`s.g` is a function that the caller gives",
        ),
        (only("#error not here") + "double f(double x) { return x * x; }", "#error not here"),
        (function("*(volatile double *)0 = x;"), "signal"),
        (function("exit(3);"), "exit status: 3"),
        (function("for (;;) ;"), "has not ended after 1 seconds"),
        (function("volatile char *p; while (p = malloc(1 << 28)) ; abort();"), "signal"),
    ];
    for (text, why) in cases {
        let (ran, original) = check(&text, "x=3", &["--cc-time", "1", "--max-memory", "1G"]);
        assert_eq!(ran.code, Some(0), "{text}\n{}{}", ran.out, ran.err);
        assert_eq!(original["agrees"], Value::Null, "{text}\n{}", ran.out);
        let reason = original["reason"].as_str().unwrap_or_default();
        assert!(reason.contains(why), "{text}\n{}", ran.out);
        assert!(ran.err.contains("warning[B908]"), "{text}\n{}", ran.err);
    }
    // C leaves the order open, and the reader has said so.
    let text = "static double s = 1;\nstatic double next(void) { return s *= 3; }\n#ifdef __ATOMIC_RELAXED\n#define next() (s = 5)\n#endif\ndouble f(double x) { return x * (next() - s); }\n";
    let (ran, original) = check(text, "x=3", &[]);
    assert_eq!(original["agrees"], Value::Null, "{}{}", ran.out, ran.err);
    assert!(ran.err.contains("warning[P400]"), "{}", ran.err);
    // Values that the system returns are not part of the point, so they cannot be compared.
    let text = "#include <time.h>\nstatic double began;\ndouble f(double x) { began = 1 + time(NULL); return x * x; }\n";
    let (ran, original) = check(text, "x=3", &[]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    assert_eq!(original["agrees"], Value::Null, "{}{}", ran.out, ran.err);
    assert!(
        ran.err.contains("warning[P400]") && ran.err.contains("C021"),
        "{}",
        ran.err
    );
}

/// The comparison is made where there is a compiler, and can be left away.
#[test]
fn the_comparison_is_made_where_it_can_be() {
    let Some(_) = needs::tool("cc") else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let text = "double f(double x) { return x * x; }\n";
    std::fs::write(folder.path().join("f.c"), text).expect("it can be written");
    let args = ["f.c", "--at", "x=3"];
    let (_, original) = check_in(folder.path(), &[&args[..], &["--against", "none"]].concat());
    assert_eq!(original, Value::Null);
    // The variable that stands for errno is none of the file.
    let text = "#include <errno.h>\n#include <math.h>\ndouble f(double x) { if (x < 0) { errno = EDOM; return 0; } return x * x; }\n";
    std::fs::write(folder.path().join("e.c"), text).expect("it can be written");
    let (_, original) = check_in(folder.path(), &["e.c", "--at", "x=3"]);
    assert_eq!(original, json!({"compared": 1, "agrees": true}));
    for more in [&["--against", "cc"][..], &["--engine", "cc"]] {
        let (_, original) = check_in(folder.path(), &[&args[..], more].concat());
        assert_eq!(original, json!({"compared": 1, "agrees": true}), "{more:?}");
    }
    let (ran, original) = check_in(
        folder.path(),
        &[&args[..], &["--math", "portable"]].concat(),
    );
    assert_eq!(original["agrees"], Value::Null, "{}", ran.out);
    let out = command(&["check", "f.c", "--at", "x=3"])
        .current_dir(folder.path())
        .env("CC", "/nowhere/cc")
        .output()
        .expect("it runs");
    let (shown, said) = (
        String::from_utf8_lossy(&out.stdout),
        String::from_utf8_lossy(&out.stderr),
    );
    assert_eq!(out.status.code(), Some(0), "{shown}{said}");
    assert!(
        shown.contains(r#""compared":0,"reason":"`/nowhere/cc` cannot be started"#),
        "{shown}"
    );
    assert!(said.contains("warning[B901]"), "{said}");
    let ran = cfgrev(&[
        "check",
        "burgers.json",
        "--at",
        "burgers.point.json",
        "--against",
        "cc",
    ]);
    assert_eq!(ran.code, Some(2), "{}", ran.err);
}

/// A file that includes others, has a `main`, is preprocessed, or comes from standard input is compiled as it is read.
#[test]
fn files_are_compiled_as_they_are_read() {
    let Some(_) = needs::tool("cc") else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| {
        std::fs::create_dir_all(folder.path().join("a b")).expect("it can be made");
        std::fs::write(folder.path().join(name), text).expect("it can be written");
    };
    write(
        "a b/k.h",
        "#define K 3\nstatic double k(double x) { return K * x; }\n",
    );
    let text = "#include <stdio.h>\n#include \"k.h\"\n#define return_ return\nstatic double f(double x) { return_ k(x) * K; }\nint main(void) { printf(\"%g\\n\", f(2)); return 0; }\n#define double float";
    write("a b/f.c", text);
    for more in [&[][..], &["--preprocess", "cc -E"]] {
        let args = [&["a b/f.c", "--at", "x=3", "--routine", "f"], more].concat();
        let (ran, original) = check_in(folder.path(), &args);
        assert_eq!(original["agrees"], true, "{more:?} {}{}", ran.out, ran.err);
    }
    let args = ["check", "-", "--lang", "c", "--at", "x=3"];
    let ran = cfgrev_in(
        folder.path(),
        &args,
        b"static double by = 3; double f(double x) { return x / by; }",
    );
    assert!(
        ran.out
            .contains(r#""original":{"compared":2,"agrees":true}"#),
        "{}{}",
        ran.out,
        ran.err
    );
}

/// Variables of other files, of which the function's own knows nothing, are given and compared where they stand.
#[test]
fn variables_of_other_files_are_compared() {
    let Some(_) = needs::tool("cc") else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| {
        std::fs::write(folder.path().join(name), text).expect("it can be written");
    };
    write(
        "a.c",
        "double g(double x);\ndouble f(double x) { return g(x) * x; }\n",
    );
    let text = "struct state { int n; double last[2]; };
static struct state s;
static double kept;
double table[2];
int count = 2;
#define for while
#ifdef __ATOMIC_RELAXED
#define MORE COMPILED
#else
#define MORE 1.5
#endif
double g(double x) { s.last[s.n++] = x; kept = MORE * x; table[1] += kept; return kept * count + table[0]; }
";
    write("b.c", text);
    let point = r#"{"x": 3.0, "table": [2, 5], "count": 4}"#;
    let with = |compiled: &str| {
        let args = [
            "a.c",
            "b.c",
            "--routine",
            "f",
            "--at",
            point,
            "-D",
            compiled,
        ];
        check_in(folder.path(), &args).1
    };
    let found = with("COMPILED=1.5");
    assert_eq!(found["agrees"], true, "{found}");
    // The result, three numbers of the structure, one that is kept, two of the table, and the counter.
    assert_eq!(found["compared"], 8, "{found}");
    let found = with("COMPILED=2.5");
    assert_eq!(found["agrees"], false, "{found}");
}
