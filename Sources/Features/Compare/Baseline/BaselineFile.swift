import Basics
import Foundation
import Runner

/// The file of a baseline: one a SQLite build, in a folder of them.
package enum BaselineFile {
  /// `ci-sqlite-3.40.1-1a2b3c4d.csv`: the workloads, SQLite's version, and its build in short.
  package static func name(of baseline: Baseline) -> String {
    let environment = baseline.document.environment
    let name = commonFolder(of: baseline.document.workloads.map(\.workload))
    return plain(name) + "-sqlite-" + plain(environment.sqliteVersion) + "-"
      + build(of: environment) + ".csv"
  }

  /// Writes a baseline, whole or not at all; the folder is made where it is missing.
  ///
  /// Throws `Refusal`, also for names that a baseline cannot hold.
  package static func write(_ baseline: Baseline, to path: String) throws {
    let text = try BaselineCSV.text(of: baseline)
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
    do {
      try FileManager.default.createDirectory(
        atPath: folder,
        withIntermediateDirectories: true
      )
    } catch {
      throw Refusal.cannotWrite(folder, reason: "it cannot be made")
    }
    try AtomicFile.write(text, to: path)
  }

  /// Distinguishes builds of one version in a name: FNV-1a of the source id and the options.
  private static func build(of environment: Environment) -> String {
    let facts = [environment.sqliteSourceID] + Set(environment.sqliteCompileOptions).sorted()
    var hash: UInt32 = 2_166_136_261
    for byte in facts.joined(separator: "\n").utf8 {
      hash = (hash ^ UInt32(byte)) &* 16_777_619
    }
    return withUnsafeBytes(of: hash.bigEndian) { Array($0).hexadecimal }
  }

  /// The folder that all workloads are in, or the name of the only one; `all` where there is none.
  private static func commonFolder(of names: [String]) -> String {
    let folders = names.map { Array($0.split(separator: "/").dropLast()) }
    var common = folders.first ?? []
    for folder in folders {
      common = zip(common, folder).prefix { $0 == $1 }.map { $0.0 }
    }
    if common.isEmpty { return names.count == 1 ? names[0] : "all" }
    return common.joined(separator: "-")
  }

  /// Letters and digits that every file system and shell takes as they are.
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
