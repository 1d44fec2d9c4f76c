import Basics
import Foundation
import Runner

/// What a result is held against, as a path names it.
package enum StoredBaseline: Sendable {
  /// A whole result, times and all.
  case result(ResultDocument)
  /// Exact costs for review, and their file.
  case costs(Baseline, path: String)
  /// There are baselines, but none of the result's SQLite build and workloads.
  case none

  /// Finds what is at a path: a result, the folder of a run, a baseline, or a folder of baselines,
  /// of which the result chooses the one of its SQLite build.
  ///
  /// Throws `Refusal` for what is missing, unreadable or malformed, and if several fit.
  package init(at path: String, for candidate: ResultDocument) throws {
    let isFolder: Bool
    do { isFolder = try InputFile.isFolder(path) } catch { throw Refusal.unreadable(path, error) }
    if isFolder, Self.isFolder(path) {
      self = try Self.chosen(of: Self.baselines(in: path), for: candidate)
    } else if BaselineCSV.isBaseline(at: path) || path.hasSuffix(".csv") {
      let baseline = try BaselineCSV.read(path: path)
      let isFitting = baseline.document.environment.hasSameSQLite(as: candidate.environment)
      self = isFitting ? .costs(baseline, path: path) : .none
    } else {
      self = .result(try ResultDocument(readingFrom: path))
    }
  }

  /// Whether a path is a folder of baselines, perhaps of none yet, and not of a run.
  package static func isFolder(_ path: String) -> Bool {
    guard let names = try? FileManager.default.contentsOfDirectory(atPath: path) else {
      return false
    }
    let isRun = [RunFolder.resultName, "result.json"].contains(where: names.contains)
    // Git keeps no folder without a file: '.gitkeep' and the like are none.
    return !isRun && (names.allSatisfy { $0.hasPrefix(".") } || !baselines(in: path).isEmpty)
  }

  private static func baselines(in folder: String) -> [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.filter { $0.hasSuffix(".csv") && !$0.hasPrefix(".") }.sorted().map {
      "\(folder)/\($0)"
    }
  }

  private static func chosen(
    of files: [String],
    for candidate: ResultDocument
  ) throws -> StoredBaseline {
    let workloads = Set(candidate.workloads.map(\.workload))
    var fitting: [(baseline: Baseline, path: String)] = []
    for path in files {
      let baseline = try BaselineCSV.read(path: path)
      let own = baseline.document
      if own.environment.hasSameSQLite(as: candidate.environment),
        !workloads.isDisjoint(with: own.workloads.map(\.workload))
      {
        fitting.append((baseline, path))
      }
    }
    guard let first = fitting.first else { return .none }
    guard fitting.count == 1 else {
      throw Refusal.badInput(
        "\(fitting.map { "'\($0.path)'" }.joined(separator: " and ")) contain workloads of the "
          + "result: name the file to compare with"
      )
    }
    return .costs(first.baseline, path: first.path)
  }
}
