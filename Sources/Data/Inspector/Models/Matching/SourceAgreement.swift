import DataModel

/// Whether two sources of one model say the same, such as an `.xcdatamodeld` and its `.momd`.
package struct SourceAgreement: Hashable, Sendable {
  package let first: String
  package let second: String
  package let version: String
  /// What the second has otherwise, in sentences; empty where both agree.
  package let differences: [String]

  package var isContradiction: Bool { !differences.isEmpty }

  /// Compares the versions that two sources have in common: those of the same name, or the only
  /// version of each.
  package static func all(_ inputs: [ModelInput]) -> [SourceAgreement] {
    var agreements: [SourceAgreement] = []
    for (index, first) in inputs.enumerated() {
      for second in inputs[(index + 1)...] {
        agreements += common(first, second).map { name, left, right in
          SourceAgreement(
            first: first.path,
            second: second.path,
            version: name,
            differences: differences(left, right)
          )
        }
      }
    }
    return agreements
  }

  private static func common(
    _ first: ModelInput,
    _ second: ModelInput
  ) -> [(String, Model, Model)] {
    let (left, right) = (first.family.versions, second.family.versions)
    let isBeside = folder(first.path) == folder(second.path)
    if isBeside, left.count == 1, right.count == 1 {
      // The XML of a version that stands alone is named after its part of the version.
      let name = left[0].name == "contents" ? right[0].name : left[0].name
      return [(name, left[0].model, right[0].model)]
    }
    let isOneFamily = stem(first.path) != nil && stem(first.path) == stem(second.path)
    guard isBeside || isOneFamily else { return [] }
    return left.compactMap { version in
      second.family.version(named: version.name).map { (version.name, version.model, $0.model) }
    }
  }

  /// The name of a family of versions, `nil` for what is none.
  private static func stem(_ path: String) -> String? {
    guard let name = path.split(separator: "/").last, let dot = name.lastIndex(of: "."),
      ["xcdatamodeld", "momd"].contains(name[dot...].dropFirst())
    else { return nil }
    return String(name[..<dot])
  }

  private static func folder(_ path: String) -> Substring {
    path[..<(path.lastIndex(of: "/") ?? path.startIndex)]
  }

  private static func differences(_ first: Model, _ second: Model) -> [String] {
    guard first != second else { return [] }
    let changes = MappingModel(from: first, to: second).changes.map(\.description)
    return changes.isEmpty ? ["they differ in what no migration sees, such as user info"] : changes
  }
}
