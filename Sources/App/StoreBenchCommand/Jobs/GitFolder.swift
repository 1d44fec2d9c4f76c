import Basics
import Foundation
import Runner

/// The Git repository of a folder, whose commits are checked out in temporary work trees.
struct GitFolder {
  let path: String

  /// The commits after `first`, up to and including `last`, oldest first.
  func commits(after first: String, through last: String) throws -> [String] {
    // Mark the end of the options: a commit's name may come from a file and could be `--output=…`.
    let options = ["rev-list", "--reverse", "--first-parent", "--end-of-options"]
    let list = try git(options + ["\(first)..\(last)", "--"]).split(separator: "\n").map(
      String.init
    )
    guard !list.isEmpty else {
      throw Refusal.cannotMeasure(
        commit: last,
        reason: "'\(first)' is not an earlier commit of this repository; a clone of part of the "
          + "history lacks commits: 'git fetch --unshallow', or 'fetch-depth: 0' of "
          + "actions/checkout"
      )
    }
    return list
  }

  /// The full paths of a commit's files at or below the given paths.
  func files(of commit: String, at paths: [String]) throws -> Set<String> {
    let list = ["ls-tree", "-r", "-z", "--name-only", "--end-of-options", commit]
    return Set(try git(list + paths).split(separator: "\0").map { Self.full(String($0)) })
  }

  /// The full path of a file, without '.' and repeated slashes.
  static func full(_ path: String) -> String {
    URL(fileURLWithPath: path).standardizedFileURL.path
  }

  func title(of commit: String) throws -> String {
    try git(["log", "-1", "--no-show-signature", "--format=%h %s", "--end-of-options", commit])
  }

  func commit(_ revision: String) throws -> String {
    let words = [
      "rev-parse", "--verify", "--quiet", "--end-of-options", "\(revision)^{commit}",
    ]
    guard let answer = Tool.git(words, in: path), answer.status == 0,
      SourceRevision.isHash(answer.output)
    else {
      throw Refusal.badInput(
        "'\(TerminalText.plain(revision))' is not a revision of this repository; a clone of part of "
          + "the history lacks most of them: 'git fetch --unshallow', or 'fetch-depth: 0' of "
          + "actions/checkout"
      )
    }
    return answer.output
  }

  /// Performs work with a work tree of a commit and a scratch folder next to it, then removes both.
  ///
  /// Nothing is written into the work tree, because any path in it may be a symbolic link to a
  /// location outside.
  func checkedOut<Result>(
    _ commit: String,
    _ work: (_ tree: String, _ scratch: String) throws -> Result
  ) throws -> Result {
    let top = FileManager.default.temporaryDirectory.path + "/storebench-\(UUID().uuidString)"
    guard mkdir(top, 0o700) == 0 else { throw Refusal.cannotWrite(top) }
    let (tree, scratch) = (top + "/tree", top + "/scratch")
    defer {
      _ = try? git(["worktree", "remove", "--force", "--", tree])
      try? FileManager.default.removeItem(atPath: top)
      // Also remove Git's records of the work trees that a live comparison created.
      _ = try? git(["worktree", "prune"])
    }
    guard mkdir(scratch, 0o700) == 0 else { throw Refusal.cannotWrite(scratch) }
    guard let added = Tool.addWorkTree(at: tree, of: commit, in: path), added.status == 0 else {
      throw failure(of: "worktree add", at: commit)
    }
    return try work(tree, scratch)
  }

  /// Runs this program in a work tree, in the folder that corresponds to the current folder of the
  /// repository.
  func program(
    _ arguments: [String],
    in tree: String
  ) throws -> Tool.Answer {
    // Start in the work tree's folder, so that relative paths refer to its own workload files.
    let script = "cd \"$1\" || exit \(CommandStatus.noInput.code); shift; exec \"$@\""
    let below = (try? git(["rev-parse", "--show-prefix"])) ?? ""
    let folder = below.isEmpty ? tree : tree + "/" + below
    let words = ["-c", script, "sh", folder, try Executable.path()] + arguments
    guard let answer = Tool(name: "sh").run(words) else { throw Refusal.noExecutable }
    return answer
  }

  private func git(_ arguments: [String]) throws -> String {
    guard let answer = Tool.git(arguments, in: path), answer.status == 0 else {
      throw failure(of: arguments.first ?? "", at: arguments.last ?? "")
    }
    return answer.output.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  private func failure(of command: String, at commit: String) -> Refusal {
    .cannotMeasure(
      commit: commit,
      reason: "'git \(command)' failed here; a clone of part of the history lacks commits: "
        + "'git fetch --unshallow', or 'fetch-depth: 0' of actions/checkout"
    )
  }
}
