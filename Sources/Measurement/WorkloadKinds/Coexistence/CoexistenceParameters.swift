import Runner

/// What one case of the coexistence kind is about.
struct CoexistenceParameters: Hashable, Sendable {
  /// What a process of the case does.
  enum Role: String, CaseIterable {
    /// The app: it writes, and starts the other process.
    case writer
    /// The widget or extension: it looks for changes.
    case reader
  }

  /// How a change is found.
  enum Detection: String, CaseIterable {
    /// By the history after a token.
    case history
    /// By a date of the last change in every object; deletions leave none.
    case attribute
    /// By lines that the writer appends to a file beside the store.
    case sideFile
  }

  let role: Role
  let detection: Detection
  let rounds: Int
  let objects: Int
  let interval: Int
  let poll: Int
  let purges: Bool
  let entity: String
  let identity: String
  let date: String

  /// Saves of a round: three of updates, one that also inserts, one that deletes it again.
  static let savesPerRound = 5

  var saves: Int { rounds * Self.savesPerRound }

  init(_ values: ParameterValues) {
    role = values.choice("role") ?? .writer
    detection = values.choice("detection") ?? .history
    rounds = values.integer("rounds")
    objects = values.integer("objects")
    interval = values.integer("interval")
    poll = values.integer("poll")
    purges = values.boolean("purge")
    entity = values.text("entity")
    identity = values.text("identity")
    date = values.text("date")
  }

  static let axes: [Axis] = [
    Axis.choice("role", Role.self, "what a process does: the writer starts the reader"),
    Axis.choice("detection", Detection.self, "how the other process finds changes"),
    Axis("rounds", .integer(1...10_000), default: .integer(10), "rounds of five saves"),
    Axis("objects", .integer(1...10_000), default: .integer(5), "objects updated by a save"),
    Axis("interval", .integer(0...10_000), default: .integer(5), "milliseconds between two saves"),
    Axis("poll", .integer(1...10_000), default: .integer(2), "milliseconds between two looks"),
    Axis("purge", .boolean, default: .boolean(false), "whether read history is deleted at the end"),
    Axis("entity", .name, default: .text(""), "the entity whose objects are changed"),
    Axis("identity", .name, default: .text(""), "the attribute that tells objects apart"),
    Axis("date", .name, default: .text(""), "the date of an object's last change"),
  ]

  /// Why the case cannot be run.
  var impossibility: String? {
    if role == .reader { return "the writer starts the reader: leave 'role' out" }
    if purges, detection != .history {
      return "only history is purged: use 'detection: history'"
    }
    return nil
  }
}
