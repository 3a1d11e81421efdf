// From a file of another format to a stage, and to files. The format is told by the suffix, and for XML by the root
// element, since URDF, MJCF, SDFormat and Xacro share ".xml".
//
// 1. read     a reader for each format builds a RobotTree, with findings (what is wrong) and losses (what is left out)
// 2. finish   what all formats need: faces that look one way, bases that are fixed, masses, a name
// 3. to_usd   the tree becomes layers (usd_writer.cpp)
// 4. write    a folder with a report, or one file; both appear as a whole or not at all
#include "mechane/sourceformats/convert.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "mechane/files/codes.h"
#include "mechane/files/folder.h"
#include "mechane/files/read.h"
#include "mechane/files/replace.h"
#include "mechane/files/scratch_folder.h"
#include "mechane/files/side_files.h"
#include "mechane/files/suffix.h"
#include "mechane/sourceformats/codes.h"
#include "mechane/sourceformats/open.h"
#include "mechane/usd/foreign.h"
#include "sourceformats/bodies.h"
#include "sourceformats/meshes/mesh_file.h"
#include "sourceformats/meshes/winding.h"
#include "sourceformats/source.h"
#include "sourceformats/xacro.h"

namespace mechane::sourceformats {
namespace {

namespace fs = std::filesystem;

constexpr const char*          kReport = "conversion.json";
const std::vector<std::string> kSuffixes{".urdf", ".xacro", ".mjcf", ".xml", ".sdf", ".world", ".gltf",
                                         ".glb",  ".stl",   ".obj",  ".ply", ".dae", ".msh"};

/// A value that was at fault is not in the result as the source says it: an entry of the report, too, which would else
/// count it as kept.
void account_for_faults(const Diagnostics& found, LossReport& losses)
{
    struct Row {
        std::string_view id;
        LossAction       action;
        std::string_view category;
    };
    // What counts instead is a default, a value of our own, or nothing.
    static constexpr Row kRows[] = {
        {kNumber.id, LossAction::approximated, "metadata"},    {kWord.id, LossAction::approximated, "metadata"},
        {kInertia.id, LossAction::approximated, "inertia"},    {kDuplicate.id, LossAction::renamed, "metadata"},
        {kFrames.id, LossAction::approximated, "kinematics"},  {kMissing.id, LossAction::dropped, "metadata"},
        {kUnknownName.id, LossAction::dropped, "kinematics"},  {kTree.id, LossAction::dropped, "kinematics"},
        {kMeshMissing.id, LossAction::dropped, "visual"},      {kMeshInvalid.id, LossAction::dropped, "visual"},
        {kTextureMissing.id, LossAction::dropped, "material"}, {kShape.id, LossAction::dropped, "collision"},
        {kInclude.id, LossAction::dropped, "metadata"},        {kXacro.id, LossAction::dropped, "metadata"},
        {kXmlInvalid.id, LossAction::dropped, "metadata"},     {kLimit.id, LossAction::dropped, "metadata"},
        {kUnsupported.id, LossAction::dropped, "metadata"}};
    constexpr std::string_view kScheme = "SOURCE_";
    for (const Diagnostic& d : found) {
        const auto row = std::find_if(std::begin(kRows), std::end(kRows), [&](const Row& r) { return d.id == r.id; });
        if (row == std::end(kRows)) continue;
        std::string code(kFaultPrefix);
        for (const char c : std::string_view(row->id).substr(kScheme.size()))
            code += c == '_' ? '-' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        losses.add({std::move(code),
                    d.severity,
                    row->action,
                    std::string(row->category),
                    d.site,
                    d.message,
                    {},
                    {},
                    "the source is at fault there"});
        losses.kept -= std::min<std::size_t>(losses.kept, 1);
    }
}

/// What every reader's robot goes through.
void finish(ReadRobot& out, const std::string& file, const ReadOptions& options)
{
    for (MeshAsset& mesh : out.tree.meshes)  // after masses have been computed of the meshes as they are
        if (const Rewound done = wind_alike(mesh); done.turned + done.parted > 0)
            out.losses.add(
                {"mesh-winding", Severity::info, LossAction::converted, "visual", site_of(mesh.place),
                 fmt::format("mesh '{}'", mesh.name), fmt::format("{} of {} faces", done.turned, mesh.counts.size()),
                 done.parted > 0 ? fmt::format("turned over; {} corners have points of their own", done.parted)
                                 : "turned over",
                 "all faces of a mesh look the same way, those of a closed mesh outwards"});
    hold_kinematic_roots(out.tree, out.losses);
    if (options.default_mass) give_masses(out.tree, *options.default_mass, out.losses);
    if (!options.name.empty()) out.tree.name = options.name;
    // "robot.urdf.xacro" is the robot "robot": two suffixes.
    if (out.tree.name.empty()) out.tree.name = fs::path(file).stem().stem().string();
    account_for_faults(out.found, out.losses);
}

Result<ReadRobot> read(const std::string& text, const std::string& file, const std::string& folder,
                       const ReadOptions& options)
{
    ReadRobot out;
    auto      root = parse_xml(text, file, out.found);
    if (!root) return root.error();
    out.losses.source = file;
    out.tree.name     = options.name;
    // The place in messages and for relative paths is that of the file; the text itself may come from memory.
    FileFinder finder((fs::path(folder) / fs::path(file).filename()).string(), options.packages, options.search_paths);
    const bool xacro    = uses_xacro(*root);
    XmlElement document = xacro ? expand_xacro(*root, (fs::path(folder) / fs::path(file).filename()).string(),
                                               options.xacro_arguments, finder, out.found)
                                // Xacro is expanded to plain URDF first. Its readers see no difference.
                                : std::move(*root);
    Source     source(options, std::move(finder), out.found, out.losses, out.tree);
    const std::string place = (fs::path(folder) / fs::path(file).filename()).string();
    if (document.name == "robot") {
        read_urdf(document, place, source);
    } else if (document.name == "mujoco" || document.name == "mujocoinclude") {
        read_mjcf(document, place, source);
    } else if (document.name == "sdf" || document.name == "gazebo") {
        read_sdformat(document, place, source);
    } else {
        return make_diagnostic(
            kFormatUnknown, site_of(document.place),
            fmt::format("the file holds a <{}>, expected <robot>, <mujoco> or <sdf>", document.name));
    }
    finish(out, file, options);
    return out;
}

// The report lists the files of an earlier conversion with their hashes. A folder that holds nothing else may be
// replaced; one with a file of somebody else's, or that was edited, is not touched.
Result<files::Listing> listed_in(const std::string& report)
{
    const auto text = files::read_own(report, std::size_t{1} << 30);
    if (!text) return text.error();
    const auto document = nlohmann::json::parse(*text, nullptr, false);
    if (!document.is_object() || !document.contains("files") || !document["files"].is_array())
        return make_diagnostic(files::kFolder, {.layer = report}, "the report does not list the files of its folder");
    files::Listing out;
    for (const auto& file : document["files"])
        if (file.is_object() && file.contains("path") && file["path"].is_string() && file.contains("sha256") &&
            file["sha256"].is_string())
            out.emplace(file["path"].get<std::string>(), file["sha256"].get<std::string>());
    return out;
}

/// What is not the same in motion, once a kind.
/// A robot of a hundred joints would tell the same a hundred times.
void tell_motion(const LossReport& losses, Diagnostics& found)
{
    std::map<std::pair<std::string, std::string>, std::pair<const Loss*, int>> kinds;
    for (const Loss& loss : losses.entries) {
        if (!loss.motion || loss.severity == Severity::error) continue;
        auto& [first, count] = kinds[{loss.code, loss.reason}];
        if (count++ == 0) first = &loss;
    }
    for (const auto& [kind, of] : kinds)
        found.add(kLost, of.first->site,
                  fmt::format("{}{}: {}", of.first->what,
                              of.second > 1 ? fmt::format(" and {} more", of.second - 1) : "", of.first->reason));
}

/// A file that a stage opens, with the packages and folders of the stage.
Result<usd::ForeignStage> as_foreign(const std::string& file, const usd::OpenOptions& open)
{
    ReadOptions options;
    options.packages     = open.packages;
    options.search_paths = open.search_paths;
    ReadRobot robot;
    auto      made = read_as_usd(file, Layout::single, options, robot);
    if (!made) return made.error();
    // A stage that opens the file has no folder to put pictures into.
    if (!made->pictures.empty())
        robot.found.add(kTextureMissing, {.layer = file},
                        fmt::format("{} pictures lie in the file itself and are not shown", made->pictures.size()),
                        "Convert the file to a folder, which has them as files.");
    usd::ForeignStage out{std::move(made->layers.front().layer), {}, std::move(robot.found)};
    for (const auto& [path, place] : made->places) out.places.emplace(path, site_of(place));
    for (const Loss& loss : robot.losses.entries)
        if (loss.severity == Severity::error && !is_fault(loss))
            out.found.add(kLost, loss.site, fmt::format("{}: {}", loss.what, loss.reason));
    tell_motion(robot.losses, out.found);
    return out;
}

}  // namespace

bool is_source_format(const std::string& file)
{ return std::find(kSuffixes.begin(), kSuffixes.end(), files::suffix_of(file)) != kSuffixes.end(); }

bool is_scene_format(const std::string& file)
{
    const std::string suffix = files::suffix_of(file);
    return suffix == ".gltf" || suffix == ".glb";
}

bool is_mesh_format(const std::string& file)
{ return !is_scene_format(file) && is_mesh_suffix(files::suffix_of(file)); }

Result<UsdRobot> read_as_usd(const std::string& file, Layout layout, const ReadOptions& options, ReadRobot& read)
{
    if (is_scene_format(file)) {
        const auto bytes = files::read_given(file);
        if (!bytes) return make_diagnostic(kReadFailed, {.layer = file}, bytes.error().message);
        read.losses.source = file;
        auto made          = read_gltf_scene(*bytes, file, folder_of(file), layout, options, read);
        account_for_faults(read.found, read.losses);
        return made;
    }
    auto robot = read_robot(file, options);
    if (!robot) return robot.error();
    read = *std::move(robot);
    return to_usd(read.tree, layout, read.losses);
}

Result<ReadRobot> read_robot(const std::string& file, const ReadOptions& options)
{
    if (is_mesh_format(file)) {
        ReadRobot out;
        out.losses.source = file;
        Source source(options, FileFinder(file, options.packages, options.search_paths), out.found, out.losses,
                      out.tree);
        if (auto done = read_object(file, files::suffix_of(file), source); !done) return done.error();
        finish(out, file, options);
        return out;
    }
    const auto text = files::read_given(file);
    if (!text) return make_diagnostic(kReadFailed, {.layer = file}, text.error().message);
    return read(*text, file, folder_of(file), options);
}

Result<ReadRobot> read_robot_text(const std::string& text, const std::string& folder, const ReadOptions& options)
// Xacro and includes of a text without a file are looked for in `folder`.
{ return read(text, "robot.xml", folder.empty() ? "." : folder, options); }

Result<std::vector<std::string>> write_folder(const UsdRobot& robot, const std::string& folder,
                                              const std::string& loss_json)
{
    std::error_code failed;
    // Asked before the work is done: a folder that may not be replaced ends it here.
    if (auto possible = files::try_folder(folder, kReport, listed_in); !possible) return possible.error();
    const files::ScratchFolder scratch(files::nearest_folder(folder));
    if (scratch.path().empty())
        return make_diagnostic(kWriteFailed, {.layer = folder}, "the folder above it cannot be written");
    const fs::path           made = scratch.path() / "robot";
    std::vector<std::string> names;
    for (const LayerFile& layer : robot.layers) names.push_back(layer.name);
    for (const auto& [file, name] : robot.textures) names.push_back(name);
    for (const auto& [name, bytes] : robot.pictures) names.push_back(name);
    fs::create_directories(made, failed);
    for (const LayerFile& layer : robot.layers)
        if (auto saved = layer.layer.save((made / layer.name).string()); !saved) return saved.error();
    for (const auto& [file, name] : robot.textures) {
        fs::create_directories((made / name).parent_path(), failed);
        if (auto copied = files::copy(file, (made / name).string()); !copied) return copied.error();
    }
    for (const auto& [name, bytes] : robot.pictures)
        if (auto written = files::replace((made / name).string(), bytes, {.make_folders = true}); !written)
            return written.error();
    auto document     = nlohmann::ordered_json::parse(loss_json, nullptr, false);
    document["entry"] = robot.entry;
    document["files"] = nlohmann::ordered_json::array();
    // Sorted, so that the report does not depend on the order in which layers and textures were made.
    std::sort(names.begin(), names.end());
    for (const std::string& name : names) {
        const auto hash = files::sha256_of((made / name).string());
        if (!hash) return hash.error();
        document["files"].push_back({{"path", name}, {"sha256", *hash}});
    }
    if (auto written = files::replace((made / kReport).string(), document.dump(1) + "\n"); !written)
        return written.error();
    // Until here nothing of the target has changed.
    if (auto published = files::publish_folder(made.string(), folder); !published) return published.error();
    names.emplace_back(kReport);
    for (std::string& name : names) name = (fs::path(folder) / name).lexically_normal().string();
    return names;
}

namespace {

/// Where the pictures of a layer lie, beside it: by their names in the robot.
std::map<std::string, std::string> picture_names(const UsdRobot& robot, const std::string& file)
{
    const std::string                  beside = fs::path(file).stem().string() + "_textures";
    std::map<std::string, std::string> out;
    for (const auto& [name, bytes] : robot.pictures) out[name] = beside + "/" + fs::path(name).filename().string();
    return out;
}

}  // namespace

std::vector<std::string> file_names(const UsdRobot& robot, const std::string& file)
{
    std::vector<std::string> sides;
    for (const auto& [name, beside] : picture_names(robot, file)) sides.push_back(beside);
    return files::names_with_sides(file, sides);
}

Result<std::vector<std::string>> write_file(const UsdRobot& robot, const std::string& file)
{
    usd::Layer                         layer = robot.layers.front().layer.copy();
    std::error_code                    failed;
    const fs::path                     place  = fs::absolute(file, failed).lexically_normal().parent_path();
    const auto                         beside = picture_names(robot, file);
    std::map<std::string, std::string> moved;
    std::vector<files::SideFile>       sides;
    for (const auto& [name, bytes] : robot.pictures) {
        moved["./" + name] = "./" + beside.at(name);
        sides.push_back({beside.at(name), bytes});
    }
    layer.rewrite_assets([&](const std::string& authored) {  // pictures stay where they are
        if (const auto own = moved.find(authored); own != moved.end()) return own->second;
        // Pictures of the source are named by absolute path so far. They are told relative to the new file where they
        // lie below it.
        if (!fs::path(authored).is_absolute()) return authored;
        const std::string relative = fs::path(authored).lexically_relative(place).string();
        return relative.starts_with("..") ? relative : "./" + relative;
    });
    if (sides.empty()) {
        if (auto saved = layer.save(file); !saved) return saved.error();
        return std::vector<std::string>{file};
    }
    const files::ScratchFolder scratch(place);
    if (scratch.path().empty()) return make_diagnostic(kWriteFailed, {.layer = file}, "its folder cannot be written");
    const std::string made = (scratch.path() / fs::path(file).filename()).string();
    if (auto saved = layer.save(made); !saved) return saved.error();
    const auto content = files::read(made);
    if (!content) return content.error();
    return files::replace_with_sides(file, *content, sides);
}

Result<std::shared_ptr<const usd::Stage>> open_as_stage(const std::string& file, const ReadOptions& options,
                                                        const usd::OpenOptions& open, ReadRobot& read)
{
    const fs::path given(file);
    // The reader of this file keeps the losses for the caller; other files that the stage opens have readers of their
    // own.
    usd::set_foreign_reader(kSuffixes,
                            [&](const std::string& source, const usd::OpenOptions& with) -> Result<usd::ForeignStage> {
                                if (fs::path(source).filename() != given.filename())
                                    return as_foreign(source, with);  // one beside it
                                auto made = read_as_usd(source, Layout::single, options, read);
                                if (!made) return made.error();
                                usd::ForeignStage out{std::move(made->layers.front().layer), {}, {}};
                                for (const auto& [path, place] : made->places) out.places.emplace(path, site_of(place));
                                return out;
                            });
    auto stage = usd::Stage::open(file, open);
    // The reader above holds references to this call's arguments. It must not outlive the call.
    let_stages_open_robots();
    return stage;
}

void let_stages_open_robots() { usd::set_foreign_reader(kSuffixes, as_foreign); }

}  // namespace mechane::sourceformats
