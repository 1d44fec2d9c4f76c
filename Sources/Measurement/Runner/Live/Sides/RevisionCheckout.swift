import Foundation

/// A revision of the repository that holds the workload files, checked out beside the stores.
struct RevisionCheckout {
  private let revision: String
  private let folder: String
  private let progress: (String) -> Void
  /// The workload files of the revision; those that it does not have are left out.
  let paths: [String]

  /// Checks a revision out, once for every commit.
  ///
  /// - Throws: ``LiveError`` where there is no repository or no such revision.
  init(
    of revision: String,
    holding paths: [String],
    cacheFolder: String,
    progress: @escaping (String) -> Void
  ) throws {
    self.revision = revision
    self.progress = progress
    let files = paths.map { URL(fileURLWithPath: $0).standardizedFileURL.resolvingSymlinksInPath() }
    guard let first = files.first else { throw RunnerError.noSuchInput(path: "") }
    let start = first.hasDirectoryPath ? first.path : first.deletingLastPathComponent().path
    guard let root = try Self.git(["rev-parse", "--show-toplevel"], in: start) else {
      throw LiveError.unusable(start, problem: "is in no git repository, and 'git:' needs one")
    }
    // A revision that looks like an option is none.
    let commit = ["rev-parse", "--verify", "--quiet", "--end-of-options", "\(revision)^{commit}"]
    guard let hash = try Self.git(commit, in: root) else {
      throw LiveError.invalidSide("git:\(revision)", problem: "names no revision of '\(root)'")
    }
    folder =
      URL(fileURLWithPath: "\(cacheFolder)/revisions/\(hash.prefix(16))").standardizedFileURL.path
    if !FileManager.default.fileExists(atPath: folder + "/.git") {
      progress("checking out \(revision)")
      _ = try Self.git(["worktree", "prune"], in: root)
      let added = Tool(name: "git").run([
        "-C", root, "worktree", "add", "--force", "--detach", folder, hash,
      ])
      guard let added, added.status == 0 else {
        throw LiveError.unusable(
          folder,
          problem: "cannot be checked out: \(added?.complaint ?? "git cannot be run")"
        )
      }
    }
    let checkedOut = folder
    self.paths = files.compactMap { file in
      guard file.path.hasPrefix(root + "/") || file.path == root else { return nil }
      let path = checkedOut + file.path.dropFirst(root.count)
      return FileManager.default.fileExists(atPath: path) ? path : nil
    }
    guard !self.paths.isEmpty else {
      throw LiveError.invalidSide("git:\(revision)", problem: "has none of these workload files")
    }
  }

  /// The program of the revision, built; `nil` where the repository does not hold this program's
  /// sources, so that only its files differ.
  ///
  /// - Throws: ``LiveError/unusable(_:problem:)`` where it does not build.
  func program() throws -> String? {
    guard FileManager.default.fileExists(atPath: folder + "/Package.swift"),
      FileManager.default.fileExists(atPath: folder + "/Sources/storebench")
    else { return nil }
    progress("building \(revision), which takes some minutes")
    let swift = Tool(name: "swift") { line in progress("building \(revision): \(line)") }
    let arguments = ["build", "-c", "release", "--product", "storebench", "--package-path", folder]
    guard let answer = swift.run(arguments) else {
      throw LiveError.unusable(folder, problem: "cannot be built: there is no 'swift'")
    }
    guard answer.status == 0 else {
      throw LiveError.unusable(folder, problem: "does not build: \(answer.complaint)")
    }
    return folder + "/.build/release/storebench"
  }

  private static func git(_ arguments: [String], in folder: String) throws -> String? {
    guard let answer = Tool(name: "git").run(["-C", folder] + arguments) else {
      throw LiveError.unusable(folder, problem: "cannot be looked at: there is no 'git'")
    }
    return answer.status == 0 ? answer.output : nil
  }
}
