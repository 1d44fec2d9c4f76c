import Basics
import DataModel
import Foundation
import Runner

/// A history as plain files that merge without conflicts, for a Git repository or a CI artifact.
///
/// Each result has its own file, named by time and content; a line is one metric at one commit. The
/// files of a past month are combined into one compressed file, also named by its content. If two
/// branches compress the same month, both files remain until the next addition merges them.
package struct HistoryFolder: Sendable {
  package let path: String

  private static let title = "# StoreBench history 2"
  /// The first line of files in the older format, without commit records.
  private static let oldTitle = "# StoreBench history 1"
  private static let commitMark = "# commit"
  private static let inputMark = "# input"
  private static let columns = [
    "startedAt", "commit", "environment", "workload", "case", "metric", "unit", "exact", "value",
  ]

  /// The size in bytes up to which a file is read, before and after decompression.
  private let limit: Int

  package init(path: String, limit: Int = 256 << 20) { (self.path, self.limit) = (path, limit) }

  /// Adds a result and the details of its commit, and returns the path of the new file; returns
  /// `nil` if the folder already contains all lines of the result.
  package func add(
    _ document: ResultDocument,
    commit: String,
    revision: SourceRevision? = nil
  ) throws -> String? {
    let started = document.environment.startedAt
    guard started.wholeMatch(of: /\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z/) != nil else {
      throw Refusal.unusableField("startedAt", problem: "is no time", place: "the result")
    }
    let lines = HistoryLine.lines(of: document, commit: commit)
    let isThere = FileManager.default.fileExists(atPath: path)
    let known: Set<HistoryLine> = isThere ? Set(try read().lines) : []
    guard !Set(lines).isSubset(of: known) else { return nil }
    let text = try Self.text(
      of: History(
        lines,
        revisions: revision.map { [$0] } ?? [],
        inputs: HistoryInput.inputs(of: document, commit: commit)
      )
    )
    let stamp = started.filter { $0 != "-" && $0 != ":" }
    let folder = "\(path)/\(started.prefix(7))"
    do {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    } catch {
      throw Refusal.cannotWrite(folder)
    }
    let file = "\(folder)/\(stamp)-\(Self.digest(text)).csv"
    try AtomicFile.write(text, to: file)
    try compress(before: String(started.prefix(7)))
    return file
  }

  /// Reads all files in the folder.
  package func read() throws -> History {
    guard FileManager.default.fileExists(atPath: path) else { throw Refusal.noSuchFile(path: path) }
    return try history(of: files())
  }

  private func history(of files: [String]) throws -> History {
    let parts = try files.map { try Self.contents($0, limit: limit) }
    return History(
      parts.flatMap(\.lines),
      revisions: parts.flatMap(\.revisions),
      inputs: parts.flatMap(\.inputs)
    )
  }

  private func compress(before month: String) throws {
    let groups = Dictionary(grouping: try files()) { Self.month(of: $0) }
    for (name, files) in groups where name < month && !name.isEmpty {
      if files.count == 1, files[0].hasSuffix(".gz") { continue }
      let text = try Self.text(of: history(of: files))
      // Leave the month's files separate if the combined file would be too large to be read again.
      guard text.utf8.count <= limit else { continue }
      let whole = "\(path)/\(name)-\(Self.digest(text)).csv.gz"
      try AtomicFile.write(to: whole) { try $0(Gzip.compress(Array(text.utf8))[...]) }
      for file in files where file != whole { unlink(file) }
      rmdir("\(path)/\(name)")
    }
  }

  private func files() throws -> [String] {
    let names = FileManager.default.subpaths(atPath: path) ?? []
    // Select only the history's files, because the folder may also contain other results.
    return names.filter { name in
      (name.hasSuffix(".csv") || name.hasSuffix(".csv.gz")) && !Self.month(of: name).isEmpty
    }.sorted()
      .map { "\(path)/\($0)" }
  }

  /// The month of a file, such as `2026-04`, from its name or its folder; empty if neither contains
  /// a month.
  private static func month(of file: String) -> String {
    let parts = file.split(separator: "/").suffix(2)
    for part in parts.reversed() {
      if let match = part.prefixMatch(of: /\d{4}-\d{2}/), part.count == 7 || part.hasSuffix(".gz") {
        return String(match.0)
      }
    }
    return ""
  }

  private static func digest(_ text: String) -> String {
    String(SHA256.hash(data: Array(text.utf8)).hexadecimal.prefix(12))
  }

  private static func text(of history: History) throws -> String {
    let commits = try history.commits.compactMap { history.revisions[$0] }.map { commit -> String in
      let fields = [
        commit.commit, commit.committedAt, commit.branch ?? "", commit.head ?? "",
        // Make the subject plain, because a commit message may contain any character; no code
        // depends on the subject.
        TerminalText.plain(commit.subject),
      ]
      return Self.commitMark + "," + (try record(fields + commit.parents))
    }
    let inputs = try history.inputs.map { input -> String in
      let fact = input.fact
      let fields = [input.commit, fact.role.rawValue, fact.file, fact.digest]
      return Self.inputMark + ","
        + (try record(fields + ["\(input.workloads.count)"] + input.workloads + fact.parts))
    }
    let records = try history.lines.map { line -> String in
      let series = line.series
      let fields = [
        line.startedAt, line.commit, series.environment, series.workload, series.caseID,
        series.metric, series.unit.rawValue, series.isExact ? "exact" : "time", line.value.shortest,
      ]
      return try record(fields)
    }
    let lines = [title] + commits + inputs + [CSVRecord.text(columns)] + records
    return lines.joined(separator: "\n") + "\n"
  }

  private static func record(_ fields: [String]) throws -> String {
    for field in fields where field.unicodeScalars.contains(where: { $0.value < 32 }) {
      throw Refusal.unusableField(
        TerminalText.plain(field),
        problem: "has a control character, which a history cannot hold",
        place: "the result"
      )
    }
    return CSVRecord.text(fields)
  }

  /// Parses a `# commit` record: hash, date, branch, last commit of the pull request, subject and
  /// parents.
  private static func revision(_ fields: [String]) -> SourceRevision? {
    guard fields.count >= 6, ([fields[1]] + fields.dropFirst(6)).allSatisfy(SourceRevision.isHash),
      fields[4].isEmpty || SourceRevision.isHash(fields[4])
    else { return nil }
    func optional(_ text: String) -> String? { text.isEmpty ? nil : text }
    return SourceRevision(
      commit: fields[1],
      branch: optional(fields[3]),
      committedAt: fields[2],
      parents: Array(fields.dropFirst(6)),
      head: optional(fields[4]),
      subject: fields[5]
    )
  }

  /// Parses an `# input` record: hash, role, file, digest, the number of workloads, their names,
  /// and the parts.
  private static func input(_ fields: [String]) -> HistoryInput? {
    guard fields.count >= 6, SourceRevision.isHash(fields[1]),
      let role = InputFact.Role(rawValue: fields[2]), let count = Int(fields[5]),
      (0...(fields.count - 6)).contains(count)
    else { return nil }
    return HistoryInput(
      commit: fields[1],
      workloads: Array(fields[6..<(6 + count)]),
      fact: InputFact(
        role,
        file: fields[3],
        digest: fields[4],
        parts: Array(fields.dropFirst(6 + count))
      )
    )
  }

  private static func contents(
    _ file: String,
    limit: Int
  ) throws -> (lines: [HistoryLine], revisions: [SourceRevision], inputs: [HistoryInput]) {
    let bytes = try InputFile.bytes(path: file, limit: limit)
    func wrong(_ line: Int, _ reason: String) -> Refusal {
      .badInput("'\(file)' is not a file of a history: line \(line): \(reason)")
    }
    let isCompressed = bytes.starts(with: [0x1f, 0x8b])
    let plain: [UInt8]
    do {
      plain = isCompressed ? try Gzip.decompress(bytes, limit: limit) : bytes
    } catch {
      throw wrong(1, "\(error)")
    }
    let text = String(decoding: plain, as: UTF8.self)
    var (lines, revisions): ([HistoryLine], [SourceRevision]) = ([], [])
    var inputs: [HistoryInput] = []
    var hasColumns = false
    // Split at line feeds only, because a field may contain other line separators.
    let rows = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
    for (index, line) in rows.enumerated() {
      if index == 0 {
        guard [title, oldTitle].contains(String(line)) else {
          throw wrong(1, "it does not begin with '\(title)'")
        }
        continue
      }
      if line.isEmpty { continue }
      if !hasColumns, line.hasPrefix(commitMark + ",") {
        guard let fields = CSVRecord.fields(of: line), let commit = revision(fields) else {
          throw wrong(index + 1, "it is no record of a commit")
        }
        revisions.append(commit)
        continue
      }
      if !hasColumns, line.hasPrefix(inputMark + ",") {
        guard let fields = CSVRecord.fields(of: line), let input = input(fields) else {
          throw wrong(index + 1, "it is no record of an input")
        }
        inputs.append(input)
        continue
      }
      guard let fields = CSVRecord.fields(of: line), fields.count == columns.count else {
        throw wrong(index + 1, "it has no \(columns.count) fields")
      }
      if !hasColumns {
        guard fields == columns else { throw wrong(index + 1, "its columns are other ones") }
        hasColumns = true
        continue
      }
      guard let unit = Metric.Unit(rawValue: fields[6]), ["exact", "time"].contains(fields[7]),
        let value = Double(fields[8]), value.isFinite, value >= 0, value <= ResultLimits.value
      else { throw wrong(index + 1, "its unit, kind or value is none") }
      lines.append(
        HistoryLine(
          startedAt: fields[0],
          commit: fields[1],
          series: History.Series(
            workload: fields[3],
            caseID: fields[4],
            metric: fields[5],
            unit: unit,
            environment: fields[2],
            isExact: fields[7] == "exact"
          ),
          value: value
        )
      )
    }
    guard hasColumns, rows.last?.isEmpty == true else {
      throw wrong(rows.count, "the file is cut off here; restore it")
    }
    return (lines, revisions, inputs)
  }
}
