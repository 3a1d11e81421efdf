// Paint (colours, pictures) that rides on a mesh pointer: the deleter of the shared pointer owns both, so solvers and
// files see a plain mesh.

#include "mechane/model/paint.h"

namespace mechane::model {
namespace {

/// What a painted pointer owns: the mesh as it was, and the paint.
struct Owned {
    MeshPointer                  mesh;
    std::shared_ptr<const Paint> paint;
    void                         operator()(const geometry::Mesh*) { mesh.reset(); }
};

}  // namespace

const Pixels* Picture::pixels() const
{
    // Pictures are read when first looked at; simulations never do.
    std::call_once(once_, [this] {
        if (reader_) pixels_ = reader_();
        if (pixels_ && (pixels_->width < 1 || pixels_->height < 1 ||
                        pixels_->rgba.size() != 4 * static_cast<std::size_t>(pixels_->width) *
                                                    static_cast<std::size_t>(pixels_->height)))
            pixels_.reset();
    });
    return pixels_ ? &*pixels_ : nullptr;
}

MeshPointer painted(const MeshPointer& mesh, std::shared_ptr<const Paint> paint)
{
    if (mesh == nullptr || paint == nullptr) return mesh;
    // The same address as before: caches by mesh still find it.
    return {mesh.get(), Owned{mesh, std::move(paint)}};
}

const Paint* paint_of(const MeshPointer& mesh)
{
    const Owned* const owned = std::get_deleter<Owned>(mesh);
    return owned != nullptr ? owned->paint.get() : nullptr;
}

}  // namespace mechane::model
