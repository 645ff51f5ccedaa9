// Runs the text of kernels on the processor: a fiber for each thread of a block, switched at barriers alone, in an order that the
// caller chooses. Shared memory is poisoned before each block. Threads that wait at different barriers are an error.
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#include <utility>
#include <vector>

#define __global__
#define __device__
#define __forceinline__ inline
#define __launch_bounds__(...)

struct tw_index {
  unsigned x;
};
static thread_local tw_index threadIdx, blockIdx, blockDim, gridDim;

enum tw_state { TW_READY, TW_AT_BLOCK_BARRIER, TW_AT_WARP_BARRIER, TW_DONE };
enum tw_schedule { TW_LOCKSTEP, TW_FORWARD, TW_BACKWARD };
// A copy to shared memory that is not done yet: by a thread's own count, its group.
struct tw_copy {
  void* to;
  const void* from;
  size_t bytes;
  bool is_there;
  unsigned group;
};
struct tw_fiber {
  ucontext_t context;
  tw_state state;
  unsigned groups;
  std::vector<tw_copy>* copies;
};
static const unsigned TW_MOST_THREADS = 1024, TW_STACK = 128 << 10, TW_SHARED_BYTES = 100 << 10, TW_GUARD = 256;
static thread_local tw_fiber* tw_fibers;
static thread_local unsigned char* tw_stacks;
static thread_local unsigned tw_current;
static thread_local ucontext_t tw_scheduler;
static thread_local void (*tw_body)(void**);
static thread_local void** tw_arguments;
static thread_local double tw_mailbox[TW_MOST_THREADS / 32][32][6];
alignas(16) static thread_local unsigned char tw_shared[TW_SHARED_BYTES + TW_GUARD];
#define TW_SHARED

static void tw_wait(tw_state state) {
  const unsigned own = tw_current;
  tw_fibers[own].state = state;
  swapcontext(&tw_fibers[own].context, &tw_scheduler);
}
static void __syncthreads() { tw_wait(TW_AT_BLOCK_BARRIER); }
static void tw_sync_warp() { tw_wait(TW_AT_WARP_BARRIER); }

static void tw_begin() {
  tw_body(tw_arguments);
  tw_wait(TW_DONE);
}

static void tw_step(unsigned thread) {
  tw_current = threadIdx.x = thread;
  swapcontext(&tw_scheduler, &tw_fibers[thread].context);
}

// One pass over a warp; whether its threads have all come to a barrier of the warp, which then is open again.
static bool tw_pass(unsigned first, unsigned last, bool backward) {
  for (unsigned n = 0; n < last - first; ++n) {
    const unsigned thread = backward ? last - 1 - n : first + n;
    if (tw_fibers[thread].state == TW_READY) tw_step(thread);
  }
  for (unsigned thread = first; thread < last; ++thread)
    if (tw_fibers[thread].state != TW_AT_WARP_BARRIER) return false;
  for (unsigned thread = first; thread < last; ++thread) tw_fibers[thread].state = TW_READY;
  return true;
}

static const char* tw_run_block(unsigned threads, int schedule) {
  for (unsigned t = 0; t < threads; ++t) {
    ucontext_t& context = tw_fibers[t].context;
    getcontext(&context);
    context.uc_stack.ss_sp = tw_stacks + size_t(t) * TW_STACK;
    context.uc_stack.ss_size = TW_STACK;
    context.uc_link = nullptr;
    makecontext(&context, tw_begin, 0);
    tw_fibers[t].state = TW_READY;
    tw_fibers[t].groups = 0;
    if (!tw_fibers[t].copies) tw_fibers[t].copies = new std::vector<tw_copy>;
    tw_fibers[t].copies->clear();
  }
  const unsigned warps = (threads + 31) / 32;
  for (;;) {
    for (unsigned n = 0; n < warps; ++n) {
      const unsigned warp = schedule == TW_BACKWARD ? warps - 1 - n : n;
      const unsigned first = warp * 32, last = first + 32 < threads ? first + 32 : threads;
      // A greedy warp runs until a barrier of the block stops it.
      while (tw_pass(first, last, schedule == TW_BACKWARD) && schedule != TW_LOCKSTEP) {
      }
    }
    unsigned done = 0, waiting = 0, ready = 0;
    for (unsigned t = 0; t < threads; ++t) {
      done += tw_fibers[t].state == TW_DONE;
      waiting += tw_fibers[t].state == TW_AT_BLOCK_BARRIER;
      ready += tw_fibers[t].state == TW_READY;
    }
    if (done == threads) return nullptr;
    if (waiting == threads) {
      for (unsigned t = 0; t < threads; ++t) tw_fibers[t].state = TW_READY;
    } else if (ready == 0) {
      return "threads of one block wait at different barriers, or have ended where others wait";
    }
  }
}

