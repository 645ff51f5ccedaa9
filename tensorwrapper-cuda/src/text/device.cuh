// Definitions for a GPU, at the beginning of every text for NVRTC. The simulator has definitions of its own under the same names.
__device__ __forceinline__ void tw_mma_m8n8k4(double (&c)[2], double a, double b) {
  asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1},{%2},{%3},{%0,%1};" : "+d"(c[0]), "+d"(c[1]) : "d"(a), "d"(b));
}
#define TW_SHARED extern __shared__ __align__(16) unsigned char tw_shared[];
#define TW_EXPORT(KERNEL)
