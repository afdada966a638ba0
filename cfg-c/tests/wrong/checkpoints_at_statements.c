double f(int n, double x)
{
#pragma cfgrev checkpoint
    L: x *= 2;
#pragma cfgrev checkpoint
#pragma cfgrev checkpoint(3)
    while (x < 9) x *= 2;
    /* $AD CHECKPOINT-START */
    while (x < 9) {
        x *= 2;
        /* $AD CHECKPOINT-END */
    }
    if (n) /* $AD CHECKPOINT-START */ x *= 2;
#pragma cfgrev checkpoint
    double y = x;
    return x;
}
