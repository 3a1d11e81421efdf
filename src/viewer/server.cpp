// A web server for one page and its WebSockets, on this machine only.
// It binds to the loopback address, answers GET of "/" with the page, and keeps WebSockets to every open page. One
// thread runs all connections; the program's own thread talks to it by posted functions and one mutex.
// Bounds: headers of 16 KiB, no bodies, messages of bounded size and number, 64 MiB of unsent text a page, twice as
// many connections as pages, 20 s for a request. A page that reads too slowly gets the newest frame only.
// Called by LivePage and the bridge of rosbridge clients.

#include "mechane/viewer/server.h"

#include <fmt/format.h>
#include <sys/random.h>

#include <array>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/websocket.hpp>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <random>
#include <thread>

#include "mechane/viewer/codes.h"
#include "viewer/admission.h"

namespace mechane::viewer {
namespace {

namespace beast     = boost::beast;
namespace http      = beast::http;
namespace websocket = beast::websocket;
using tcp           = boost::asio::ip::tcp;
using Request       = http::request<http::empty_body>;
using Response      = http::response<http::string_body>;

constexpr std::uint32_t kMostHeaderBytes = 16 << 10;
constexpr std::size_t   kMostUnsentBytes = std::size_t{64} << 20;  ///< of texts that a page has not read
constexpr auto          kPatience        = std::chrono::seconds(20);

std::string_view view(boost::beast::string_view text) { return {text.data(), text.size()}; }

/// What all connections share. Connections live in the thread of `context` only.
struct Shared {
    std::string                        nonce, token;
    bool                               framed = false, tokenless = false;
    std::vector<std::string>           origins;
    std::size_t                        most = 0;
    int                                port = 0;
    std::mutex                         mutex;
    std::condition_variable            arrived;
    std::shared_ptr<const std::string> page;  ///< below: guarded by mutex
    std::vector<PageMessage>           messages;
    std::size_t                        pages = 0;

    /// @return false where too much waits
    bool put(PageMessage message)
    {
        const std::lock_guard lock(mutex);
        if (message.kind == PageMessage::Kind::said && messages.size() >= kMostWaiting) return false;
        if (message.kind == PageMessage::Kind::came) ++pages;
        if (message.kind == PageMessage::Kind::went) --pages;
        messages.push_back(std::move(message));
        arrived.notify_one();
        return true;
    }
};

/// Content-Security-Policy: only the page's own script and style run (by nonce), pictures are embedded, and the only
/// connection is the socket back.
std::string policy(const Shared& shared, std::string_view host)
{
    return fmt::format(
        "default-src 'none'; script-src 'nonce-{0}'; style-src 'nonce-{0}'; img-src data: blob:; connect-src ws://{1}; "
        "base-uri 'none'; form-action 'none'; frame-ancestors {2}",
        shared.nonce, host, shared.framed ? "'self' http://localhost:* http://127.0.0.1:*" : "'none'");
}

Response answer(const Shared& shared, const Request& request, http::status status, std::string body, bool is_page)
{
    Response out{status, request.version()};
    out.set(http::field::content_type, is_page ? "text/html; charset=utf-8" : "text/plain; charset=utf-8");
    out.set(http::field::cache_control, "no-store");
    out.set("Content-Security-Policy",
            is_page ? policy(shared, view(request[http::field::host])) : "default-src 'none'");
    out.set("X-Content-Type-Options", "nosniff");
    out.set("Referrer-Policy", "no-referrer");
    out.set("Cross-Origin-Resource-Policy", shared.framed ? "same-site" : "same-origin");
    out.set("Cross-Origin-Opener-Policy", "same-origin");
    if (!shared.framed) out.set("X-Frame-Options", "DENY");
    out.keep_alive(false);
    out.body() = std::move(body);
    out.prepare_payload();
    if (request.method() == http::verb::head) out.body().clear();
    return out;
}

/// One WebSocket.
class Socket : public std::enable_shared_from_this<Socket> {
  public:
    Socket(beast::tcp_stream&& stream, std::shared_ptr<Shared> shared, std::uint64_t id)
        : stream_(std::move(stream)), shared_(std::move(shared)), id_(id)
    {
    }

