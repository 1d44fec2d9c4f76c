import Basics

extension StoreProfile {
  /// Lines about the information that the profile lacks, one line per reason.
  package var remarkLines: [String] {
    Remark.Kind.allCases.compactMap { kind in
      let found = remarks.filter { $0.kind == kind }
      guard !found.isEmpty else { return nil }
      let names = Figures.few(found.map(\.subject), most: 8)
      return "\(text(of: kind, objects: found.reduce(0) { $0 + $1.objects })): \(names)"
    }
  }

  /// A line that lists the columns whose strings the profile contains verbatim; `nil` if there are
  /// no such columns.
  package var keptTextsLine: String? {
    let kept = entities.flatMap { entity in
      entity.columns.filter { !$0.texts.isEmpty }.map { column in
        let words = Figures.few(column.texts.map { TerminalText.plain($0.text) }, most: 4)
        return "\(entity.name).\(column.name) (\(words))"
      }
    }
    guard !kept.isEmpty else { return nil }
    return "texts kept as they are: \(kept.joined(separator: "; ")); '--no-texts' keeps none"
  }

  private func text(of kind: Remark.Kind, objects: Int) -> String {
    switch kind {
    case .fewObjects: "left out, with fewer than \(k) objects"
    case .fewNulls: "counted as having a value, with fewer than \(k) objects without one"
    case .fewValues: "counted as having no value, with fewer than \(k) objects with one"
    case .otherType:
      "\(Figures.counted(objects, "value")) with a type that differs from the model; the new values "
        + "have the model's type"
    case .missingFile:
      "\(Figures.counted(objects, "blob")) without external file; the new blobs have the sizes of "
        + "other blobs"
    }
  }
}
