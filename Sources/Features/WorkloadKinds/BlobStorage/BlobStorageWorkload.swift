import DataModel
import PersistentStore
import Runner

/// Measures the cost of keeping blobs in the object's row, in a separate row, in external storage
/// or in files.
///
/// The kind generates its own stores: one entity with the attributes that it has in the workload's
/// store, and one blob. All strategies store the same objects.
struct BlobStorageWorkload: ScenarioKind {
  static let description = KindDescription(
    name: "blobStorage",
    summary: "blobs in the object's row, in a separate row, in external storage or in a file",
    question: "Where should the blobs go?",
    metrics: Metric.blobStorage.all,
    example: "objects: 12, objectsPerSave: 3, size: 2000",
    // Weight all operations equally, because only the app's developer knows how often each is done.
    mix: OperationMix(weights: [
      "insert": 1, "list": 1, "readOne": 1, "update": 1, "updateOther": 1, "delete": 1,
      "copyStore": 1,
    ]),
    // The landmarks (marked blob sizes) named SQLite are the sizes at which the ratio in SQLite's
    // table of read times crosses 1. They are interpolated linearly between the logarithms of the
    // table's sizes (Evidence/docs/blobs.md).
    landmarks: [
      LeadMap.Mark(
        size: 74_600,
        text: "SQLite, 2011: from this size on, files are read faster (pages of 4 KB)"
      ),
      LeadMap.Mark(size: 102_400, text: "guides: in the row up to 100 KB"),
      LeadMap.Mark(size: 107_800, text: "SQLite, 2011: the same for pages of 16 KB"),
      LeadMap.Mark(size: 1_048_576, text: "guides: in a file from 1 MB"),
    ],
    // The strategies in ascending order of effort: `inline` only needs a column, `externalStorage`
    // a checkbox, `separateEntity` a relationship, and `file` files that the app must keep
    // consistent with the store.
    guide: LeadMap.Guide(
      simplest: ["inline", "externalStorage", "separateEntity", "file"],
      rule: [
        .init("inline", upTo: 102_400), .init("separateEntity", upTo: 1_048_576), .init("file"),
      ]
    ),
    fit: fit
  )

  let parameters: BlobParameters

  var traits: CaseTraits {
    var traits = CaseTraits(
      endState: endState,
      onlyReads: !parameters.operation.writes,
      ownStore: startingStore,
      bytes: diskBytes
    )
    traits.job = job
    traits.method = method
    traits.behaviours = behaviours
    traits.notes = notes
    return traits
  }

  var endState: String {
    let content = "\(parameters.objects) objects of \(parameters.size) B"
    let share = parameters.operation.changesShare ? ", share \(parameters.share)" : ""
    let part = parameters.operation == .readPrefix ? ", \(parameters.prefixBytes) B of each" : ""
    let reads = parameters.operation.readsSome ? ", \(parameters.reads) read\(part)" : ""
    return "\(parameters.operation.rawValue) of \(content)\(share)\(reads)"
  }

  /// The name of the work; cases with the same name are compared with one another.
  ///
  /// The name includes the durability, because cases with different syncs do different work.
  var job: String {
    parameters.operation.mayBeDurable
      ? "\(endState), durability \(parameters.durability)" : endState
  }

  /// The name of the method; cases with the same method do exactly the same work.
  ///
  /// Small blobs have the same method in external storage as with `inline`, because external
  /// storage keeps them in the row.
  var method: String? {
    let isInRow =
      parameters.strategy == .inline
      || parameters.strategy == .externalStorage && !parameters.usesExternalFiles
    return isInRow ? "in the row: " + parameters.valuesBesideStrategy.canonical : nil
  }

  var behaviours: [Behaviour] {
    var behaviours = [Behaviour.layout]
    let reads = parameters.engine == .objectGraph && parameters.operation.readsRows
    if parameters.strategy == .externalStorage {
      let threshold = "\(parameters.externalStorageThreshold)"
      behaviours.add("\(parameters.$externalStorageThreshold)", threshold, .assumed)
      if reads && parameters.usesExternalFiles {
        behaviours.assume(parameters.$externalDataLoad, parameters.externalDataLoad)
      }
    }
    if reads && parameters.operation.walksAll && parameters.batchSize > 0 {
      behaviours.assume(parameters.$batchRetention, parameters.batchRetention)
    }
    return behaviours
  }

