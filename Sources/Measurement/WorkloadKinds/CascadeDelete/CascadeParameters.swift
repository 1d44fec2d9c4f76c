import PersistentStore
import Runner

/// One case's parameters, resolved.
struct CascadeParameters: Sendable {
  let strategy: CascadeStrategy
  let shape: CascadeShape
  let rule: CascadeRule
  let hasChildIndex: Bool
  /// Levels below the roots of the chain.
  let depth: Int
  /// Children of each object of the chain above the last level.
  let fanOut: Int
  let roots: Int
  /// Of the roots, how many are deleted.
  let share: Double
  /// Bytes of the blob that each object of the last level has; 0 for none.
  let blob: Int
  let keepsHistory: Bool
  /// The entity whose objects are deleted; empty where the kind chooses.
  let entity: String
  let rootsPerSave: Int
  let batchShape: BatchDeleteShape
  let batchExternalFiles: BatchExternalFiles
  let batchVersions: BatchVersions
  let toManyFault: StoreBehaviours.ToManyFault

  init(_ values: ParameterValues) {
    strategy = values.choice("strategy") ?? .objectByObject
    shape = values.choice("shape") ?? .chain
    rule = values.choice("rule") ?? .cascade
    hasChildIndex = values.boolean("childIndex")
    depth = max(1, values.integer("depth"))
    fanOut = values.integer("fanOut")
    roots = values.integer("roots")
    share = values.real("share")
    blob = values.integer("blob")
    keepsHistory = values.boolean("history")
    entity = values.text("entity")
    rootsPerSave = values.integer("rootsPerSave")
    batchShape = values.choice("batchShape") ?? .byLevel
    batchExternalFiles = values.choice("batchExternalFiles") ?? .removed
    batchVersions = values.choice("batchVersions") ?? .unchanged
    toManyFault = values.choice("toManyFault") ?? .keys
  }

  /// Objects of the chain by level; `nil` where there are more than 10,000,000.
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

  /// Objects of the chain in all; `nil` where there are more than 10,000,000.
  var chainCount: Int? { levels.map { $0.reduce(0, +) } }

  /// Objects of the chain's last level.
  var leafCount: Int { levels?.last ?? 0 }

  /// Whether objects that survive may lose a reference.
  var changesSurvivors: Bool { shape == .own || rule == .nullify }

  /// Whether what is deleted may have external files.
  var mayHaveFiles: Bool { shape == .own || blob > 0 }

  var mayHaveHistory: Bool { shape == .own || keepsHistory }

  /// Whether the store has what no store of the frameworks has.
  var isAltered: Bool { strategy == .sqlForeignKey || !hasChildIndex }

  /// Whether the work must be refused.
  var mustFail: Bool { shape == .chain && rule == .deny }

  /// The keys to delete, of all keys of the roots.
  func chosen(of keys: [Int64], seed: UInt64) -> [Int64] {
    let count = min(keys.count, max(1, Int((Double(keys.count) * share).rounded())))
    var keys = keys
    for index in 0..<count {
      let word = SeededBits.word(seed, 0x726f_6f74, UInt64(index))
      keys.swapAt(index, index + Int(word % UInt64(keys.count - index)))
    }
    return keys.prefix(count).sorted()
  }
}
