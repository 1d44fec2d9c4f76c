import PersistentStore

/// The rows of one table of a store, in the order they are written.
///
/// A table is made in units, any range of them alone: a unit is a row, or for join tables an object
/// with any number of rows.
struct TableRows: Sendable {
  /// What the rows are made from.
  enum Content: Sendable {
    case entity(EntityRows)
    case links(LinkRows)
    case changes(HistoryRows)
    case transactions(HistoryRows)
    case strings(HistoryRows)
  }

  let name: String
  /// The columns that are given a value, in the order of the values; the others are NULL.
  let columns: [String]
  let unitCount: Int
  let content: Content

  /// Writes the rows of a range of units.
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
