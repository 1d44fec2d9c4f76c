import DataModel
import PersistentStore

/// The persistent history of the objects' creation and edits (coredata-format.md, section 11).
///
/// Objects are inserted in the order of tables and keys, with a fixed number per save. Then the
/// objects that were saved again are updated.
struct HistoryRows: Sendable {
  /// An update of an existing object.
  private struct Update: Sendable {
    let entity: UInt16
    let row: UInt32
  }

  private let recipe: HistoryRecipe
  private let entities: [(first: Int, source: EntitySource)]
  private let updates: [Update]
  /// For each entity, the bitmap of the columns that an update changes.
  private let updatedColumns: [[UInt8]]
  let changeCount: Int
  /// The changes generated from a profile of the history; `nil` if the recipe contains no such
  /// profile.
  private let shaped: ShapedChanges?
  /// For each entity number, the attributes whose values a deletion preserves.
  private let preserved: [Int: [AttributeSource]]
  let tombstoneColumns: [String]

  var strings: [String] {
    [recipe.bundleIdentifier, recipe.processName] + (recipe.author.map { [$0] } ?? [])
  }

  init(recipe: HistoryRecipe, dataset: Dataset) {
    self.recipe = recipe
    var first = 0
    var entities: [(first: Int, source: EntitySource)] = []
    for table in dataset.layout.tables {
      for source in dataset.entities where table.entities.contains(source.name) {
        entities.append((first, source))
        first += source.count
      }
    }
    self.entities = entities
    shaped = recipe.shape.map { ShapedChanges($0, dataset: dataset) }
    updates = shaped == nil ? Self.updates(of: entities.map(\.source)) : []
    updatedColumns = entities.map { Self.updatedColumns(of: $0.source, in: dataset) }
    changeCount = shaped?.count ?? first + updates.count
    let model = dataset.recipe.model
    preserved = Dictionary(
      uniqueKeysWithValues: dataset.entities.map { source in
        let kept = model.entity(named: source.name).map {
          SystemTables.preservedAttributes(of: $0, in: model)
        }
        return (source.number, (kept ?? []).compactMap { source.attributes[$0.name] })
      }
    )
    let tombstones = shaped == nil ? 0 : dataset.layout.tombstoneCount
    tombstoneColumns = (0..<tombstones).map { "ZTOMBSTONE\($0)" }
  }

  private static func updates(of sources: [EntitySource]) -> [Update] {
    var updates: [Update] = []
    var cell = Cell()
    for (index, source) in sources.enumerated() {
      guard let saves = source.saves else { continue }
      for row in 0..<source.count {
        for _ in 1..<max(saves.count(row: row, &cell), 1) {
          updates.append(Update(entity: UInt16(index), row: UInt32(row)))
        }
      }
    }
    return updates
  }

  private static func updatedColumns(of source: EntitySource, in dataset: Dataset) -> [UInt8] {
    let model = dataset.recipe.model
    guard let edited = dataset.recipe.entity(named: source.name)?.edited,
      let entity = model.entity(named: source.name),
      let table = dataset.layout.table(of: source.name)
    else { return [] }
    let lineage = Set(model.lineage(of: entity).map(\.name))
    let columns = table.columns.filter { lineage.contains($0.entity) }
    let toManys = model.relationships(of: entity).filter { $0.isToMany && !$0.isTransient }
    return ChangeBitmap(columns: columns, toManys: toManys.map(\.name))
      .bytes(columns.indices.filter { columns[$0].property == edited })
  }

  func deletedObjects(of table: EntityTable) -> Int { shaped?.deletedObjects[table.root] ?? 0 }

  var transactionCount: Int {
    if let shaped { return shaped.transactionCount }
    return (changeCount + recipe.objectsPerSave - 1) / recipe.objectsPerSave
  }

  /// Writes rows of ACHANGE: Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID,
  /// ZCOLUMNS, and the tombstones (preserved values of deleted objects).
  func writeChanges(_ range: Range<Int>, to sink: inout some RowSink) throws {
    var cell = Cell()
    if let shaped {
      for index in range {
        let change = shaped.change(index)
        try write(change, index, transaction: shaped.transaction(of: index), &cell, to: &sink)
      }
      return
    }
    for (first, source) in entities {
      for index in range.clamped(to: first..<first + source.count) {
        let change = ShapedChanges.Change(
          type: 0,
          entity: source.number,
          key: source.primaryKey(row: index - first),
          columns: nil
        )
        try write(change, index, transaction: index / recipe.objectsPerSave, &cell, to: &sink)
      }
    }
    let inserts = changeCount - updates.count
    for index in range.clamped(to: inserts..<changeCount) {
      let update = updates[index - inserts]
      let source = entities[Int(update.entity)].source
      let change = ShapedChanges.Change(
        type: 1,
        entity: source.number,
        key: source.primaryKey(row: Int(update.row)),
        columns: updatedColumns[Int(update.entity)]
      )
      try write(change, index, transaction: index / recipe.objectsPerSave, &cell, to: &sink)
    }
  }

  private func write(
    _ change: ShapedChanges.Change,
    _ index: Int,
    transaction: Int,
    _ cell: inout Cell,
    to sink: inout some RowSink
  ) throws {
    let values = [
      Int64(index + 1), Int64(EntityNumbers.change), Int64(change.type), Int64(change.entity),
      change.key, Int64(transaction + 1),
    ]
    for value in values {
      cell.set(value)
      try sink.append(cell)
    }
    cell.set(change.columns.map { .blob($0) } ?? .null)
    try sink.append(cell)
    let kept = preserved[change.entity] ?? []
    for place in tombstoneColumns.indices {
      if let row = change.keptRow, place < kept.count {
        kept[place].fill(&cell, row: row)
      } else {
        cell.setNull()
      }
      try sink.append(cell)
    }
    try sink.endRow()
  }

  /// Writes rows of ATRANSACTION: Z_PK, Z_ENT, ZAUTHORTS, ZBUNDLEIDTS, ZPROCESSIDTS, ZTIMESTAMP.
  func writeTransactions(_ range: Range<Int>, to sink: inout some RowSink) throws {
    var cell = Cell()
    for transaction in range {
      let values: [Value] = [
        .integer(Int64(transaction + 1)), .integer(Int64(EntityNumbers.transaction)),
        recipe.author == nil ? .null : .integer(3), .integer(1), .integer(2),
        .real(time(of: transaction)),
      ]
      for value in values {
        cell.set(value)
        try sink.append(cell)
      }
      try sink.endRow()
    }
  }

  /// Writes rows of ATRANSACTIONSTRING: Z_PK, Z_ENT, ZNAME.
  func writeStrings(_ range: Range<Int>, to sink: inout some RowSink) throws {
    var cell = Cell()
    for (index, name) in strings.enumerated() where range.contains(index) {
      let number = Int64(EntityNumbers.transactionString)
      for value in [.integer(Int64(index + 1)), .integer(number), .text(name)] as [Value] {
        cell.set(value)
        try sink.append(cell)
      }
      try sink.endRow()
    }
  }

  private func time(of transaction: Int) -> Double {
    if let time = shaped?.time(of: transaction) { return DateRule.Precision.microsecond.cut(time) }
    let share = (Double(transaction) + 0.5) / Double(transactionCount)
    return DateRule.Precision.microsecond.cut(recipe.from + share * (recipe.to - recipe.from))
  }
}
