import Basics
import SQLite

/// Distinguishes builds of one version of SQLite in names of baselines and releases.
package enum SQLiteBuild {
  /// The version and build that this program uses: `3.40.1-decae05f`.
  package static var own: String {
    "\(Library.version)-\(digest(sourceID: Library.sourceID, options: Library.compileOptions))"
  }

  /// FNV-1a of the source ID and the options.
  static func digest(sourceID: String, options: [String]) -> String {
    var hash: UInt32 = 2_166_136_261
    for byte in ([sourceID] + Set(options).sorted()).joined(separator: "\n").utf8 {
      hash = (hash ^ UInt32(byte)) &* 16_777_619
    }
    return withUnsafeBytes(of: hash.bigEndian) { Array($0).hexadecimal }
  }
}

extension Environment {
  /// The build of SQLite in short, without its version: `decae05f`.
  package var sqliteBuild: String {
    SQLiteBuild.digest(sourceID: sqliteSourceID, options: sqliteCompileOptions)
  }
}
