import DataModel

final class AttributeSource: Sendable {
  private let key: StreamKey
  private let nullKey: StreamKey
  private let generator: any CellGenerator
  private let file: FileRule.Generator?
  private let nullShare: Double
  private let condition: AttributeSource?
  private let duplicates: DuplicateClusters.SharedRows?
  private let memory: Cell.RowMemory.Source?

  init(
    key: StreamKey,
    generator: any CellGenerator,
    nullShare: Double = 0,
    condition: AttributeSource? = nil,
    duplicates: DuplicateClusters.SharedRows? = nil,
    isBase: Bool = false
  ) {
    self.key = key
    // Nulls have their own random stream, so that changing their share does not change the other
    // values.
    nullKey = key.derived("null")
    self.generator = generator
    file = generator as? FileRule.Generator
    self.nullShare = nullShare
    self.condition = condition
    self.duplicates = duplicates
    memory = isBase ? Cell.RowMemory.Source() : nil
  }

  func fill(_ cell: inout Cell, row: Int) {
    guard let duplicates else { return recall(&cell, row: row) }
    let (row, delay) = duplicates.origin(of: row)
    recall(&cell, row: row)
    if delay > 0, let time = cell.number {
      cell.setNumeric(DateRule.Precision.microsecond.cut(time + delay))
    }
  }

  @inline(__always)
  private func recall(_ cell: inout Cell, row: Int) {
    guard let memory else { return make(&cell, row: row) }
    if cell.recall(memory, row: row) { return }
    make(&cell, row: row)
    cell.remember(memory, row: row)
  }

  @inline(__always)
  private func make(_ cell: inout Cell, row: Int) {
    if let condition {
      condition.fill(&cell, row: row)
      guard cell.kind == .integer, cell.integer != 0 else { return cell.setNull() }
    }
    if nullShare > 0 {
      var draws = nullKey.draws(row: row)
      if draws.happens(nullShare) { return cell.setNull() }
    }
    var draws = key.draws(row: row)
    generator.fill(&cell, row: row, draws: &draws)
  }

  func fillFileContents(_ cell: inout Cell, row: Int) -> Bool {
    guard let file else { return false }
    fill(&cell, row: row)
    guard cell.kind != .null else { return false }
    file.fillContents(&cell, row: row)
    return true
  }

  /// The size in bytes of the file that a row references; 0 if the row has no file.
  func fileSize(row: Int) -> Int {
    guard let file else { return 0 }
    var cell = Cell()
    fill(&cell, row: row)
    return cell.kind == .null ? 0 : file.size(row: row)
  }

  func externalName(row: Int) -> String {
    var draws = key.derived("external").draws(row: row)
    return UUIDGenerator.text(&draws)
  }

  var makesFiles: Bool { file != nil }
}

struct AttributeBuilder {
  private let recipe: EntityRecipe
  private let attributes: [Attribute]
  private let root: StreamKey
  private let duplicates: DuplicateClusters?
  private let relationships: [String: RelationshipSource]
  private let binder: PathBinder
  private let isDerivable: (String) -> Bool
  private let offset: Int
  private let bases: Set<String>

  /// Creates the builder.
  ///
  /// `bases` names the attributes on which attributes of other objects depend; `binder` collects
  /// the references to other objects; `isDerivable` is `false` for an attribute that would be
  /// derived from itself.
  init(
    recipe: EntityRecipe,
    attributes: [Attribute],
    root: StreamKey,
    duplicates: DuplicateClusters?,
    relationships: [String: RelationshipSource] = [:],
    binder: PathBinder = PathBinder(),
    isDerivable: @escaping (String) -> Bool = { _ in true },
    bases: Set<String> = [],
    offset: Int = 0
  ) {
    self.recipe = recipe
    self.attributes = attributes.filter { !$0.isTransient }
    self.root = root
    self.duplicates = duplicates
    self.relationships = relationships
    self.binder = binder
    self.isDerivable = isDerivable
    self.offset = offset
    self.bases = bases.union(recipe.attributes.values.flatMap(\.bases))
  }

  func sources() -> [String: AttributeSource] {
    var made: [String: AttributeSource] = [:]
    for attribute in attributes { make(attribute.name, &made, depth: 0) }
    return made
  }

  /// Makes the source of an attribute, after the sources on which it depends.
  ///
  /// `depth` guards against dependency cycles, which only a recipe built in code can have.
  private func make(_ name: String, _ made: inout [String: AttributeSource], depth: Int) {
    guard made[name] == nil, depth <= attributes.count,
      let attribute = attributes.first(where: { $0.name == name }),
      let described = recipe.attributes[name]
    else { return }
    let derivation = Derivation.made(of: attribute).flatMap {
      $0.paths.isEmpty || isDerivable(name) ? $0 : nil
    }
    for base in described.bases { make(base, &made, depth: depth + 1) }
    if let base = derivation?.base { make(base, &made, depth: depth + 1) }
    let key =
      described.stream.map { root.derived("stream").derived($0) }
      ?? root.derived(recipe.name).derived(name)
    made[name] = AttributeSource(
      key: key,
      generator: generator(
        described,
        derivation,
        at: AttributeSite(
          attribute: attribute,
          rows: recipe.count,
          key: key,
          offset: offset,
          sources: made,
          relationships: relationships,
          recipes: recipe.attributes,
          binder: binder
        )
      ),
      nullShare: derivation == nil ? described.nullShare : 0,
      condition: described.condition.flatMap { made[$0] },
      duplicates: DuplicateClusters.SharedRows(recipe, attribute: attribute, clusters: duplicates),
      isBase: bases.contains(name)
    )
  }

