import Basics
import DataModel
import PersistentStore
import Runner
import SQLite

extension CountWorkload {
  package func verify(_ session: CountSession, _ trial: Trial) throws -> Verification {
    let outcome = CountOutcome(parameters, session.model)
    let layout = StoreLayout(model: session.model.model, keepsHistory: false)
    var inspection = StoreInspection(store: trial.store, layout: layout)
    inspection.toleratesOldFaults = false
    let expected = try outcome.expected(StoreContent(store: trial.start, layout: layout))
    var problems = try inspection.problems(expecting: expected) { $0.comparesVersions = true }
    for (save, shown) in session.shown.enumerated() where shown != outcome.badges[save] {
      problems.append("the badges after save \(save + 1) are not equal to the numbers of objects")
      break
    }
    guard problems.isEmpty else { throw VerificationFailure(problems) }
    return Verification(
      digest: outcome.digest,
      notes: ["objects shaped as '\(parameters.entity)'"]
    )
  }
}

/// What the saves of a case had to bring about.
private struct CountOutcome {
  private let parameters: CountParameters
  private let model: CountModel
  /// How often each object was moved.
  private var moves: [Int64: Int] = [:]
  /// How many saves changed the count of each list, if only for a while.
  private var changes: [Int64: Int] = [:]
  /// The number of objects by list, after each save.
  private(set) var badges: [[Int64: Int]] = []

  init(_ parameters: CountParameters, _ model: CountModel) {
    self.parameters = parameters
    self.model = model
    var counts = model.counts
    for save in 0..<parameters.saves {
      var touched: Set<Int64> = []
      for key in model.moved(by: save) {
        let count = moves[key] ?? 0
        moves[key] = count + 1
        for (moves, step) in [(count, -1), (count + 1, 1)] {
          let list = model.list(of: key, moves: moves)
          counts[list, default: 0] += step
          touched.insert(list)
        }
      }
      for list in touched { changes[list, default: 0] += 1 }
      badges.append(counts)
    }
  }

  /// The numbers that the badges show at last.
  var digest: String {
    let text = (badges.last ?? [:]).sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
      .joined(separator: ",")
    return SHA256.hash(data: Array(text.utf8)).hexadecimal
  }

  func expected(_ start: StoreContent) throws -> ExpectedContent {
    var expected = ExpectedContent(from: start)
    let (moves, model) = (moves, model)
    try expected.change(model.entity) { object in
      guard let count = moves[object.key] else { return }
      let list = ContentReference(
        entity: model.listEntity,
        key: model.list(of: object.key, moves: count)
      )
      try object.set(CountModel.list, .object(list))
      object.version = .integer(1 + Int64(count))
    }
    guard parameters.keepsCounts else { return expected }
    let (counts, changes) = (badges.last ?? [:], changes)
    let raises = parameters.strategy == .maintained
    try expected.change(model.listEntity) { object in
      try object.set(CountModel.number, .integer(Int64(counts[object.key] ?? 0)))
      if raises { object.version = .integer(1 + Int64(changes[object.key] ?? 0)) }
    }
    return expected
  }
}
