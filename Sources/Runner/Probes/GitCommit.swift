import Foundation

/// The commit of a work tree.
enum GitCommit {
  /// The hash, with `+changes` where tracked files differ from it; empty where there is no git or
  /// no work tree.
  static func read(in folder: String) -> String {
    guard let hash = git(["rev-parse", "HEAD"], in: folder) else { return "" }
    let status = git(["status", "--porcelain", "--untracked-files=no"], in: folder) ?? ""
    return status.isEmpty ? hash : hash + "+changes"
  }

  private static func git(_ arguments: [String], in folder: String) -> String? {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["git", "-C", folder] + arguments
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return nil }
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { return nil }
    return String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
