import Basics
import Measurement

/// The claims that the run put to the test, and what came out.
struct ClaimsSection {
  private let workloads: [WorkloadResult]
  private let width: Int
  private let palette: Palette

  init(_ workloads: [WorkloadResult], width: Int, palette: Palette) {
    self.workloads = workloads.filter { $0.claim != nil }
    self.width = width
    self.palette = palette
  }

  func lines() -> [String] {
    guard !workloads.isEmpty else { return [] }
    let rule = palette.paint(String(repeating: "─", count: width), .faint)
    return [palette.paint("Claims put to the test", .bold), rule]
      + workloads.flatMap { workload in workload.claim.map { lines(of: $0, in: workload) } ?? [] }
  }

  private func lines(of claim: ClaimResult, in workload: WorkloadResult) -> [String] {
    let (label, ink) = ClaimsSection.label(of: claim.finding)
    let room = width - labelWidth
    let detail = TerminalText.wrapped(claim.detail, to: room - 2).enumerated().map {
      ($0 == 0 ? "→ " : "  ") + $1
    }
    let origin = TerminalText.lines(
      of: [workload.workload, "source: \(claim.source)"],
      separator: " · ",
      to: room
    )
    let text =
      TerminalText.wrapped(claim.text, to: room) + detail
      + origin.map { palette.paint($0, .faint) }
    return text.enumerated().map { index, line in
      let label = index == 0 ? label : ""
      let padding = String(repeating: " ", count: labelWidth - label.count)
      return palette.paint(label, ink) + padding + line
    }
  }

  private static func label(of finding: ClaimResult.Finding) -> (String, Ink) {
    switch finding {
    case .holds: ("holds", .green)
    case .doesNotHold: ("does not hold", .red)
    case .trueOnlyIf: ("true only if …", .yellow)
    case .notTestableHere: ("not testable here", .yellow)
    }
  }
}

private let labelWidth = 19
