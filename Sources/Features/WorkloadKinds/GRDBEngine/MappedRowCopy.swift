import DataModel
import Foundation
import GRDB
import PersistentStore
import SQLite

/// Copies the objects of a store into a new store of another model as a map says, row by row
/// through GRDB.
///
/// Keys first, in the order in which objects come into each table; then rows, whose values the map's
/// SQL makes of the old ones; then relationships, a pair at a time. It is what an app would write
/// that has GRDB and a map in mind.
package struct MappedRowCopy {
  private let copy: MappedCopy
  private let destination: StoreLayout
  private let batchSize: Int

  /// `now` is what the map's `now` stands for, in seconds since 2001; a `batchSize` of 0 writes all
  /// rows in one transaction.
  package init(
    _ mapping: MappingModel,
    from source: StoreLayout,
    to destination: StoreLayout,
    now: Double,
    batchSize: Int
  ) {
    copy = MappedCopy(mapping, from: source, to: destination, now: now, schema: "main")
    self.destination = destination
    self.batchSize = batchSize
  }

  /// Copies from one file into another, an empty store of the destination's model; external files
  /// are the caller's to copy.
  ///
  /// - Returns: The number of objects.
  /// - Throws: GRDB's `DatabaseError`; ``SQLite/SQLiteError`` of the identifiers.
  package func run(
    from old: StoreFile,
    to new: StoreFile,
    identifiers: IdentifierMap,
    settings: ConnectionSettings
  ) throws -> Int {
    let functions = MappedCopy.functions(externalFiles: old.externalDataFolder).map { function in
      DatabaseFunction(function.name, pure: true) { arguments in
        function.body(arguments.map(Connection.FunctionValue.init)).databaseValue
      }
    }
    return try RowCopy.transfer(
      from: old,
      to: new,
      settings,
      batchSize: batchSize,
      functions: functions
    ) { old, writer in
      for table in destination.tables { try giveKeys(table, from: old, to: writer, identifiers) }
      for rows in copy.rows { try copyRows(rows, from: old, to: writer, identifiers) }
      for link in copy.links { try relate(link, from: old, to: writer, identifiers) }
      for correction in copy.corrections { try writer.run(correction, []) }
      return identifiers.count
    }
  }

  /// Copies the external files that the new store refers to.
  package func copyFiles(
    from old: StoreFile,
    to new: StoreFile,
    _ connection: Connection
  ) throws {
    try copy.copyFiles(from: old, to: new, connection)
  }

  /// Where the new keys of a mapping's objects are kept.
  private static func space(_ rule: Int) -> String { "mapping \(rule)" }

  private func giveKeys(
    _ table: EntityTable,
    from old: Database,
    to writer: RowCopy.Writer,
    _ identifiers: IdentifierMap
  ) throws {
    var last: Int64 = 0
    for objects in copy.objects(of: table) {
      let rows = try Row.fetchCursor(old, sql: objects)
      while let row = try rows.next() {
        last += 1
        let (rule, entity): (Int, Int) = (row["rule"], row["entity"])
        try identifiers.note(
          ObjectID(entity: entity, key: last),
          of: row["former"],
          in: Self.space(rule)
        )
      }
    }
    try writer.run(
      "UPDATE Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_ENT = ?",
      [last, destination.numbers[table.root] ?? 0]
    )
  }

  private func copyRows(
    _ set: MappedCopy.RowSet,
    from old: Database,
    to writer: RowCopy.Writer,
    _ identifiers: IdentifierMap
  ) throws {
    let columns = ["Z_PK", "Z_ENT", "Z_OPT"] + set.columns.map(\.quotedName)
    let insert =
      "INSERT INTO \(set.table.quotedName) (\(columns.joined(separator: ", "))) VALUES ("
      + columns.map { _ in "?" }.joined(separator: ", ") + ")"
    let rows = try Row.fetchCursor(old, sql: set.select)
    while let row = try rows.next() {
      guard let identity = try identifiers.identity(of: row[0], in: Self.space(set.rule)) else {
        continue
      }
      let values = (1..<row.count).map { row[$0] as DatabaseValue }
      try writer.run(insert, [identity.key, identity.entity, 1] + values)
    }
  }

  // MARK: Relationships

  /// Two objects under their new keys, and where each stood among the other's in the old store.
  private struct Pair {
    let own: Int64
    let target: ObjectID
    let place: Int64?
    let inversePlace: Int64?
    /// Their positions in the new store, where it keeps any.
    var amongTargets = 0
    var amongOwners = 0
  }

  private func relate(
    _ link: MappedLink,
    from old: Database,
    to writer: RowCopy.Writer,
    _ identifiers: IdentifierMap
  ) throws {
    let values = link.writes.flatMap { $0.fields.map(\.value) }
    let isPlaced = values.contains(.placeAmongTargets) || values.contains(.placeAmongOwners)
    let statements = link.writes.map { (Self.statement(for: $0), $0) }
    func write(_ pair: Pair) throws {
      for (sql, write) in statements { try writer.run(sql, Self.arguments(of: write, pair)) }
    }
    // A list is numbered once all of it is known.
    var pairs: [Pair] = []
    let rows = try Row.fetchCursor(old, sql: link.pairs)
    while let row = try rows.next() {
      guard let own = try identifiers.identity(of: row["own"], in: Self.space(link.rule)),
        let target = try target(row["target"], of: link, identifiers)
      else { continue }
      let pair = Pair(
        own: own.key,
        target: target,
        place: row["place"],
        inversePlace: row["inversePlace"]
      )
      if isPlaced { pairs.append(pair) } else { try write(pair) }
    }
    Self.number(
      &pairs,
      by: { ($0.own, $0.place ?? .min, $0.target.key) },
      position: \.amongTargets
    )
    Self.number(
      &pairs,
      by: { ($0.target.key, $0.inversePlace ?? .min, $0.own) },
      position: \.amongOwners
    )
    for pair in pairs { try write(pair) }
  }

  /// Of an object that became several, the first one in the map's order.
  private func target(
    _ key: Int64,
    of link: MappedLink,
    _ identifiers: IdentifierMap
  ) throws -> ObjectID? {
    for rule in link.targets {
      if let found = try identifiers.identity(of: key, in: Self.space(rule)) { return found }
    }
    return nil
  }

  /// Numbers the pairs of each list in their former order.
  private static func number(
    _ pairs: inout [Pair],
    by order: (Pair) -> (list: Int64, place: Int64, key: Int64),
    position: WritableKeyPath<Pair, Int>
  ) {
    pairs.sort { order($0) < order($1) }
    var (list, count): (Int64?, Int) = (nil, 0)
    for index in pairs.indices {
      let own = order(pairs[index]).list
      count = own == list ? count + 1 : 1
      list = own
      pairs[index][keyPath: position] = MappedLink.positionStep * (1 + count)
    }
  }

  private static func statement(for write: MappedLink.Write) -> String {
    let columns = write.fields.map(\.column.quotedName)
    guard write.row != nil else {
      return "INSERT OR IGNORE INTO \(write.table.quotedName) (\(columns.joined(separator: ", "))) "
        + "VALUES (\(columns.map { _ in "?" }.joined(separator: ", ")))"
    }
    return "UPDATE \(write.table.quotedName) SET "
      + columns.map { "\($0) = ?" }.joined(separator: ", ") + " WHERE Z_PK = ?"
  }

  private static func arguments(
    of write: MappedLink.Write,
    _ pair: Pair
  ) -> [any DatabaseValueConvertible] {
    let values = write.fields.map { field -> any DatabaseValueConvertible in
      switch field.value {
      case .own: pair.own
      case .target: pair.target.key
      case .targetEntity: pair.target.entity
      case .number(let number): number
      case .placeAmongTargets: pair.amongTargets
      case .placeAmongOwners: pair.amongOwners
      }
    }
    return switch write.row {
    case .own?: values + [pair.own]
    case .target?: values + [pair.target.key]
    case nil: values
    }
  }
}

extension Connection.FunctionValue {
  fileprivate init(_ value: DatabaseValue) {
    self =
      switch value.storage {
      case .null: .null
      case .int64(let value): .integer(value)
      case .double(let value): .real(value)
      case .string(let value): .text(value)
      case .blob(let value): .blob([UInt8](value))
      }
  }

  fileprivate var databaseValue: DatabaseValue {
    switch self {
    case .null: .null
    case .integer(let value): value.databaseValue
    case .real(let value): value.databaseValue
    case .text(let value): value.databaseValue
    case .blob(let value): Data(value).databaseValue
    }
  }
}
