#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <sstream>

#include "mechane/files/codes.h"
#include "mechane/files/folder.h"
#include "mechane/files/growing_file.h"
#include "mechane/files/inputs.h"
#include "mechane/files/read.h"
#include "mechane/files/replace.h"
#include "mechane/files/roots.h"
#include "mechane/files/scratch_folder.h"
#include "mechane/files/transaction.h"
#include "support/support.h"

namespace fs = std::filesystem;
using namespace mechane;

namespace {

std::string text_of(const fs::path& file)
{
    std::ifstream     in(file, std::ios::binary);
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
}

std::size_t count_in(const fs::path& folder)
{ return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator())); }

}  // namespace

TEST_CASE("a chain of links and a link to nothing yet are followed, and stay links")
{
    const test::TemporaryFolder folder;
    fs::create_directory(folder.path() / "store");
    fs::create_symlink("b", folder.path() / "a");
    fs::create_symlink("store/c", folder.path() / "b");
    REQUIRE(files::replace((folder.path() / "a").string(), "one"));
    CHECK(text_of(folder.path() / "store" / "c") == "one");
    REQUIRE(files::replace((folder.path() / "a").string(), "two"));
    CHECK(text_of(folder.path() / "store" / "c") == "two");
    CHECK(fs::is_symlink(folder.path() / "a"));
    CHECK(fs::is_symlink(folder.path() / "b"));
    CHECK(count_in(folder.path()) == 3);
    CHECK(count_in(folder.path() / "store") == 1);
}

TEST_CASE("permissions of a replaced file stay, and another name of the same file keeps the old content")
{
    const test::TemporaryFolder folder;
    const std::string           file = folder.write("a", "old");
    fs::create_hard_link(file, folder.path() / "b");
    ::chmod(file.c_str(), 0604);
    for (const char* content : {"new", "newer"}) {
        REQUIRE(files::replace(file, content));
        CHECK(text_of(file) == content);
        struct stat status{};
        ::stat(file.c_str(), &status);
        CHECK((status.st_mode & 07777) == 0604);
    }
    CHECK(text_of(folder.path() / "b") == "old");
}

TEST_CASE("what cannot be written is told before and after, and nothing is left")
{
    const test::TemporaryFolder folder;
    for (const fs::path& target : {folder.path(), folder.path() / "none" / "a"}) {
        CHECK(files::try_target(target.string()).error().id == files::kWriteFailed.id);
        CHECK(files::replace(target.string(), "x").error().id == files::kWriteFailed.id);
    }
    CHECK(count_in(folder.path()) == 0);
    const auto refused = files::replace_with((folder.path() / "a").string(), [](const std::string& temporary) {
        std::ofstream(temporary) << "half";
        return false;
    });
    CHECK(refused.error().id == files::kWriteFailed.id);
    CHECK(count_in(folder.path()) == 0);
}

TEST_CASE("a file that was read is not replaced while somebody watches, whatever it is called")
{
    const test::TemporaryFolder folder;
    const std::string           file = folder.write("a", "old");
    const fs::path              soft = folder.path() / "soft", hard = folder.path() / "hard";
    fs::create_symlink("a", soft);
    fs::create_hard_link(file, hard);
    files::note_read(file);  // nobody watches: forgotten
    CHECK_FALSE(files::is_input(file));
    {
        const files::ReadWatch watch;
        CHECK_FALSE(files::is_input(file));
        CHECK(files::read(file).value() == "old");
        for (const fs::path& name : {fs::path(file), soft, hard, folder.path() / "." / "x" / ".." / "a"}) {
            CAPTURE(name.string());
            CHECK(files::is_input(name.string()));
            CHECK(files::replace(name.string(), "new").error().id == files::kInput.id);
            CHECK(files::try_target(name.string()).error().id == files::kInput.id);
            CHECK(files::GrowingFile::create(name.string()).error().id == files::kInput.id);
        }
        CHECK(text_of(file) == "old");
        CHECK(files::input_below(folder.path().string()) != "");
        CHECK(files::replace(file, "new", {.may_be_input = true}));
        CHECK(files::is_input(file));  // by its place: what lies there is another file now
    }
    CHECK(files::replace(file, "newer"));
}

