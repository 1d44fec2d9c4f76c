import Basics
import Foundation

/// A commit of a repository, as described by git and the CI server.
///
/// A history orders its commits by the recorded parents and dates, because a shallow clone lacks
/// the commit graph.
package struct SourceRevision: Codable, Hashable, Sendable {
  /// The full hash, in lowercase hexadecimal digits.
  package var commit: String
  /// The branch; `nil` if no branch is checked out and the CI server does not name the branch.
  package var branch: String?
  /// Whether tracked files differ from the commit; `nil` if unknown.
  package var isDirty: Bool?
  /// The commit time, as ISO 8601 in UTC.
  package var committedAt: String
  /// The hashes of the parents; the first parent is on the branch that the other parents were
  /// merged into.
  package var parents: [String]
  /// The last commit of a pull request, if ``commit`` is a merge commit that the CI server made.
  package var head: String?
  /// The first line of the commit message, at most 200 characters.
  package var subject: String

  package init(
    commit: String,
    branch: String? = nil,
    isDirty: Bool? = nil,
    committedAt: String = "",
    parents: [String] = [],
    head: String? = nil,
    subject: String = ""
  ) {
    self.commit = commit
    self.branch = branch
    self.isDirty = isDirty
    self.committedAt = committedAt
    self.parents = parents
    self.head = head
    self.subject = subject
  }

  /// Whether a string is the hash of a commit, in full or shortened to at least seven digits.
  package static func isHash(_ text: String) -> Bool {
    (7...64).contains(text.utf8.count)
      && text.utf8.allSatisfy { "0123456789abcdef".utf8.contains($0) }
  }

  /// The hash, followed by `+changes` if tracked files differ from the commit.
  package var text: String { isDirty == true ? commit + "+changes" : commit }
}

extension SourceRevision {
  /// Returns the commit checked out at a file or folder, or `nil` if git cannot determine it.
  ///
  /// Git does not run any program that the repository configures: hooks, file-system monitors and
  /// filters are off.
  package static func read(
    around path: String,
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) -> SourceRevision? {
    let git = Repository(folder: existingFolder(path))
    guard let hash = git.ask(["rev-parse", "--verify", "--quiet", "HEAD"]), isHash(hash),
      // Read the raw commit object, because 'git log' hides the parents in a shallow clone.
      let text = git.ask(["--no-replace-objects", "cat-file", "commit", "HEAD"])
    else { return nil }
    var revision = SourceRevision(commit: hash)
    revision.take(commitObject: text)
    revision.branch = git.ask(["symbolic-ref", "--quiet", "--short", "HEAD"])
    revision.isDirty = git.isDirty
    revision.take(environment)
    return revision
  }

  mutating func take(commitObject text: String) {
    let parts = text.split(separator: "\n", omittingEmptySubsequences: false)
    let head = parts.prefix { !$0.isEmpty }
    for line in head {
      let words = line.split(separator: " ")
      guard let name = words.first, words.count > 1 else { continue }
      if name == "parent", Self.isHash(String(words[1])) { parents.append(String(words[1])) }
      // Example: 'committer A Name <mail> 1775000000 +0200'
      if name == "committer", words.count > 3, let seconds = Double(words[words.count - 2]),
        (0...253_402_300_799).contains(seconds)
      {
        committedAt = Date(timeIntervalSince1970: seconds).formatted(.iso8601)
      }
    }
    let message = parts.dropFirst(head.count).first { !$0.isEmpty }
    subject = String((message ?? "").prefix(200))
  }

