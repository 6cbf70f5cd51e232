// The entry points of copies.
#include <memory>
#include <utility>

#include "copier.h"
#include "errors.h"
#include "session.h"

struct cds_copier {
    std::shared_ptr<cds::Copier> copier;
};

struct cds_snapshot {
    std::shared_ptr<const cds::ProcessCopy> copy;
};

int32_t cds_copier_create(uint32_t process_id, int32_t control, cds_copier** out_copier) {
    return cds::guarded([&] {
        auto& copier = cds::require_output(out_copier);
        auto created = std::make_unique<cds_copier>();
        created->copier = std::make_shared<cds::Copier>(process_id, control);
        copier = created.release();
    });
}

void cds_copier_destroy(cds_copier* copier) {
    delete copier;
}

int32_t cds_snapshot_create(cds_copier* copier, uint32_t flags, cds_snapshot_info* out_info,
                            cds_snapshot** out_snapshot) {
    return cds::guarded([&] {
        auto& snapshot = cds::require_output(out_snapshot);
        auto& info = cds::require_sized(out_info);
        if (copier == nullptr) {
            throw cds::Failure(CDS_E_ARGUMENT, "The copier is NULL.");
        }
        auto created = std::make_unique<cds_snapshot>();
        created->copy = copier->copier->copy((flags & CDS_SNAPSHOT_RUNNING) != 0);
        info.process_id = created->copy->process_id();
        info.pause_us = created->copy->pause_us();
        snapshot = created.release();
    });
}

int32_t cds_snapshot_open(cds_snapshot* snapshot, uint32_t flags, cds_session** out_session) {
    return cds::guarded([&] {
        auto& session = cds::require_output(out_session);
        if (snapshot == nullptr) {
            throw cds::Failure(CDS_E_ARGUMENT, "The snapshot is NULL.");
        }
        auto created = std::make_unique<cds_session>();
        created->session = cds::Session::open_frozen(snapshot->copy, nullptr, (flags & CDS_SESSION_TRUST_RUNTIME) != 0);
        session = created.release();
    });
}

void cds_snapshot_destroy(cds_snapshot* snapshot) {
    delete snapshot;
}

int32_t cds_peek_open(cds_copier* copier, uint32_t flags, cds_snapshot_info* out_info, cds_session** out_session) {
    return cds::guarded([&] {
        auto& session = cds::require_output(out_session);
        auto& info = cds::require_sized(out_info);
        if (copier == nullptr) {
            throw cds::Failure(CDS_E_ARGUMENT, "The copier is NULL.");
        }
        const auto copy = copier->copier->copy(true);
        auto created = std::make_unique<cds_session>();
        created->session = cds::Session::open_frozen(copy, nullptr, (flags & CDS_SESSION_TRUST_RUNTIME) != 0);
        info.process_id = copy->process_id();
        info.pause_us = copy->pause_us();
        session = created.release();
    });
}
