import Basics
import DataModel
import Foundation
import PersistentStore
import Runner
import SQLite

/// Merges two replicas of a store that were changed independently, by the date of the last change.
struct ReplicasWorkload: WorkloadKind {
  static let description = KindDescription(
    name: "replicas",
    summary: "merges two replicas by the date of the last change",
    question: "How long does it take to merge two replicas?",
    metrics: Metric.replicas.all,
    fit: fit
  )

  static func fit(_ fit: inout CaseFit, to store: StoreOffer) {
    let parameters = ReplicasParameters(fit.values)
    ReplicaShape.fit(
      &fit,
      to: store,
      entity: (parameters.$entity, parameters.entity),
      identity: (parameters.$identity, parameters.identity),
      date: (parameters.$date, parameters.date)
    )
  }

  struct Session {
    let store: PersistentStore
    let replica: PersistentStore
    /// A copy of the destination replica, made before the merge.
    let before: StoreFile
    let shape: ReplicaShape
  }

  let parameters: ReplicasParameters

  var traits: CaseTraits {
    var traits = CaseTraits(endState: endState)
    traits.notes = notes
    traits.diskFactor = 4
    return traits
  }

  var endState: String {
    "merged, \(parameters.changed) changed and \(parameters.conflicts) conflicts"
  }

  var notes: [String] {
    parameters.engine == .bareSQL ? ["bareSQL: no history is written"] : []
  }

  func prepare(_ trial: Trial) throws -> Session {
    func copy(to name: String) throws -> StoreFile {
      let file = StoreFile(path: "\(trial.folder)/\(name)/\(trial.store.name)")
      try StoreBackup.copy(trial.store, to: file)
      return file
    }
    let other = try copy(to: "replica")
    let (replica, store) = (try trial.open(other), try trial.open())
    let shape = try ReplicaShape(
      entity: parameters.entity,
      identity: parameters.identity,
      date: parameters.date,
      layout: store.layout
    )
    try shape.check(store.connection, parameters)
    let edits = ReplicaEdits(shape: shape, parameters: parameters, seed: trial.seed)
    try edits.apply(.here, to: store.connection)
    try edits.apply(.there, to: replica.connection)
    try store.connection.checkpoint()
    try replica.connection.checkpoint()
    return Session(store: store, replica: replica, before: try copy(to: "before"), shape: shape)
  }

  func run(_ session: Session, _ recorder: Recorder) throws {
    recorder.observe(session.store.connection)
    recorder.observe(session.replica.connection)
    let merge = ReplicaMerge(shape: session.shape, batchSize: parameters.batchSize)
    switch parameters.engine {
    case .bareSQL:
      try merge.mergeSets(of: session.replica.file, into: session.store, recorder)
    case .objectGraph:
      let (context, other) = (
        try ObjectContext(store: session.store), try ObjectContext(store: session.replica)
      )
      defer {
        recorder.count(context)
        recorder.count(other)
      }
      try merge.mergeObjects(of: other, into: context, recorder)
    }
    try session.store.connection.checkpoint()
  }

  func evidence(_ session: Session, _ trial: Trial) -> Evidence? {
    Evidence(stores: [session.before, session.replica.file, trial.store])
  }

  func verify(_ session: Session, _ trial: Trial) throws -> Verification {
    let layout = session.store.layout
    let before = try StoreContent(store: session.before, layout: layout)
    let other = try StoreContent(store: session.replica.file, layout: layout)
    let changed = try MergedReplicas(shape: session.shape, before: before, other: other)
    var expected = ExpectedContent(from: before)
    try changed.apply(to: &expected)
    let inspection = StoreInspection(store: trial.store, layout: layout)
    let writesHistory = layout.keepsHistory && parameters.engine == .objectGraph
    let findings = try inspection.problems(
      expecting: expected,
      history: writesHistory ? .recording : .unchanged
    )
    guard findings.isEmpty else { throw VerificationFailure(findings) }
    return Verification(
      digest: try inspection.digest(),
      notes: [
        "\(changed.taken) of \(session.shape.entity) copied from the other replica, "
          + "\(changed.conflicts) of them also changed here"
      ]
    )
  }
}

extension ReplicasWorkload {
  /// The expected result of a merge, found by plain SQL in the two replicas.
  struct MergedReplicas {
    /// The keys of the objects that the other replica changed later: in that replica, by the key in
    /// this replica.
    private var later: [Int64: Int64] = [:]
    private let shape: ReplicaShape
    private let other: StoreContent
    /// The number of objects in this replica whose change a later change in the other replica
    /// overwrites.
    private(set) var conflicts = 0

    var taken: Int { later.count }

    init(shape: ReplicaShape, before: StoreContent, other: StoreContent) throws {
      self.shape = shape
      self.other = other
      let known = Dictionary(
        keepingFirst: try before.identities(shape).map {
          ($0.identity, (key: $0.key, date: $0.date))
        }
      )
      let start = Double(ReplicaEdits.start)
      for object in try other.identities(shape) {
        guard let own = known[object.identity], object.date > own.date else { continue }
        if own.date >= start { conflicts += 1 }
        later[own.key] = object.key
      }
    }

    /// Expects objects that the other replica changed later to have its attributes; the rest must
    /// be unchanged.
    func apply(to expected: inout ExpectedContent) throws {
      try expected.change(shape.entity) { object in
        guard let key = later[object.key],
          let taken = try other.object(key: key, in: shape.table)
        else { return }
        for property in taken.shape.properties where property.isAttribute {
          if let value = taken[property.name] { try object.set(property.name, value) }
        }
      }
    }
  }
}

extension StoreContent {
  fileprivate func identities(
    _ shape: ReplicaShape
  ) throws -> [(key: Int64, identity: [UInt8], date: Double)] {
    let rows = try connection.prepare(
      "SELECT Z_PK, CAST(\(shape.identity) AS BLOB), coalesce(\(shape.date), -9e999) "
        + "FROM \(shape.table.name) WHERE \(shape.identity) IS NOT NULL ORDER BY Z_PK"
    )
    return try rows.map { ($0.integer(at: 0), $0.blob(at: 1), $0.real(at: 2)) }
  }
}
