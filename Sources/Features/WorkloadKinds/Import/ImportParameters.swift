import PersistentStore
import Runner

struct ImportParameters: ParameterSet {
  @Parameter("how objects are made from records") var strategy = Strategy.fetchChunk
  @Parameter("the engine that does the work") var engine = ChangeEngine.objectGraph
  @Parameter(1...1_000_000, "number of records in the feed") var records = 10_000
  @Parameter(0...1, "share of the records that the store already has, with old values")
  var present = 0.1
  @Parameter(1...10_000, "number of records in one save, request or transaction") var chunk = 1_000
  @Parameter("the index that finds a record's object") var index = IdentityIndex.unique
  @Parameter("the attributes that a record lists") var columns = Columns.payload
  @Parameter(
    0...100_000,
    "number of objects to which records refer by a to-one relationship; 0 for none"
  ) var links = 0
  @Parameter("what a commit survives: a crash of the app, or also a loss of power") var durability =
    CommitDurability.normal
  @Parameter("how a batch insert reserves primary keys (assumed)") var batchKeys = BatchKeys.request
  @Parameter(.name, "entity whose attributes the objects have") var entity = ""

  var irrelevant: Set<ParameterName> {
    var names: Set<ParameterName> = []
    if present == 0 || !updatesPresent { names.insert($columns) }
    if !isBatch { names.insert($batchKeys) }
    return names
  }

  var impossibility: String? {
    if strategy == .upsert, index != .unique {
      return "ON CONFLICT needs a unique index: use 'index: unique'"
    }
    if strategy == .batchInsert, engine != .objectGraph {
      return "a batch insert is a request of the frameworks: use 'objectByObject' with '\(engine)'"
    }
    if strategy == .batchInsert, links > 0, doublesPresent {
      return "if two objects come from the same record, it is ambiguous which to link: use 'index: "
        + "unique'"
    }
    return nil
  }
}

extension ImportParameters {
  enum Strategy: String, CaseIterable, Sendable {
    /// Inserts an object for each record, without looking for existing objects.
    case objectByObject
    /// Fetches the object of each record, then updates or inserts it.
    case findOrCreate
    /// Fetches the objects of all records in a chunk at once, then updates and inserts them.
    case fetchChunk
    /// Runs `INSERT … ON CONFLICT DO UPDATE` for each record, bypassing the context.
    case upsert
    /// Runs a batch insert, which bypasses the context and leaves existing objects unchanged.
    case batchInsert
  }

  enum IdentityIndex: String, CaseIterable, Sendable {
    case none
    /// The identifier has a fetch index.
    case plain
    /// The identifier has a uniqueness constraint.
    case unique
  }

  /// The attributes for which a record has values.
  enum Columns: String, CaseIterable, Sendable {
    /// Records have the attributes that the feed provides.
    case payload
    /// Records also have the user's favorite flag, which the import sets to `false`.
    case everything
  }

  enum BatchKeys: String, CaseIterable, Sendable {
    /// Reserves all keys of a request at once, as a save does.
    case request
    /// Reserves a key for each row.
    case row
  }

  var updatesPresent: Bool { [.findOrCreate, .fetchChunk, .upsert].contains(strategy) }

  /// Whether a record creates a second object if its object already exists.
  var doublesPresent: Bool {
    present > 0 && index != .unique && (strategy == .objectByObject || strategy == .batchInsert)
  }

  /// Whether a save must fail because an object with the identifier of an inserted object already
  /// exists.
  var mustFail: Bool {
    presentCount > 0 && strategy == .objectByObject && index == .unique
  }

  /// Whether the rows are written by requests that bypass the context.
  ///
  /// If so, a second pass sets the references of the rows.
  var isBatch: Bool {
    engine == .objectGraph && (strategy == .upsert || strategy == .batchInsert)
  }

  /// Whether the store has an object for a record before the import.
  ///
  /// Such records are spread evenly over the feed.
  func isPresent(_ record: Int) -> Bool {
    Int(Double(record + 1) * present) > Int(Double(record) * present)
  }

  var presentCount: Int { (0..<records).count(where: isPresent) }

  var chunks: [Range<Int>] {
    (0..<records).chunks(of: chunk)
  }
}
