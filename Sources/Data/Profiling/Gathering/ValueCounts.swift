import SQLite

/// The different numbers of a column in rising order, each with how many objects have it.
///
/// Gone through as often as needed, so that no column has to fit into memory.
final class ValueCounts {
  private enum Source {
    case statement(Statement)
    case list([(number: Double, count: Int)])
  }

  private let source: Source
  private var place = 0

  /// Numbers that a statement gives, grouped and sorted: the number first, the count second.
  init(_ statement: Statement) {
    source = .statement(statement)
  }

  init(_ counts: [Double: Int]) {
    source = .list(counts.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
  }

  /// Goes back to before the first number.
  func reset() {
    place = 0
    if case .statement(let statement) = source { statement.reset() }
  }

  /// The next number; `nil` after the last.
  func next() throws -> (number: Double, count: Int)? {
    switch source {
    case .statement(let statement):
      guard try statement.step() else { return nil }
      return (statement.real(at: 0), Int(statement.integer(at: 1)))
    case .list(let list):
      guard place < list.count else { return nil }
      place += 1
      return list[place - 1]
    }
  }

  func visit(_ body: (Double, Int) throws -> Void) throws {
    reset()
    while let (number, count) = try next() { try body(number, count) }
  }
}
