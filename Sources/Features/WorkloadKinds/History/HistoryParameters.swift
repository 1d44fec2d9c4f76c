import PersistentStore
import Runner

struct HistoryParameters: ParameterSet {
  @Parameter("what is done with the persistent history") var operation = Operation.read
  @Parameter("how a reader finds changed objects") var reader = Reader.history
  @Parameter(1...1_000_000, "number of transactions since the reader's token") var transactions =
    100
  @Parameter(0...1_000_000, "number of transactions before the token") var older = 100
  @Parameter(1...1_000, "number of objects that a transaction changes") var changes = 5
  @Parameter(0...10_000, "number of objects deleted since the token, by one transaction")
  var deleted = 10
  @Parameter("whether a deleted object's identifier is preserved") var tombstones = true
  @Parameter(1...1_000_000, "number of objects in the store at the start") var objects = 1_000
  @Parameter("whether freed pages are returned to the file system after a purge") var vacuum = false
  @Parameter("which statements read the history since a token (assumed)")
  var historyFetch = HistoryReader.Statements.together
  @Parameter("which statements delete history (assumed)")
  var historyPurge = HistoryReader.Statements.together

  // The parameters from `saves` to `behind` apply only to the operation `grow`.
  @Parameter(1...100_000, "number of saves while the store grows") var saves = 100
  @Parameter(0...100_000, "number of saves after which the history is purged; 0 for never")
  var purgeEvery = 0
  @Parameter(0...100_000, "number of transactions that the slowest reader has not read yet")
  var behind = 20
  @Parameter(.name, "entity whose attributes the objects have") var entity = ""

  var irrelevant: Set<ParameterName> {
    let grows = operation == .grow
    let purges = operation == .purge || grows && purgeEvery > 0
    let relevance = [
      ($reader, operation == .read), ($vacuum, purges), ($saves, grows), ($purgeEvery, grows),
      ($behind, grows && purgeEvery > 0),
      ($historyFetch, operation == .read && reader == .history), ($historyPurge, purges),
    ]
    return Set(relevance.filter { !$0.1 }.map(\.0))
  }

  var impossibility: String? {
    if deleted >= objects {
      return "\(deleted) objects are deleted, but 'objects' is only \(objects): reduce 'deleted'"
    }
    guard (transactions + older) * changes > 20_000_000 else { return nil }
    return "the history has more than 20,000,000 changes: reduce 'transactions' or 'changes'"
  }
}

extension HistoryParameters {
  enum Operation: String, CaseIterable, Sendable {
    /// A reader, such as a widget or a search index, reads the changes since its token.
    case read
    /// The app deletes the history that every reader has already read.
    case purge
    /// The app saves, and purges the history at regular intervals.
    case grow
  }

  enum Reader: String, CaseIterable, Sendable {
    /// Reads the history since the reader's token, and the objects that the history names.
    case history
    /// Reads every object, because the reader's token has expired: the history was purged beyond
    /// it.
    case expired
    /// Reads every object, because the reader keeps no token.
    case everything
  }

  var isExpired: Bool { operation == .read && reader == .expired }
}
