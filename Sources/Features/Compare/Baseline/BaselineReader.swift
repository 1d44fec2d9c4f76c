import Basics
import DataModel
import Foundation
import Runner

extension BaselineCSV {
  /// The maximum file size in bytes, enough for about half a million costs.
  private static let largestFile = 64 << 20

  /// The byte order mark with which some editors begin a file in UTF-8.
  private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

  static func isBaseline(at path: String) -> Bool {
    guard let file = FileHandle(forReadingAtPath: path) else { return false }
    defer { try? file.close() }
    let start = try? file.read(upToCount: mark.count + title.utf8.count)
    return start.map { decoded(Array($0)).hasPrefix(title) } ?? false
  }

  private static func decoded(_ bytes: [UInt8]) -> String {
    String(decoding: bytes.dropFirst(bytes.starts(with: mark) ? mark.count : 0), as: UTF8.self)
  }

  /// Reads a baseline of untrusted origin.
  ///
  /// - Throws: ``Refusal`` with the line number and the problem.
  package static func read(path: String) throws(Refusal) -> Baseline {
    let bytes = try InputFile.bytes(path: path, limit: largestFile)
    return try baseline(in: decoded(bytes), path: path)
  }

  static func baseline(in text: String, path: String) throws(Refusal) -> Baseline {
    var reader = Reader()
    var number = 0
    do {
      for line in text.split(omittingEmptySubsequences: false, whereSeparator: Self.endsLine) {
        number += 1
        try reader.take(line, isFirst: number == 1)
      }
      return try Baseline(of: try reader.document())
    } catch {
      let reason = "\(error)"
      throw .badInput("'\(path)' is not a baseline: line \(number): \(reason)")
    }
  }

  /// Whether a character ends a line.
  ///
  /// A checkout may have converted line endings to CRLF, which Swift treats as a single character.
  private static func endsLine(_ character: Character) -> Bool {
    character == "\n" || character == "\r\n"
  }

  struct Reader {
    private var facts: [String: [String]] = [:]
    private var workloads: [WorkloadResult] = []
    private var places: [String: (workload: Int, number: Int)] = [:]
    private var described: Set<String> = []
    /// The cases and metrics of the rows read so far.
    private var rows: Set<[String]> = []
    private var isInTable = false

    mutating func take(_ line: Substring, isFirst: Bool) throws {
      if ["<<<<<<<", "=======", ">>>>>>>"].contains(where: { line.hasPrefix($0) }) {
        throw Refusal.badInput(
          "it is a mark of a merge conflict: 'storebench baseline update RESULT --prune' writes "
            + "the file again"
        )
      }
      if isFirst { return try check(title: line) }
      if line.isEmpty || line.hasPrefix("##") { return }
      guard let fields = CSVRecord.fields(of: line.hasPrefix("# ") ? line.dropFirst(2) : line)
      else { throw Refusal.badInput("a quoted field has no end") }
      if line.hasPrefix("# "), let name = fields.first {
        try take(fact: name, Array(fields.dropFirst()))
      } else if isInTable {
        try take(row: fields)
      } else if fields == BaselineCSV.columns {
        isInTable = true
      } else {
        throw Refusal.badInput(
          "it is neither a fact nor the header of the table '"
            + BaselineCSV.columns.joined(separator: ",") + "'"
        )
      }
    }

    private func check(title line: Substring) throws {
      guard line.hasPrefix(BaselineCSV.title) else {
        throw Refusal.badInput(
          "it does not begin with '\(BaselineCSV.title)\(BaselineCSV.version)'"
        )
      }
      let version = line.dropFirst(BaselineCSV.title.count)
      guard version == BaselineCSV.version else {
        throw Refusal.badInput(
          "it has version '\(version.prefix(20))', but this build reads version "
            + "\(BaselineCSV.version): 'storebench baseline update RESULT --prune' writes it again"
        )
      }
    }

    func document() throws -> ResultDocument {
      guard let sqlite = facts["sqlite"], sqlite.count == 2, let options = facts["options"],
        let build = facts["build"], build.count == 1
      else { throw Refusal.badInput("it ends without the facts 'sqlite', 'options' and 'build'") }
      guard isInTable else { throw Refusal.badInput("it ends before its table") }
      return ResultDocument(
        environment: Environment(
          sqliteSourceID: sqlite[1],
          sqliteVersion: sqlite[0],
          sqliteCompileOptions: options,
          build: build[0]
        ),
        workloads: workloads
      )
    }

    // MARK: Properties on which the costs depend

    private mutating func take(fact name: String, _ fields: [String]) throws {
      switch name {
      case "sqlite", "options", "build":
        guard facts.updateValue(fields, forKey: name) == nil else {
          throw Refusal.badInput("duplicate fact '\(name)'")
        }
      case "workload": try begin(fields)
      case "store", "settings", "pragmas", "defaults": try describe(name, fields)
      case "input": try takeInput(fields)
      case "case": try beginCase(fields)
      default: throw Refusal.badInput("there is no fact '\(name.prefix(40))'")
      }
    }

