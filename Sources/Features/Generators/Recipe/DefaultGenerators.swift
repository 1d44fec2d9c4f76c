import DataModel

struct DefaultGenerators {
  let entity: String
  let attributes: [Attribute]
  let period: ClosedRange<Double>
  /// The raw values of enums, by attribute name.
  let enumValues: [String: [Value]]

  func recipe(for attribute: Attribute) -> AttributeRecipe {
    var recipe = AttributeRecipe(rule(for: attribute))
    guard attribute.isOptional else { return recipe }
    if !recipe.bases.isEmpty, let flag = condition(of: attribute) {
      recipe.condition = flag
    } else {
      recipe.nullShare = 1.0 / 3
    }
    return recipe
  }

  private func condition(of attribute: Attribute) -> String? {
    let stem = Words(attribute.name).all.first ?? ""
    return attributes.first {
      $0.type == .boolean && Words($0.name).all.last == stem && stem.count > 2
    }?.name
  }

  private func rule(for attribute: Attribute) -> any ValueRule {
    if let values = enumValues[attribute.name], !values.isEmpty {
      return ChoiceRule(values: values, weights: values.map { _ in 1 })
    }
    return switch attribute.type {
    case .string: text(attribute)
    case .uri: URLGenerator()
    case .uuid: UUIDGenerator(isText: false)
    case .boolean:
      ChanceGenerator(
        probability: Words(attribute.name).isOneOf(["archived", "flagged"]) ? 0.1 : 0.4
      )
    case .date: date(attribute)
    case .binary: BlobRule.usual
    case .transformable:
      BlobRule(size: DistributionRecipe(.constant(200)), compressibility: 0.3)
    case .undefined, .objectID, .composite: ConstantGenerator(value: .null)
    default: NumberRule(distribution(attribute), for: attribute)
    }
  }

  private func text(_ attribute: Attribute) -> any ValueRule {
    let words = Words(attribute.name)
    if words.isOneOf(["id", "identifier", "uuid", "guid"]) { return UUIDGenerator(isText: true) }
    if words.isOneOf(["email", "mail"]) { return EmailRule() }
    if words.isOneOf(["url", "link", "website", "homepage", "path"]) { return URLGenerator() }
    if words.isOneOf(["phone", "telephone", "mobile"]) {
      return CodeRule(prefix: "+44 7", digits: 9)
    }
    if words.isOneOf(["biography", "bio"]) { return BiographyGenerator() }
    if words.isOneOf(["color", "colour", "colorhex", "colourhex"]) {
      return ColourGenerator(isText: true)
    }
    if words.isOneOf(["sku", "code", "isbn", "barcode", "serial"]) { return CodeRule() }
    if words.isOneOf(["handle", "username", "login"]) {
      return CodeRule(prefix: "user", digits: 6)
    }
    let long = ["notes", "note", "details", "body", "text", "content", "summary", "description"]
    if words.isOneOf(long + ["comment", "message"]) {
      return NotesRule(words: NotesRule.usualWords)
    }
    if words.isOneOf(["filename", "file"]) { return FilenameGenerator() }
    if words.isOneOf(["address", "street"]) { return TownRule(part: .address) }
    if words.isOneOf(["city", "town", "destination"]) { return CityGenerator() }
    if Words(entity).isOneOf(["subtask", "step"]) { return StepRule(path: nil, texts: []) }
    if words.isOneOf(["place", "placename", "hotel"]) { return PlaceGenerator() }
    if words.isOneOf(["name"]), Words(entity).isOneOf(["product", "article", "item"]) {
      return ProductGenerator()
    }
    if words.isOneOf(["name"]) { return isPerson(words) ? person(words) : LabelRule() }
    return TitleGenerator()
  }

  private func isPerson(_ words: Words) -> Bool {
    let people = [
      "user", "person", "author", "contact", "member", "customer", "employee", "friend",
    ]
    return Words(entity).isOneOf(people) || words.all.contains("first")
      || words.all.contains("last") || words.all.contains("display")
  }

  private func person(_ words: Words) -> any ValueRule {
    let first = words.all.contains("first") || words.all.contains("given")
    let last = words.all.contains("last") || words.all.contains("family")
    return PersonNameRule(part: first ? .given : last ? .family : .full)
  }

  private func date(_ attribute: Attribute) -> any ValueRule {
    guard let created = creation, attribute.name != created.name,
      // A date is null if the date that it follows is null, so a required date must not follow an
      // optional date.
      attribute.isOptional || !created.isOptional
    else {
      var rule = DateRule(in: period)
      rule.isOrdered = attribute.name == creation?.name
      return rule
    }
    var rule = LaterDateRule(paths: [AttributePath(attribute: created.name)], period: period)
    let stems: Set<String> = [
      "due", "deadline", "end", "ends", "expires", "expiry", "expiration", "until", "reminder",
      "scheduled", "planned", "next",
    ]
    rule.isFuture = !stems.isDisjoint(with: Words(attribute.name).all)
    rule.isRequired = !attribute.isOptional
    return rule
  }

  var creation: Attribute? {
    let stems: Set<String> = ["created", "creation", "added", "joined", "timestamp", "start"]
    return attributes.first {
      $0.type == .date && !$0.isTransient && !stems.isDisjoint(with: Words($0.name).all)
    }
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

    func isOneOf(_ candidates: [String]) -> Bool {
      candidates.contains(all.last ?? "") || candidates.contains(all.joined())
    }
  }
}
