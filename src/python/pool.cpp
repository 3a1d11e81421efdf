#include "python/pool.h"

#include <mutex>

#include "python/module.h"

namespace mechane::python {

namespace {

struct Threads {
    std::mutex                         mutex;
    int                                count = 0;
    std::shared_ptr<const tasks::Pool> pool;
};

Threads& threads()
{
    static Threads all;
    return all;
}

}  // namespace

std::shared_ptr<const tasks::Pool> current_pool()
{
    Threads&               all = threads();
    const std::scoped_lock lock(all.mutex);
    if (!all.pool) all.pool = std::make_shared<const tasks::Pool>(all.count);
    return all.pool;
}

int wanted_threads()
{
    Threads&               all = threads();
    const std::scoped_lock lock(all.mutex);
    return all.count;
}

void bind_pool(nb::module_& m)
{
    m.def("set_num_threads", [](int count) {
        if (count < 0) throw nb::value_error("n must be 0 (all cores) or a positive number of threads");
        Threads&               all = threads();
        const std::scoped_lock lock(all.mutex);
        if (all.count != count) all.pool.reset();
        all.count = count;
    });
    m.def("get_num_threads", [] { return current_pool()->threads(); });
}

}  // namespace mechane::python
