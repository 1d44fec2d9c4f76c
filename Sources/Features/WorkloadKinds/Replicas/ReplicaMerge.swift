import Basics
import DataModel
import PersistentStore
import Runner
import SQLite

/// Merges the later changes of one replica into another: the last writer wins, object by object.
struct ReplicaMerge {
  let shape: ReplicaShape
  let batchSize: Int

  /// Merges every object that the other replica has changed since the split, batch by batch.
  ///
  /// Only the keys of the changed objects are all in memory at once.
  func mergeObjects(
    of other: ObjectContext,
    into context: ObjectContext,
    _ recorder: Recorder
  ) throws {
    let changes = try other.fetch(
      FetchRequest(
        shape.entity,
        predicate: .comparison(
          shape.dateAttribute,
          .greaterOrEqual,
          .integer(ReplicaEdits.start)
        ),
        includesPropertyValues: false
      )
    )
    let keys = try changes.all().map(\.key).sorted()
    other.reset()
    var taken = 0
    for batch in keys.chunks(of: batchSize) {
      for object in try other.load(shape.entity, Array(batch)) {
        let identity = try object.value(of: shape.identityAttribute)
        guard identity != .null, let own = try counterpart(of: identity, in: context),
          try date(of: object) > date(of: own)
        else { continue }
        taken += 1
        for attribute in context.layout.model.attributes(of: object.description.entity)
        where !attribute.isTransient {
          try own.setValue(object.value(of: attribute.name), of: attribute.name)
        }
      }
      try context.save()
      context.reset()
      other.reset()
    }
    recorder.count(.replicas.taken, taken)
  }

  private func counterpart(of identity: Value, in context: ObjectContext) throws -> ManagedObject? {
    try context.first(
      shape.entity,
      where: .comparison(shape.identityAttribute, .equal, identity)
    )
  }

  private func date(of object: ManagedObject) throws -> Double {
    switch try object.value(of: shape.dateAttribute) {
    case .integer(let seconds): Double(seconds)
    case .real(let seconds): seconds
    default: -.infinity
    }
  }

  /// Merges all changes with two SQL statements, without loading objects.
  func mergeSets(
    of other: StoreFile,
    into store: PersistentStore,
    _ recorder: Recorder
  ) throws {
    let connection = store.connection
    let attach = try connection.prepare("ATTACH DATABASE ? AS replica")
    attach.bind(other.path, at: 1)
    try attach.run()
    let columns = shape.table.columns.filter { column in
      if case .attribute = column.content { return true }
      return false
    }.map(\.name)
    let sets = columns.map { "\($0) = r.\($0)" }.joined(separator: ", ")
    let table = shape.table.name
    try connection.transaction {
      // First collect the objects that the replica changed later. A single UPDATE would scan the
      // whole replica for each object if the identity has no index.
      try connection.execute(
        "CREATE TEMP TABLE later AS SELECT a.Z_PK AS own, r.Z_PK AS other FROM \(table) AS a "
          + "JOIN replica.\(table) AS r ON r.\(shape.identity) = a.\(shape.identity) "
          + "WHERE coalesce(r.\(shape.date), -9e999) > coalesce(a.\(shape.date), -9e999)"
      )
      try connection.execute(
        "UPDATE \(table) SET \(sets), Z_OPT = \(table).Z_OPT + 1 FROM temp.later AS l "
          + "JOIN replica.\(table) AS r ON r.Z_PK = l.other WHERE \(table).Z_PK = l.own"
      )
      recorder.count(.replicas.taken, connection.changes)
      try connection.execute("DROP TABLE temp.later")
    }
    try connection.execute("DETACH DATABASE replica")
  }
}

/// The changes made to the replicas since the split: edited strings and the dates of the edits.
///
/// The key and the seed determine which replica changes an object. If both replicas change it,
/// either change may be later, but their dates always differ.
struct ReplicaEdits {
  /// The date of the split: 2026-04-01 09:00 UTC, in seconds since 2001-01-01.
  static let start: Int64 = 796_726_800
  private static let purpose: UInt64 = 0x7265_706c

  enum Replica: Int64 {
    case here = 0
    case there = 1
  }

  let shape: ReplicaShape
  let parameters: ReplicasParameters
  let seed: UInt64

  func apply(_ replica: Replica, to connection: Connection) throws {
    let update = try connection.prepare(
      "UPDATE \(shape.table.name) SET \(shape.text) = ?, \(shape.date) = ?, Z_OPT = Z_OPT + 1 "
        + "WHERE Z_PK = ?"
    )
    try connection.transaction {
      for key in try keys(connection) {
        let bits = SplitMix64.word(seed, Self.purpose, UInt64(bitPattern: key))
        guard isChanged(bits, replica) else { continue }
        // The two replicas use distinct seconds; the random bits decide which replica's edit is
        // later.
        let side = (bits >> 3) & 1 == 0 ? replica.rawValue : 1 - replica.rawValue
        let second = Self.start + Int64(bits % 1_000_000) * 2 + side
        update.bind("\(replica) \(key)", at: 1)
        update.bind(second, at: 2)
        update.bind(key, at: 3)
        try update.run()
      }
    }
  }

  private func isChanged(_ bits: UInt64, _ replica: Replica) -> Bool {
    let place = Double(bits >> 11) / Double(UInt64(1) << 53)
    if place < parameters.conflicts { return true }
    let first = parameters.conflicts + parameters.changed
    return replica == .here ? place < first : place >= first && place < first + parameters.changed
  }

  private func keys(_ connection: Connection) throws -> [Int64] {
    try connection.prepare(
      "SELECT Z_PK FROM \(shape.table.name) WHERE \(shape.identity) IS NOT NULL ORDER BY Z_PK"
    ).map { $0.integer(at: 0) }
  }
}

extension ReplicasWorkload {
  struct Metrics: MetricFamily {
    let taken = Metric.counter("objects.taken", "number of objects copied from the other replica")
  }
}

extension Metric {
  static let replicas = ReplicasWorkload.Metrics()
}
