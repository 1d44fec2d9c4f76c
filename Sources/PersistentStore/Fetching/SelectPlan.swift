import DataModel
import SQLite

/// How the rows of an entity and its sub-entities are selected and put into objects' slots.
struct SelectPlan {
  let description: EntityDescription
  /// The text up to the FROM clause, with the table under the name t0.
  let selectRows: String
  let selectKeys: String
  /// The condition that picks the entity's rows in a shared table; `nil` where all rows are.
  let entityCondition: String?
  /// Result columns before the slots' ones: Z_ENT or 0, Z_PK, Z_OPT.
  static let firstColumn = 3

  private struct Member {
    let description: EntityDescription
    /// The result column of each slot.
    let columns: [Int]
  }

  private let members: [Int: Member]

  init(description: EntityDescription, family: [EntityDescription]) {
    self.description = description
    let names = Set(family.flatMap { $0.columns.map(\.name) })
    let selected = description.table.columns.filter { names.contains($0.name) }
    let isShared = description.hasFamily
    let first = isShared ? "t0.Z_ENT" : "0"
    let list = selected.map { ", t0.\($0.name)" }.joined()
    selectRows = "SELECT \(first), t0.Z_PK, t0.Z_OPT\(list)"
    selectKeys = "SELECT \(first), t0.Z_PK"
    let positions = Dictionary(
      selected.enumerated().map { ($1.name, $0 + Self.firstColumn) },
      uniquingKeysWith: { first, _ in first })
    members = Dictionary(
      family.map { member in
        let columns = member.columns.map { positions[$0.name] ?? 0 }
        return (member.number, Member(description: member, columns: columns))
      }, uniquingKeysWith: { first, _ in first })
    entityCondition = Self.condition(
      for: family.map(\.number), isWholeTable: family.count == description.table.entities.count)
  }

  private static func condition(for numbers: [Int], isWholeTable: Bool) -> String? {
    if isWholeTable { return nil }
    if numbers.count == 1 { return "t0.Z_ENT = \(numbers[0])" }
    return "t0.Z_ENT IN (\(numbers.map(String.init).joined(separator: ", ")))"
  }

  /// The object of the statement's current row, its slots filled where they were not.
  ///
  /// - Throws: ``ObjectContextError/unknownEntity(_:)`` for a Z_ENT outside the family.
  @inline(__always)
  func readRow(_ statement: Statement, in context: ObjectContext) throws -> ManagedObject {
    let object = try readKey(statement, in: context)
    guard object.isFault else { return object }
    try fill(object, from: statement, in: context)
    return object
  }

  /// The object of the statement's current row by its first two columns.
  @inline(__always)
  func readKey(_ statement: Statement, in context: ObjectContext) throws -> ManagedObject {
    let key = statement.integer(at: 1)
    guard description.hasFamily else { return context.object(description, key: key) }
    let number = Int(truncatingIfNeeded: statement.integer(at: 0))
    guard let member = members[number] else {
      throw ObjectContextError.unknownEntity("number \(number)")
    }
    return context.object(member.description, key: key)
  }

  /// Fills a fault's slots from the statement's current row.
  func fill(
    _ object: ManagedObject, from statement: Statement, in context: ObjectContext
  ) throws {
    object.version = statement.integer(at: 2)
    let count = object.description.columns.count
    if description.hasFamily {
      guard let member = members[object.description.number] else {
        throw ObjectContextError.unknownEntity(object.description.name)
      }
      object.values = member.columns.map { statement.value(at: $0) }
    } else {
      object.values = Array(unsafeUninitializedCapacity: count) { buffer, initialised in
        while initialised < count {
          buffer.initializeElement(
            at: initialised, to: statement.value(at: initialised + Self.firstColumn))
          initialised += 1
        }
      }
    }
    object.flags.insert(.loaded)
    context.statistics.materialised += 1
    if context.behaviours.externalDataLoad == .onFetch, !object.description.externalSlots.isEmpty {
      try context.externalStorage.loadAll(of: object)
    }
  }
}

extension Statement {
  /// The value of a column in the current row.
  @inline(__always)
  package func value(at column: Int) -> Value {
    switch storageClass(at: column) {
    case .null: .null
    case .integer: .integer(integer(at: column))
    case .real: .real(real(at: column))
    case .text: .text(text(at: column))
    case .blob: .blob(blob(at: column))
    }
  }

  /// Binds a value, as it is, to a parameter.
  @inline(__always)
  package func bind(_ value: Value, at index: Int) {
    switch value {
    case .null: bindNull(at: index)
    case .integer(let value): bind(value, at: index)
    case .real(let value): bind(value, at: index)
    case .text(let value): bind(value, at: index)
    case .blob(let bytes): bind(bytes, at: index)
    }
  }
}