    private mutating func begin(_ fields: [String]) throws {
      guard fields.count == 2 else { throw Refusal.badInput("a workload has a name and a kind") }
      guard workloads.count < ResultLimits.workloads else {
        throw Refusal.badInput("it has more than \(ResultLimits.workloads) workloads")
      }
      described = []
      workloads.append(
        WorkloadResult(
          workload: fields[0],
          kind: fields[1],
          store: StoreDescription(source: "", seed: nil, objects: [:], bytes: 0, digest: ""),
          pragmas: [:],
          cache: "",
          trialCount: 1,
          iterationCount: 1
        )
      )
    }

    private mutating func describe(_ name: String, _ fields: [String]) throws {
      guard !workloads.isEmpty else {
        throw Refusal.badInput("'\(name)' comes before the first workload")
      }
      guard described.insert(name).inserted else {
        throw Refusal.badInput("duplicate fact '\(name)' in a workload")
      }
      let last = workloads.count - 1
      if name == "store" {
        guard fields.count == 2 else { throw Refusal.badInput("a store has a source and a digest") }
        (workloads[last].store.source, workloads[last].store.digest) = (fields[0], fields[1])
        return
      }
      let values = try pairs(fields)
      switch name {
      case "pragmas": workloads[last].pragmas = values
      case "defaults": workloads[last].defaults = values
      default:
        guard values.count == 3, let cache = values["cache"],
          let iterations = values["iterations"].flatMap({ Int($0) }),
          let seed = values["seed"].flatMap({ UInt64($0) })
        else { throw Refusal.badInput("the settings are 'cache', 'iterations' and 'seed'") }
        workloads[last].cache = cache
        workloads[last].iterationCount = iterations
        workloads[last].seed = seed
      }
    }

    private mutating func takeInput(_ fields: [String]) throws {
      guard fields.count >= 3, let role = InputFact.Role(rawValue: fields[0]), !workloads.isEmpty
      else { throw Refusal.badInput("an input belongs to a workload: role, file, digest, parts") }
      let last = workloads.count - 1
      guard workloads[last].inputs.count < ResultLimits.notesPerCase else {
        throw Refusal.badInput("a workload has more than \(ResultLimits.notesPerCase) inputs")
      }
      workloads[last].inputs.append(
        InputFact(role, file: fields[1], digest: fields[2], parts: Array(fields.dropFirst(3)))
      )
    }

    private func pairs(_ fields: [String]) throws -> [String: String] {
      var values: [String: String] = [:]
      for field in fields {
        guard let separator = field.firstIndex(of: "="), separator > field.startIndex else {
          throw Refusal.badInput("'\(field.prefix(40))' is not NAME=VALUE")
        }
        let name = String(field[..<separator])
        guard
          values.updateValue(String(field[field.index(after: separator)...]), forKey: name) == nil
        else { throw Refusal.badInput("duplicate '\(name.prefix(40))'") }
      }
      return values
    }

    // MARK: Cases and costs

    private mutating func beginCase(_ fields: [String]) throws {
      let outcomes = [
        BaselineCSV.passed: CaseResult.Outcome.passed,
        BaselineCSV.failedAsExpected: .failedAsExpected(""),
      ]
      guard fields.count >= 3, let outcome = outcomes[fields[1]], !workloads.isEmpty else {
        throw Refusal.badInput(
          "a case belongs to a workload and has an ID, an outcome and a digest"
        )
      }
      guard places.count < ResultLimits.cases else {
        throw Refusal.badInput("it has more than \(ResultLimits.cases) cases")
      }
      let last = workloads.count - 1
      let place = (workload: last, number: workloads[last].cases.count)
      guard places.updateValue(place, forKey: fields[0]) == nil else {
        throw Refusal.badInput("duplicate case '\(fields[0].prefix(100))'")
      }
      workloads[last].cases.append(
        CaseResult(
          id: fields[0],
          parameters: [:],
          outcome: outcome,
          behaviours: try pairs(Array(fields.dropFirst(3))).sorted { $0.key < $1.key }.map {
            Behaviour(name: $0.key, value: $0.value, evidence: .assumed)
          },
          digest: fields[2].isEmpty ? nil : fields[2]
        )
      )
    }

    private mutating func take(row fields: [String]) throws {
      guard fields.count == BaselineCSV.columns.count, let unit = Metric.Unit(rawValue: fields[2])
      else { throw Refusal.badInput("it does not consist of case, metric, unit and value") }
      guard let place = places[fields[0]] else {
        throw Refusal.badInput("the case '\(fields[0].prefix(100))' has no fact")
      }
      let digits = fields[3].utf8.allSatisfy { "0123456789.e+".utf8.contains($0) }
      guard digits, let value = Double(fields[3]) else {
        throw Refusal.badInput("'\(fields[3].prefix(40))' is not the value of a cost")
      }
      guard rows.insert([fields[0], fields[1]]).inserted else {
        throw Refusal.badInput(
          "duplicate metric '\(fields[1].prefix(100))' of the case '\(fields[0].prefix(100))'"
        )
      }
      let known = workloads[place.workload].cases[place.number].samples.count
      guard known < ResultLimits.samplesPerCase else {
        throw Refusal.badInput("a case has more than \(ResultLimits.samplesPerCase) costs")
      }
      workloads[place.workload].cases[place.number].samples.append(
        Sample(metric: Metric(fields[1], unit: unit, isExact: true), trials: [[value]])
      )
    }
  }
}
