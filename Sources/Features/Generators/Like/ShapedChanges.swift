import DataModel
import PersistentStore

/// The changes of a generated persistent history, in order.
///
/// Their distributions are those of a profile's history. Each change takes 8 bytes of memory.
struct ShapedChanges: Sendable {
  struct Change {
    /// The change type: 0 for insert, 1 for update, 2 for delete.
    let type: Int
    let entity: Int
    let key: Int64
    let columns: [UInt8]?
    /// The row from which a deletion records values, because the deleted object has no row.
    var keptRow: Int?
  }

  private struct Stream {
    let source: EntitySource
    let lives: ObjectLives
    let type: Int
    let count: Int
    let firstDeletedKey: Int
    let bitmapBytes: Int
    let key: StreamKey

    func time(_ number: Int) -> Double {
      switch type {
      case 0: lives.insertTime(number)
      case 1: lives.updateTime(number)
      default: lives.deleteTime(number)
      }
    }
  }

  private struct Event {
    let stream: UInt16
    let number: UInt32
  }

  private let streams: [Stream]
  private let events: [Event]
  private let starts: [Int]
  private let times: [Bin]
  let deletedObjects: [String: Int]

  init(_ shape: HistoryShape, dataset: Dataset) {
    let key = StreamKey(seed: dataset.recipe.seed).derived("history")
    var deletedObjects: [String: Int] = [:]
    var streams: [Stream] = []
    for changes in shape.changes {
      guard let source = try? dataset.entity(changes.entity),
        let table = dataset.layout.table(of: changes.entity)
      else { continue }
      let lives = ObjectLives(changes, live: source.count)
      let rows = dataset.entities.filter { table.entities.contains($0.name) }
        .reduce(0) { $0 + $1.count }
      let counts = [lives.inserts, lives.updates, lives.deletes]
      for (type, count) in counts.enumerated() where count > 0 {
        streams.append(
          Stream(
            source: source,
            lives: lives,
            type: type,
            count: count,
            firstDeletedKey: rows + deletedObjects[table.root, default: 0],
            bitmapBytes: Self.bitmapBytes(of: changes.entity, in: dataset.recipe.model),
            key: key.derived(changes.entity)
          )
        )
      }
      deletedObjects[table.root, default: 0] += lives.deletes
    }
    self.streams = streams
    self.deletedObjects = deletedObjects
    events = Self.ordered(streams)
    times = shape.times
    starts = Self.starts(shape, changes: events.count, key: key)
  }

  private static func ordered(_ streams: [Stream]) -> [Event] {
    let total = streams.reduce(0) { $0 + $1.count }
    var events: [(time: Double, event: Event)] = []
    events.reserveCapacity(total)
    for (index, stream) in streams.enumerated() {
      for number in 0..<stream.count {
        let event = Event(stream: UInt16(index), number: UInt32(number))
        events.append((stream.time(number), event))
      }
    }
    events.sort { left, right in
      let types = (streams[Int(left.event.stream)].type, streams[Int(right.event.stream)].type)
      return (left.time, types.0, left.event.stream, left.event.number)
        < (right.time, types.1, right.event.stream, right.event.number)
    }
    return events.map(\.event)
  }

  private static func starts(_ shape: HistoryShape, changes: Int, key: StreamKey) -> [Int] {
    let count = min(shape.transactions, changes)
    guard count > 0 else { return [0] }
    let bins = shape.changesPerTransaction
    let sizes = HistogramCounts(
      groups: [
        HistogramCounts.Group(
          bins: bins.isEmpty ? [Bin(at: Double(changes / count), count: 1)] : bins,
          parents: count
        )
      ],
      children: changes,
      least: 1,
      key: key.derived("transactions")
    ).counts()
    return sizes.reduce(into: [0]) { $0.append($0[$0.count - 1] + Int($1)) }
  }

  /// The size of the bitmap of changed properties in bytes (coredata-format.md, section 11).
  ///
  /// It has one bit for each attribute and relationship, and two for a polymorphic to-one
  /// relationship.
  private static func bitmapBytes(of name: String, in model: Model) -> Int {
    guard let entity = model.entity(named: name) else { return 1 }
    let bits = model.relationships(of: entity).filter { !$0.isTransient }.reduce(0) { sum, to in
      sum + (!to.isToMany && !model.subentities(of: to.destination).isEmpty ? 2 : 1)
    }
    let attributes = model.attributes(of: entity).count { !$0.isTransient }
    return max((bits + attributes + 7) / 8, 1)
  }

  var count: Int { events.count }
  var transactionCount: Int { starts.count - 1 }

  func transaction(of change: Int) -> Int {
    var (low, high) = (0, starts.count - 1)
    while high - low > 1 {
      let middle = (low + high) / 2
      if starts[middle] <= change { low = middle } else { high = middle }
    }
    return low
  }

