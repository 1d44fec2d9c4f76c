import Foundation
import Measurement
import PersistentStore
import Runner
import SQLite
import TestSupport

/// A small kind on a real store of one table: it adds up the values of all items.
struct TallyWorkload: Workload {
  enum Strategy: String, CaseIterable {
    /// One statement reads all items.
    case scan
    /// A statement an item.
    case probe
    /// Adds to every item.
    case raise
    /// Adds to every item, in batches.
    case raiseInBatches
    /// Inserts a key that is there already, which must fail.
    case clash
    /// Reads, and writes to the store all the same.
    case lie
    /// Leaves one item as it was.
    case forget
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

  static let kind = "tally"
  static let summary = "adds up the values of a table"
  static let axes = [
    Axis.choice("strategy", Strategy.self, "how the values are reached"),
    Axis("batchSize", .integer(1...1000), default: .integer(20), "items a batch"),
    Axis("share", .real(0...1), default: .real(1), "the share that is read"),
    Axis("size", .bytes(0...1_073_741_824), default: .integer(1024), "of a blob"),
    Axis("prefetch", .names, default: .list([]), "relationships"),
    Axis("entity", .name, default: .text("Item"), "what is counted"),
    Axis("isSorted", .boolean, default: .boolean(false), "whether the items are sorted"),
  ]

  static func irrelevantParameters(of values: ParameterValues) -> Set<String> {
    values.text("strategy") == "raiseInBatches" ? [] : ["batchSize"]
  }

  static func impossibility(of values: ParameterValues) -> String? {
    values.text("strategy") == "scan" && values.boolean("isSorted")
      ? "a scan cannot be sorted: use 'probe'" : nil
  }

  let strategy: Strategy
  let batchSize: Int

  init(parameters: ParameterValues) {
    strategy = parameters.choice("strategy") ?? .scan
    batchSize = parameters.integer("batchSize")
  }

  var onlyReads: Bool { [.scan, .probe, .lie].contains(strategy) }
  var expectedFailure: String? { strategy == .clash ? "UNIQUE" : nil }
  var endState: String {
    switch strategy {
    case .scan, .probe, .clash, .lie: "untouched"
    case .raise, .raiseInBatches, .forget: "raised"
    }
  }
  var behaviours: [Behaviour] {
    [Behaviour(name: "order", value: strategy.rawValue, evidence: .assumed)]
  }

  func prepare(_ trial: Trial) throws -> Session {
    let mode: Connection.Mode = onlyReads && strategy != .lie ? .readOnly : .readWrite
    return Session(
      try Connection(path: trial.store.path, mode: mode, settings: trial.settings)
    )
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

  func verify(
    _ session: Session,
    _ trial: Trial,
    failure: (any Error)?
  ) throws -> Verification {
    let plain = try Connection(path: trial.store.path, mode: .readOnly, settings: nil)
    let sum = try plain.integer("SELECT sum(ZVALUE) FROM ZITEM") ?? 0
    for found in session.sums where found != sum {
      throw VerificationFailure(["the sum is \(sum), not \(found)"])
    }
    return Verification(digest: "\(sum)", notes: ["sum \(sum)"])
  }
}

/// A store of 100 items with values 1 to 100, and one external file.
func makeTallyStore(in folder: TemporaryFolder, named name: String = "items.sqlite") throws
  -> StoreFile
{
  let store = StoreFile(path: folder.path + "/" + name)
  try FileManager.default.createDirectory(
    atPath: store.folder,
    withIntermediateDirectories: true
  )
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
