#pragma once
#include <initializer_list>
#include <string>
#include <vector>

#include "mechane/geometry/mesh.h"
#include "mechane/sourceformats/robot_tree.h"
#include "mechane/usd/stage.h"

/// Meshes that the writers make or look into.
namespace mechane::exporter {

/// Solids about z with 32 sides. A cone has its tip at +half_height.
geometry::Mesh cone_form(double radius, double half_height);
geometry::Mesh capsule_form(double radius, double half_height);
geometry::Mesh ellipsoid_form(const Vec3d& semi_axes);
/// Adds a mesh to the tree, or finds the same one.
int add_form(sourceformats::RobotTree& tree, const geometry::Mesh& mesh, const std::string& name);
/// Triangles of a mesh, faces cut as fans or by their ears.
geometry::Mesh triangles_of(const sourceformats::MeshAsset& mesh, const Vec3d& scale);

/// A primvar of a mesh, by corner, whatever its interpolation; not good where it has not as many values as it needs.
template <class T>
class CornerData {
  public:
    CornerData(const usd::Prim& prim, std::initializer_list<const char*> names, std::size_t points, std::size_t faces, std::size_t corners)
    {
        for (const char* name : names) {
            const usd::Attribute attribute = prim.attribute(name);
            const auto           values    = attribute.get<std::vector<T>>();
            if (!values || values->empty()) continue;
            values_  = *values;
            indices_ = prim.attribute(std::string(name) + ":indices").template get<std::vector<int>>().value_or(std::vector<int>());
            const std::string kind = attribute.metadata("interpolation").template get<std::string>().value_or(std::string(name) == "normals" ? "vertex" : "constant");
            const std::size_t size = indices_.empty() ? values_.size() : indices_.size();
            by_ = kind == "faceVarying" ? By::corner : kind == "uniform" ? By::face : kind == "constant" ? By::all : By::point;
            good_ = size >= (by_ == By::corner ? corners : by_ == By::face ? faces : by_ == By::all ? 1 : points);
            for (const int i : indices_) good_ = good_ && i >= 0 && static_cast<std::size_t>(i) < values_.size();
            return;
        }
    }
    [[nodiscard]] bool good() const { return good_; }
    [[nodiscard]] T    at(std::size_t point, std::size_t face, std::size_t corner) const
    {
        const std::size_t i = by_ == By::corner ? corner : by_ == By::face ? face : by_ == By::all ? 0 : point;
        return values_[indices_.empty() ? i : static_cast<std::size_t>(indices_[i])];
    }

  private:
    enum class By { point, face, corner, all } by_ = By::point;
    std::vector<T>   values_;
    std::vector<int> indices_;
    bool             good_ = false;
};

}  // namespace mechane::exporter
