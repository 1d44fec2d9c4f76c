import PersistentStore
import Runner

/// The parameters of one case.
package struct HistoryParameters: ParameterSet {
  @Parameter("what is done with the history") var operation = Operation.read
  @Parameter("how a reader finds out what has changed") var reader = Reader.history
  @Parameter(1...1_000_000, "transactions since the reader's token") var transactions = 100
  @Parameter(0...1_000_000, "transactions before it") var older = 100
  @Parameter(1...1_000, "objects that a transaction changes") var changes = 5
  @Parameter(0...10_000, "objects deleted since the token, by one transaction") var deleted = 10
  @Parameter("whether a deleted object's identifier is preserved") var tombstones = true
  @Parameter(1...1_000_000, "objects in the store before") var objects = 1_000
  @Parameter("whether freed pages are given back after a purge") var vacuum = false

  // Of growth alone.
  @Parameter(1...100_000, "saves while the store grows") var saves = 100
  @Parameter(0...100_000, "saves after which the history is purged; 0 for never") var purgeEvery = 0
  @Parameter(0...100_000, "transactions that the slowest reader is behind") var behind = 20
  @Parameter(.name, "whose attributes the objects have") var entity = ""

  package init() {}

  package var irrelevant: Set<ParameterName> {
    let grows = operation == .grow
    let purges = operation == .purge || grows && purgeEvery > 0
    let relevance = [
      ($reader, operation == .read), ($vacuum, purges), ($saves, grows), ($purgeEvery, grows),
      ($behind, grows && purgeEvery > 0),
    ]
    return Set(relevance.filter { !$0.1 }.map(\.0))
  }

  package var impossibility: String? {
    if deleted >= objects {
      return "\(deleted) objects are deleted and 'objects' is \(objects): delete fewer"
    }
    guard (transactions + older) * changes > 20_000_000 else { return nil }
    return "the history has more than 20,000,000 changes: take fewer 'transactions' or 'changes'"
  }
}

extension HistoryParameters {
  enum Operation: String, CaseIterable, Sendable {
    /// A reader, such as a widget or a search index, brings itself up to date.
    case read
    /// What every reader knows is deleted: up to the token of the slowest.
    case purge
    /// The app saves, and purges now and then.
    case grow
  }

  /// How a reader finds out what has changed.
  enum Reader: String, CaseIterable, Sendable {
    /// It reads the history since its token, and the objects that it names.
    case history
    /// Its token is gone: a purge went beyond it. It has to read every object.
    case expired
    /// It keeps no token and reads every object.
    case everything
  }

  /// Whether the history was purged beyond the reader's token.
  var isExpired: Bool { operation == .read && reader == .expired }
}
