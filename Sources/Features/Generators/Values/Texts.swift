import DataModel

/// Short titles as people type them into a to-do list.
struct TitleGenerator: TextGenerator, ValueRule {
  static let entry = ValueGenerator(
    "title",
    "short titles as people type them into a to-do list",
    bytes: 5...90
  ) { _ in TitleGenerator() }

  private static let themes: [(actions: WordList, subjects: WordList)] = [
    (
      WordList("Call|Write to|Visit|Thank|Remind|Follow up with|Meet|Ask", separator: "|"),
      WordList(
        """
        the plumber|the dentist|Grandma|Søren|Zoë and José|the landlord|the insurance|Łukasz|Ana
        the school|our neighbours|the bank|Dr. Müller|the travel agency|the new colleague
        Uncle Björn
        """,
        separator: "|"
      )
    ),
    (
      WordList("Buy|Order|Return|Look for|Compare prices for|Borrow", separator: "|"),
      WordList(
        """
        birthday cake|café chairs|winter coats|dog food|a tent|new tyres|printer paper|wedding gift
        a backup disk|light bulbs|garden soil|running shoes|crème fraîche|a phone charger|olive oil
        """,
        separator: "|"
      )
    ),
    (
      WordList("Fix|Clean|Check|Paint|Replace|Measure|Sort", separator: "|"),
      WordList(
        """
        the kitchen tap|the balcony|the bicycle|the garden fence|the smoke detector|the bookshelf
        the printer|old photos|the basement|the bathroom door|the heating|tool box|the spare room
        """,
        separator: "|"
      )
    ),
    (
      WordList("Pay|Review|Sign|Print|Send|File|Update|Finish|Translate|Scan", separator: "|"),
      WordList(
        """
        the electricity bill|the quarterly report|slides for Monday|tax papers|the contract
        the résumé|release notes|the insurance claim|the school form|the budget for 2026
        the guest list|crash reports|the onboarding guide|the parking permit|invoice 4711
        meeting minutes
        """,
        separator: "|"
      )
    ),
    (
      WordList("Plan|Book|Prepare|Cancel|Schedule|Confirm", separator: "|"),
      WordList(
        """
        the flight to Köln|summer holiday|train tickets|the design review|the job interview
        the language course|the vaccination|piano lesson|the workshop|dinner with friends|the move
        a meeting room|the weekend in São Paulo|the team offsite|the vet appointment
        """,
        separator: "|"
      )
    ),
  ]

  private static let details = WordList(
    """
    before Friday|(urgent)|– second try|at 9:30|next week|✅|tomorrow morning|if it rains|#home|#work
    as agreed|!!|once more|by e-mail|in person|for the 3rd time|after lunch|…|(ask first)
    """,
    separator: "|"
  )

  func append(to text: inout [UInt8], row: Int, draws: inout Draws) {
    let choice = draws.next()
    let theme = Self.themes[draws.below(Self.themes.count)]
    theme.actions.append(to: &text, draws: &draws)
    text.append(" ")
    theme.subjects.append(to: &text, draws: &draws)
    // One title in four says more.
    guard choice & 3 == 0 else { return }
    text.append(" ")
    Self.details.append(to: &text, draws: &draws)
  }
}

/// Notes of one to many sentences, with a chosen number of words.
struct NotesRule: ValueRule {
  static let entry = ValueGenerator(
    "notes",
    "notes of one to many sentences",
    types: [.string],
    keys: [
      .init("words", "a distribution"),
      .init("wordsPer", "number of additional words for each object of a to-many relationship"),
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
      return words.flatMap { DistributionReader(isWhole: true).distribution($0) }
        .map { NotesRule(words: $0, per: per) }
    }
  )

  /// A to-many relationship and how many words each of its objects adds.
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
    guard !addends.isEmpty else { return Generator(words: words.distribution()) }
    return Generator(
      words: RelatedDistribution(base: words.distribution(), addends: addends, offset: site.offset)
    )
  }

  /// Another distribution, with more for each object that a to-many of the row's object leads to.
  private struct RelatedDistribution: Distribution {
    /// A to-many and how much each of its objects adds.
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

    /// About 6 MB, so that no distribution's tail fills the memory.
    private static let mostWords = 1_000_000.0

    private static let vocabulary = WordList(
      """
      the a one this that our their some every other and but because while after before until when
      meeting price number address list plan idea problem answer question office kitchen door
      train street morning evening week month budget photo letter device battery screen cable
      garden shop doctor neighbour colleague customer friend child team project version draft copy
      page is was has needs wants should could might will does keeps makes takes gives says asks
      shows new old small large red open late early broken ready cheap difficult quiet different
      same right again already also always maybe never often soon still today together tomorrow
      very yesterday about above across against along among around at behind below beside between
      by for from in into near of off on over through to under with without two three seven twelve
      forty
      """
    )

    private static let accents = WordList(
      """
      naïve|Zürich|São Paulo|crème brûlée|10 €|½ kg|Ångström|“quoted”|déjà vu|Łódź|25 °C|привет
      日本語|👍
      """,
      separator: "|"
    )

    func append(to text: inout [UInt8], row: Int, draws: inout Draws) {
      let drawn = words.value(row: row, draws: &draws).rounded()
      let count = Int(min(max(drawn, 1), Self.mostWords))
      var draws = draws
      WordList.Sentences.append(to: &text) { sentences, text in
        var left = 0
        for word in 0..<count {
          sentences.makeRoom(in: &text)
          if left == 0 {
            if word > 0 {
              sentences.append(UInt8(ascii: "."))
              sentences.append(draws.below(6) == 0 ? UInt8(ascii: "\n") : UInt8(ascii: " "))
            }
            left = 4 + draws.below(14)
            sentences.append(Self.vocabulary.word(&draws), isCapitalised: true)
          } else {
            sentences.append(UInt8(ascii: " "))
            let hasAccents = draws.below(40) == 0
            sentences.append((hasAccents ? Self.accents : Self.vocabulary).word(&draws))
          }
          left -= 1
        }
        sentences.append(UInt8(ascii: "."))
      }
    }
  }
}
