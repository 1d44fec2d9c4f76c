import Foundation
import Measurement

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
  /// Throws `ReporterError` for what is missing, unreadable or malformed, and where several fit.
  package init(at path: String, for candidate: ResultDocument) throws {
    if try InputFile.isFolder(path), Self.isFolder(path) {
      self = try Self.chosen(of: Self.baselines(in: path), for: candidate)
    } else if BaselineCSV.isBaseline(at: path) || path.hasSuffix(".csv") {
      let baseline = try BaselineCSV.read(path: path)
      self = baseline.hasSQLite(of: candidate) ? .costs(baseline, path: path) : .none
    } else {
      self = .result(try ResultDocument(readingFrom: path))
    }
  }

  /// Whether a path is a folder of baselines, and not of a run.
  package static func isFolder(_ path: String) -> Bool {
    let results = [RunFolder.resultName, "result.json"].map { "\(path)/\($0)" }
    return !results.contains { FileManager.default.fileExists(atPath: $0) }
      && !baselines(in: path).isEmpty
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
      let own = baseline.document.workloads.map(\.workload)
      if baseline.hasSQLite(of: candidate), !workloads.isDisjoint(with: own) {
        fitting.append((baseline, path))
      }
    }
    guard let first = fitting.first else { return .none }
    guard fitting.count == 1 else { throw ReporterError.severalBaselines(fitting.map(\.path)) }
    return .costs(first.baseline, path: first.path)
  }
}

extension Baseline {
  fileprivate func hasSQLite(of candidate: ResultDocument) -> Bool {
    document.environment.hasSameSQLite(as: candidate.environment)
  }
}
