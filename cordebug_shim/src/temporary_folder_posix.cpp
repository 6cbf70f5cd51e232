#include <unistd.h>

#include <cstring>
#include <string_view>
#include <vector>

#include "startup.h"
#include "temporary_folder.h"

namespace cds {
namespace {

constexpr std::string_view variable = "TMPDIR=";

struct Environment {
    std::string setting;
    std::vector<char*> entries;
};

}  // namespace

TemporaryFolderVariable::TemporaryFolderVariable(const std::string& folder) {
    if (temporary_folder_or_default(nullptr) == folder) {
        return;
    }
    auto* made = new Environment;  // for ever: somebody may still read it
    made->setting = std::string(variable) + folder;
    made->entries.push_back(made->setting.data());
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
        if (std::strncmp(*entry, variable.data(), variable.size()) != 0) {
            made->entries.push_back(*entry);
        }
    }
    made->entries.push_back(nullptr);
    before_ = environ;
    environ = made->entries.data();
}

TemporaryFolderVariable::~TemporaryFolderVariable() {
    if (before_ != nullptr) {
        environ = before_;
    }
}

}  // namespace cds
