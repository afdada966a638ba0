double ba(int n, int m, int p, const double *cameras, const double *points, const double *weights,
          const int *camera_of, const int *point_of, const double *seen);

/* The value; its gradient is added to cameras_b, points_b and weights_b. */
double ba_grad(int n, int m, int p, const double *restrict cameras, double *restrict cameras_b,
               const double *restrict points, double *restrict points_b, const double *restrict weights,
               double *restrict weights_b, const int *restrict camera_of, const int *restrict point_of,
               const double *restrict seen);
