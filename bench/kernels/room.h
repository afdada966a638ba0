/* Memory that is kept between calls: what a hand-written adjoint records goes here. Zero-initialised it is empty. */
#ifndef ROOM_H
#define ROOM_H

#include <stddef.h>

struct room {
    double *at;
    size_t size;
};

/* At least `size` doubles, values undefined; null if there is no memory. Allocates only when more is wanted than ever
 * before. */
double *room_for(struct room *room, size_t size);

/* Gives the memory back; the room can be used again. */
void room_free(struct room *room);

#endif
