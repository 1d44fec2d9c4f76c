import Measurement

/// A comparison as commands of a GitHub workflow: an annotation for each case that needs a look.
package struct GitHubAnnotations: ComparisonFormat {
  package static let name = "github"

  package init() {}

  package func text(of comparison: Comparison) -> String {
    comparison.workloads.flatMap(\.cases).compactMap { result in
      switch CaseFault(result) {
      case .failed(let reason): Self.command("error", title: "\(result.id) failed", reason)
      case .regressed(let metrics):
        Self.command(
          "error",
          title: "\(result.id) regressed",
          metrics.map(\.change).joined(separator: "\n")
        )
      case .undecided(let reason): Self.command("warning", title: result.id, reason)
      case nil: nil
      }
    }.joined()
  }

  // Names come from files, and a line of its own would be another command.
  private static func command(_ name: String, title: String, _ message: String) -> String {
    let property = escaped(title).replacing(":", with: "%3A").replacing(",", with: "%2C")
    return "::\(name) title=\(property)::\(escaped(message))\n"
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("%", with: "%25").replacing("\r", with: "%0D").replacing("\n", with: "%0A")
  }
}
