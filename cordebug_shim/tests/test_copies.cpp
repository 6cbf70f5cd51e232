// Copies of a process as a copier hands them over, and what is said where it hands over none.
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "checks.h"
#include "copier.h"
#include "errors.h"
#include "process_copy.h"

namespace cds {
namespace {

constexpr std::size_t page = 4096;

// The other end of a copier's socket.
class Peer {
  public:
    Peer() {
        std::array<int, 2> ends{};
        socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data());
        ours_ = ends[0];
        theirs = ends[1];
        say("copying\n");
    }
    Peer(const Peer&) = delete;
    Peer& operator=(const Peer&) = delete;
    ~Peer() { hang_up(); }

    void say(const std::string& line, const std::vector<int>& descriptors = {}) const {
        iovec text{const_cast<char*>(line.data()), line.size()};
        alignas(cmsghdr) std::array<char, CMSG_SPACE(8 * sizeof(int))> attached{};
        msghdr message{};
        message.msg_iov = &text;
        message.msg_iovlen = 1;
        if (!descriptors.empty()) {
            message.msg_control = attached.data();
            message.msg_controllen = CMSG_SPACE(descriptors.size() * sizeof(int));
            cmsghdr* part = CMSG_FIRSTHDR(&message);
            part->cmsg_level = SOL_SOCKET;
            part->cmsg_type = SCM_RIGHTS;
            part->cmsg_len = CMSG_LEN(descriptors.size() * sizeof(int));
            std::memcpy(CMSG_DATA(part), descriptors.data(), descriptors.size() * sizeof(int));
        }
        sendmsg(ours_, &message, MSG_NOSIGNAL);
    }
    std::string hear() const {
        std::array<char, 256> text{};
        const ssize_t length = recv(ours_, text.data(), text.size() - 1, MSG_DONTWAIT);
        return length > 0 ? std::string(text.data(), static_cast<std::size_t>(length)) : std::string();
    }
    void hang_up() {
        if (ours_ >= 0) {
            close(std::exchange(ours_, -1));
        }
    }

    int theirs = -1;

  private:
    int ours_ = -1;
};

std::size_t open_descriptors() {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
        ++count;
    }
    return count;
}

std::int32_t code_of(const Peer& peer, Copier& copier, const std::string& answer, std::vector<int> descriptors = {}) {
    peer.say(answer, descriptors);
    try {
        copier.copy(true);
        return CDS_OK;
    } catch (const Failure& failure) {
        return failure.code();
    }
}

