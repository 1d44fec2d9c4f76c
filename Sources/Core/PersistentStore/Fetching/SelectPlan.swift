import Basics
import DataModel
import SQLite

/// The statements that select the rows of an entity and its sub-entities, and the code that reads
/// rows into objects.
final class SelectPlan {
  let description: EntityDescription
  /// The SELECT clause; the table has the alias t0.
  let selectRows: String
  let selectKeys: String
  let selectFault: String
  /// The condition that selects the entity's rows in a shared table, or `nil` if all rows belong to
  /// it.
  let entityCondition: String?
  /// The number of result columns before the slots: Z_ENT or 0, Z_PK, Z_OPT.
  static let firstColumn = 3

  /// An entity whose rows are read.
  ///
  /// Uses unmanaged references to avoid reference counting per row; the plan and its context keep
  /// the referenced objects alive.
  private struct Member {
    let description: Unmanaged<EntityDescription>
    let objects: Unmanaged<IdentityMap.Table>
    let columns: UnsafeMutableBufferPointer<Int>

    init(description: EntityDescription, columns: [Int]) {
      self.description = .passUnretained(description)
      objects = .passUnretained(description.objects)
      self.columns = .allocate(capacity: columns.count)
      _ = self.columns.initialize(from: columns)
    }
  }

  private let members: [Int: Member]
  /// The only entity in the table; `nil` if the table is shared.
  private let only: Member?
  private let family: [EntityDescription]
  private let hasExternalData: Bool
  private var batch: (size: Int, statement: Statement)?
  /// The statements that fire faults: one for rows, and one for each to-many relationship whose
  /// destination is the entity.
  ///
  /// They are cached, because a lookup by their long SQL would be slow.
  private var fault: Statement?
  private var toManyFaults: [ObjectIdentifier: Statement] = [:]

  init(description: EntityDescription, family: [EntityDescription]) {
    self.description = description
    let names = Set(family.flatMap { $0.columns.map(\.name) })
    let selected = description.table.columns.filter { names.contains($0.name) }
    let isShared = description.hasFamily
    let first = isShared ? "t0.Z_ENT" : "0"
    let list = selected.map { ", t0.\($0.name)" }.joined()
    selectRows = "SELECT \(first), t0.Z_PK, t0.Z_OPT\(list)"
    selectKeys = "SELECT \(first), t0.Z_PK"
    selectFault = "\(selectRows) FROM \(description.table.name) t0 WHERE t0.Z_PK = ?"
    let positions = Dictionary(
      keepingFirst: selected.enumerated().map { ($1.name, $0 + Self.firstColumn) }
    )
    members = Dictionary(
      keepingFirst: family.map { member in
        let columns = member.columns.map { positions[$0.name] ?? 0 }
        return (member.number, Member(description: member, columns: columns))
      }
    )
    self.family = family
    only = isShared ? nil : members[description.number]
    hasExternalData = family.contains { !$0.externalSlots.isEmpty }
    entityCondition = Self.condition(
      for: family.map(\.number),
      isWholeTable: family.count == description.table.entities.count
    )
  }

  /// Returns the statement that reads the rows whose keys are in the virtual table `_Z_intarray0`.
  func batch(of size: Int, on connection: Connection) throws -> Statement {
    if let batch, batch.size == size { return batch.statement }
    let statement = try connection.fetching(
      "\(selectRows) FROM \(description.table.name) t0"
        + " WHERE t0.Z_PK IN (SELECT * FROM _Z_intarray0) LIMIT \(size)"
    )
    batch = (size, statement)
    return statement
  }

  /// The statement that reads the row of one object.
  func fault(on connection: Connection) throws -> Statement {
    if let fault { return fault }
    let statement = try connection.fetching(selectFault)
    fault = statement
    return statement
  }

  /// The statement that reads the keys or the rows of the targets of one object's to-many
  /// relationship.
  func fault(
    of toMany: EntityDescription.ToMany,
    readsRows: Bool,
    on connection: Connection
  ) throws -> Statement {
    if let known = toManyFaults[ObjectIdentifier(toMany)] { return known }
    let sql = ToManySQL(toMany: toMany, plan: self)
    let statement = try connection.fetching(readsRows ? sql.rows : sql.keys)
    toManyFaults[ObjectIdentifier(toMany)] = statement
    return statement
  }

  deinit {
    for member in members.values { member.columns.deallocate() }
  }

  private static func condition(for numbers: [Int], isWholeTable: Bool) -> String? {
    if isWholeTable { return nil }
    if numbers.count == 1 { return "t0.Z_ENT = \(numbers[0])" }
    return "t0.Z_ENT IN (\(numbers.map(String.init).joined(separator: ", ")))"
  }

  /// Returns the object of the statement's current row, and fills its slots if it was not loaded.
  ///
  /// - Throws: ``ObjectContextError/unknownEntity(_:)`` if Z_ENT is not the number of the entity or
  ///   of a sub-entity.
  @inline(__always)
  func readRow(_ statement: Statement, in context: ObjectContext) throws -> ManagedObject {
    let member = try member(statement)
    let key = statement.integer(at: 1)
    let place = member.objects._withUnsafeGuaranteedRef { $0.place(of: key) }
    if let object = member.objects._withUnsafeGuaranteedRef({ $0.object(at: place) }) {
      if object.isFault { try load(object, member, from: statement, in: context) }
      return object
    }
    let object = member.description._withUnsafeGuaranteedRef {
      ManagedObject.make(context: context, description: $0, key: key)
    }
    member.objects._withUnsafeGuaranteedRef { $0.insert(object, at: place) }
    try load(object, member, from: statement, in: context)
    return object
  }

  @inline(__always)
  func readKey(_ statement: Statement, in context: ObjectContext) throws -> ManagedObject {
    context.object(
      try member(statement).description.takeUnretainedValue(),
      key: statement.integer(at: 1)
    )
  }

  func fill(_ object: ManagedObject, from statement: Statement, in context: ObjectContext) throws {
    try load(object, member(statement), from: statement, in: context)
  }

  @inline(__always)
  private func load(
    _ object: ManagedObject,
    _ member: Member,
    from statement: Statement,
    in context: ObjectContext
  ) throws {
    // Objects of another entity have a different number of slots, so filling an object from another
    // entity's row could write out of bounds.
    guard object.isDescribed(by: member.description) else {
      throw ObjectContextError.otherEntity(
        entity: object.description.name,
        key: object.key,
        row: member.description.takeUnretainedValue().name
      )
    }
    object.version = statement.integer(at: 2)
    object.load { slots in
      for slot in 0..<member.columns.count {
        (slots + slot).initialize(to: statement.value(at: member.columns[slot]))
      }
    }
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

extension Cell {
  @inline(__always)
  package var value: Value {
    // The numbers are the codes SQLITE_INTEGER to SQLITE_BLOB; an enumeration's raw values would
    // cost a function call per value.
    switch typeCode {
    case 1: .integer(integer)
    case 2: .real(real)
    case 3: .text(text)
    case 4: .blob(bytes)
    default: .null
    }
  }
}

extension Statement {
  /// Returns the value of a column in the current row.
  @inline(__always)
  package func value(at column: Int) -> Value { cell(at: column).value }

  /// Binds a value to a parameter.
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
