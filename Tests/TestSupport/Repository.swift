import Foundation

/// The project's own files, for tests of what it ships.
package enum Repository {
  /// The path of a file or folder, such as `Workloads/models`.
  package static func path(_ name: String) -> String {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent(name).path
  }
}
