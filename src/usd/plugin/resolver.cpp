// A plug-in for other programs with OpenUSD (usdview, usdcat, Python): package:// addresses, resolved as Mechane does.
#include <pxr/ar/defineResolver.h>

#include "usd/package_resolver_base.h"

using namespace pxr;  // the registration macro below needs OpenUSD's names

/// Registered by the plugInfo.json beside it, for the scheme "package".
class MechanePackageUriResolver final : public mechane::package_paths::PackageResolverBase {
  protected:
    /// The environment is asked each time: a program that runs for hours may change it, and OpenUSD keeps what it
    /// opened.
    [[nodiscard]] std::string find(const std::string& address) const override
    { return mechane::package_paths::file_of(address, mechane::package_paths::find_in_environment); }
    [[nodiscard]] bool may_read(const std::string& file) const override
    {
        std::error_code failed;
        return std::filesystem::is_regular_file(file, failed);
    }
};

AR_DEFINE_RESOLVER(MechanePackageUriResolver, ArResolver);
