#include <math.h>
#include <gsl/gsl_multifit_nlinear.h>
int decay(const gsl_vector *x, void *params, gsl_vector *f)
{
    for (size_t i = 0; i < f->size; i++)
        gsl_vector_set(f, i, gsl_vector_get(x, 0) * exp(-0.5 * i * gsl_vector_get(x, 1)) - 0.3 * (i + 1));
    return 0;
}
int residuals(void *state, const gsl_vector *weights, gsl_multifit_nlinear_fdf *fdf, const gsl_vector *x, gsl_vector *f, gsl_matrix *J, gsl_vector *g)
{
    return gsl_multifit_nlinear_eval_f(fdf, x, weights, f);
}
