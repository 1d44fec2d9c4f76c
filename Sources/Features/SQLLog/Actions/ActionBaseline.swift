import Basics
import DataModel
import Foundation

/// Exact counts of an app's actions, kept as text for review and compared with a later log.
package struct ActionBaseline: Equatable, Sendable {
  /// Identifies one count of one occurrence of an action.
  package struct Key: Hashable, Comparable, Sendable {
    package var action: String
    /// The number of the occurrence in the log, starting at 1.
    package var occurrence: Int
    package var measure: LogAction.Measure

    package static func < (first: Key, second: Key) -> Bool {
      (first.action, first.occurrence, first.measure.rawValue)
        < (second.action, second.occurrence, second.measure.rawValue)
    }
  }

  package private(set) var counts: [Key: Int] = [:]

  private static let title = "# storebench app baseline 1"
  private static let columns = ["action", "occurrence", "measure", "count"]
  private static let largestFile = 8 << 20

  /// Creates a baseline from the sections of each action; measures without a value are omitted.
  init(_ names: [String], _ sections: [[ActionSection]]) {
    for (name, sections) in zip(names, sections) {
      for (place, section) in sections.enumerated() {
        for measure in LogAction.Measure.allCases {
          let key = Key(action: name, occurrence: place + 1, measure: measure)
          counts[key] = section.value(measure)
        }
      }
    }
  }

  /// Reads a baseline from a file of untrusted origin.
  ///
  /// - Throws: a ``Refusal`` that names the line and the problem.
  package init(path: String) throws {
    guard FileManager.default.fileExists(atPath: path) else {
      throw Refusal.noInput(
        "there is no baseline at '\(path)': write it with the same command and '--update-baseline', "
          + "then commit it"
      )
    }
    let bytes = try InputFile.bytes(path: path, limit: Self.largestFile)
    var isInTable = false
    let lines = String(decoding: bytes, as: UTF8.self)
      .split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    func fail(_ number: Int, _ problem: String) -> Refusal {
      Refusal.badInput("'\(path)' is not a baseline of an app: line \(number): \(problem)")
    }
    for (place, line) in lines.enumerated() {
      if place == 0, line != Self.title {
        throw fail(1, "it does not begin with '\(Self.title)'")
      }
      if line.isEmpty || line.hasPrefix("#") { continue }
      guard let fields = CSVRecord.fields(of: line), fields.count == Self.columns.count else {
        throw fail(place + 1, "it has not the columns \(Self.columns.joined(separator: ","))")
      }
      if !isInTable {
        guard fields == Self.columns else {
          throw fail(place + 1, "it is not the header '\(Self.columns.joined(separator: ","))'")
        }
        isInTable = true
        continue
      }
      guard let occurrence = Int(fields[1]), occurrence > 0 else {
        throw fail(place + 1, "'\(fields[1])' is not the number of an occurrence")
      }
      guard let measure = LogAction.Measure(rawValue: fields[2]) else {
        throw fail(place + 1, "unknown measure '\(fields[2])'")
      }
      guard let count = Int(fields[3]), count >= 0 else {
        throw fail(place + 1, "'\(fields[3])' is not a count")
      }
      let key = Key(action: fields[0], occurrence: occurrence, measure: measure)
      guard counts.updateValue(count, forKey: key) == nil else {
        throw fail(place + 1, "the count is there twice")
      }
    }
  }

  /// The baseline as text; the same counts always produce the same text.
  package var text: String {
    let rows = counts.keys.sorted().map { key in
      CSVRecord.text(
        [key.action, "\(key.occurrence)", key.measure.rawValue, "\(counts[key] ?? 0)"]
      )
    }
    return
      ([
        Self.title,
        "## Counts of an app's actions; 'storebench analyze --update-baseline' writes them.",
        CSVRecord.text(Self.columns),
      ] + rows).joined(separator: "\n") + "\n"
  }

  package func write(to path: String) throws { try AtomicFile.write(text, to: path) }
}

/// A count in the new log, compared with the baseline.
package struct ActionChange: Sendable {
  package enum Verdict: String, Sendable {
    case unchanged, improved, regressed
    /// The count is only in the new log (`new`) or only in the baseline (`missing`).
    case new, missing
    /// The actions file declares that the count varies from run to run.
    case varies
  }

  package let key: ActionBaseline.Key
  package let before: Int?
  package let now: Int?
  package let verdict: Verdict
}

extension ActionBaseline {
  /// Compares each count with an earlier baseline, but does not judge measures in `varying`.
  func changes(
    since old: ActionBaseline,
    varying: [String: Set<LogAction.Measure>]
  ) -> [ActionChange] {
    Set(counts.keys).union(old.counts.keys).sorted().map { key in
      let (before, now) = (old.counts[key], counts[key])
      let verdict: ActionChange.Verdict =
        switch (before, now) {
        case _ where varying[key.action]?.contains(key.measure) == true: .varies
        case (nil, _): .new
        case (_, nil): .missing
        case (let before?, let now?):
          now > before ? .regressed : now < before ? .improved : .unchanged
        }
      return ActionChange(key: key, before: before, now: now, verdict: verdict)
    }
  }
}
