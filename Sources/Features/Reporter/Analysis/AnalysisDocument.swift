import Foundation
import SQLLog

/// The report of a log for a program: one JSON document; all times in microseconds.
package struct AnalysisDocument: Encodable {
  private struct FindingEntry: Encodable {
    let rule: String
    let summary: String
    let confidence: String
    let doubt: String?
    let calls: Int
    let microseconds: Int?
    let lines: [Int]
    let coreData: String
    let swiftData: String
    let falsePositiveIf: String
  }

  private struct Percentiles: Encodable {
    let count: Int
    let sum: Int
    let p50: Int
    let p90: Int
    let p99: Int
    let largest: Int

    init?(_ histogram: Histogram) {
      guard histogram.count > 0 else { return nil }
      (count, sum, largest) = (histogram.count, histogram.sum, histogram.largest)
      p50 = histogram.percentile(0.5)
      p90 = histogram.percentile(0.9)
      p99 = histogram.percentile(0.99)
    }
  }

  private struct Calls: Encodable {
    let entity: String?
    let operation: String?
    let fingerprint: String?
    let calls: Int
    let insideSave: Int
    /// Times of the calls whose time the log records; absent where it records none.
    let microseconds: Percentiles?
    let share: Double?
    /// Calls whose time is unknown.
    let untimed: Int
    let rows: Percentiles?
    let longestValue: Int?
    let firstLine: Int

    init(
      _ figures: CallFigures,
      total: Int,
      entity: String?,
      operation: String? = nil,
      fingerprint: String? = nil
    ) {
      (self.entity, self.operation, self.fingerprint) = (entity, operation, fingerprint)
      calls = figures.calls
      insideSave = figures.insideSave
      microseconds = Percentiles(figures.times)
      share = total > 0 && figures.times.count > 0 ? Double(figures.time) / Double(total) : nil
      untimed = figures.untimed
      rows = Percentiles(figures.rows)
      longestValue = figures.longestValue > 0 ? figures.longestValue : nil
      firstLine = figures.firstLine
    }
  }

  private struct Write: Encodable {
    let change: String
    let entity: String
    let count: Int
  }

  private struct Save: Encodable {
    let description: String
    let line: Int
    let endLine: Int
    let isComplete: Bool
    let microseconds: Int?
    let writes: [Write]
  }

  private struct Group: Encodable {
    let description: String
    let count: Int
    let firstLine: Int
    let microseconds: Percentiles?
  }

  private struct Input: Encodable {
    struct Unknown: Encodable {
      let words: String
      let count: Int
      let line: Int
    }

    let level: Int?
    let lines: Int
    let bytes: Int
    let heads: [String: Int]
    let duplicates: Int
    let foreign: Int
    let cut: Int
    let orphans: Int
    let unfinished: [Int]
    let cutOff: Int
    let isTruncated: Bool
    let hasMixedLevels: Bool
    let errors: Int
    let notUnderstood: [Unknown]

    init(_ report: ParsingReport) {
      level = report.level
      lines = report.lines
      bytes = report.bytes
      heads = Dictionary(uniqueKeysWithValues: report.forms.map { ($0.rawValue, $1) })
      duplicates = report.duplicates
      foreign = report.foreign
      cut = report.cut
      orphans = report.orphans
      unfinished = report.unfinished
      cutOff = report.cutOff
      isTruncated = report.isTruncated
      hasMixedLevels = report.isMixed
      errors = report.errors
      notUnderstood = report.unknown.sorted { $0.key < $1.key }.map {
        Unknown(words: $0.key, count: $0.value.count, line: $0.value.line)
      }
    }
  }

  private let kind = "storebench-analysis"
  private let version = 1
  private let calls: Int
  private let untimed: Int
  private let microseconds: Int
  private let findings: [FindingEntry]
  private let statements: [Calls]
  private let entities: [Calls]
  private let saveCount: Int
  private let upkeepTransactions: Int
  private let rollbacks: Int
  private let saveGroups: [Group]
  private let otherSaves: Int
  /// The first saves one by one.
  private let saves: [Save]
  private let input: Input
  /// What replays show; absent where none was asked for.
  private let replay: ReplayReport?

  package init(_ analysis: LogAnalysis, replay: ReplayReport? = nil) {
    self.replay = replay
    let (digest, report, words) = (analysis.digest, analysis.report, analysis.vocabulary)
    calls = digest.calls
    untimed = digest.untimed
    microseconds = digest.time
    findings = analysis.findings.map {
      FindingEntry(
        rule: $0.rule.rawValue,
        summary: $0.summary,
        confidence: $0.confidence.rawValue,
        doubt: $0.doubt.isEmpty ? nil : $0.doubt,
        calls: $0.calls,
        microseconds: $0.time,
        lines: $0.lines,
        coreData: $0.rule.remedy.coreData,
        swiftData: $0.rule.remedy.swiftData,
        falsePositiveIf: $0.rule.remedy.unless
      )
    }
    statements = analysis.rankedStatements.map { entry in
      let table = analysis.statements[entry].shape.table
      return Calls(
        digest.statements[entry],
        total: digest.time,
        entity: table.isEmpty ? nil : words.entity(of: table),
        operation: analysis.operation(entry),
        fingerprint: analysis.statements[entry].fingerprint
      )
    }
    entities = analysis.rankedTables.compactMap { table in
      digest.tables[table].map {
        Calls($0, total: digest.time, entity: words.entity(of: table))
      }
    }
    saveCount = digest.saves
    upkeepTransactions = digest.upkeep
    rollbacks = digest.rollbacks
    otherSaves = digest.otherSaves
    saveGroups = analysis.rankedSaves.map {
      Group(
        description: words.save(of: $0.writes),
        count: $0.count,
        firstLine: $0.firstLine,
        microseconds: Percentiles($0.elapsed)
      )
    }
    saves = digest.firstSaves.map { save in
      Save(
        description: words.save(of: save.writes),
        line: save.line,
        endLine: save.endLine,
        isComplete: save.isComplete,
        microseconds: save.elapsed < 0 ? nil : save.elapsed,
        writes: save.writes.map {
          Write(change: $0.change.rawValue, entity: words.entity(of: $0.table), count: $0.count)
        }
      )
    }
    input = Input(report)
  }

  package func text() throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(self), as: UTF8.self)
  }
}
