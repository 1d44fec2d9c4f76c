import Basics
import Reporting

/// The parameters that vary among the cases of a workload, and their representation in charts: as
/// colors, as an axis or as panels.
package struct CaseDimensions {
  struct Dimension {
    let name: String
    /// The values, in the order of their first use by a case.
    let values: [String]

    /// Whether every value is a number.
    var isNumeric: Bool { values.allSatisfy { Double($0) != nil } }
  }

  let varying: [Dimension]
  /// The parameter that colors and shapes represent.
  let series: Dimension?
  /// A numeric parameter with at least three values, as the horizontal axis of line charts.
  let axis: Dimension?
  /// The parameters that distinguish panels.
  let groups: [Dimension]

  /// The maximum number of strips that a reader can compare in one panel.
  private static let mostStrips = 12
  private static let mostSeries = 5

  init(of cases: [CaseResult]) {
    let names = Set(cases.flatMap(\.parameters.keys)).sorted()
    let varying = names.compactMap { name -> Dimension? in
      var values: [String] = []
      // Ignore cases without the parameter, because it has no effect on them.
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

  /// Returns the cases grouped by panel, each with a heading of the values that its cases share.
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

  /// Returns a label that distinguishes a case from the other cases in its panel or, if `isWhole`
  /// is set, from all other cases.
  func label(of result: CaseResult, isWhole: Bool = false) -> String {
    let hidden = isWhole ? [] : groups.map(\.name)
    let shown = varying.filter { !hidden.contains($0.name) }
    // Put the parameter shown by color last, because cases of several colors share the values of
    // the other parameters.
    let order =
      shown.filter { $0.name != series?.name } + shown.filter { $0.name == series?.name }
    let parts = order.map { dimension in
      let value = Self.text(result, dimension.name)
      return Self.saysWhatItIs(dimension) ? value : "\(Self.words(dimension.name)) \(value)"
    }.filter { !$0.isEmpty }
    return parts.isEmpty ? Self.lastPart(of: result.id) : parts.joined(separator: ", ")
  }

  /// Returns the case's value of the parameter on the horizontal axis; `nil` if there is no axis or
  /// no numeric value.
  func position(of result: CaseResult) -> Double? {
    axis.flatMap { result.parameters[$0.name] }.flatMap { Double($0) }
  }

  /// Returns a parameter's value in readable form, such as `separate entity` or `256 KiB`.
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

  /// Returns a parameter's value: in words if it is an option of the workload kind, or unchanged if
  /// it is a name from a model.
  static func words(_ value: String, of name: String) -> String {
    isChoice(name) ? words(value) : value
  }

  /// Whether a parameter is a size in bytes, which results store as a number.
  static func isBytes(_ name: String) -> Bool { ["size", "blob"].contains(name) }

  /// Whether a parameter's values are options of the workload kind, rather than names from a model.
  private static func isChoice(_ name: String) -> Bool { choices.contains(name) }

  // The parameters whose values are options of the workload kind, written in camel case.
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

  /// Returns the parameters of a result in readable form: `batchSize=1000,strategy=sideBySide`
  /// becomes `side by side, batch size 1,000`.
  package static func words(ofParameters text: String) -> String {
    words(
      of: text.split(separator: ",").map { part in
        let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
          .map(String.init)
        return pair.count > 1 ? (pair[0], pair[1]) : ("", pair[0])
      }
    )
  }

  /// Returns parameters in readable form, starting with the strategy; an option of the workload
  /// kind is shown without the parameter's name.
  ///
  /// A parameter without a value, such as `from=`, is omitted if another parameter has a value.
  static func words(of parameters: [(name: String, value: String)]) -> String {
    let set = parameters.filter { !$0.value.isEmpty }
    guard !set.isEmpty else {
      return parameters.map { "\(words($0.name)) none" }.joined(separator: ", ")
    }
    let (first, rest) = (
      set.filter { $0.name == "strategy" }, set.filter { $0.name != "strategy" }
    )
    return (first + rest).map { name, value in
      if name.isEmpty { return value }
      if isBytes(name) { return Self.text(value, of: name) }
      return isChoice(name)
        ? words(value) : "\(words(name)) \(Int(value)?.grouped ?? value)"
    }.joined(separator: ", ")
  }

  private static let abbreviations = ["fts": "FTS", "grdb": "GRDB", "sql": "SQL", "wal": "WAL"]
  /// The displayed names of options whose own names are not self-explanatory.
  private static let names = ["bareSQL": "SQL: lower bound"]

  /// Returns a sentence with the options of the workload kind converted to words.
  ///
  /// For example, `engine=bareSQL` becomes `SQL (lower bound)`, and `size=10240` becomes `10 KiB`.
  /// A value without a parameter's name is converted only if it is in `choices`.
  static func words(inText text: String, choices: Set<String> = []) -> String {
    text.replacing(/(?:([a-z][A-Za-z0-9]*)=)?([A-Za-z0-9]+)/) { match in
      let (name, value) = (match.1.map(String.init) ?? "", String(match.2))
      if isBytes(name) { return Self.text(value, of: name) }
      guard isChoice(name) || name.isEmpty && choices.contains(value) else {
        return String(match.0)
      }
      // Name the external data, because the parameter's value does not mention them.
      if name == "externalDataLoad" { return "external data are loaded \(words(value))" }
      return names[value]?.replacing(": lower bound", with: " (lower bound)") ?? words(value)
    }
  }

  /// Returns all values of the cases' parameters that are options of the workload kind.
  static func choices(of cases: [CaseResult]) -> Set<String> {
    Set(cases.flatMap { $0.parameters.filter { isChoice($0.key) }.values })
  }

  /// Returns the other parameter values of the cases, such as the names of entities, files or
  /// users, whose spelling must not change.
  static func names(of cases: [CaseResult]) -> Set<String> {
    Set(cases.flatMap { $0.parameters.filter { !isChoice($0.key) }.values })
  }

  /// Converts camel case to words: `separateEntity` becomes `separate entity`, and `sqlForeignKey`
  /// becomes `SQL foreign key`.
  ///
  /// Runs of capitals are kept.
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

/// The number, from 1, of each strategy's color and shape, the same in all charts of a report.
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

  /// Returns the number of the color for a value of the parameter that colors represent; 5 for an
  /// unknown value.
  func number(of value: String) -> Int { numbers[value] ?? 5 }

  func number(of result: CaseResult, in dimensions: CaseDimensions) -> Int {
    dimensions.series.flatMap { numbers[result.parameters[$0.name] ?? ""] } ?? 1
  }
}
