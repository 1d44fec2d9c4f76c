#if SwiftSource
  import DataModel
  import Inspector
  import SwiftModels

  /// Helpers for tests that check short Swift sources with ``SchemaGuard``.
  protocol GuardSources {}

  extension GuardSources {
    static func version(_ number: Int, _ body: String, list: String = "Trip") -> String {
      let names = list.split(separator: " ").map { "\($0).self" }.joined(separator: ", ")
      return """
        enum V\(number): VersionedSchema {
          static var versionIdentifier = Schema.Version(\(number), 0, 0)
          static var models: [any PersistentModel.Type] { [\(names)] }
          \(body)
        }

        """
    }

    func trip(_ body: String) -> String { "@Model class Trip { \(body) }" }

    func check(_ text: String, shipped: String? = nil, cloudKit: Bool = false) -> SchemaGuard {
      SchemaGuard(
        family: .read(text),
        shipped: shipped.map { SwiftModelFamily.read($0).modelFamily },
        asksForCloudKit: cloudKit
      )
    }

    func errors(_ check: SchemaGuard) -> [SchemaRule] {
      check.findings.filter { $0.severity == .error }.map(\.rule)
    }
  }
#endif
