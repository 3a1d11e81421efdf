#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "mechane/usd/stage.h"

namespace mechane::importer {

struct Import;
class DeformableReader;

/// Prims that the passes for deformables take, in the order of the stage.
struct DeformablePrims {
    std::vector<usd::Prim>                      cables, cloths, tets, attachments, filters;
    std::map<usd::Path, usd::Path>              owner;     ///< body prim: the one simulation geometry that it governs
    std::map<usd::Path, std::vector<usd::Prim>> graphics;  ///< body prim: meshes that follow it

    [[nodiscard]] bool any() const
    { return !(cables.empty() && cloths.empty() && tets.empty() && attachments.empty() && filters.empty()); }
};

/// Finds them and what the rigid passes shall not take for colliders or visuals; before the physics is parsed.
void find_deformables(Import& run);
/// All of them, after the bodies and joints of their world.
void add_deformables(Import& run);
/// Attachments of which no world has imported the source.
void add_unplaced_attachments(Import& run);
/// Cables that hang on a body of the articulation that was added last.
void add_attached_cables(Import& run);
/// Takes pairs of shapes that do not meet, and why.
using PairSink =
    std::function<void(const std::vector<std::int32_t>&, const std::vector<std::int32_t>&, std::string_view)>;
/// Filter pairs of elements, once all shapes are there.
void add_element_filters(Import& run, const PairSink& add);
/// Shapes of a cable by its path, or of the cable whose body prim it is; empty for everything else.
std::vector<std::int32_t> shapes_of_cable(const Import& run, const std::string& path);
/// Indices of cables and attachments after fixed joints were collapsed.
void renumber_deformables(Import& run);

// -- parts of add_deformables
void add_cloth(const DeformableReader& read, const usd::Prim& prim);
void add_volume(const DeformableReader& read, const usd::Prim& prim);
void add_attachments(const DeformableReader& read);
/// What is said of every simulation geometry. False where it must not be imported.
bool may_import(const DeformableReader& read, const usd::Prim& prim, std::string_view kind);
/// Whether anything lets the deformable meet others.
bool collides(const DeformableReader& read, const usd::Prim& prim);
/// Says which attributes belong elsewhere.
void report_misplaced(const DeformableReader& read, const usd::Prim& prim, std::string_view material_api);

}  // namespace mechane::importer
