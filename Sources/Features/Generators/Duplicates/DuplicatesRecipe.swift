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
  package var likeness: [LikenessWeight] = [LikenessWeight(likeness: .sameKey, weight: 1)]
  /// The attributes of which every copy has a value of its own.
  package var own: [String] = []
  /// What is different in near copies.
  package var edits: Edits?
  package var children = Children.own

  /// A likeness and how often it is chosen.
  package struct LikenessWeight: Hashable, Sendable {
    package var likeness: Likeness
    package var weight: Double
  }

  /// What is different in near copies.
  package struct Edits: Hashable, Sendable {
    /// The text attributes that edits are made in.
    package var attributes: [String]
    /// How many edits a copy has, at least one.
    package var count: DistributionRecipe
    package var kinds: [TextEditWeight]
  }

  /// An edit and how often it is chosen.
  package struct TextEditWeight: Hashable, Sendable {
    package var edit: TextEdit
    package var weight: Double
  }

  /// Reads which objects of an entity are copies of others, and how like them they are.
  struct Reader {
    static let keys = [
      FileKey("key", .oneOrMore(.text), "attributes that copies share", isRequired: true),
      FileKey("rate", .number, "share of the objects that are copies, below 1", isRequired: true),
      FileKey("copies", DistributionRecipe.form, "number of copies of an original; default 1"),
      FileKey("likeness", weights(of: Likeness.self), "a weight for each kind of copy"),
      FileKey("own", .oneOrMore(.text), "attributes in which each copy differs"),
      FileKey("edits", .mapping(editKeys), "typing mistakes of near copies"),
      FileKey(
        "children",
        .choice(among: Children.self),
        "which of the copies the children belong "
          + "to"
      ),
    ]
    private static let editKeys = [
      FileKey("in", .oneOrMore(.text), "text attributes", isRequired: true),
      FileKey("count", DistributionRecipe.form, "number of mistakes in a copy; default 1"),
      FileKey("kinds", weights(of: TextEdit.self), "a weight for each kind of mistake"),
    ]

    private static func weights<Word: CaseIterable & RawRepresentable<String>>(
      of words: Word.Type
    ) -> FileForm {
      .mapping(words.allCases.map { FileKey($0.rawValue, .number, "weight") })
    }

    let entity: String
    let attributes: [Attribute]

    func duplicates(_ value: YAMLValue?) -> DuplicatesRecipe? {
      guard let mapping = value?.mapping(knowing: Self.keys) else { return nil }
      let key = mapping.required("key").map { $0.itemsOrSelf().compactMap { attribute($0) } }
      let rate = mapping.required("rate").flatMap(rate)
      let copies =
        mapping["copies"].map { DistributionReader(isWhole: true).distribution($0) }
        ?? DistributionRecipe(.constant(1))
      guard let key, !key.isEmpty, let rate, let copies else { return nil }
      var recipe = DuplicatesRecipe(key: key, rate: rate, copies: copies)
      if let value = mapping["likeness"] { recipe.likeness = likeness(value) }
      if let value = mapping["own"] { recipe.own = own(value, key: key) }
      recipe.edits = edits(mapping["edits"], mapping, recipe)
      recipe.children = mapping["children"].flatMap { $0.choice() } ?? recipe.children
      return recipe
    }

    private func attribute(_ value: YAMLValue, of type: AttributeType? = nil) -> String? {
      guard let name = value.string() else { return nil }
      let names = attributes.filter { !$0.isTransient && (type == nil || $0.type == type) }
        .map(\.name)
      guard names.contains(name) else {
        let kind = type.map { "\($0.name) attribute" } ?? "attribute"
        value.report("\(entity) has no \(kind) '\(name)'\(didYouMean(name, among: names))")
        return nil
      }
      return name
    }

    private func rate(_ value: YAMLValue) -> Double? {
      guard let rate = value.number() else { return nil }
      guard rate >= 0, rate < 1 else {
        value.report(
          "'rate' must be at least 0 and below 1, not \(rate): originals do not count as copies"
        )
        return nil
      }
      return rate
    }

    private func likeness(_ value: YAMLValue) -> [LikenessWeight] {
      weights(value, of: Likeness.allCases).map { LikenessWeight(likeness: $0.0, weight: $0.1) }
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
      let isNeeded = recipe.likeness.contains { $0.likeness == .near }
      guard let value else {
        if isNeeded { mapping.report("near copies need 'edits: { in: [ATTRIBUTE, …] }'") }
        return nil
      }
      if !isNeeded { value.report("only near copies have edits: add 'near' under 'likeness'") }
      guard let edits = value.mapping(knowing: Self.editKeys) else { return nil }
      let names =
        edits.required("in")?.itemsOrSelf().compactMap { item -> String? in
          guard let name = attribute(item, of: .string) else { return nil }
          if recipe.own.contains(name) {
            item.report("'\(name)' already differs in every copy, so it cannot be edited")
          }
          return name
        } ?? []
      let count = edits["count"].flatMap { DistributionReader(isWhole: true).distribution($0) }
      let kinds = edits["kinds"].map { weights($0, of: TextEdit.allCases) }
      guard !names.isEmpty else { return nil }
      return Edits(
        attributes: names,
        count: count ?? DistributionRecipe(.constant(1)),
        kinds: (kinds ?? TextEdit.allCases.map { ($0, 1) })
          .map { TextEditWeight(edit: $0.0, weight: $0.1) }
      )
    }

    private func weights<Word: RawRepresentable<String>>(
      _ value: YAMLValue,
      of words: [Word]
    ) -> [(Word, Double)] {
      guard let mapping = value.mapping(knowing: words.map(\.rawValue)) else { return [] }
      let found = words.compactMap { word in
        mapping[word.rawValue].flatMap(DistributionReader.weight).map { (word, $0) }
      }.filter { $0.1 > 0 }
      if found.isEmpty {
        value.report("\(value.name) must give at least one kind a weight above 0")
      }
      return found
    }
  }
}

/// How like its original a copy is.
package enum Likeness: String, CaseIterable, Hashable, Sendable {
  /// The key alone: what was entered twice.
  case sameKey
  /// Every attribute but the copy's own: what was imported twice.
  case exact
  /// As exact, but with texts that were mistyped: what was typed in twice.
  case near
}
