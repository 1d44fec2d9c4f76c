import Foundation
import Testing

/// A text that is held against a file beside the tests; `RECORD_SNAPSHOTS=1` writes it anew.
enum Snapshot {
  static func check(
    _ text: String,
    _ name: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("Snapshots")
    let file = folder.appendingPathComponent(name)
    if ProcessInfo.processInfo.environment["RECORD_SNAPSHOTS"] == "1" {
      try Data((text + "\n").utf8).write(to: file)
    }
    let known = try String(contentsOf: file, encoding: .utf8)
    #expect(text + "\n" == known, sourceLocation: sourceLocation)
  }
}
