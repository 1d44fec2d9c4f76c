import Basics
import DataModel
import Foundation

/// A section of a log with limits, from the `actions:` of a workload file.
package struct LogAction: Equatable, Sendable {
  /// Where a section starts or ends.
  package enum Mark: Equatable, Sendable {
    /// A line that contains this text, as the app prints it.
    case line(String)
    /// The first line at or after a time of day, with a date or of the log's first day.
    case time(String)
  }

  /// What a limit counts.
  package enum Measure: String, CaseIterable, Sendable {
    /// Reads and writes of objects; not transactions, pragmas and the store's upkeep.
    case statements
    /// Objects and to-many relationships that were read one at a time.
    case faults
    /// Rows that reads returned.
    case rows
    /// Pages that a replay of the section reads from a store's file; no log shows them.
    case pages

    var summary: String {
      switch self {
      case .statements: "largest allowed number of reads and writes"
      case .faults: "largest allowed number of faults that are fired one at a time"
      case .rows: "largest allowed number of rows that reads return"
      case .pages:
        "largest allowed number of pages that a replay of the section reads, with '--store'"
      }
    }
  }

  package var name: String
  /// `nil` for the start of the log.
  package var from: Mark?
  /// `nil` for the action's next section, or the end of the log.
  package var to: Mark?
  /// Seconds after which a section ends; `nil` for no such end.
  package var lasts: Double?
  package var limits: [Measure: Int] = [:]

  package init(name: String) { self.name = name }
}

/// The actions of a file, and the log that they are compared with.
package struct ActionFile: Equatable, Sendable {
  package let actions: [LogAction]
  /// A log of the same actions that is known to be good; `nil` where the file names none.
  package let reference: String?

  /// The keys of an action.
  static let keys =
    [
      FileKey("name", .text, "the action's name in reports", isRequired: true),
      FileKey("from", .text, "text of the line that the action starts with"),
      FileKey("to", .text, "text of the line that the action ends with"),
      FileKey("fromTime", .written("a time such as 12:30:05"), "time at which the action starts"),
      FileKey("toTime", .written("a time such as 12:30:07.5"), "time at which the action ends"),
      FileKey("lasts", .written("a time such as 2 s"), "duration of the action"),
    ] + LogAction.Measure.allCases.map { FileKey($0.rawValue, .integer(0...Int.max), $0.summary) }

  /// Reads `actions:` of a workload file, and leaves its other keys alone.
  ///
  /// Throws ``Refusal/invalidActions(_:)`` with everything that is wrong, or a
  /// ``Refusal`` where the file cannot be read at all.
  package init(path: String) throws {
    let diagnostics = Diagnostics(file: path)
    let top = try YAMLDocument.read(path: path, into: diagnostics)?.mapping()
    if let top, top["actions"] == nil { top.report("the file lacks the key 'actions'") }
    actions = (top?["actions"]?.itemsOrSelf() ?? []).compactMap(Self.action)
    reference = top?["reference"]?.string().map {
      $0.hasPrefix("/")
        ? $0 : URL(fileURLWithPath: path).deletingLastPathComponent().path + "/" + $0
    }
    guard !diagnostics.hasErrors else {
      throw Refusal.badInput(diagnostics.all.map(\.description).joined(separator: "\n"))
    }
  }

  private static func action(_ value: YAMLValue) -> LogAction? {
    guard let mapping = value.mapping(knowing: keys), let name = mapping.required("name")?.string()
    else { return nil }
    var action = LogAction(name: name)
    func mark(_ text: String, _ time: String) -> LogAction.Mark? {
      if mapping[text] != nil, mapping[time] != nil {
        mapping.report("'\(name)': '\(text)' and '\(time)' exclude each other")
      }
      if let marker = mapping[text]?.string() {
        if marker.isEmpty { mapping[text]?.report("'\(text)' must not be empty") }
        return .line(marker)
      }
      guard let value = mapping[time], let written = value.string() else { return nil }
      if LogAction.Mark.clock(written, day: "2001-01-01") == nil {
        value.report("'\(time)' must be a time such as 12:30:05 or 2026-04-01 12:30:05.25")
      }
      return .time(written)
    }
    action.from = mark("from", "fromTime")
    action.to = mark("to", "toTime")
    if let lasts = mapping["lasts"], let text = lasts.string() {
      action.lasts = Quantity.seconds(text, in: 0.001...1e7, plainUnit: 1)
      if action.lasts == nil { lasts.report("'lasts' must be a time such as 2 s") }
    }
    for measure in LogAction.Measure.allCases {
      action.limits[measure] = mapping[measure.rawValue]?.integer(in: 0...Int.max)
    }
    if action.limits.isEmpty {
      let names = LogAction.Measure.allCases.map(\.rawValue).joined(separator: ", ")
      mapping.report("'\(name)' has no limit (one of \(names))")
    }
    return action
  }
}

extension LogAction.Mark {
  /// A written time in the microseconds of ``LineHead/time(of:)``; `nil` where it is no time.
  static func clock(_ written: String, day: String) -> Int? {
    let text = (written.contains("-") ? written : day + " " + written) + " "
    return Array(text.utf8).withUnsafeBytes { LineHead.time(of: $0) }
  }
}
