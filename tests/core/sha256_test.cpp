#include "mechane/core/sha256.h"

#include <doctest/doctest.h>

namespace mechane {

TEST_CASE("SHA-256 gives the digests of the standard's examples")
{
    // FIPS 180-4 examples and the well-known digest of no bytes.
    const std::string million(1'000'000, 'a');
    struct {
        std::string_view text;
        const char*      digest;
    } table[] = {
        {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
         "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
        {million, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"},
    };
    for (const auto& row : table) {
        CHECK(sha256_hex(std::as_bytes(std::span(row.text))) == row.digest);
        Sha256 in_pieces;  // pieces that straddle the 64-byte blocks
        for (std::size_t at = 0; at < row.text.size(); at += 61) in_pieces.update(row.text.substr(at, 61));
        CHECK(in_pieces.finish() == row.digest);
    }
}

}  // namespace mechane
