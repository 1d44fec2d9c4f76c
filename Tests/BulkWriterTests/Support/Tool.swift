import Foundation

/// A program outside the tests that judges files.
struct Tool {
  private let path: String

  /// SQLite's own shell; `nil` where it is not installed.
  static let sqlite = Tool(anyOf: ["/usr/bin/sqlite3", "/usr/local/bin/sqlite3"])
  /// The independent reader; `nil` where there is no Python for it.
  static let checkDatabase: Tool? =
    FileManager.default.isExecutableFile(atPath: "/usr/bin/python3")
    ? Tool(anyOf: [root + "/scripts/check-database"]) : nil

  private static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().path

  private init?(anyOf paths: [String]) {
    guard let path = paths.first(where: FileManager.default.isExecutableFile(atPath:)) else {
      return nil
    }
    self.path = path
  }

  /// What it prints, on either channel.
  func run(_ arguments: [String]) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    let output = Pipe()
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return String(decoding: data, as: UTF8.self)
  }
}
