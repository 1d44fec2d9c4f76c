import SQLLog
import SQLite

/// The steps of a log with their values on one store, ready to run.
struct ResolvedReplay: Sendable {
  let statements: [ReplayStatement]
  private(set) var steps: [ResolvedStep] = []
  var divergence = ReplayDivergence()
  /// The statements that are not replayed, grouped by a description such as `COMMIT without BEGIN`.
  var omissions: [String: ReplayScript.Omission] = [:]
  /// The statements that SQLite refused, by its error message.
  private(set) var refusals: [String: ReplayScript.Omission] = [:]
  var isMapped = false
  private(set) var rows = 0
  private(set) var changed = 0

  /// For each statement with mapped keys, the total rows read on this store and in the log.
  ///
  /// A mapped key may have more or fewer rows than the logged key, so only totals can be compared.
  private var loops: [Int: (rows: Int, logged: Int)] = [:]
  private static let loopKinds: Set<StatementShape.Kind> = [
    .fault, .toManyFault, .batch, .prefetch,
  ]
  private static let mostRefusals = 50

  init(statements: [ReplayStatement]) {
    self.statements = statements
  }

  mutating func add(
    _ step: ResolvedStep,
    _ statement: ReplayStatement,
    rows: Int,
    isFurther: Bool,
    _ isGuessed: Bool,
    scale: Double
  ) {
    var step = step
    // An additional step has no counterpart in the log, so do not compare its rows.
    if isFurther { step.loggedRows = -1 }
    steps.append(step)
    divergence.statements += 1
    if isGuessed { divergence.guessed += 1 }
    if statement.isChange { changed += rows } else { self.rows += rows }
    if statement.shape.isRead, step.loggedRows >= 0 {
      if isMapped, Self.loopKinds.contains(statement.shape.kind) {
        loops[step.statement, default: (0, 0)].rows += rows
        loops[step.statement, default: (0, 0)].logged += step.loggedRows
      } else {
        divergence.compare(rows: rows, logged: step.loggedRows, scale: scale)
      }
    }
    if step.writesOneObject {
      divergence.writes += 1
      if rows == 0 { divergence.missedWrites += 1 }
    }
  }

  /// Compares the totals of statements that could not be compared one by one.
  mutating func finish(scale: Double) {
    for (_, sums) in loops {
      divergence.compare(rows: sums.rows, logged: sums.logged, scale: scale)
    }
    loops = [:]
  }

  mutating func omit(_ name: String, line: Int) {
    omissions[name, default: .init(count: 0, line: line)].count += 1
    divergence.omitted += 1
  }

  mutating func refuse(_ error: SQLiteError, line: Int) {
    divergence.statements += 1
    divergence.errors += 1
    let name = error.isInterrupted ? "given up after two minutes" : Self.reason(error.message)
    let key = refusals[name] != nil || refusals.count < Self.mostRefusals ? name : "(others)"
    refusals[key, default: .init(count: 0, line: line)].count += 1
  }

  /// SQLite's message without the parts of the statement, which may contain values.
  private static func reason(_ message: String) -> String {
    let isName = { (text: Substring) in
      text.allSatisfy { $0.isLetter || $0.isNumber || "_.,: ".contains($0) }
    }
    if message.hasPrefix("near ") || message.hasPrefix("unrecognized") { return "syntax error" }
    guard let colon = message.firstIndex(of: ":") else { return message }
    return isName(message[colon...]) ? message : String(message[..<colon])
  }
}
