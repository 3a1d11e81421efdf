// From one format to another. Four ways, chosen by the names of input and result:
//
//   scene      any input    -> stage -> glTF
//   robot out  any input    -> stage -> robot tree -> URDF, SDFormat, MJCF
//   layout     OpenUSD      -> OpenUSD laid out anew (layout.cpp)
//   robot in   other format -> robot tree -> layers
//
// A robot that goes out always passes through a stage, so a format needs no writer for each other format. What the
// reader lost and the writer puts back is no loss (difference/restored.h).
// Each way ends with `verify`, where it is asked for, and with files that appear as a whole or not at all.

#include "mechane/conversion/convert.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <mutex>
#include <utility>

#include "mechane/conversion/folder_entry.h"
#include "mechane/conversion/layout.h"
#include "mechane/difference/restored.h"
#include "mechane/exporter/codes.h"
#include "mechane/exporter/robot_of_stage.h"
#include "mechane/files/inputs.h"
#include "mechane/files/side_files.h"
#include "mechane/importer/collision_solids.h"
#include "mechane/sourceformats/codes.h"
#include "mechane/sourceformats/open.h"
#include "mechane/usd/file_names.h"
#include "mechane/usd/layer_files.h"

namespace mechane::conversion {
namespace {

namespace fs = std::filesystem;
namespace sf = sourceformats;

using StagePointer = std::shared_ptr<const usd::Stage>;

/// An asset with what the layers of both vendors say, which each stand over it in an entry of their own; null where it
/// has none of them.
/// The vendors' layers are put under one root, the asset itself last, so that both opinions are there at once.
Result<StagePointer> with_vendors(const std::string& entry, const usd::OpenOptions& open)
{
    const fs::path            place = fs::absolute(entry).lexically_normal();
    std::optional<usd::Layer> top;
    std::vector<std::string>  layers;
    for (const char* vendor : {"_newton", "_mujoco"}) {
        const fs::path  file = place.parent_path() / (place.stem().string() + vendor + place.extension().string());
        std::error_code failed;
        if (!fs::is_regular_file(file, failed)) continue;
        auto one = usd::Layer::open(file.string());
        if (!one) return one.error();
        std::vector<std::string> below = one->sublayers();
        if (!layers.empty()) layers.pop_back();  // the asset itself, which comes last
        // Their sublayers are relative to the folder of the asset; the new root lies in memory.
        for (const std::string& sub : below) layers.push_back((place.parent_path() / sub).lexically_normal().string());
        if (!top) top.emplace(*std::move(one));
    }
    if (!top) return StagePointer();
    if (auto done = top->set_sublayers(layers); !done) return done.error();
    return usd::Stage::open_text(top->to_text(), entry, open);
}

Contents contents_of(const sf::RobotTree& tree)
{
    return {.format = tree.format,
            .links  = tree.links.size(),
            .joints = tree.joints.size(),
            .shapes = tree.shapes.size(),
            .meshes = tree.meshes.size()};
}

/// One conversion: what it was asked for, and what it has so far.
class Converting {
  public:
    Converting(std::string input, std::string output, const Options& options, Diagnostics& found)
        : output_(std::move(output)), options_(options), found_(found)
    {
        done_.input = entry_of(input, output_);
        if (done_.input != input) folder_entry_ = *folder_entry(input);
    }

    Result<Conversion> run()
    {
        // The order of the questions: glTF, other formats, OpenUSD to OpenUSD, and the rest is a robot that becomes
        // OpenUSD.
        const auto written = exporter::is_gltf(output_)                      ? scene_out()
                             : exporter::format_of(output_)                  ? robot_out()
                             : usd::is_stage_name(done_.input)               ? laid_out()
                             : layout_of_file(output_) == UsdLayout::rep0158 ? robot_into_folder()
                                                                             : robot_into_file();
        if (!written) return written.error();
        return std::move(done_);
    }

  private:
    Result<StagePointer> stage_of_input(sf::RobotTree* original = nullptr);
    Result<void>         scene_out();
    Result<void>         robot_out();
    Result<void>         laid_out();
    Result<void>         robot_into_folder();
    Result<void>         robot_into_file();
    /// Keeps what a reader of robots found, and how the result is called.
    void         take_read(const sf::ReadRobot& robot);
    Result<void> may_write(const std::vector<std::string>& files) const;
    Result<void> written(Result<std::vector<std::string>> files);
    Result<void> verified(const Original& from, const StagePointer& result = nullptr);

