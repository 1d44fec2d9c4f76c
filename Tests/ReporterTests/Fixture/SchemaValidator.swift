import Foundation
import Testing

/// The JSON Schema of a result, held against documents by Python's `jsonschema` package.
enum SchemaValidator {
  /// Whether python3 and the package are on this machine.
  static let isInstalled = (try? run("import jsonschema", input: "", argument: "")) != nil

  /// What the schema says of each of some documents: a line a document, empty for a valid one.
  static func problems(of documents: [String]) throws -> [String] {
    let script = """
      import json, sys
      from jsonschema import Draft202012Validator as Validator
      schema = json.load(open(sys.argv[1]))
      Validator.check_schema(schema)
      validator = Validator(schema)
      for line in sys.stdin:
          print("; ".join(error.message[:200] for error in validator.iter_errors(json.loads(line))))
      """
    let lines = documents.map { $0.hasSuffix("\n") ? $0 : $0 + "\n" }.joined()
    let output = try run(script, input: lines, argument: schemaPath)
    return output.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
      .map(String.init)
  }

  private static let schemaPath = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "Results/schema/result-v1.schema.json").path

  private static func run(_ script: String, input: String, argument: String) throws -> String {
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
