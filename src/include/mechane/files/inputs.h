#pragma once
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "mechane/core/result.h"

/// Files that a run reads, which its results must not replace. Every reader of the library notes what it reads, and
/// every writer asks here, so a command need not think of it.
namespace mechane::files {

/// While one of these lives, files that are read are remembered, and no writer of the process replaces one of them.
/// Without one nothing is remembered: to a program of its own, saving a layer is its own word.
class ReadWatch {
  public:
    ReadWatch();
    ~ReadWatch();
    ReadWatch(const ReadWatch&)            = delete;
    ReadWatch& operator=(const ReadWatch&) = delete;
};

/// What is remembered, by real places; in no order that means something.
std::vector<std::string> remembered_reads();

/// Remembers a file by its place and by what lies there, so that links and other spellings of it are found out.
void note_read(const std::string& file);

/// The same for files whose dependencies are noted as well, but for those that only a thorough search finds (tiles of a
/// texture, files that a template names). That search is made when a result would replace a file of another kind than
/// reports are.
void note_known_reads(std::span<const std::string> files);

/// Files that a file which was read depends on, also those that were not looked at (unloaded payloads, variants that
/// are not selected, textures). Asked only when a result is about to replace a file that exists.
using DependencyFinder = std::function<std::vector<std::string>(const std::string& file)>;
void set_dependency_finder(DependencyFinder finder);

/// True when `file` exists and was read, or what was read depends on it; links are followed.
bool is_input(const std::string& file);
/// The same for a folder: it is, or holds at any depth, a file that was read.
/// @return one such file, empty when there is none
std::string input_below(const std::string& folder);

/// @error FILES_INPUT  `file` is one
Result<void> refuse_input(const std::string& file);
/// The same for what an object of a program was made of, while no run is watched.
/// @error FILES_INPUT  `file` is one of the inputs, or they depend on it
Result<void> refuse_input(const std::string& file, std::span<const std::string> inputs);

}  // namespace mechane::files