    std::string    output_, folder_entry_;  // the entry of a folder, without a vendor's layer; empty for files
    const Options& options_;
    Diagnostics&   found_;
    Conversion     done_;
};

/// The stage of any input: of other formats as one layer in memory. What their reading lost is in the report.
Result<StagePointer> Converting::stage_of_input(sf::RobotTree* original)
{
    if (usd::is_stage_name(done_.input)) return usd::Stage::open(done_.input, options_.scene.open);
    sf::ReadRobot robot;
    auto          stage = sf::open_as_stage(done_.input, options_.read, options_.scene.open, robot);
    if (!stage) return stage.error();
    found_.append(robot.found);
    done_.losses = std::move(robot.losses);
    if (original != nullptr) *original = std::move(robot.tree);
    return stage;
}

/// Whether the result may take its place, now that all is known of it.
Result<void> Converting::may_write(const std::vector<std::string>& files) const
{
    if (options_.strict) {
        const auto lost = [](const sf::Loss& one) {
            return one.action == sf::LossAction::dropped || one.action == sf::LossAction::approximated;
        };
        const auto first = std::ranges::find_if(done_.losses.entries, lost);
        if (first != done_.losses.entries.end()) {
            const auto more = std::ranges::count_if(first + 1, done_.losses.entries.end(), lost);
            return make_diagnostic(exporter::kLoss, first->site,
                                   fmt::format("{} is {}: {}{}", first->what, to_string(first->action), first->reason,
                                               more > 0 ? fmt::format(", and {} more", more) : std::string()));
        }
    }
    return options_.before_writing(files);
}

Result<void> Converting::written(Result<std::vector<std::string>> files)
{
    if (!files) return files.error();
    done_.files = *std::move(files);
    return {};
}

Result<void> Converting::verified(const Original& from, const StagePointer& result)
{
    if (!options_.verify) return {};
    sf::ReadOptions again = options_.read;
    if (!options_.write.package.empty())
        // The result names meshes by package://: the folder of the result stands for the package.
        again.packages.insert_or_assign(options_.write.package, fs::absolute(done_.entry).parent_path().string());
    auto found =
        verify_conversion(from, done_.entry, done_.losses, again, options_.scene, options_.threads, found_, result);
    if (!found) return found.error();
    done_.verified = *std::move(found);
    return {};
}

/// What the stage shows, as glTF.
Result<void> Converting::scene_out()
{
    const auto stage = stage_of_input();
    if (!stage) return stage.error();
    found_.append((*stage)->diagnostics());
    exporter::GltfOptions gltf = options_.gltf;
    gltf.open                  = options_.scene.open;
    if (usd::is_stage_name(done_.input)) gltf.source = done_.input;
    done_.losses.source = done_.input;
    done_.losses.kept   = 0;  // the writer counts anew what is kept
    const auto made     = exporter::write_gltf(**stage, fs::path(output_).filename().string(), gltf, done_.losses);
    if (!made) return made.error();
    if (auto possible = may_write(exporter::file_names(*made, output_)); !possible) return possible;
    done_.entry          = output_;
    const std::size_t of = (*stage)->prim_count() - 1;
    done_.contents.other = of == 1 ? "1 prim" : fmt::format("{} prims", of);
    return written(exporter::write_files(*made, output_));
}

Result<void> Converting::robot_out()
{
    Original             from{done_.input, {}, {}};
    const bool           is_stage = usd::is_stage_name(done_.input);
    const auto           format   = *exporter::format_of(output_);
    Result<StagePointer> stage    = StagePointer();
    // A folder is read with all that stands in it: what only a vendor has a word for belongs to the robot too.
    if (!folder_entry_.empty() && is_stage) stage = with_vendors(folder_entry_, options_.scene.open);
    if (stage && !*stage) stage = stage_of_input(&from.tree);
    if (!stage) return stage.error();
    found_.append((*stage)->diagnostics());
    // A stage without bodies and joints is no robot.
    auto robot = exporter::robot_of_stage(**stage, importer::collision_solids(*stage, found_), format);
    if (!robot) return robot.error();
    found_.append(robot->found);
    if (!options_.read.name.empty()) robot->tree.name = options_.read.name;
    if (format == exporter::Format::mjcf) exporter::restore_source_axes(robot->tree);
    if (is_stage) from.tree = robot->tree;
    from.stage           = *stage;
    sf::LossReport& lost = done_.losses;
    // Of a source of another format the reader has counted what it kept; what the writer puts back is kept too, and
    // what the writer has no word for is not. A stage has no list of values that could be counted.
    const std::size_t again = is_stage ? 0 : difference::correct_restored(lost, from.tree, robot->tree, format);
    const std::size_t read  = lost.entries.size();
    lost.source             = done_.input;
    lost.kept               = is_stage ? 0 : lost.kept + again;
    for (sf::Loss& one : robot->losses.entries) lost.add(std::move(one));
    lost.names.insert(robot->losses.names.begin(), robot->losses.names.end());
    exporter::WriteOptions write = options_.write;
    // Formats have meshes in forms of their own: where another result has the usual folder, this one has one of its
    // own.
    const fs::path result = output_;
    if (const fs::path usual = result.parent_path() / (result.stem().string() + "_meshes");
        write.mesh_folder.empty() && files::is_of_others(usual.string(), result.filename().string()))
        write.mesh_folder = fmt::format("{}_{}_meshes", result.stem().string(), result.extension().string().substr(1));
    const auto made = exporter::write_robot(robot->tree, format, result.filename().string(), write, lost);
    if (!made) return made.error();
    const auto changed = std::ranges::count_if(
        lost.entries.begin() + static_cast<std::ptrdiff_t>(read), lost.entries.end(),
        [](const sf::Loss& one) { return one.action != sf::LossAction::kept && !sf::is_fault(one); });
    lost.kept -= std::min(lost.kept, static_cast<std::size_t>(changed));
    if (auto possible = may_write(exporter::file_names(*made, output_)); !possible) return possible;
    done_.entry    = output_;
    done_.contents = contents_of(is_stage ? robot->tree : from.tree);
    if (auto saved = written(exporter::write_files(*made, output_)); !saved) return saved;
    return verified(from);
}

/// OpenUSD in another layout. It stays OpenUSD; nothing goes through the robot tree but for `verify`.
Result<void> Converting::laid_out()
{
    Original from{done_.input, {}, {}};
    if (options_.verify) {
        auto stage = usd::Stage::open(done_.input, options_.scene.open);
        if (!stage) return stage.error();
        auto robot = exporter::robot_of_stage(**stage, importer::collision_solids(*stage, found_));
        if (!robot) return robot.error();
        from.stage = *std::move(stage);
        from.tree  = std::move(robot->tree);
    }
    // What could not be composed is lacking in the result as well. Warnings of the input are for `mechane check`.
    const auto opened =
        from.stage ? Result<StagePointer>(from.stage) : usd::Stage::open(done_.input, options_.scene.open);
    if (opened)
        for (const Diagnostic& one : (*opened)->diagnostics())
            if (one.severity == Severity::error) found_.add(one);
    auto laid = lay_out(
        done_.input, *layout_of_file(output_), output_, options_.scene.open,
        [this](const sf::LossReport&) { return may_write({output_}); }, done_.losses, found_);
    if (!laid) return laid.error();
    done_.entry           = laid->entry;
    done_.files           = std::move(laid->files);
    done_.errors          = laid->errors;
    done_.contents.format = "OpenUSD";
    return verified(from);
}

void Converting::take_read(const sf::ReadRobot& robot)
{
    found_.append(robot.found);
    done_.losses         = robot.losses;
    done_.contents       = contents_of(robot.tree);
    done_.contents.other = robot.contents;
}

/// A robot of another format as a folder, laid out as REP-0158 has it.
Result<void> Converting::robot_into_folder()
{
    sf::ReadRobot robot;
    const auto    made = sf::read_as_usd(done_.input, sf::Layout::layered, options_.read, robot);
    if (!made) return made.error();
    take_read(robot);
    if (auto possible = may_write({output_}); !possible) return possible;
    if (auto saved = written(sf::write_folder(*made, output_, sf::to_json(robot.losses))); !saved) return saved;
    done_.entry = (fs::path(output_) / made->entry).lexically_normal().string();
    if (!options_.verify) return {};
    // The original is the robot as one layer in memory, whatever the layout of the result.
    sf::LossReport unsaid;
    const auto     whole = sf::to_usd(robot.tree, sf::Layout::single, unsaid);
    if (!whole) return whole.error();
    auto stage = usd::Stage::open_text(whole->layers.front().layer.to_text(), done_.input, options_.scene.open);
    if (!stage) return stage.error();
    // What only the vendors' schemas have words for stands beside the entry.
    const auto result = with_vendors(done_.entry, options_.scene.open);
    if (!result) return result.error();
    return verified({done_.input, robot.tree, *stage}, *result);
}

/// A robot of another format as one layer, or as a package of it.
Result<void> Converting::robot_into_file()
{
    sf::ReadRobot robot;
    const auto    made = sf::read_as_usd(done_.input, sf::Layout::single, options_.read, robot);
    if (!made) return made.error();
    take_read(robot);
    if (auto possible =
            may_write(usd::is_package_name(output_) ? std::vector{output_} : sf::file_names(*made, output_));
        !possible)
        return possible;
    done_.entry                  = output_;
    const usd::OpenOptions& open = options_.scene.open;
    if (usd::is_package_name(output_)) {
        if (auto packed = usd::write_package(made->layers.front().layer, output_,
                                             {open.search_paths, open.packages, open.limits}, found_);
            !packed)
            return packed.error();
        done_.files = {output_};
    } else if (auto saved = written(sf::write_file(*made, output_)); !saved) {
        return saved;
    }
    if (!options_.verify) return {};
    auto stage = usd::Stage::open_text(made->layers.front().layer.to_text(), done_.input, open);
    if (!stage) return stage.error();
    return verified({done_.input, robot.tree, *stage});
}

}  // namespace

namespace {

/// What a program may set and the command line has checked already.
Result<void> check_numbers(const Options& options)
{
    const auto positive = [](double x) { return x > 0 && std::isfinite(x); };
    const auto wrong    = [](const char* name, const std::string& value, const char* expected) {
        return make_diagnostic(exporter::kOption, {}, fmt::format("{} is {}, expected {}", name, value, expected));
    };
    const std::pair<const char*, double> sizes[] = {{"default_mass", options.read.default_mass.value_or(1)},
                                                    {"mesh_unit", options.read.mesh_unit},
                                                    {"default_effort", options.write.default_effort},
                                                    {"default_velocity", options.write.default_velocity}};
    for (const auto& [name, value] : sizes)
        if (!positive(value)) return wrong(name, fmt::format("{}", value), "a finite number above 0");
    if (options.gltf.segments < 8 || options.gltf.segments > 256)
        return wrong("segments", fmt::format("{}", options.gltf.segments), "8 to 256");
    if (options.gltf.influences != 4 && options.gltf.influences != 8)
        return wrong("influences", fmt::format("{}", options.gltf.influences), "4 or 8");
    const std::string& version = options.write.sdf_version;
    if (!version.empty() && version != "1.9" && version != "1.10" && version != "1.11")
        return wrong("sdf_version", "'" + version + "'", "1.9, 1.10 or 1.11");
    return {};
}

}  // namespace

std::string entry_of(const std::string& input, const std::string& output)
{
    std::error_code failed;
    if (!fs::is_directory(input, failed)) return input;
    const auto found = folder_entry(input);
    if (!found) return input;
    // MuJoCo's layer has words that the plain asset has not.
    const fs::path entry = *found;
    const fs::path rich  = entry.parent_path() / (entry.stem().string() + "_mujoco" + entry.extension().string());
    return exporter::format_of(output) == exporter::Format::mjcf && fs::exists(rich, failed) ? rich.string() : *found;
}

Result<void> check_formats(const std::string& input, const std::string& output, const Options& options)
{
    if (!sf::is_source_format(input) && !usd::is_stage_name(input))
        return make_diagnostic(sf::kFormatUnknown, {.layer = input}, fmt::format("unknown input format '{}'", input),
                               "formats by extension: .urdf .xacro .mjcf .xml .sdf .world .gltf .glb .stl .obj .ply "
                               ".dae .msh .usda .usdc .usd .usdz");
    const bool gltf = exporter::is_gltf(output);
    if (!gltf && !exporter::format_of(output) && !layout_of_file(output))
        return make_diagnostic(exporter::kFormatUnknown, {.layer = output},
                               fmt::format("unknown output format '{}'", output),
                               "formats by extension: a folder, .usda .usdc .usd .usdz, .urdf .sdf .world .xml .mjcf "
                               ".gltf .glb");
    if (options.verify && (exporter::is_gltf(input) || gltf))
        return make_diagnostic(exporter::kVerify, {.layer = output},
                               "verifying compares robots; glTF holds scenes without bodies and joints");
    // Other formats out have the robot's name in the file, other formats in get one; a stage is written as it is.
    if (!options.read.name.empty() && usd::is_stage_name(input) && !exporter::format_of(output))
        return make_diagnostic(exporter::kNameIdle, {.layer = output},
                               "a name is for robots that come from or go to URDF, MJCF or SDFormat");
    // A package and a folder keep the variants, and which of them their layers select.
    const bool lays_out = usd::is_stage_name(input) && !gltf && !exporter::format_of(output);
    if (lays_out && layout_of_file(output) != UsdLayout::flat && !options.scene.open.variant_selections.empty())
        return make_diagnostic(exporter::kOption, {.layer = output},
                               "a selection of variants has no effect on a package or a folder, which keep them all",
                               "Write one flat layer, or select the variants in the stage.");
    return check_numbers(options);
}

Result<Conversion> convert(const std::string& input, const std::string& output, const Options& options,
                           Diagnostics& found)
{
    if (auto possible = check_formats(entry_of(input, output), output, options); !possible) return possible.error();
    // What is read is noted for the whole process, so that two conversions at once would refuse each other's results.
    static std::mutex      one_at_a_time;
    const std::scoped_lock alone(one_at_a_time);
    const files::ReadWatch watch;
    files::note_read(input);
    return Converting(input, output, options, found).run();
}

}  // namespace mechane::conversion
