#pragma once
/* One thread computes everything. */
#define omp_get_thread_num() 0
#define omp_get_num_threads() 1
#define omp_get_max_threads() 1
#define omp_get_num_procs() 1
#define omp_in_parallel() 0
#define omp_set_num_threads(n) ((void)(n))
double omp_get_wtime(void);
