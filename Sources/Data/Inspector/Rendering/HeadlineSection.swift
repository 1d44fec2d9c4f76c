import Basics
import PersistentStore
import Reporter

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
      : marked("✗", .red, "Apple's frameworks will not open it: it lacks " + missing[0])
    let counts = Finding.Severity.allCases.compactMap { severity -> String? in
      let count = survey.findings.filter { $0.severity == severity }.count
      guard count > 0 else { return nil }
      switch severity {
      case .wrong: return palette.paint("\(count) wrong", .red)
      case .risk: return palette.paint(count == 1 ? "1 risk" : "\(count) risks", .yellow)
      case .note: return count == 1 ? "1 note" : "\(count) notes"
      }
    }
    let summary =
      counts.isEmpty
      ? palette.paint("✓", .green) + " nothing wrong was found"
      : palette.paint("!", .yellow) + " " + counts.joined(separator: ", ") + ": see the end"
    return opening + [summary]
  }
}
