// Rules of REP-0158 1.2.6 and 3.5 about what is there many times: articulated clones and copies of one mesh.
// Clones are recognised by their structure (types and names below the top); copies by two independent 64-bit mixtures
// of their arrays, so that equal hashes mean equal meshes in practice.

#include <array>
#include <bit>
#include <cmath>
#include <map>
#include <set>

#include "conformance/family.h"
#include "conformance/first_value.h"

/// REP-0158 1.2.6 and 3.5: what is there many times.
namespace mechane::conformance {
namespace {

#define MECHANE_CLONE(name) "    def Xform \"" name "\" (\n        inherits = </hall/_arm>\n    )\n    {\n    }\n"
#define MECHANE_HALL                                                                                              \
    "<<hall>>\n{\n    class Xform \"_arm\" (\n        kind = \"component\"\n    )\n    {\n<<link a>>\n}\n<<link " \
    "b>>\n}\n<<root j /hall/_arm/a "                                                                              \
    "/hall/_arm/b>>\n    }\n"
#define MECHANE_PLATE(name)                                                                    \
    "def Mesh \"" name                                                                         \
    "\"\n{\n    int[] faceVertexCounts = [<<repeat 65 3>>]\n    int[] faceVertexIndices = [<<" \
    "count 195>>]\n    point3f[] points = [<<repeat 65 (0,0,0),(1,0,0),(0,1,0)>>]\n}\n"

constexpr Rule kClones{
    .id       = "REP-1.2.6-c",
    .slug     = "baked-clones",
    .keyword  = Keyword::must_not,
    .severity = Severity::warning,
    .summary  = "An asset does not hold the same robot sixteen times.",
    .why =
        "Simulators copy one environment at run time; copies in the file are opened, checked and simulated one "
        "by one.",
    .fix = "None: keep one, and let the simulator replicate it.",
    .bad = MECHANE_HALL MECHANE_CLONE("r1") MECHANE_CLONE("r2") MECHANE_CLONE("r3") MECHANE_CLONE("r4")
        MECHANE_CLONE("r5") MECHANE_CLONE("r6") MECHANE_CLONE("r7") MECHANE_CLONE("r8") MECHANE_CLONE("r9")
            MECHANE_CLONE("r10") MECHANE_CLONE("r11") MECHANE_CLONE("r12") MECHANE_CLONE("r13") MECHANE_CLONE("r14")
                MECHANE_CLONE("r15") MECHANE_CLONE("r16") "}\n",
    .good = MECHANE_HALL MECHANE_CLONE("r1") MECHANE_CLONE("r2") "}\n",
};
constexpr Rule kRepeated{
    .id       = "REP-3.5-a",
    .slug     = "repeat-uninstanced",
    .severity = Severity::warning,
    .summary  = "A mesh that is there four times is instanced.",
    .why      = "Every copy is stored, loaded and drawn by itself.",
    .fix      = "None: make a prim of the mesh and reference it with `instanceable = true`.",
    .bad      = MECHANE_PLATE("a") MECHANE_PLATE("b") MECHANE_PLATE("c") MECHANE_PLATE("d"),
    .good     = MECHANE_PLATE("a"),
};

#undef MECHANE_PLATE
#undef MECHANE_HALL
#undef MECHANE_CLONE

/// A few small copies cost less than the arcs of instances.
constexpr std::size_t kManyClones = 16, kManyCopies = 4, kManyFaces = 256;

/// What lies at and below a prim, names of the prim itself left out: clones have the same.
std::string structure_of(const Facts& facts, std::int32_t at)
{
    const PrimFacts&  top  = facts.prims[static_cast<std::size_t>(at)];
    const std::size_t head = top.prim.path().text().size();
    std::string       text;
    for (std::int32_t i = at + 1; i < top.end; ++i) {
        const PrimFacts& prim = facts.prims[static_cast<std::size_t>(i)];
        text += prim.prim.path().text().substr(head) + " " + prim.prim.type_name().text() + "\n";
    }
    return text;
}

/// True when the places are all crossings of a lattice along the axes.
/// Sixteen robots may be a scene. A lattice of them is the mark of environments for learning, which a simulator should
/// replicate by itself.
bool is_grid(const Facts& facts, const std::vector<std::int32_t>& prims)
{
    std::set<double> along[3];
    for (const std::int32_t i : prims) {
        const Vec3d p =
            usd::transform_point(facts.stage.world_matrix(facts.prims[static_cast<std::size_t>(i)].prim), {});
        const std::array<double, 3> at{p.x, p.y, p.z};
        for (std::size_t k = 0; k < 3; ++k) along[k].insert(std::round(at[k] * 1e6) / 1e6);
    }
    return along[0].size() * along[1].size() * along[2].size() == prims.size();
}

void check_clones(const Facts& facts, Sink& sink)
{
    if (!facts.articulated()) return;
    sink.applies(kClones);
    // Joints below each prim, by one pass from the end.
    std::vector<char> jointed(facts.prims.size(), 0);
    for (std::size_t i = facts.prims.size(); i-- > 0;) {
        const PrimFacts& prim = facts.prims[i];
        if (prim.is(kJoint)) jointed[i] = 1;
        if (prim.parent >= 0 && jointed[i] != 0) jointed[static_cast<std::size_t>(prim.parent)] = 1;
    }
    std::map<std::int32_t, std::vector<std::int32_t>> siblings;
    for (std::size_t i = 0; i < facts.prims.size(); ++i)
        if (jointed[i] != 0 && !facts.prims[i].is(kJoint))
            siblings[facts.prims[i].parent].push_back(static_cast<std::int32_t>(i));
    for (const auto& [parent, children] : siblings) {
        if (children.size() < kManyClones) continue;
        std::map<std::string, std::vector<std::int32_t>> alike;
        for (const std::int32_t child : children) alike[structure_of(facts, child)].push_back(child);
        for (const auto& [structure, same] : alike) {
            if (same.size() < kManyClones) continue;
            const usd::Prim& first = facts.prims[static_cast<std::size_t>(same.front())].prim;
            sink.report(kClones, {.site     = first.site(),
                                  .message  = "the same mechanism is there " + std::to_string(same.size()) + " times" +
                                              (is_grid(facts, same) ? ", on a grid" : ""),
                                  .observed = std::to_string(same.size()),
                                  .expected = "one, replicated at run time",
                                  .hint = "keep " + first.path().text() + " and let the simulator make the copies"});
        }
    }
}

/// Two different mixtures of a mesh's arrays and material: equal for copies.
struct Shape {
    std::uint64_t a = 14695981039346656037ULL, b = 1099511628211ULL;
    usd::Path     material;
    auto          operator<=>(const Shape&) const = default;

