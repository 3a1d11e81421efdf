#pragma once
#include <array>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mechane/sourceformats/convert.h"
#include "mechane/sourceformats/loss.h"
#include "mechane/sourceformats/robot_tree.h"
#include "sourceformats/file_finder.h"
#include "sourceformats/xml.h"

/// What the readers of all formats share: where findings and losses go, how numbers are read, and how meshes come in.
namespace mechane::sourceformats {

/// How a robot moves in another way without this attribute of MJCF, which no reader takes; empty where it does not.
std::string_view changed_motion(std::string_view element, std::string_view attribute);

class Source {
  public:
    Source(const ReadOptions& with, FileFinder files, Diagnostics& findings, LossReport& report, RobotTree& robot)
        : options(with), finder(std::move(files)), found(findings), losses(report), tree(robot)
    {
    }

    const ReadOptions& options;
    FileFinder         finder;
    Diagnostics&       found;
    LossReport&        losses;
    RobotTree&         tree;

    void error(const Code& code, const Place& at, std::string message, std::string hint = {})
    { found.add(code, site_of(at), std::move(message), std::move(hint)); }

    // -- attributes; what is no finite number is reported and gives nothing

    std::optional<double> number(const XmlElement& e, std::string_view attribute);
    /// Numbers as many as there are, between `least` and `most`.
    std::optional<std::vector<double>> numbers(const XmlElement& e, std::string_view attribute, std::size_t least,
                                               std::size_t most);
    std::optional<Vec3d>               vec3(const XmlElement& e, std::string_view attribute);
    /// One of `words`, else nothing, which is reported.
    std::optional<std::string> word(const XmlElement& e, std::string_view attribute,
                                    std::initializer_list<std::string_view> words);

    /// A name that no other has: as given, else with a number behind it, which is reported where `told` is set.
    std::string unique(std::set<std::string>& taken, const std::string& name, const XmlElement& e,
                       std::string_view what, bool told);

    /// The mesh of a file, read once.
    /// @return index in the tree's meshes, -1 with a finding when it cannot be read
    int mesh(const std::string& address, const std::string& folder, const Place& at);
    /// A material of the tree with this look, made where there is none.
    int material(Material made);
    /// A texture's file; empty with a finding when there is none or it is no picture.
    std::string texture(const std::string& address, const std::string& folder, const Place& at);

    /// Everything of a document that no reader took.
    void report_leftovers(const XmlElement& root);

  private:
    std::map<std::string, int> meshes_;
    void                       leftovers(const XmlElement& e, const std::string& path, const std::string& why);
};

/// Numbers as usda writes a list: "[1, 2]" or "(1, 2)".
std::string usda_list(std::span<const double> numbers, char open = '[');
std::string usda_number(double v);
std::string usda_bool(bool v);
std::string usda_string(std::string_view text);

/// Rotation of fixed axes x, y, z by roll, pitch and yaw [rad].
Quatd from_rpy(double roll, double pitch, double yaw);

/// True for an inertia that some body has: finite, positive, and no axis more than the other two together (within one
/// part in a thousand).
bool is_inertia(const Mat33d& inertia);
/// What counts where a tensor is that of no body, for messages.
inline constexpr const char* kDirectionHint    = "Give it a direction: three numbers that are not all 0.";
inline constexpr const char* kInertiaOtherwise = "that of its shapes counts, or of a ball of 0.1 m where it has none";

/// A scene of glTF, as layers.
Result<UsdRobot> read_gltf_scene(const std::string& bytes, const std::string& file, const std::string& folder,
                                 Layout layout, const ReadOptions& options, ReadRobot& read);

/// A mesh file as one body: drawn as it is, colliding by its convex hull, with the mass of its shape.
/// @param suffix  in small letters, with its dot
/// @error SOURCE_READ_FAILED
Result<void> read_object(const std::string& file, const std::string& suffix, Source& source);

void read_urdf(const XmlElement& root, const std::string& file, Source& source);
void read_sdformat(const XmlElement& root, const std::string& file, Source& source);
void read_mjcf(XmlElement& root, const std::string& file, Source& source);

}  // namespace mechane::sourceformats
