#define _DEFAULT_SOURCE
#include "room.h"

#include <stdlib.h>
#include <sys/mman.h>

#define HUGE_PAGE ((size_t)1 << 21)

double *room_for(struct room *room, size_t size)
{
    if (room->size < size) {
        size_t bytes = size * sizeof(double);
        void *at = NULL;
        room_free(room);
        if (bytes >= HUGE_PAGE) {
            bytes = (bytes + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
            if (posix_memalign(&at, HUGE_PAGE, bytes) != 0)
                return NULL;
            /* A wish only: without huge pages it is slower, not wrong. */
            (void)madvise(at, bytes, MADV_HUGEPAGE);
        } else {
            at = malloc(bytes);
            if (at == NULL)
                return NULL;
        }
        room->at = at;
        room->size = size;
    }
    return room->at;
}

void room_free(struct room *room)
{
    free(room->at);
    room->at = NULL;
    room->size = 0;
}