  /// Sets the branch and the last commit of the pull request from the variables of a CI server.
  ///
  /// A CI checkout has no branch, and for a pull request its commit is a temporary merge.
  mutating func take(_ environment: [String: String]) {
    func named(_ name: String) -> String? {
      environment[name].flatMap { $0.isEmpty ? nil : String($0.prefix(250)) }
    }
    branch =
      branch ?? named("GITHUB_HEAD_REF") ?? named("CI_MERGE_REQUEST_SOURCE_BRANCH_NAME")
      ?? named("CI_COMMIT_REF_NAME")
      ?? (named("GITHUB_REF_TYPE") == "branch" ? named("GITHUB_REF_NAME") : nil)
    let isPullRequest =
      named("GITHUB_REF")?.wholeMatch(of: #/refs/pull/\d+/merge/#) != nil
      || named("CI_MERGE_REQUEST_EVENT_TYPE") == "merged_result"
    if isPullRequest, parents.count == 2 { head = parents[1] }
  }

  private static func existingFolder(_ path: String) -> String {
    var url = URL(fileURLWithPath: path).standardizedFileURL
    var isFolder: ObjCBool = false
    while url.path != "/",
      !FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder)
        || !isFolder.boolValue
    { url.deleteLastPathComponent() }
    return url.path
  }
}

extension Tool {
  /// Checks out a commit into a separate work tree, without running the repository's hooks and
  /// filters.
  ///
  /// Files that a filter creates, such as those of Git LFS, stay as git stores them.
  package static func addWorkTree(
    at folder: String,
    of commit: String,
    in repository: String
  ) -> Answer? {
    guard let filters = Repository(folder: repository).settingsWithoutFilters else { return nil }
    let add = ["worktree", "add", "--force", "--detach", "--end-of-options", folder, commit]
    return git(filters + add, in: repository)
  }
}

/// A git repository, accessed only for reading.
private struct Repository {
  /// The maximum number of changed files for which git looks up filters; if there are more, the
  /// commit counts as modified.
  private static let mostFiles = 200

  let folder: String

  func ask(_ arguments: [String]) -> String? {
    guard let answer = Tool.git(["--no-optional-locks"] + arguments, in: folder),
      answer.status == 0, !answer.output.isEmpty
    else { return nil }
    return answer.output
  }

  var isDirty: Bool? {
    // Do not call git if the filters cannot be turned off.
    guard let filters = settingsWithoutFilters else { return nil }
    let status = [
      "status", "--porcelain", "-z", "--untracked-files=no", "--ignore-submodules=dirty",
    ]
    guard let answer = Tool.git(["--no-optional-locks"] + filters + status, in: folder),
      answer.status == 0
    else { return nil }
    let changes = answer.output.split(separator: "\0").map(String.init)
    guard !changes.isEmpty, !filters.isEmpty, changes.count <= Self.mostFiles,
      // Git's output is trimmed, so its first entry may lack the leading space.
      changes.allSatisfy({ ($0.hasPrefix(" M ") || $0.hasPrefix("M ")) && !$0.hasPrefix("M  ") })
    else { return !changes.isEmpty }
    return !areFiltered(changes.map { String($0.trimmingPrefix(" ").dropFirst(2)) })
  }

  /// Whether filters such as Git LFS apply to all given files; with filters off, filtered files
  /// always look changed.
  private func areFiltered(_ files: [String]) -> Bool {
    guard let text = ask(["-C", root, "check-attr", "-z", "filter", "--"] + files) else {
      return false
    }
    let fields = text.split(separator: "\0", omittingEmptySubsequences: false)
    let values = stride(from: 2, to: fields.count, by: 3).map { fields[$0] }
    return values.count == files.count
      && !values.contains { ["unspecified", "unset"].contains($0) }
  }

  private var root: String { ask(["rev-parse", "--show-toplevel"]) ?? folder }

  /// Git options that turn off the repository's filters, each of which would run a program; `nil`
  /// if a filter's name cannot be part of an option.
  var settingsWithoutFilters: [String]? {
    let names = ask([
      "config", "--name-only", "-z", "--get-regexp", #"^filter\..*\.(clean|smudge|process)$"#,
    ])
    let all = Set((names ?? "").split(separator: "\0").map(String.init))
    guard !all.contains(where: { $0.contains("=") }) else { return nil }
    return all.sorted().flatMap { name in
      let filter = name.split(separator: ".").dropFirst().dropLast().joined(separator: ".")
      return ["-c", "\(name)=", "-c", "filter.\(filter).required=false"]
    }
  }
}
