import SQLite

/// Adds up the pages of every table and index, by SQLite's own dbstat
/// (https://www.sqlite.org/dbstat.html).
struct SpaceScan {
  let reader: StoreReader

  func survey() -> SpaceSurvey {
    var survey = SpaceSurvey()
    survey.freeBytes = Int64(reader.header.freePageCount) * Int64(reader.header.pageSize)
    guard Library.compileOptions.contains("ENABLE_DBSTAT_VTAB") else {
      survey.limitation = "this SQLite is built without dbstat, which knows the pages of a table"
      return survey
    }
    var parts: [String: SpaceSurvey.Part] = [:]
    do {
      let free = try reader.connection.integer("PRAGMA freelist_count") ?? 0
      survey.freeBytes = free * Int64(reader.header.pageSize)
      try addPages(to: &parts)
      try addTables(to: &parts)
    } catch {
      survey.limitation = "the pages cannot all be read: \(error)"
    }
    survey.parts = parts.values.sorted { ($1.bytes, $0.name) < ($0.bytes, $1.name) }
    return survey
  }

  private func addPages(to parts: inout [String: SpaceSurvey.Part]) throws {
    let row = try reader.connection.prepare("SELECT name, pageno, pgsize, unused FROM dbstat")
    var part = SpaceSurvey.Part(name: "")
    var previous: Int64 = 0
    while try row.step() {
      let name = row.text(at: 0)
      let page = row.integer(at: 1)
      if name != part.name {
        if !part.name.isEmpty { parts[part.name] = part }
        part = parts[name] ?? SpaceSurvey.Part(name: name)
      } else if page != previous + 1 {
        part.jumps += 1
      }
      previous = page
      part.pages += 1
      part.bytes &+= row.integer(at: 2)
      part.unusedBytes &+= row.integer(at: 3)
    }
    if !part.name.isEmpty { parts[part.name] = part }
  }

  private func addTables(to parts: inout [String: SpaceSurvey.Part]) throws {
    let row = try reader.connection.prepare(
      "SELECT name, tbl_name FROM sqlite_schema WHERE type = 'index'"
    )
    while try row.step() { parts[row.text(at: 0)]?.table = row.text(at: 1) }
  }
}
