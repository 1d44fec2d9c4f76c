import Foundation

package enum Repository {
  /// The path of a file or folder in the repository, such as `Workloads/models`.
  package static func path(_ name: String) -> String {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent(name).path
  }
}
