/// The system's python3, for independent implementations of formats.
package enum Python {
  private static let program = OutsideProgram("python3")

  package static var isInstalled: Bool { program != nil }

  /// Whether Python can import the module.
  package static func has(_ module: String) -> Bool { (try? run("import \(module)")) != nil }

  /// Returns the output of a script; throws its error message if it fails.
  @discardableResult
  package static func run(
    _ script: String,
    input: some Sequence<UInt8> = [],
    arguments: [String] = []
  ) throws -> OutsideProgram.Ending {
    guard let program else { throw Failure(errors: "python3 is not installed") }
    let ending = try program.run(["-c", script] + arguments, input: input)
    guard ending.status == 0 else { throw Failure(errors: ending.errors) }
    return ending
  }

  private struct Failure: Error {
    let errors: String
  }
}
