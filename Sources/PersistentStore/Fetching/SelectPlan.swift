import DataModel
import SQLite

/// How the rows of an entity and its sub-entities are selected and put into objects' slots.
final class SelectPlan {
  let description: EntityDescription
  /// The text up to the FROM clause, with the table under the name t0.
  let selectRows: String
  let selectKeys: String
  /// The condition that picks the entity's rows in a shared table; `nil` where all rows are.
  let entityCondition: String?
  /// Result columns before the slots' ones: Z_ENT or 0, Z_PK, Z_OPT.
  static let firstColumn = 3

  private final class Member {
    let description: EntityDescription
    /// The result column of each slot.
    let columns: [Int]

    init(description: EntityDescription, columns: [Int]) {
      self.description = description
      self.columns = columns
    }
  }

  private let members: [Int: Member]
  /// The one entity of a table without sub-entities.
  private let only: Member?
  private let hasExternalData: Bool

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
    only = isShared ? nil : members[description.number]
    hasExternalData = family.contains { !$0.externalSlots.isEmpty }
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
    let member = try member(statement)
    let key = statement.integer(at: 1)
    if let object = member.description.objects.object(key) {
      if object.isFault { try fill(object, from: statement, in: context) }
      return object
    }
    let object = ManagedObject(
      context: context, description: member.description, key: key,
      version: statement.integer(at: 2), values: values(statement, member), flags: .loaded)
    try didLoad(object, in: context)
    return object
  }

  /// The object of the statement's current row by its first two columns.
  @inline(__always)
  func readKey(_ statement: Statement, in context: ObjectContext) throws -> ManagedObject {
    context.object(try member(statement).description, key: statement.integer(at: 1))
  }

  /// Fills a fault's slots from the statement's current row.
  func fill(
    _ object: ManagedObject, from statement: Statement, in context: ObjectContext
  ) throws {
    object.values = values(statement, try member(statement))
    object.version = statement.integer(at: 2)
    object.flags.insert(.loaded)
    try didLoad(object, in: context)
  }

  @inline(__always)
  private func member(_ statement: Statement) throws -> Member {
    if let only { return only }
    let number = Int(truncatingIfNeeded: statement.integer(at: 0))
    guard let member = members[number] else {
      throw ObjectContextError.unknownEntity("number \(number)")
    }
    return member
  }

  @inline(__always)
  private func values(_ statement: Statement, _ member: Member) -> [Value] {
    let count = member.columns.count
    return Array(unsafeUninitializedCapacity: count) { buffer, initialised in
      member.columns.withUnsafeBufferPointer { columns in
        while initialised < count {
          buffer.initializeElement(at: initialised, to: statement.value(at: columns[initialised]))
          initialised += 1
        }
      }
    }
  }

  @inline(__always)
  private func didLoad(_ object: ManagedObject, in context: ObjectContext) throws {
    context.materialised.pointee += 1
    if loadsExternalData(context.behaviours) {
      try context.externalStorage.loadAll(of: object)
    }
  }

  @inline(__always)
  private func loadsExternalData(_ behaviours: StoreBehaviours) -> Bool {
    hasExternalData && behaviours.externalDataLoad == .onFetch
  }
}

extension Statement {
  /// The value of a column in the current row.
  @inline(__always)
  package func value(at column: Int) -> Value {
    switch typeCode(at: column) {
    case StorageClass.integer.rawValue: .integer(integer(at: column))
    case StorageClass.real.rawValue: .real(real(at: column))
    case StorageClass.text.rawValue: .text(text(at: column))
    case StorageClass.blob.rawValue: .blob(blob(at: column))
    default: .null
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