    void accept(const Request& request, std::function<void(std::uint64_t)> gone)
    {
        gone_ = std::move(gone);
        beast::get_lowest_layer(stream_).expires_never();
        stream_.set_option(websocket::stream_base::timeout::suggested(beast::role_type::server));
        stream_.read_message_max(kMostMessageBytes);
        stream_.async_accept(request, [self = shared_from_this()](beast::error_code error) {
            if (error) return self->end();
            self->open_ = true;
            self->shared_->put({PageMessage::Kind::came, self->id_});
            self->read();
            self->write();
        });
    }

    void send(std::shared_ptr<const std::string> text)
    {
        unsent_ += text->size();
        texts_.push_back(std::move(text));
        if (unsent_ > kMostUnsentBytes) return cut_off();
        write();
    }
    void publish(std::shared_ptr<const std::string> bytes)
    {
        // Frames are not queued: an old one that was not sent is replaced.
        newest_ = std::move(bytes);
        write();
    }
    void cut_off() { beast::get_lowest_layer(stream_).close(); }

  private:
    void read()
    {
        stream_.async_read(buffer_, [self = shared_from_this()](beast::error_code error, std::size_t) {
            if (error) return self->end();
            if (self->stream_.got_text() && !self->shared_->put({PageMessage::Kind::said, self->id_,
                                                                 beast::buffers_to_string(self->buffer_.data())}))
                return self->cut_off(), self->end();
            self->buffer_.consume(self->buffer_.size());
            self->read();
        });
    }

    // One write at a time, as Beast demands. Texts go first, because none of them may be lost.
    void write()
    {
        if (!open_ || writing_) return;
        const bool is_text = !texts_.empty();
        if (is_text) {
            writing_ = std::move(texts_.front());
            texts_.pop_front();
            unsent_ -= writing_->size();
        } else {
            writing_ = std::exchange(newest_, nullptr);
        }
        if (!writing_) return;
        stream_.text(is_text);
        stream_.async_write(boost::asio::buffer(*writing_),
                            [self = shared_from_this()](beast::error_code error, std::size_t) {
                                self->writing_ = nullptr;
                                if (error) return self->end();
                                self->write();
                            });
    }

    void end()
    {
        // Reading and writing may both fail at the end of a connection; it is told once.
        if (ended_) return;
        ended_ = true;
        if (std::exchange(open_, false)) shared_->put({PageMessage::Kind::went, id_});
        if (gone_) gone_(id_);
    }

    websocket::stream<beast::tcp_stream>           stream_;
    std::shared_ptr<Shared>                        shared_;
    std::uint64_t                                  id_;
    std::function<void(std::uint64_t)>             gone_;
    beast::flat_buffer                             buffer_{kMostMessageBytes + 1024};
    std::deque<std::shared_ptr<const std::string>> texts_;
    std::shared_ptr<const std::string>             newest_, writing_;
    std::size_t                                    unsent_ = 0;
    bool                                           open_ = false, ended_ = false;
};

/// One connection until it is answered, or has become a WebSocket.
class Connection : public std::enable_shared_from_this<Connection> {
  public:
    using Upgrade = std::function<void(beast::tcp_stream&&, Request)>;
    Connection(tcp::socket&& socket, std::shared_ptr<Shared> shared, std::shared_ptr<int> alive, Upgrade upgrade)
        : stream_(std::move(socket)), shared_(std::move(shared)), alive_(std::move(alive)), upgrade_(std::move(upgrade))
    {
        parser_.header_limit(kMostHeaderBytes);
        parser_.body_limit(0);
    }

