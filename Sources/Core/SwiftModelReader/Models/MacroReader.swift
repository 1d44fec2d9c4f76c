#if SwiftSource
  import DataModel
  import SwiftModels

  extension EntityReader {
    mutating func readMacros() {
      for macro in type.macros {
        switch macro.name {
        case "Unique":
          for argument in macro.arguments {
            let names = self.names(in: argument.value)
            if !names.isEmpty { result.entity.uniquenessConstraints.append(names) }
          }
        case "Index": for argument in macro.arguments { readIndex(argument.value, macro) }
        default: continue
        }
      }
      // Remove duplicates: `@Attribute(.unique)` and `#Unique` may declare the same constraint.
      var seen: Set<[String]> = []
      result.entity.uniquenessConstraints.removeAll { !seen.insert($0).inserted }
    }

    private func names(in value: SourceExpression) -> [String] {
      guard case .list(let elements) = value.kind else { return [] }
      return elements.compactMap { element in
        guard case .keyPath(_, let parts) = element.kind else { return nil }
        // In `\SchemaV1.Trip.name`, the property follows the type; in `\.place.city`, a field
        // follows the property.
        return parts.first { type.property($0) != nil } ?? parts.last
      }
    }

    private mutating func readIndex(_ value: SourceExpression, _ macro: MacroUse) {
      var (list, kind) = (value, FetchIndex.Element.Kind.binary)
      if let call = value.namedCall, let inner = call.arguments.first?.value {
        list = inner
        if call.name.last?.lowercased() == "rtree" { kind = .rTree }
      }
      let names = names(in: list)
      guard !names.isEmpty else {
        result.notes.append(
          SourceNote(
            "\(type.name): the index '\(value.text)' is no list of key paths; left out",
            at: macro.place
          )
        )
        return
      }
      let name = IndexNaming.name(of: names, kind)
      guard !result.entity.fetchIndexes.contains(where: { $0.name == name }) else { return }
      result.entity.fetchIndexes.append(
        FetchIndex(
          name: name,
          elements: names.map { FetchIndex.Element(property: $0, kind: kind) }
        )
      )
    }
  }

  enum IndexNaming {
    /// Returns an index name composed of the properties, because SwiftData's own names are unknown.
    static func name(of properties: [String], _ kind: FetchIndex.Element.Kind) -> String {
      "by" + properties.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined(separator: "And")
        + (kind == .rTree ? "RTree" : "")
    }
  }
#endif
