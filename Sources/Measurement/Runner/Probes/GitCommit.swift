/// The commit of a work tree.
enum GitCommit {
  /// The hash, with `+changes` where tracked files differ from it; empty where there is no git or
  /// no work tree.
  static func read(in folder: String) -> String {
    guard let hash = git(["rev-parse", "HEAD"], in: folder) else { return "" }
    let status = git(["status", "--porcelain", "--untracked-files=no"], in: folder) ?? ""
    return status.isEmpty ? hash : hash + "+changes"
  }

  private static func git(_ arguments: [String], in folder: String) -> String? {
    guard let answer = Tool(name: "git").run(["-C", folder] + arguments), answer.status == 0
    else { return nil }
    return answer.output
  }
}
