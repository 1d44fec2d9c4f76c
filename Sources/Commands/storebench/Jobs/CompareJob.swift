import Foundation
import Measurement
import Reporter
import Runner

/// Reads the two results of `compare` and compares them.
struct CompareJob {
  let baseline: String
  let result: String
  /// Results, and folders of runs, that times are judged by.
  let earlier: [String]

  func perform() throws -> Comparison {
    let document = try ResultDocument(readingFrom: result)
    var comparison = try comparison(of: document)
    comparison.updateCommand = updateCommand(of: comparison)
    return comparison
  }

  private func comparison(of document: ResultDocument) throws -> Comparison {
    switch try stored(for: document) {
    case .result(let other):
      return try Comparison(
        of: document,
        against: other,
        earlier: try earlierResults(than: document, and: other)
      )
    case .costs(let costs, let path):
      try checkNoEarlier()
      do {
        return try Comparison(of: document, against: costs)
      } catch {
        throw StorebenchError.staleBaseline(path: path, error, command: command(beside: path))
      }
    case .none:
      try checkNoEarlier()
      return Comparison(of: document, lackingBaseline: obstacle(to: document.environment))
    }
  }

  private func stored(for document: ResultDocument) throws -> StoredBaseline {
    do {
      return try StoredBaseline(at: baseline, for: document)
    } catch ReporterError.missing(path: baseline) {
      throw StorebenchError.noBaseline(path: baseline, command: command(beside: baseline))
    }
  }

  private func checkNoEarlier() throws {
    if !earlier.isEmpty { throw StorebenchError.baselineWithoutTimes }
  }

  private func earlierResults(
    than result: ResultDocument,
    and baseline: ResultDocument
  ) throws -> EarlierResults? {
    guard !earlier.isEmpty else { return nil }
    var results = EarlierResults(than: result)
    results.add(baseline)
    for path in try earlier.flatMap(RunFolder.results) {
      results.add(try ResultDocument(readingFrom: path))
    }
    return results
  }

  private func obstacle(to environment: Environment) -> String {
    "'\(baseline)' has no baseline of these workloads for this build of SQLite,"
      + " \(environment.sqliteVersion) of \(environment.sqliteSourceID.prefix(19))"
  }

  // MARK: The command that makes the result the baseline

  /// Where it is of use: something fell, or the baseline is behind.
  private func updateCommand(of comparison: Comparison) -> String? {
    let tally = comparison.tally
    guard tally.failedCases == 0, tally.improved > 0 || tally.undecidedCases > 0 else { return nil }
    return command(beside: baseline)
  }

  private func command(beside path: String) -> String {
    let update = "storebench baseline update \(ShellWord.quoted(result))"
    let folder = path.hasSuffix(".csv") ? folder(of: path) : path
    let isOfBaselines =
      path.hasSuffix(".csv") || StoredBaseline.isFolder(path)
      || !FileManager.default.fileExists(atPath: path)
    guard isOfBaselines, folder != BaselineUpdateCommand.standardFolder else { return update }
    return update + " --folder \(ShellWord.quoted(folder))"
  }

  private func folder(of path: String) -> String {
    guard let end = path.lastIndex(of: "/") else { return "." }
    return end == path.startIndex ? "/" : String(path[..<end])
  }
}