    void read()
    {
        stream_.expires_after(kPatience);
        http::async_read(stream_, buffer_, parser_, [self = shared_from_this()](beast::error_code error, std::size_t) {
            if (!error) self->respond();
        });
    }

  private:
    void respond()
    {
        Request       request = parser_.release();
        const bool    socket  = websocket::is_upgrade(request);
        const auto    target  = view(request.target());
        const Visitor who{view(request[http::field::host]), view(request[http::field::origin]), target, socket};
        const auto    what = shared_->tokenless ? admit_client(who, shared_->port, shared_->origins)
                                                : admit(who, shared_->port, shared_->token);
        if (what == Admission::socket) return upgrade_(std::move(stream_), std::move(request));
        const bool is_get = request.method() == http::verb::get || request.method() == http::verb::head;
        if (what == Admission::forbidden)
            return write(answer(*shared_, request, http::status::forbidden,
                                shared_->tokenless ? "Pages of other machines are not let in.\n"
                                                   : "This address needs the token that `mechane view` printed.\n",
                                false));
        if (what == Admission::missing)
            return write(answer(*shared_, request, http::status::not_found,
                                shared_->tokenless ? "This is a WebSocket.\n" : "There is one page: /\n", false));
        if (!is_get) return write(answer(*shared_, request, http::status::method_not_allowed, "GET only\n", false));
        std::shared_ptr<const std::string> page;
        {
            const std::lock_guard lock(shared_->mutex);
            page = shared_->page;
        }
        write(answer(*shared_, request, http::status::ok, *page, true));
    }

    void write(Response response)
    {
        response_.emplace(std::move(response));
        stream_.expires_after(kPatience);
        http::async_write(stream_, *response_, [self = shared_from_this()](beast::error_code, std::size_t) {
            beast::error_code ignored;
            // Closing at once could reset the connection before the browser has read the answer.
            self->stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
        });
    }

    beast::tcp_stream                      stream_;
    beast::flat_buffer                     buffer_{kMostHeaderBytes + 1024};
    http::request_parser<http::empty_body> parser_;
    std::optional<Response>                response_;
    std::shared_ptr<Shared>                shared_;
    std::shared_ptr<int>                   alive_;
    Upgrade                                upgrade_;
};

}  // namespace

struct PageServer::Impl {
    boost::asio::io_context                          context{1};
    tcp::acceptor                                    acceptor{context};
    std::shared_ptr<Shared>                          shared = std::make_shared<Shared>();
    std::map<std::uint64_t, std::shared_ptr<Socket>> sockets;  ///< in the thread of `context` only, as `next`
    std::shared_ptr<int>                             alive = std::make_shared<int>(0);  ///< counts connections
    std::uint64_t                                    next  = 1;
    std::thread                                      thread;

