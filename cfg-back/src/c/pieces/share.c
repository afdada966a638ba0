/* True if so many bytes from two pointers on have one in common; nothing lies behind a null pointer. */
static inline bool cfgrev_share(const void *a, size_t size_a, const void *b, size_t size_b)
{
    return a && b && (uintptr_t)a < (uintptr_t)b + size_b && (uintptr_t)b < (uintptr_t)a + size_a;
}
