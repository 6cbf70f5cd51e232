// Whose code may be loaded into this process.
#pragma once

#include <string>

namespace cds {

// The path of a file without symbolic links, when it and all folders above it belong to root or to this process's user,
// and nobody else may write there. Throws Failure: CDS_E_UNTRUSTED with what is wrong, CDS_E_NO_DEBUGGER without a file.
std::string require_trusted(const std::string& path);

}  // namespace cds
