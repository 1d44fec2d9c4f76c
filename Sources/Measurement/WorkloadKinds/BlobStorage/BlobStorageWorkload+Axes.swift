import PersistentStore
import Runner

extension BlobStorageWorkload {
  package static let axes = [
    Axis.choice("strategy", BlobStrategy.self, "where the blob is kept"),
    Axis.choice("operation", BlobOperation.self, "what is done to the objects"),
    Axis.choice("engine", BlobEngineChoice.self, "an object context, or plain statements"),
    Axis.choice(
      "durability",
      BlobDurability.self,
      "what a commit outlives; sets 'synchronous' and how files are written"
    ),
    Axis("size", .bytes(1...67_108_864), default: .integer(102_400), "of a blob"),
    Axis(
      "objects",
      .integer(0...1_000_000),
      default: .integer(0),
      "how many; 0 is 16 MB of blobs, from 8 to 1,000 of them"
    ),
    Axis(
      "objectsPerSave",
      .integer(1...100_000),
      default: .integer(10),
      "objects written in one save or transaction"
    ),
    Axis("share", .real(0.001...1), default: .real(0.5), "of the objects changed or deleted"),
    Axis("reads", .integer(1...100_000), default: .integer(20), "objects read one by one"),
    Axis(
      "batchSize",
      .integer(0...100_000),
      default: .integer(0),
      "objects a batch of a fetch; 0 loads all with it"
    ),
    Axis(
      "prefetchBlobs",
      .boolean,
      default: .boolean(true),
      "whether reading many of a separate entity prefetches the blobs' objects"
    ),
    Axis(
      "externalDataLoad",
      .choice(["onAccess", "onFetch"]),
      default: .text("onAccess"),
      "when external storage reads a file (assumed)"
    ),
    Axis(
      "externalStorageThreshold",
      .bytes(0...67_108_864),
      default: .integer(102_400),
      "the largest blob that external storage keeps in the row (assumed)"
    ),
    Axis(
      "batchRetention",
      .choice(["current", "all"]),
      default: .text("current"),
      "the batches that stay in memory (assumed)"
    ),
    Axis("entity", .name, default: .text(""), "whose attributes the objects have"),
    Axis("attribute", .name, default: .text(""), "the binary attribute that stands for the blob"),
  ]

  package static func irrelevantParameters(of values: ParameterValues) -> Set<String> {
    let planned = BlobParameters(values)
    let (operation, isGraph) = (planned.operation, planned.engine == .objectGraph)
    let walks = isGraph && operation.walksAll
    let relevance: [String: Bool] = [
      "durability": operation.writes,
      "objectsPerSave": operation.writes,
      "share": operation.changesShare,
      "reads": operation == .readOne,
      "batchSize": walks,
      "batchRetention": walks && planned.batchSize > 0,
      "prefetchBlobs": isGraph && operation == .readMany && planned.strategy == .separateEntity,
      "externalStorageThreshold": planned.strategy == .externalStorage,
      "externalDataLoad": isGraph && operation != .insert && planned.usesExternalFiles,
    ]
    return Set(relevance.filter { !$0.value }.keys)
  }

  package static func impossibility(of values: ParameterValues) -> String? {
    let (objects, size) = (values.integer("objects"), values.integer("size"))
    let (bytes, overflow) = objects.multipliedReportingOverflow(by: size)
    guard overflow || bytes > 64 << 30 else { return nil }
    return "\(objects) blobs of \(size) B are over 64 GB: take fewer 'objects' or a smaller 'size'"
  }
}
