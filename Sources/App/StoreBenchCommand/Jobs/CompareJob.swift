import Basics
import Compare
import Foundation
import Runner

struct CompareJob {
  let baseline: String
  let result: String
  /// Earlier results or folders of runs, which show the usual variation of times.
  let earlier: [String]
  /// Whether the message that refuses a comparison of different stores shows their digests.
  var showsDigests = false

  struct Outcome {
    var comparison: Comparison
    /// The status of a refused comparison; `nil` if the comparison determines the status.
    var refusal: CommandStatus?
  }

  func perform() throws -> Outcome {
    let document = try ResultDocument(readingFrom: result)
    var outcome = try outcome(of: document)
    if outcome.comparison.updateCommand == nil {
      outcome.comparison.updateCommand = updateCommand(of: outcome.comparison)
    }
    return outcome
  }

  /// Compares the results.
  ///
  /// If they are not comparable, the outcome contains the refusal, which every format shows.
  private func outcome(of document: ResultDocument) throws -> Outcome {
    do {
      return Outcome(comparison: try comparison(of: document))
    } catch let error as BadBaseline {
      var comparison = Comparison(
        of: document,
        lackingBaseline: error.reason,
        refused: error.baseline
      )
      comparison.updateCommand = error.command
      return Outcome(comparison: comparison, refusal: error.status)
    }
  }

  private struct BadBaseline: Error {
    var reason: String
    var baseline: ResultDocument?
    var command: String?
    var status: CommandStatus
  }

  private func comparison(of document: ResultDocument) throws -> Comparison {
    switch try stored(for: document) {
    case .result(let other):
      let earlier = try earlierResults(than: document, and: other)
      do {
        return try Comparison(
          of: document,
          against: other,
          earlier: earlier,
          showsDigests: showsDigests
        )
      } catch {
        throw BadBaseline(reason: "\(error)", baseline: other, status: CommandStatus(of: error))
      }
    case .costs(let costs, let path):
      try checkNoEarlier()
      do {
        return try Comparison(of: document, against: costs, showsDigests: showsDigests)
      } catch {
        throw BadBaseline(
          reason: "'\(path)': \(error)",
          baseline: costs.document,
          command: command(beside: path),
          status: CommandStatus(of: error)
        )
      }
    case .none:
      try checkNoEarlier()
      return Comparison(of: document, lackingBaseline: obstacle(to: document.environment))
    }
  }

  private func stored(for document: ResultDocument) throws -> StoredBaseline {
    guard FileManager.default.fileExists(atPath: baseline) else {
      throw BadBaseline(
        reason: "there is no baseline at '\(baseline)'",
        command: command(beside: baseline),
        status: .noInput
      )
    }
    return try StoredBaseline(at: baseline, for: document)
  }

  private func checkNoEarlier() throws {
    if !earlier.isEmpty {
      throw Refusal.misuse("'--earlier' needs a result to compare with: a baseline has no times")
    }
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
    "'\(baseline)' has no baseline of these workloads for this build of SQLite "
      + "(\(environment.sqliteVersion) of \(environment.sqliteSourceID.prefix(19)))"
  }

  // MARK: Update command

  /// The command that makes the result the new baseline.
  ///
  /// It is `nil` if a case failed, or if no cost improved and the baseline has all cases with their
  /// present content, and no others.
  private func updateCommand(of comparison: Comparison) -> String? {
    let tally = comparison.tally
    let hasNew = comparison.workloads.contains { !$0.onlyInCandidate.isEmpty }
    guard tally.failedCases == 0, tally.improved > 0 || hasNew || comparison.hasOutdatedBaseline
    else { return nil }
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
