import Measurement

/// A comparison as commands of a GitHub workflow: an annotation for each case that needs a look.
package struct GitHubAnnotations: ComparisonFormat {
  package static let name = "github"

  package init() {}

  package func text(of comparison: Comparison) -> String {
    let obstacle = comparison.obstacle.map {
      Self.command("warning", title: "StoreBench cannot tell", $0)
    }
    return (obstacle ?? "")
      + comparison.workloads.map { workload in
        let new = comparison.obstacle == nil ? workload.onlyInCandidate : []
        return workload.cases.compactMap(Self.annotation).joined()
          + workload.onlyInBaseline.map {
            Self.command("warning", title: $0, "it is in the baseline, and the result lacks it")
          }.joined()
          + new.map {
            Self.command("notice", title: $0, "it is not in the baseline yet")
          }.joined()
      }.joined()
  }

  private static func annotation(of result: CaseComparison) -> String? {
    switch CaseFault(result) {
    case .failed(let reason): command("error", title: "\(result.id) failed", reason)
    case .regressed(let metrics):
      command(
        "error",
        title: "\(result.id) regressed",
        metrics.map(\.change).joined(separator: "\n")
      )
    case .undecided(let reason): command("warning", title: result.id, reason)
    case nil: nil
    }
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
