import DataModel

/// What is made of an attribute that a recipe does not describe: a guess from its name and type.
///
/// A name counts as such also as the last word of a longer one: `homeEmail` is an e-mail address.
struct DefaultGenerators {
  let entity: String
  /// All attributes of the entity, inherited ones included.
  let attributes: [Attribute]
  let period: ClosedRange<Double>

  static let words = DistributionRecipe(
    .logNormal(median: 25, sigma: 0.9),
    minimum: 3,
    maximum: 2_000
  )
  static let laterDays = DistributionRecipe(.exponential(mean: 12))
  static let blob = BlobRecipe(
    size: DistributionRecipe(
      .logNormal(median: 20_000, sigma: 1),
      minimum: 200,
      maximum: 5_000_000
    ),
    compressibility: 0.1,
    format: .none
  )
  static let scripts =
    [ScriptWeight(script: .latin, weight: 24)]
    + Script.allCases.dropFirst().map { ScriptWeight(script: $0, weight: 1) }

  static func date(in period: ClosedRange<Double>) -> DateRecipe {
    DateRecipe(
      from: period.lowerBound,
      to: period.upperBound,
      pattern: .working,
      precision: .microsecond,
      isOrdered: false
    )
  }

  /// Numbers within what the attribute allows, in the form of its type.
  static func number(_ recipe: DistributionRecipe, for attribute: Attribute) -> AttributeGenerator {
    var recipe = recipe
    if let minimum = attribute.minimum.number {
      recipe.minimum = max(recipe.minimum ?? minimum, minimum)
    }
    if let maximum = attribute.maximum.number {
      recipe.maximum = min(recipe.maximum ?? maximum, maximum)
    }
    return .number(recipe, places: 2)
  }

  /// A third of an optional attribute's values are missing, unless others depend on it.
  func recipe(for attribute: Attribute) -> AttributeRecipe {
    var recipe = AttributeRecipe(generator(for: attribute))
    guard attribute.isOptional else { return recipe }
    if case .laterDate = recipe.generator, let flag = condition(of: attribute) {
      recipe.condition = flag
    } else if case .file = recipe.generator {
      recipe.nullShare = 0
    } else {
      recipe.nullShare = 1.0 / 3
    }
    return recipe
  }

  /// `isCompleted` for `completedAt`, where there is such a Boolean.
  private func condition(of attribute: Attribute) -> String? {
    let stem = Words(attribute.name).all.first ?? ""
    return attributes.first {
      $0.type == .boolean && Words($0.name).all.last == stem && stem.count > 2
    }?.name
  }

  private func generator(for attribute: Attribute) -> AttributeGenerator {
    switch attribute.type {
    case .string: text(attribute)
    case .uri: .url
    case .uuid: .uuid
    case .boolean: .chance(Words(attribute.name).isOneOf(["archived", "flagged"]) ? 0.1 : 0.4)
    case .date: date(attribute)
    case .binary: .blob(Self.blob)
    case .transformable:
      .blob(
        BlobRecipe(
          size: DistributionRecipe(.constant(200)),
          compressibility: 0.3,
          format: .none
        )
      )
    case .objectID, .composite: .constant(.null)
    default: Self.number(distribution(attribute), for: attribute)
    }
  }

  private func text(_ attribute: Attribute) -> AttributeGenerator {
    let words = Words(attribute.name)
    if words.isOneOf(["id", "identifier", "uuid", "guid"]) { return .uuid }
    if words.isOneOf(["email", "mail"]) { return .email }
    if words.isOneOf(["url", "link", "website", "homepage", "path"]) { return .url }
    if words.isOneOf(["color", "colour"]) { return .colour }
    if words.isOneOf(["sku", "code", "isbn", "barcode", "serial"]) {
      return .code(prefix: "", digits: 8)
    }
    if words.isOneOf(["handle", "username", "login"]) { return .code(prefix: "user", digits: 6) }
    let long = ["notes", "note", "details", "body", "text", "content", "summary", "description"]
    if words.isOneOf(long + ["biography", "comment", "message"]) {
      return .notes(words: Self.words)
    }
    if words.isOneOf(["filename", "file"]) { return .filename }
    if words.isOneOf(["address", "street"]) { return .address }
    if words.isOneOf(["city", "town", "destination"]) { return .city }
    if words.isOneOf(["place", "placename", "hotel"]) { return .place }
    if words.isOneOf(["name"]), Words(entity).isOneOf(["product", "article", "item"]) {
      return .product
    }
    if words.isOneOf(["name"]) { return isPerson(words) ? person(words) : .label }
    return .title
  }

  private func isPerson(_ words: Words) -> Bool {
    let people = [
      "user", "person", "author", "contact", "member", "customer", "employee", "friend",
    ]
    return Words(entity).isOneOf(people) || words.all.contains("first")
      || words.all.contains("last") || words.all.contains("display")
  }

  private func person(_ words: Words) -> AttributeGenerator {
    let first = words.all.contains("first") || words.all.contains("given")
    let last = words.all.contains("last") || words.all.contains("family")
    return .name(part: first ? .given : last ? .family : .full, scripts: Self.scripts)
  }

  private func date(_ attribute: Attribute) -> AttributeGenerator {
    let created = creation
    guard attribute.name != created, let created else {
      var recipe = Self.date(in: period)
      recipe.isOrdered = attribute.name == created
      return .date(recipe)
    }
    return .laterDate(attribute: created, days: Self.laterDays, precision: .microsecond)
  }

  /// The attribute that says when an object was made.
  private var creation: String? {
    let stems: Set<String> = ["created", "creation", "added", "joined", "timestamp", "start"]
    return attributes.first {
      $0.type == .date && !$0.isTransient && !stems.isDisjoint(with: Words($0.name).all)
    }?.name
  }

  private func distribution(_ attribute: Attribute) -> DistributionRecipe {
    let words = Words(attribute.name)
    switch attribute.type {
    case .decimal: return DistributionRecipe(.logNormal(median: 20, sigma: 0.9))
    case .double, .float:
      if words.isOneOf(["latitude"]) { return uniform(-60, 70) }
      if words.isOneOf(["longitude"]) { return uniform(-180, 180) }
      return uniform(0, 1)
    default: break
    }
    if words.isOneOf(["order", "index", "position", "rank"]) {
      return DistributionRecipe(.sequence(start: 0, step: 1))
    }
    if words.isOneOf(["count", "stock", "quantity"]) {
      return DistributionRecipe(.logNormal(median: 20, sigma: 1.2))
    }
    if let low = attribute.minimum.number, let high = attribute.maximum.number, low <= high {
      return uniform(low, high, isWhole: true)
    }
    return uniform(0, 100, isWhole: true)
  }

  private func uniform(_ low: Double, _ high: Double, isWhole: Bool = false) -> DistributionRecipe {
    DistributionRecipe(.uniform(low: low, high: high, isWhole: isWhole))
  }
}

/// The words of a property's or an entity's name, in lower case.
private struct Words {
  let all: [String]

  init(_ name: String) {
    var words = [""]
    for character in name {
      if character.isUppercase || character == "_" { words.append("") }
      if character != "_" { words[words.count - 1] += character.lowercased() }
    }
    all = words.filter { !$0.isEmpty }
  }

  /// Whether the last word, or the whole name, is one of the candidates.
  func isOneOf(_ candidates: [String]) -> Bool {
    candidates.contains(all.last ?? "") || candidates.contains(all.joined())
  }
}

extension Value {
  /// The number of an integer or a real.
  var number: Double? {
    switch self {
    case .integer(let integer): Double(integer)
    case .real(let real): real
    default: nil
    }
  }
}
