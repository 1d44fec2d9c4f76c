import DataModel

/// Makes the sources of one entity's attributes, those first that others depend on.
struct AttributeBuilder {
  private let recipe: EntityRecipe
  private let attributes: [Attribute]
  private let root: StreamKey
  private let duplicates: DuplicateClusters?
  private let relationships: [String: RelationshipSource]
  /// The place of the entity's first row in its table.
  private let offset: Int
  /// The attributes that others are made from.
  private let bases: Set<String>

  init(
    recipe: EntityRecipe,
    attributes: [Attribute],
    root: StreamKey,
    duplicates: DuplicateClusters?,
    relationships: [String: RelationshipSource] = [:],
    offset: Int = 0
  ) {
    self.recipe = recipe
    self.attributes = attributes.filter { !$0.isTransient }
    self.root = root
    self.duplicates = duplicates
    self.relationships = relationships
    self.offset = offset
    bases = Set(recipe.attributes.values.flatMap(\.bases))
  }

  /// The sources by attribute.
  func sources() -> [String: AttributeSource] {
    var made: [String: AttributeSource] = [:]
    for attribute in attributes { make(attribute.name, &made, depth: 0) }
    return made
  }

  /// A recipe has no circles; the depth only guards against one that was made by hand.
  private func make(_ name: String, _ made: inout [String: AttributeSource], depth: Int) {
    guard made[name] == nil, depth <= attributes.count,
      let attribute = attributes.first(where: { $0.name == name }),
      let described = recipe.attributes[name]
    else { return }
    let derivation = attribute.derivation.flatMap(Derivation.init)
    let bases = described.bases + (derivation?.base.map { [$0] } ?? [])
    for base in bases { make(base, &made, depth: depth + 1) }
    let key =
      described.stream.map { root.derived("stream").derived($0) }
      ?? root.derived(recipe.name).derived(name)
    made[name] = AttributeSource(
      key: key,
      generator: derived(derivation, made)
        ?? generator(described, of: attribute, key: key, made: made),
      nullShare: derivation == nil ? described.nullShare : 0,
      condition: described.condition.flatMap { made[$0] },
      duplicates: SharedRows(recipe, attribute: name, clusters: duplicates),
      isBase: bases.contains(name)
    )
  }

  /// `nil` for what is not derived, or not from anything the object has.
  private func derived(
    _ derivation: Derivation?,
    _ made: [String: AttributeSource]
  ) -> (any CellGenerator)? {
    switch derivation {
    case .count(let name):
      relationships[name].map { CountGenerator(relationship: $0, offset: offset) }
    case .canonical(let name): made[name].map { CanonicalTextGenerator(base: $0) }
    case nil: nil
    }
  }

  private func generator(
    _ described: AttributeRecipe,
    of attribute: Attribute,
    key: StreamKey,
    made: [String: AttributeSource]
  ) -> any CellGenerator {
    let generator = plain(described.generator, of: attribute, key: key, made: made)
    guard described.isNumbered, let text = generator as? any TextGenerator else { return generator }
    return NumberedTextGenerator(base: text)
  }

  private func plain(
    _ generator: AttributeGenerator,
    of attribute: Attribute,
    key: StreamKey,
    made: [String: AttributeSource]
  ) -> any CellGenerator {
    let isText = attribute.type == .string || attribute.type == .uri
    switch generator {
    case .constant(let value): return ConstantGenerator(value: value)
    case .chance(let probability): return ChanceGenerator(probability: probability)
    case .trend(let base, let first, let last):
      guard let date = made[base] else { return ConstantGenerator(value: .null) }
      let period = period(of: base, depth: 0)
      return TrendGenerator(date: date, period: period, first: first, last: last)
    case .hourlyChoice(let base, let working, let otherwise):
      guard let date = made[base] else { return ConstantGenerator(value: .null) }
      return HourlyChoiceGenerator(
        date: date,
        working: ChoiceGenerator(values: working.values, weights: working.weights),
        otherwise: ChoiceGenerator(values: otherwise.values, weights: otherwise.weights)
      )
    case .choice(let values, let weights): return ChoiceGenerator(values: values, weights: weights)
    case .number(let numbers, let places):
      return NumberGenerator(
        distribution: numbers.distribution(),
        form: form(of: attribute, places: places)
      )
    case .title: return TitleGenerator()
    case .notes(let words, let per): return NotesGenerator(words: self.words(words, per))
    case .name(let part, let scripts): return PersonNameGenerator(part: part, scripts: scripts)
    case .label: return LabelGenerator(key: key)
    case .code(let prefix, let digits):
      return CodeGenerator(prefix: prefix, digits: digits, rows: recipe.count, key: key)
    case .product: return ProductGenerator()
    case .filename: return FilenameGenerator()
    case .city: return CityGenerator()
    case .place: return PlaceGenerator()
    case .address: return AddressGenerator()
    case .email: return EmailGenerator()
    case .url: return URLGenerator()
    case .colour: return ColourGenerator(isText: isText)
    case .uuid: return UUIDGenerator(isText: isText)
    case .date(let date): return DateGenerator(date, rows: recipe.count)
    case .laterDate(let base, let days, let precision):
      guard let source = made[base] else { return ConstantGenerator(value: .null) }
      return LaterDateGenerator(base: source, days: days.distribution(), precision: precision)
    case .blob(let blob):
      return blob.formatAttribute.flatMap { made[$0] }
        .map { FollowingBlobGenerator(blob, name: $0) } ?? BlobGenerator(blob)
    case .file(let blob): return FileGenerator(blob, key: key)
    case .fileSize(let base):
      guard let source = made[base] else { return ConstantGenerator(value: .null) }
      return FileSizeGenerator(file: source)
    case .shaped(let column):
      return ShapedGenerator(
        column,
        of: attribute,
        form: form(of: attribute, places: 2),
        rows: recipe.count,
        key: key
      )
    }
  }

  private func words(_ words: DistributionRecipe, _ per: [RelatedWords]) -> any Distribution {
    let addends = per.compactMap { related in
      relationships[related.relationship].map {
        RelatedDistribution.Addend(relationship: $0, each: related.words)
      }
    }
    guard !addends.isEmpty else { return words.distribution() }
    return RelatedDistribution(base: words.distribution(), addends: addends, offset: offset)
  }

  /// When an attribute's dates begin and end; of one that follows another, that one's.
  private func period(of name: String, depth: Int) -> ClosedRange<Double> {
    switch recipe.attributes[name]?.generator {
    case .date(let date): date.from...date.to
    case .laterDate(let base, _, _) where depth < attributes.count:
      period(of: base, depth: depth + 1)
    default: 0...0
    }
  }

  private func form(of attribute: Attribute, places: Int) -> NumberGenerator.Form {
    switch attribute.type {
    case .double: .double
    case .float: .float
    case .decimal: .decimal(places: places)
    default: .integer(attribute.type.integerRange ?? Int64.min...Int64.max)
    }
  }
}
