// Sessions over a core dump: the runtime's library reads the process out of it, and nothing of it can run.
#include <dlfcn.h>

#include <atomic>
#include <cstring>
#include <memory>
#include <utility>

#include "accelerator.h"
#include "cordebug/code.h"
#include "core_file.h"
#include "errors.h"
#include "module_event.h"
#include "session.h"
#include "startup.h"

namespace cds {
namespace {

// CorDebugPlatform
constexpr std::uint32_t platform_posix_amd64 = 8;

struct ICorDebugDataTarget : IUnknown {
    static constexpr Guid iid{0xfe06dc28, 0x49fb, 0x4636, {0xa4, 0xa3, 0xe8, 0x0d, 0xb4, 0xae, 0x11, 0x6c}};
    virtual HRESULT GetPlatform(std::uint32_t*) = 0;
    virtual HRESULT ReadVirtual(std::uint64_t, std::uint8_t*, std::uint32_t, std::uint32_t*) = 0;
    virtual HRESULT GetThreadContext(std::uint32_t, std::uint32_t, std::uint32_t, std::uint8_t*) = 0;
};

class CoreTarget final : public ICorDebugDataTarget {
  public:
    explicit CoreTarget(std::shared_ptr<const CoreFile> core) : core_(std::move(core)) {}
    virtual ~CoreTarget() = default;

    HRESULT QueryInterface(const Guid& iid, void** out) override {
        if (out == nullptr) {
            return E_INVALIDARG;
        }
        if (!(iid == IUnknown::iid) && !(iid == ICorDebugDataTarget::iid)) {
            *out = nullptr;
            return E_NOINTERFACE;
        }
        *out = static_cast<ICorDebugDataTarget*>(this);
        AddRef();
        return S_OK;
    }
    std::uint32_t AddRef() override { return ++references_; }
    std::uint32_t Release() override {
        const std::uint32_t left = --references_;
        if (left == 0) {
            delete this;
        }
        return left;
    }

    HRESULT GetPlatform(std::uint32_t* out) override {
        *out = platform_posix_amd64;
        return S_OK;
    }
    HRESULT ReadVirtual(std::uint64_t address, std::uint8_t* buffer, std::uint32_t size, std::uint32_t* read) override {
        const auto got = static_cast<std::uint32_t>(core_->read(address, buffer, size));
        *read = got;
        return got != 0 || size == 0 ? S_OK : E_FAIL;
    }
    HRESULT GetThreadContext(std::uint32_t thread, std::uint32_t, std::uint32_t size, std::uint8_t* context) override {
        return core_->context(thread, context, size) ? S_OK : E_FAIL;
    }

