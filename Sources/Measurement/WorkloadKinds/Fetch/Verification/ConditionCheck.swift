import DataModel
import PersistentStore
import SQLite

/// Whether rows meet a predicate, worked out here and not by SQLite: the statements under test
/// put the predicate into SQL.
struct ConditionCheck {
  /// What a row meets: true, false, or nil where SQL would say NULL.
  typealias Truth = (Statement) -> Bool?

  /// The columns that the check reads, in the order of the selection.
  private(set) var columns: [String] = []
  private let entity: String
  private let layout: StoreLayout
  private let firstColumn: Int

  init(entity: String, layout: StoreLayout, firstColumn: Int) {
    self.entity = entity
    self.layout = layout
    self.firstColumn = firstColumn
  }

  private mutating func select(_ column: String) -> Int {
    columns.append(column)
    return firstColumn + columns.count - 1
  }

  mutating func truth(of predicate: Predicate) throws -> Truth {
    switch predicate {
    case .comparison(let property, let comparison, let value):
      let column = select(try self.column(of: property))
      return { $0.value(at: column).meets(comparison, value) }
    case .isNull(let property):
      let column = select(try self.column(of: property))
      return { $0.isNull(at: column) }
    case .beginsWith(let property, let prefix):
      let column = select(try self.column(of: property))
      return { row in
        row.isNull(at: column) ? nil : row.text(at: column).utf8.starts(with: prefix.utf8)
      }
    case .count(let relationship, let comparison, let number):
      let column = select(try count(of: relationship))
      return { $0.value(at: column).meets(comparison, .integer(Int64(number))) }
    case .keys(let keys):
      let known = Set(keys)
      return { known.contains($0.integer(at: 0)) }
    case .not(let inner):
      let truth = try truth(of: inner)
      return { truth($0).map { !$0 } }
    case .and(let parts): return Self.all(try truths(of: parts), are: true)
    case .or(let parts): return Self.all(try truths(of: parts), are: false)
    }
  }

  private mutating func truths(of parts: [Predicate]) throws -> [Truth] {
    var truths: [Truth] = []
    for part in parts { truths.append(try truth(of: part)) }
    return truths
  }

  /// The value where all parts have it, its opposite where one has that, and otherwise NULL.
  private static func all(_ parts: [Truth], are value: Bool) -> Truth {
    { row in
      var result: Bool? = value
      for part in parts {
        guard let truth = part(row) else {
          result = nil
          continue
        }
        if truth != value { return truth }
      }
      return result
    }
  }

  func column(of property: String) throws -> String {
    if let column = layout.column(of: property, in: entity) { return "t.\(column.name)" }
    if case .foreignKey(let column, _, _) = layout.storage(of: property, in: entity) {
      return "t.\(column)"
    }
    throw ObjectContextError.unknownProperty(entity: entity, property: property)
  }

  private func count(of relationship: String) throws -> String {
    let (table, column): (String, String)
    switch layout.storage(of: relationship, in: entity) {
    case .inverseForeignKey(let found, let key, _): (table, column) = (found, key)
    case .join(let found, let side): (table, column) = (found, side.ownColumn)
    case .foreignKey, nil:
      throw ObjectContextError.unknownProperty(entity: entity, property: relationship)
    }
    return "(SELECT count(*) FROM \(table) AS o NOT INDEXED WHERE o.\(column) = t.Z_PK)"
  }
}

extension Value {
  /// Whether a stored value stands so to another; `nil` where one of them is NULL.
  fileprivate func meets(_ comparison: Predicate.Operator, _ other: Value) -> Bool? {
    guard let order = order(to: other) else { return nil }
    return switch comparison {
    case .equal: order == 0
    case .notEqual: order != 0
    case .less: order < 0
    case .lessOrEqual: order <= 0
    case .greater: order > 0
    case .greaterOrEqual: order >= 0
    }
  }

  /// Below, at or above zero, as SQLite orders values: numbers, then texts, then blobs
  /// (https://www.sqlite.org/datatype3.html, section 4.1).
  private func order(to other: Value) -> Int? {
    switch (self, other) {
    case (.null, _), (_, .null): nil
    case (.integer(let left), .integer(let right)): left < right ? -1 : left == right ? 0 : 1
    case (.real(let left), .real(let right)): left < right ? -1 : left == right ? 0 : 1
    case (.integer(let left), .real(let right)): Self.order(left, right)
    case (.real(let left), .integer(let right)): -Self.order(right, left)
    case (.text(let left), .text(let right)): Self.order(Array(left.utf8), Array(right.utf8))
    case (.blob(let left), .blob(let right)): Self.order(left, right)
    default: rank < other.rank ? -1 : 1
    }
  }

  private var rank: Int {
    switch self {
    case .null: 0
    case .integer, .real: 1
    case .text: 2
    case .blob: 3
    }
  }

  private static func order(_ left: Int64, _ right: Double) -> Int {
    let rounded = Double(left)
    guard rounded == right else { return rounded < right ? -1 : 1 }
    // Equal but for what rounding took; beyond 64 bits lies only 2^63, above every integer.
    guard let exact = Int64(exactly: right) else { return -1 }
    return left < exact ? -1 : left == exact ? 0 : 1
  }

  private static func order(_ left: [UInt8], _ right: [UInt8]) -> Int {
    left == right ? 0 : left.lexicographicallyPrecedes(right) ? -1 : 1
  }
}
