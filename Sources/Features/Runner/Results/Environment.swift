import Basics
import Dispatch
import Foundation
import SQLite
import Synchronization

/// The machine, software and settings of a run, which determine whether two results are comparable.
package struct Environment: Codable, Hashable, Sendable {
  package var machine: String
  package var architecture: String
  package var cores: Int
  package var memoryBytes: Int64
  package var operatingSystem: String
  package var kernel: String
  /// The type of the work folder's file system.
  package var fileSystem: String
  /// The value of `sqlite3_sourceid()`.
  package var sqliteSourceID: String
  package var sqliteVersion: String
  package var sqliteCompileOptions: [String]
  package var swiftVersion: String
  /// The versions of the packages that the program was built with; `nil` if unknown.
  package var packages: [String: String]?
  /// The build configuration, `release` or `debug`.
  package var build: String
  /// The commit that StoreBench was built from, with `+changes` if the work tree was modified;
  /// empty if unknown.
  package var commit: String
  /// A digest that differs between builds of the same commit; `nil` if unknown.
  package var program: String?
  /// The start time of the run, as ISO 8601 in UTC.
  package var startedAt: String
  /// The commit of the repository that contains the workload files; `nil` if there is no
  /// repository, and in results of earlier builds.
  package var source: SourceRevision?

  /// Creates an environment; a baseline sets only SQLite and the build, because exact costs depend
  /// on nothing else.
  package init(
    machine: String = "",
    architecture: String = "",
    cores: Int = 0,
    memoryBytes: Int64 = 0,
    operatingSystem: String = "",
    kernel: String = "",
    fileSystem: String = "",
    sqliteSourceID: String,
    sqliteVersion: String,
    sqliteCompileOptions: [String],
    swiftVersion: String = "",
    packages: [String: String]? = nil,
    build: String,
    commit: String = "",
    program: String? = nil,
    startedAt: String = "",
    source: SourceRevision? = nil
  ) {
    self.machine = machine
    self.architecture = architecture
    self.cores = cores
    self.memoryBytes = memoryBytes
    self.operatingSystem = operatingSystem
    self.kernel = kernel
    self.fileSystem = fileSystem
    self.sqliteSourceID = sqliteSourceID
    self.sqliteVersion = sqliteVersion
    self.sqliteCompileOptions = sqliteCompileOptions
    self.swiftVersion = swiftVersion
    self.packages = packages
    self.build = build
    self.commit = commit
    self.program = program
    self.startedAt = startedAt
    self.source = source
  }
}

/// Reads the environment of a run.
package enum EnvironmentProbe {
  /// Returns the environment of a run with the given work folder and start time.
  ///
  /// `codeFolder` is a folder inside StoreBench's work tree, or `nil` if the commit is not needed;
  /// `sourcePath` is inside the repository of the workload files; `startedAt` is in ISO 8601.
  package static func read(
    workFolder: String,
    codeFolder: String?,
    sourcePath: String? = nil,
    startedAt: String
  ) -> Environment {
    var system = utsname()
    uname(&system)
    return Environment(
      machine: machine,
      architecture: text(of: system.machine),
      cores: ProcessInfo.processInfo.processorCount,
      memoryBytes: Int64(clamping: ProcessInfo.processInfo.physicalMemory),
      operatingSystem: operatingSystem,
      kernel: "\(text(of: system.sysname)) \(text(of: system.release))",
      fileSystem: fileSystem(of: workFolder),
      sqliteSourceID: Library.sourceID,
      sqliteVersion: Library.version,
      sqliteCompileOptions: Library.compileOptions,
      swiftVersion: swiftVersion,
      packages: packages,
      build: isDebug ? "debug" : "release",
      commit: codeFolder.flatMap { SourceRevision.read(around: $0)?.text } ?? "",
      program: program,
      startedAt: startedAt,
      source: sourcePath.flatMap { SourceRevision.read(around: $0) }
    )
  }

  /// The versions of the packages that this program was built with, by name.
  package static var packages: [String: String] { ResolvedVersions.packages }

  /// Whether this program was compiled without optimization.
  package static var isDebug: Bool {
    #if DEBUG
      true
    #else
      false
    #endif
  }

  /// A digest of the size and modification time of the executable, which differs between builds.
  private static var program: String? {
    let path = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().path
    guard let facts = try? FileManager.default.attributesOfItem(atPath: path),
      let size = facts[.size] as? Int, let time = facts[.modificationDate] as? Date
    else { return nil }
    let text = "\(size) \(Int(time.timeIntervalSince1970 * 1000))"
    return String(SHA256.hash(data: Array(text.utf8)).hexadecimal.prefix(12))
  }

  private static var swiftVersion: String {
    #if compiler(>=6.4)
      "6.4 or later"
    #elseif compiler(>=6.3.1)
      "6.3.1 or later"
    #elseif compiler(>=6.3)
      "6.3"
    #else
      "6.2"
    #endif
  }

  private static var machine: String {
    let name = value(of: "model name", in: "/proc/cpuinfo", separator: ":")
    return name ?? sysctl("machdep.cpu.brand_string") ?? "unknown"
  }

  private static var operatingSystem: String {
    let name = value(of: "PRETTY_NAME", in: "/etc/os-release", separator: "=")
    return name ?? ProcessInfo.processInfo.operatingSystemVersionString
  }

  private static func fileSystem(of folder: String) -> String {
    let mounts = (try? String(contentsOfFile: "/proc/self/mounts", encoding: .utf8)) ?? ""
    let path = URL(fileURLWithPath: folder).standardizedFileURL.resolvingSymlinksInPath().path
    return MountTable(mounts).fileSystem(of: path) ?? "unknown"
  }

  private static func value(of name: String, in path: String, separator: Character) -> String? {
    guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return nil }
    for line in text.split(separator: "\n") {
      let parts = line.split(separator: separator, maxSplits: 1)
      guard parts.count == 2, parts[0].trimmingCharacters(in: .whitespaces) == name else {
        continue
      }
      return parts[1].trimmingCharacters(in: CharacterSet(charactersIn: " \t\""))
    }
    return nil
  }

  private static func sysctl(_ name: String) -> String? {
    #if canImport(Darwin)
      var size = 0
      guard sysctlbyname(name, nil, &size, nil, 0) == 0, size > 0 else { return nil }
      var bytes = [UInt8](repeating: 0, count: size)
      guard sysctlbyname(name, &bytes, &size, nil, 0) == 0 else { return nil }
      return String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    #else
      nil
    #endif
  }

  private static func text<Field>(of field: Field) -> String {
    withUnsafeBytes(of: field) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
  }

  /// The mounts of a Linux system, as listed in `/proc/self/mounts`.
  struct MountTable {
    private let mounts: [(folder: String, type: String)]

    init(_ text: String) {
      mounts = text.split(separator: "\n").compactMap { line in
        let words = line.split(separator: " ")
        guard words.count > 2 else { return nil }
        // In `/proc/self/mounts`, spaces and backslashes are written as octal escapes; see proc(5).
        let folder = words[1].replacingOccurrences(of: "\\040", with: " ")
          .replacingOccurrences(of: "\\134", with: "\\")
        return (folder, String(words[2]))
      }
    }

    /// Returns the type of the file system that contains a path; if several file systems are
    /// mounted on one folder, the last one applies.
    func fileSystem(of path: String) -> String? {
      let holding = mounts.enumerated().filter { _, mount in
        mount.folder == "/" || path == mount.folder || path.hasPrefix(mount.folder + "/")
      }
      return holding.max {
        ($0.element.folder.count, $0.offset) < ($1.element.folder.count, $1.offset)
      }?.element.type
    }
  }
}

