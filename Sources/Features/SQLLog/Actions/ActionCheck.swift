import Basics
import DataModel

/// The counts of an app's actions in a log, compared with their limits.
package struct ActionCheck: Sendable {
  /// A statement of an action that is new or runs more often than in the reference log.
  package struct Addition: Encodable, Equatable, Sendable {
    package let operation: String
    package let fingerprint: String
    package let calls: Int
    /// The number of calls in the reference log; `nil` if there is no reference log.
    package let callsBefore: Int?
    package let firstLine: Int
  }

  /// The number of pages that a replay of a section reads.
  package struct PageCount: Equatable, Sendable {
    package var pages: Int
    /// The total size of the pages in bytes; 0 if it is unknown.
    package var bytes: Int
    /// The reason why the replay is not reliable; empty if it is reliable.
    package var doubt: String

    package init(pages: Int, bytes: Int = 0, doubt: String = "") {
      (self.pages, self.bytes, self.doubt) = (pages, bytes, doubt)
    }
  }

  /// The highest value of a measure in an action's sections, with the section in which it occurs.
  package struct Figure: Equatable, Sendable {
    package let measure: LogAction.Measure
    /// The value; `nil` if the measure was not counted or its replay is not reliable.
    package let value: Int?
    /// The reason why the replay is not reliable; empty if it is reliable or the measure needs no
    /// replay.
    package let doubt: String
    package let limit: Int
    /// The lines of the section, including the marker.
    package let lines: ClosedRange<Int>

    package var isExceeded: Bool { value.map { $0 > limit } ?? false }
  }

  package struct Outcome: Sendable {
    package let name: String
    /// The sections of the action, in the order of the log.
    package let occurrences: [ActionSection]
    package let figures: [Figure]
    /// The statements added in the first section that exceeds a limit or the baseline; the largest
    /// increase comes first.
    package let additions: [Addition]
    /// The changes since the baseline; empty without a baseline.
    package let changes: [ActionChange]
    /// The findings about the action's statements; empty if not requested.
    package let findings: [Finding]
    /// Whether the action is in the actions file or, without an actions file, in the baseline.
    package let isExpected: Bool
    /// A sentence about what the log contains instead of an expected action that is missing;
    /// otherwise empty.
    package let instead: String

    /// The number of times the action occurs in the log.
    package var sections: Int { occurrences.count }

    /// Whether a limit is exceeded, an expected action is missing, or a limit needs a replay that
    /// is not reliable.
    package var isFailed: Bool {
      sections == 0 && isExpected || figures.contains { $0.isExceeded || !$0.doubt.isEmpty }
    }

    package var isRegressed: Bool { changes.contains { $0.verdict == .regressed } }
  }

  package let outcomes: [Outcome]
  package let hasReference: Bool
  package let hasBaseline: Bool
  /// Remarks about unusual sections.
  package let notes: [String]
  /// The counts of this log, which can become a baseline.
  package let counts: ActionBaseline

  package var isFailed: Bool { outcomes.contains(where: \.isFailed) }
  package var isRegressed: Bool { outcomes.contains(where: \.isRegressed) }

  /// Checks the actions of one app, selected by a file or a marker, in its logs.
  ///
  /// `pages` counts the pages that a replay of some lines reads; without `pages`, limits on pages
  /// are not checked. `findsCauses` requests the findings of each action if a marker selects the
  /// actions.
  ///
  /// - Throws: a ``Refusal`` if a log cannot be read or no line matches the marker.
  package init(
    _ file: ActionFile?,
    marker: ActionMarker? = nil,
    logs: [String],
    schema: LogSchema? = nil,
    baseline: ActionBaseline? = nil,
    findsCauses: Bool = false,
    pages: ((_ lines: ClosedRange<Int>) throws -> PageCount)? = nil
  ) throws {
    let marker = marker ?? file?.marker
    func read(_ logs: [String], findsCauses: Bool) throws -> ActionLog {
      if let marker {
        return try ActionLog(marker, logs: logs, schema: schema, findsCauses: findsCauses)
      }
      return try ActionLog(file?.actions ?? [], logs: logs, schema: schema)
    }
    var log = try read(logs, findsCauses: findsCauses)
    let reference = try file?.reference.map { try read([$0], findsCauses: false) }
    let declared = file?.actions ?? []
    let limited = Set(declared.filter { $0.limits[.pages] != nil }.map(\.name))
    if let pages {
      var rest = Self.mostReplays
      for (action, name) in log.names.enumerated() {
        let isLimited = limited.contains(name)
        let most = isLimited ? Int.max : Self.replayedOccurrences
        for section in log.sections[action].indices.prefix(most) where isLimited || rest > 0 {
          rest -= isLimited ? 0 : 1
          log.set(try pages(log.sections[action][section].lines), action: action, section: section)
        }
      }
    }
    hasReference = reference != nil
    hasBaseline = baseline != nil
    notes = log.notes
    let now = ActionBaseline(log.names, log.sections)
    counts = now
    let varying = Dictionary(keepingFirst: declared.map { ($0.name, $0.varying) })
    let changes = baseline.map { now.changes(since: $0, varying: varying) } ?? []
    let missing = declared.map(\.name).filter { !log.names.contains($0) }
    let gone = Set(changes.map(\.key.action)).subtracting(log.names + missing).sorted()
    var ownLines: [String]?
    // Returns a sentence with the name or line of the log that is most similar to a missing action
    // or, if no name or line is similar, with the first few.
    func instead(of name: String, _ action: LogAction?) throws -> String {
      let (wanted, words, candidates): (String, String, [String])
      if marker != nil {
        (wanted, words, candidates) = (name, "the log's actions are", log.names)
      } else if case .line(let text)? = action?.from ?? action?.to {
        let lines = try ownLines ?? OwnLines(logs: logs).pairs.map(\.from)
        ownLines = lines
        (wanted, words, candidates) = (
          text, "no line has '\(text)'; the app's own lines are", lines
        )
      } else {
        return ""
      }
      if let nearest = suggestion(for: wanted, among: candidates) {
        return (marker == nil ? "no line has '\(wanted)'; " : "") + "the nearest is '\(nearest)'"
      }
      guard !candidates.isEmpty else { return "the log has no line of the app's own" }
      let listed = candidates.prefix(3).map { "'\($0)'" } + (candidates.count > 3 ? ["…"] : [])
      return "\(words) \(listed.joined(separator: ", "))"
    }
    outcomes = try (log.names + missing + gone).enumerated().map { place, name in
      let isFound = place < log.names.count
      let sections = isFound ? log.sections[place] : []
      let action = declared.first { $0.name == name }
      let figures = (action?.limits ?? [:]).sorted { $0.key.rawValue < $1.key.rawValue }
        .compactMap { Self.figure($0.key, limit: $0.value, sections) }
      let own = changes.filter { $0.key.action == name }
      let exceeded = figures.first(where: \.isExceeded)
      let risen = own.first { $0.verdict == .regressed }.map {
        sections[$0.key.occurrence - 1].lines
      }
      let section = sections.first { $0.lines == exceeded?.lines ?? risen }
      let known = reference.flatMap { reference in
        reference.names.firstIndex(of: name).map { reference.sections[$0] }
      }
      let isExpected = action != nil || gone.contains(name)
      return Outcome(
        name: name,
        occurrences: sections,
        figures: figures,
        additions: section.map {
          log.additions(of: $0, beside: reference == nil ? nil : known ?? [])
        } ?? [],
        changes: own,
        findings: isFound && !log.findings.isEmpty ? log.findings[place] : [],
        isExpected: isExpected,
        instead: isExpected && sections.isEmpty ? try instead(of: name, action) : ""
      )
    }
  }

  /// The maximum number of replayed occurrences per action, unless a limit on pages requires all of
  /// them.
  ///
  /// ``mostReplays`` is the maximum for all actions together, because each replay needs a copy of
  /// the store.
  private static let replayedOccurrences = 3
  private static let mostReplays = 60

  private static func figure(
    _ measure: LogAction.Measure,
    limit: Int,
    _ sections: [ActionSection]
  ) -> Figure? {
    var worst: Figure?
    for section in sections {
      let doubt = measure == .pages ? section.pages?.doubt ?? "" : ""
      let figure = Figure(
        measure: measure,
        value: section.value(measure),
        doubt: doubt,
        limit: limit,
        lines: section.lines
      )
      if !doubt.isEmpty { return figure }
      // Keep the first section with the highest value.
      if worst.map({ $0.value ?? -1 < figure.value ?? -1 }) ?? true { worst = figure }
    }
    return worst
  }
}
