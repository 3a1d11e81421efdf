// The smallest kernel: shows that what the compilers make is loaded and launched by the driver (tests/device/on_gpu_test.cpp).
extern "C" __global__ void add_scaled(float* out, const float* x, const float* y, float factor, int count)
{
    const int k = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (k < count) out[k] = x[k] + factor * y[k];
}
