//@ totals {"n":6,"keys":[3,17,3,99,5,17],"x":[0.3,0.5,0.7,0.2,0.1,0.4]}
/* A hash table of chains; the keys are passive, the sums have derivatives. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
struct item { uint32_t key; double sum; struct item *next; };
static uint32_t mix(uint32_t k)
{
    k ^= k >> 16;
    k *= 0x7feb352du;
    k ^= k >> 15;
    return k;
}
static struct item *find(struct item **table, uint32_t size, uint32_t key)
{
    struct item **slot = &table[mix(key) % size];
    while (*slot != NULL && (*slot)->key != key)
        slot = &(*slot)->next;
    if (*slot == NULL) {
        *slot = malloc(sizeof(struct item));
        (*slot)->key = key;
        (*slot)->sum = 0.0;
        (*slot)->next = NULL;
    }
    return *slot;
}
double totals(int n, const int *keys, const double *x)
{
    struct item *table[4] = { NULL, NULL, NULL, NULL };
    for (int i = 0; i < n; i++)
        find(table, 4, (uint32_t)keys[i])->sum += x[i] * x[i];
    double y = 1.0;
    for (int i = 0; i < 4; i++) {
        struct item *p = table[i];
        while (p) {
            struct item *next = p->next;
            y *= 1.0 + sin(p->sum);
            free(p);
            p = next;
        }
    }
    return y;
}
