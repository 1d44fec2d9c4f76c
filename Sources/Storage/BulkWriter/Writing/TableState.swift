/// A table while it is written, with its indexes.
final class TableState: @unchecked Sendable {
  let plan: TablePlan
  let indexes: [IndexState]
  // Both belong to the thread whose turn it is.
  let tree: Tree
  private var lastRowid: Int64?

  init(plan: TablePlan, tree: Tree, indexes: [IndexState]) {
    self.plan = plan
    self.tree = tree
    self.indexes = indexes
  }

  /// Refuses a chunk that does not begin behind the rows before it.
  func check(_ rowids: ClosedRange<Int64>?) throws {
    guard let rowids else { return }
    if let lastRowid, rowids.lowerBound <= lastRowid {
      throw BulkWriterError.rowsOutOfOrder(
        table: plan.name,
        rowid: rowids.lowerBound,
        after: lastRowid
      )
    }
    lastRowid = rowids.upperBound
  }
}
