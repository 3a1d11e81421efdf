#pragma once
#include <memory>

#include "mechane/tasks/parallel.h"

namespace mechane::python {

/// The threads that all solvers and pipelines of this process use. Whoever made something with a pool keeps it, so that
/// `set_num_threads` never pulls it away.
std::shared_ptr<const tasks::Pool> current_pool();

/// How many `set_num_threads` asked for; 0: all cores.
int wanted_threads();

}  // namespace mechane::python
