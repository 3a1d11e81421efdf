#include "mechane/files/uri.h"

#include "support/support.h"

using namespace mechane;

TEST_CASE("a path comes back from its URI, whatever bytes it holds (RFC 3986 section 2)")
{
    CHECK(files::uri_of("a b/50%.bin") == "a%20b/50%25.bin");
    CHECK(files::path_of_uri("a%20b/50%25.bin") == "a b/50%.bin");
    // What nobody escaped stays.
    for (const char* plain : {"100%.bin", "%", "%2", "%zz", "%1g"}) CHECK(files::path_of_uri(plain) == plain);
    test::for_seeds(200, [](Random& r) {
        std::string path;
        for (int i = static_cast<int>(r.below(12)); i >= 0; --i) path += static_cast<char>(r.below(256));
        const std::string uri = files::uri_of(path);
        CHECK(files::path_of_uri(uri) == path);
        for (const char c : uri)
            CHECK(std::string("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/%").find(c) !=
                  std::string::npos);
    });
}
