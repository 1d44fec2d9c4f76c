import Basics

/// What the actions of an app cost in its log, beside their limits.
package struct ActionCheck: Sendable {
  /// A statement of an action that is new, or runs more often than in the reference.
  package struct Addition: Encodable, Equatable, Sendable {
    package let operation: String
    package let fingerprint: String
    package let calls: Int
    /// Calls in the reference; 0 where there are none, `nil` without a reference.
    package let callsBefore: Int?
    package let firstLine: Int
  }

  /// The pages that a replay of a section reads.
  package struct PageCount: Equatable, Sendable {
    package var pages: Int
    /// Why the replay is not evidence; empty where it is.
    package var doubt: String

    package init(pages: Int, doubt: String = "") { (self.pages, self.doubt) = (pages, doubt) }
  }

  /// The costliest section of an action for one measure.
  package struct Figure: Equatable, Sendable {
    package let measure: LogAction.Measure
    /// `nil` where nothing counts it, or the replay that does is not evidence.
    package let value: Int?
    /// Why the replay is not evidence; empty where it is, and where there is none.
    package let doubt: String
    package let limit: Int
    /// The lines of that section, the marker among them.
    package let lines: ClosedRange<Int>

    package var isExceeded: Bool { value.map { $0 > limit } ?? false }
  }

  package struct Outcome: Sendable {
    package let name: String
    /// How often the action is in the log.
    package let sections: Int
    package let figures: [Figure]
    /// The statements of the first section that exceeds a limit, new ones first.
    package let additions: [Addition]

    /// Whether a limit is exceeded, a replay that should check one is not evidence, or the action
    /// is not in the log at all.
    package var isFailed: Bool {
      sections == 0 || figures.contains { $0.isExceeded || !$0.doubt.isEmpty }
    }
  }

  package let outcomes: [Outcome]
  package let hasReference: Bool

  package var isFailed: Bool { outcomes.contains(where: \.isFailed) }

  /// Checks the actions in some logs of one app.
  ///
  /// `pages` counts the pages that a replay of some lines reads; without it, limits on pages are not
  /// checked. Throws a ``Refusal`` where a log cannot be read.
  package init(
    _ file: ActionFile,
    logs: [String],
    schema: LogSchema? = nil,
    pages: ((_ lines: ClosedRange<Int>) throws -> PageCount)? = nil
  ) throws {
    let log = try ActionLog(file.actions, logs: logs, schema: schema)
    let reference = try file.reference.map {
      try ActionLog(file.actions, logs: [$0], schema: schema)
    }
    hasReference = reference != nil
    outcomes = try file.actions.enumerated().map { place, action in
      let sections = log.sections[place]
      let figures = try action.limits.sorted { $0.key.rawValue < $1.key.rawValue }.compactMap {
        try Self.figure($0.key, limit: $0.value, sections, pages: pages)
      }
      let exceeded = figures.first(where: \.isExceeded)
      let section = sections.first { $0.lines == exceeded?.lines }
      return Outcome(
        name: action.name,
        sections: sections.count,
        figures: figures,
        additions: section.map { log.additions(of: $0, beside: reference?.sections[place]) } ?? []
      )
    }
  }

  private static func figure(
    _ measure: LogAction.Measure,
    limit: Int,
    _ sections: [ActionLog.Section],
    pages: ((_ lines: ClosedRange<Int>) throws -> PageCount)?
  ) throws -> Figure? {
    func figure(_ value: Int?, _ section: ActionLog.Section, doubt: String = "") -> Figure {
      Figure(measure: measure, value: value, doubt: doubt, limit: limit, lines: section.lines)
    }
    var worst: Figure?
    for section in sections {
      let value: Int?
      switch measure {
      case .statements: value = section.statements
      case .faults: value = section.faults
      case .rows: value = section.rows
      case .pages:
        let count = try pages?(section.lines)
        if let count, !count.doubt.isEmpty { return figure(nil, section, doubt: count.doubt) }
        value = count?.pages
      }
      // The first one of those that cost most.
      if worst.map({ $0.value ?? -1 < value ?? -1 }) ?? true { worst = figure(value, section) }
    }
    return worst
  }
}

/// The sections of a log that actions select, with what ran in them.
private struct ActionLog {
  struct Section {
    let lines: ClosedRange<Int>
    var statements = 0
    var faults = 0
    var rows = 0
    /// Calls and the first line, by fingerprint.
    var calls: [String: (calls: Int, firstLine: Int)] = [:]
  }

  /// By action, in the order of the log.
  private(set) var sections: [[Section]]
  private var operations: [String: String] = [:]

  init(_ actions: [LogAction], logs: [String], schema: LogSchema?) throws {
    var finder = SectionFinder(actions)
    for path in logs {
      try LineReader(path: path).forEachLine { line, _ in finder.read(line) }
    }
    var sections = finder.finish().map { $0.map { Section(lines: $0) } }
    var last: [Int: LoggedStatement] = [:]
    var table = StatementTable()
    let parser = LogParser { statement in
      let shape = table[statement.entry].shape
      guard shape.isRead || shape.isWrite else { return }
      last[statement.entry] = statement
      for action in sections.indices {
        guard let place = Self.place(of: statement.line, in: sections[action]) else { continue }
        sections[action][place].add(statement, shape, table[statement.entry].fingerprint)
      }
    }
    table = parser.statements
    for path in logs { try parser.read(path) }
    self.sections = sections
    let vocabulary = Vocabulary(schema: schema, names: parser.names)
    for (entry, statement) in last {
      operations[table[entry].fingerprint] = vocabulary.operation(
        table[entry].shape,
        purpose: statement.purpose,
        batchSize: statement.limit
      )
    }
  }

