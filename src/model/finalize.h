#pragma once
#include <optional>

#include "mechane/model/builder.h"
#include "mechane/model/model.h"

/// The parts of ModelBuilder::finalize. Each fills its group of arrays of the model, in this order.
namespace mechane::model {

/// Indices, trees, worlds and filters fit together; the first misfit otherwise.
std::optional<Diagnostic> check_structure(const ModelBuilder& builder, const FinalizeOptions& options);

void fill_bodies(const ModelBuilder& builder, const FinalizeOptions& options, Model& model, Diagnostics& out);
/// Joints, their coordinates and dofs; needs the bodies.
void fill_joints(const ModelBuilder& builder, Model& model, Diagnostics& out);
void fill_articulations(const ModelBuilder& builder, Model& model);
void fill_particles(const ModelBuilder& builder, Model& model, Diagnostics& out);
/// What holds particles together; needs them.
void fill_soft(const ModelBuilder& builder, Model& model, Diagnostics& out);
/// Springs, tetrahedra, attachments and colours name what there is.
std::optional<Diagnostic> check_soft(const ModelBuilder& builder);
/// @return MODEL_SHAPE_MATERIAL, if any
std::optional<Diagnostic> fill_shapes(const ModelBuilder& builder, Model& model, Diagnostics& out);
void                      fill_custom(const ModelBuilder& builder, Model& model);
void                      fill_worlds(const ModelBuilder& builder, Model& model, Diagnostics& out);

}  // namespace mechane::model
