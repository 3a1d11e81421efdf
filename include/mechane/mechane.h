#pragma once
/// Everything: link mechane::mechane. docs/cpp.md shows programs.
#if __cplusplus < 202002L
#error "mechane needs C++20: -std=c++20, or newer"
#endif
#include "mechane/asset.h"
#include "mechane/collision/pipeline.h"
#include "mechane/core/process.h"
#include "mechane/load.h"
#include "mechane/schema.h"
#include "mechane/simulation.h"
#include "mechane/solvers/sensor_contact.h"

namespace mechane {

/// Names of rooms beneath the face, without a promise: collision by itself, and sums of contact forces by label.
// Building blocks that programs use most.
using collision::CollisionPipeline;
using collision::PipelineOptions;
using solvers::SensorContact;

}  // namespace mechane