  private func generator(
    _ described: AttributeRecipe,
    _ derivation: Derivation?,
    at site: AttributeSite
  ) -> any CellGenerator {
    switch derivation {
    case .count(let name):
      if let relationship = relationships[name] {
        return CountGenerator(relationship: relationship, offset: offset)
      }
    case .canonical(let name):
      if let base = site.sources[name] { return CanonicalTextGenerator(base: base) }
    case .path(let path):
      if let source = site.related(path) { return TargetGenerator(source: source) }
    case .sum(let path):
      if let source = site.related(path) {
        return SumGenerator(source: source, form: NumberRule.Form(of: site.attribute))
      }
    case nil: break
    }
    let generator = described.rule.generator(at: site)
    guard described.isNumbered, let text = generator as? any TextGenerator else { return generator }
    return NumberedTextGenerator(base: text)
  }

  struct CountGenerator: CellGenerator {
    let relationship: RelationshipSource
    let offset: Int

    func fill(_ cell: inout Cell, row: Int, draws: inout Draws) {
      cell.set(Int64(relationship.count(of: offset + row)))
    }
  }

  struct TargetGenerator: CellGenerator {
    let source: RelatedSource

    func fill(_ cell: inout Cell, row: Int, draws: inout Draws) { source.fill(&cell, row: row) }
  }

  struct SumGenerator: CellGenerator {
    let source: RelatedSource
    let form: NumberRule.Form

    func fill(_ cell: inout Cell, row: Int, draws: inout Draws) {
      form.set(source.sum(&cell, row: row), in: &cell)
    }
  }

  /// Generates the text of another attribute in lower case and without accents.
  struct CanonicalTextGenerator: CellGenerator {
    let base: AttributeSource

    func fill(_ cell: inout Cell, row: Int, draws: inout Draws) {
      base.fill(&cell, row: row)
      guard cell.kind == .text else { return cell.setNull() }
      let text = String(decoding: cell.bytes, as: UTF8.self)
      let bare = String(
        String.UnicodeScalarView(TextEdit.Accents.without(Array(text.unicodeScalars)))
      )
      cell.setText { $0.append(contentsOf: bare.lowercased().utf8) }
    }
  }

  struct NumberedTextGenerator: TextGenerator {
    let base: any TextGenerator

    func append(to text: inout [UInt8], row: Int, draws: inout Draws) {
      base.append(to: &text, row: row, draws: &draws)
      text.append(" ")
      text.append(decimal: row + 1)
    }
  }
}

/// The expression of a derived attribute, if it follows at most one relationship.
///
/// `now()` and other functions are not supported: their values are generated like those of ordinary
/// attributes.
enum Derivation: Hashable {
  /// `children.@count`: the number of a to-many relationship's targets.
  case count(of: String)
  /// `canonical:(name)`: a string in lower case and without accents.
  case canonical(of: String)
  /// `project.name`: the value of a to-one relationship's target.
  case path(AttributePath)
  /// `items.@sum.size` or `items.size.@sum`: the sum over a to-many relationship's targets.
  case sum(AttributePath)

  static func made(of attribute: Attribute) -> Derivation? {
    guard let expression = attribute.derivation, let derivation = Derivation(expression) else {
      return nil
    }
    let fits =
      switch derivation {
      case .count:
        ValueGenerator.numberTypes.contains(attribute.type)
      case .sum: ValueGenerator.numberTypes.contains(attribute.type)
      case .canonical: attribute.type == .string
      case .path: true
      }
    return fits ? derivation : nil
  }

  init?(_ expression: String) {
    let text = expression.filter { $0 != " " }
    let count = ".@count"
    if text.hasSuffix(count), !text.dropLast(count.count).contains(where: Self.isSyntax) {
      self = .count(of: String(text.dropLast(count.count)))
    } else if text.hasPrefix("canonical:("), text.hasSuffix(")") {
      let name = text.dropFirst("canonical:(".count).dropLast()
      guard !name.isEmpty, !name.contains(where: Self.isSyntax) else { return nil }
      self = .canonical(of: String(name))
    } else if let path = Self.path(text.replacing(".@sum", with: "")) {
      self = text.contains(".@sum") ? .sum(path) : .path(path)
    } else {
      return nil
    }
  }

  /// The relationship and attribute in an expression such as `project.name`; `nil` for other forms.
  private static func path(_ text: String) -> AttributePath? {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty && !$0.contains(where: isSyntax) })
    else {
      return nil
    }
    return AttributePath(relationship: String(parts[0]), attribute: String(parts[1]))
  }

  private static func isSyntax(_ character: Character) -> Bool { ".()@:,".contains(character) }

  var base: String? {
    if case .canonical(let name) = self { name } else { nil }
  }

  /// The paths to attributes of other objects from which the value is derived.
  var paths: [AttributePath] {
    switch self {
    case .path(let path), .sum(let path): [path]
    case .count, .canonical: []
    }
  }
}
