// A study's results as SQLite tables.
#include <fmt/format.h>
#include <sqlite3.h>
#include <unistd.h>

#include <cstdio>
#include <memory>

#include "base/error.h"
#include "sim/study/sweep/collect.h"

namespace trn {
namespace {

// One database being written; removed again unless it is kept.
class Database {
 public:
  explicit Database(const std::string& path)
      : path_(path), temporary_(path + '.' + std::to_string(getpid()) + ".partial") {
    std::remove(temporary_.c_str());
    sqlite3* db = nullptr;
    const int code = sqlite3_open(temporary_.c_str(), &db);
    db_.reset(db);
    if (code != SQLITE_OK) fail();
    // No journal: an unfinished file is thrown away whole.
    run("PRAGMA journal_mode=OFF; PRAGMA synchronous=FULL; BEGIN");
  }
  ~Database() {
    db_.reset();
    std::remove(temporary_.c_str());
  }

  void run(const std::string& sql) {
    if (sqlite3_exec(db_.get(), sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) fail();
  }

  using Cell = std::variant<std::monostate, std::int64_t, double, std::string>;
  void insert(const std::string& table, const std::vector<Cell>& cells) {
    std::string sql = "INSERT INTO " + table + " VALUES(?";
    for (std::size_t i = 1; i < cells.size(); ++i) sql += ",?";
    sqlite3_stmt* statement = nullptr;
    if (sqlite3_prepare_v2(db_.get(), (sql + ')').c_str(), -1, &statement, nullptr) != SQLITE_OK) fail();
    for (std::size_t i = 0; i < cells.size(); ++i) bind(statement, static_cast<int>(i + 1), cells[i]);
    const int code = sqlite3_step(statement);
    sqlite3_finalize(statement);
    if (code != SQLITE_DONE) fail();
  }

  void keep() {
    run("COMMIT");
    db_.reset();
    if (std::rename(temporary_.c_str(), path_.c_str()) != 0)
      throw UsageError(path_ + ": cannot write this file; check the folder and its permissions");
  }

 private:
  static void bind(sqlite3_stmt* statement, int at, const Cell& cell) {
    if (const auto* integer = std::get_if<std::int64_t>(&cell)) sqlite3_bind_int64(statement, at, *integer);
    if (const auto* real = std::get_if<double>(&cell)) sqlite3_bind_double(statement, at, *real);
    if (const auto* text = std::get_if<std::string>(&cell))
      sqlite3_bind_text(statement, at, text->c_str(), -1, SQLITE_TRANSIENT);
  }
  [[noreturn]] void fail() {
    const std::string what = db_ ? sqlite3_errmsg(db_.get()) : "out of memory";
    db_.reset();
    std::remove(temporary_.c_str());
    throw UsageError(path_ + ": cannot write this database: " + what +
                     "; check the folder and the space left");
  }

  struct Close {
    void operator()(sqlite3* db) const { sqlite3_close(db); }
  };
  std::string path_, temporary_;
  std::unique_ptr<sqlite3, Close> db_;
};

// An axis may be named as a column is; names are quoted as SQL wants it.
std::string column(const std::string& prefix, const std::string& name) {
  std::string out = "\"" + prefix;
  for (const char c : name) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + '"';
}

void make_tables(Database& db, const StudyResults& r) {
  std::string axes, metrics;
  for (const PlanAxis& axis : r.plan.axes) axes += ", " + column("axis.", axis.name) + " TEXT";
  for (const std::string& metric : r.metrics()) metrics += ", " + column("", metric) + " REAL";
  db.run("CREATE TABLE about(key TEXT, value TEXT)");
  db.run(
      "CREATE TABLE points(\"index\" INTEGER PRIMARY KEY, hash TEXT, state TEXT, reason TEXT, limiter TEXT" +
      axes + metrics + ")");
  db.run("CREATE TABLE parts(\"index\" INTEGER, part TEXT, time_ps INTEGER)");
  db.run("CREATE TABLE impossible(reason TEXT" + axes + ")");
}

void insert_point(Database& db, const StudyResults& r, std::size_t i) {
  const std::optional<Reply>& reply = r.replies[i];
  const bool done = reply && reply->ok();
  const auto index = static_cast<std::int64_t>(i);
  std::vector<Database::Cell> cells{index, r.plan.points[i].hash,
                                    std::string(!reply ? "missing"
                                                : done ? "done"
                                                       : "failed")};
  cells.push_back(reply && !done ? Database::Cell(reply->error) : Database::Cell());
  cells.push_back(done ? Database::Cell(reply->answer.limiter) : Database::Cell());
  for (const std::string& label : r.plan.points[i].coordinates) cells.emplace_back(label);
  for (const std::string& name : r.metrics()) {
    cells.emplace_back();
    if (!done) continue;
    for (const Metric& metric : reply->answer.metrics)
      if (metric.name == name) cells.back() = metric.value;
  }
  db.insert("points", cells);
  if (!done) return;
  for (const AnswerPart& part : reply->answer.parts)
    db.insert("parts", {index, part.name, static_cast<std::int64_t>(part.time.count())});
}

}  // namespace

void write_study_database(const StudyResults& r, const std::string& path) {
  Database db(path);
  make_tables(db, r);
  db.insert("about", {std::string("name"), r.plan.name});
  db.insert("about", {std::string("build"), r.plan.build});
  for (std::size_t i = 0; i < r.plan.points.size(); ++i) insert_point(db, r, i);
  for (const ImpossiblePoint& point : r.plan.impossible) {
    std::vector<Database::Cell> cells{point.reason};
    cells.insert(cells.end(), point.coordinates.begin(), point.coordinates.end());
    db.insert("impossible", cells);
  }
  db.keep();
}

}  // namespace trn