    void add(std::uint64_t word)
    {
        a = (a ^ word) * 1099511628211ULL;  // FNV-1a
        b = (b + word) * 0x9E3779B97F4A7C15ULL;
        b ^= b >> 29;
    }
};

void check_copies(const Facts& facts, Sink& sink)
{
    struct Copies {
        std::size_t      count = 0, faces = 0;
        const PrimFacts* first = nullptr;
    };
    std::map<Shape, Copies> shapes;
    for (std::size_t i = 0; i < facts.prims.size(); ++i) {
        const PrimFacts& prim = facts.prims[i];
        if (!prim.is(kMesh) || prim.prim.is_instance_proxy() || prim.end != static_cast<std::int32_t>(i) + 1) continue;
        sink.applies(kRepeated);
        const auto counts = first_value<std::vector<int>>(prim.prim.attribute("faceVertexCounts"));
        const auto points = first_value<std::vector<Vec3d>>(prim.prim.attribute("points"));
        const auto corner = first_value<std::vector<int>>(prim.prim.attribute("faceVertexIndices"));
        if (counts.empty()) continue;
        Shape shape;
        shape.add(counts.size());
        for (const int c : counts) shape.add(static_cast<std::uint64_t>(c));
        for (const int c : corner) shape.add(static_cast<std::uint64_t>(c));
        for (const Vec3d& p : points)
            for (const double x : {p.x, p.y, p.z}) shape.add(std::bit_cast<std::uint64_t>(x));
        if (const usd::Prim material = facts.stage.bound_material(prim.prim, "")) shape.material = material.path();
        Copies& copies = shapes[shape];
        if (copies.count++ == 0) copies.first = &prim;
        copies.faces += counts.size();
    }
    std::map<std::int32_t, const Copies*> by_place;
    for (const auto& [shape, copies] : shapes)
        if (copies.count >= kManyCopies && copies.faces > kManyFaces)
            by_place.emplace(facts.index_of(copies.first->prim), &copies);
    for (const auto& [place, copies] : by_place)
        sink.report(kRepeated, {.site     = copies->first->prim.site(),
                                .message  = "the same mesh is there " + std::to_string(copies->count) + " times, " +
                                            std::to_string(copies->faces) + " faces in all",
                                .observed = std::to_string(copies->count),
                                .expected = "instances of one",
                                .hint     = "make a prim of it and reference it with `instanceable = true`"});
}

void check(const Facts& facts, Sink& sink)
{
    check_clones(facts, sink);
    check_copies(facts, sink);
}

constexpr std::array<const Rule*, 2> kRules{&kClones, &kRepeated};

}  // namespace

constexpr Family kCloneRules{kRules, check};

}  // namespace mechane::conformance
