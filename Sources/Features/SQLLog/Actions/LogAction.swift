import Basics
import DataModel
import Foundation

/// A section of a log with limits, from the key `actions` of a workload file.
package struct LogAction: Equatable, Sendable {
  /// The start or the end of a section.
  package enum Mark: Equatable, Sendable {
    /// A line that contains this text, as printed by the app.
    case line(String)
    /// The first line at or after a time, which may include a date; without a date, the log's first
    /// day is assumed.
    case time(String)
  }

  /// The quantity that a limit applies to.
  package enum Measure: String, CaseIterable, Sendable {
    /// The number of reads and writes of objects, without transactions, pragmas and maintenance of
    /// the store.
    case statements
    /// The number of objects and to-many relationships that are read one at a time.
    case faults
    case rows
    /// The number of transactions that write objects.
    case saves
    /// The number of pages of the store's file that a replay of the section reads; the log alone
    /// does not show this number.
    case pages

    var summary: String {
      switch self {
      case .statements: "largest allowed number of reads and writes"
      case .faults: "largest allowed number of faults that are fired one at a time"
      case .rows: "largest allowed number of rows that reads return"
      case .saves: "largest allowed number of saves"
      case .pages:
        "largest allowed number of pages that a replay of the section reads, with '--store'"
      }
    }
  }

  package var name: String
  /// The start of the section; `nil` for the start of the log.
  package var from: Mark?
  /// The end of the section; `nil` for the action's next section or the end of the log.
  package var to: Mark?
  /// The duration in seconds after which the section ends; `nil` if the duration is not limited.
  package var lasts: Double?
  package var limits: [Measure: Int] = [:]
  /// The measures that vary from run to run and are not compared with a baseline.
  package var varying: Set<Measure> = []

  package init(name: String) { self.name = name }
}

/// The actions of a file, and the reference log for comparison.
package struct ActionFile: Equatable, Sendable {
  package let actions: [LogAction]
  /// The path of a log of the same actions that is known to be good; `nil` if the file names no
  /// such log.
  package let reference: String?
  /// The marker of the actions in the log; `nil` if the actions declare their own lines or times.
  package let marker: ActionMarker?

  package init(actions: [LogAction], marker: ActionMarker? = nil) {
    (self.actions, self.marker, reference) = (actions, marker, nil)
  }

  static let keys =
    [
      FileKey("name", .text, "the action's name in reports", isRequired: true),
      FileKey("from", .text, "text of the line that the action starts with"),
      FileKey("to", .text, "text of the line that the action ends with"),
      FileKey("fromTime", .written("a time such as 12:30:05"), "time at which the action starts"),
      FileKey("toTime", .written("a time such as 12:30:07.5"), "time at which the action ends"),
      FileKey("lasts", .written("a time such as 2 s"), "duration of the action"),
      FileKey(
        "varies",
        .oneOrMore(.choice(among: LogAction.Measure.self)),
        "measures that differ from run to run and are compared with no baseline"
      ),
    ] + LogAction.Measure.allCases.map { FileKey($0.rawValue, .integer(0...Int.max), $0.summary) }

  /// Reads the actions of a workload file and ignores its other keys.
  ///
  /// `needsLimits` is `false` if a baseline provides the counts.
  ///
  /// - Throws: a ``Refusal`` with all problems of the file, or if the file cannot be read.
  package init(path: String, needsLimits: Bool = true) throws {
    let diagnostics = Diagnostics(file: path)
    let top = try YAMLDocument.read(path: path, into: diagnostics)?.mapping()
    let pattern = top?["marker"]
    if let top, top["actions"] == nil, pattern == nil {
      top.report("the file lacks the key 'actions'")
    }
    var marker: ActionMarker?
    if let text = pattern?.string() {
      do { marker = try ActionMarker(text) } catch { pattern?.report("\(error)") }
    }
    self.marker = marker
    let isMarked = pattern != nil
    actions = (top?["actions"]?.itemsOrSelf() ?? []).compactMap {
      Self.action($0, needsLimits: needsLimits, isMarked: isMarked)
    }
    reference = top?["reference"]?.string().map {
      $0.hasPrefix("/")
        ? $0 : URL(fileURLWithPath: path).deletingLastPathComponent().path + "/" + $0
    }
    guard !diagnostics.hasErrors else {
      throw Refusal.badInput(diagnostics.all.map(\.description).joined(separator: "\n"))
    }
  }

  private static func action(
    _ value: YAMLValue,
    needsLimits: Bool,
    isMarked: Bool
  ) -> LogAction? {
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
      if LogAction.Mark.clock(written, day: 0) == nil {
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
    for name in mapping["varies"]?.itemsOrSelf() ?? [] {
      guard let text = name.string() else { continue }
      if let measure = LogAction.Measure(rawValue: text) {
        action.varying.insert(measure)
      } else {
        name.report("unknown measure '\(text)'")
      }
    }
    if isMarked, action.from != nil || action.to != nil || action.lasts != nil {
      mapping.report("'\(name)': with 'marker', actions have no lines or times of their own")
    }
    if needsLimits, action.limits.isEmpty, action.varying.isEmpty {
      let names = LogAction.Measure.allCases.map(\.rawValue).joined(separator: ", ")
      mapping.report("'\(name)' has no limit (one of \(names))")
    }
    return action
  }
}

extension LogAction.Mark {
  /// Returns a time from the file in microseconds, on the scale of ``LineHead/time(of:)``; `nil` if
  /// the time is invalid.
  ///
  /// `day` is the start of the day of a time without a date.
  static func clock(_ written: String, day: Int) -> Int? {
    guard let first = written.utf8.first, LineHead.isDigit(first),
      let time = Array(written.utf8).withUnsafeBytes({ LineHead.time(of: $0) })
    else { return nil }
    return time < LineHead.dayLength ? day + time : time
  }
}
