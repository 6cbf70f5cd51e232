// The few things of COM that ICorDebug needs: GUIDs, HRESULTs, IUnknown and a reference-counting pointer.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

namespace cds {

using HRESULT = std::int32_t;

struct Guid {
    std::uint32_t data1;
    std::uint16_t data2;
    std::uint16_t data3;
    std::uint8_t data4[8];
};
static_assert(sizeof(Guid) == 16, "a GUID has 16 bytes");

inline bool operator==(const Guid& left, const Guid& right) {
    return std::memcmp(&left, &right, sizeof(Guid)) == 0;
}

constexpr bool failed(HRESULT hr) {
    return hr < 0;
}

constexpr HRESULT hresult(std::uint32_t bits) {
    return static_cast<HRESULT>(bits);
}

constexpr HRESULT S_OK = 0;
constexpr HRESULT S_FALSE = 1;
constexpr HRESULT E_NOINTERFACE = hresult(0x80004002);
constexpr HRESULT E_FAIL = hresult(0x80004005);
constexpr HRESULT E_INVALIDARG = hresult(0x80070057);
constexpr HRESULT CORDBG_S_AT_END_OF_STACK = 0x131324;
constexpr HRESULT CORDBG_E_STATIC_VAR_NOT_AVAILABLE = hresult(0x8013131A);
constexpr HRESULT CORDBG_E_PROCESS_TERMINATED = hresult(0x80131301);
constexpr HRESULT CORDBG_E_PROCESS_NOT_SYNCHRONIZED = hresult(0x80131302);
constexpr HRESULT CORDBG_E_BAD_THREAD_STATE = hresult(0x8013132d);
constexpr HRESULT CORDBG_E_DEBUGGER_ALREADY_ATTACHED = hresult(0x8013132e);
constexpr HRESULT CORDBG_E_TIMEOUT = hresult(0x80131c08);
constexpr HRESULT CORDBG_E_CANT_CHANGE_JIT_SETTING_FOR_ZAP_MODULE = hresult(0x8013131d);
constexpr HRESULT CORDBG_E_CANNOT_BE_ON_ATTACH = hresult(0x80131c13);
constexpr HRESULT CORDBG_E_OBJECT_NEUTERED = hresult(0x8013134f);
constexpr HRESULT CORDBG_E_UNSUPPORTED = hresult(0x80131c4e);
constexpr HRESULT CORDBG_E_PROCESS_DETACHED = hresult(0x80131335);

// Interfaces carry no virtual destructor: COM objects end by Release.
struct IUnknown {
    static constexpr Guid iid{0x00000000, 0x0000, 0x0000, {0xc0, 0, 0, 0, 0, 0, 0, 0x46}};
    virtual HRESULT QueryInterface(const Guid&, void**) = 0;
    virtual std::uint32_t AddRef() = 0;
    virtual std::uint32_t Release() = 0;
};

// An object of ours that implements interfaces: it lives as long as it is referred to.
template <typename... Interfaces>
class Counted : public Interfaces... {
  public:
    Counted() = default;
    Counted(const Counted&) = delete;
    Counted& operator=(const Counted&) = delete;

    std::uint32_t AddRef() final { return ++references_; }
    std::uint32_t Release() final {
        const std::uint32_t left = --references_;
        if (left == 0) {
            delete this;
        }
        return left;
    }

  protected:
    virtual ~Counted() = default;

  private:
    std::atomic<std::uint32_t> references_{0};
};

// Owns one reference. `out()` is for output parameters and lets go of what was held before.
template <typename T>
class ComPtr {
  public:
    ComPtr() = default;
    explicit ComPtr(T* borrowed) : pointer_(borrowed) {
        if (pointer_ != nullptr) {
            pointer_->AddRef();
        }
    }
    ComPtr(const ComPtr& other) : ComPtr(other.pointer_) {}
    ComPtr(ComPtr&& other) noexcept : pointer_(std::exchange(other.pointer_, nullptr)) {}
    ~ComPtr() { reset(); }
    ComPtr& operator=(ComPtr other) noexcept {
        std::swap(pointer_, other.pointer_);
        return *this;
    }

    T* get() const { return pointer_; }
    T* operator->() const { return pointer_; }
    explicit operator bool() const { return pointer_ != nullptr; }

    T** out() {
        reset();
        return &pointer_;
    }
    void reset() {
        if (T* old = std::exchange(pointer_, nullptr); old != nullptr) {
            old->Release();
        }
    }

  private:
    T* pointer_ = nullptr;
};

// The interface `To` of an object; empty where the object has none.
template <typename To>
ComPtr<To> query(IUnknown* object) {
    ComPtr<To> result;
    if (object != nullptr) {
        void* found = nullptr;
        if (object->QueryInterface(To::iid, &found) >= 0) {
            *result.out() = static_cast<To*>(found);
        }
    }
    return result;
}

template <typename To, typename From>
ComPtr<To> query(const ComPtr<From>& object) {
    return query<To>(object.get());
}

// COM identity: two interface pointers belong to one object exactly when these are equal. Only to compare.
inline const void* identity_of(IUnknown* object) {
    return query<IUnknown>(object).get();
}

}  // namespace cds
