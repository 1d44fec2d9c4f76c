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
      WordList("Call|Write to|Meet|Ask|Follow up with|Remind|Thank", separator: "|"),
      WordList(
        """
        the plumber|Grandma|Søren|Zoë and José|the landlord|Łukasz|Ana|our neighbours
        Dr. Müller|Uncle Björn|the new colleague|the teacher
        """,
        separator: "|"
      )
    ),
    (
      WordList("Call|Write to|Get a date from|Get an answer from", separator: "|"),
      WordList(
        """
        the insurance|the dentist|the school|the bank|the travel agency|the tax office|the garage|the town hall
        """,
        separator: "|"
      )
    ),
    (
      WordList("Buy|Order|Look for|Compare prices for|Pick up", separator: "|"),
      WordList(
        """
        a birthday cake|café chairs|winter coats|dog food|a tent|new tyres|printer paper
        a wedding gift|a backup disk|light bulbs|garden soil|running shoes|new curtains
        a phone charger|olive oil
        """,
        separator: "|"
      )
    ),
    (
      WordList("Fix|Check|Get help with|Deal with|Look at", separator: "|"),
      WordList(
        """
        the kitchen tap|the bicycle|the garden fence|the smoke detector|the printer|the bathroom door
        the heating|the dishwasher|the front light
        """,
        separator: "|"
      )
    ),
    (
      WordList("Clean|Tidy up|Paint|Measure|Take photos of", separator: "|"),
      WordList(
        """
        the balcony|the spare room|the basement|the hallway|the garage|the children’s room|the shed
        """,
        separator: "|"
      )
    ),
    (
      WordList("Check|Print|Send|File|Scan|Look through|Copy", separator: "|"),
      WordList(
        """
        the electricity bill|the quarterly report|tax papers|the contract|the résumé
        the insurance claim|the school form|the guest list|the onboarding guide|the parking permit
        the last invoice|meeting minutes|the expense report
        """,
        separator: "|"
      )
    ),
    (
      WordList("Plan|Prepare|Confirm|Postpone|Talk about", separator: "|"),
      WordList(
        """
        the flight to Köln|the summer holiday|the design review|the job interview
        the language course|the housewarming|the piano lesson|the workshop|dinner with friends|the move
        the weekend in São Paulo|the team offsite|the vet appointment
        """,
        separator: "|"
      )
    ),
  ]

  private static let details = WordList(
    """
    before Friday|(urgent)|this week|next week|tomorrow morning|!!|after lunch|…
    on Monday|– don’t forget|🙏
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

/// Steps of a checklist, such as any task may have.
struct StepGenerator: TextGenerator, ValueRule {
  static let entry = ValueGenerator(
    "step",
    "steps of a checklist",
    bytes: 5...60
  ) { _ in StepGenerator() }

  private static let actions = WordList(
    """
    Ask Zoë for help|Ask what is needed|Check the calendar|Decide on a day|Find a free hour
    Get everything ready|Look at last year’s notes|Make a list|Make sure it is done|Pick a time
    Put it in the calendar|Read my notes|Set a reminder|Talk it over with José|Tell the others
    Ask Łukasz|Find my notes|Clear the afternoon|Check what is left|Ask Ana how it went last time
    Tell Søren when it is done|Decide who does it|Set a deadline|Write down the date|Start early
    Plan an hour for it|Add it to the weekly plan|Check that nothing is missing|Keep the morning free
    Read the last e-mail about it|Ask for a second opinion|Write down the result|Agree on a date
    Thank everybody who helped|Tell Emma how it went|Check the costs|Note what is still open
    Send Grace a message|Look for an easier way|Take a short break|Cross it off the list
    """,
    separator: "|"
  )

  func append(to text: inout [UInt8], row: Int, draws: inout Draws) {
    Self.actions.append(to: &text, draws: &draws)
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
    let phrases: Phrases

    /// About 6 MB, so that no distribution's tail fills the memory.
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
