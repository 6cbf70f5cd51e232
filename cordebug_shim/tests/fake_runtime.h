// A runtime's debugger library behind the COM declarations: counts Stops and Continues as the real one does, and waits
// wherever a test wants it to.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>

#include "cordebug/process.h"
#include "system_process.h"

namespace cds::test {

// A place in which a thread waits until the test lets it go on.
class Gate {
  public:
    // Waits, the first `count` times only.
    explicit Gate(int count = 1) : left_(count) {}

    void pass() {
        std::unique_lock lock(mutex_);
        if (left_ == 0) {
            return;
        }
        --left_;
        ++waiting_;
        changed_.notify_all();
        changed_.wait(lock, [this] { return is_open_; });
    }
    void open() {
        const std::lock_guard lock(mutex_);
        is_open_ = true;
        changed_.notify_all();
    }
    // Until a thread waits in it.
    void wait_for_somebody() {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return waiting_ > 0; });
    }

  private:
    std::mutex mutex_;
    std::condition_variable changed_;
    int left_;
    int waiting_ = 0;
    bool is_open_ = false;
};

class FakeSystemProcess final : public SystemProcess {
  public:
    void kill() override { is_killed = true; }
    bool has_ended() noexcept override { return is_killed; }
    void note_turns() noexcept override { looks_left = 2; }
    bool turns_were_had() const noexcept override { return looks_left-- <= 0; }
    static inline std::atomic<bool> is_killed{false};
    // How often a thread is still found to have had no processor; below zero once that was asked to its end.
    static inline std::atomic<int> looks_left{0};
};

// Lives as long as the test's variable, whatever the reference count.
class FakeProcess final : public ICorDebugProcess {
  public:
    std::function<void()> on_query;     // QueryInterface for ICorDebugController
    std::function<void()> on_stop;      // in Stop, before it returns
    std::function<void()> on_continue;  // in Continue, before it returns
    std::function<void()> on_detach;    // in Detach
    std::atomic<HRESULT> detach_result{S_OK};
    std::atomic<HRESULT> stop_result{S_OK};
    std::atomic<int> stops{0};
    std::atomic<int> continues{0};
    std::atomic<int> continuing{0};
    std::atomic<int> detaches{0};
    std::atomic<bool> is_frozen{false};
    std::atomic<int> queued{0};
    std::atomic<int> log_messages{-1};

    HRESULT QueryInterface(const Guid& iid, void** out) override {
        if (iid == ICorDebugController::iid && on_query) {
            on_query();
        }
        *out = this;
        return S_OK;
    }
    std::uint32_t AddRef() override { return 2; }
    std::uint32_t Release() override { return 1; }

    HRESULT Stop(std::uint32_t) override {
        if (on_stop) {
            on_stop();
        }
        if (!failed(stop_result)) {
            ++stops;
        }
        return stop_result;
    }
    HRESULT Continue(std::int32_t) override {
        ++continuing;
        if (on_continue) {
            on_continue();
        }
        ++continues;
        --continuing;
        return S_OK;
    }
    HRESULT HasQueuedCallbacks(ICorDebugThread*, std::int32_t* out) override {
        *out = queued > 0 ? 1 : 0;
        return S_OK;
    }
    HRESULT Detach() override {
        if (on_detach) {
            on_detach();
        }
        ++detaches;
        return detach_result;
    }
    HRESULT EnableLogMessages(std::int32_t on) override {
        log_messages = on;
        return S_OK;
    }

    HRESULT IsRunning(std::int32_t*) override { return E_FAIL; }
    HRESULT EnumerateThreads(ICorDebugThreadEnum**) override { return E_FAIL; }
    HRESULT SetAllThreadsDebugState(std::uint32_t state, ICorDebugThread*) override {
        is_frozen = state == thread_suspend;
        return S_OK;
    }
    HRESULT Terminate(std::uint32_t) override { return E_FAIL; }
    HRESULT CanCommitChanges(std::uint32_t, IUnknown**, IUnknown**) override { return E_FAIL; }
    HRESULT CommitChanges(std::uint32_t, IUnknown**, IUnknown**) override { return E_FAIL; }
    HRESULT GetID(std::uint32_t*) override { return E_FAIL; }
    HRESULT GetHandle(void**) override { return E_FAIL; }
    HRESULT GetThread(std::uint32_t, ICorDebugThread**) override { return E_FAIL; }
    HRESULT EnumerateObjects(IUnknown**) override { return E_FAIL; }
    HRESULT IsTransitionStub(std::uint64_t, std::int32_t*) override { return E_FAIL; }
    HRESULT IsOSSuspended(std::uint32_t, std::int32_t*) override { return E_FAIL; }
    HRESULT GetThreadContext(std::uint32_t, std::uint32_t, std::uint8_t*) override { return E_FAIL; }
    HRESULT SetThreadContext(std::uint32_t, std::uint32_t, std::uint8_t*) override { return E_FAIL; }
    HRESULT ReadMemory(std::uint64_t, std::uint32_t, std::uint8_t*, std::size_t*) override { return E_FAIL; }
    HRESULT WriteMemory(std::uint64_t, std::uint32_t, std::uint8_t*, std::size_t*) override { return E_FAIL; }
    HRESULT ClearCurrentException(std::uint32_t) override { return E_FAIL; }
    HRESULT ModifyLogSwitch(char16_t*, std::int32_t) override { return E_FAIL; }
    HRESULT EnumerateAppDomains(ICorDebugAppDomainEnum**) override { return E_FAIL; }
    HRESULT GetObject(ICorDebugValue**) override { return E_FAIL; }
    HRESULT ThreadForFiberCookie(std::uint32_t, ICorDebugThread**) override { return E_FAIL; }
    HRESULT GetHelperThreadID(std::uint32_t*) override { return E_FAIL; }
};

// Gives its id, after `on_get_id`.
class FakeThread final : public ICorDebugThread {
  public:
    std::function<void()> on_get_id;

    HRESULT QueryInterface(const Guid&, void** out) override {
        *out = nullptr;
        return E_NOINTERFACE;
    }
    std::uint32_t AddRef() override { return 2; }
    std::uint32_t Release() override { return 1; }
    HRESULT GetID(std::uint32_t* out) override {
        if (on_get_id) {
            on_get_id();
        }
        *out = 7;
        return S_OK;
    }
    HRESULT GetProcess(ICorDebugProcess**) override { return E_FAIL; }
    HRESULT GetHandle(void**) override { return E_FAIL; }
    HRESULT GetAppDomain(ICorDebugAppDomain**) override { return E_FAIL; }
    HRESULT SetDebugState(std::uint32_t) override { return E_FAIL; }
    HRESULT GetDebugState(std::uint32_t*) override { return E_FAIL; }
    HRESULT GetUserState(std::uint32_t*) override { return E_FAIL; }
    HRESULT GetCurrentException(ICorDebugValue**) override { return E_FAIL; }
    HRESULT ClearCurrentException() override { return E_FAIL; }
    HRESULT CreateStepper(ICorDebugStepper**) override { return E_FAIL; }
    HRESULT EnumerateChains(IUnknown**) override { return E_FAIL; }
    HRESULT GetActiveChain(IUnknown**) override { return E_FAIL; }
    HRESULT GetActiveFrame(ICorDebugFrame**) override { return E_FAIL; }
    HRESULT GetRegisterSet(IUnknown**) override { return E_FAIL; }
    HRESULT CreateEval(ICorDebugEval**) override { return E_FAIL; }
    HRESULT GetObject(ICorDebugValue**) override { return E_FAIL; }
};

}  // namespace cds::test
