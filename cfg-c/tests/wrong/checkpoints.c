#define SNAPSHOTS 0
#pragma cfgrev checkpoint
double g(double x) { return x; }
double f(int n, double x)
{
#pragma cfgrev checkpoint(5)
    x *= 2;
#pragma cfgrev checkpoint(SNAPSHOTS)
    while (x < 9) x *= 2;
#pragma cfgrev checkpoint(snapshot = 3)
    while (x < 9) x *= 2;
#pragma cfgrev checkpoint()
    while (x < 9) x *= 2;
#pragma cfgrev checkpoint(3, 4)
    while (x < 9) x *= 2;
#pragma cfgrev checkpoint no-diff(x)
    while (x < 9) x *= 2;
#pragma cfgrev chekpoint(3)
    while (x < 9) x *= 2;
    // $AD BINOMIAL-CKP 10 n 1
    while (x < 9) x *= 2;
    // $AD BINOMIAL-CKP 10
    while (x < 9) x *= 2;
    x = x *
#pragma cfgrev checkpoint
        2;
    if (x > 2) {
        x *= 2;
#pragma cfgrev checkpoint
    }
#pragma cfgrev checkpoint(disk = 3)
    while (x < 9) x *= 2;
#pragma cfgrev checkpoint(3, disk = 4, disk = 5)
    while (x < 9) x *= 2;
#pragma cfgrev checkpoint(snapshots = 3, disk = -1)
    while (x < 9) x *= 2;
#pragma cfgrev checkpoint(disk = 0, 3,)
    while (x < 9) x *= 2;
    return x;
}
