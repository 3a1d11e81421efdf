#pragma once
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "mechane/conformance/fix.h"
#include "mechane/usd/layer.h"

namespace mechane::conformance {

/// A copy of an asset with all files that it can need, of a package those in it, at the same places relative to each
/// other: below the work folder lie the absolute paths of the originals, so that "../shared/a.usd" leads to a copy too.
/// Layers are read when they are asked for, and written back by `save`.
class Workspace {
  public:
    /// @error FIX_WORK_FOLDER, STAGE_OPEN_FAILED
    static Result<Workspace> copy(const std::string& asset, const std::string& folder);

    [[nodiscard]] const std::filesystem::path& entry() const { return entry_; }    ///< of the copy
    [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }  ///< that holds the entry
    /// Makes a new layer beside the entry that has it as sublayer, and makes it the entry.
    Result<void>       add_overlay(const std::string& name);
    [[nodiscard]] bool has_overlay() const { return overlay_; }

    /// The copy of a layer, as a stage names it; null for one that is not the asset's own (outside its folder).
    usd::Layer* layer(const std::string& identifier);
    /// A layer that does not exist yet is made empty.
    usd::Layer& new_layer(const std::filesystem::path& file);
    /// All layers of the asset, by file, sorted.
    [[nodiscard]] std::vector<std::filesystem::path> asset_layers() const;
    [[nodiscard]] bool                               is_asset(const std::filesystem::path& file) const;
    /// "geometries.usdc" of the copy's absolute path.
    [[nodiscard]] std::string relative(const std::filesystem::path& file) const;
    /// Path of the original of a copied file, or empty.
    [[nodiscard]] std::string original(const std::filesystem::path& file) const;
    /// The originals of all copied files, also of those outside the asset's folder.
    [[nodiscard]] std::vector<std::filesystem::path> sources() const;
    /// This file is not edited, as if it lay outside the asset's folder.
    void               keep_as_it_is(const std::filesystem::path& original);
    [[nodiscard]] bool keeps_some() const { return !kept_.empty(); }
    /// The copy of an original file, or empty.
    [[nodiscard]] std::filesystem::path copy_of(const std::filesystem::path& original) const;
    /// Removes a file of the copy.
    void remove(const std::filesystem::path& file);
    /// A .usd file is stored as crate or as text from now on.
    void store_as(const std::filesystem::path& file, bool binary);
    /// Another file becomes the entry.
    void set_entry(const std::filesystem::path& file) { entry_ = file; }
    /// Takes a file from outside the asset's folder into it, or those of a pattern ("skin.<UDIM>.png"). What a layer
    /// names by expressions and patterns keeps its place beside it, because such names are not rewritten.
    /// @error FIX_WORK_FOLDER
    Result<std::filesystem::path> localize(const std::filesystem::path& file);
    /// A path that was changed so that it leads into the asset's folder.
    struct Gathered {
        std::string layer, was, now;
    };
    /// Takes in everything outside of the asset's folder that its layers still name, and writes them.
    /// @error FIX_OUTSIDE, FIX_WORK_FOLDER
    Result<std::vector<Gathered>> gather();

    /// Removes every file of the copy; the workspace is of no more use.
    void discard();

    /// Writes edited layers to the copy and forgets them.
    Result<void> save();
    /// What is written from here on can be taken back.
    void begin_trial();
    /// Files and books are as they were at `begin_trial`.
    void take_back();
    /// What was written stays.
    void end_trial();
    /// Files of the copy inside the asset's folder, sorted, with their originals.
    [[nodiscard]] std::vector<FixedFile> files() const;
    /// Files of the original that the copy has no more: their content is in others.
    [[nodiscard]] std::vector<FixedFile> removed() const;

  private:
    std::filesystem::path                        root_;    ///< of the work folder
    std::filesystem::path                        folder_;  ///< copy of the asset's folder
    std::filesystem::path                        entry_;
    bool                                         overlay_ = false;
    std::map<std::filesystem::path, std::string> originals_;  ///< copy -> original, "" for new ones
    std::set<std::filesystem::path>              layer_files_, changed_, rewritten_, kept_;
    std::map<std::filesystem::path, std::string> removed_;  ///< copy -> original
    std::map<std::filesystem::path, bool>        stored_as_;
    std::map<std::filesystem::path, usd::Layer>  open_;

    /// How the books stood when a trial began, and where the files that it writes over are kept.
    struct Trial {
        std::filesystem::path                                  entry;
        std::map<std::filesystem::path, std::string>           originals;
        std::set<std::filesystem::path>                        layer_files, changed, rewritten;
        std::map<std::filesystem::path, std::string>           removed;
        std::map<std::filesystem::path, std::filesystem::path> kept;  ///< file -> its copy, empty for a new file
    };
    std::optional<Trial> trial_;

    using Files = std::set<std::filesystem::path>;
    using Moves = std::map<std::filesystem::path, std::filesystem::path>;  ///< of files that are taken in: from, to

    std::map<std::filesystem::path, Files> companions_;  ///< original layer -> what it names by expression or pattern
    std::map<std::filesystem::path, Files> expressed_;   ///< of them, those of expressions

    Result<void> take(const std::filesystem::path& original);
    /// Adds a file to the moves, with all that has to lie beside it. False where the place is taken or outside.
    bool         plan(const std::filesystem::path& file, const std::filesystem::path& to, Moves& moves) const;
    Result<void> move_in(const std::filesystem::path& file, const std::filesystem::path& to);
    Result<void> holds_expressed(const std::filesystem::path& file) const;
    Result<void> unpack(const std::filesystem::path& package);
    void         keep(const std::filesystem::path& file);
};

/// Files that an authored path names: itself, or the tiles and frames of a pattern.
/// @param layer  that names them
std::vector<std::filesystem::path> files_named(const std::string& authored, const std::filesystem::path& layer);

/// All bytes of a file; nothing of one that cannot be read.
std::string content_of(const std::filesystem::path& file);

/// True for .usd, .usda, .usdc.
bool is_layer_file(const std::filesystem::path& file);

}  // namespace mechane::conformance
