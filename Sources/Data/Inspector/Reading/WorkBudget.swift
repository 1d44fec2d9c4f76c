import SQLite

/// Ends what takes longer than any honest store of its size could ask for.
///
/// Counted in steps of SQLite's virtual machine and not in time, so that the same file ends the
/// same way everywhere.
final class WorkBudget {
  private static let stride: Int32 = 10_000
  private static let base = 30_000_000
  private static let stepsPerPage = 200_000

  private let total: Int
  private var spent = 0

  /// Watches a connection to a file of some pages from now on.
  init(_ connection: Connection, pages: Int) {
    total = Self.base + Self.stepsPerPage * min(max(pages, 0), 1 << 40)
    connection.interrupt(every: Self.stride) { [unowned self] in
      spent += Int(Self.stride)
      return spent > total
    }
  }

  /// Whether nothing is left: every further statement is given up.
  var isSpent: Bool { spent > total }
}
