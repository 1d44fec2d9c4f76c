import DataModel

/// Reads how one attribute's values are made: a generator's name, a constant, or a mapping of one
/// generator and what modifies it.
struct AttributeRecipeReader {
  static let modifiers = ["null", "when", "distinct", "stream"]

  let entity: String
  let attribute: Attribute
  /// All attributes of the entity, inherited ones included.
  let siblings: [Attribute]
  /// The recipe's period, in seconds since 2001-01-01.
  let period: ClosedRange<Double>
  /// The to-manys of the entity.
  var toManys: [String] = []

  private var name: String { "\(entity).\(attribute.name)" }

  func recipe(_ value: YAMLValue) -> AttributeRecipe? {
    guard value.isMapping else { return short(value) }
    guard let mapping = value.mapping() else { return nil }
    let generators = mapping.entries.filter { !Self.modifiers.contains($0.key) }
    for entry in generators where !GeneratorNames.all.contains(entry.key) {
      mapping.reportKeys(except: GeneratorNames.all + Self.modifiers)
      return nil
    }
    guard generators.count <= 1 else {
      value.report("\(name) must have one generator, not \(generators.count)")
      return nil
    }
    var recipe: AttributeRecipe?
    if let entry = generators.first {
      guard fits(entry.key, value) else { return nil }
      recipe = generator(entry.key, entry.value).map { AttributeRecipe($0) }
    } else {
      // Only modifiers: they modify what would be there without them.
      recipe = DefaultGenerators(
        entity: entity,
        attributes: siblings,
        period: period
      ).recipe(for: attribute)
      recipe?.nullShare = 0
      recipe?.condition = nil
    }
    return recipe.map { modified($0, by: mapping) }
  }

  /// A generator's name, or a constant that is no text.
  private func short(_ value: YAMLValue) -> AttributeRecipe? {
    guard case .text(let word)? = value.scalar else {
      return ConstantReader(attribute: attribute).value(value).map { constant in
        if constant == .null, !attribute.isOptional {
          value.report("\(name) is not optional, so it cannot be nothing")
        }
        return AttributeRecipe(.constant(constant))
      }
    }
    guard GeneratorNames.all.contains(word) else {
      let names = GeneratorNames.names(for: attribute.type)
      let hint = didYouMean(word, among: names)
      value.report(
        "\(name) cannot be '\(word)'\(hint) (one of \(names.joined(separator: ", ")); "
          + "a fixed text is { constant: \(word) })"
      )
      return nil
    }
    guard fits(word, value) else { return nil }
    return generator(word, nil).map { AttributeRecipe($0) }
      ?? {
        value.report("'\(word)' needs parameters: write { \(word): … }")
        return nil
      }()
  }

  private func fits(_ generator: String, _ value: YAMLValue) -> Bool {
    guard !GeneratorNames.fits(generator, attribute.type) else { return true }
    let names = GeneratorNames.names(for: attribute.type).joined(separator: ", ")
    value.report(
      "'\(generator)' cannot make \(name), which is of type \(attribute.type.name)"
        + (names.isEmpty ? "" : " (one of \(names))")
    )
    return false
  }

  private func modified(_ recipe: AttributeRecipe, by mapping: YAMLMapping) -> AttributeRecipe {
    var recipe = recipe
    if let value = mapping["null"], let share = value.share() {
      if share > 0, !attribute.isOptional {
        value.report("\(name) is not optional, so no share of it can be null")
      }
      recipe.nullShare = share
    }
    if let value = mapping["when"] { recipe.condition = condition(value) }
    if let value = mapping["distinct"] { recipe.isNumbered = distinct(value, recipe.generator) }
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

  private func distinct(_ value: YAMLValue, _ generator: AttributeGenerator) -> Bool {
    guard let distinct = value.boolean(), distinct else { return false }
    switch generator {
    case .title, .notes, .name, .product, .filename, .city, .place, .address: return true
    case .label, .code, .email, .uuid: return false
    default:
      value.report("\(name) cannot be made distinct; use title, notes, name, label, code or uuid")
      return false
    }
  }

  /// The name of another attribute of one of the types.
  func sibling(_ value: YAMLValue, of types: [AttributeType]) -> String? {
    let names = siblings.filter { types.contains($0.type) && $0.name != attribute.name }.map(\.name)
    guard let name = value.string() else { return nil }
    guard names.contains(name) else {
      let kind = types.map(\.name).joined(separator: " or ")
      value.report(
        "\(entity) has no other \(kind) attribute '\(name)'\(didYouMean(name, among: names))"
      )
      return nil
    }
    return name
  }

  /// The generator of a name; without parameters where the value is `nil`.
  private func generator(_ word: String, _ value: YAMLValue?) -> AttributeGenerator? {
    switch word {
    case "title": plain(.title, value)
    case "label": plain(.label, value)
    case "product": plain(.product, value)
    case "filename": plain(.filename, value)
    case "city": plain(.city, value)
    case "place": plain(.place, value)
    case "address": plain(.address, value)
    case "email": plain(.email, value)
    case "url": plain(.url, value)
    case "colour": plain(.colour, value)
    case "uuid": plain(.uuid, value)
    default: GeneratorReader(reader: self).generator(word, value)
    }
  }

  private func plain(_ generator: AttributeGenerator, _ value: YAMLValue?) -> AttributeGenerator? {
    guard let value, value.scalar != .null else { return generator }
    value.report("\(value.name) takes no parameters; write it without a value")
    return nil
  }
}
