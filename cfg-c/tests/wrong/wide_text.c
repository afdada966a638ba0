double f(double v)
{
    char unit[] = "\q";
    return v * sizeof("\8") + unit[0];
}
