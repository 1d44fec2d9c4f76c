import DataModel
import PersistentStore
import SQLLog
import SQLite

/// Maps the values in a log to values of a store.
///
/// Equal values stay equal. A compared value becomes the value whose number of objects is closest
/// to the rows that the log reports; if several are equally close, the closest in rank. The bound
/// of a range becomes the value that selects as many rows or, if other conditions filter too, the
/// value of the same rank.
final class ValueMapper {
  private struct Column: Hashable {
    var table: String
    var column: String
  }

  private struct Key: Hashable {
    var column: Column
    var sign: String
    var value: Value
  }

  private struct Histogram {
    var values: [Value] = []
    var counts: [Int] = []
  }

  /// The values that the log compares with a column, sorted.
  private let logged: [Column: [Value]]
  private let scale: Double
  private var images: [Key: Value] = [:]
  private var taken: [Column: Set<Value>] = [:]
  private var histograms: [Column: Histogram] = [:]
  private var sizes: [String: Int] = [:]

  private static let mostValues = 50_000
  private static let mostTexts = 400
  private static let mostSearches = 24

  /// Collects the compared values of a log.
  ///
  /// `scale` is the ratio of the store's number of objects to the log's.
  init(_ script: ReplayScript, schema: ReplaySchema, scale: Double) {
    self.scale = scale
    var found: [Column: Set<Value>] = [:]
    for step in script.steps {
      for (role, value) in zip(script.statements[step.statement].roles, step.values) {
        guard case .compared(let table, let column, _) = role, case .value(let value)? = value,
          schema.keyTable(table, column) == nil
        else { continue }
        found[Column(table: table, column: column), default: []].insert(value)
      }
    }
    logged = found.mapValues { $0.sorted { $0.rank(beside: $1) < 0 } }
  }

  // MARK: Compared values

  /// The store's value for a value that the log compares with a column.
  ///
  /// `rows` is the number of rows that the log reports, or -1; `isAlone` is true if no other
  /// condition filters rows.
  func image(
    of value: Value,
    _ table: String,
    _ column: String,
    sign: String,
    rows: Int,
    isAlone: Bool,
    on connection: Connection
  ) throws -> Value {
    let place = Column(table: table, column: column)
    let key = Key(column: place, sign: sign == "=" || sign == "<>" ? "=" : sign, value: value)
    if let known = images[key] { return known }
    let image =
      sign == "=" || sign == "<>"
      ? try equal(value, place, rows: isAlone ? rows : -1, connection)
      : try bound(value, place, sign, rows: isAlone ? rows : -1, connection)
    images[key] = image
    return image
  }

  /// The share of the column's logged values below a value, plus half of the value's own share.
  private func quantile(_ value: Value, _ column: Column) -> Double {
    guard let all = logged[column], !all.isEmpty else { return 0.5 }
    let rank = all.firstIndex(of: value) ?? all.count / 2
    return (Double(rank) + 0.5) / Double(all.count)
  }

  private func equal(
    _ value: Value,
    _ column: Column,
    rows: Int,
    _ connection: Connection
  ) throws -> Value {
    guard value != .null, rows != 0 else { return value }
    let histogram = try histogram(of: column, connection)
    guard !histogram.values.isEmpty else { return value }
    let place = quantile(value, column) * Double(histogram.values.count)
    // If a column has few distinct values, each value keeps its share of the objects; otherwise,
    // each value keeps its number of objects.
    let isCategory = histogram.values.count <= 1_000
    let target = Double(rows) * (isCategory ? scale : 1)
    var best: (place: Int, cost: Double)?
    for index in histogram.values.indices
    where taken[column]?.contains(histogram.values[index]) != true {
      let count = Double(histogram.counts[index])
      let difference = rows > 0 ? abs(count - target) / max(count, target) : 0
      let cost =
        difference + abs(Double(index) + 0.5 - place) / Double(histogram.values.count) * 1e-3
      if cost < best?.cost ?? .infinity { best = (index, cost) }
    }
    let chosen =
      best.map { histogram.values[$0.place] }
      ?? histogram.values[min(Int(place), histogram.values.count - 1)]
    taken[column, default: []].insert(chosen)
    return chosen
  }

