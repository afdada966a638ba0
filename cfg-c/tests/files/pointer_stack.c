//@ evaluate {"n":7,"code":[0,0,1,0,2,3,1],"x":[0.3,0.5,0.7]}
/* Expressions as trees, made by a stack of pointers and evaluated by recursion. */
#include <math.h>
#include <stdlib.h>
enum kind { LEAF, PLUS, TIMES, SINE };
typedef struct expr { enum kind kind; double value; struct expr *arg[2]; } expr;
static expr *make(enum kind kind, double value, expr *a, expr *b)
{
    expr *e = malloc(sizeof *e);
    e->kind = kind;
    e->value = value;
    e->arg[0] = a;
    e->arg[1] = b;
    return e;
}
static double eval(expr *e)
{
    switch (e->kind) {
    case PLUS: e->value = eval(e->arg[0]) + eval(e->arg[1]); break;
    case TIMES: e->value = eval(e->arg[0]) * eval(e->arg[1]); break;
    case SINE: e->value = sin(eval(e->arg[0])); break;
    default: break;
    }
    return e->value;
}
static void drop(expr *e)
{
    if (e == NULL) return;
    drop(e->arg[0]);
    drop(e->arg[1]);
    free(e);
}
double evaluate(int n, const int *code, const double *x)
{
    expr *stack[8];
    int top = 0, next = 0;
    for (int i = 0; i < n; i++) {
        switch (code[i]) {
        case 0: stack[top++] = make(LEAF, x[next++], NULL, NULL); break;
        case 1:
        case 2:
            if (top < 2) break;
            stack[top - 2] = make(code[i] == 1 ? PLUS : TIMES, 0.0, stack[top - 2], stack[top - 1]);
            top--;
            break;
        default: stack[top - 1] = make(SINE, 0.0, stack[top - 1], NULL);
        }
    }
    double y = 0.0;
    while (top > 0) {
        expr *e = stack[--top];
        y += eval(e) * eval(e);
        drop(e);
    }
    return y;
}
