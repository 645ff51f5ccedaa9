// Definitions for a GPU, at the beginning of every text for NVRTC. The simulator has definitions of its own under the same names.
// 16 x 8 of rows c and d += 16 x 8 (rows a and e) by 8 x 8. GPUs since sm_90 do it faster than products of 8 x 4 by 4 x 8.
__device__ __forceinline__ void tw_mma_m16n8k8(double (&c)[2], double (&d)[2], const double (&a)[2], const double (&e)[2],
                                               const double (&b)[2]) {
#if __CUDA_ARCH__ >= 900
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
               : "+d"(c[0]), "+d"(c[1]), "+d"(d[0]), "+d"(d[1])
               : "d"(a[0]), "d"(e[0]), "d"(a[1]), "d"(e[1]), "d"(b[0]), "d"(b[1]));
#else
#pragma unroll
  for (int q = 0; q < 2; ++q) {
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1},{%2},{%3},{%0,%1};"
                 : "+d"(c[0]), "+d"(c[1]) : "d"(a[q]), "d"(b[q]));
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1},{%2},{%3},{%0,%1};"
                 : "+d"(d[0]), "+d"(d[1]) : "d"(e[q]), "d"(b[q]));
  }
#endif
}
// A copy of an element to shared memory, so many elements behind an address there, or a zero instead, which is there once its group
// was waited for.
template <class T> __device__ __forceinline__ void tw_copy_async(T* shared, int behind, const T* from, bool is_there) {
  const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(shared)) + unsigned(behind * int(sizeof(T)));
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" :: "r"(to), "l"(from), "n"(int(sizeof(T))), "r"(is_there ? int(sizeof(T)) : 0) : "memory");
}
// The copies of this thread since the last group are a group.
__device__ __forceinline__ void tw_end_group() { asm volatile("cp.async.commit_group;" ::: "memory"); }
// Waits for all groups of this thread but the last ones.
template <int BUT> __device__ __forceinline__ void tw_wait_for_groups() { asm volatile("cp.async.wait_group %0;" :: "n"(BUT) : "memory"); }
#define TW_SHARED extern __shared__ __align__(16) unsigned char tw_shared[];
#define TW_EXPORT(KERNEL)