/// An external program, found by its name.
package struct Tool {
  /// The output and exit status of a program.
  package struct Answer {
    package var status: Int32
    package var output: String
    /// The last line of standard output and standard error that reports an error; if no line does,
    /// the last line.
    package var errorLine: String
  }

  let name: String
  let onLine: (String) -> Void

  package init(name: String, onLine: @escaping (String) -> Void = { _ in }) {
    (self.name, self.onLine) = (name, onLine)
  }

  /// Runs git in the repository of a folder, without any program that the repository configures.
  package static func git(_ arguments: [String], in folder: String) -> Answer? {
    let settings = ["core.hooksPath=/dev/null", "core.fsmonitor=false"].flatMap { ["-c", $0] }
    return Tool(name: "git").run(["-C", folder] + settings + arguments)
  }

  /// Runs the program to completion; returns `nil` if it cannot be started.
  package func run(_ arguments: [String]) -> Answer? {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [name] + arguments
    let (output, errors) = (Pipe(), Pipe())
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = errors
    // Foundation's own wait looks for the end of the process only every 50 ms on Linux.
    let end = DispatchSemaphore(value: 0)
    process.terminationHandler = { _ in end.signal() }
    guard (try? process.run()) != nil else { return nil }
    let said = StreamText()
    // Read standard output and standard error concurrently, because a full pipe would block the
    // program.
    let thread = Thread { said.finish(errors.fileHandleForReading.readDataToEndOfFile()) }
    thread.start()
    let text = read(output.fileHandleForReading)
    end.wait()
    return Answer(
      status: process.terminationStatus,
      output: text,
      errorLine: Self.errorLine(in: text + "\n" + said.text())
    )
  }

  private func read(_ file: FileHandle) -> String {
    var (text, line) = (Data(), Data())
    while true {
      let bytes = file.availableData
      guard !bytes.isEmpty else { break }
      text += bytes
      line += bytes
      while let end = line.firstIndex(of: UInt8(ascii: "\n")) {
        onLine(String(decoding: line[line.startIndex..<end], as: UTF8.self))
        line = Data(line[(end + 1)...])
      }
    }
    return String(decoding: text, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
  }

  private static func errorLine(in text: String) -> String {
    let lines = text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
    let marked = lines.last { $0.contains("error:") || $0.contains("fatal:") }
    return String((marked ?? lines.last { !$0.isEmpty } ?? "").prefix(300))
  }

  private final class StreamText: Sendable {
    private let data = Mutex(Data())
    private let isDone = DispatchSemaphore(value: 0)

    func finish(_ bytes: Data) {
      data.withLock { $0 = bytes }
      isDone.signal()
    }

    func text() -> String {
      isDone.wait()
      return data.withLock { String(decoding: $0, as: UTF8.self) }
    }
  }
}
