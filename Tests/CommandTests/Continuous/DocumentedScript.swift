import Foundation
import TestSupport

/// The script parts of the jobs in docs/ci.md, without what installs things.
enum DocumentedScript {
  static let all: [String] = {
    let path = Repository.path("docs/ci.md")
    return scripts(in: (try? String(contentsOfFile: path, encoding: .utf8)) ?? "")
  }()

  /// Literal blocks of YAML: the lines that are indented further than the one that opens them.
  static func scripts(in text: String) -> [String] {
    var scripts: [[String]] = []
    var indent: Int?
    var isInstalling = false
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      let depth = line.prefix { $0 == " " }.count
      if let start = indent, line.isEmpty || depth > start {
        if line.hasSuffix("# begin install") { isInstalling = true }
        if !isInstalling { scripts[scripts.count - 1].append(String(line)) }
        if line.hasSuffix("# end install") { isInstalling = false }
        continue
      }
      indent = nil
      guard line.hasSuffix("run: |") || line.hasSuffix("- |") else { continue }
      indent = depth
      scripts.append([])
    }
    return scripts.map { $0.joined(separator: "\n") + "\n" }
  }
}
