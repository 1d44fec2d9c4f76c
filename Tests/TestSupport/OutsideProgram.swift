import Foundation

/// An external program that checks StoreBench's output or makes its input.
package struct OutsideProgram: Sendable {
  /// The output and the exit status of a program.
  package struct Ending: Sendable {
    package let status: Int32
    /// The bytes of the standard output.
    package let bytes: [UInt8]
    package let errors: String

    package var output: String { String(decoding: bytes, as: UTF8.self) }
  }

  private let path: String

  /// Finds the first of the named programs that is installed; `nil` if none is.
  ///
  /// A name without a slash is searched for in the folders of PATH; other names are paths.
  package init?(_ names: String...) {
    let folders = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":") ?? []
    let places = names.flatMap { name in
      name.contains("/") ? [name] : folders.map { "\($0)/\(name)" }
    }
    guard let path = places.first(where: FileManager.default.isExecutableFile(atPath:)) else {
      return nil
    }
    self.path = path
  }

  /// Runs the program and waits until it exits.
  ///
  /// The output goes to files: a full pipe would block the program while the other pipe is read.
  package func run(_ arguments: [String], input: some Sequence<UInt8> = []) throws -> Ending {
    let folder = try TemporaryFolder()
    for name in ["output", "errors"] { try folder.write("", to: name) }
    let file = { (name: String) in URL(fileURLWithPath: folder.file(name)) }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    try folder.write(input, to: "input")
    process.standardInput = try FileHandle(forReadingFrom: file("input"))
    process.standardOutput = try FileHandle(forWritingTo: file("output"))
    process.standardError = try FileHandle(forWritingTo: file("errors"))
    try process.run()
    process.waitUntilExit()
    return try Ending(
      status: process.terminationStatus,
      bytes: folder.bytes(of: "output"),
      errors: String(decoding: folder.bytes(of: "errors"), as: UTF8.self)
    )
  }
}
