import PersistentStore
import Reporter

/// Whether the tables are those of a fresh store of the model, and what became of those that are not.
struct LayoutSection {
  /// Different things that are said of one state.
  private static let mostGroups = 6
  private static let labels: [(state: LayoutEntry.State, label: String)] = [
    (.olderLayout, "older form"), (.alteredInPlace, "altered"), (.notWritten, "others"),
    (.missing, "missing"), (.unexplained, "unexplained"),
  ]

  let survey: StoreSurvey
  let palette: Palette
  let width: Int

  var lines: [String] {
    guard let layout = survey.layout else { return [] }
    return [palette.paint("LAYOUT", .bold)]
      + TextReport.fact("tables", headline(layout), width: width)
      + Self.labels.flatMap { differences(layout.differences(in: $0.state), $0.label) }
  }

  private func headline(_ layout: LayoutSurvey) -> String {
    let tables = SurveyText.counted(Int64(layout.tables.all), "table")
    let indexes = SurveyText.counted(Int64(layout.indexes.all), "index", "indexes")
    guard !layout.differences.isEmpty else {
      return "those of a fresh store of its model (\(tables), \(indexes))"
    }
    let age =
      layout.isFresh ? "; the others are as its framework makes them, \(layout.generation)" : ""
    return "\(layout.tables.same) of \(tables) and \(layout.indexes.same) of \(indexes) are "
      + "those of a fresh store of its model\(age)"
  }

  private func differences(_ entries: [LayoutEntry], _ label: String) -> [String] {
    guard !entries.isEmpty else { return [] }
    // What a renamed table leaves is the same for each of its indexes.
    let groups = Dictionary(grouping: entries) { "\($0.kind) \($0.notes)" }.values
      .sorted { Self.place(of: $0[0]) < Self.place(of: $1[0]) }
    var items = groups.prefix(Self.mostGroups).map(item)
    if groups.count > Self.mostGroups {
      items.append("and \(groups.count - Self.mostGroups) more: --format json has them all")
    }
    return items.enumerated().flatMap { index, item in
      TextReport.fact(index == 0 ? label : "", item, width: width)
    }
  }

  private func item(_ entries: [LayoutEntry]) -> String {
    let kind = entries[0].kind == .table ? "" : "\(entries[0].kind.rawValue) "
    let others = entries.count > 1 ? " and \(entries.count - 1) more" : ""
    let notes = entries[0].notes.joined(separator: "; ")
    return "\(kind)\(entries[0].name)\(others)\(notes.isEmpty ? "" : ": ")\(notes)"
  }

  /// Tables come before what lies on them.
  private static func place(of entry: LayoutEntry) -> (Int, String) {
    (entry.kind == .table ? 0 : 1, entry.name)
  }
}
