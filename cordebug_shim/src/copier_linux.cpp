#include "copier.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <sstream>
#include <utility>
#include <vector>

#include "errors.h"
#include "proc_linux.h"
#include "protocol.h"

namespace cds {
namespace {

constexpr int answer_timeout_ms = 60'000;  // a fork of a very large process takes seconds
constexpr std::size_t most_descriptors = 3;

struct Answer {
    std::string line;
    std::vector<Descriptor> descriptors;
};

[[noreturn]] void fail_gone() {
    throw Failure(CDS_E_SYSTEM, "The process that makes copies (dap-dotnet-launcher) has ended or does not answer.");
}

Answer receive_answer(int control) {
    pollfd slot{control, POLLIN, 0};
    int ready = 0;
    do {
        ready = poll(&slot, 1, answer_timeout_ms);
    } while (ready < 0 && errno == EINTR);
    std::array<char, LINE_CAPACITY> text{};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(most_descriptors * sizeof(int))> attached{};
    iovec place{text.data(), text.size() - 1};
    msghdr message{};
    message.msg_iov = &place;
    message.msg_iovlen = 1;
    message.msg_control = attached.data();
    message.msg_controllen = attached.size();
    const ssize_t length = ready > 0 ? recvmsg(control, &message, MSG_CMSG_CLOEXEC) : -1;
    Answer answer;
    if (length > 0) {
        for (const cmsghdr* part = CMSG_FIRSTHDR(&message); part != nullptr;
             part = CMSG_NXTHDR(&message, const_cast<cmsghdr*>(part))) {
            if (part->cmsg_level == SOL_SOCKET && part->cmsg_type == SCM_RIGHTS) {
                for (std::size_t at = 0; at + sizeof(int) <= part->cmsg_len - CMSG_LEN(0); at += sizeof(int)) {
                    int number = -1;
                    std::memcpy(&number, CMSG_DATA(part) + at, sizeof number);
                    answer.descriptors.emplace_back(number);
                }
            }
        }
    }
    if (length <= 0 || text.at(static_cast<std::size_t>(length) - 1) != '\n') {
        fail_gone();
    }
    answer.line = text.data();
    return answer;
}

// Who traces a process; 0 for nobody.
std::uint32_t tracer_of(std::uint32_t process_id) {
    const std::string status = read_proc(process_id, "status");
    const std::size_t at = status.find("TracerPid:");
    return at == std::string::npos
               ? 0
               : static_cast<std::uint32_t>(std::strtoul(status.c_str() + at + std::strlen("TracerPid:"), nullptr, 10));
}

std::string name_of(std::uint32_t process_id) {
    std::string name = read_proc(process_id, "comm");
    if (!name.empty() && name.back() == '\n') {
        name.pop_back();
    }
    return name;
}

}  // namespace

Copier::Copier(std::uint32_t process_id, int control) : process_id_(process_id), control_(control) {
    if (receive_answer(control_.number()).line != LINE_COPYING "\n") {
        fail_gone();
    }
}

void Copier::send(const std::string& line) const {
    if (::send(control_.number(), line.data(), line.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(line.size())) {
        fail_gone();
    }
}

std::shared_ptr<const ProcessCopy> Copier::copy(bool runs) {
    send(runs ? COMMAND_COPY_RUNNING "\n" : COMMAND_COPY "\n");
    CopyParts parts = receive();
    const std::uint32_t copy = parts.process_id;
    return std::make_shared<const ProcessCopy>(std::move(parts),
                                               [self = shared_from_this(), copy] { self->drop(copy); });
}

CopyParts Copier::receive() {
    Answer answer = receive_answer(control_.number());
    std::istringstream words(answer.line);
    std::string word;
    words >> word;
    if (word == LINE_NOT_COPIED) {
        int error = 0;
        words >> word >> error;
        fail(word, error);
    }
    CopyParts parts;
    std::size_t has_shared = 0;
    std::size_t has_registers = 0;
    words >> parts.process_id >> parts.pause_us >> has_shared >> has_registers;
    if (word != LINE_COPIED || !words || answer.descriptors.size() != 1 + has_shared + has_registers) {
        fail_gone();
    }
    parts.memory = std::move(answer.descriptors.at(0));
    if (has_shared != 0) {
        parts.shared = std::move(answer.descriptors.at(1));
    }
    if (has_registers != 0) {
        parts.registers = std::move(answer.descriptors.back());
    }
    return parts;
}

void Copier::drop(std::uint32_t copy) const noexcept {
    try {
        send(COMMAND_DROP " " + std::to_string(copy) + "\n");
    } catch (...) {
        remember_current_exception();  // it has ended, and the copies with it
    }
}

void Copier::fail(const std::string& step, int error) const {
    const std::string who = "Process " + std::to_string(process_id_);
    if (error == ESRCH || error == ENOENT) {
        throw Failure(CDS_E_NO_PROCESS, who + " ended, or began another program, while it was copied.", error);
    }
    if (step == "hold" && (error == EPERM || error == EACCES)) {
        const std::uint32_t tracer = tracer_of(process_id_);
        if (tracer != 0) {
            throw Failure(CDS_E_ALREADY_DEBUGGED,
                          who + " is traced by process " + std::to_string(tracer) + " (" + name_of(tracer) +
                              "), and only one can trace it; end that first.",
                          error);
        }
        throw Failure(CDS_E_PERMISSION,
                      who +
                          " may not be traced (ptrace): run as its user, and see that neither "
                          "/proc/sys/kernel/yama/ptrace_scope nor the container's seccomp profile forbids it (in a "
                          "container: --cap-add=SYS_PTRACE).",
                      error);
    }
    if (step == "hold" && error == EBUSY) {
        throw Failure(CDS_E_TIMEOUT,
                      who + " has no thread that waits, and so none that could be used to copy it; try again.");
    }
    if (step == "hold" && error == ENOSYS) {
        throw Failure(CDS_E_SYSTEM, "Processes are copied on x86-64 only.", error);
    }
    if (step == "fork" && (error == ENOMEM || error == EAGAIN)) {
        throw Failure(CDS_E_SYSTEM,
                      who + (error == ENOMEM ? " cannot be copied: there is not enough memory, or the limit of its "
                                               "container or of overcommit is reached."
                                             : " cannot be copied: the limit of processes (ulimit -u, pids of its "
                                               "container) is reached."),
                      error);
    }
    if (step == "fork" && (error == EPERM || error == ENOSYS)) {
        throw Failure(CDS_E_PERMISSION, who + " may not fork, by a seccomp filter of its own or of its container.",
                      error);
    }
    fail_system(error, who + " cannot be copied (" + step + ")");
}

}  // namespace cds
