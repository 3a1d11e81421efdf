#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "mechane/core/result.h"
#include "mechane/importer/import_usd.h"
#include "mechane/importer/ledger.h"
#include "mechane/importer/options.h"
#include "mechane/model/model.h"
#include "mechane/usd/stage.h"

namespace mechane::importer {

/// An authored property that could give a number of the model.
struct Candidate {
    std::string       prim, property;
    std::string       value;  ///< as authored, shortened
    Verdict           verdict = Verdict::used;
    std::string       note;      ///< conversion, winner or reason
    std::string       resolver;  ///< empty for UsdPhysics's own properties
    int               rank = 0;  ///< place of the resolver in the list, from 1; 0: UsdPhysics or not listed
    Site              site;      ///< the opinion that counts
    std::vector<Site> weaker;    ///< opinions of weaker layers about the same property
};

/// A convention that decided a value: with the other answer to its question the value would be another.
struct Decision {
    std::string convention;        ///< field of physics::Conventions, "unlimited_axes_locked"
    std::string question, answer;  ///< "axes of a PhysicsJoint without a limit", "free"
    std::string otherwise;         ///< the answer that is not in force
    std::string instead;           ///< what the value would be; empty: there would be none
};

/// Where one number of the model comes from.
struct Explanation {
    std::string              subject;  ///< prim, or label of the entity
    std::string              field;    ///< "limit_stiffness"
    std::string              array;    ///< of the model, "joint_limit_ke"
    std::string              dof;      ///< "angular", "rotX", ...; empty for what is no degree of freedom
    std::string              value;    ///< of the model, SI
    std::string              unit;     ///< "N m/rad"; empty for plain numbers
    std::vector<Candidate>   won;      ///< what it was made of; several where it takes several
    std::vector<Candidate>   lost;     ///< authored, but another went first or it could not be used
    std::vector<std::string> absent;   ///< properties that would have had a say
    std::string              source;   ///< "authored", or what stands in: "default of the importer", "computed: ..."
    int                      resolver_count = 0;
    std::vector<Decision>    decisions;  ///< filled by `find_decisions`
};

/// What there is to explain, with the model it is read from. The import must have kept a ledger.
struct ExplainInput {
    const usd::Stage&    stage;
    const ImportOptions& options;
    const ImportResult&  imported;
    const model::Model&  model;
};

/// Explains a field of the entity that a prim became: `PATH.field`, by the name of the field ("armature"), of the
/// model's array ("joint_armature") or of a property ("newton:armature"). `PATH` alone explains every field.
/// @error EXPLAIN_UNKNOWN  no such entity, or no such field of it; the hint names near ones
Result<std::vector<Explanation>> explain(const ExplainInput& input, std::string_view path);

/// Finds the conventions that decided the values, by importing the stage with the other answers to their questions:
/// once where none did, and some fifteen times for each that did. A convention that acts only together with another
/// one is not found.
/// @param path  what `explain` was asked for; entities that an import is put onto are not known here
void find_decisions(const ExplainInput& input, std::string_view path, std::vector<Explanation>& values);

/// Whether two colliders, bodies or subtrees meet, and every reason why not.
struct PairExplanation {
    std::string              a, b;  ///< labels of the shapes
    bool                     collide = true;
    std::vector<std::string> reasons;  ///< why they do not
    std::vector<std::string> remarks;  ///< groups of both and the cell of the group table, and the like
};
/// Every pair of shapes of the two prims (or of what lies below them).
/// @error EXPLAIN_UNKNOWN  a path names nothing that has shapes
Result<std::vector<PairExplanation>> explain_pair(const ExplainInput& input, std::string_view a, std::string_view b);

/// Every reason why a pair of shapes is in the model's `shape_collision_filter_pairs`, in dictionary order; empty for
/// pairs that are not.
std::vector<std::string> filter_reason(const ExplainInput& input, std::int32_t a, std::int32_t b);

/// Whom a shape does not meet.
struct ShapeFilters {
    bool                      all = false;  ///< it does not collide at all, and its pairs are not listed
    std::vector<std::int32_t> others;       ///< shapes, ascending
};
ShapeFilters filters_of(const model::Model& model, std::int32_t shape);

}  // namespace mechane::importer
