// What plugInfo.json names as the plug-in's library. OpenUSD's libraries are called otherwise in every distribution of
// one version (one library in usd-core, a dozen in a build from sources), so the resolver beside this file names none.
// This library finds the one that the process runs with, makes its symbols known to what is loaded later, as is not so
// under Python, and loads the resolver.
#include <dlfcn.h>
#include <link.h>
#include <pxr/ar/resolver.h>

#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#define MECHANE_TEXT_OF(name) #name
#define MECHANE_TEXT(name) MECHANE_TEXT_OF(name)
#ifdef AR_INTERNAL_NS  // headers of the packages of OpenUSD's parts
#define MECHANE_OPENUSD MECHANE_TEXT(AR_INTERNAL_NS)
#else
#define MECHANE_OPENUSD MECHANE_TEXT(PXR_INTERNAL_NS)
#endif

namespace {

/// The type information of ArResolver, as every compiler of Linux spells it. It names the version of OpenUSD.
std::string resolver_symbol()
{
    const std::string space = MECHANE_OPENUSD;
    return "_ZTIN" + std::to_string(space.size()) + space + "10ArResolverE";
}

int keep_name(dl_phdr_info* library, std::size_t, void* names)
{
    if (library->dlpi_name != nullptr && *library->dlpi_name != '\0')
        static_cast<std::vector<std::string>*>(names)->emplace_back(library->dlpi_name);
    return 0;
}

bool share_openusd()
{
    const std::string symbol = resolver_symbol();
    if (dlsym(RTLD_DEFAULT, symbol.c_str()) != nullptr) return true;
    std::vector<std::string> names;
    dl_iterate_phdr(keep_name, &names);
    for (const std::string& name : names) {
        void* const library = dlopen(name.c_str(), RTLD_LAZY | RTLD_NOLOAD);
        if (library == nullptr) continue;
        if (dlsym(library, symbol.c_str()) != nullptr &&
            dlopen(name.c_str(), RTLD_LAZY | RTLD_NOLOAD | RTLD_GLOBAL) != nullptr)
            return true;
        dlclose(library);
    }
    return false;
}

__attribute__((constructor)) void load_resolver()
{
    Dl_info own{};
    dladdr(reinterpret_cast<void*>(&load_resolver), &own);
    if (own.dli_fname == nullptr) return;
    const auto resolver = std::filesystem::path(own.dli_fname).parent_path() / "libmechane_package_uri.so";
    if (!share_openusd())
        std::fprintf(
            stderr,
            "mechane: this process has no OpenUSD of the namespace %s, for which the plug-in for package:// was "
            "built; build share/mechane/openusd-plugin with its OpenUSD\n",
            MECHANE_OPENUSD);
    else if (dlopen(resolver.c_str(), RTLD_NOW) == nullptr)
        std::fprintf(stderr, "mechane: the plug-in for package:// was not loaded: %s\n", dlerror());
}

}  // namespace