  func change(_ index: Int) -> Change {
    let event = events[index]
    let (stream, number) = (streams[Int(event.stream)], Int(event.number))
    var draws = stream.key.draws(row: number)
    let object: ObjectLives.Object
    switch stream.type {
    case 0: object = stream.lives.inserted(number)
    case 1: object = stream.lives.updated(number, &draws)
    default: object = .deleted(number)
    }
    let key: Int64
    switch object {
    case .live(let row): key = stream.source.primaryKey(row: row)
    case .deleted(let number): key = Int64(stream.firstDeletedKey + number + 1)
    }
    var columns: [UInt8]?
    if stream.type == 1 {
      var bytes = [UInt8](repeating: 0, count: stream.bitmapBytes)
      // Mark one of the first properties as changed. Choose among at most eight properties, and at
      // most two per byte of the bitmap, because nearly every entity has that many properties.
      bytes[0] = 0x80 >> UInt8(draws.below(min(8, stream.bitmapBytes * 2)))
      columns = bytes
    }
    let isKept = stream.type == 2 && stream.source.count > 0
    return Change(
      type: stream.type,
      entity: stream.source.number,
      key: key,
      columns: columns,
      keptRow: isKept ? number % stream.source.count : nil
    )
  }

  func time(of transaction: Int) -> Double? {
    let shares = ColumnSegments.shares(of: times.map(\.count), in: transactionCount)
    var place = transaction
    for (bin, share) in zip(times, shares) {
      if place < share {
        return bin.from + (bin.to - bin.from) * (Double(place) + 0.5) / Double(share)
      }
      place -= share
    }
    return nil
  }

  /// The times at which an entity's objects were inserted, updated and deleted, from 0 at the start
  /// of the history to 1 at its end.
  ///
  /// Deleted objects are numbered in the order of deletion: first those older than the history,
  /// then those inserted during it. Objects that still exist are inserted last.
  struct ObjectLives: Sendable {
    /// An existing object, identified by its row, or a deleted object, identified by its number.
    enum Object: Hashable, Sendable {
      case live(Int)
      case deleted(Int)
    }

    let live: Int
    let deletes: Int
    let inserts: Int
    let updates: Int
    private let olderDeleted: Int
    private let olderLive: Int

    init(_ changes: HistoryProfile.Changes, live: Int) {
      self.live = live
      deletes = changes.deletes
      inserts = min(changes.inserts, live + deletes)
      olderDeleted = max(deletes - inserts, 0)
      olderLive = live - (inserts - (deletes - olderDeleted))
      updates = live > 0 ? changes.updates : 0
    }

    private var insertedDeleted: Int { deletes - olderDeleted }

    func insertTime(_ number: Int) -> Double { Double(number) / Double(inserts) }
    // Insertions and deletions are each evenly spaced, so no object is deleted before it is
    // inserted.
    func deleteTime(_ number: Int) -> Double { Double(number) / Double(deletes) }

    func updateTime(_ number: Int) -> Double {
      let first = olderLive > 0 ? 0 : Double(insertedDeleted + 1) / Double(max(inserts, 1))
      return first + (1 - first) * Double(number) / Double(updates)
    }

    func inserted(_ number: Int) -> Object {
      number < insertedDeleted
        ? .deleted(olderDeleted + number) : .live(olderLive + number - insertedDeleted)
    }

    func updated(_ number: Int, _ draws: inout Draws) -> Object {
      let before = Int(updateTime(number) * Double(inserts)) - insertedDeleted
      return .live(draws.below(max(min(olderLive + before, live), 1)))
    }
  }
}

/// The distributions of a persistent history, scaled from a profile.
package struct HistoryShape: Hashable, Sendable {
  /// For each entity, the numbers of insertions, updates and deletions.
  package var changes: [HistoryProfile.Changes]
  package var transactions: Int
  /// The distribution of the number of changes per transaction.
  package var changesPerTransaction: [Bin]
  /// The number of transactions per month.
  package var times: [Bin]

  init(_ profile: HistoryProfile, factors: [String: Double], k: Int) {
    func scaled(_ count: Int, _ factor: Double) -> Int {
      Int(min((Double(count) * factor).rounded(), Double(Limits.mostObjects)))
    }
    changes = profile.changes.map {
      let factor = factors[$0.entity] ?? 1
      return HistoryProfile.Changes(
        entity: $0.entity,
        inserts: scaled($0.inserts, factor),
        updates: scaled($0.updates, factor),
        deletes: scaled($0.deletes, factor)
      )
    }
    let before = profile.changes.reduce(0) { $0 + $1.count }
    let after = changes.reduce(0) { $0 + $1.count }
    // If the profile has no changes, scale the number of transactions by the largest scaling factor
    // of any entity.
    let overall = before > 0 ? Double(after) / Double(before) : factors.values.max() ?? 1
    transactions = max(scaled(profile.transactions ?? k / 2, overall), after > 0 ? 1 : 0)
    changesPerTransaction = profile.changesPerTransaction
    times = profile.times
  }
}

extension HistoryProfile.Changes {
  fileprivate var count: Int { inserts + updates + deletes }
}
