import Basics
import DataModel

struct NumberRule: ValueRule {
  static let entries = DistributionRecipe.families.filter { !$0.examples.isEmpty }.map { family in
    ValueGenerator(
      family.name,
      family.summary,
      types: ValueGenerator.numberTypes,
      keys: family.keys,
      examples: family.examples.map { ValueGenerator.Example($0.rule, $0.range) },
      isUnique: family.isUnique,
      bare: family.bare.map { shape in
        let rule: @Sendable (AttributeReader) -> any ValueRule = {
          NumberRule(DistributionRecipe(shape), for: $0.attribute)
        }
        return rule
      },
      parse: { parse(family, $0) }
    )
  }

  var numbers: DistributionRecipe

  init(_ recipe: DistributionRecipe, for attribute: Attribute) {
    numbers = recipe
    if let minimum = attribute.minimum.number {
      numbers.minimum = max(recipe.minimum ?? minimum, minimum)
    }
    if let maximum = attribute.maximum.number {
      numbers.maximum = min(recipe.maximum ?? maximum, maximum)
    }
  }

  private static func parse(
    _ family: DistributionRecipe.Family,
    _ input: ValueGenerator.Input
  ) -> NumberRule? {
    let attribute = input.reader.attribute
    let range = attribute.type.integerRange
    let reader = DistributionReader(isWhole: range != nil)
    guard let recipe = family.recipe(input.value, reader) else { return nil }
    if case .uniform(let low, let high, _) = recipe.shape, let range,
      low < Double(range.lowerBound) || high > Double(range.upperBound)
    {
      input.value.report(
        "\(input.value.name) leaves the range of \(attribute.type.name), "
          + "\(range.lowerBound) to \(range.upperBound)"
      )
    }
    // Report numbers beyond the model's limits, because they would all be clamped to a limit.
    let (low, high) = (attribute.minimum.number, attribute.maximum.number)
    if let wrong = recipe.written.first(where: { $0 < low ?? $0 || $0 > high ?? $0 }) {
      input.value.report(
        "\(input.value.name) reaches \(wrong.shortest), and the model allows "
          + [low.map { "at least \($0.shortest)" }, high.map { "at most \($0.shortest)" }]
          .compactMap(\.self).joined(separator: " and ") + ": write numbers within these limits"
      )
    }
    return NumberRule(recipe, for: attribute)
  }

  var isDistinct: Bool {
    guard case .sequence(_, let step) = numbers.shape else { return false }
    return step != 0 && numbers.minimum == nil && numbers.maximum == nil
  }

  func generator(at site: AttributeSite) -> any CellGenerator {
    Generator(distribution: numbers.distribution(), form: Form(of: site.attribute))
  }

  private struct Generator: CellGenerator {
    let distribution: any Distribution
    let form: Form

    func fill(_ cell: inout Cell, row: Int, draws: inout Draws) {
      form.set(distribution.value(row: row, draws: &draws), in: &cell)
    }
  }

  enum Form: Hashable, Sendable {
    /// Whole numbers, clamped to a range.
    case integer(ClosedRange<Int64>)
    case double
    case float
    /// A decimal number with at most two decimal places.
    case decimal

    init(of attribute: Attribute) {
      self =
        switch attribute.type {
        case .double: .double
        case .float: .float
        case .decimal: .decimal
        case .boolean: .integer(0...1)
        default: .integer(attribute.type.integerRange ?? Int64.min...Int64.max)
        }
    }

    func set(_ number: Double, in cell: inout Cell) {
      // Limit the number, because a distribution can reach infinity, which columns cannot store.
      let number = min(max(number, -1e300), 1e300)
      switch self {
      case .integer(let range):
        let whole = number.rounded()
        // Check the bounds first, because a double of 2⁶³ or more cannot be converted to `Int64`.
        if whole <= Double(range.lowerBound) { return cell.set(range.lowerBound) }
        if whole >= Double(range.upperBound) { return cell.set(range.upperBound) }
        cell.set(Int64(whole))
      case .double: cell.set(number)
      case .float:
        let largest = Double(Float.greatestFiniteMagnitude)
        cell.set(Double(Float(min(max(number, -largest), largest))))
      case .decimal: cell.setNumeric((number * 100).rounded() / 100)
      }
    }
  }
}