  private:
    std::atomic<std::uint32_t> references_{0};
    std::shared_ptr<const CoreFile> core_;
};

struct DebuggingVersion {
    std::uint16_t structure = 0;
    std::uint16_t major = 4;
    std::uint16_t minor = 0;
    std::uint16_t build = 0;
    std::uint16_t revision = 0;
};

using OpenVirtualProcess = HRESULT (*)(std::uint64_t, IUnknown*, const char16_t*, const DebuggingVersion*, const Guid&,
                                       IUnknown**, std::uint32_t*);

CoreFile::Image runtime_of(const CoreFile& core) {
    return core.image("/libcoreclr.so");
}

// Throws unless the folder has the very runtime that the process had.
void require_same_build(const CoreFile& core, std::uint64_t base, const std::string& folder) {
    const std::string wanted = core.build_id(base);
    const std::string there = build_id_of_file(folder + "libcoreclr.so");
    if (wanted.empty()) {
        throw Failure(CDS_E_CORE, "The dump does not tell which build of the runtime it is of.");
    }
    if (there != wanted) {
        throw Failure(CDS_E_NO_DEBUGGER, folder + "libcoreclr.so is of another build than the dump (" +
                                             (there.empty() ? "it has no build id" : there) + " instead of " + wanted +
                                             ").");
    }
}

ComPtr<ICorDebugProcess> open_process_in(const std::shared_ptr<const CoreFile>& core, std::uint64_t base,
                                         const std::string& folder, bool trust_runtime) {
    void* library = load_debugger_library(folder, trust_runtime);
    start_debugger_library(library);
    auto* open = reinterpret_cast<OpenVirtualProcess>(dlsym(library, "OpenVirtualProcessImpl2"));
    if (open == nullptr) {
        throw Failure(CDS_E_NO_DEBUGGER, "The runtime's debugger library reads no dumps: it is from before .NET 5.");
    }
    const std::string access = folder + "libmscordaccore.so";
    const std::u16string access_path(access.begin(), access.end());
    const ComPtr<IUnknown> target(static_cast<IUnknown*>(new CoreTarget(core)));
    const DebuggingVersion version;
    std::uint32_t flags = 0;
    ComPtr<IUnknown> opened;
    require(open(base, target.get(), access_path.c_str(), &version, ICorDebugProcess::iid, opened.out(), &flags),
            "Opening the dump");
    const auto process = query<ICorDebugProcess>(opened);
    if (!process) {
        fail_runtime(E_NOINTERFACE, "ICorDebugProcess");
    }
    return process;
}

}  // namespace

std::shared_ptr<Session> Session::open_core(const std::string& path, const std::string& runtime_folder,
                                            bool trust_runtime) {
    const auto core = std::make_shared<const CoreFile>(path);
    const CoreFile::Image runtime = runtime_of(*core);
    if (runtime.path.empty()) {
        throw Failure(CDS_E_NOT_DOTNET, path + " is of a process that had not loaded a .NET runtime.");
    }
    const std::string folder = runtime_folder.back() == '/' ? runtime_folder : runtime_folder + "/";
    require_same_build(*core, runtime.base, folder);
    auto session = std::make_shared<Session>(nullptr);
    session->runtime_path = folder + "libcoreclr.so";
    session->is_frozen_ = true;
    session->process_ = open_process_in(core, runtime.base, folder, trust_runtime);
    // It stands from the beginning, and for ever.
    session->frozen_hold_ = session->holds.take();
    session->holds.hand_over(session->frozen_hold_);
    session->report_what_is_there();
    return session;
}

// As after an attach, but that nothing is held.
void Session::report_what_is_there() {
    ComPtr<ICorDebugAppDomainEnum> domains;
    require(process()->EnumerateAppDomains(domains.out()), "EnumerateAppDomains");
    for (const auto& domain : all_of<ICorDebugAppDomain>(*domains.get())) {
        ComPtr<IUnknown> found;
        if (failed(domain->EnumerateAssemblies(found.out()))) {
            continue;
        }
        const auto assemblies = query<ICorDebugAssemblyEnum>(found);
        for (const auto& assembly : all_of<ICorDebugAssembly>(*assemblies.get())) {
            ComPtr<ICorDebugModuleEnum> modules_of;
            if (failed(assembly->EnumerateModules(modules_of.out()))) {
                continue;
            }
            for (const auto& module : all_of<ICorDebugModule>(*modules_of.get())) {
                events.push(module_event(on_module_loaded(module.get()), module.get()));
            }
        }
    }
    ComPtr<ICorDebugThreadEnum> threads;
    require(process()->EnumerateThreads(threads.out()), "EnumerateThreads");
    for (const auto& thread : all_of<ICorDebugThread>(*threads.get())) {
        Event event(CDS_EVENT_THREAD_STARTED);
        if (!failed(thread->GetID(&event.plain.thread))) {
            event.plain.generation = holds.generation();
            events.push(std::move(event));
        }
    }
}

void Session::stop_frozen() {
    Event event(CDS_EVENT_STOPPED);
    event.plain.generation = holds.generation();
    event.plain.hold = frozen_hold_;
    events.push(std::move(event));
}

void Session::close_frozen() noexcept {
    drop_stop_state();
    types.clear();
    primitives = Primitives();
    modules.take_all();
    const std::lock_guard lock(mutex_);
    if (process_) {
        process_->Detach();  // or its memory is never given back
        process_.reset();
    }
}

}  // namespace cds

int32_t cds_core_describe(const char* path, cds_core* out_core) {
    return cds::guarded([&] {
        auto& description = cds::require_sized(out_core);
        if (path == nullptr) {
            throw cds::Failure(CDS_E_ARGUMENT, "The path is NULL.");
        }
        const cds::CoreFile core(path);
        const cds::CoreFile::Image runtime = cds::runtime_of(core);
        if (runtime.path.empty()) {
            throw cds::Failure(CDS_E_NOT_DOTNET,
                               std::string(path) + " is of a process that had not loaded a .NET runtime.");
        }
        description.process_id = core.process_id();
        description.signal = core.signal();
        description.thread = core.first_thread();
        const auto copy = [](const std::string& text, auto& buffer) {
            std::memset(buffer, 0, sizeof buffer);
            text.copy(buffer, sizeof buffer - 1);
        };
        copy(core.build_id(runtime.base), description.build_id);
        copy(runtime.path, description.runtime_path);
    });
}

int32_t cds_core_open(const char* path, const char* runtime_folder, uint32_t flags, cds_session** out_session) {
    return cds::guarded([&] {
        auto& session = cds::require_output(out_session);
        if (path == nullptr || runtime_folder == nullptr || *runtime_folder == '\0') {
            throw cds::Failure(CDS_E_ARGUMENT, "The path or the folder is NULL or empty.");
        }
        auto created = std::make_unique<cds_session>();
        created->session = cds::Session::open_core(path, runtime_folder, (flags & CDS_SESSION_TRUST_RUNTIME) != 0);
        session = created.release();
    });
}

int32_t cds_session_is_frozen(cds_session* session) {
    return session != nullptr && session->session->is_frozen() ? 1 : 0;
}
