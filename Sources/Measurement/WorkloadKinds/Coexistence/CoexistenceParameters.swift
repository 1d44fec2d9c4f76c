import Runner

/// What one case of the coexistence kind is about.
package struct CoexistenceParameters: ParameterSet {
  /// What a process of the case does.
  enum Role: String, CaseIterable, Sendable {
    /// The app: it writes, and starts the other process.
    case writer
    /// The widget or extension: it looks for changes.
    case reader
  }

  /// How a change is found.
  enum Detection: String, CaseIterable, Sendable {
    /// By the history after a token.
    case history
    /// By a date of the last change in every object; deletions leave none.
    case attribute
    /// By lines that the writer appends to a file beside the store.
    case sideFile
  }

  @Parameter("what a process does: the writer starts the reader") var role = Role.writer
  @Parameter("how the other process finds changes") var detection = Detection.history
  @Parameter(1...10_000, "rounds of five saves") var rounds = 10
  @Parameter(1...10_000, "objects updated by a save") var objects = 5
  @Parameter(0...10_000, "milliseconds between two saves") var interval = 5
  @Parameter(1...10_000, "milliseconds between two looks") var poll = 2
  @Parameter(named: "purge", "whether read history is deleted at the end") var purges = false
  @Parameter(.name, "the entity whose objects are changed") var entity = ""
  @Parameter(.name, "the attribute that tells objects apart") var identity = ""
  @Parameter(.name, "the date of an object's last change") var date = ""

  /// Saves of a round: three of updates, one that also inserts, one that deletes it again.
  static let savesPerRound = 5

  var saves: Int { rounds * Self.savesPerRound }

  package init() {}

  package var irrelevant: Set<ParameterName> { detection == .history ? [] : [$purges] }

  package var impossibility: String? {
    if role == .reader { return "the writer starts the reader: leave 'role' out" }
    if purges, detection != .history {
      return "only history is purged: use 'detection: history'"
    }
    return nil
  }
}
