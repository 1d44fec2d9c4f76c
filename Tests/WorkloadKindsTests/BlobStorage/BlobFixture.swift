import DataModel
import PersistentStore
import Runner

@testable import WorkloadKinds

/// A store of posts, each with attributes of several types and a photo.
enum BlobFixture {
  static let model = Model(entities: [
    Entity(
      name: "Post",
      attributes: [
        Attribute(name: "createdAt", type: .date),
        Attribute(name: "identifier", type: .uuid),
        Attribute(name: "isLiked", type: .boolean),
        Attribute(name: "likeCount", type: .integer32),
        Attribute(name: "photo", type: .binary, allowsExternalStorage: true),
        Attribute(name: "price", type: .decimal),
        Attribute(name: "ratio", type: .double),
        Attribute(name: "text", type: .string),
      ],
      relationships: [Relationship(name: "author", destination: "User", isOptional: false)]
    ),
    Entity(name: "User", attributes: [Attribute(name: "handle", type: .string)]),
  ])

  static func bench() throws -> KindBench<BlobStorageWorkload> {
    try KindBench(model: model)
  }

  static let strategies = BlobParameters.Strategy.allCases.map(\.rawValue)

  /// The engines that support an operation.
  static func engines(_ operation: BlobParameters.Operation) -> [String] {
    operation.readsObjects ? PlainEngine.allCases.map(\.rawValue) : ["objectGraph"]
  }

  /// The parameters of a small case: 12 blobs, three per save, large enough for external files.
  static func values(
    _ strategy: String,
    _ operation: String,
    _ engine: String = "objectGraph",
    size: Int = 2000,
    _ others: [String: ParameterValue] = [:]
  ) -> [String: ParameterValue] {
    [
      "strategy": .text(strategy), "operation": .text(operation), "engine": .text(engine),
      "size": .integer(size), "objects": .integer(12), "objectsPerSave": .integer(3),
      "reads": .integer(5), "externalStorageThreshold": .integer(1000),
    ].merging(others) { $1 }
  }
}