  private static func place(of line: Int, in sections: [Section]) -> Int? {
    var (low, high) = (0, sections.count)
    while low < high {
      let middle = (low + high) / 2
      if sections[middle].lines.upperBound < line { low = middle + 1 } else { high = middle }
    }
    return low < sections.count && sections[low].lines.contains(line) ? low : nil
  }

  /// The statements of a section that no section of the reference has, or has as often; all of them
  /// without a reference.
  func additions(of section: Section, beside reference: [Section]?) -> [ActionCheck.Addition] {
    section.calls.compactMap { fingerprint, found -> ActionCheck.Addition? in
      let before = reference.map { $0.map { $0.calls[fingerprint]?.calls ?? 0 }.max() ?? 0 }
      if let before, before >= found.calls { return nil }
      return ActionCheck.Addition(
        operation: operations[fingerprint] ?? "",
        fingerprint: fingerprint,
        calls: found.calls,
        callsBefore: before,
        firstLine: found.firstLine
      )
    }.sorted {
      let (first, second) = ($0.calls - ($0.callsBefore ?? 0), $1.calls - ($1.callsBefore ?? 0))
      return (second, $0.firstLine) < (first, $1.firstLine)
    }
  }
}

extension ActionLog.Section {
  mutating func add(
    _ statement: LoggedStatement,
    _ shape: StatementShape,
    _ fingerprint: String
  ) {
    statements += 1
    switch statement.purpose {
    case .fault, .toManyFault: faults += 1
    case .unknown where shape.kind == .fault || shape.kind == .toManyFault: faults += 1
    default: break
    }
    if statement.rows > 0 { rows += statement.rows }
    var found = calls[fingerprint] ?? (0, statement.line)
    found.calls += 1
    found.firstLine = min(found.firstLine, statement.line)
    calls[fingerprint] = found
  }
}

/// Finds the lines of each action's sections.
private struct SectionFinder {
  private let actions: [LogAction]
  /// The start of each action's open section; 0 where none is open.
  private var starts: [Int]
  /// Each open section's first time in microseconds; -1 before one is read.
  private var clocks: [Int]
  private var found: [[ClosedRange<Int>]]
  private var line = 0
  private var day: String?
  private let needsClock: Bool

  init(_ actions: [LogAction]) {
    self.actions = actions
    starts = actions.map { $0.from == nil ? 1 : 0 }
    clocks = actions.map { _ in -1 }
    found = actions.map { _ in [] }
    needsClock = actions.contains { action in
      if action.lasts != nil { return true }
      return [action.from, action.to].contains {
        if case .time = $0 { true } else { false }
      }
    }
  }

  mutating func read(_ bytes: UnsafeRawBufferPointer) {
    line += 1
    let clock = needsClock ? LineHead.time(of: bytes) : nil
    if clock != nil, day == nil { day = bytes.part(0..<10).text }
    for place in actions.indices {
      let action = actions[place]
      let isEnd = isOpen(place) && ends(place, bytes, clock)
      // The line that ends a section may contain the text that starts one: it starts none.
      let isStart =
        !isEnd
        && action.from.map {
          meets($0, bytes, clock, isFirst: starts[place] == 0 && found[place].isEmpty)
        } ?? false
      if isEnd || (isStart && isOpen(place)) { end(place, at: line - 1) }
      if isStart {
        starts[place] = line
        clocks[place] = clock ?? -1
      }
    }
  }

  private func isOpen(_ place: Int) -> Bool { starts[place] > 0 && starts[place] < line }

  /// Whether a line is behind an open section.
  private mutating func ends(
    _ place: Int,
    _ bytes: UnsafeRawBufferPointer,
    _ clock: Int?
  ) -> Bool {
    if clocks[place] < 0, let clock { clocks[place] = clock }
    if let lasts = actions[place].lasts, let clock,
      Double(clock - clocks[place]) > lasts * 1e6
    {
      return true
    }
    return actions[place].to.map { meets($0, bytes, clock, isFirst: true) } ?? false
  }

  private mutating func end(_ place: Int, at last: Int) {
    found[place].append(starts[place]...max(last, starts[place]))
    starts[place] = 0
  }

  /// Whether a line is one that a mark means; a time comes once, and only where it is the first.
  private func meets(
    _ mark: LogAction.Mark,
    _ bytes: UnsafeRawBufferPointer,
    _ clock: Int?,
    isFirst: Bool
  ) -> Bool {
    switch mark {
    case .line(let text):
      var text = text
      return text.withUTF8 { bytes.contains($0) }
    case .time(let written):
      guard isFirst, let clock, let day, let time = LogAction.Mark.clock(written, day: day) else {
        return false
      }
      return clock >= time
    }
  }

  /// The sections of each action; those that are open end with the log.
  mutating func finish() -> [[ClosedRange<Int>]] {
    for place in actions.indices where starts[place] > 0 { end(place, at: max(line, 1)) }
    return found
  }
}

extension UnsafeRawBufferPointer {
  /// Whether other bytes are among these.
  fileprivate func contains(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let first = text.first, let base = text.baseAddress, let own = baseAddress else {
      return false
    }
    var start = 0
    while let place = place(of: first, from: start), place + text.count <= count {
      if memcmp(own + place, base, text.count) == 0 { return true }
      start = place + 1
    }
    return false
  }
}
