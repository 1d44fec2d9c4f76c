import SQLite

/// The distinct numbers of a column in ascending order, each with its number of objects.
///
/// The numbers can be read several times. The first reading of a query keeps its numbers in memory;
/// if they are too many, each further reading repeats the query.
final class ValueCounts {
  private enum Source {
    case statement(Statement)
    case list([(number: Double, count: Int)])
  }

  private static let mostKept = 1 << 16

  private var source: Source
  private var place = 0
  /// The numbers of a query read so far; `nil` once they are too many to keep.
  private var seen: [(number: Double, count: Int)]? = []

  init(_ statement: Statement) {
    source = .statement(statement)
  }

  init(_ counts: [(number: Double, count: Int)]) {
    source = .list(counts)
  }

  /// Whether the list takes so much memory that recreating it is better than keeping it.
  var isLarge: Bool {
    if case .list(let list) = source { list.count > Self.mostKept } else { false }
  }

  func reset() {
    place = 0
    if seen != nil { seen = [] }
    if case .statement(let statement) = source { statement.reset() }
  }

  func next() throws -> (number: Double, count: Int)? {
    switch source {
    case .statement(let statement):
      guard try statement.step() else {
        if let seen { (source, place) = (.list(seen), seen.count) }
        return nil
      }
      let next = (number: statement.real(at: 0), count: Int(statement.integer(at: 1)))
      if seen?.count == Self.mostKept { seen = nil }
      seen?.append(next)
      return next
    case .list(let list):
      guard place < list.count else { return nil }
      place += 1
      return list[place - 1]
    }
  }

  func total() throws -> Int {
    var total = 0
    try visit { total += $1 }
    return total
  }

  func visit(_ body: (Double, Int) throws -> Void) throws {
    reset()
    while let (number, count) = try next() { try body(number, count) }
  }
}
