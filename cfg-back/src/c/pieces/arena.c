/* Memory for an array, until the mark before it is released; null if there is none. */
CFGREV_INLINE void *cfgrev_allocate(struct cfgrev_arena *arena, int64_t count, size_t size)
{
    struct cfgrev_block *block = arena->last, *next;
    size_t bytes, room;
    void *memory;
    if (count < 0)
        count = 0;
    if ((uint64_t)count > ((size_t)-1 / 4u) / size)
        return NULL;
    bytes = ((size_t)count * size + 15u) / 16u * 16u;
    if (!block || block->room - block->used < bytes) {
        next = block ? block->next : arena->first;
        if (!next || next->room < bytes) {
            /* Nothing lies in the blocks behind, which are too small: one that is larger takes their place. */
            struct cfgrev_arena behind;
            behind.last = NULL;
            behind.first = next;
            room = next ? 2u * next->room : block ? 2u * block->room : 4096u;
            if (room < bytes)
                room = bytes;
            if (block)
                block->next = NULL;
            else
                arena->first = NULL;
            cfgrev_free_arena(&behind);
            /* Not malloc: compilers would warn of arrays that are read where loops fill them. */
            block = calloc(1, sizeof *block + room);
            if (!block)
                return NULL;
            block->room = room;
            if (arena->last)
                arena->last->next = block;
            else
                arena->first = block;
            next = block;
        }
        next->used = 0;
        arena->last = block = next;
    }
    memory = (char *)(block + 1) + block->used;
    block->used += bytes;
    return memory;
}
