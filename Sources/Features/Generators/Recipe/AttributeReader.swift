import DataModel

/// Reads the recipe of an attribute: the name of a generator, a constant, or a mapping of a
/// generator and its modifiers.
struct AttributeReader {
  private static let modifierKeys = [
    FileKey("null", .share, "share of the objects without a value"),
    FileKey("when", .text, "Boolean attribute: an object has a value only if it is true"),
    FileKey("distinct", .boolean, "whether all values are different"),
    FileKey(
      "stream",
      .text,
      "name of the random stream; attributes of one stream get the same "
        + "random numbers"
    ),
  ]
  static let modifiers = modifierKeys.map(\.name)

  static var form: FileForm {
    .either([
      .choice(ValueGenerator.all.filter { $0.bare != nil }.map(\.name)), .boolean, .number, .text,
      .mapping(ValueGenerator.all.map { FileKey($0.name, .any, $0.summary) } + modifierKeys),
    ])
  }

  let entity: String
  var attribute: Attribute
  let siblings: [Attribute]
  let period: ClosedRange<Double>
  var toManys: [String] = []
  var targets: [PathTarget] = []
  /// The raw values of enums, by the attribute's name.
  var enumValues: [String: [Value]] = [:]

  private var name: String { "\(entity).\(attribute.name)" }

  func recipe(_ value: YAMLValue) -> AttributeRecipe? {
    guard value.isMapping else { return short(value) }
    guard let mapping = value.mapping() else { return nil }
    let entries = mapping.entries.filter { !Self.modifiers.contains($0.key) }
    let generators = entries.compactMap { ValueGenerator.named($0.key) }
    guard generators.count == entries.count else {
      mapping.reportKeys(except: ValueGenerator.all.map(\.name) + Self.modifiers)
      return nil
    }
    guard generators.count <= 1 else {
      value.report("\(name) must have one generator, not \(generators.count)")
      return nil
    }
    var recipe: AttributeRecipe?
    if let generator = generators.first {
      guard fits(generator, value) else { return nil }
      recipe = generator.rule(entries[0].value, self).map { AttributeRecipe($0) }
    } else {
      // The mapping has only modifiers, which apply to the attribute's default generator.
      recipe = DefaultGenerators(
        entity: entity,
        attributes: siblings,
        period: period,
        enumValues: enumValues
      ).recipe(for: attribute)
      recipe?.nullShare = 0
      recipe?.condition = nil
    }
    return recipe.map { modified($0, by: mapping) }
  }

  private func short(_ value: YAMLValue) -> AttributeRecipe? {
    guard case .text(let word)? = value.scalar else {
      return constant(value).map { constant in
        if constant == .null, !attribute.isOptional {
          value.report("\(name) is not optional, so it needs a value")
        }
        return AttributeRecipe(ConstantGenerator(value: constant))
      }
    }
    guard let generator = ValueGenerator.named(word) else {
      let names = ValueGenerator.names(for: attribute.type)
      let hint = didYouMean(word, among: names)
      value.report(
        "\(name) cannot be '\(word)'\(hint) (one of \(names.joined(separator: ", ")); "
          + "a fixed text is { constant: \(word) })"
      )
      return nil
    }
    guard fits(generator, value) else { return nil }
    guard let bare = generator.bare else {
      value.report("'\(word)' needs parameters: write { \(word): … }")
      return nil
    }
    return AttributeRecipe(bare(self))
  }

  private func fits(_ generator: ValueGenerator, _ value: YAMLValue) -> Bool {
    guard !generator.types.contains(attribute.type) else { return true }
    let names = ValueGenerator.names(for: attribute.type).joined(separator: ", ")
    value.report(
      "'\(generator.name)' cannot make \(name), which is of type \(attribute.type.name)"
        + (names.isEmpty ? "" : " (one of \(names))")
    )
    return false
  }

  private func modified(_ recipe: AttributeRecipe, by mapping: YAMLMapping) -> AttributeRecipe {
    var recipe = recipe
    if let value = mapping["null"], let share = value.share() {
      if share > 0, !attribute.isOptional {
        value.report("\(name) is not optional, so its values cannot be null")
      }
      recipe.nullShare = share
    }
    if let value = mapping["when"] { recipe.condition = condition(value) }
    if let value = mapping["distinct"] { recipe.isNumbered = distinct(value, recipe.rule) }
    recipe.stream = mapping["stream"]?.string()
    return recipe
  }

  private func condition(_ value: YAMLValue) -> String? {
    guard attribute.isOptional else {
      value.report("\(name) is not optional, so it needs a value in every object")
      return nil
    }
    return sibling(value, of: [.boolean])
  }

  private func distinct(_ value: YAMLValue, _ rule: any ValueRule) -> Bool {
    guard let distinct = value.boolean(), distinct, !rule.isDistinct else { return false }
    if !rule.canBeNumbered {
      value.report("\(name) cannot be made distinct; use title, notes, name, label, code or uuid")
    }
    return rule.canBeNumbered
  }

  func sibling(_ value: YAMLValue, of types: [AttributeType]) -> String? {
    let names = siblings.filter { types.contains($0.type) && $0.name != attribute.name }.map(\.name)
    let kind = types.map(\.name).joined(separator: " or ")
    return value.name(among: names, lackedBy: "\(entity) has no other \(kind) attribute")
  }

  // MARK: Constants

  func constant(_ value: YAMLValue) -> Value? {
    guard let scalar = value.scalar else {
      value.report("\(value.name) must be a value, not a list or a mapping")
      return nil
    }
    // Use the text as written: for a string attribute, YAML's numbers and Booleans are strings too.
    let text = scalar == .null ? "" : value.string() ?? ""
    return checked(constant(scalar, text: text), text, at: value)
  }

  func constant(of entry: YAMLMapping.Entry) -> Value? {
    checked(constant(YAMLScalar(plain: entry.key), text: entry.key), entry.key, at: entry.value)
  }

  private func checked(_ constant: Value?, _ text: String, at value: YAMLValue) -> Value? {
    if constant == nil {
      value.report("'\(text)' is not a value of type \(attribute.type.name)")
    }
    return constant
  }

  /// The constant in the attribute's type; `nil` if the type cannot represent it.
  private func constant(_ scalar: YAMLScalar, text: String) -> Value? {
    switch (attribute.type, scalar) {
    case (_, .null): .null
    case (.boolean, .boolean(let flag)): .integer(flag ? 1 : 0)
    case (.integer16, .integer(let number)), (.integer32, .integer(let number)),
      (.integer64, .integer(let number)):
      attribute.type.integerRange?.contains(number) == true ? .integer(number) : nil
    case (.double, .integer(let number)): .real(Double(number))
    case (.double, .real(let number)): number.isFinite ? .real(number) : nil
    case (.float, .integer(let number)): .real(Double(Float(number)))
    case (.float, .real(let number)): number.isFinite ? .real(Double(Float(number))) : nil
    case (.decimal, .integer(let number)): .integer(number)
    case (.decimal, .real(let number)): number.isFinite ? Cell.numeric(number) : nil
    case (.string, _), (.uri, _): .text(text)
    case (.date, .text(let text)): ReferenceDate.seconds(iso8601: text).map { .integer($0) }
    default: nil
    }
  }
}
