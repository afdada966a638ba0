#include <stdlib.h>
struct link { double *row; struct link *next; };
double f(int n, double **rows)
{
    struct link *list = NULL;
    for (int i = 0; i < n; i++) {
        struct link *made = malloc(sizeof *made);
        made->row = rows[i];
        made->next = list;
        list = made;
    }
    return list ? list->row[0] : 0.0;
}
