import Foundation
import TestSupport

/// Programs that are not ours, to read what we write.
enum Python {
  /// The standard output of a script; throws what it says where it fails.
  static func run(
    _ script: String,
    input: String = "",
    argument: String = ""
  ) throws -> String {
    let folder = try TemporaryFolder()
    let file = try folder.write(Array(input.utf8), to: "input")
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["python3", "-c", script, argument]
    process.standardInput = try FileHandle(forReadingFrom: URL(fileURLWithPath: file))
    let output = Pipe()
    let errors = Pipe()
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    let text = output.fileHandleForReading.readDataToEndOfFile()
    let trouble = errors.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw Failure(text: String(decoding: trouble, as: UTF8.self))
    }
    return String(decoding: text, as: UTF8.self)
  }

  private struct Failure: Error {
    var text: String
  }
}
