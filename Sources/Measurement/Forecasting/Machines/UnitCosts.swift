/// What the elementary work of a store costs on one machine, in seconds.
package struct UnitCosts: Codable, Hashable, Sendable {
  /// A row bound and inserted at the end of a table.
  package var row: Double
  /// A page that the cache has not, read from the file.
  package var pageRead: Double
  /// A page written to the log and from there to the file.
  package var pageWrite: Double
  /// A sync of a file that was written to.
  package var sync: Double
  /// How far rounds of the row's cost scattered, as a share of it; `nil` where nobody looked.
  package var scatter: Double?

  package init(
    row: Double,
    pageRead: Double,
    pageWrite: Double,
    sync: Double,
    scatter: Double? = nil
  ) {
    self.row = row
    self.pageRead = pageRead
    self.pageWrite = pageWrite
    self.sync = sync
    self.scatter = scatter
  }

  /// Whether every cost is a time that a machine can have.
  package var isSound: Bool {
    [row, pageRead, pageWrite, sync, scatter ?? 0].allSatisfy {
      $0.isFinite && $0 >= 0 && $0 < 60
    } && row > 0
  }
}
