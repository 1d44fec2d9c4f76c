import Basics
import DataModel
import Reporting

extension StoreSurvey {
  var values: Report.Section? {
    var never: [String] = []
    var transient: [String] = []
    var rows: [[Report.Cell]] = []
    for entity in used {
      for attribute in entity.attributes {
        let name = "\(entity.name).\(attribute.name)"
        if attribute.column == nil {
          transient.append(name)
        } else if attribute.count > 0, attribute.nulls == attribute.count {
          never.append(name)
        } else {
          rows.append([.text(name)] + attribute.cells)
        }
      }
    }
    let table = Report.Table(
      "",
      [
        .init("Attribute"), .init("Type"), .init("Empty", .share), .init("Distinct", .number),
        .init("Shape"), .init("Least…median…most"),
      ],
      rows: rows
    )
    let lists = [("Never set", never), ("Not stored", transient)].filter { !$0.1.isEmpty }
    guard !rows.isEmpty || !lists.isEmpty else { return nil }
    return .init(
      "Values",
      (rows.isEmpty ? [] : [Self.folded(table, "attributes")])
        + lists.map { .sentence("\($0.0): \($0.1.joined(separator: ", "))") }
    )
  }

  var relationships: Report.Section? {
    let rows: [[Report.Cell]] = used.flatMap { entity in
      entity.relationships.map { [.text("\(entity.name).\($0.name)")] + $0.cells }
    }
    guard !rows.isEmpty else { return nil }
    let table = Report.Table(
      "",
      [
        .init("Relationship"), .init("To"), .init("None", .share), .init("Shape"),
        .init("Least…median…most"), .init("Dangling", .number), .init("Delete rule"),
      ],
      rows: rows
    )
    return .init("Relationships", diagram + [Self.folded(table, "relationships")])
  }
}

extension EntitySurvey.Attribute {
  /// The cells of an attribute's row: type, share of missing values, distinct values, histogram and
  /// range.
  fileprivate var cells: [Report.Cell] {
    guard count > 0 else { return [.text(type)] }
    let distribution = numbers ?? external?.sizes ?? lengths
    return [
      .text(type), .part(Int64(nulls), of: Int64(count)), distinctCell,
      .text(distribution.map(SurveyText.shape) ?? ""), .text(range),
    ]
  }

  // An estimate is rounded to three significant digits.
  private var distinctCell: Report.Cell {
    guard let distinct else { return "–" }
    if isDistinctExact { return .number(distinct) }
    return .text("~\(Double(min(distinct, count - nulls)).threeDigits.grouped)")
  }

  private var range: String {
    if let numbers {
      switch type {
      case "boolean":
        guard numbers.minimum < numbers.maximum else {
          return numbers.maximum == 0 ? "always false" : "always true"
        }
        let trues = Double(numbers.histogram.last ?? 0) / Double(max(numbers.count, 1))
        return "\(Figures.part(trues)) true"
      case "date":
        let (first, last) = (SurveyText.day(numbers.minimum), SurveyText.day(numbers.maximum))
        return first == last ? first : "\(first)…\(last)"
      case "integer16", "integer32", "integer64":
        return SurveyText.spread(numbers, SurveyText.whole)
      default: return SurveyText.spread(numbers, SurveyText.number)
      }
    }
    let bytes = { (value: Double) in Figures.bytes(value.rounded(.down)) }
    if let sizes = external?.sizes { return SurveyText.spread(sizes, unit: " files", bytes) }
    guard let lengths else { return "" }
    switch type {
    case "string", "uri": return SurveyText.spread(lengths, unit: " chars", SurveyText.whole)
    case "uuid" where lengths.minimum == 16 && lengths.maximum == 16: return ""
    default: return SurveyText.spread(lengths, bytes)
    }
  }
}

extension EntitySurvey.Relationship {
  /// The cells of a relationship's row: destination, share without a target, histogram, range,
  /// dangling references and delete rule.
  fileprivate var cells: [Report.Cell] {
    let arrow = isToMany ? (isOrdered ? "⇶ " : "⇉ ") : "→ "
    let spread = isToMany ? fanOut.map { SurveyText.spread($0, SurveyText.whole) } : nil
    return [
      .text(arrow + destination), .part(empty, of: count),
      .text(fanOut.map(SurveyText.shape) ?? ""), .text(spread ?? ""),
      dangling > 0 ? .number(Double(dangling), .bad) : .empty,
      .text(deleteRule == "nullify" ? "" : deleteRule),
    ]
  }
}

extension Report.Cell {
  static func part(_ part: Int64, of whole: Int64) -> Report.Cell {
    whole > 0 ? .number(Double(part) / Double(whole)) : "–"
  }
}

enum SurveyText {
  /// Returns the day of a date, or the number of seconds if it is outside the calendar.
  static func day(_ seconds: Double) -> String {
    let whole = seconds.rounded(.down)
    guard abs(whole) < 1e15, let text = ReferenceDate.iso8601(seconds: Int64(whole)) else {
      return number(seconds)
    }
    return String(text.prefix(10))
  }

  /// Returns a number rounded to a few decimal places, or in exponential notation if it is very
  /// large or very small.
  static func number(_ value: Double) -> String {
    if value.rounded() == value, abs(value) < 1e7 {
      return value < 0 ? "-" + Figures.grouped(-value) : Figures.grouped(value)
    }
    let size = abs(value)
    if size >= 1e7 || size < 0.001 { return exponential(value) }
    return Figures.fixed(value, decimals: size >= 1000 ? 0 : size >= 100 ? 1 : size >= 1 ? 2 : 4)
  }

  /// Returns a rounded count, because the median of a sketch may not be a whole number.
  static func whole(_ value: Double) -> String { number(value.rounded()) }

  private static func exponential(_ value: Double) -> String {
    var (mantissa, exponent) = (abs(value), 0)
    while mantissa >= 10, exponent < 400 { (mantissa, exponent) = (mantissa / 10, exponent + 1) }
    while mantissa < 1, mantissa > 0, exponent > -400 {
      (mantissa, exponent) = (mantissa * 10, exponent - 1)
    }
    return (value < 0 ? "-" : "") + Figures.fixed(mantissa, decimals: 1) + "e\(exponent)"
  }

  /// Returns the minimum, the median and the maximum of a distribution.
  static func spread(
    _ distribution: DistributionSurvey,
    unit: String = "",
    _ text: (Double) -> String
  ) -> String {
    let parts = [distribution.minimum, distribution.p50, distribution.maximum].map(text)
    return (parts[0] == parts[2] ? "always \(parts[0])" : parts.joined(separator: "…")) + unit
  }

  /// Returns a histogram in one line with one block per bin; empty if all values are equal.
  static func shape(_ distribution: DistributionSurvey) -> String {
    distribution.minimum < distribution.maximum ? blocks(distribution.histogram) : ""
  }

  static func blocks(_ bins: [Int]) -> String {
    let blocks = Array("▁▂▃▄▅▆▇█")
    guard let most = bins.max(), most > 0 else { return "" }
    return String(
      bins.map { count in
        // Use a figure space for empty bins, because renderers may break or trim plain spaces.
        count == 0 ? "\u{2007}" : blocks[min(blocks.count - 1, count * blocks.count / (most + 1))]
      }
    )
  }
}
