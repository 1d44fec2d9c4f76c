import Basics
import PersistentStore
import Reporter

/// A survey as a person reads it: the facts first, then each entity, what is wrong last.
package struct TextReport {
  let survey: StoreSurvey
  let width: Int
  let palette: Palette

  /// Renders for a terminal of some columns.
  package init(_ survey: StoreSurvey, width: Int = 80, isColoured: Bool = false) {
    self.survey = survey
    self.width = min(max(width, 60), 110)
    palette = Palette(isColoured: isColoured)
  }

  /// The whole report, its lines ended.
  package var text: String {
    let sections = [
      HeadlineSection(survey: survey, palette: palette, width: width).lines,
      SpaceSection(survey: survey, palette: palette, width: width).lines,
      LayoutSection(survey: survey, palette: palette, width: width).lines,
      HistorySection(survey: survey, palette: palette, width: width).lines,
      EntitySections(survey: survey, palette: palette, width: width).lines,
      FindingsSection(survey: survey, palette: palette, width: width).lines,
    ]
    return sections.filter { !$0.isEmpty }.map { $0.joined(separator: "\n") }
      .joined(separator: "\n\n") + "\n"
  }
}

extension TextReport {
  /// A labelled fact, wrapped under itself.
  static func fact(_ label: String, _ text: String, width: Int) -> [String] {
    let indent = 14
    let lines = TerminalText.wrapped(text, to: width - indent)
    return lines.enumerated().map { index, line in
      let head = index == 0 ? "  " + label : ""
      return head + String(repeating: " ", count: max(1, indent - head.count)) + line
    }
  }
}
