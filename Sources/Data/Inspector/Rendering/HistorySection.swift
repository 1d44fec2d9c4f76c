import Reporter

/// The persistent history in a few lines.
struct HistorySection {
  private static let mostNames = 4

  let survey: StoreSurvey
  let palette: Palette
  let width: Int

  var lines: [String] {
    guard let history = survey.history else { return [] }
    var lines = [palette.paint("HISTORY", .bold)]
    func add(_ label: String, _ text: String) {
      lines += TextReport.fact(label, text, width: width)
    }
    let size = history.bytes.map { ", \(SurveyText.bytes($0))" } ?? ""
    add(
      "changes",
      "\(SurveyText.count(history.changes)) in "
        + "\(SurveyText.counted(history.transactions, "transaction"))\(size)"
    )
    guard history.changes > 0 else { return lines }
    add(
      "kinds",
      "\(SurveyText.counted(history.insertions, "insertion")), "
        + "\(SurveyText.counted(history.updates, "update")), "
        + "\(SurveyText.counted(history.deletions, "deletion")) "
        + "(\(SurveyText.count(history.tombstones)) with values kept)"
    )
    if let first = history.first, let last = history.last {
      add("time", "\(SurveyText.day(first)) … \(SurveyText.day(last))")
    }
    if !history.authors.isEmpty { add("by", names(history.authors)) }
    add("of", names(history.changesByEntity))
    return lines
  }

  private func names(_ counts: [HistorySurvey.Count]) -> String {
    let shown = counts.prefix(Self.mostNames).map { "\($0.name) \(SurveyText.count($0.count))" }
    let rest = counts.count - shown.count
    return (shown + (rest > 0 ? ["and \(rest) more"] : [])).joined(separator: ", ")
  }
}
