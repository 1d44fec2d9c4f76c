import Basics
import DataModel
import PersistentStore

/// The contents of a dataset's store, as a writer needs them.
///
/// They consist of the tables with their rows, the highest keys, and the contents of Z_METADATA.
package struct StoreContents: Sendable {
  package let dataset: Dataset
  package let metadata: StoreMetadata
  let tables: [Table]
  let highestKeys: [(number: Int, key: Int)]

  package init(_ dataset: Dataset) {
    self.dataset = dataset
    let layout = dataset.layout
    let history = dataset.recipe.history.map { HistoryRows(recipe: $0, dataset: dataset) }
    metadata = Self.metadata(of: dataset)
    var tables: [Table] = []
    var keys: [(number: Int, key: Int)] = []
    for table in layout.tables {
      let rows = EntityRows(table: table, dataset: dataset)
      tables.append(
        Table(
          name: table.name,
          columns: table.columnNames,
          unitCount: rows.rowCount,
          content: .entity(rows)
        )
      )
      let missing = dataset.recipe.missingKeys(in: table)
      let deleted = history?.deletedObjects(of: table) ?? 0
      keys.append((layout.numbers[table.root] ?? 0, rows.rowCount + missing + deleted))
      for join in layout.joinTables(of: table) {
        guard let rows = LinkRows(table: join, dataset: dataset) else { continue }
        tables.append(
          Table(
            name: join.name,
            columns: join.columnNames,
            unitCount: rows.sourceCount,
            content: .links(rows)
          )
        )
      }
    }
    if let history {
      tables += Self.historyTables(history)
      keys += [
        (EntityNumbers.change, history.changeCount),
        (EntityNumbers.transaction, history.transactionCount),
        (EntityNumbers.transactionString, history.changeCount > 0 ? history.strings.count : 0),
      ]
    }
    self.tables = tables
    highestKeys = keys
  }

  /// The number of units in all tables, by which progress is measured.
  ///
  /// A unit is a row, or a group of rows that are generated together.
  package var unitCount: Int { tables.reduce(0) { $0 + $1.unitCount } }

  var systemRows: SystemRows {
    SystemRows(
      layout: dataset.layout,
      metadata: metadata,
      highestKeys: Dictionary(keepingFirst: highestKeys.map { ($0.number, $0.key) })
    )
  }

  private static func historyTables(_ history: HistoryRows) -> [Table] {
    [
      Table(
        name: "ACHANGE",
        columns: [
          "Z_PK", "Z_ENT", "ZCHANGETYPE", "ZENTITY", "ZENTITYPK", "ZTRANSACTIONID", "ZCOLUMNS",
        ] + history.tombstoneColumns,
        unitCount: history.changeCount,
        content: .changes(history)
      ),
      Table(
        name: "ATRANSACTION",
        columns: ["Z_PK", "Z_ENT", "ZAUTHORTS", "ZBUNDLEIDTS", "ZPROCESSIDTS", "ZTIMESTAMP"],
        unitCount: history.transactionCount,
        content: .transactions(history)
      ),
      Table(
        name: "ATRANSACTIONSTRING",
        columns: ["Z_PK", "Z_ENT", "ZNAME"],
        unitCount: history.changeCount > 0 ? history.strings.count : 0,
        content: .strings(history)
      ),
    ]
  }

  private static func metadata(of dataset: Dataset) -> StoreMetadata {
    var draws = StreamKey(seed: dataset.recipe.seed).derived("store UUID").draws(row: 0)
    var identifiers = dataset.recipe.model.versionIdentifiers
    if dataset.recipe.flavour == .swiftData, identifiers == [""] { identifiers = ["1.0.0"] }
    let origin = dataset.recipe.origin
    return StoreMetadata(
      uuid: UUIDGenerator.text(&draws),
      versionIdentifiers: origin?.versionIdentifiers ?? identifiers,
      frameworkVersion: dataset.recipe.frameworkVersion,
      versionHashes: origin?.versionHashes ?? [:]
    )
  }

  /// The rows of a store's table, in the order in which they are written.
  ///
  /// Any range of units can be generated on its own. A unit is a row or, for a join table, all rows
  /// of one source object.
  struct Table: Sendable {
    enum Content: Sendable {
      case entity(EntityRows)
      case links(LinkRows)
      case changes(HistoryRows)
      case transactions(HistoryRows)
      case strings(HistoryRows)
    }

    let name: String
    /// The columns for which values are written, in the order of the values; all other columns are
    /// NULL.
    let columns: [String]
    let unitCount: Int
    let content: Content

    func write(units: Range<Int>, to sink: inout some RowSink) throws {
      switch content {
      case .entity(let rows): try rows.write(rows: units, to: &sink)
      case .links(let rows): try rows.write(sources: units, to: &sink)
      case .changes(let rows): try rows.writeChanges(units, to: &sink)
      case .transactions(let rows): try rows.writeTransactions(units, to: &sink)
      case .strings(let rows): try rows.writeStrings(units, to: &sink)
      }
    }
  }
}
