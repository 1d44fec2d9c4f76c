import Foundation
import TestSupport

/// The scripts of the jobs in docs/ci.md, without the commands that install software.
enum DocumentedScript {
  static let all: [String] = {
    let path = Repository.path("docs/ci.md")
    return scripts(in: (try? String(contentsOfFile: path, encoding: .utf8)) ?? "")
  }()

  /// Returns the literal blocks of YAML: lines indented further than the line that opens the block.
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
