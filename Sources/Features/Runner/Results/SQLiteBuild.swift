import Basics
import SQLite

/// Identifies a build of SQLite, for the names of baselines and releases.
package enum SQLiteBuild {
  /// The version and build digest of the SQLite that this program uses, such as `3.40.1-decae05f`.
  package static var own: String {
    "\(Library.version)-\(digest(sourceID: Library.sourceID, options: Library.compileOptions))"
  }

  static func digest(sourceID: String, options: [String]) -> String {
    var hash: UInt32 = 2_166_136_261
    for byte in ([sourceID] + Set(options).sorted()).joined(separator: "\n").utf8 {
      hash = (hash ^ UInt32(byte)) &* 16_777_619
    }
    return withUnsafeBytes(of: hash.bigEndian) { Array($0).hexadecimal }
  }
}

extension Environment {
  /// A short digest of the SQLite build, without its version: `decae05f`.
  package var sqliteBuild: String {
    SQLiteBuild.digest(sourceID: sqliteSourceID, options: sqliteCompileOptions)
  }
}
