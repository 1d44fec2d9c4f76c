import DataModel

/// The share of an entity's objects that are copies of earlier objects, and how similar the copies
/// are to their originals.
package struct DuplicatesRecipe: Hashable, Sendable {
  /// The rule that distributes children among an original and its copies.
  package enum Children: String, CaseIterable, Hashable, Sendable {
    /// The relationship itself assigns the children, regardless of copies.
    case own
    /// The children of the original and its copies are divided evenly among them.
    case spread
    /// All children belong to the original.
    case original
  }

  /// The attributes that copies share with their original.
  package var key: [String]
  /// The share of all objects that are copies, from 0 to 1.
  package var rate: Double
  /// The number of copies per original.
  package var copies: DistributionRecipe
  /// The kinds of copies, by their likeness to the original, each with a weight.
  package var likeness = [Weighted(Likeness.sameKey, 1)]
  /// The attributes whose value is different in every copy.
  package var own: [String] = []
  /// The edits of near copies; `nil` unless the recipe has near copies.
  package var edits: Edits?
  package var children = Children.own

  /// The edits that distinguish near copies from their originals.
  package struct Edits: Hashable, Sendable {
    /// The text attributes to edit.
    package var attributes: [String]
    /// The number of edits per copy, at least 1.
    package var count: DistributionRecipe
    package var kinds: [Weighted<TextEdit>]
  }

  /// Reads an entity's duplicates from a recipe file.
  struct Reader {
    static let fields: [FileField<DuplicatesRecipe>] = [
      FileField("key", .oneOrMore(.text), "attributes that copies share", isRequired: true),
      FileField(
        "rate",
        \.rate,
        rate,
        "share of the objects that are copies, below 1",
        isRequired: true
      ),
      FileField(
        "copies",
        \.copies,
        DistributionRecipe.counts,
        "number of copies of an original; default 1"
      ),
      FileField("likeness", \.likeness, .weights(), "a weight for each kind of copy"),
      FileField("own", .oneOrMore(.text), "attributes in which each copy differs"),
      FileField("edits", .mapping(editFields.map(\.key)), "typing mistakes of near copies"),
      FileField("children", \.children, .choice, "which of the copies the children belong to"),
    ]
    private static let editFields: [FileField<Edits>] = [
      FileField("in", .oneOrMore(.text), "text attributes", isRequired: true),
      FileField(
        "count",
        \.count,
        DistributionRecipe.counts,
        "number of mistakes in a copy; default 1"
      ),
      FileField("kinds", \.kinds, .weights(), "a weight for each kind of mistake"),
    ]

    private static let rate = FileValue<Double>(.number) { value in
      value.number(being: "at least 0 and below 1") { $0 >= 0 && $0 < 1 }
    }

    let entity: String
    let attributes: [Attribute]

    func duplicates(_ value: YAMLValue?) -> DuplicatesRecipe? {
      guard let mapping = value?.mapping(knowing: Self.fields.map(\.key)) else { return nil }
      let key = mapping.required("key").map { $0.itemsOrSelf().compactMap { attribute($0) } }
      guard let key, !key.isEmpty else { return nil }
      var recipe = DuplicatesRecipe(key: key, rate: 0, copies: DistributionRecipe(.constant(1)))
      mapping.fill(&recipe, Self.fields)
      if let value = mapping["own"] { recipe.own = own(value, key: key) }
      recipe.edits = edits(mapping["edits"], mapping, recipe)
      return recipe
    }

    private func attribute(_ value: YAMLValue, of type: AttributeType? = nil) -> String? {
      let names = attributes.filter { !$0.isTransient && (type == nil || $0.type == type) }
        .map(\.name)
      let kind = type.map { "\($0.name) attribute" } ?? "attribute"
      return value.name(among: names, lackedBy: "\(entity) has no \(kind)")
    }

    private func own(_ value: YAMLValue, key: [String]) -> [String] {
      value.itemsOrSelf().compactMap { item in
        guard let name = attribute(item) else { return nil }
        if key.contains(name) {
          item.report(
            "'\(name)' is the key by which duplicates are recognized, so it cannot also "
              + "be an attribute in which copies differ"
          )
        }
        return name
      }
    }

    private func edits(
      _ value: YAMLValue?,
      _ mapping: YAMLMapping,
      _ recipe: DuplicatesRecipe
    ) -> Edits? {
      let isNeeded = recipe.likeness.contains { $0.choice == .near }
      guard let value else {
        if isNeeded { mapping.report("near copies need 'edits: { in: [ATTRIBUTE, …] }'") }
        return nil
      }
      if !isNeeded { value.report("only near copies have edits: add 'near' under 'likeness'") }
      guard let mapping = value.mapping(knowing: Self.editFields.map(\.key)) else { return nil }
      let names =
        mapping.required("in")?.itemsOrSelf().compactMap { item -> String? in
          guard let name = attribute(item, of: .string) else { return nil }
          if recipe.own.contains(name) {
            item.report("'\(name)' already differs in every copy, so it cannot be edited")
          }
          return name
        } ?? []
      guard !names.isEmpty else { return nil }
      var edits = Edits(
        attributes: names,
        count: DistributionRecipe(.constant(1)),
        kinds: TextEdit.allCases.map { Weighted($0, 1) }
      )
      mapping.fill(&edits, Self.editFields)
      return edits
    }
  }
}

/// A choice and its weight.
package struct Weighted<Choice: Hashable & Sendable>: Hashable, Sendable {
  package let choice: Choice
  package let weight: Double

  init(_ choice: Choice, _ weight: Double) {
    self.choice = choice
    self.weight = weight
  }
}

extension FileValue {
  fileprivate static func weights<Word>() -> FileValue
  where
    Value == [Weighted<Word>],
    Word: CaseIterable & Hashable & RawRepresentable<String> & Sendable
  {
    let words = Word.allCases.map(\.rawValue)
    return FileValue(.mapping(words.map { FileKey($0, .number, "weight") })) { value in
      guard let mapping = value.mapping(knowing: words) else { return [] }
      let found = Word.allCases.compactMap { word in
        mapping[word.rawValue].flatMap(DistributionReader.weight).map { Weighted(word, $0) }
      }.filter { $0.weight > 0 }
      if found.isEmpty {
        value.report("\(value.name) must give at least one kind a weight above 0")
      }
      return found
    }
  }
}

/// The likeness of a copy to its original, named after the cause of the copy.
package enum Likeness: String, CaseIterable, Hashable, Sendable {
  /// A copy that shares only the key, like an object that was entered twice.
  case sameKey
  /// A copy of every attribute that directly follows the original, as when a sync resends an object
  /// because it received no reply.
  case syncRetry
  /// An exact copy that is saved seconds after the original, as when an impatient user taps twice.
  case doubleTap
  /// A copy of every attribute except those listed as `own`, like an object that was imported
  /// twice.
  case exact
  /// An exact copy except for typing mistakes in strings, like an object that was typed in twice.
  case near

  /// Whether the copy is in the row after its original.
  var isAdjacent: Bool { self == .syncRetry || self == .doubleTap }
}
