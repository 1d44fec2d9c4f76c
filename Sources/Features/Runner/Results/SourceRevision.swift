import Basics
import Foundation

/// The commit of a repository, as git and the CI server have it.
///
/// The parents and the date order the commits of a history: a shallow clone has no graph to ask.
package struct SourceRevision: Codable, Hashable, Sendable {
  /// The whole hash, in lower-case hexadecimal digits.
  package var commit: String
  /// `nil` where no branch is checked out and the CI server names none.
  package var branch: String?
  /// Whether tracked files differ from the commit; `nil` if unknown.
  package var isDirty: Bool?
  /// When it was committed, as ISO 8601 in UTC.
  package var committedAt: String
  /// The hashes of its parents; the first one is the branch that others were merged into.
  package var parents: [String]
  /// The last commit of a pull request, where ``commit`` is the merge that a CI server made of it.
  package var head: String?
  /// The first line of the message.
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

  /// Whether a text is a commit's hash, whole or shortened to seven digits or more.
  package static func isHash(_ text: String) -> Bool {
    (7...64).contains(text.utf8.count)
      && text.utf8.allSatisfy { "0123456789abcdef".utf8.contains($0) }
  }

  /// The hash, with `+changes` where tracked files differ from it.
  package var text: String { isDirty == true ? commit + "+changes" : commit }
}

extension SourceRevision {
  /// What is checked out round a file or folder; `nil` where git has no answer.
  ///
  /// No program runs that the repository names: hooks, file-system monitors and filters are off.
  package static func read(
    around path: String,
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) -> SourceRevision? {
    let git = Repository(folder: existingFolder(path))
    guard let hash = git.ask(["rev-parse", "--verify", "--quiet", "HEAD"]), isHash(hash),
      // As it is stored: a shallow clone hides parents from 'git log'.
      let text = git.ask(["--no-replace-objects", "cat-file", "commit", "HEAD"])
    else { return nil }
    var revision = SourceRevision(commit: hash)
    revision.take(commitObject: text)
    revision.branch = git.ask(["symbolic-ref", "--quiet", "--short", "HEAD"])
    revision.isDirty = git.isDirty
    revision.take(environment)
    return revision
  }

  /// Takes parents, date and subject from a commit as git stores it.
  mutating func take(commitObject text: String) {
    let parts = text.split(separator: "\n", omittingEmptySubsequences: false)
    let head = parts.prefix { !$0.isEmpty }
    for line in head {
      let words = line.split(separator: " ")
      guard let name = words.first, words.count > 1 else { continue }
      if name == "parent", Self.isHash(String(words[1])) { parents.append(String(words[1])) }
      // 'committer A Name <mail> 1775000000 +0200'
      if name == "committer", words.count > 3, let seconds = Double(words[words.count - 2]),
        (0...253_402_300_799).contains(seconds)
      {
        committedAt = Date(timeIntervalSince1970: seconds).formatted(.iso8601)
      }
    }
    let message = parts.dropFirst(head.count).first { !$0.isEmpty }
    subject = String((message ?? "").prefix(200))
  }

  /// Takes what a CI server says: where it checks out a commit, no branch is checked out, and in a
  /// pull request the commit is a merge that it made.
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
  /// Checks a commit out into a work tree of its own; no hook and no filter of the repository runs.
  ///
  /// Files that a filter makes, such as those of Git LFS, stay as git stores them.
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

/// A repository that is asked and never changed.
private struct Repository {
  /// Changed files whose attributes are asked for; with more, the work tree has changes.
  private static let mostFiles = 200

  let folder: String

  /// The answer; `nil` where git fails, for whatever reason, and where it says nothing.
  func ask(_ arguments: [String]) -> String? {
    guard let answer = Tool.git(["--no-optional-locks"] + arguments, in: folder),
      answer.status == 0, !answer.output.isEmpty
    else { return nil }
    return answer.output
  }

  /// Whether tracked files differ from the commit; `nil` if git fails.
  var isDirty: Bool? {
    // What git cannot be told to leave is not asked for.
    guard let filters = settingsWithoutFilters else { return nil }
    let status = [
      "status", "--porcelain", "-z", "--untracked-files=no", "--ignore-submodules=dirty",
    ]
    guard let answer = Tool.git(["--no-optional-locks"] + filters + status, in: folder),
      answer.status == 0
    else { return nil }
    let changes = answer.output.split(separator: "\0").map(String.init)
    guard !changes.isEmpty, !filters.isEmpty, changes.count <= Self.mostFiles,
      // Output is trimmed, so the first change may lack the blank of an unchanged index.
      changes.allSatisfy({ ($0.hasPrefix(" M ") || $0.hasPrefix("M ")) && !$0.hasPrefix("M  ") })
    else { return !changes.isEmpty }
    return !areFiltered(changes.map { String($0.trimmingPrefix(" ").dropFirst(2)) })
  }

  /// Whether a filter such as Git LFS makes every one of some files: without it, they all look changed.
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

  /// Options that switch each filter of the repository off, which would be a program to run; `nil`
  /// where a name cannot be part of an option.
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