    void accept()
    {
        acceptor.async_accept([this](beast::error_code error, tcp::socket socket) {
            if (error == boost::asio::error::operation_aborted) return;
            const auto requests = static_cast<std::size_t>(alive.use_count() - 1);
            if (!error && sockets.size() + requests < 2 * shared->most)
                std::make_shared<Connection>(
                    std::move(socket), shared, alive,
                    [this](beast::tcp_stream&& stream, Request request) { upgrade(std::move(stream), request); })
                    ->read();
            accept();
        });
    }
    void upgrade(beast::tcp_stream&& stream, const Request& request)
    {
        if (sockets.size() >= shared->most) return;
        const std::uint64_t id     = next++;
        const auto          socket = std::make_shared<Socket>(std::move(stream), shared, id);
        sockets.emplace(id, socket);
        socket->accept(request, [this](std::uint64_t gone) { sockets.erase(gone); });
    }
};

PageServer::PageServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Result<std::unique_ptr<PageServer>> PageServer::start(std::string page, std::string page_nonce, ServerOptions options)
{
    const auto refused = [&](const std::string& why) {
        return make_diagnostic(kViewPort, {}, fmt::format("port {}: {}", options.port, why));
    };
    if (options.port < 0 || options.port > 65535) return refused("not in 0..65535");
    auto                impl = std::make_unique<Impl>();
    beast::error_code   error;
    const tcp::endpoint here(boost::asio::ip::address_v4::loopback(), static_cast<std::uint16_t>(options.port));
    impl->acceptor.open(here.protocol(), error);
    if (!error) impl->acceptor.set_option(tcp::acceptor::reuse_address(true), error);
    if (!error) impl->acceptor.bind(here, error);
    if (!error) impl->acceptor.listen(boost::asio::socket_base::max_listen_connections, error);
    if (error) return refused(error.message());
    Shared& shared   = *impl->shared;
    shared.port      = impl->acceptor.local_endpoint(error).port();
    shared.nonce     = std::move(page_nonce);
    shared.token     = options.token.empty() ? random_word() : std::move(options.token);
    shared.framed    = options.framed;
    shared.tokenless = options.tokenless;
    shared.origins   = std::move(options.origins);
    shared.most      = options.most_pages;
    shared.page      = std::make_shared<const std::string>(std::move(page));
    impl->accept();
    impl->thread = std::thread([context = &impl->context] { context->run(); });
    return std::unique_ptr<PageServer>(new PageServer(std::move(impl)));
}

/// The context is stopped in its own thread, after which no handler runs; only then may the sockets be destroyed.
PageServer::~PageServer()
{
    boost::asio::post(impl_->context, [impl = impl_.get()] {
        beast::error_code ignored;
        impl->acceptor.close(ignored);
        for (const auto& [id, socket] : impl->sockets) socket->cut_off();
        impl->context.stop();
    });
    impl_->thread.join();
}

int                PageServer::port() const { return impl_->shared->port; }
const std::string& PageServer::token() const { return impl_->shared->token; }
std::string        PageServer::url() const { return fmt::format("http://127.0.0.1:{}/?token={}", port(), token()); }

std::size_t PageServer::pages() const
{
    const std::lock_guard lock(impl_->shared->mutex);
    return impl_->shared->pages;
}

void PageServer::set_page(std::string page)
{
    auto                  next = std::make_shared<const std::string>(std::move(page));
    const std::lock_guard lock(impl_->shared->mutex);
    impl_->shared->page = std::move(next);
}

std::vector<PageMessage> PageServer::take(std::chrono::milliseconds wait)
{
    Shared&          shared = *impl_->shared;
    std::unique_lock lock(shared.mutex);
    if (shared.messages.empty() && wait.count() > 0)
        shared.arrived.wait_for(lock, wait, [&] { return !shared.messages.empty(); });
    return std::exchange(shared.messages, {});
}

void PageServer::send(std::string text, std::uint64_t page)
{
    boost::asio::post(impl_->context,
                      [impl = impl_.get(), page, text = std::make_shared<const std::string>(std::move(text))] {
                          const auto sockets = impl->sockets;  // a socket that is cut off may leave the map
                          for (const auto& [id, socket] : sockets)
                              if (page == 0 || page == id) socket->send(text);
                      });
}

void PageServer::publish(std::string bytes)
{
    boost::asio::post(impl_->context,
                      [impl = impl_.get(), bytes = std::make_shared<const std::string>(std::move(bytes))] {
                          const auto sockets = impl->sockets;
                          for (const auto& [id, socket] : sockets) socket->publish(bytes);
                      });
}

/// 128 bits from the system: used as token and nonce.
std::string random_word()
{
    std::array<unsigned char, 16> bytes{};
    if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
        std::random_device device;
        for (unsigned char& byte : bytes) byte = static_cast<unsigned char>(device());
    }
    std::string out;
    for (const unsigned char byte : bytes) out += fmt::format("{:02x}", byte);
    return out;
}

}  // namespace mechane::viewer
