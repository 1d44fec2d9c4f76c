import Basics
import Forecasting
import Foundation
import Runner
import WorkloadKinds

/// A migration whose forecast will be judged, drawn before anything was measured.
struct RegisteredCase: LedgerRecord {
  enum Ladder: String, CaseIterable, LosslessStringConvertible {
    case full
    case quick

    init?(_ description: String) { self.init(rawValue: description) }
    var description: String { rawValue }

    /// The ladder's largest size, in objects.
    var top: Int { self == .full ? LadderDesign.fullTop : LadderDesign.quickTop }
    /// The largest judged size that can be drawn: 99 % of the forecast's limit, because stores can
    /// come out larger.
    var farthest: Int {
      Int(0.99 * Double(top) * (self == .full ? LadderData.fullReach : LadderData.quickReach))
    }
    /// The smallest size of a far migration, in objects.
    var far: Int { top * (self == .full ? RegisteredCase.far : 10) }
  }

  /// The reach (a multiple of the ladder's top) from which a migration counts as far.
  static let far = 8

  static var columns: [LedgerColumn<Self>] {
    [
      .value("number", \.number), .value("file", \.file), .value("case", \.id),
      .flag("like", \.isLike), .value("cachePages", \.cachePages), .value("ladder", \.ladder),
      .value("objects", \.objects), .flag("held", \.isHeld),
      .flag("refusalExpected", \.isRefusalExpected),
    ]
  }

  var number = 0
  var file = ""
  /// The case's ID in the workload file, with the commas replaced by semicolons.
  var id = ""
  /// Whether the stores are generated from a profile of a store that the file's recipe produced.
  var isLike = false
  var cachePages = 0
  var ladder = Ladder.full
  /// The judged size, in objects of all entities.
  var objects = 0
  /// Whether a process holds the free memory during the measurement, so that no host takes it back.
  var isHeld = false
  /// Whether a refused forecast is expected, and therefore not a miss.
  var isRefusalExpected = false
  /// Always 0 s, because a draw measures nothing.
  var seconds: Double { 0 }

  var isFar: Bool { objects >= Self.far * ladder.top }
}

/// Draws migrations from all cases of the workload files, with a commit's hash as the seed.
struct RegisteredDraw {
  let commit: String

  struct Choice: Hashable {
    let file: String
    let id: String
  }

  static func choices() throws -> [Choice] {
    try WorkloadsFolder.files(at: ["Workloads/migration"]).sorted().flatMap { path in
      let plan = try Plan(paths: [path], kinds: WorkloadCatalog.kinds)
      return plan.workloads.flatMap { workload in
        // Leave out cases that are expected to fail, because they do not migrate.
        workload.cases.filter { $0.allParameters.text("duplicates") != "failing" }
          .map { Choice(file: path, id: RegisteredCase.field($0.id)) }
      }
    }
  }

  /// Draws the given number of migrations; every file comes once before any comes again.
  ///
  /// Half of the migrations are far, at eight or more times the ladder's top, and at least half of
  /// those have quick ladders.
  func cases(_ count: Int, from choices: [Choice]) -> [RegisteredCase] {
    let seed = SHA256.hash(data: Data(commit.utf8)).prefix(8)
    var generator = SplitMix64(state: seed.reduce(0) { $0 << 8 | UInt64($1) })
    let byFile = Dictionary(grouping: choices, by: \.file)
    let files = byFile.keys.sorted()
    guard !files.isEmpty else { return [] }
    var order: [String] = []
    while order.count < count { order += files.shuffled(using: &generator) }
    // Chance determines which migrations are far, not how many. An odd number of far migrations
    // gives quick ladders the extra one; an odd number of other migrations, full ladders.
    let far = (count + 1) / 2
    let kinds = (0..<count).map { index -> (RegisteredCase.Ladder, Bool) in
      index < far
        ? (index.isMultiple(of: 2) ? .quick : .full, true)
        : ((index - far).isMultiple(of: 2) ? .full : .quick, false)
    }.shuffled(using: &generator)
    return (0..<count).map { index in
      let own = byFile[order[index]] ?? []
      let choice = own[Int(generator.next() % UInt64(max(own.count, 1)))]
      let (ladder, isFar) = kinds[index]
      let low = isFar ? ladder.far : ladder.top * 2
      let high = isFar ? ladder.farthest : ladder.top * RegisteredCase.far - 1
      return RegisteredCase(
        number: index + 1,
        file: choice.file,
        id: choice.id,
        isLike: generator.next().isMultiple(of: 3),
        cachePages: Self.between(500, 20_000, &generator),
        ladder: ladder,
        objects: Self.between(low, high, &generator),
        isHeld: generator.next().isMultiple(of: 2)
      )
    }
  }

  /// Returns a random size with a uniformly distributed logarithm, rounded to three digits.
  private static func between(_ low: Int, _ high: Int, _ generator: inout SplitMix64) -> Int {
    let share = Double(generator.next() >> 11) / Double(1 << 53)
    let drawn = Double(low) * pow(Double(high) / Double(low), share)
    let unit = pow(10, max(0, floor(log10(drawn)) - 2))
    return min(max(Int((drawn / unit).rounded() * unit), low), high)
  }
}