  private func histogram(of column: Column, _ connection: Connection) throws -> Histogram {
    if let known = histograms[column] { return known }
    var histogram = Histogram()
    let name = column.column.quotedName
    let groups = try connection.prepare(
      "SELECT \(name), count(*) FROM \(column.table.quotedName) WHERE \(name) IS NOT NULL "
        + "GROUP BY 1 ORDER BY 1 LIMIT \(Self.mostValues)"
    )
    while try groups.step() {
      histogram.values.append(groups.value(at: 0))
      histogram.counts.append(Int(groups.integer(at: 1)))
    }
    histograms[column] = histogram
    return histogram
  }

  private func size(of column: Column, _ connection: Connection) throws -> Int {
    let key = column.table + "." + column.column
    if let known = sizes[key] { return known }
    let count = try connection.integer(
      "SELECT count(\(column.column.quotedName)) FROM \(column.table.quotedName)"
    )
    sizes[key] = Int(count ?? 0)
    return sizes[key] ?? 0
  }

  private func bound(
    _ value: Value,
    _ column: Column,
    _ sign: String,
    rows: Int,
    _ connection: Connection
  ) throws -> Value {
    let size = try size(of: column, connection)
    guard size > 0, value != .null else { return value }
    var offset = Int(quantile(value, column) * Double(size))
    if rows >= 0 {
      let left = min(size, Int((Double(rows) * scale).rounded()))
      offset = sign.first == "<" ? left : size - left - (sign == ">" ? 1 : 0)
    }
    let name = column.column.quotedName
    let found = try connection.prepare(
      "SELECT \(name) FROM \(column.table.quotedName) WHERE \(name) IS NOT NULL "
        + "ORDER BY \(name) LIMIT 1 OFFSET \(min(max(offset, 0), size - 1))"
    )
    return try found.step() ? found.value(at: 0) : value
  }

  // MARK: Searched strings

  /// A string of about the same length, contained in about as many objects as the log reports rows.
  func searched(
    _ text: String,
    _ table: String,
    _ column: String,
    rows: Int,
    on connection: Connection
  ) throws -> String {
    let place = Column(table: table, column: column)
    let key = Key(column: place, sign: "search", value: .text(text))
    if case .text(let known)? = images[key] { return known }
    // Do not map LIKE patterns, because their wildcards must be kept.
    let isPattern = text.hasPrefix("%") || text.hasSuffix("%") || text.hasPrefix("*")
    guard rows != 0, !text.isEmpty, !isPattern else { return text }
    var best = (text: text, cost: Double.infinity)
    for candidate in try parts(of: place, length: text.count, connection).prefix(Self.mostSearches)
    {
      let statement = try connection.prepare(
        "SELECT count(*) FROM \(table.quotedName) WHERE "
          + "\(FrameworkFunctions.search)(\(column.quotedName), ?, 385, 1)"
      )
      statement.bind(candidate, at: 1)
      guard try statement.step() else { continue }
      let count = Double(statement.integer(at: 0))
      let target = rows < 0 ? 1 : Double(rows) * scale
      let cost = abs(count - target) / max(count, target, 1)
      if cost < best.cost { best = (candidate, cost) }
      if cost < 0.05 { break }
    }
    images[key] = .text(best.text)
    return best.text
  }

  /// Substrings of the given length from the column's strings, spread over the table.
  private func parts(
    of column: Column,
    length: Int,
    _ connection: Connection
  ) throws -> [String] {
    let size = try size(of: column, connection)
    let name = column.column.quotedName
    let texts = try connection.prepare(
      "SELECT \(name) FROM \(column.table.quotedName) WHERE \(name) IS NOT NULL "
        + "AND Z_PK % \(max(1, size / Self.mostTexts)) = 0 LIMIT \(Self.mostTexts)"
    )
    var parts: [String] = []
    var number = 0
    while try texts.step() {
      let text = Array(texts.text(at: 0))
      guard text.count >= length else { continue }
      number += 1
      let start = (number * 7) % (text.count - length + 1)
      let part = String(text[start..<start + length])
      if !parts.contains(part) { parts.append(part) }
    }
    return parts
  }
}
