import Basics
import Reporting

/// The parameters in which the cases of a workload differ, and what each is shown by: color, axis or
/// panel.
package struct CaseDimensions {
  struct Dimension {
    let name: String
    /// In the order of their first cases.
    let values: [String]

    /// Whether every value is a number.
    var isNumeric: Bool { values.allSatisfy { Double($0) != nil } }
  }

  let varying: [Dimension]
  /// What colors and shapes stand for.
  let series: Dimension?
  /// A number with three values or more, over which a line can be drawn.
  let axis: Dimension?
  /// What panels stand for.
  let groups: [Dimension]

  /// Strips that a reader can take in at once.
  private static let mostStrips = 12
  private static let mostSeries = 5

  init(of cases: [CaseResult]) {
    let names = Set(cases.flatMap(\.parameters.keys)).sorted()
    let varying = names.compactMap { name -> Dimension? in
      var values: [String] = []
      // That some cases lack one, since it does not matter to them, tells none apart.
      for value in cases.compactMap({ $0.parameters[name] }) where !values.contains(value) {
        values.append(value)
      }
      return values.count > 1 ? Dimension(name: name, values: values) : nil
    }
    let words = varying.filter { !$0.isNumeric && $0.values.count <= Self.mostSeries }
    let series =
      words.first { $0.name == "strategy" }
      ?? words.filter { $0.name != "operation" }.min { $0.values.count < $1.values.count }
    let axis =
      varying.filter { $0.isNumeric && $0.values.count >= 3 }
      .max { $0.values.count < $1.values.count }
    var panels = varying.filter { $0.name == "operation" && $0.name != series?.name }
    var rest = varying.filter {
      [series?.name, axis?.name, "operation"].contains($0.name) == false
    }
    func casesOfPanel() -> Int {
      cases.count / max(panels.reduce(1) { $0 * $1.values.count }, 1)
    }
    while !rest.isEmpty, axis != nil || casesOfPanel() > Self.mostStrips {
      let next = rest.indices.min { rest[$0].values.count < rest[$1].values.count } ?? 0
      panels.append(rest.remove(at: next))
    }
    (self.varying, self.series, self.axis, groups) = (varying, series, axis, panels)
  }

  /// The cases of each panel, in the order of their first ones, with what they have in common.
  func panels(of cases: [CaseResult]) -> [(heading: String, cases: [CaseResult])] {
    var order: [String] = []
    var members: [String: [CaseResult]] = [:]
    for result in cases {
      let heading = groups.map { dimension in
        let value = Self.text(result, dimension.name)
        return Self.isChoice(dimension.name) ? value : "\(Self.words(dimension.name)): \(value)"
      }.joined(separator: ", ")
      if members[heading] == nil { order.append(heading) }
      members[heading, default: []].append(result)
    }
    return order.map { ($0, members[$0] ?? []) }
  }

  /// What tells a case from the others of its panel.
  func label(of result: CaseResult, isWhole: Bool = false) -> String {
    let hidden = isWhole ? [] : groups.map(\.name)
    let shown = varying.filter { !hidden.contains($0.name) }
    // The series last: what stands before it is shared by several.
    let order =
      shown.filter { $0.name != series?.name } + shown.filter { $0.name == series?.name }
    let parts = order.map { dimension in
      let value = Self.text(result, dimension.name)
      return Self.saysWhatItIs(dimension) ? value : "\(Self.words(dimension.name)) \(value)"
    }.filter { !$0.isEmpty }
    return parts.isEmpty ? Self.lastPart(of: result.id) : parts.joined(separator: ", ")
  }

  /// The value of the axis for a case.
  func position(of result: CaseResult) -> Double? {
    axis.flatMap { result.parameters[$0.name] }.flatMap { Double($0) }
  }

  /// A parameter's value as a reader writes it: `separate entity`, `256 KiB`.
  static func text(_ result: CaseResult, _ name: String) -> String {
    text(result.parameters[name] ?? "", of: name)
  }

  static func text(_ value: String, of name: String) -> String {
    if isBytes(name), let bytes = Double(value) {
      return ChartAxis.Quantity.binaryBytes.text(bytes)
    }
    if value.isEmpty { return "none" }
    return words(value, of: name)
  }

  /// A parameter's value: a choice of a kind in words, a name of a model as it is.
  static func words(_ value: String, of name: String) -> String {
    isChoice(name) ? words(value) : value
  }

  /// Whether a parameter is a size in bytes, which results keep as a number.
  static func isBytes(_ name: String) -> Bool { ["size", "blob"].contains(name) }

  /// Whether a parameter's values are words of a kind, not names of a model.
  private static func isChoice(_ name: String) -> Bool { choices.contains(name) }

  // Parameters whose values are choices of a kind, spelled as names in code.
  private static let choices: Set<String> = [
    "accessPattern", "durability", "engine", "externalDataLoad", "operation", "path", "shape",
    "strategy",
  ]

  private static func saysWhatItIs(_ dimension: Dimension) -> Bool {
    isBytes(dimension.name)
      || dimension.values.allSatisfy { value in
        value.count > 1 && Double(value) == nil && !["true", "false", "none"].contains(value)
      }
  }

  /// Parameters as results spell them, for people: `batchSize=1000,strategy=sideBySide` as
  /// `side by side, batch size 1,000`.
  package static func words(ofParameters text: String) -> String {
    words(
      of: text.split(separator: ",").map { part in
        let pair = part.split(separator: "=", maxSplits: 1).map(String.init)
        return pair.count > 1 ? (pair[0], pair[1]) : ("", pair[0])
      }
    )
  }

  /// Parameters for people, the strategy first; a choice of a kind needs no name.
  static func words(of parameters: [(name: String, value: String)]) -> String {
    let (first, rest) = (
      parameters.filter { $0.name == "strategy" }, parameters.filter { $0.name != "strategy" }
    )
    return (first + rest).map { name, value in
      if name.isEmpty { return value }
      if isBytes(name) { return Self.text(value, of: name) }
      return isChoice(name)
        ? words(value) : "\(words(name)) \(Int(value)?.grouped ?? value)"
    }.joined(separator: ", ")
  }

  private static let abbreviations = ["fts": "FTS", "grdb": "GRDB", "sql": "SQL", "wal": "WAL"]
  /// Choices whose spelling does not say what they are for.
  private static let names = ["bareSQL": "SQL: lower bound"]

  /// A sentence with the choices of a kind in words: `engine=bareSQL` as `SQL (lower bound)`,
  /// `size=10240` as `10 KiB`, and `separateEntity` as `separate entity` if it is among `choices`.
  static func words(inText text: String, choices: Set<String> = []) -> String {
    text.replacing(/(?:([a-z][A-Za-z0-9]*)=)?([A-Za-z0-9]+)/) { match in
      let (name, value) = (match.1.map(String.init) ?? "", String(match.2))
      if isBytes(name) { return Self.text(value, of: name) }
      guard isChoice(name) || name.isEmpty && choices.contains(value) else {
        return String(match.0)
      }
      return names[value]?.replacing(": lower bound", with: " (lower bound)") ?? words(value)
    }
  }

  /// The choices of a kind that cases were made of.
  static func choices(of cases: [CaseResult]) -> Set<String> {
    Set(cases.flatMap { $0.parameters.filter { isChoice($0.key) }.values })
  }

  /// The values that are names of a model, a file or a user: they keep their spelling everywhere.
  static func names(of cases: [CaseResult]) -> Set<String> {
    Set(cases.flatMap { $0.parameters.filter { !isChoice($0.key) }.values })
  }

  /// `separateEntity` as `separate entity`, `sqlForeignKey` as `SQL foreign key`; runs of capitals
  /// stay as they are.
  package static func words(_ name: String) -> String {
    if let known = names[name] { return known }
    var words = [""]
    let characters = Array(name)
    for (index, character) in characters.enumerated() {
      let isBeforeSmall = index + 1 < characters.count && characters[index + 1].isLowercase
      let isAfterSmall =
        index > 0 && (characters[index - 1].isLowercase || characters[index - 1].isNumber)
      if character.isUppercase, isAfterSmall { words.append("") }
      words[words.count - 1] +=
        character.isUppercase && isBeforeSmall && index > 0
        ? character.lowercased() : String(character)
    }
    return words.map { abbreviations[$0] ?? $0 }.joined(separator: " ")
  }

  private static func lastPart(of id: String) -> String {
    String(id.split(separator: "/").last ?? "")
  }
}

/// The color and shape of each strategy of a report, from 1: the same in all of its charts.
struct SeriesNumbers {
  private var numbers: [String: Int] = [:]

  init(_ dimensions: [CaseDimensions]) {
    for values in dimensions.compactMap(\.series?.values) {
      var taken = Set(values.compactMap { numbers[$0] })
      for value in values where numbers[value] == nil {
        let free = (1...).first { !taken.contains($0) } ?? 1
        numbers[value] = free
        taken.insert(free)
      }
    }
  }

  /// The number of a value of a parameter that has colors.
  func number(of value: String) -> Int { numbers[value] ?? 5 }

  func number(of result: CaseResult, in dimensions: CaseDimensions) -> Int {
    dimensions.series.flatMap { numbers[result.parameters[$0.name] ?? ""] } ?? 1
  }
}
