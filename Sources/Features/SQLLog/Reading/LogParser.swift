import Basics

/// Parses logs line by line into statements, and passes on each statement when no later line can
/// belong to it.
package final class LogParser {
  private let assembler: StatementAssembler

  enum Piece {
    case message(LineHead, prefix: UnsafeRawBufferPointer, body: UnsafeRawBufferPointer)
    case plan(LoggedStatement.Plan)
    /// A comment or a line that is not Core Data's.
    case foreign
  }

  /// The closure that receives each part of the logs, in order.
  var observe: ((Piece) throws -> Void)?

  /// The number of the current message's first line.
  private var number = 0
  /// The hash of the last message, to detect its repetition with another prefix.
  @exclusivity(unchecked) private var lastBody: UInt64 = 0
  @exclusivity(unchecked) private var lastForm = LineHead.Form.bare
  /// The prefix form of the last lines, and the number of these lines that the report does not
  /// count yet.
  @exclusivity(unchecked) private var formRun = (form: LineHead.Form.bare, count: 0)
  /// Whether a list of values follows the last message.
  private var lastListsValues = false
  @exclusivity(unchecked) private var pending: Pending?
  @exclusivity(unchecked) private var pendingBytes: [UInt8] = []
  /// The buffer that is swapped with ``pendingBytes`` when a message ends.
  private var endedBytes: [UInt8] = []
  private var prefix: [UInt8] = []
  private var observerError: (any Error)?

  private struct Pending {
    var head: LineHead
    var line: Int
    var clock: Int
    var lines = 1
    /// Whether the pending lines are a list of values, which is not part of a message.
    var isValueList = false
    var isDuplicate = false
    /// Whether the statement is complete, although further lines may continue it.
    var isWhole = false
  }

  /// The maximum size of a message in bytes; ``mostLines`` limits its lines.
  private static let longestMessage = 1 << 18
  private static let mostLines = 1_000

  /// Creates a parser that calls `take` with each statement, in the order of the log.
  package init(_ take: @escaping (LoggedStatement) -> Void) {
    assembler = StatementAssembler(take)
  }

  package internal(set) var report: ParsingReport {
    get { assembler.report }
    _modify { yield &assembler.report }
  }

  package var statements: StatementTable { assembler.statements }

  package var names: LogNames { assembler.names }

  func keepTexts() { assembler.texts = [:] }

  func text(ofLine line: Int) -> LoggedText? { assembler.texts?[line] }

  func observeFigures(_ take: @escaping (Message, Int) -> Void) { assembler.figures = take }

  func note(sequence: Int) { assembler.sequence = sequence }

  /// Reads a log of Core Data, a statement log of SQLite, or a trace that an app printed.
  ///
  /// - Throws: a ``Refusal`` if the file cannot be read, if its statements are missing or hidden,
  ///   or if its kind differs from the kind of the previous files.
  package func read(_ path: String) throws {
    report.files.append(path)
    let before = report
    let form = try LogForm(of: path)
    guard before.statements == 0 || assembler.statements.isPlain == form.isPlain else {
      throw Refusal.differentKinds(path, report.files[0])
    }
    assembler.statements.isPlain = form.isPlain
    report.isStatementLog = form.layout != .messages
    switch form.layout {
    case .messages: try readDebugLog(path)
    case .statements: try readStatementLog(path)
    case .trace: try readTrace(path, form.prefixes)
    }
    finish()
    if let observerError { throw observerError }
    guard report.statements > before.statements else {
      let hidden = report.hidden - before.hidden
      guard hidden == 0 else {
        throw Refusal.badInput(
          "'\(path)' shows its \(hidden) statements as '<private>': copy what "
            + "Xcode's console prints, or run the app with "
            + "'-com.apple.CoreData.Logging.stderr 1' and save its standard error"
        )
      }
      guard report.messages == before.messages else { throw Refusal.withoutStatements(path: path) }
      throw Refusal.foreign(path: path, lines: report.lines - before.lines)
    }
  }

  private func readDebugLog(_ path: String) throws {
    var wrapped = try WrappedLines(of: path)
    var objects = EventObjects()
    let last = report.lines
    var count = (lines: last, bytes: 0, cut: 0)
    try LineReader(path: path).forEachLine { line, ending in
      count.lines += 1
      count.bytes += line.count + 1
      if ending == .cut { count.cut += 1 }
      wrapped.add(line, number: count.lines) { line, number in
        objects.add(line, number: number) { read($0, number: $1, isFirst: $1 == last + 1) }
      }
    }
    report.lines = count.lines
    report.bytes += count.bytes
    report.cut += count.cut
    wrapped.flush { line, number in
      objects.add(line, number: number) { read($0, number: $1, isFirst: $1 == last + 1) }
    }
    objects.flush { read($0, number: $1, isFirst: false) }
  }

  /// Reads a complete line; `number` is the line number of its first part, because wrapped lines
  /// are joined.
  private func read(_ line: UnsafeRawBufferPointer, number: Int, isFirst: Bool) {
    self.number = number
    if line.place(of: 27, from: 0) != nil {
      Self.withoutColors(line).withUnsafeBytes { read($0, isFirst: isFirst) }
    } else {
      let events = LineForms.events(in: line)
      if events.isEmpty { read(line, isFirst: isFirst) }
      for part in events.lazy.flatMap({ $0.split(separator: 10) }) {
        part.withUnsafeBytes { read($0, isFirst: false) }
      }
    }
  }

  /// Whether a statement is incomplete: a parenthesis is open, or a table, an operand or the
  /// operator of the last condition is missing.
  private static func isIncomplete(_ sql: UnsafeRawBufferPointer) -> Bool {
    guard let last = sql.last(where: { $0 != 32 }) else { return true }
    if [40, 44, 46, 60, 61, 62].contains(last) { return true }
    let open = sql.count { $0 == 40 }
    if open != sql.count(where: { $0 == 41 }) { return true }
    let words: [StaticString] = [" WHERE ", " AND ", " OR "]
    if let condition = words.compactMap({ sql.lastPlace(of: $0) }).max() {
      let rest = sql.part(condition + 4..<sql.count)
      let hasOperator = rest.contains { [40, 41, 60, 61, 62, 63].contains($0) }
      if !hasOperator, rest.place(of: " IS ") == nil { return true }
    }
    // A SELECT of only a function call needs no table.
    return sql.has("SELECT") && sql.place(of: " FROM ") == nil && last != 41
  }

  /// Whether the unified log truncated a statement; it truncates messages at 1,024 bytes.
  private static func isCutOff(_ sql: UnsafeRawBufferPointer) -> Bool {
    guard sql.count > 900 else { return false }
    return sql.has("<\u{2026}>", at: sql.count - 5) || (sql.count < 1_100 && isIncomplete(sql))
  }

  static func withoutColors(_ line: UnsafeRawBufferPointer) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(line.count)
    var place = 0
    while place < line.count {
      if line[place] == 27, place + 1 < line.count, line[place + 1] == 91 {
        place += 2
        while place < line.count, !(64...126).contains(line[place]) { place += 1 }
      } else if line[place] != 27 {
        bytes.append(line[place])
      }
      place += 1
    }
    return bytes
  }

  private func read(_ line: UnsafeRawBufferPointer, isFirst: Bool) {
    // Within an open value, a line that only looks like a message is part of the value.
    let open = pending.flatMap { $0.isWhole ? nil : $0.head.form }
    let head = LineHead(line, isFirst: isFirst).flatMap { head in
      open.map { head.form == .bare || (head.form.isWeak && head.form != $0) } ?? false ? nil : head
    }
    guard let head else {
      // Replace no-break spaces, which text copied from web pages can contain.
      guard line.place(of: "CoreData:\u{A0}") != nil else { return readHeadless(line) }
      return Array(line.text.replacing("\u{A0}", with: " ").utf8).withUnsafeBytes {
        read($0, isFirst: isFirst)
      }
    }
    if let further = LineForms.furtherMessage(in: line, from: head.body) {
      read(line.part(0..<further), isFirst: isFirst)
      return read(line.part(further + 1..<line.count), isFirst: false)
    }
    endPending(isComplete: false)
    count(head.form)
    let body = line.part(head.body..<LineForms.end(of: line, body: head.body))
    if observe != nil { prefix = Array(line[..<head.body]) }
    if !body.isEmpty, isDuplicate(body, head.form) {
      report.duplicates += 1
      // If a duplicate message continues on the next lines, these lines are duplicates, too.
      let isOpen = Self.isOpen(body, head.level)
      if !isOpen { notify(head, body) }
      if lastListsValues || isOpen {
        pending = Pending(head: head, line: number, clock: -1)
        pending?.isValueList = lastListsValues
        pending?.isDuplicate = true
        if isOpen { pendingBytes.append(contentsOf: body) }
      }
      return
    }
    lastListsValues = false
    let needsClock = head.level == .sql && head.form != .plain && head.form != .stripped
    let clock = needsClock ? head.clock : -1
    let isOpen = Self.isOpen(body, head.level)
    if isOpen || head.level == .sql {
      pending = Pending(head: head, line: number, clock: clock)
      pending?.isWhole = !isOpen
      pendingBytes.append(contentsOf: body)
      return
    }
    read(body, head, line: number, clock: clock)
  }

  /// Whether the message repeats the last message with a prefix of another form.
  private func isDuplicate(_ body: UnsafeRawBufferPointer, _ form: LineHead.Form) -> Bool {
    let hash = body.hash64
    guard hash == lastBody, form != lastForm, form != .damaged, lastForm != .damaged else {
      (lastBody, lastForm) = (hash, form)
      return false
    }
    lastBody = 0
    return true
  }

  /// Whether a message ends within a literal and continues on the next line.
  private static func isOpen(_ body: UnsafeRawBufferPointer, _ level: LineHead.Level) -> Bool {
    switch level {
    case .sql:
      guard var place = body.place(of: 39, from: 0) else { return false }
      var count = 1
      while let next = body.place(of: 39, from: place + 1) {
        count += 1
        place = next
      }
      return count % 2 == 1
    case .annotation:
      // Some publishers break the line before the object ID.
      if body.has("fault fulfilled from database for : 0x") {
        return body.place(of: "x-coredata://") ?? body.place(of: 60, from: 38) == nil
      }
      return body.has("fetch using NSSQLiteStatement") && body.lastPlace(of: "' returned ") == nil
    case .details:
      guard body.has("SQLite bind["), let value = body.place(of: "] = \"") else { return false }
      return body.last != 34 || body.count == value + 5
    default: return false
    }
  }

  /// Whether a line without a prefix continues the pending message.
  private func continues(_ pending: Pending, _ line: UnsafeRawBufferPointer) -> Bool {
    if pending.isWhole {
      return pendingBytes.withUnsafeBytes { LineForms.continues($0, line) }
    }
    return pending.head.level != .annotation || pending.isValueList
      || !pendingBytes.withUnsafeBytes({ $0.has("fault fulfilled") })
      || line.place(of: "x-coredata://", before: 44) != nil
  }

  private func readHeadless(_ line: UnsafeRawBufferPointer) {
    if let pending, !continues(pending, line) { endPending(isComplete: pending.isWhole) }
    guard var pending else {
      if let plan = assembler.plan(of: line) { return notify(.plan(plan)) }
      if line.place(of: "sql: <private>") != nil { report.hidden += 1 } else { report.foreign += 1 }
      return notify(.foreign)
    }
    if pending.isValueList {
      if !pending.isDuplicate { assembler.readRow(line) }
      // A line with only a closing parenthesis ends the list of values.
      if line.has(")"), line.count <= 2 { self.pending = nil }
      return
    }
    pending.lines += 1
    self.pending = pending
    guard pendingBytes.count + line.count < Self.longestMessage, pending.lines < Self.mostLines
    else {
      endPending(isComplete: false)
      return readHeadless(line)
    }
    pendingBytes.append(10)
    pendingBytes.append(contentsOf: line)
    let isOpen = pendingBytes.withUnsafeBytes { Self.isOpen($0, pending.head.level) }
    if pending.isWhole { self.pending?.isWhole = !isOpen }
    if !isOpen, !pending.isWhole { endPending(isComplete: true) }
  }

  private func endPending(isComplete: Bool) {
    guard let pending else { return }
    self.pending = nil
    if pending.isValueList || pending.isDuplicate {
      pendingBytes.removeAll(keepingCapacity: true)
      return
    }
    // Swap `pendingBytes` and `endedBytes`, so that neither is copied or allocated again.
    var bytes = endedBytes
    endedBytes = []
    swap(&bytes, &pendingBytes)
    pendingBytes.removeAll(keepingCapacity: true)
    defer { endedBytes = bytes }
    let isComplete = isComplete || pending.isWhole
    guard pending.head.level != .sql || bytes.contains(where: { $0 != 32 }) else {
      report.foreign += 1
      return notify(.foreign)
    }
    if !isComplete, pending.head.level == .sql { countUnfinished(pending.line) }
    bytes.withUnsafeBytes {
      // If a message has no end, the lines after it may not be Core Data's, so use only its first
      // line.
      let end = isComplete ? $0.count : $0.place(of: 10, from: 0) ?? $0.count
      read($0.part(0..<end), pending.head, line: pending.line, clock: pending.clock)
      guard end < $0.count else { return }
      for line in $0[(end + 1)...].split(separator: 10, omittingEmptySubsequences: false) {
        readHeadless(UnsafeRawBufferPointer(rebasing: line))
      }
    }
  }

  private func count(_ form: LineHead.Form) {
    if form != formRun.form { endFormRun() }
    formRun = (form, formRun.count + 1)
  }

  private func endFormRun() {
    if formRun.count > 0 { report.forms[formRun.form, default: 0] += formRun.count }
    formRun.count = 0
  }

  private func finish() {
    endFormRun()
    if let pending, !pending.isValueList, !pending.isDuplicate, pending.head.level == .sql {
      if !pending.isWhole {
        report.isTruncated = true
      } else if pendingBytes.withUnsafeBytes({ Self.isIncomplete($0) }) {
        countUnfinished(pending.line, isLast: true)
      }
    }
    endPending(isComplete: false)
    assembler.finish()
    (lastBody, lastForm) = (0, .bare)
  }

  /// Reads a message whose prefix has already been read.
  ///
  /// `time` is the duration in microseconds if the log prints it with the statement, otherwise -1.
  func read(
    _ body: UnsafeRawBufferPointer,
    _ head: LineHead,
    line: Int,
    clock: Int,
    time: Int = -1
  ) {
    notify(head, body)
    if head.level == .sql, Self.isCutOff(body) {
      report.cutOff += 1
      countUnfinished(line)
    }
    if assembler.read(body, head, line: line, clock: clock, time: time) {
      pending = Pending(head: head, line: line, clock: clock, isValueList: true)
      lastListsValues = true
    }
  }

  private func notify(_ head: LineHead, _ body: UnsafeRawBufferPointer) {
    guard observe != nil else { return }
    prefix.withUnsafeBytes { notify(.message(head, prefix: $0, body: body)) }
  }

  private func notify(_ piece: Piece) {
    guard let observe, observerError == nil else { return }
    do { try observe(piece) } catch { observerError = error }
  }

  func countLine(_ bytes: Int, isCut: Bool) {
    report.lines += 1
    report.bytes += bytes + 1
    if isCut { report.cut += 1 }
  }

  func countComment(_ line: UnsafeRawBufferPointer) {
    guard !line.has("-- Main database is '") else { return }
    report.foreign += 1
    notify(.foreign)
  }

  func countUnfinished(_ line: Int, isLast: Bool = false) {
    if report.unfinished.last != line {
      report.unfinishedCount += 1
      if report.unfinished.count < ParsingReport.mostListed { report.unfinished.append(line) }
    }
    if isLast { report.isTruncated = true }
  }
}
