import DataModel

/// Strings that contain the values of other string attributes.
struct TemplateRule: ValueRule {
  static let entry = ValueGenerator(
    "template",
    "a text with other values in braces: \"To {city}\"; {number} counts from 1",
    types: [.string, .uri],
    examples: [
      .init("{ template: \"To {other}\" }", 5...200, for: [.string]),
      .init("{ template: \"https://example.com/{number}\" }", 20...30, for: [.uri]),
    ],
    parse: { input in input.value.string().flatMap { rule($0, input) } }
  )

  enum Part: Hashable, Sendable {
    case fixed(String)
    case value(AttributePath)
    case number
  }

  let parts: [Part]

  private static func rule(_ text: String, _ input: ValueGenerator.Input) -> TemplateRule? {
    var parts: [Part] = []
    for (index, piece) in text.split(separator: "{", omittingEmptySubsequences: false).enumerated()
    {
      guard index > 0 else {
        parts.append(.fixed(String(piece)))
        continue
      }
      let halves = piece.split(separator: "}", maxSplits: 1, omittingEmptySubsequences: false)
      guard halves.count == 2 else {
        input.value.report("\(input.value.name) has a brace that is not closed")
        return nil
      }
      if halves[0] == "number" {
        parts.append(.number)
      } else {
        guard let name = sibling(String(halves[0]), input) else { return nil }
        parts.append(.value(AttributePath(attribute: name)))
      }
      parts.append(.fixed(String(halves[1])))
    }
    return TemplateRule(parts: parts)
  }

  private static func sibling(_ name: String, _ input: ValueGenerator.Input) -> String? {
    let reader = input.reader
    let names = reader.siblings
      .filter { $0.type == .string && $0.name != reader.attribute.name }.map(\.name)
    guard !names.contains(name) else { return name }
    let hint = didYouMean(name, among: names)
    input.value.report("\(reader.entity) has no other text attribute '\(name)'\(hint)")
    return nil
  }

  var paths: [AttributePath] {
    parts.compactMap { if case .value(let path) = $0 { path } else { nil } }
  }
  var isDistinct: Bool { parts.contains(.number) }
  var isEditable: Bool { false }

  func generator(at site: AttributeSite) -> any CellGenerator {
    Generator(
      parts: parts.map { part in
        switch part {
        case .fixed(let text): .fixed(Array(text.utf8))
        case .value(let path): site.source(path).map { .value($0) } ?? .fixed([])
        case .number: .number
        }
      }
    )
  }

  private struct Generator: CellGenerator {
    enum Part: Sendable {
      case fixed([UInt8])
      case value(PathSource)
      case number
    }

    let parts: [Part]

    func fill(_ cell: inout Cell, row: Int, draws: inout Draws) {
      var whole: [UInt8] = []
      for part in parts {
        switch part {
        case .fixed(let text): whole += text
        case .value(let source):
          source.fill(&cell, row: row)
          if cell.kind == .text { whole += cell.bytes }
        case .number: whole.append(decimal: row + 1)
        }
      }
      cell.setText { $0.append(contentsOf: whole) }
    }
  }
}
