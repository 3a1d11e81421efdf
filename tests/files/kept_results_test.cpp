#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "mechane/core/hash.h"
#include "mechane/files/cache_folder.h"
#include "mechane/files/kept_results.h"
#include "mechane/files/overflow.h"
#include "mechane/files/read.h"
#include "mechane/files/trace.h"
#include "mechane/math/random.h"
#include "support/support.h"

namespace fs = std::filesystem;
using namespace mechane;

namespace {

constexpr std::uint64_t kRoom = 1 << 20;

files::KeptResults results_in(const fs::path& folder, bool reread = false)
{ return {files::CacheFolder(folder, ".result", kRoom), "one program", reread}; }

void write(const fs::path& file, const std::string& text) { std::ofstream(file, std::ios::binary) << text; }

/// What files say, in a way that shows every difference: contents, or that nothing is there. Looks for a file in
/// folders until one has it, as search paths do.
std::string look_up(const std::vector<fs::path>& folders, const std::vector<std::string>& names)
{
    std::string out;
    for (const std::string& name : names) {
        std::string found = "nothing";
        for (const fs::path& folder : folders) {
            const files::Kind kind = files::probe((folder / name).string());
            if (kind == files::Kind::nothing) continue;
            const auto text = kind == files::Kind::file ? files::read((folder / name).string())
                                                        : Result<std::string>(std::string("no file"));
            found           = text ? *text : "unreadable";
            break;
        }
        out += name + ": " + found + "\n";
    }
    return out;
}

/// In a process of its own, as every run of a program is: the result, and whether it came from the folder.
struct Answer {
    std::string text;
    bool        kept = false;
};
Answer ask(const fs::path& cache, const std::vector<fs::path>& folders, const std::vector<std::string>& names,
           bool reread = false)
{
    int pipe_ends[2];
    REQUIRE(::pipe(pipe_ends) == 0);
    const pid_t child = fork();
    if (child == 0) {
        auto        results = results_in(cache, reread);
        auto        found   = results.find("work");
        std::string text    = found ? "+" + *found : "-";
        if (!found) {
            files::Trace trace;
            {
                const files::TraceScope scope(&trace);
                text += look_up(folders, names);
            }
            results.keep("work", trace, text.substr(1));
        }
        const bool written = ::write(pipe_ends[1], text.data(), text.size()) == static_cast<ssize_t>(text.size());
        _exit(written ? 0 : 1);
    }
    ::close(pipe_ends[1]);
    std::string text;
    char        buffer[4096];
    for (ssize_t n = 0; (n = ::read(pipe_ends[0], buffer, sizeof(buffer))) > 0;)
        text.append(buffer, static_cast<std::size_t>(n));
    ::close(pipe_ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    REQUIRE(WIFEXITED(status));
    REQUIRE(WEXITSTATUS(status) == 0);
    REQUIRE(!text.empty());
    return {text.substr(1), text[0] == '+'};
}

}  // namespace

TEST_CASE("a kept result is found while nothing changed, and what is found is what doing the work again gives")
{
    test::for_seeds(12, [](Random& random) {
        const test::TemporaryFolder    folder;
        const std::vector<fs::path>    places{folder.path() / "near", folder.path() / "far"};
        const std::vector<std::string> names{"a", "b", "c", "d"};
        const fs::path                 cache = folder.path() / "cache";
        for (const fs::path& place : places) fs::create_directory(place);
        int found = 0;
        for (int step = 0; step < 40; ++step) {
            const fs::path file = places[random.below(2)] / names[random.below(4)];
            switch (random.below(6)) {
                case 0:  // nothing changes
                    break;
                case 1:
                    if (!fs::is_directory(file)) write(file, std::string(1, static_cast<char>('a' + random.below(3))));
                    break;
                case 2:
                    fs::remove(file);
                    break;
                case 3:  // the same size, and the same time of its content
                    if (fs::is_regular_file(file)) {
                        struct stat before{};
                        ::stat(file.c_str(), &before);
                        write(file, std::string(1, static_cast<char>('a' + random.below(3))));
                        const timespec times[] = {before.st_atim, before.st_mtim};
                        ::utimensat(AT_FDCWD, file.c_str(), times, 0);
                    }
                    break;
                case 4:
                    if (!fs::exists(file)) fs::create_directory(file);
                    break;
                default:  // another file takes the name
                    write(folder.path() / "new", std::string(1, static_cast<char>('a' + random.below(3))));
                    if (!fs::is_directory(file)) fs::rename(folder.path() / "new", file);
                    break;
            }
            const Answer answer = ask(cache, places, names, random.below(2) == 0);
            CHECK(answer.text == look_up(places, names));
            const Answer again = ask(cache, places, names);
            CHECK(again.text == answer.text);
            CHECK(again.kept);
            found += answer.kept;
        }
        CHECK(found > 3);  // earlier states come back, and nothing changes one time in six
    });
}

TEST_CASE("a result is not kept when a file changed after it was read")
{
    const test::TemporaryFolder folder;
    const std::string           file    = folder.write("a", "old");
    auto                        results = results_in(folder.path() / "cache");
    files::Trace                trace;
    {
        const files::TraceScope scope(&trace);
        CHECK(*files::read(file) == "old");
    }
    write(file, "new");
    results.keep("work", trace, "old");
    CHECK(results.kept() == 0);
    CHECK(!results.find("work"));
}

TEST_CASE("an answer of the environment that changes makes a result go")
{
    const test::TemporaryFolder folder;
    std::string                 where = "/opt/arm";
    files::set_answerer([&](const std::string& question) { return question == "package arm" ? where : "?"; });
    auto         results = results_in(folder.path() / "cache");
    files::Trace trace;
    {
        const files::TraceScope scope(&trace);
        files::note_answer("package arm", where);
    }
    results.keep("work", trace, "result");
    CHECK(results.find("work") == "result");
    where = "/home/arm";
    CHECK(!results.find("work"));
    where = "/opt/arm";
    CHECK(results.find("work") == "result");
    files::set_answerer({});
}

TEST_CASE("a file whose stamp was settled and is the same is not read again unless one asks for it")
{
    const test::TemporaryFolder folder;
    const std::string           file = folder.write("a", "text");
    struct stat                 status{};
    REQUIRE(::stat(file.c_str(), &status) == 0);
    const auto        ns = [](const timespec& time) { return time.tv_sec * 1'000'000'000 + time.tv_nsec; };
    files::Dependency one{.what    = files::Dependency::What::content,
                          .name    = file,
                          .digest  = "of other bytes",
                          .kind    = files::Kind::file,
                          .stamp   = {status.st_dev, status.st_ino, 4, ns(status.st_mtim), ns(status.st_ctim)},
                          .settled = true};
    bool              refreshed = false;
    CHECK(files::still_hold({&one, 1}, false, refreshed));
    CHECK(!files::still_hold({&one, 1}, true, refreshed));
    one.settled = false;
    CHECK(!files::still_hold({&one, 1}, false, refreshed));
    one.settled = true, ++one.stamp.changed;
    CHECK(!files::still_hold({&one, 1}, false, refreshed));
}

TEST_CASE("work that depends on nothing, another configuration and another name find nothing")
{
    const test::TemporaryFolder folder;
    const std::string           file    = folder.write("a", "text");
    auto                        results = results_in(folder.path() / "cache");
    files::Trace                nothing;
    results.keep("idle", nothing, "result");
    CHECK(!results.find("idle"));
    files::Trace trace;
    {
        const files::TraceScope scope(&trace);
        CHECK(files::read(file));
    }
    results.keep("work", trace, "result");
    CHECK(results.find("work") == "result");
    CHECK(!results.find("other work"));
    files::KeptResults other(files::CacheFolder(folder.path() / "cache", ".result", kRoom), "another program");
    CHECK(!other.find("work"));
}

TEST_CASE("threads without a trace of their own note what they read where one asks for it")
{
    const test::TemporaryFolder folder;
    const std::string           file = folder.write("a", "text");
    files::Trace                trace;
    {
        const files::TraceScope scope(&trace, true);
        std::thread([&] { (void)files::read(file); }).join();
    }
    std::thread([&] { (void)files::probe((folder.path() / "b").string()); }).join();  // after it: not noted
    const auto on = trace.finish();
    REQUIRE(on);
    REQUIRE(on->size() == 1);
    CHECK((*on)[0].name == file);
}

TEST_CASE("a damaged, cut or misnamed entry of a cache counts as none")
{
    const test::TemporaryFolder folder;
    files::CacheFolder          cache(folder.path(), ".result", kRoom);
    const std::string           bytes(1000, 'x');
    test::for_seeds(60, [&](Random& random) {
        cache.store("abcd", bytes);
        REQUIRE(cache.load("abcd") == bytes);
        const fs::path file = cache.file_of("abcd");
        std::string    whole;
        {
            std::ifstream in(file, std::ios::binary);
            whole.assign(std::istreambuf_iterator<char>(in), {});
        }
        if (random.below(2) == 0)
            whole.resize(random.below(static_cast<std::uint32_t>(whole.size())));
        else {
            char& byte = whole[random.below(static_cast<std::uint32_t>(whole.size()))];
            byte       = static_cast<char>(byte ^ static_cast<char>(1 + random.below(255)));
        }
        write(file, whole);
        CHECK(!cache.load("abcd"));
    });
    cache.store("abcd", bytes);
    fs::rename(cache.file_of("abcd"), cache.file_of("abce"));
    CHECK(!cache.load("abce"));
}

TEST_CASE("a cache keeps to its size, lets go what was not used for longest, and takes only its own files away")
{
    const test::TemporaryFolder folder;
    const std::string           other = folder.write("keep.txt", "mine");
    files::CacheFolder          cache(folder.path(), ".result", std::uint64_t{64} << 10);
    const auto                  key = [](int i) { return to_hex(hash_text(std::to_string(i))); };
    for (int i = 0; i < 100; ++i) {
        cache.store(key(i), std::string(4000, 'x'));
        const timespec times[] = {{0, UTIME_OMIT}, {1'000'000 + i, 0}};
        ::utimensat(AT_FDCWD, cache.file_of(key(i)).c_str(), times, 0);
    }
    cache.trim(std::uint64_t{32} << 10);
    CHECK(cache.usage().bytes <= std::uint64_t{32} << 10);
    CHECK(cache.usage().entries > 0);
    CHECK(cache.load(key(99)));
    CHECK(!cache.load(key(0)));
    const auto gone = cache.clear();
    REQUIRE(gone);
    CHECK(gone->entries > 0);
    CHECK(cache.usage().entries == 0);
    CHECK(fs::exists(other));
}

TEST_CASE("what a run puts aside comes back, from memory and from beyond it")
{
    files::Overflow                                             aside(100);
    std::vector<std::pair<files::Overflow::Place, std::string>> all;
    for (int i = 0; i < 50; ++i) {
        const std::string text(static_cast<std::size_t>(i), static_cast<char>('a' + i % 26));
        const auto        place = aside.put(text);
        REQUIRE(place);
        all.emplace_back(*place, text);
    }
    CHECK(all.back().first.out);
    CHECK(!all.front().first.out);
    for (const auto& [place, text] : all) CHECK(*aside.get(place) == text);
}
