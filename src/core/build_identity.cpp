// A text that names this build of the program and its libraries, for keys of caches: results of one build are never
// read by another.
// The GNU build id of each loaded object counts; without one its name, size and time of change.

#include "mechane/core/build_identity.h"

#include <elf.h>
#include <link.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstring>
#include <string_view>
#include <vector>

#include "mechane/core/sha256.h"

namespace mechane {
namespace {

/// The build id among the notes of a loaded object; empty where there is none.
std::string_view build_id_of(const dl_phdr_info& object)
{
    for (int i = 0; i < object.dlpi_phnum; ++i) {
        const auto& segment = object.dlpi_phdr[i];
        if (segment.p_type != PT_NOTE) continue;
        const auto* const notes  = reinterpret_cast<const char*>(object.dlpi_addr + segment.p_vaddr);
        const auto        padded = [](std::size_t bytes) { return (bytes + 3) & ~std::size_t{3}; };
        // Name and descriptor of a note are padded to four bytes (ELF, "Note Section").
        for (std::size_t at = 0; at + sizeof(ElfW(Nhdr)) <= segment.p_memsz;) {
            ElfW(Nhdr) note;
            std::memcpy(&note, notes + at, sizeof(note));
            const std::size_t name = at + sizeof(note), bytes = name + padded(note.n_namesz);
            if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && std::memcmp(notes + name, "GNU", 4) == 0)
                return {notes + bytes, note.n_descsz};
            at = bytes + padded(note.n_descsz);
        }
    }
    return {};
}

std::string identity()
{
    std::vector<std::string> objects;
    dl_iterate_phdr(
        [](dl_phdr_info* object, std::size_t, void* out) {
            const std::string name = object->dlpi_name == nullptr ? "" : object->dlpi_name;
            std::string       id(build_id_of(*object));
            if (id.empty()) {
                struct stat status{};
                if (::stat(name.empty() ? "/proc/self/exe" : name.c_str(), &status) != 0) return 0;  // the kernel's own
                for (const auto number :
                     {static_cast<std::int64_t>(status.st_size), static_cast<std::int64_t>(status.st_mtim.tv_sec),
                      static_cast<std::int64_t>(status.st_mtim.tv_nsec)})
                    id += std::to_string(number) + " ";
            }
            static_cast<std::vector<std::string>*>(out)->push_back(name.substr(name.rfind('/') + 1) + "\n" + id + "\n");
            return 0;
        },
        &objects);
    // The order in which objects were loaded does not matter.
    std::sort(objects.begin(), objects.end());
    Sha256 sum;
    for (const std::string& object : objects) sum.update(object);
    return sum.finish();
}

}  // namespace

const std::string& build_identity()
{
    static const std::string kIdentity = identity();
    return kIdentity;
}

}  // namespace mechane
