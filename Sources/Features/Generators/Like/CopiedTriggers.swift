import DataModel
import PersistentStore
import SQLite

/// Triggers and R-tree indexes that a generated store copies from its original.
///
/// No published source shows the full text of these triggers, which update derived attributes,
/// private counters and R-tree indexes (coredata-format.md, sections 6 and 7).
struct CopiedTriggers {
  private static let rTree = "Z_RT_"
  private static let prefixes = ["Z_DA_", "ZT_", rTree]
  private static let most = 1_000
  private static let longest = 16_384

  /// The statements that create a store's R-tree indexes, then those that create its triggers, each
  /// sorted by name.
  static func statements(of connection: Connection) throws -> [String] {
    let row = try connection.prepare(
      "SELECT sql FROM sqlite_master WHERE type = 'trigger' OR (type = 'table' AND rootpage = 0) "
        + "ORDER BY type, name LIMIT \(most)"
    )
    return try row.map { $0.text(at: 0) }.filter(isCreation)
  }

  static func isCreation(_ sql: String) -> Bool {
    if RTree(sql) != nil { return true }
    let words = words(of: sql)
    guard sql.utf8.count <= longest, words.count > 2, words[0].uppercased() == "CREATE",
      words[1].uppercased() == "TRIGGER"
    else { return false }
    return prefixes.contains { words[2].drop { $0 == "\"" }.hasPrefix($0) }
  }

  /// Creates and fills R-tree indexes, then creates triggers without firing them.
  ///
  /// Statements that do not fit the store's tables are skipped.
  static func make(_ statements: [String], in store: StoreFile, _ layout: StoreLayout) throws {
    guard !statements.isEmpty else { return }
    let connection = try Connection(path: store.path, mode: .readWrite)
    for tree in statements.compactMap(RTree.init) {
      guard let filling = tree.filling(layout) else { continue }
      try connection.executeScript([tree.sql, filling])
    }
    let made = try Set(connection.names(ofTablesLike: rTree))
    for sql in statements where RTree(sql) == nil && isCreation(sql) {
      // A trigger of an R-tree index fails if the index is missing.
      if let name = triggerName(sql), name.hasPrefix(rTree),
        !made.contains(where: { name.hasPrefix($0 + "_") })
      {
        continue
      }
      // Only the first statement of the text is prepared and run, so no SQL appended to a trigger
      // can run.
      try? connection.prepare(sql).run()
    }
    try connection.checkpoint()
  }

  private static func words(of sql: String) -> [Substring] {
    sql.prefix(200).split(whereSeparator: \.isWhitespace)
  }

  /// Returns the names of the triggers that the statements create.
  fileprivate static func triggerNames(_ statements: [String]) -> Set<String> {
    Set(statements.filter { RTree($0) == nil }.compactMap(triggerName))
  }

  private static func triggerName(_ sql: String) -> String? {
    let words = words(of: sql)
    return words.count > 2 ? words[2].filter { $0 != "\"" } : nil
  }

  /// An R-tree index over attributes, in which each value is both the minimum and the maximum of
  /// its range.
  private struct RTree {
    let sql: String
    let name: String
    /// The columns of the entity's table whose values are indexed.
    private let columns: [String]

    init?(_ sql: String) {
      let form =
        /CREATE VIRTUAL TABLE "?(Z_RT_\w{1,200})"? USING RTREE ?\(Z_PK INTEGER PRIMARY KEY, ([\w ,]+)\)/
      guard sql.utf8.count <= CopiedTriggers.longest, let match = sql.wholeMatch(of: form) else {
        return nil
      }
      let bounds = match.2.split(separator: ",").map { bound in
        String(bound.split(separator: " ").first ?? "")
      }
      var columns: [String] = []
      for (low, high) in zip(bounds, bounds.dropFirst())
      where low.hasSuffix("_MIN") && high == low.dropLast(4) + "_MAX" {
        columns.append(String(low.dropLast(4)))
      }
      guard !columns.isEmpty, bounds.count == 2 * columns.count else { return nil }
      self.sql = sql
      self.columns = columns
      name = String(match.1)
    }

    /// The statement that fills the index with the objects of its entity; `nil` if the model lacks
    /// the entity or a column.
    func filling(_ layout: StoreLayout) -> String? {
      let entities = layout.model.entities.filter {
        name.hasPrefix("\(CopiedTriggers.rTree)\($0.name)_")
      }
      guard let entity = entities.max(by: { $0.name.count < $1.name.count }),
        let table = layout.table(of: entity.name), Set(columns).isSubset(of: table.columnNames)
      else { return nil }
      let numbers = layout.model.family(of: entity).compactMap { layout.numbers[$0.name] }
      let values = columns.map(\.quotedName)
      return "INSERT INTO \(name.quotedName) SELECT Z_PK, "
        + values.flatMap { [$0, $0] }.joined(separator: ", ")
        + " FROM \(table.name.quotedName) WHERE Z_ENT IN ("
        + numbers.map(String.init).joined(separator: ", ") + ") AND "
        + values.map { "\($0) IS NOT NULL" }.joined(separator: " AND ")
    }
  }
}

extension StoreOrigin {
  /// The names of the copied triggers.
  package var triggerNames: Set<String> { CopiedTriggers.triggerNames(triggers) }
}

extension Connection {
  fileprivate func names(ofTablesLike prefix: String) throws -> [String] {
    try prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage = 0")
      .map { $0.text(at: 0) }.filter { $0.hasPrefix(prefix) }
  }
}
