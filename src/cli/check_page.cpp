// Pictures for the page of findings: each asset from one or four sides, with the places of its findings.
// Inputs: reports. Output: PNG pictures as data addresses, with an outline or a point in pixels for each prim that a
// finding names. A prim is marked by the shapes at or below it, else by the anchor of a joint or its origin.
// Called by the writer of documents for HTML.

#include "cli/check_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "cli/outputs.h"
#include "mechane/viewer/portrait.h"

namespace mechane::cli {
namespace {

using conformance::PageMark;
using conformance::PagePictures;
using conformance::PageView;

/// Bounds the page to some tens of megabytes: a picture takes about 0.1 MB.
constexpr std::size_t kFromAllSides = 6, kDrawn = 60;

/// Maps prims of a stage to shapes of its model and to places in the world.
class Whereabouts {
  public:
    explicit Whereabouts(const run::Scene& scene) : scene_(scene), stage_(stage_in_world(scene))
    {
        for (std::size_t i = 0; i < scene.model.shape_count(); ++i)
            shapes_.emplace_back(scene.model.shape_label[i], static_cast<std::int32_t>(i));
        std::sort(shapes_.begin(), shapes_.end());
    }

    /// The shapes of a prim and of those below it. For a body: its own, without those of bodies below it. For a part of
    /// a shape, such as a subset of a mesh's faces: that shape.
    [[nodiscard]] std::vector<std::int32_t> shapes_of(const std::string& path) const
    {
        if (path == "/") return below("");
        if (const auto body = scene_.imported.path_body_map.find(path);
            body != scene_.imported.path_body_map.end() && body->second >= 0) {
            std::vector<std::int32_t> own = below(path);
            std::erase_if(own, [&](std::int32_t shape) {
                return scene_.model.shape_body[static_cast<std::size_t>(shape)] != body->second;
            });
            return own;
        }
        if (auto own = below(path); !own.empty()) return own;
        const std::string above = path.substr(0, path.rfind('/'));
        const auto        whole = std::lower_bound(shapes_.begin(), shapes_.end(), std::pair{above, -1});
        return !above.empty() && whole != shapes_.end() && whole->first == above ? std::vector{whole->second}
                                                                                 : std::vector<std::int32_t>{};
    }

    /// The anchor of a joint; the origin of any other prim that has a transform.
    [[nodiscard]] std::optional<Vec3d> origin_of(const std::string& path) const
    {
        const model::Model& model = scene_.model;
        if (const auto joint = scene_.imported.path_joint_map.find(path);
            joint != scene_.imported.path_joint_map.end() && joint->second >= 0) {
            const auto         j    = static_cast<std::size_t>(joint->second);
            const std::int32_t body = model.joint_child[j];
            if (body >= 0)
                return (static_cast<Posed>(model.body_q[static_cast<std::size_t>(body)]) *
                        static_cast<Posed>(model.joint_X_c[j]))
                    .p;
        }
        const usd::Prim prim = scene_.stage->prim_at(usd::Path(path));
        if (!prim || !prim.is_a("Xformable")) return std::nullopt;
        const Vec3d at = usd::decompose(scene_.stage->world_matrix(prim)).translation;
        return stage_.X_WS * (stage_.meters_per_unit * at);
    }

    [[nodiscard]] std::size_t shape_count() const { return shapes_.size(); }

  private:
    const run::Scene&                                 scene_;
    run::StageInWorld                                 stage_;
    std::vector<std::pair<std::string, std::int32_t>> shapes_;  ///< by label

    [[nodiscard]] std::vector<std::int32_t> below(const std::string& path) const
    {
        std::vector<std::int32_t> out;
        for (auto at = std::lower_bound(shapes_.begin(), shapes_.end(), std::pair{path, -1});
             // All labels below a path stand together in the sorted list; the test below excludes "/robot2" for
             // "/robot".
             at != shapes_.end() && at->first.starts_with(path); ++at)
            // Further shapes of one prim have its path and a suffix.
            if (at->first.size() == path.size() || at->first[path.size()] == '/' || at->first[path.size()] == '#')
                out.push_back(at->second);
        return out;
    }
};

PagePictures pictures_of(const conformance::Report& report, bool all_sides, const Context& context)
{
    auto options = scene_options(context);
    if (!options) return {.views = {}, .missing = "There is no picture: the options are invalid."};
    options->incomplete                     = true;  // missing parts are among the findings
    options->import.skip_mesh_approximation = true;  // hulls are slow to compute, and only the meshes are drawn
    Diagnostics unsaid;                              // the import's own findings are those of `info` and `sim`
    const auto  scene = run::load_scene(report.asset, *options, unsaid);
    if (!scene) return {.views = {}, .missing = "There is no picture: " + scene.error().message};

    const model::Model&   model = scene->model;
    const record::Frame   frame{.t        = 0,
                                .body_q   = model.body_q,
                                .body_qd  = model.body_qd,
                                .joint_q  = model.joint_q,
                                .joint_qd = model.joint_qd,
                                .contacts = {}};
    const Whereabouts     where(*scene);
    std::set<std::string> prims;
    for (const conformance::Finding& finding : report.findings)
        if (finding.site.prim.starts_with('/')) prims.insert(finding.site.prim);

    PagePictures out;
    for (const auto& [name, view] : {std::pair{"three-quarter", viewer::NamedView::three_quarter},
                                     {"front", viewer::NamedView::front},
                                     {"side", viewer::NamedView::side},
                                     {"top", viewer::NamedView::top}}) {
        const viewer::Portrait portrait(model, frame,
                                        {.width   = all_sides ? 1120 : 720,
                                         .height  = all_sides ? 840 : 480,
                                         .view    = view,
                                         .eye     = {},
                                         .target  = {},
                                         .threads = context.global.threads});
        if (portrait.empty()) return {.views = {}, .missing = "There is no picture: the asset has nothing to draw."};
        PageView one{name, all_sides ? 1120 : 720, all_sides ? 840 : 480, viewer::png_uri(portrait.picture()), {}};
        for (const std::string& prim : prims) {
            const auto shapes = where.shapes_of(prim);
            PageMark   mark{portrait.outline(shapes), shapes.size() > 1 && shapes.size() == where.shape_count()};
            if (mark.outline.empty())
                if (const auto p_W = where.origin_of(prim))
                    if (const auto at = portrait.place(*p_W)) mark.outline = {*at};
            if (!mark.outline.empty()) one.marks.emplace(prim, std::move(mark));
        }
        out.views.push_back(std::move(one));
        if (!all_sides) break;
    }
    return out;
}

}  // namespace

std::map<std::string, PagePictures> page_pictures(std::span<const conformance::Report> reports, Context& context)
{
    std::map<std::string, PagePictures> out;
    for (std::size_t i = 0; i < reports.size(); ++i) {
        out[reports[i].asset] =
            i < kDrawn
                ? pictures_of(reports[i], reports.size() <= kFromAllSides, context)
                : PagePictures{.views = {}, .missing = fmt::format("Only the first {} assets have pictures.", kDrawn)};
        if (reports.size() > 1)
            context.io.progress("draw", static_cast<std::int64_t>(i + 1), static_cast<std::int64_t>(reports.size()));
    }
    if (reports.size() > 1) context.io.end_progress();
    return out;
}

}  // namespace mechane::cli
