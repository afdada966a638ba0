//! Structures with pointers in them, and functions that return pointers.

use super::{File, Text, Writer};

/// A type with a pointer, and functions that take, change and return such structures. `REAL` is the type of reals, `SUM` and `PRODUCT` are
/// operators, `CONST` makes a constant.
const VIEWS: &str = "\
typedef struct {
    int n;
    REAL *p;
    REAL u;
} NAME_V;
static void NAME_set(NAME_V *v, REAL *p, int n)
{
    v->p = p;
    v->n = n;
    v->u = CONST(0.25);
}
static REAL *NAME_place(const NAME_V *v, int k)
{
    return &v->p[(unsigned)k % (unsigned)v->n];
}
static REAL *NAME_new(int n, REAL a)
{
    REAL *made = malloc((size_t)n * sizeof *made);
    for (int i = 0; i < n; i++)
        made[i] = PRODUCT(a, CONST(0.5 * i));
    return made;
}
static NAME_V NAME_rest(NAME_V v)
{
    if (v.n < 2)
        return v;
    v.p++;
    v.n -= 1;
    v.u = SUM(v.u, v.p[0]);
    return v;
}
static REAL NAME_first(NAME_V *v, int most)
{
    REAL s = v->u;
    for (int i = 0; i < v->n; i++) {
        if (i > most)
            return s;
        s = SUM(s, *NAME_place(v, i));
        v->p[i] = PRODUCT(v->p[i], CONST(0.5));
    }
    v->n += most < 0;
    return PRODUCT(s, v->u);
}
static void NAME_need(NAME_V *v, int n)
{
    if (n > v->n) {
        free(v->p);
        v->p = malloc(n * sizeof(REAL));
        for (v->n = 0; v->n < n; v->n++)
            v->p[v->n] = SUM(v->u, CONST(v->n * 0.5));
    }
}
static void NAME_push(NAME_V *v, REAL a)
{
    REAL *more = realloc(v->p, (v->n + 1) * sizeof *more);
    more[v->n++] = a;
    v->p = more;
}
static void NAME_swap(NAME_V *a, NAME_V *b)
{
    NAME_V t = *a;
    *a = *b;
    *b = t;
}
static REAL NAME_dot(const NAME_V *a, const NAME_V *b)
{
    REAL s = CONST(0.0);
    for (int i = 0; i < a->n && i < b->n; i++)
        s = SUM(s, PRODUCT(a->p[i], *NAME_place(b, i)));
    return s;
}
";

/// Statements: `@` and `$` are new names, `%` is a real, `ARRAY` an array of `LENGTH` elements, `#` a small number.
const FORMS: &[&str] = &[
    "NAME_V @;\n    NAME_set(&@, ARRAY, LENGTH);\n    REAL $ = {0};\n    % = SUM(NAME_first(&@, #), $);\n    *NAME_place(&@, #) = SUM(%, @.u);",
    "NAME_V @ = {LENGTH, ARRAY, {0}};\n    NAME_V $ = NAME_rest(@);\n    % = PRODUCT($.u, NAME_dot(&@, &$));\n    $.p[0] = TANH(%);",
    "NAME_V @ = {.p = ARRAY, .n = LENGTH}, $ = {2, NAME_new(2, {0}), {1}};\n    for (int @_ = 0; @_ < #; @_++) {\n        NAME_swap(&@, &$);\n        \
     @.p[1] = SUM(@.p[1], $.u);\n        if ({2})\n            break;\n        @.u = {0};\n    }\n    % = SUM(@.p[1], NAME_dot(&$, &@));",
    "NAME_V @ = {1, NAME_new(1, {0}), {1}};\n    for (int @_ = 1; @_ < 4; @_++) {\n        NAME_need(&@, @_);\n        % = SUM(%, *NAME_place(&@, @_ - 1));\n    }\n    free(@.p);",
    "NAME_V @ = {0, NULL, {1}};\n    for (int @_ = 0; @_ <= #; @_++) {\n        NAME_push(&@, {0});\n        if ({2})\n            NAME_push(&@, *NAME_place(&@, @_));\n    }\n    \
     % = SUM(NAME_first(&@, #), @.p[0]);\n    free(@.p);",
    "REAL *@ = malloc(2 * sizeof *@), *$ = NULL;\n    @[0] = {0};\n    @[1] = {1};\n    if ({2})\n        $ = @;\n    @ = realloc($, (1 + #) * sizeof(REAL));\n    if ($ == NULL)\n        @[0] = ARRAY[0];\n    % = PRODUCT(%, TANH(@[0]));",
    "NAME_V *@ = malloc(sizeof *@);\n    NAME_set(@, ARRAY, LENGTH);\n    while ({2} && @->n > 1)\n        *@ = NAME_rest(*@);\n    % = SUM(@->u, @->p[0]);\n    free(@);",
    "REAL *@ = NAME_new(3, {0});\n    if ({2})\n        @ = ARRAY;\n    @[1] = SUM(@[1], {1});\n    % = PRODUCT(@[0], @[1]);",
];

impl File {
    pub(super) fn views(&mut self) {
        let name = &self.name;
        let plain = VIEWS.replace("CONST", "").replace("NAME", name);
        let plain = plain
            .replace("REAL", "double")
            .replace("SUM", &format!("{name}_VSUM"))
            .replace("PRODUCT", &format!("{name}_VPRODUCT"));
        let macros = format!(
            "#define {name}_VSUM(a, b) ((a) + (b))\n#define {name}_VPRODUCT(a, b) ((a) * (b))\n"
        );
        let dual = VIEWS
            .replace("CONST", "K")
            .replace("NAME", &format!("d_{name}"))
            .replace("REAL", "D")
            .replace("SUM", "d_add")
            .replace("PRODUCT", "d_mul");
        self.line(0, &Text::both(&(macros + &plain), &dual));
        self.views = true;
    }
}

impl Writer<'_> {
    /// Structures with pointers that are made, passed, and changed.
    pub(super) fn view(&mut self) {
        let fit = self.of_length(2, true);
        let Some(array) = self.rng.pick(&fit).cloned() else {
            return;
        };
        let name = self.file.name.clone();
        // The target is a plain variable: an element of the array might be changed by the expression that is added to
        // it.
        let simple: Vec<String> = (self.reals.iter())
            .filter(|r| r.chars().all(|c| c.is_ascii_alphanumeric()))
            .cloned()
            .collect();
        let Some(target) = self.rng.pick(&simple).cloned() else {
            return;
        };
        let (e, g, c) = (self.real(1), self.real(1), self.condition(1));
        let (p, q) = (self.name("vp"), self.name("vq"));
        let form = FORMS[self.rng.below(FORMS.len())]
            .replace('#', &self.rng.below(4).to_string())
            .replace("ARRAY", &array.name)
            .replace("LENGTH", &array.length.to_string())
            .replace('@', &p)
            .replace('$', &q)
            .replace('%', &target);
        let plain = form
            .replace("NAME", &name)
            .replace("REAL", "double")
            .replace("TANH", "tanh")
            .replace("SUM", &format!("{name}_VSUM"))
            .replace("PRODUCT", &format!("{name}_VPRODUCT"));
        let dual = form
            .replace("NAME", &format!("d_{name}"))
            .replace("REAL", "D")
            .replace("TANH", "d_tanh")
            .replace("SUM", "d_add")
            .replace("PRODUCT", "d_mul");
        self.line(&Text::fill(&plain, &dual, &[&e, &g, &c]));
    }
}