  var notes: [String] {
    let save = min(parameters.objectsPerSave, parameters.objects)
    let objects = "\(parameters.objects) objects of \(parameters.size) B"
    return [parameters.operation.writes ? "\(objects), \(save) a save" : objects]
  }

  private var startingStore: String {
    var parts = [
      parameters.strategy.rawValue, "\(parameters.size) B",
      parameters.operation == .insert ? "empty" : "\(parameters.objects) objects",
    ]
    if parameters.strategy == .externalStorage {
      parts.append("threshold \(parameters.behaviours.externalStorageThreshold)")
    }
    let names = [parameters.entity, parameters.attribute].filter { !$0.isEmpty }
    return "blobs: " + (parts + names).joined(separator: ", ")
  }

  /// The maximum size of the case's files in bytes, which depends only on the size of the blobs.
  ///
  /// It is the size of all blobs, counted twice for the starting store and its WAL, twice for the
  /// trial's copy, and once for rewritten data (for `copyStore`, twice for the copy that it makes).
  private var diskBytes: Int64 {
    Int64(parameters.totalBytes) * (parameters.operation == .copyStore ? 6 : 5) + 1_048_576
  }

  var durability: CommitDurability? {
    parameters.durability == .commit ? .commit : CommitDurability.none
  }

  func fill(_ stage: Stage<BlobScenario>) throws {
    guard parameters.operation != .insert else { return }
    let keys = (1...Int64(parameters.objects)).map { $0 }
    try keys.chunks(of: 100).forEach(ObjectGraphBlobs(stage).insert)
  }
}

extension BlobStorageWorkload {
  static func fit(_ fit: inout CaseFit, to store: StoreOffer) {
    let parameters = BlobParameters(fit.values)
    guard let entity = chooseEntity(&fit, parameters, store) else { return }
    if !parameters.entity.isEmpty {
      fit.note(
        "the objects are made for the case: they have the attributes of '\(entity.name)', but no "
          + "relationships; for the store's own use the kind 'scenario'"
      )
    }
    let name = parameters.attribute
    guard name.isEmpty else {
      fit.look(parameters.$attribute) {
        _ = try BlobScenario.blob(name, of: entity, in: store.model)
      }
      return
    }
    if let blob = BlobScenario.binaryAttributes(of: entity, in: store.model).first {
      fit.choose(
        parameters.$attribute,
        blob,
        because: "the blob is used as '\(entity.name).\(blob)'"
      )
    } else {
      fit.note("the blob is an additional attribute: '\(entity.name)' has no binary attribute")
    }
  }

  private static func chooseEntity(
    _ fit: inout CaseFit,
    _ parameters: BlobParameters,
    _ store: StoreOffer
  ) -> Entity? {
    fit.entity(parameters.$entity, parameters.entity, store, orElse: onlyAbstractEntities) {
      let model = store.model
      let concrete = store.layout.numbers.entities.filter { !$0.isAbstract }
      let holders = concrete.filter { !BlobScenario.binaryAttributes(of: $0, in: model).isEmpty }
      if let holder = holders.first(largestBy: { store.ownCount(of: $0.name) }) {
        return (
          holder,
          PlainEntity.madeObjects(of: holder)
            + "the entity with most objects among the entities with a blob"
        )
      }
      return concrete.first(largestBy: { model.attributes(of: $0).count }).map { entity in
        (entity, PlainEntity.madeObjects(of: entity) + "the entity with most attributes")
      }
    }
  }
}

extension Array {
  fileprivate func first(largestBy number: (Element) -> Int) -> Element? {
    var best: (element: Element, number: Int)?
    for element in self where number(element) > best?.number ?? -1 {
      best = (element, number(element))
    }
    return best?.element
  }
}
