import DataModel

/// A number with its unit, as workload files write times and sizes: `30 s`, `100 KB`, `0.5`.
package struct Quantity: Hashable, Sendable {
  /// What a unit measures; values are kept in its base unit.
  package enum Dimension: Hashable, Sendable {
    case seconds
    case bytes
    case plain
  }

  package let value: Double
  package let dimension: Dimension

  package init(_ value: Double, _ dimension: Dimension) {
    self.value = value
    self.dimension = dimension
  }

  /// Units by spelling; 1 KB is 1,024 bytes.
  private static let units: [(suffix: String, factor: Double, dimension: Dimension)] = [
    ("µs", 1e-6, .seconds), ("ms", 1e-3, .seconds), ("min", 60, .seconds), ("s", 1, .seconds),
    ("KB", 1024, .bytes), ("MB", 1_048_576, .bytes), ("GB", 1_073_741_824, .bytes),
    ("B", 1, .bytes), ("%", 0.01, .plain),
  ]

  /// Reads `NUMBER UNIT`, the blank being optional; `nil` for anything else.
  package init?(_ text: String) {
    let unit = Self.units.first { text.hasSuffix($0.suffix) }
    var number = text.dropLast(unit?.suffix.count ?? 0)
    if number.last == " " { number.removeLast() }
    let value: Double
    switch YAMLScalar(plain: String(number)) {
    case .integer(let whole): value = Double(whole)
    case .real(let real) where real.isFinite: value = real
    default: return nil
    }
    self.init(value * (unit?.factor ?? 1), unit?.dimension ?? .plain)
  }
}
