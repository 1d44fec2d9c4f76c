import Basics
import DataModel
import Foundation
import Runner
import SQLite

extension SideBuilder {
  /// A checkout of a revision of the repository that contains the workload files.
  struct RevisionCheckout {
    private let revision: String
    private let folder: String
    private let root: String
    private let progress: (String) -> Void
    /// The scratch folder, whose lock prevents `storebench clean` from cleaning the work folder.
    private let scratch: ScratchFolder
    let paths: [String]

    /// Checks out a revision, unless its commit has been checked out before.
    ///
    /// - Throws: ``Refusal`` if there is no repository or no such revision.
    init(
      of revision: String,
      holding paths: [String],
      cacheFolder: String,
      progress: @escaping (String) -> Void
    ) throws {
      self.revision = revision
      self.progress = progress
      let files = paths.map {
        URL(fileURLWithPath: $0).standardizedFileURL.resolvingSymlinksInPath()
      }
      guard let first = files.first else { throw Refusal.noSuchInput(path: "") }
      let start = first.hasDirectoryPath ? first.path : first.deletingLastPathComponent().path
      guard let root = try Self.git(["rev-parse", "--show-toplevel"], in: start) else {
        throw Refusal.unusable(start, problem: "is not in a Git repository, which 'git:' needs")
      }
      // `--end-of-options` prevents Git from interpreting the revision as an option.
      let commit = ["rev-parse", "--verify", "--quiet", "--end-of-options", "\(revision)^{commit}"]
      guard let hash = try Self.git(commit, in: root) else {
        throw Refusal.invalidSide(
          "git:\(revision)",
          problem:
            "is not a revision of '\(root)'; a clone of part of the history lacks most of them: "
            + "'git fetch --unshallow', or 'fetch-depth: 0' of actions/checkout"
        )
      }
      self.root = root
      scratch = try ScratchFolder(in: cacheFolder + "/work")
      folder =
        URL(fileURLWithPath: "\(cacheFolder)/revisions/\(hash.prefix(16))").standardizedFileURL.path
      if !FileManager.default.fileExists(atPath: folder + "/.git") {
        progress("checking out \(revision)")
        _ = try Self.git(["worktree", "prune"], in: root)
        let added = Tool.addWorkTree(at: folder, of: hash, in: root)
        guard let added, added.status == 0 else {
          throw Refusal.unusable(
            folder,
            problem: "cannot be checked out: \(added?.errorLine ?? "git cannot be run")"
          )
        }
      }
      // Record the time of use, because `storebench clean` removes recently used work trees last,
      // as in the cache of stores.
      utimes(folder, nil)
      let checkedOut = folder
      self.paths = files.compactMap { file in
        guard file.path.hasPrefix(root + "/") || file.path == root else { return nil }
        let path = checkedOut + file.path.dropFirst(root.count)
        return FileManager.default.fileExists(atPath: path) ? path : nil
      }
      guard !self.paths.isEmpty else {
        throw Refusal.invalidSide("git:\(revision)", problem: "has none of these workload files")
      }
    }

    /// Builds the program of the revision; returns `nil` if the repository does not contain this
    /// program's sources, so that only the workload files differ.
    ///
    /// - Throws: ``Refusal`` if it does not build.
    func program(like executable: String, _ announce: (String) -> Void) throws -> String? {
      let product = URL(fileURLWithPath: executable).lastPathComponent
      let folder = folder + Self.package(of: executable, in: root)
      guard let manifest = try? String(contentsOfFile: folder + "/Package.swift", encoding: .utf8),
        manifest.contains("\"\(product)\"")
      else { return nil }
      let built = folder + "/.build/release/" + product
      if !FileManager.default.fileExists(atPath: built) {
        announce(
          "building \(revision), which usually takes 5 to 15 minutes; --no-build runs its files with "
            + "this program instead"
        )
      }
      progress("building \(revision)")
      let swift = Tool(name: "swift") { line in progress("building \(revision): \(line)") }
      let arguments = [
        "build", "-c", "release", "--product", product, "--package-path", folder,
      ]
      guard let answer = swift.run(arguments) else {
        throw Refusal.unusable(folder, problem: "cannot be built: 'swift' was not found")
      }
      guard answer.status == 0 else {
        throw Refusal.unusable(folder, problem: "does not build: \(answer.errorLine)")
      }
      return built
    }

    /// The path of a program's package within a repository, with a leading slash.
    ///
    /// It is empty for the root, which is also assumed if the program was built elsewhere.
    static func package(of executable: String, in root: String) -> String {
      let parts = executable.components(separatedBy: "/.build/")
      guard parts.count > 1, parts[0].hasPrefix(root + "/") else { return "" }
      return String(parts[0].dropFirst(root.count))
    }