static const char* tw_run(void (*body)(void**), unsigned blocks, unsigned threads, unsigned shared, int schedule, void** arguments) {
  if (threads == 0 || threads > TW_MOST_THREADS || shared > TW_SHARED_BYTES) return "no GPU starts such a block";
  if (!tw_fibers) {
    tw_fibers = static_cast<tw_fiber*>(calloc(TW_MOST_THREADS, sizeof(tw_fiber)));
    tw_stacks = static_cast<unsigned char*>(malloc(size_t(TW_MOST_THREADS) * TW_STACK));
    if (!tw_fibers || !tw_stacks) return "there is no memory for the stacks of the threads";
  }
  tw_body = body;
  tw_arguments = arguments;
  gridDim.x = blocks;
  blockDim.x = threads;
  for (unsigned block = 0; block < blocks; ++block) {
    blockIdx.x = block;
    memset(tw_shared, 0xff, shared + TW_GUARD);
    if (const char* message = tw_run_block(threads, schedule)) return message;
    for (unsigned n = 0; n < TW_GUARD; ++n)
      if (tw_shared[shared + n] != 0xff) return "a block wrote behind its shared memory";
  }
  return nullptr;
}

// What the text asks of a GPU.
static inline double __longlong_as_double(long long bits) {
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}
// Copies are done as late as possible: when their group is waited for.
template <class T> static void tw_copy_async(T* shared, int behind, const T* from, bool is_there) {
  tw_fiber& own = tw_fibers[tw_current];
  own.copies->push_back({shared + behind, from, sizeof(T), is_there, own.groups});
}
static void tw_end_group() { ++tw_fibers[tw_current].groups; }
template <int BUT> static void tw_wait_for_groups() {
  tw_fiber& own = tw_fibers[tw_current];
  size_t done = 0;
  for (; done < own.copies->size() && (*own.copies)[done].group + BUT < own.groups; ++done) {
    const tw_copy& copy = (*own.copies)[done];
    if (copy.is_there) {
      memcpy(copy.to, copy.from, copy.bytes);
    } else {
      memset(copy.to, 0, copy.bytes);
    }
  }
  own.copies->erase(own.copies->begin(), own.copies->begin() + done);
}
// The fragments are those of PTX ISA, mma.m16n8k8 with .f64: of the left factor a thread has its row and the eighth row behind it,
// each at two of eight terms.
static void tw_mma_m16n8k8(double (&c)[2], double (&d)[2], const double (&a)[2], const double (&e)[2], const double (&b)[2]) {
  double(&box)[32][6] = tw_mailbox[tw_current / 32];
  const unsigned lane = tw_current % 32;
  for (unsigned q = 0; q < 2; ++q) {
    box[lane][q] = a[q];
    box[lane][2 + q] = e[q];
    box[lane][4 + q] = b[q];
  }
  tw_sync_warp();
  for (unsigned k = 0; k < 8; ++k) {
    const double(&left)[6] = box[lane / 4 * 4 + k % 4];
    const double x = left[k / 4], y = left[2 + k / 4];
    for (unsigned q = 0; q < 2; ++q) {
      const double right = box[(lane % 4 * 2 + q) * 4 + k % 4][4 + k / 4];
      c[q] = fma(x, right, c[q]);
      d[q] = fma(y, right, d[q]);
    }
  }
  tw_sync_warp();
}

template <class... P, size_t... N> static void tw_call(void (*kernel)(P...), void** arguments, std::index_sequence<N...>) {
  kernel(*static_cast<P*>(arguments[N])...);
}
template <class... P> static void tw_call(void (*kernel)(P...), void** arguments) {
  tw_call(kernel, arguments, std::index_sequence_for<P...>{});
}
// Arguments as cuLaunchKernel takes them: pointers to the values.
#define TW_EXPORT(KERNEL)                                                                                                    \
  static void tw_body_##KERNEL(void** arguments) { tw_call(KERNEL, arguments); }                                             \
  extern "C" const char* tw_run_##KERNEL(unsigned blocks, unsigned threads, unsigned shared, int schedule, void** arguments) { \
    return tw_run(tw_body_##KERNEL, blocks, threads, shared, schedule, arguments);                                           \
  }
