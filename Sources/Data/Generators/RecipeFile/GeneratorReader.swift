import DataModel

/// Reads the generators that have parameters.
struct GeneratorReader {
  let reader: AttributeRecipeReader

  private var attribute: Attribute { reader.attribute }

  func generator(_ word: String, _ value: YAMLValue?) -> AttributeGenerator? {
    guard let value else { return withoutParameters(word) }
    if value.scalar == .null, let generator = withoutParameters(word) { return generator }
    return switch word {
    case "notes": notes(value)
    case "name": name(value)
    case "code": code(value)
    case "chance": value.isMapping ? trend(value) : probability(value).map { .chance($0) }
    case "weighted": weighted(value).map { .choice(values: $0.values, weights: $0.weights) }
    case "byHour": byHour(value)
    case "date": DateRecipeReader(reader: reader).date(value)
    case "blob": BlobRecipeReader(reader: reader).blob(value).map { .blob($0) }
    case "file": BlobRecipeReader(reader: nil).blob(value).map { .file($0) }
    case "fileSize": reader.sibling(value, of: [.string, .uri]).map { .fileSize(attribute: $0) }
    case "constant": ConstantReader(attribute: attribute).value(value).map { .constant($0) }
    default: number(word, value)
    }
  }

  private func withoutParameters(_ word: String) -> AttributeGenerator? {
    switch word {
    case "notes": .notes(words: DefaultGenerators.words)
    case "name": .name(part: .full, scripts: DefaultGenerators.scripts)
    case "code": .code(prefix: "", digits: 8)
    case "date": .date(DefaultGenerators.date(in: reader.period))
    case "blob": .blob(DefaultGenerators.blob)
    case "sequence": number(DistributionRecipe(.sequence(start: 0, step: 1)))
    default: nil
    }
  }

  private func notes(_ value: YAMLValue) -> AttributeGenerator? {
    guard let mapping = value.mapping(knowing: ["words", "wordsPer"]) else { return nil }
    let words = mapping.required("words")
    let per = mapping["wordsPer"].map(relatedWords) ?? []
    return words.flatMap { DistributionReader(isWhole: true).distribution($0) }
      .map { .notes(words: $0, per: per) }
  }

  private func relatedWords(_ value: YAMLValue) -> [RelatedWords] {
    guard let mapping = value.mapping(knowing: reader.toManys) else { return [] }
    return mapping.entries.filter { reader.toManys.contains($0.key) }.compactMap { entry in
      DistributionReader.weight(entry.value).map {
        RelatedWords(relationship: entry.key, words: $0)
      }
    }
  }

  /// A probability that moves along a date.
  private func trend(_ value: YAMLValue) -> AttributeGenerator? {
    guard let mapping = value.mapping(knowing: ["along", "from", "to"]) else { return nil }
    let date = mapping.required("along").flatMap { reader.sibling($0, of: [.date]) }
    let first = mapping.required("from").flatMap(probability)
    let last = mapping.required("to").flatMap(probability)
    guard let date, let first, let last else { return nil }
    return .trend(attribute: date, from: first, to: last)
  }

  private func byHour(_ value: YAMLValue) -> AttributeGenerator? {
    guard let mapping = value.mapping(knowing: ["of", "working", "otherwise"]) else { return nil }
    let date = mapping.required("of").flatMap { reader.sibling($0, of: [.date]) }
    let working = mapping.required("working").flatMap(weighted)
    let otherwise = mapping.required("otherwise").flatMap(weighted)
    guard let date, let working, let otherwise else { return nil }
    return .hourlyChoice(attribute: date, working: working, otherwise: otherwise)
  }

  private func name(_ value: YAMLValue) -> AttributeGenerator? {
    guard let mapping = value.mapping(knowing: ["part", "scripts"]) else { return nil }
    let parts = PersonNamePart.allCases.map { (word: $0.rawValue, value: $0) }
    let part = mapping["part"].map { $0.choice(of: parts) } ?? .full
    let scripts = mapping["scripts"].map(scripts) ?? DefaultGenerators.scripts
    guard let part, let scripts else { return nil }
    return .name(part: part, scripts: scripts)
  }

  private func scripts(_ value: YAMLValue) -> [ScriptWeight]? {
    guard let mapping = value.mapping(knowing: Script.allCases.map(\.rawValue)) else { return nil }
    let weights = mapping.entries.compactMap { entry -> ScriptWeight? in
      guard let script = Script(rawValue: entry.key),
        let weight = DistributionReader.weight(entry.value)
      else { return nil }
      return ScriptWeight(script: script, weight: weight)
    }
    guard weights.contains(where: { $0.weight > 0 }) else {
      value.report("\(value.name) must give at least one script a weight above 0")
      return nil
    }
    return weights
  }

  private func code(_ value: YAMLValue) -> AttributeGenerator? {
    guard let mapping = value.mapping(knowing: ["prefix", "digits"]) else { return nil }
    let prefix = mapping["prefix"].map { $0.string() } ?? ""
    let digits = mapping["digits"].map { $0.integer(in: 1...18) } ?? 8
    guard let prefix, let digits else { return nil }
    return .code(prefix: prefix, digits: digits)
  }

  private func probability(_ value: YAMLValue) -> Double? {
    guard let probability = value.number() else { return nil }
    guard (0...1).contains(probability) else {
      value.report("\(value.name) must be a probability from 0 to 1, not \(probability)")
      return nil
    }
    return probability
  }

  private func weighted(_ value: YAMLValue) -> WeightedValues? {
    guard let mapping = value.mapping() else { return nil }
    var (values, weights): ([Value], [Double]) = ([], [])
    let constants = ConstantReader(attribute: attribute)
    for entry in mapping.entries {
      guard let weight = DistributionReader.weight(entry.value),
        let constant = constants.value(of: entry)
      else { continue }
      values.append(constant)
      weights.append(weight)
    }
    guard weights.contains(where: { $0 > 0 }) else {
      value.report("\(value.name) must give at least one value a weight above 0")
      return nil
    }
    return WeightedValues(values: values, weights: weights)
  }

  private func number(_ word: String, _ value: YAMLValue) -> AttributeGenerator? {
    let isWhole = attribute.type.integerRange != nil
    let recipe = DistributionReader(isWhole: isWhole).distribution(word, value)
    guard let recipe else { return nil }
    if case .uniform(let low, let high, _) = recipe.shape,
      let range = attribute.type.integerRange,
      low < Double(range.lowerBound) || high > Double(range.upperBound)
    {
      value.report(
        "\(value.name) leaves the range of \(attribute.type.name), "
          + "\(range.lowerBound) to \(range.upperBound)"
      )
    }
    return number(recipe)
  }

  private func number(_ recipe: DistributionRecipe) -> AttributeGenerator {
    DefaultGenerators.number(recipe, for: attribute)
  }
}