    private static func git(_ arguments: [String], in folder: String) throws -> String? {
      guard let answer = Tool.git(arguments, in: folder) else {
        throw Refusal.unusable(folder, problem: "cannot be read: 'git' was not found")
      }
      return answer.status == 0 ? answer.output : nil
    }
  }

  struct SQLiteLibraryFile {
    private static let loaderName = "libsqlite3.so.0"

    private let path: String
    /// The result of the library's `sqlite3_sourceid()`.
    let sourceID: String

    /// Loads a library to read its source ID, then unloads it.
    ///
    /// - Throws: ``Refusal`` if the file is missing or not a SQLite library, or if this program
    ///   cannot use another library.
    init(path: String) throws {
      let full = URL(fileURLWithPath: path).standardizedFileURL.path
      guard FileManager.default.fileExists(atPath: full) else {
        throw Refusal.noSuchInput(path: path)
      }
      // The loader cannot replace SQLite in a program that links it statically, as releases do.
      guard let own = dlopen(Self.loaderName, RTLD_LAZY | RTLD_NOLOAD) else {
        throw Refusal.unusable(
          path,
          problem: "cannot be compared: SQLite is linked into this program; build StoreBench from "
            + "source, with 'make run', to compare libraries"
        )
      }
      dlclose(own)
      guard let handle = dlopen(full, RTLD_NOW | RTLD_LOCAL) else {
        throw Refusal.unusable(path, problem: "is not a library that can be loaded: \(Self.reason)")
      }
      defer { dlclose(handle) }
      guard let symbol = dlsym(handle, "sqlite3_sourceid") else {
        throw Refusal.unusable(
          path,
          problem: "is not a SQLite library: it has no 'sqlite3_sourceid'"
        )
      }
      typealias SourceID = @convention(c) () -> UnsafePointer<CChar>?
      let text = unsafeBitCast(symbol, to: SourceID.self)().map { String(cString: $0) }
      self.path = full
      sourceID = text ?? ""
    }

    private static var reason: String { dlerror().map { String(cString: $0) } ?? "unknown" }

    /// The environment variables that make the loader find this library first.
    ///
    /// - Throws: ``Refusal`` if the link to the library cannot be written.
    func loaderVariables(in cacheFolder: String) throws -> [String: String] {
      let name = sourceID.split(separator: " ").last.map { String($0.prefix(16)) } ?? "unknown"
      let folder = URL(fileURLWithPath: cacheFolder + "/libraries/" + name).standardizedFileURL.path
      let link = folder + "/" + Self.loaderName
      do {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try? FileManager.default.removeItem(atPath: link)
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
      } catch {
        throw Refusal.cannotWrite(link)
      }
      let inherited = ProcessInfo.processInfo.environment["LD_LIBRARY_PATH"].map { ":" + $0 } ?? ""
      return ["LD_LIBRARY_PATH": folder + inherited]
    }
  }
}

extension ConnectionSettings {
  private static let changeable = [
    "busy_timeout", "cache_size", "foreign_keys", "journal_mode", "synchronous",
    "wal_autocheckpoint",
  ]

  mutating func set(_ pragma: SideText.Pragma) -> String? {
    let value = pragma.value.lowercased()
    switch pragma.name.lowercased() {
    case "busy_timeout":
      return set(\.busyTimeout, value, in: 0...3_600_000)
    case "cache_size":
      // Reject a negative size, which is in KiB: the corresponding number of pages depends on the
      // build (sqlite.md, section 1).
      return set(\.cachePages, value, in: 1...100_000_000)
    case "foreign_keys":
      guard let isOn = ["on": true, "1": true, "off": false, "0": false][value] else {
        return "is on or off"
      }
      usesForeignKeys = isOn
    case "journal_mode":
      guard let mode = JournalMode(rawValue: value) else {
        return "is one of \(JournalMode.allCases.map(\.rawValue).joined(separator: ", "))"
      }
      journalMode = mode
    case "synchronous":
      guard let mode = Synchronous(rawValue: value) else {
        return "is one of \(Synchronous.allCases.map(\.rawValue).joined(separator: ", "))"
      }
      synchronous = mode
    case "wal_autocheckpoint":
      return set(\.walAutocheckpoint, value, in: 0...1_000_000_000)
    case "page_size", "auto_vacuum":
      return "is stored in the file: compare two workload files with different stores instead"
    default:
      return "cannot be set; available: \(Self.changeable.joined(separator: ", "))"
        + didYouMean(pragma.name, among: Self.changeable)
    }
    return nil
  }

  private mutating func set(
    _ setting: WritableKeyPath<ConnectionSettings, Int>,
    _ text: String,
    in range: ClosedRange<Int>
  ) -> String? {
    guard let number = Int(text), range.contains(number) else {
      return "is a whole number from \(range.lowerBound) to \(range.upperBound)"
    }
    self[keyPath: setting] = number
    return nil
  }
}
