// Sessions over what stands still: the runtime's library reads the process out of it, and nothing of it can run.
#include <dlfcn.h>

#include <cstring>
#include <memory>
#include <utility>

#include "accelerator.h"
#include "cordebug/code.h"
#include "core_file.h"
#include "errors.h"
#include "library_fault.h"
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

class FrozenTarget final : public Counted<ICorDebugDataTarget> {
  public:
    explicit FrozenTarget(std::shared_ptr<const FrozenProcess> process) : process_(std::move(process)) {}

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
    HRESULT GetPlatform(std::uint32_t* out) override {
        *out = platform_posix_amd64;
        return S_OK;
    }
    HRESULT ReadVirtual(std::uint64_t address, std::uint8_t* buffer, std::uint32_t size, std::uint32_t* read) override {
        const auto got = static_cast<std::uint32_t>(process_->read(address, buffer, size));
        *read = got;
        return got != 0 || size == 0 ? S_OK : E_FAIL;
    }
    HRESULT GetThreadContext(std::uint32_t thread, std::uint32_t, std::uint32_t size, std::uint8_t* context) override {
        return process_->context(thread, context, size) ? S_OK : E_FAIL;
    }

  private:
    std::shared_ptr<const FrozenProcess> process_;
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

FrozenProcess::Image runtime_of(const FrozenProcess& process) {
    return process.image("/libcoreclr.so");
}

// Throws unless the folder has the very runtime that the process had.
void require_same_build(const FrozenProcess& process, std::uint64_t base, const std::string& folder) {
    const std::string recorded = process.build_id(base);
    const std::string there = build_id_of_file(folder + "libcoreclr.so");
    const std::string noun = process.noun();
    if (recorded.empty()) {
        throw Failure(CDS_E_CORE, "It is not known which build of the runtime " + noun + " is of.");
    }
    if (there != recorded) {
        throw Failure(CDS_E_NO_DEBUGGER, folder + "libcoreclr.so is of another build than " + noun + " (" +
                                             (there.empty() ? "it has no build id" : there) + " instead of " +
                                             recorded + ").");
    }
}

ComPtr<ICorDebugProcess> open_process_in(const std::shared_ptr<const FrozenProcess>& frozen, std::uint64_t base,
                                         const std::string& folder, bool trust_runtime) {
    void* library = load_debugger_library(folder, trust_runtime);
    start_debugger_library_once(library);
    survive_library_faults(0);
    auto* open = reinterpret_cast<OpenVirtualProcess>(dlsym(library, "OpenVirtualProcessImpl2"));
    if (open == nullptr) {
        throw Failure(CDS_E_NO_DEBUGGER,
                      "The runtime's debugger library reads nothing that stands still: it is from before .NET 5.");
    }
    const std::string access = folder + "libmscordaccore.so";
    const std::u16string access_path(access.begin(), access.end());
    const ComPtr<IUnknown> target(static_cast<IUnknown*>(new FrozenTarget(frozen)));
    const DebuggingVersion version;
    std::uint32_t flags = 0;
    ComPtr<IUnknown> opened;
    require(open(base, target.get(), access_path.c_str(), &version, ICorDebugProcess::iid, opened.out(), &flags),
            "Opening what stands still");
    const auto process = query<ICorDebugProcess>(opened);
    if (!process) {
        fail_runtime(E_NOINTERFACE, "ICorDebugProcess");
    }
    return process;
}

std::string folder_of(const std::string& path) {
    return path.substr(0, path.rfind('/') + 1);
}

}  // namespace

std::shared_ptr<Session> Session::open_frozen(const std::shared_ptr<const FrozenProcess>& process,
                                              const char* runtime_folder, bool trust_runtime) {
    const FrozenProcess::Image runtime = runtime_of(*process);
    if (runtime.path.empty()) {
        throw Failure(CDS_E_NOT_DOTNET,
                      "The process of " + std::string(process->noun()) + " has no .NET runtime loaded.");
    }
    std::string folder = runtime_folder != nullptr ? runtime_folder : folder_of(runtime.path);
    if (folder.back() != '/') {
        folder += '/';
    }
    require_same_build(*process, runtime.base, folder);
    auto session = std::make_shared<Session>(nullptr);
    session->runtime_path = folder + "libcoreclr.so";
    session->frozen_ = process;
    session->borrow_its_pages();
    session->process_ = open_process_in(process, runtime.base, folder, trust_runtime);
    // It stands from the beginning, and for ever.
    session->frozen_hold_ = session->holds.take();
    session->holds.hand_over(session->frozen_hold_);
    try {
        session->report_what_is_there();
    } catch (...) {
        session->close_frozen();
        throw;
    }
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
    borrow_its_pages();
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
        const cds::FrozenProcess::Image runtime = cds::runtime_of(core);
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
        created->session = cds::Session::open_frozen(std::make_shared<const cds::CoreFile>(path), runtime_folder,
                                                     (flags & CDS_SESSION_TRUST_RUNTIME) != 0);
        session = created.release();
    });
}

int32_t cds_session_is_frozen(cds_session* session) {
    return session != nullptr && session->session->is_frozen() ? 1 : 0;
}
