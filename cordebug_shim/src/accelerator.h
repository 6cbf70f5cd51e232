// Makes the runtime's debugger libraries faster without changing what they answer.
//
// Each stop, libmscordaccore forgets what it knew and reads it again, a few bytes a system call, from /proc/PID/mem;
// and some versions map, fill and unmap a hash table of 4 MiB each time. Both are cured from outside, by replacing
// entries of the libraries' own import tables (GOT) by functions of ours:
//
//   pread64, close       (libmscordaccore)  reads are served from a cache of whole pages
//   mmap, munmap         (libmscordaccore)  the mapping of the hash table is kept and given out again
//   read, write, recv, send (libmscordbi)   traffic with the debuggee: whatever was cached may be old now
//
// The cache is also dropped at each Continue (drop_cache), and no page is believed for longer than max_age.
//
// The hash table is kept only for the releases of .NET that map it anew at each stop: 3.1 and 9. Pages are cached only once
// the traffic with the debuggee was seen to pass through our replacements, in both directions: a library whose transport
// has moved elsewhere could not drop the cache.
//
// Where an entry is not found, or the system is not Linux on x64 or arm64, the libraries stay as they are. The
// environment variable DAP_DOTNET_ACCELERATOR=0 and set_enabled(false) switch everything off.
#ifndef CDS_ACCELERATOR_H
#define CDS_ACCELERATOR_H

#include <cstdint>
#include <string>

namespace cds::accelerator {

constexpr std::int32_t keeps_hash_chunk = 1;
constexpr std::int32_t caches_pages = 2;

// Replaces the entries. Both libraries must be loaded already and must not have begun to work; a second call for the
// same libraries does nothing.
void install(const std::string& mscordbi_path, const std::string& mscordaccore_path) noexcept;

// The debuggee runs, or was written to: nothing read before may be used again. Any thread.
void drop_cache() noexcept;

// Any thread. Off, the replacements only pass on.
void set_enabled(bool on) noexcept;

// keeps_hash_chunk and caches_pages, as far as they are installed, switched on and at work.
std::int32_t state() noexcept;

// Why a part is at work or not, in a few words. Static storage.
const char* reason(std::int32_t part) noexcept;

// How many reads were answered without a system call, since the process began. Any thread.
std::uint64_t cached_reads() noexcept;

}  // namespace cds::accelerator

#endif
