// Who may talk to the page server: the checks of an HTTP request before anything is answered.
// Any page in a browser of this machine can send requests to a local port. Three things keep others out: the host must
// be this machine's (a name that an attacker points here fails: DNS rebinding), the address must hold the token, and an
// origin, which browsers add to cross-site requests and WebSockets, must be the page itself.
// Inputs: host, origin and target as the request has them. Output: page, socket, missing or forbidden.
// admit() is for the page; admit_client() for programs without a token, which a page of another machine may not use.
// Called by Connection::respond.

#include "viewer/admission.h"

#include <fmt/format.h>

#include <algorithm>

namespace mechane::viewer {
namespace {

/// "127.0.0.1:8642" and "localhost:8642"; browsers leave out port 80.
bool is_own_host(std::string_view host, int port)
{
    for (const std::string_view name : {"127.0.0.1", "localhost"})
        if (host == fmt::format("{}:{}", name, port) || (port == 80 && host == name)) return true;
    return false;
}

/// The origin of a page that this server sent: the same host as the request's, over plain HTTP.
bool is_own_origin(std::string_view origin, std::string_view host)
{
    constexpr std::string_view kScheme = "http://";
    return origin.starts_with(kScheme) && origin.substr(kScheme.size()) == host;
}

/// A page of this machine, whoever serves it.
bool is_local_origin(std::string_view origin)
{
    for (const std::string_view scheme : {"http://", "https://"})
        for (const std::string_view name : {"127.0.0.1", "localhost", "[::1]"}) {
            if (!origin.starts_with(scheme) || !origin.substr(scheme.size()).starts_with(name)) continue;
            const std::string_view port = origin.substr(scheme.size() + name.size());
            if (port.empty()) return true;
            if (port.size() > 1 && port[0] == ':' && port.find_first_not_of("0123456789", 1) == std::string_view::npos)
                return true;
        }
    return false;
}

}  // namespace

Admission admit_client(const Visitor& visitor, int port, std::span<const std::string> origins)
{
    if (!is_own_host(visitor.host, port)) return Admission::forbidden;
    // Programs that are no browsers send no origin, and are let in: they could connect without any check anyway.
    if (!visitor.origin.empty() && !is_local_origin(visitor.origin) &&
        std::find(origins.begin(), origins.end(), visitor.origin) == origins.end())
        return Admission::forbidden;
    return visitor.socket ? Admission::socket : Admission::missing;
}

std::string_view parameter(std::string_view target, std::string_view name)
{
    std::size_t at = target.find('?');
    while (at != std::string_view::npos) {
        const std::size_t      end  = target.find('&', at + 1);
        const std::string_view pair = target.substr(at + 1, end == std::string_view::npos ? end : end - at - 1);
        if (pair.size() > name.size() && pair.starts_with(name) && pair[name.size()] == '=')
            return pair.substr(name.size() + 1);
        at = end;
    }
    return {};
}

/// The time of an ordinary comparison tells how many characters of a guess are right.
bool equal_in_constant_time(std::string_view a, std::string_view b)
{
    if (a.size() != b.size()) return false;
    unsigned difference = 0;
    for (std::size_t i = 0; i < a.size(); ++i) difference |= static_cast<unsigned char>(a[i] ^ b[i]);
    return difference == 0;
}

Admission admit(const Visitor& visitor, int port, std::string_view token)
{
    if (!is_own_host(visitor.host, port)) return Admission::forbidden;
    if (token.empty() || !equal_in_constant_time(parameter(visitor.target, "token"), token))
        return Admission::forbidden;
    // A page asks for itself without an origin; whoever names one must be the page.
    if ((visitor.socket || !visitor.origin.empty()) && !is_own_origin(visitor.origin, visitor.host))
        return Admission::forbidden;
    const std::string_view path = visitor.target.substr(0, visitor.target.find('?'));
    if (path == "/socket") return visitor.socket ? Admission::socket : Admission::missing;
    return path == "/" && !visitor.socket ? Admission::page : Admission::missing;
}

}  // namespace mechane::viewer
