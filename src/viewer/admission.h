#pragma once
#include <span>
#include <string>
#include <string_view>

namespace mechane::viewer {

/// What of a request decides whether it is let in.
struct Visitor {
    std::string_view host, origin;    ///< headers; empty where absent
    std::string_view target;          ///< "/socket?token=..."
    bool             socket = false;  ///< asks for a WebSocket
};

/// What a request is answered with.
enum class Admission { page, socket, forbidden, missing };

/// Whether a request may come in, and what it is for. `token` and the loopback address with `port` are required of
/// every request, the page's own origin of sockets.
Admission admit(const Visitor& visitor, int port, std::string_view token);
/// The same without a token: sockets at any path, from programs, pages of this machine, and pages of `origins`.
Admission admit_client(const Visitor& visitor, int port, std::span<const std::string> origins);

/// The value of a parameter of a target, as it is written; empty where absent.
std::string_view parameter(std::string_view target, std::string_view name);

/// Equality in a time that depends on the lengths only.
bool equal_in_constant_time(std::string_view a, std::string_view b);

}  // namespace mechane::viewer
