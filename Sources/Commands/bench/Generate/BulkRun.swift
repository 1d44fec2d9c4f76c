import ArgumentParser
import Foundation
import Generators
import Runner

/// Generates one store in a process of its own, so that the peak of its memory is the store's.
struct BulkRun: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "bulk", shouldDisplay: false)

  /// What the process prints.
  struct Report: Codable {
    let seconds: Double
    let peakBytes: Int64
  }

  @Argument
  var recipe: String

  @Argument
  var output: String

  @Option
  var threads = 1

  @Flag(help: "Sync the file within the time.")
  var sync = false

  func run() throws {
    let seconds = try Stopwatch.seconds {
      let recipe = try RecipeFile.read(path: recipe, options: RecipeFile.Options())
      try StoreGenerator(recipe, writer: BulkStoreWriter(threads: threads)).generate(at: output)
      if sync { try Self.sync(output) }
    }
    let report = Report(seconds: seconds, peakBytes: Self.peakBytes)
    print(String(decoding: try JSONEncoder().encode(report), as: UTF8.self))
  }

  private static func sync(_ path: String) throws {
    let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
    try file.synchronize()
    try file.close()
  }

  private static var peakBytes: Int64 {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    let kibibytes = line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap {
      Int64($0)
    }
    return (kibibytes ?? 0) * 1_024
  }

  /// Runs this command in a new process and waits for what it reports.
  static func start(
    _ recipe: String,
    to output: String,
    threads: Int,
    syncs: Bool = false
  ) throws -> Report {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    process.arguments =
      ["generate", "bulk", recipe, output, "--threads", "\(threads)"] + (syncs ? ["--sync"] : [])
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let data = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return try JSONDecoder().decode(Report.self, from: data)
  }
}
