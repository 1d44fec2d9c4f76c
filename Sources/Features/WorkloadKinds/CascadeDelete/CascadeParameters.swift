import Basics
import DataModel
import PersistentStore
import Runner

struct CascadeParameters: ParameterSet {
  @Parameter("what follows the relationships") var strategy = Strategy.objectByObject
  @Parameter("a generated chain of objects, or the workload's store") var shape = Shape.chain
  @Parameter(
    named: "childIndex",
    "whether an index finds the children, as in every store of the frameworks"
  )
  var hasChildIndex = true
  @Parameter(0.0001...1, "share of the roots that is deleted") var share = 0.2

  // The parameters from `rule` to `keepsHistory` apply only to the generated chain.
  @Parameter("delete rule of the relationship from the roots to their children") var rule = Rule
    .cascade
  @Parameter(
    named: "mandatory",
    "whether children of a root must have a root"
  )
  var isMandatory = false
  @Parameter(1...10, "levels below the chain's roots") var depth = 3
  @Parameter(1...10_000, "number of children of each object in the chain") var fanOut = 5
  @Parameter(1...1_000_000, "number of roots of the chain") var roots = 50
  @Parameter(
    bytes: 0...16_777_216,
    "size of a blob in external storage, for objects of the last level; 0 for no blob"
  )
  var blob = 0
  @Parameter(named: "history", "whether the chain's store keeps history") var keepsHistory = false

  @Parameter(.name, "entity whose objects are deleted, for the shape 'own'") var entity = ""
  @Parameter(0...1_000_000, "roots deleted by one save; 0 for all") var rootsPerSave = 0
  @Parameter("what firing a to-many fault reads (keys are seen in a log, rows are assumed)")
  var toManyFault = StoreBehaviours.ToManyFault.keys
  @Parameter("the statements of a batch delete (assumed)") var batchShape = BatchShape.byLevel
  @Parameter("whether a batch delete follows the delete rules (assumed)")
  var batchRules = BatchRules.followed
  @Parameter("what a batch delete does with a required reference to a deleted object (assumed)")
  var batchMandatory = BatchMandatory.refused
  @Parameter("what a batch delete does with external files (assumed)")
  var batchExternalFiles = BatchFiles.removed
  @Parameter("whether a batch delete raises the version of objects that lose a reference (assumed)")
  var batchVersions = BatchVersions.unchanged

  var irrelevant: Set<ParameterName> {
    let isChain = shape == .chain
    var names: Set<ParameterName> =
      isChain
      ? [$entity]
      : [$rule, $isMandatory, $depth, $fanOut, $roots, $blob, $keepsHistory, $batchRules]
    if strategy != .objectByObject { names.formUnion([$rootsPerSave, $toManyFault]) }
    let isBatch = strategy == .batchDelete
    if rule != .nullify { names.insert($isMandatory) }
    if !isBatch { names.insert($batchRules) }
    if !isBatch || ignoresRules { names.insert($batchShape) }
    if !isBatch || !isBound { names.insert($batchMandatory) }
    if !isBatch || !mayHaveFiles { names.insert($batchExternalFiles) }
    if !isBatch || !changesSurvivors { names.insert($batchVersions) }
    return names
  }

  var remedies: [ParameterName: String] {
    guard shape == .own else { return [$entity: "set 'shape: own', or leave it out"] }
    let rule =
      "with 'shape: own' the delete rules of the store's model count: change them there, or set "
      + "'shape: chain'"
    let size =
      "with 'shape: own' the store's own objects are deleted: set 'share', or write their numbers "
      + "under 'store: objects', or set 'shape: chain'"
    let made = "it is of the generated chain alone: leave it out, or set 'shape: chain'"
    return [
      $rule: rule, $isMandatory: rule, $depth: size, $fanOut: size, $roots: size, $blob: made,
      $keepsHistory: made, $batchRules: made,
    ]
  }

  var impossibility: String? {
    guard shape == .chain, chainCount == nil else { return nil }
    return "the chain has more than 10,000,000 objects: reduce 'roots', 'fanOut' or 'depth'"
  }
}

