import DataModel
import PersistentStore
import Runner
import SQLite

/// Makes the changes of a script and saves them.
protocol SaveEngine: AnyObject {
  /// Has the objects at hand that the next changes are about, as an app that shows them.
  func load(_ keys: [Int64]) throws
  func apply(_ change: EditScript.Change) throws
  func save() throws
  /// Lets go of the objects at hand.
  func release()
}

/// An object context.
final class ContextSaves: SaveEngine {
  let context: ObjectContext
  private let model: SaveModel
  private let description: EntityDescription
  private let slots: [Int]
  private let rows: SeededRow
  private let blobs: SeededBlobs
  private var held: [Int64: ManagedObject] = [:]

  init(
    _ store: PersistentStore,
    _ model: SaveModel,
    rows: SeededRow,
    blobs: SeededBlobs,
    durability: CommitDurability = .normal
  ) throws {
    // A commit that outlives a loss of power must not name a file that does not.
    let behaviours = StoreBehaviours(syncsExternalFiles: durability == .commit)
    context = try ObjectContext(store: store, behaviours: behaviours)
    self.model = model
    self.rows = rows
    self.blobs = blobs
    let description = try context.description(of: model.entity)
    self.description = description
    slots = try model.attributes.map { try description.slot(of: $0.name) }
  }

  func load(_ keys: [Int64]) throws {
    let missing = keys.filter { held[$0] == nil }
    guard !missing.isEmpty else { return }
    let found = try context.objects(model.entity, keys: missing, fetchBatchSize: missing.count)
    for (index, key) in missing.enumerated() { held[key] = try found.object(at: index) }
  }

  func apply(_ change: EditScript.Change) throws {
    switch change {
    case .insert(let key):
      let object = try context.insert(model.entity)
      for (slot, value) in zip(slots, rows.values(of: key)) {
        try object.setValue(value, at: slot)
      }
      if let blob = model.blob { try object.setValue(.blob(blobs.bytes(of: key)), of: blob) }
    case .set(let key, let values):
      for (attribute, value) in values { try object(key).setValue(value, of: attribute) }
    case .blob(let key, let version):
      guard let blob = model.blob else { return }
      try object(key).setValue(.blob(blobs.bytes(of: key, version: version)), of: blob)
    case .delete(let key): try context.delete(object(key))
    }
  }

  private func object(_ key: Int64) -> ManagedObject {
    held[key] ?? context.object(description, key: key)
  }

  func save() throws { try context.save() }

  func release() { held.removeAll(keepingCapacity: true) }
}

/// Plain statements: what the app changes waits in memory until it is saved, in one transaction.
final class StatementSaves: SaveEngine {
  private let writer: any RowWriting
  private let model: SaveModel
  private let rows: SeededRow
  private let table: String
  private let number: Int64
  private let columns: [String]
  private let columnNames: [String: String]
  private var inserted: [Int64] = []
  private var changed: [Int64: [String: Value]] = [:]
  private var deleted: [Int64] = []

  init(_ writer: any RowWriting, _ model: SaveModel, _ layout: StoreLayout, rows: SeededRow) throws
  {
    guard let table = layout.table(of: model.entity), let number = layout.numbers[model.entity]
    else { throw ObjectContextError.unknownEntity(model.entity) }
    self.writer = writer
    self.model = model
    self.rows = rows
    self.table = table.name
    self.number = Int64(number)
    columns = model.attributes.compactMap { layout.column(of: $0.name, in: model.entity)?.name }
    columnNames = Dictionary(
      zip(model.attributes.map(\.name), columns),
      uniquingKeysWith: { first, _ in first }
    )
  }

  func load(_ keys: [Int64]) throws {}

  func apply(_ change: EditScript.Change) throws {
    switch change {
    case .insert(let key): inserted.append(key)
    case .set(let key, let values):
      for (attribute, value) in values {
        changed[key, default: [:]][columnNames[attribute] ?? attribute] = value
      }
    case .delete(let key): deleted.append(key)
    case .blob: break
    }
  }

  func save() throws {
    try writer.transaction {
      for key in inserted { try insert(key) }
      if let last = inserted.last { try raiseMaximum(to: last) }
      for (key, values) in changed.sorted(by: { $0.key < $1.key }) { try update(key, values) }
      for key in deleted {
        try expectOneRow(writer.run("DELETE FROM \(table) WHERE Z_PK = ?", [.integer(key)]), key)
      }
    }
    inserted.removeAll(keepingCapacity: true)
    changed.removeAll(keepingCapacity: true)
    deleted.removeAll(keepingCapacity: true)
  }

  private func insert(_ key: Int64) throws {
    let names = columns.map { ", \($0)" }.joined()
    let marks = columns.map { _ in ", ?" }.joined()
    _ = try writer.run(
      "INSERT INTO \(table)(Z_PK, Z_ENT, Z_OPT\(names)) VALUES(?, ?, 1\(marks))",
      [.integer(key), .integer(number)] + rows.values(of: key)
    )
  }

  private func raiseMaximum(to key: Int64) throws {
    _ = try writer.run(
      "UPDATE Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_ENT = ?",
      [.integer(key), .integer(number)]
    )
  }

  private func update(_ key: Int64, _ values: [String: Value]) throws {
    let sets = values.sorted { $0.key < $1.key }
    let names = sets.map { "\($0.key) = ?, " }.joined()
    try expectOneRow(
      writer.run(
        "UPDATE \(table) SET \(names)Z_OPT = Z_OPT + 1 WHERE Z_PK = ?",
        sets.map(\.value) + [.integer(key)]
      ),
      key
    )
  }

  private func expectOneRow(_ count: Int, _ key: Int64) throws {
    guard count == 1 else {
      throw ObjectContextError.missingObject(entity: model.entity, key: key)
    }
  }

  func release() {}
}
