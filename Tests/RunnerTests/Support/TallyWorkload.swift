import Foundation
import PersistentStore
import Runner
import SQLite
import TestSupport

/// A small workload kind on a store with one table; it sums the values of all items.
struct TallyWorkload: WorkloadKind {
  enum Strategy: String, CaseIterable, Sendable, PartlyBuiltChoice {
    /// The strategy that the simulated build lacks.
    @TaskLocal static var missing: Strategy?

    /// Reads all items with one statement.
    case scan
    /// Reads each item with its own statement.
    case probe
    /// Increments all items with one statement.
    case raise
    /// Increments all items in batches.
    case raiseInBatches
    /// Inserts a duplicate key, which must fail.
    case clash
    /// Claims to only read, but writes to the store.
    case lie
    /// Leaves one item unchanged, so verification must fail.
    case forget

    var absence: String? {
      self == Self.missing ? "this program was built without '\(rawValue)'" : nil
    }
  }

  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  final class Session {
    let connection: Connection
    var sums: [Int64] = []

    init(_ connection: Connection) {
      self.connection = connection
    }
  }

  static let description = KindDescription(name: "tally", summary: "adds up the values of a table")

  struct Parameters: ParameterSet {
    @Parameter("how the values are reached") var strategy = Strategy.scan
    @Parameter(1...1000, "items a batch") var batchSize = 20
    @Parameter(0...1, "the share that is read") var share = 1.0
    @Parameter(bytes: 0...1_073_741_824, "of a blob") var size = 1024
    @Parameter(.names, "relationships") var prefetch: [String] = []
    @Parameter(.name, "what is counted") var entity = "Item"
    @Parameter("whether the items are sorted") var isSorted = false

    var irrelevant: Set<ParameterName> { strategy == .raiseInBatches ? [] : [$batchSize] }

    var impossibility: String? {
      strategy == .scan && isSorted ? "a scan cannot be sorted: use 'probe'" : nil
    }
  }

  let parameters: Parameters

  private var strategy: Strategy { parameters.strategy }
  private var batchSize: Int { parameters.batchSize }
  private var onlyReads: Bool { [.scan, .probe, .lie].contains(strategy) }

  var traits: CaseTraits {
    let isRaised = [.raise, .raiseInBatches, .forget].contains(strategy)
    var traits = CaseTraits(endState: isRaised ? "raised" : "untouched", onlyReads: onlyReads)
    traits.expectedFailure = strategy == .clash ? "UNIQUE" : nil
    traits.behaviours = [Behaviour(name: "order", value: strategy.rawValue, evidence: .assumed)]
    return traits
  }

  func prepare(_ trial: Trial) throws -> Session {
    let mode: Connection.Mode = onlyReads && strategy != .lie ? .readOnly : .readWrite
    return Session(try Connection(path: trial.store.path, mode: mode, settings: trial.settings))
  }

  func run(_ session: Session, _ recorder: Recorder) throws {
    let connection = session.connection
    recorder.observe(connection)
    switch strategy {
    case .scan:
      session.sums.append(try connection.integer("SELECT sum(ZVALUE) FROM ZITEM") ?? 0)
    case .probe:
      session.sums.append(try probe(connection, recorder))
    case .raise:
      try recorder.phase(.phases.save) {
        try connection.execute("UPDATE ZITEM SET ZVALUE = ZVALUE + 1")
      }
    case .raiseInBatches:
      for first in stride(from: 1, through: 100, by: batchSize) {
        try connection.execute(
          "UPDATE ZITEM SET ZVALUE = ZVALUE + 1 WHERE Z_PK >= \(first) AND Z_PK < "
            + "\(first + batchSize)"
        )
      }
    case .clash:
      try connection.execute("INSERT INTO ZITEM VALUES(1, 1)")
    case .lie:
      try connection.execute("UPDATE ZITEM SET ZVALUE = ZVALUE + 1 WHERE Z_PK = 1")
      try connection.execute("UPDATE ZITEM SET ZVALUE = ZVALUE - 1 WHERE Z_PK = 1")
      session.sums.append(try connection.integer("SELECT sum(ZVALUE) FROM ZITEM") ?? 0)
    case .forget:
      try connection.execute("UPDATE ZITEM SET ZVALUE = ZVALUE + 1 WHERE Z_PK > 1")
    }
  }

  private func probe(_ connection: Connection, _ recorder: Recorder) throws -> Int64 {
    var sum: Int64 = 0
    for key in 1...100 {
      let statement = try connection.cached("SELECT ZVALUE FROM ZITEM WHERE Z_PK = ?")
      statement.bind(Int64(key), at: 1)
      if try statement.step() { sum += statement.integer(at: 0) }
      statement.reset()
      if key == 20 { recorder.mark(.firstScreen) }
    }
    recorder.count(.objects.materialised, 100)
    return sum
  }

  func evidence(_ session: Session, _ trial: Trial) -> Evidence? {
    onlyReads ? nil : Evidence(stores: [trial.store])
  }

  func verify(_ session: Session, _ trial: Trial) throws -> Verification {
    let plain = try Connection(path: trial.store.path, mode: .readOnly, settings: nil)
    let sum = try plain.integer("SELECT sum(ZVALUE) FROM ZITEM") ?? 0
    for found in session.sums where found != sum {
      throw VerificationFailure(["the sum is \(sum), not \(found)"])
    }
    return Verification(digest: "\(sum)", notes: ["sum \(sum)"])
  }
}

/// Makes a store of 100 items, with values 1 to 100, and one external file.
func makeTallyStore(in folder: TemporaryFolder, named name: String = "items.sqlite") throws
  -> StoreFile
{
  let store = StoreFile(path: folder.path + "/" + name)
  try FileManager.default.createDirectory(atPath: store.folder, withIntermediateDirectories: true)
  do {
    let connection = try Connection(path: store.path, mode: .create)
    try connection.execute("CREATE TABLE ZITEM ( Z_PK INTEGER PRIMARY KEY, ZVALUE INTEGER )")
    for value in 1...100 { try connection.execute("INSERT INTO ZITEM VALUES(\(value), \(value))") }
    try connection.checkpoint()
  }
  let external = store.externalDataFolder.dropFirst(folder.path.count + 1)
  try folder.write("blob", to: "\(external)/A")
  return store
}