extension CascadeParameters {
  /// The number of objects at each level of the chain of cascading entities; `nil` if the total
  /// exceeds 10,000,000.
  private var levels: [Int]? {
    var (levels, total) = ([roots], roots)
    for level in 1...depth {
      let (count, overflow) = levels[level - 1].multipliedReportingOverflow(by: fanOut)
      guard !overflow, count <= 10_000_000 - total else { return nil }
      levels.append(count)
      total += count
    }
    return levels
  }

  var chainCount: Int? { levels.map { $0.reduce(0, +) } }

  var leafCount: Int { levels?.last ?? 0 }

  /// Whether surviving objects may lose a reference.
  var changesSurvivors: Bool { shape == .own || rule == .nullify && !ignoresRules }

  /// Whether a batch delete deletes only the rows that its request selects.
  var ignoresRules: Bool {
    shape == .chain && strategy == .batchDelete && batchRules == .ignored
  }

  /// Whether the delete rules would set mandatory references to nil.
  var isBound: Bool { shape == .chain && rule == .nullify && isMandatory && !ignoresRules }

  /// Whether surviving objects keep references to deleted objects.
  var leavesReferences: Bool { shape == .chain && (rule == .noAction || ignoresRules) }

  var mayHaveFiles: Bool { shape == .own || blob > 0 }

  var mayHaveHistory: Bool { shape == .own || keepsHistory }

  /// Whether the store has FOREIGN KEY clauses or lacks indexes, unlike any store that Core Data
  /// creates.
  var isAltered: Bool { strategy == .sqlForeignKey || !hasChildIndex }

  var mustFail: Bool { shape == .chain && rule == .deny && !ignoresRules || refusesEmptying }

  /// Whether the deletion must be refused because it would set mandatory references to nil.
  var refusesEmptying: Bool {
    switch strategy {
    case .objectByObject: isBound
    case .batchDelete: isBound && batchMandatory == .refused
    case .sqlForeignKey: false
    }
  }

  func chosen(of keys: [Int64], seed: UInt64) -> [Int64] {
    let count = min(keys.count, max(1, Int((Double(keys.count) * share).rounded())))
    var keys = keys
    for index in 0..<count {
      let word = SplitMix64.word(seed, 0x726f_6f74, UInt64(index))
      keys.swapAt(index, index + Int(word % UInt64(keys.count - index)))
    }
    return keys.prefix(count).sorted()
  }
}

extension CascadeParameters {
  /// How the relationships of the deleted objects are followed.
  enum Strategy: String, CaseIterable, Sendable {
    /// The context follows the relationships object by object, with one fault and one statement per
    /// object.
    case objectByObject
    /// SQL statements follow the relationships for many objects at once and bypass the context
    /// (`NSBatchDeleteRequest`).
    case batchDelete
    /// SQLite follows the relationships with FOREIGN KEY clauses, which Core Data never writes.
    case sqlForeignKey
  }

  enum Shape: String, CaseIterable, Sendable {
    case chain
    case own
  }

  /// The delete rule from the topmost objects of the chain to their children; all lower levels
  /// cascade.
  enum Rule: String, CaseIterable, Sendable {
    case cascade
    case nullify
    case deny
    case noAction

    var deleteRule: DeleteRule { DeleteRule.allCases.first { $0.name == rawValue } ?? .noAction }
  }

  /// How a batch delete finds and deletes the related objects.
  enum BatchShape: String, CaseIterable, Sendable {
    /// One transaction finds the keys level by level, then deletes the rows of each table.
    case byLevel
    /// One request deletes the selected objects; then one request per relationship deletes objects
    /// whose parent no longer exists.
    case orphanCleanup
  }

  /// Whether a batch delete follows the delete rules.
  enum BatchRules: String, CaseIterable, Sendable {
    /// A batch delete applies the delete rules of relationships.
    case followed
    /// A batch delete ignores the delete rules: related objects keep dangling references.
    case ignored
  }

  /// How a batch delete treats a rule that would set a mandatory reference to nil.
  enum BatchMandatory: String, CaseIterable, Sendable {
    /// The batch delete fails and changes nothing.
    case refused
    case emptied
  }

  /// How a batch delete treats the external files of the deleted objects.
  enum BatchFiles: String, CaseIterable, Sendable {
    case removed
    case left
  }

  /// How a batch delete treats the optimistic-lock counters of objects that lose a reference.
  enum BatchVersions: String, CaseIterable, Sendable {
    case unchanged
    case raised
  }
}
