import Basics
import Foundation
import Runner

/// A plan as a file: JSON with sorted keys, the same bytes for the same plan.
///
/// `Results/schema/plan-v1.schema.json` is its JSON Schema.
package enum PlanFile {
  /// Writes a plan, atomically.
  package static func write(_ plan: PlanDocument, to path: String) throws {
    try AtomicFile.write(plan.jsonText(), to: path)
  }

  /// Reads a plan of untrusted origin and checks it.
  ///
  /// Throws ``ReporterError``, for a file that is no plan with what is wrong and where.
  package static func read(_ path: String) throws -> PlanDocument {
    let bytes: [UInt8]
    do {
      bytes = try ReporterError.reading(path) { () throws(InputFile.Failure) in
        try InputFile.bytes(of: path, limit: 64 << 20)
      }
    } catch ReporterError.missing {
      throw Refusal.noSuchInput(path: path)
    } catch ReporterError.notAResult(_, let reason) {
      throw ReporterError.notAPlan(path: path, reason: reason)
    }
    do {
      return try ResultJSON().plan(from: bytes)
    } catch {
      throw ReporterError.notAPlan(path: path, reason: String(describing: error))
    }
  }
}

/// What merging gives besides the result: which cases no run has finished.
package struct MergeSummary {
  private let document: ResultDocument
  private let record: PlanRecord
  private let width: Int

  /// `nil` for a result that is not of a plan.
  package init?(_ document: ResultDocument, width: Int) {
    guard let record = document.plan else { return nil }
    (self.document, self.record, self.width) = (document, record, width)
  }

  /// One case of each missing task a line: what `run --case` takes.
  package var missingList: String { record.missingTasks.map { $0.caseID + "\n" }.joined() }

  /// The numbers of the missing tasks as Slurm's `--array` takes them: `3,7-9`.
  package var missingArray: String {
    var ranges: [ClosedRange<Int>] = []
    for number in record.missingTasks.map(\.number) {
      if let last = ranges.last, last.upperBound + 1 == number {
        ranges[ranges.count - 1] = last.lowerBound...number
      } else {
        ranges.append(number...number)
      }
    }
    return ranges.map { $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound)-\($0.upperBound)" }
      .joined(separator: ",")
  }

  /// The plan, the states of its cases, and every attempt that does not count.
  package var lines: [String] {
    let states = PlannedCase.State.allCases.compactMap { state -> String? in
      let count = record.cases.count { $0.state == state }
      return count == 0 ? nil : "\(count) \(state.rawValue)"
    }
    let runs = Figures.counted(record.runs.count, "run")
    let head =
      "plan \(record.document.hash.prefix(12)): \(Figures.counted(record.cases.count, "case")), "
      + states.joined(separator: ", ") + "; \(runs)"
    return ([head] + attempts + environments).flatMap {
      TerminalText.hanging($0, to: width, indent: 2)
    }
      + missing
  }

  private var attempts: [String] {
    record.cases.filter { $0.attempts.count > 1 }.map { planned in
      let counted = record.counted(planned)
      let list = planned.attempts.map { attempt in
        let run = record.run(attempt.run)
        // A run that began a case and has no result of it was killed, or still goes on.
        let state = attempt.state == .running ? "not finished" : attempt.state.rawValue
        return "\(run?.attempt ?? 0) \(state)" + (attempt == counted ? " (counts)" : "")
      }
      return "\(planned.id): attempts \(list.joined(separator: ", "))"
    }
  }

  private var environments: [String] {
    guard document.hasSeveralEnvironments else { return [] }
    let names = Set(record.runs.map(\.environment.machine)).sorted().joined(separator: "; ")
    return [
      "measured in several environments (\(names)): all times of a case come from one environment, "
        + "and findings never compare times of different environments"
    ]
  }

  private var missing: [String] {
    guard !record.missing.isEmpty else { return [] }
    let shown = record.missing.prefix(20).map { "  \($0.id): \($0.state.rawValue)" }
    let rest = record.missing.count - shown.count
    return ["missing:"] + shown + (rest > 0 ? ["  and \(rest) more"] : [])
  }
}
