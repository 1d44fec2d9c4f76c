import Basics
import Reporter

/// What is wrong or risky, the worst first, each with what to do.
struct FindingsSection {
  let survey: StoreSurvey
  let palette: Palette
  let width: Int

  var lines: [String] {
    guard !survey.findings.isEmpty else { return [] }
    return [palette.paint("FINDINGS", .bold)]
      + Array(survey.findings.map(lines).joined(separator: [""]))
  }

  private func lines(of finding: Finding) -> [String] {
    let mark: String
    switch finding.severity {
    case .wrong: mark = palette.paint("✗ wrong", .red)
    case .risk: mark = palette.paint("! risk", .yellow)
    case .note: mark = palette.paint("i note", .faint)
    }
    let place = TerminalText.plain(finding.place)
    let head = "  \(mark)  \(palette.paint(place, .bold))  \(palette.paint(finding.rule, .faint))"
    let count = finding.count == 1 ? "" : "\(SurveyText.count(finding.count)) "
    let indent = String(repeating: " ", count: 4)
    return [head]
      + TerminalText.wrapped(count + finding.message, to: width - 4).map { indent + $0 }
      + TerminalText.wrapped("→ " + finding.remedy, to: width - 4).map { indent + $0 }
  }
}
