import Basics
import Foundation
import Inspector
import PersistentStore
import Reporting

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

  /// A labelled fact, wrapped under itself.
  static func fact(_ label: String, _ text: String, width: Int) -> [String] {
    TerminalText.paragraph(text, to: width, mark: "  " + label, indent: 14)
  }

  /// What the store is, in a handful of lines.
  struct HeadlineSection {
    let survey: StoreSurvey
    let palette: Palette
    let width: Int

    var lines: [String] {
      let name = StoreFile(path: survey.path).name
      var lines = [palette.paint(TerminalText.plain(name), .bold)]
      lines += TerminalText.wrapped(origin, to: width)
      lines += TerminalText.wrapped(content, to: width)
      lines += verdict
      return lines
    }

    private var origin: String {
      let metadata = survey.metadata
      let systems = metadata.systems.map { " (about \($0))" } ?? ""
      let flavour = metadata.flavour == .swiftData ? "SwiftData" : "Core Data"
      let version = survey.file.sqliteVersion.map { " · SQLite \($0)" } ?? ""
      let wal = survey.wal.map { " + \(SurveyText.bytes($0.bytes)) WAL" } ?? ""
      return "\(flavour) · framework \(metadata.frameworkVersion)\(systems)\(version)"
        + " · \(SurveyText.bytes(survey.bytes))\(wal)"
    }

    private var content: String {
      let used = survey.entities.filter { $0.count > 0 }.count
      let objects = SurveyText.counted(survey.objectCount, "object")
      var text = "\(objects) of \(used) of \(survey.entities.count) entities"
      if let history = survey.history {
        text += " · history of \(SurveyText.counted(history.transactions, "transaction"))"
      }
      if let external = survey.externalData, external.references > 0 {
        text += " · \(SurveyText.counted(Int64(external.references), "external file"))"
      }
      return text
    }

    private func marked(_ mark: String, _ ink: Ink, _ text: String) -> [String] {
      TerminalText.wrapped(text, to: width - 2).enumerated().map { index, line in
        (index == 0 ? palette.paint(mark, ink) : " ") + " " + line
      }
    }

    private var verdict: [String] {
      let missing = survey.metadata.missingForOpening
      let opening =
        missing.isEmpty
        ? marked("✓", .green, "its metadata is complete: Apple's frameworks can open it")
        : survey.metadata.fitsNoModel
          ? marked("✗", .red, "Apple's frameworks will not open it: it lacks " + missing[0])
          : marked("!", .yellow, "unlike stores of Apple's frameworks, it lacks " + missing[0])
      let counts = Finding.Severity.allCases.compactMap { severity -> String? in
        let count = survey.findings.filter { $0.severity == severity }.count
        guard count > 0 else { return nil }
        switch severity {
        case .wrong: return palette.paint("\(count) wrong", .red)
        case .risk: return palette.paint(Figures.counted(count, "risk"), .yellow)
        case .note: return Figures.counted(count, "note")
        }
      }
      let summary =
        counts.isEmpty
        ? palette.paint("✓", .green) + " no problem was found"
        : palette.paint("!", .yellow) + " " + counts.joined(separator: ", ") + ": see the end"
      return opening + [summary]
    }
  }

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
      return [head]
        + [count + finding.message, "→ " + finding.remedy].flatMap {
          Palette.plain.wrapped($0, to: width, indent: 4)
        }
    }
  }
}

/// Surveys as JSON: the same that the text says, with sorted keys.
package enum JSONReport {
  /// One store.
  package static func text(of survey: StoreSurvey) throws -> String { try survey.jsonText() }

  /// Every store of a folder, and why some of its SQLite files are none.
  package static func text(of surveys: [StoreSurvey], refused: [String: String]) throws -> String {
    try Folder(stores: surveys, refused: refused).jsonText()
  }

  private struct Folder: Encodable {
    let stores: [StoreSurvey]
    let refused: [String: String]
  }
}
