// The thread pool that all objects of the module share.
// One pool for the process: pipelines and solvers of one program seldom run at the same time, and a pool of each would
// put more threads than cores to work. Results do not depend on the number of threads.

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

/// Made at the first use, so that importing the module starts no thread. Users hold it by shared pointer.
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
        // Objects that were made before keep the old pool until they die; new ones get the new number. A pool cannot
        // change its number of threads while somebody runs on it.
        if (all.count != count) all.pool.reset();
        all.count = count;
    });
    m.def("get_num_threads", [] { return current_pool()->threads(); });
}

}  // namespace mechane::python
