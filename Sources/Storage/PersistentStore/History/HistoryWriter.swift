import DataModel
import SQLite

/// Writes the persistent history of a context's saves (coredata-format.md, section 11).
final class HistoryWriter {
  /// What happened to an object, numbered as ZCHANGETYPE numbers it.
  enum ChangeType: Int64 {
    case insert = 0
    case update = 1
    case delete = 2
  }

  private let connection: Connection
  private let layout: StoreLayout
  private let clock: () -> Double
  private let bundle: String
  private let process: String
  private let author: String?
  private var strings: [String: Int64]?
  private var bitmaps: [Int: HistoryBitmap] = [:]
  private var transaction: Int64 = 0
  private var nextChange: Int64 = 0

  init(store: PersistentStore, author: String?) throws {
    connection = store.connection
    layout = store.layout
    clock = store.clock
    bundle = store.bundleIdentifier
    process = store.processName
    self.author = author
  }

  /// Reserves the keys of a transaction and of its changes; call it where keys are reserved.
  func reserveKeys(changes: Int) throws {
    transaction = try KeyReservation.reserve(
      1,
      of: EntityNumbers.transaction,
      name: "TRANSACTION",
      on: connection
    )
    nextChange = try KeyReservation.reserve(
      changes,
      of: EntityNumbers.change,
      name: "CHANGE",
      on: connection
    )
    guard strings == nil else { return }
    // A key is taken for each attempt, also where the name is there already: Z_MAX of 16003
    // exceeds the rows in the fixtures (section 3).
    let names = self.names
    var key = try KeyReservation.reserve(
      names.count,
      of: EntityNumbers.transactionString,
      name: "TRANSACTIONSTRING",
      on: connection
    )
    var keys: [String: Int64] = [:]
    for name in names {
      keys[name] = try self.key(of: name, candidate: key)
      key += 1
    }
    strings = keys
  }

  private var names: [String] { [bundle, process] + (author.map { [$0] } ?? []) }

  private func key(of name: String, candidate: Int64) throws -> Int64 {
    let insert = try connection.cached(
      "INSERT OR IGNORE INTO ATRANSACTIONSTRING (Z_PK, Z_ENT, ZNAME) VALUES (?, ?, ?)"
    )
    insert.bind(candidate, at: 1)
    insert.bind(Int64(EntityNumbers.transactionString), at: 2)
    insert.bind(name, at: 3)
    try insert.run()
    let select = try connection.cached("SELECT Z_PK FROM ATRANSACTIONSTRING WHERE ZNAME = ?")
    select.bind(name, at: 1)
    defer { select.reset() }
    return try select.step() ? select.integer(at: 0) : candidate
  }

  /// Writes the row of the save's transaction.
  func writeTransaction() throws {
    let insert = try connection.cached(
      "INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZAUTHORTS, ZBUNDLEIDTS, ZPROCESSIDTS, ZTIMESTAMP)"
        + " VALUES (?, ?, ?, ?, ?, ?)"
    )
    insert.bind(transaction, at: 1)
    insert.bind(Int64(EntityNumbers.transaction), at: 2)
    insert.bind(author.flatMap { strings?[$0] }.map { Value.integer($0) } ?? .null, at: 3)
    insert.bind(strings?[bundle].map { Value.integer($0) } ?? .null, at: 4)
    insert.bind(strings?[process].map { Value.integer($0) } ?? .null, at: 5)
    insert.bind(clock(), at: 6)
    try insert.run()
  }

  /// Writes the change of an object: an update with its bitmap, a deletion with its tombstone.
  func write(_ type: ChangeType, of object: ManagedObject, changedSlots: [Int] = []) throws {
    let tombstones = type == .delete ? self.tombstones(of: object) : []
    let names = tombstones.indices.map { ", ZTOMBSTONE\($0)" }.joined()
    let marks = tombstones.map { _ in ", ?" }.joined()
    let insert = try connection.cached(
      "INSERT INTO ACHANGE (Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID, ZCOLUMNS"
        + "\(names)) VALUES (?, ?, ?, ?, ?, ?, ?\(marks))"
    )
    insert.bind(nextChange, at: 1)
    insert.bind(Int64(EntityNumbers.change), at: 2)
    insert.bind(type.rawValue, at: 3)
    insert.bind(Int64(object.description.number), at: 4)
    insert.bind(object.key, at: 5)
    insert.bind(transaction, at: 6)
    if type == .update {
      insert.bind(bitmap(of: object.description).bytes(changedSlots, in: object), at: 7)
    } else {
      insert.bindNull(at: 7)
    }
    for (index, value) in tombstones.enumerated() { insert.bind(value, at: 8 + index) }
    try insert.run()
    nextChange += 1
  }

  private func tombstones(of object: ManagedObject) -> [Value] {
    SystemTables.preservedAttributes(of: object.description.entity, in: layout.model).map {
      guard let slot = try? object.description.slot(of: $0.name) else { return .null }
      return object.snapshot?[slot] ?? object.values[slot]
    }
  }

  private func bitmap(of description: EntityDescription) -> HistoryBitmap {
    if let bitmap = bitmaps[description.number] { return bitmap }
    let bitmap = HistoryBitmap(description: description)
    bitmaps[description.number] = bitmap
    return bitmap
  }
}

/// Which properties an update changed, as ZCOLUMNS says it: the first property is the highest bit
/// of the first byte; to-ones, attributes, to-manys, each by name (coredata-format.md, section 11).
struct HistoryBitmap {
  private let count: Int
  private let slotPositions: [Int: Int]
  private let toManyPositions: [Int: Int]

  init(description: EntityDescription) {
    var position = 0
    var slots: [Int: Int] = [:]
    var toManys: [Int: Int] = [:]
    for toOne in description.toOnes.sorted(by: { $0.name < $1.name }) {
      slots[toOne.slot] = position
      position += 1
      // A to-one whose target's entity has sub-entities takes two positions.
      if let slot = toOne.entitySlot {
        slots[slot] = position
        position += 1
      }
    }
    let attributes = description.columns.indices.filter {
      if case .attribute = description.columns[$0].content { return true }
      return false
    }
    for slot in attributes.sorted(by: {
      description.columns[$0].property < description.columns[$1].property
    }) {
      slots[slot] = position
      position += 1
    }
    for toMany in description.toManys.sorted(by: { $0.name < $1.name }) {
      toManys[toMany.index] = position
      position += 1
    }
    count = position
    slotPositions = slots
    toManyPositions = toManys
  }

  /// The bitmap of an update.
  func bytes(_ changedSlots: [Int], in object: ManagedObject) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: (count + 7) / 8)
    var positions = changedSlots.compactMap { slotPositions[$0] }
    for (index, cache) in object.toManys.enumerated() where cache?.saved != nil {
      if let position = toManyPositions[index] { positions.append(position) }
    }
    for position in positions { bytes[position / 8] |= 0x80 >> UInt8(position % 8) }
    return bytes
  }
}