// A process whose memory stands still, with a file of memory that it shares.
class Standing {
  public:
    Standing() : file(memfd_create("doublemapper", MFD_CLOEXEC)) {
        ftruncate(file, 4 * page);
        auto* const all =
            static_cast<char*>(mmap(nullptr, 3 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
        mmap(all + page, page, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 2 * page);
        std::memset(all, 'p', 3 * page);
        std::memset(all + page, 's', page);
        place = all;
        process = fork();
        if (process == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            for (;;) {
                pause();
            }
        }
        std::memset(all, 'x', 3 * page);  // the shared page is another one now for both
        memory = open(("/proc/" + std::to_string(process) + "/mem").c_str(), O_RDONLY | O_CLOEXEC);
    }
    Standing(const Standing&) = delete;
    Standing& operator=(const Standing&) = delete;
    ~Standing() {
        kill(process, SIGKILL);
        waitpid(process, nullptr, 0);
        munmap(place, 3 * page);
        close(memory);
        close(file);
    }

    std::string copied(bool has_shared, bool has_registers) const {
        return "copied " + std::to_string(process) + " 4321 " + (has_shared ? "1 " : "0 ") +
               (has_registers ? "1\n" : "0\n");
    }

    int file;
    char* place = nullptr;
    pid_t process = 0;
    int memory = -1;
};

int file_with(const void* content, std::size_t size, std::size_t at) {
    const int file = memfd_create("content", MFD_CLOEXEC);
    pwrite(file, content, size, static_cast<off_t>(at));
    return file;
}

TEST(copy_reads_shared_memory_as_it_was) {
    const Standing standing;
    const std::string saved(page, 's');
    const int shared = file_with(saved.data(), saved.size(), 2 * page);
    std::array<std::uint64_t, 28> record{};
    record[0] = 77;
    record[1 + 16] = 0x1234;  // rip of user_regs_struct
    const int registers = file_with(record.data(), sizeof record, 0);
    Peer peer;
    const auto copier = std::make_shared<Copier>(static_cast<std::uint32_t>(standing.process), peer.theirs);
    peer.say(standing.copied(true, true), {standing.memory, shared, registers});
    {
        const auto copy = copier->copy(true);
        CHECK(copy->pause_us() == 4321);
        std::string bytes(3 * page, '?');
        const auto at = reinterpret_cast<std::uint64_t>(standing.place);
        CHECK(copy->read(at, bytes.data(), bytes.size()) == bytes.size());
        CHECK(bytes == std::string(page, 'p') + std::string(page, 's') + std::string(page, 'p'));
        CHECK(copy->read(at + page - 1, bytes.data(), 2) == 2);
        CHECK(bytes.substr(0, 2) == "ps");
        CHECK(copy->read_page(at + page, bytes.data(), page));
        CHECK(bytes.substr(0, page) == saved);
        CHECK(copy->read(1, bytes.data(), 8) == 0);
        std::array<std::uint8_t, 1232> context{};
        std::uint64_t rip = 0;
        CHECK(copy->context(77, context.data(), context.size()));
        std::memcpy(&rip, context.data() + 0xf8, sizeof rip);
        CHECK(rip == 0x1234);
        CHECK(!copy->context(78, context.data(), context.size()));
        CHECK(!copy->context(77, context.data(), context.size() - 1));
        CHECK(copy->image("/libcoreclr.so").path.empty());
        CHECK(peer.hear() == "copy-running\n");
    }
    CHECK(peer.hear() == "drop " + std::to_string(standing.process) + "\n");
    close(shared);
    close(registers);
}

TEST(copy_without_what_is_shared_is_refused) {
    const Standing standing;
    Peer peer;
    const auto copier = std::make_shared<Copier>(static_cast<std::uint32_t>(standing.process), peer.theirs);
    CHECK(code_of(peer, *copier, standing.copied(false, false), {standing.memory}) == CDS_E_SYSTEM);
}

TEST(odd_answers_of_a_copier_are_failures_and_leave_nothing_open) {
    const Standing standing;
    const std::size_t before = open_descriptors();
    const std::string number = std::to_string(standing.process);
    const std::vector<std::string> answers = {
        "\n",
        "copied\n",
        "copied x\n",
        "copied " + number + " 1 0\n",
        "copied " + number + " 1 9 9\n",
        "copied " + number + " 1 2 1\n",
        "copied 4294967295 1 0 0\n",
        "not-copied\n",
        "not-copied hold\n",
        "other\n",
        std::string(200, 'a') + "\n",
        "copied " + number + " 99999999999999999999 0 0\n",
    };
    for (const std::string& answer : answers) {
        for (std::size_t count = 0; count <= 5; ++count) {
            Peer peer;
            const auto copier = std::make_shared<Copier>(static_cast<std::uint32_t>(standing.process), peer.theirs);
            CHECK(code_of(peer, *copier, answer, std::vector<int>(count, standing.memory)) != CDS_OK);
        }
    }
    CHECK(open_descriptors() == before);
}

TEST(failures_of_a_copier_have_their_codes) {
    const auto own = static_cast<std::uint32_t>(getpid());
    Peer peer;
    const auto copier = std::make_shared<Copier>(own, peer.theirs);
    const auto code = [&](const std::string& step, int error) {
        return code_of(peer, *copier, "not-copied " + step + " " + std::to_string(error) + "\n");
    };
    CHECK(code("hold", ESRCH) == CDS_E_NO_PROCESS);
    CHECK(code("fork", ESRCH) == CDS_E_NO_PROCESS);
    CHECK(code("hold", EPERM) == CDS_E_PERMISSION);
    CHECK(code("hold", EBUSY) == CDS_E_TIMEOUT);
    CHECK(code("fork", ENOMEM) == CDS_E_SYSTEM);
    CHECK(code("fork", EAGAIN) == CDS_E_SYSTEM);
    CHECK(code("fork", EPERM) == CDS_E_PERMISSION);
    CHECK(code("settle", EIO) == CDS_E_SYSTEM);
    peer.hang_up();
    CHECK(code("hold", ESRCH) == CDS_E_SYSTEM);
}

}  // namespace
}  // namespace cds
