// What a library reads for TMPDIR while it is loaded.
#pragma once

#include <string>

namespace cds {

// While it lives, getenv("TMPDIR") gives the folder. The environment is exchanged as a whole and nothing of it is freed, so
// that other threads may read theirs meanwhile; one that changes a variable just then loses the change.
class TemporaryFolderVariable {
  public:
    explicit TemporaryFolderVariable(const std::string& folder);
    TemporaryFolderVariable(const TemporaryFolderVariable&) = delete;
    TemporaryFolderVariable& operator=(const TemporaryFolderVariable&) = delete;
    ~TemporaryFolderVariable();

  private:
    char** before_ = nullptr;
};

}  // namespace cds
