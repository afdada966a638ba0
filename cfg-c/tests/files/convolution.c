//@ convolve {"h":3,"w":4,"kh":2,"kw":2,"image":[1,2,3,4,0.5,0.25,0.75,1.5,2.5,3.5,1.25,2.25],"kernel":[0.5,-0.25,1.5,0.75]}
double convolve(int h, int w, int kh, int kw, const double *restrict image, const double *restrict kernel)
{
    double s = 0;
    for (int y = 0; y <= h - kh; y++)
        for (int x = 0; x <= w - kw; x++) {
            const double *in = image + y * w + x, *k = kernel;
            double v = 0;
            for (int i = 0; i < kh; i++, in += w) for (int j = 0; j < kw; j++) v += in[j] * *k++;
            if (v < 0) v *= 0.1;
            s += v * v * (x + 1);
        }
    return s;
}
