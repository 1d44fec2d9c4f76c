import Basics
import Foundation
import Runner

/// The file of a baseline; a folder of baselines has one file per SQLite build.
package enum BaselineFile {
  /// The file name, such as `ci-sqlite-3.40.1-1a2b3c4d.csv`: the workloads, SQLite's version, and
  /// its abbreviated build.
  package static func name(of baseline: Baseline) -> String { name(of: baseline.document) }

  fileprivate static func name(of document: ResultDocument) -> String {
    let environment = document.environment
    let name = commonFolder(of: document.workloads.map(\.workload))
    return plain(name) + "-sqlite-" + plain(environment.sqliteVersion) + "-"
      + environment.sqliteBuild + ".csv"
  }

  /// Writes a baseline atomically and creates its folder if necessary.
  ///
  /// - Throws: ``Refusal`` if writing fails or if a name cannot be represented in a baseline.
  package static func write(_ baseline: Baseline, to path: String) throws {
    let text = try BaselineCSV.text(of: baseline)
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
    do {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    } catch {
      throw Refusal.cannotWrite(folder, reason: "it cannot be made")
    }
    try AtomicFile.write(text, to: path)
  }

  /// The common folder of all workloads, or the name of the only workload; `all` if there is
  /// neither.
  private static func commonFolder(of names: [String]) -> String {
    let folders = names.map { Array($0.split(separator: "/").dropLast()) }
    var common = folders.first ?? []
    for folder in folders {
      common = zip(common, folder).prefix { $0 == $1 }.map { $0.0 }
    }
    if common.isEmpty { return names.count == 1 ? names[0] : "all" }
    return common.joined(separator: "-")
  }

  private static func plain(_ text: String) -> String {
    let allowed = text.unicodeScalars.map { scalar -> Character in
      let isPlain =
        scalar.isASCII
        && (scalar.properties.isAlphabetic || "0123456789._-".unicodeScalars.contains(scalar))
      return isPlain ? Character(scalar) : "-"
    }
    let name = String(allowed.prefix(60))
    return name.hasPrefix(".") || name.isEmpty ? "-" + name.dropFirst() : name
  }
}

/// The baseline or earlier result with which a result is compared.
package enum StoredBaseline: Sendable {
  /// A whole result, including times.
  case result(ResultDocument)
  /// A baseline's exact costs and the path of its file.
  case costs(Baseline, path: String)
  /// There is no baseline for the result's SQLite build and workloads.
  case none

  /// Loads the baseline at a path: a result, the folder of a run, a baseline, or a folder of
  /// baselines.
  ///
  /// In a folder of baselines, the baseline for the result's SQLite build is chosen.
  ///
  /// - Throws: ``Refusal`` if a file is missing, unreadable or malformed, or if several baselines
  ///   match.
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

  /// Whether a path is a folder of baselines, which may still be empty, rather than the folder of a
  /// run.
  package static func isFolder(_ path: String) -> Bool {
    guard let names = try? FileManager.default.contentsOfDirectory(atPath: path) else {
      return false
    }
    let isRun = [RunFolder.resultName, "result.json"].contains(where: names.contains)
    // Ignore '.gitkeep' and other hidden files, which keep an otherwise empty folder in Git.
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
    let ofBuild = try files.map { (baseline: try BaselineCSV.read(path: $0), path: $0) }
      .filter { $0.baseline.document.environment.hasSameSQLite(as: candidate.environment) }
    var fitting = ofBuild.filter {
      !workloads.isDisjoint(with: $0.baseline.document.workloads.map(\.workload))
    }
    if fitting.isEmpty {
      // All workload files may have been renamed, so fall back to the file that 'baseline update'
      // would write.
      let name = "/" + BaselineFile.name(of: candidate)
      fitting = ofBuild.filter { $0.path.hasSuffix(name) }
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
