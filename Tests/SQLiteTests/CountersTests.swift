import Foundation
import SQLite
import Testing

struct CountersTests {
  /// Reads, sorts, updates and deletes rows; returns the counters of these operations.
  private func work(_ path: String) throws -> Counters {
    let connection = try Connection(path: path, settings: ConnectionSettings(cachePages: 20))
    let before = connection.counters
    for _ in 1...2 {
      let sorted = try connection.prepare("SELECT name FROM item ORDER BY name DESC")
      while try sorted.step() {}
    }
    let cached = try connection.cached("SELECT count(*) FROM item WHERE size = ?1")
    for size: Int64 in 1...20 {
      cached.bind(size, at: 1)
      try cached.run()
    }
    try connection.transaction {
      try connection.execute("UPDATE item SET size = size + 1 WHERE id % 3 = 0")
      try connection.execute("DELETE FROM item WHERE id % 7 = 0")
    }
    return connection.counters - before
  }

  @Test func `are the same to the last digit for the same work on a copy`() throws {
    let database = try TemporaryDatabase()
    try database.fill(rows: 3000)
    let counters = try (1...4).map { run in
      let copy = database.folder + "/copy\(run).sqlite"
      try FileManager.default.copyItem(atPath: database.path, toPath: copy)
      return try work(copy)
    }
    #expect(Set(counters).count == 1)
    let first = try #require(counters.first)
    for (name, value) in first.named where !["autoIndexRows", "reprepares"].contains(name) {
      #expect(value > 0, "\(name)")
    }
    #expect(first.statementsPrepared == 7)
    #expect(first.statementsRun == 26)
    #expect(first.sorts == 2)
  }

  @Test func `count a statement that is gone like one that lives`() throws {
    let database = try TemporaryDatabase()
    try database.fill(rows: 100)
    let connection = try database.open()
    var row: Statement? = try connection.prepare("SELECT name FROM item WHERE name > 'a'")
    try row?.run()
    let alive = connection.counters
    row = nil
    #expect(connection.counters == alive)
    #expect(alive.fullScanSteps == 99)
    #expect(row == nil)
  }

  @Test func `count an index that SQLite makes for one statement`() throws {
    let database = try TemporaryDatabase()
    try database.fill(rows: 500)
    let connection = try database.open()
    let before = connection.counters
    #expect(
      try connection.integer(
        "SELECT count(*) FROM item AS a JOIN item AS b ON a.name = b.name"
      ) == 500
    )
    #expect((connection.counters - before).autoIndexRows >= 499)
  }

  @Test func `name all that they count, in order`() {
    let names = Counters().named.map(\.name)
    #expect(names == names.sorted())
    #expect(names.count == 11)
    #expect(Counters().named.allSatisfy { $0.value == 0 })
  }
}

extension Counters {
  fileprivate var named: [(name: String, value: Int64)] {
    Self.fields.map { ($0.name, self[keyPath: $0.path]) }
  }
}
