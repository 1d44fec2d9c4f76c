/// The columns of a table that tell how large stores are, read as objects of all entities.
struct SizeColumns {
  /// No store has more; a larger number is a mistake.
  static let mostObjects = 1e10
  static let mostBytes = 1e15

  private enum Kind {
    case objects(Int)
    case bytes(Int)
    case entities([(column: Int, entity: String)])
  }

  private let kind: Kind
  private let table: SizeTable
  private let scale: SizeScale
  /// Columns of counts that are of no entity.
  private(set) var unread: [String] = []

  /// What the columns may be, for messages.
  static let expected =
    "'objects', 'bytes', or a count of each entity, such as 'task_count'"

  /// Finds the columns; those named in `others` are none.
  ///
  /// - Throws: ``ForecastingError`` where no column tells a size.
  init(_ table: SizeTable, but others: [String], scale: SizeScale) throws {
    self.table = table
    self.scale = scale
    if let column = table.column("objects", "object_count") {
      kind = .objects(column)
      return
    }
    if let column = table.column("bytes", "store_bytes", "store_size") {
      kind = .bytes(column)
      return
    }
    let counts = table.columns.enumerated().filter {
      $0.element.hasSuffix("_count") && !others.contains($0.element)
    }
    guard !counts.isEmpty else {
      throw ForecastingError.unknownColumns(
        path: table.path,
        found: table.columns,
        expected: Self.expected
      )
    }
    let known = counts.compactMap { column, name -> (column: Int, entity: String)? in
      let plain = name.dropLast("_count".count).filter { $0 != "_" }
      return scale.shape.entities.first { $0.lowercased() == plain }.map { (column, $0) }
    }
    guard !known.isEmpty else {
      throw ForecastingError.unknownEntities(
        path: table.path,
        found: counts.map(\.element),
        known: scale.shape.entities
      )
    }
    kind = .entities(known)
    unread = counts.filter { count in !known.contains { $0.column == count.offset } }
      .map(\.element)
  }

  /// The objects of all entities that a row tells of.
  ///
  /// - Throws: ``ForecastingError/badNumber(path:line:column:text:expected:)``
  func objects(_ row: SizeTable.Row) throws -> Double {
    switch kind {
    case .objects(let column):
      return try table.number(row, column, upTo: Self.mostObjects, Self.objectsExpected)
    case .bytes(let column):
      let bytes = try table.number(row, column, upTo: Self.mostBytes, "from 0 to 10^15 bytes")
      return scale.objects(bytes) ?? 0
    case .entities(let columns):
      var counts: [String: Double] = [:]
      for (column, entity) in columns {
        counts[entity] = try table.number(
          row,
          column,
          upTo: Self.mostObjects,
          Self.objectsExpected
        )
      }
      return scale.shape.size(ofKnown: counts) ?? counts.values.reduce(0, +)
    }
  }

  private static let objectsExpected = "from 0 to 10,000,000,000 objects"
}
