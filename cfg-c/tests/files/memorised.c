//@ option_value {"spot":100,"strike":95,"rate":0.03,"vol":0.2,"expiry":1,"n":5}
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
/* Binomial option prices memorised in a hash table; optional early exercise. */
#define BUCKETS 16
typedef struct slot { uint32_t key; double value; struct slot *next; } slot;
typedef struct { slot *bucket[BUCKETS]; size_t used; } table;
typedef struct { double up, down, p, disc, strike, spot; int n, american; } market;
static uint32_t hash(uint32_t k) { k ^= k >> 16; k *= 0x45d9f3bu; return k ^ k >> 13; }
static double *lookup(table *t, uint32_t key)
{
    for (slot *s = t->bucket[hash(key) % BUCKETS]; s; s = s->next)
        if (s->key == key) return &s->value;
    return NULL;
}
static void store(table *t, uint32_t key, double value)
{
    slot **b = &t->bucket[hash(key) % BUCKETS], *s = malloc(sizeof **b);
    s->key = key; s->value = value; s->next = *b;
    *b = s;
    t->used++;
}
static double price(table *t, const market *m, int i, int j)
{
    uint32_t key = (uint32_t)i << 8 | (uint32_t)j;
    double *known = lookup(t, key);
    if (known) return *known;
    double s = m->spot * pow(m->up, j) * pow(m->down, i - j), now = s > m->strike ? s - m->strike : 0.0, v;
    if (i == m->n) v = now;
    else {
        v = m->disc * (m->p * price(t, m, i + 1, j + 1) + (1 - m->p) * price(t, m, i + 1, j));
        if (m->american && now > v) v = now;
    }
    store(t, key, v);
    return v;
}
double option_value(double spot, double strike, double rate, double vol, double expiry, int n)
{
    double dt = expiry / n;
    market m = { .up = exp(vol * sqrt(dt)), .disc = exp(-rate * dt), .strike = strike, .spot = spot, .n = n, .american = 1 };
    m.down = 1 / m.up;
    m.p = (exp(rate * dt) - m.down) / (m.up - m.down);
    table t = { { NULL } };
    double v = price(&t, &m, 0, 0);
    for (int b = 0; b < BUCKETS; b++)
        while (t.bucket[b]) { slot *s = t.bucket[b]; t.bucket[b] = s->next; free(s); }
    return v;
}
