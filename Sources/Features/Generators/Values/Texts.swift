import DataModel

struct TitleGenerator: TextGenerator, ValueRule {
  static let entry = ValueGenerator(
    "title",
    "short titles as people type them into a to-do list",
    bytes: 5...90
  ) { _ in TitleGenerator() }

  private static let details = WordList("!!|…|– don’t forget|🙏|(important)|⭐", separator: "|")

  func append(to text: inout [UInt8], row: Int, draws: inout Draws) {
    let choice = draws.next()
    let theme = TaskTheme.all[draws.below(TaskTheme.all.count)]
    theme.actions.append(to: &text, draws: &draws)
    text.append(" ")
    theme.subjects.append(to: &text, draws: &draws)
    // Add a detail to one title in four.
    guard choice & 3 == 0 else { return }
    text.append(" ")
    Self.details.append(to: &text, draws: &draws)
  }
}

struct NotesRule: ValueRule {
  static let entry = ValueGenerator(
    "notes",
    "notes of one to many sentences",
    types: [.string],
    keys: [
      .init("words", "a distribution"),
      .init("wordsPer", "number of additional words for each object of a to-many relationship"),
      .init("topic", NotesTopic.allCases.map(\.rawValue).joined(separator: ", ")),
    ],
    examples: [
      .init("notes", 5...40_000), .init("{ notes: { words: { uniform: [1, 40] } } }", 2...900),
      .init("{ notes: { words: 5, wordsPer: { tags: 3 } } }", 10...4_000),
    ],
    bare: { _ in NotesRule(words: usualWords) },
    parse: { input in
      guard let mapping = input.mapping() else { return nil }
      let words = mapping.required("words")
      let per = mapping["wordsPer"].map { relatedWords($0, input.reader.toManys) } ?? []
      let topic: NotesTopic? = mapping["topic"].map { $0.choice() } ?? .everyday
      guard let topic else { return nil }
      return words.flatMap { DistributionReader(isWhole: true).distribution($0) }
        .map { NotesRule(words: $0, per: per, topic: topic) }
    }
  )

  /// A to-many relationship and the number of words that each of its targets adds.
  struct RelatedWords: Hashable, Sendable {
    let relationship: String
    let words: Double
  }

  static let usualWords = DistributionRecipe(
    .logNormal(median: 25, sigma: 0.9),
    minimum: 3,
    maximum: 2_000
  )

  let words: DistributionRecipe
  var per: [RelatedWords] = []
  var topic = NotesTopic.everyday

  private static func relatedWords(_ value: YAMLValue, _ toManys: [String]) -> [RelatedWords] {
    guard let mapping = value.mapping(knowing: toManys) else { return [] }
    return mapping.entries.filter { toManys.contains($0.key) }.compactMap { entry in
      DistributionReader.weight(entry.value).map {
        RelatedWords(relationship: entry.key, words: $0)
      }
    }
  }

  var canBeNumbered: Bool { true }

  func generator(at site: AttributeSite) -> any CellGenerator {
    let addends = per.compactMap { related in
      site.relationships[related.relationship].map {
        RelatedDistribution.Addend(relationship: $0, each: related.words)
      }
    }
    guard !addends.isEmpty else {
      return Generator(words: words.distribution(), phrases: topic.phrases)
    }
    return Generator(
      words: RelatedDistribution(base: words.distribution(), addends: addends, offset: site.offset),
      phrases: topic.phrases
    )
  }

  /// A distribution of numbers plus an amount for each target of the row's to-many relationships.
  private struct RelatedDistribution: Distribution {
    struct Addend: Sendable {
      let relationship: RelationshipSource
      let each: Double
    }

    let base: any Distribution
    let addends: [Addend]
    let offset: Int

    func value(row: Int, draws: inout Draws) -> Double {
      addends.reduce(base.value(row: row, draws: &draws)) { sum, addend in
        sum + addend.each * Double(addend.relationship.count(of: offset + row))
      }
    }
  }

  private struct Generator: TextGenerator {
    let words: any Distribution
    let phrases: Phrases

    /// The maximum number of words, about 6 MB of text.
    ///
    /// The limit ensures that the tail of a distribution cannot exhaust memory.
    private static let mostWords = 1_000_000.0

    func append(to text: inout [UInt8], row: Int, draws: inout Draws) {
      let drawn = words.value(row: row, draws: &draws).rounded()
      phrases.append(
        words: Int(min(max(drawn, 1), Self.mostWords)),
        to: &text,
        draws: &draws
      )
    }
  }
}
