#pragma once
// The simulation wing and its doors under one name: link mechane::mechane.
#include "mechane/collision/pipeline.h"
#include "mechane/collision/scene_queries.h"
#include "mechane/collision/soft_contacts.h"
#include "mechane/importer/import_usd.h"
#include "mechane/model/approximate.h"
#include "mechane/model/builder.h"
#include "mechane/model/contacts.h"
#include "mechane/model/model.h"
#include "mechane/model/state.h"
#include "mechane/run/scene.h"
#include "mechane/run/simulate.h"
#include "mechane/solvers/sensor_contact.h"
#include "mechane/solvers/solver.h"

namespace mechane {

using collision::CollisionPipeline;
using collision::PipelineOptions;
using model::Contacts;
using model::Control;
using model::GeoType;
using model::Model;
using model::ModelBuilder;
using model::ShapeConfig;
using model::State;
using solvers::make_solver;
using solvers::SensorContact;
using solvers::Solver;
using solvers::SolverOptions;

}  // namespace mechane
