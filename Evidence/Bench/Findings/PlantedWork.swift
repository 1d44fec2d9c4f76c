import PersistentStore
import Runner
import SQLite

/// A workload kind with the same work under two names, and optional extra work under the second.
///
/// The right finding about the two names is therefore known.
struct PlantedWork: WorkloadKind {
  enum Side: String, CaseIterable, Sendable {
    case first, second
  }

  enum Work: String, CaseIterable, Sendable {
    case compute
    /// Inserts rows, one commit per row.
    case write
  }

  struct Parameters: ParameterSet {
    @Parameter("the name of the alternative") var strategy = Side.first
    @Parameter("what is done") var work = Work.compute
    @Parameter(0...1000, "percent of the work that the second does besides") var extra = 0
  }

  final class Session {
    let connection: Connection
    var sums: [Int64] = []

    init(_ connection: Connection) {
      self.connection = connection
    }
  }

  static let description = KindDescription(
    name: "planted",
    summary: "the same work by two names, of which one may do more"
  )

  /// The number of units of work in a trial under the first name; 10 % and 25 % of it are whole
  /// numbers.
  private static let pieces = 40
  private static let numbers: Int64 = 2000

  let parameters: Parameters

  private var pieces: Int {
    let further = parameters.strategy == .second ? Self.pieces * parameters.extra / 100 : 0
    return Self.pieces + further
  }

  private var writes: Bool { parameters.work == .write }

  var traits: CaseTraits {
    let state = writes ? "\(pieces) rows" : "as it was"
    var traits = CaseTraits(endState: state, onlyReads: !writes)
    traits.job = parameters.work.rawValue
    return traits
  }

  func prepare(_ trial: Trial) throws -> Session {
    let mode: Connection.Mode = writes ? .readWrite : .readOnly
    let connection = try Connection(path: trial.store.path, mode: mode, settings: trial.settings)
    if writes { try connection.execute("CREATE TABLE PLANTED ( NUMBER INTEGER )") }
    return Session(connection)
  }

  func run(_ session: Session, _ recorder: Recorder) throws {
    recorder.observe(session.connection)
    for piece in 0..<pieces {
      if writes {
        try session.connection.execute("INSERT INTO PLANTED VALUES(\(piece))")
      } else {
        let sum = try session.connection.integer(
          "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(Self.numbers)) "
            + "SELECT sum(i) FROM n"
        )
        session.sums.append(sum ?? 0)
      }
    }
  }

  func verify(_ session: Session, _ trial: Trial) throws -> Verification {
    guard writes else {
      let sum = Self.numbers * (Self.numbers + 1) / 2
      guard session.sums.count.isMultiple(of: pieces), session.sums.allSatisfy({ $0 == sum }) else {
        throw VerificationFailure(["not every sum is \(sum)"])
      }
      return Verification(digest: "\(sum)")
    }
    let plain = try Connection(path: trial.store.path, mode: .readOnly, settings: nil)
    let rows = try plain.integer("SELECT count(*) FROM PLANTED") ?? 0
    guard rows == Int64(pieces) else {
      throw VerificationFailure(["there are \(rows) rows, not \(pieces)"])
    }
    return Verification(digest: "\(rows)")
  }
}
