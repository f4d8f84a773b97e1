// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/error.hpp>
#include <warpdex/table.hpp>

#include <algorithm>
#include <cerrno>
#include <new>
#include <string>
#include <utility>
#include <vector>

namespace warpdex {
namespace {

/// Batches of a table, one after the other, as a consumer asks for them.
class batches {
 public:
  explicit batches(table of) : table_(std::move(of)), names_(table_.names()), at_(names_.size()) {}

  static void start(table of, ArrowArrayStream& to) {
    auto made = std::make_unique<batches>(std::move(of));
    to.get_schema = [](ArrowArrayStream* self, ArrowSchema* out) {
      return in(self).answered([&] { *out = in(self).batch(0).schema(); });
    };
    to.get_next = [](ArrowArrayStream* self, ArrowArray* out) {
      return in(self).answered([&] { *out = in(self).next(); });
    };
    to.get_last_error = [](ArrowArrayStream* self) { return in(self).failure_.c_str(); };
    to.release = [](ArrowArrayStream* self) {
      delete &in(self);
      self->release = nullptr;
    };
    to.private_data = made.release();
  }

 private:
  struct place {
    std::size_t chunk = 0;
    std::int64_t begin = 0;  // within the chunk
  };

  static batches& in(ArrowArrayStream* stream) { return *static_cast<batches*>(stream->private_data); }

  template <class F> int answered(F const& f) noexcept {
    try {
      f();
      return 0;
    } catch (std::bad_alloc const&) {
      return ENOMEM;
    } catch (std::exception const& why) {
      failure_ = why.what();
      return EINVAL;
    }
  }

  /// @return `count` rows, from those on that come next
  arrow_column batch(std::int64_t count) {
    std::vector<std::pair<std::string, arrow_column>> parts;
    for (std::size_t c = 0; c < names_.size(); ++c)
      parts.emplace_back(names_[c], table_.column(names_[c])[at_[c].chunk].slice(at_[c].begin, count));
    return arrow_column::table(std::move(parts), count, -1);
  }

  ArrowArray next() {
    if (done_ == table_.rows()) return {};
    auto count = static_cast<std::int64_t>(table_.rows() - done_);
    for (std::size_t c = 0; c < names_.size(); ++c) {
      auto const& chunks = table_.column(names_[c]);
      while (chunks[at_[c].chunk].values().length == at_[c].begin) at_[c] = {at_[c].chunk + 1, 0};
      count = std::min(count, chunks[at_[c].chunk].values().length - at_[c].begin);
    }
    ArrowArray made = batch(count).array();
    for (place& one : at_) one.begin += count;
    done_ += static_cast<std::uint64_t>(count);
    return made;
  }

  table table_;
  std::vector<std::string> names_;
  std::vector<place> at_;
  std::uint64_t done_ = 0;
  std::string failure_;
};

}  // namespace

table::table(ArrowArrayStream& from) {
  auto read = arrow_chunks::read(from);
  auto const schema = std::make_shared<arrow_owner<ArrowSchema> const>(std::move(read.schema));
  for (auto& one : read.arrays) {
    auto const owner =
        std::make_shared<std::pair<std::shared_ptr<void const>, arrow_owner<ArrowArray>> const>(schema, std::move(one));
    add_batch({schema->value, owner->second.value, -1, owner});
  }
  if (read.arrays.empty()) add_batch(arrow_column::empty(schema->value, schema));
}

table::table(ArrowSchema& schema, ArrowArray& batch) {
  auto const owner = std::make_shared<std::pair<arrow_owner<ArrowSchema>, arrow_owner<ArrowArray>> const>(
      arrow_owner<ArrowSchema>(schema), arrow_owner<ArrowArray>(batch));
  add_batch({owner->first.value, owner->second.value, -1, owner});
}

void table::add_batch(arrow_column const& batch) {
  auto columns = batch.columns();
  auto const count = static_cast<std::uint64_t>(batch.values().length);
  if (fields_.empty()) {
    for (auto& [name, part] : columns) add(name, {std::move(part)});
    rows_ = count;
    return;
  }
  if (columns.size() != fields_.size())
    throw invalid_argument("a batch has " + std::to_string(columns.size()) + " columns, the first one " +
                           std::to_string(fields_.size()));
  for (std::size_t c = 0; c < columns.size(); ++c) fields_[c].chunks.push_back(std::move(columns[c].second));
  rows_ += count;
}

void table::add(std::string name, std::vector<arrow_column> chunks) {
  if (has(name)) throw invalid_argument("there are two columns of the name '" + name + "'");
  if (chunks.empty()) throw invalid_argument("the column '" + name + "' has no chunks");
  std::uint64_t count = 0;
  for (arrow_column const& one : chunks) count += static_cast<std::uint64_t>(one.values().length);
  if (!fields_.empty() && count != rows_)
    throw invalid_argument("the column '" + name + "' has " + std::to_string(count) + " rows, the others " +
                           std::to_string(rows_));
  fields_.push_back({std::move(name), std::move(chunks)});
  rows_ = count;
}

std::vector<std::string> table::names() const {
  std::vector<std::string> made;
  for (field const& one : fields_) made.push_back(one.name);
  return made;
}

bool table::has(std::string const& name) const {
  return std::any_of(fields_.begin(), fields_.end(), [&](field const& one) { return one.name == name; });
}

std::vector<arrow_column> const& table::column(std::string const& name) const {
  for (field const& one : fields_)
    if (one.name == name) return one.chunks;
  std::string all;
  for (field const& one : fields_) all += (all.empty() ? "'" : ", '") + one.name + "'";
  throw invalid_argument("there is no column '" + name + "'; there are " + (all.empty() ? "none" : all));
}

void table::write(ArrowArrayStream& to) const { batches::start(*this, to); }

}  // namespace warpdex
