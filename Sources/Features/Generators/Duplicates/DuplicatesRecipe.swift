import DataModel

/// Which share of an entity's objects are copies of earlier ones, and how like them they are.
package struct DuplicatesRecipe: Hashable, Sendable {
  /// Who the children of an original and its copies belong to.
  package enum Children: String, CaseIterable, Hashable, Sendable {
    /// As the children's own relationship says, which knows of no copies.
    case own
    /// To all of the cluster alike, as far as they go round.
    case spread
    /// All to the original.
    case original
  }

  /// The attributes that copies have in common with their original, or nearly so.
  package var key: [String]
  /// The share of all objects that are copies, from 0 to 1.
  package var rate: Double
  /// How many copies an original has.
  package var copies: DistributionRecipe
  /// How like its original a copy is, by weight.
  package var likeness = [Weighted(Likeness.sameKey, 1)]
  /// The attributes of which every copy has a value of its own.
  package var own: [String] = []
  /// What is different in near copies.
  package var edits: Edits?
  package var children = Children.own

  /// What is different in near copies.
  package struct Edits: Hashable, Sendable {
    /// The text attributes that edits are made in.
    package var attributes: [String]
    /// How many edits a copy has, at least one.
    package var count: DistributionRecipe
    package var kinds: [Weighted<TextEdit>]
  }

  /// Reads which objects of an entity are copies of others, and how like them they are.
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

    /// Originals do not count as copies.
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

/// A choice and how often it is made.
package struct Weighted<Choice: Hashable & Sendable>: Hashable, Sendable {
  package let choice: Choice
  package let weight: Double

  init(_ choice: Choice, _ weight: Double) {
    self.choice = choice
    self.weight = weight
  }
}

extension FileValue {
  /// A weight for each of an enumeration's words, in the order of the words themselves.
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

/// How like its original a copy is, by which one sees how it came to be.
package enum Likeness: String, CaseIterable, Hashable, Sendable {
  /// The key alone: what was entered twice.
  case sameKey
  /// Every attribute, and made right after it: what a sync sent again, as it had no answer.
  case syncRetry
  /// As exact, made seconds after it: what an impatient user saved twice.
  case doubleTap
  /// Every attribute but the copy's own: what was imported twice.
  case exact
  /// As exact, but with texts that were mistyped: what was typed in twice.
  case near

  /// Whether the copy is the row that follows its original.
  var isAdjacent: Bool { self == .syncRetry || self == .doubleTap }
}
