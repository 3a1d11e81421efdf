#pragma once
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "mechane/core/result.h"

namespace mechane::viewer {

struct ServerOptions {
    int         port = 0;  ///< 0: a free one
    std::string token{};   ///< what a page must know; made at random when empty
    bool        framed = false;  ///< pages of this machine (notebooks) may show it in a frame
    std::size_t most_pages = 16;  ///< connections at once; more are refused
    /// For protocols of others, whose clients know no token: sockets only, at any path. A client that names an origin,
    /// as every browser does, must be a page of this machine or one of `origins`.
    bool                     tokenless = false;
    std::vector<std::string> origins{};  ///< "https://studio.example"
};

/// What a page sent, or that it came or went.
struct PageMessage {
    enum class Kind { came, said, went };
    Kind          kind = Kind::said;
    std::uint64_t page = 0;  ///< of the connection; never used twice
    std::string   text{};    ///< one message, at most `kMostMessageBytes`
};

/// Longest message of a page [bytes], and most messages that wait to be taken; a page that exceeds either is cut off.
inline constexpr std::size_t kMostMessageBytes = std::size_t{64} << 10, kMostWaiting = 4096;

/// Serves one page to browsers of this machine, and speaks with it over a WebSocket (RFC 6455).
///
/// It listens on the loopback address 127.0.0.1 only. Every request must carry the token, and a Host header that names
/// the loopback address with this port, so that no foreign name can be made to point here (DNS rebinding). A WebSocket
/// must come from the page itself: its Origin header is compared too. What does not fit is answered with 403. No
/// request names a file: there is one page, in memory, and a socket.
///
/// All functions may be called from any thread.
class PageServer {
  public:
    /// @param page  the document; `page_nonce` is what its scripts and styles must carry
    /// @error VIEW_PORT  the port is not in 0..65535, or cannot be listened on
    static Result<std::unique_ptr<PageServer>> start(std::string page, std::string page_nonce, ServerOptions options = {});
    ~PageServer();  ///< closes every connection
    PageServer(const PageServer&)            = delete;
    PageServer& operator=(const PageServer&) = delete;

    [[nodiscard]] int                port() const;
    [[nodiscard]] const std::string& token() const;
    /// The address to open, with the token.
    [[nodiscard]] std::string url() const;
    /// Pages that are connected.
    [[nodiscard]] std::size_t pages() const;

    /// Another document from now on, for pages that are loaded anew.
    void set_page(std::string page);
    /// What has arrived since the last call, in order; waits so long for something.
    [[nodiscard]] std::vector<PageMessage> take(std::chrono::milliseconds wait);
    /// A text to one page, or to all (page 0). Nothing is left out; a page that reads too slowly is cut off.
    void send(std::string text, std::uint64_t page = 0);
    /// A picture of the moment to all pages. One that is still busy with an earlier one gets only the newest.
    void publish(std::string bytes);

  private:
    struct Impl;
    explicit PageServer(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

/// A random word of 32 hexadecimal digits (128 bits of the system's random numbers).
std::string random_word();

}  // namespace mechane::viewer
