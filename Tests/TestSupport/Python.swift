/// The system's python3, in which tests have independent implementations of formats.
package enum Python {
  private static let program = OutsideProgram("python3")

  package static var isInstalled: Bool { program != nil }

  /// Whether Python can import a module.
  package static func has(_ module: String) -> Bool { (try? run("import \(module)")) != nil }

  /// Runs a script and returns its output; throws the script's error message if it fails.
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