TEST_CASE("pipes, devices and folders are not read")
{
    const test::TemporaryFolder folder;
    const std::string           pipe = (folder.path() / "pipe").string();
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    for (const std::string& file : {pipe, std::string("/dev/zero"), folder.path().string(), folder.path().string() + "/none"}) {
        CAPTURE(file);
        CHECK(files::read(file).error().id == files::kReadFailed.id);
        CHECK(files::sha256_of(file).error().id == files::kReadFailed.id);
        CHECK(files::copy(file, (folder.path() / "copy").string()).error().id == files::kReadFailed.id);
    }
    CHECK_FALSE(fs::exists(folder.path() / "copy"));
    const std::string file = folder.write("a", "12345");
    CHECK(files::read_head(file, 3).value() == "123");
    CHECK(files::read(file, 5).value() == "12345");
    CHECK(files::read(file, 4).error().id == files::kReadFailed.id);
}

TEST_CASE("a transaction replaces, adds and removes files as one, also below folders that are not there")
{
    const test::TemporaryFolder folder, contents;
    folder.write("a", "old a");
    folder.write("b", "old b");
    Diagnostics found;
    auto        all = files::Transaction::begin(folder.path().string(), found);
    REQUIRE(all);
    CHECK(files::Transaction::begin(folder.path().string(), found).error().id == files::kBusy.id);
    all->replace("a", contents.write("1", "new a"));
    all->replace("x/y/c d%\n", contents.write("2", "new c"));
    all->remove("b");
    REQUIRE(all->commit());
    CHECK(text_of(folder.path() / "a") == "new a");
    CHECK(text_of(folder.path() / "x" / "y" / "c d%\n") == "new c");
    CHECK(count_in(folder.path()) == 2);
    CHECK(found.empty());
}

TEST_CASE("a transaction that meets a file changed meanwhile, or one that is missing, changes nothing")
{
    const test::TemporaryFolder folder, contents;
    folder.write("a", "old a");
    Diagnostics found;
    {
        auto all = files::Transaction::begin(folder.path().string(), found);
        REQUIRE(all);
        all->replace("a", contents.write("1", "new a"));
        all->replace("b", (contents.path() / "missing").string());
        CHECK_FALSE(all->commit());
    }
    {
        auto all = files::Transaction::begin(folder.path().string(), found);
        REQUIRE(all);
        all->replace("b", contents.write("2", "new b"));
        all->replace("a", contents.write("1", "new a"));
        ::usleep(50000);  // clocks of file systems tick slowly
        folder.write("a", "changed by somebody else");
        CHECK(all->commit().error().id == files::kChanged.id);
    }
    CHECK(text_of(folder.path() / "a") == "changed by somebody else");
    CHECK(count_in(folder.path()) == 1);
}

TEST_CASE("a file that grows has its name at once where that is free, and else when it is whole")
{
    const test::TemporaryFolder folder;
    const auto                  bytes = [](std::string_view text) { return std::as_bytes(std::span(text)); };
    const std::string           file  = (folder.path() / "a").string();
    {
        auto growing = files::GrowingFile::create(file);
        REQUIRE(growing);
        growing->append(bytes("one"));
        growing->flush();
        CHECK(text_of(file) == "one");
        CHECK(files::GrowingFile::create(file).error().id == files::kBusy.id);
    }
    CHECK_FALSE(fs::exists(file));  // nobody finished it
    auto first = files::GrowingFile::create(file);
    REQUIRE(first);
    first->append(bytes("one"));
    REQUIRE(first->finish());
    {
        auto second = files::GrowingFile::create(file);
        REQUIRE(second);
        second->append(bytes("two"));
        second->flush();
        CHECK(text_of(file) == "one");
        REQUIRE(second->finish());
        CHECK(text_of(file) == "two");
    }
    { auto third = files::GrowingFile::create(file); }
    CHECK(text_of(file) == "two");
    CHECK(count_in(folder.path()) == 1);
}

TEST_CASE("a file lies below a root where its links lead, not where they lie")
{
    const test::TemporaryFolder folder, other;
    const std::string           inside = folder.write("a", ""), outside = other.write("b", "");
    fs::create_symlink(outside, folder.path() / "link");
    Diagnostics  found;
    files::Roots roots{{folder.path().string()}, files::Outside::warn};
    CHECK(roots.admit(inside, found));
    CHECK(found.empty());
    CHECK(roots.admit((folder.path() / "link").string(), found));
    CHECK(found.count(files::kOutside.id) == 1);
    CHECK(found.items().front().severity == Severity::warning);
    roots.outside = files::Outside::refuse;
    CHECK(roots.admit(outside, found).error().severity == Severity::error);
    roots.folders.push_back(other.path().string());
    CHECK(roots.admit(outside, found));
}
