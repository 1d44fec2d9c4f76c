import DataModel

/// Writes Core Data classes for entities whose names SwiftData classes already use: `CDTask` in
/// addition to `Task`.
package struct CoexistenceWriter {
  package let files: [SwiftFile]

  /// Writes classes for a version's entities that do not clash with the given model classes.
  package init(_ version: VersionedSchema, nextTo classes: Set<String>, source: String) {
    let model = version.model
    let names = classes.union(model.entities.map(\.name))
    let prefix =
      ["CD", "Managed", "CoreData"].first { prefix in
        !names.contains { names.contains(prefix + $0) }
      } ?? "CDManaged"
    let head = Head(source: source, version: version.name)
    files = model.entities.map { entity in
      let writer = ManagedClass(model: model, entity: entity, prefix: prefix, taken: classes)
      let path = "CoreData/\(writer.name).swift"
      return head.file(path, imports: ["CoreData", "Foundation"], writer.lines)
    }
  }
}

private struct ManagedClass {
  let model: Model
  let entity: Entity
  let prefix: String
  let taken: Set<String>

  private var names: SwiftNames { SwiftNames(types: model.entities.map(\.name)) }
  private func type(_ entity: String) -> String {
    SwiftNames.identifier(taken.contains(entity) ? prefix + entity : entity)
  }

  var name: String { type(entity.name) }

  var lines: [String] {
    let isParent = !model.subentities(of: entity.name).isEmpty
    let above = entity.superentity.map(type) ?? names.coreData("NSManagedObject")
    let documentation = SwiftText.doc(
      "The entity `\(entity.name)` for Core Data code next to SwiftData's classes. In the model editor "
        + "set the entity's class to \(name) and Codegen to Manual/None; the entity keeps its name.",
      indent: 0
    )
    let properties =
      entity.attributes.map(attribute) + entity.relationships.map(relationship)
    return documentation + ["@objc(\(name))"]
      + ["\(isParent ? "" : "final ")class \(name): \(above) {"]
      + SwiftText.indented(properties) + ["}"]
  }

  private func attribute(_ attribute: Attribute) -> String {
    let name = SwiftNames.quoted(attribute.name)
    return "@NSManaged var \(name): \(valueType(attribute))"
  }

  private func valueType(_ attribute: Attribute) -> String {
    switch attribute.type {
    case .undefined, .transformable:
      return names.foundation(SwiftNames.transformable(attribute) ?? "NSObject") + "?"
    case .objectID: return names.coreData("NSManagedObjectID") + "?"
    case .composite: return "[\(names.swift("String")): Any]?"
    case .decimal: return names.foundation("NSDecimalNumber") + (attribute.isOptional ? "?" : "")
    case .integer16, .integer32, .integer64, .boolean, .double, .float:
      // Numbers cannot be optional in Objective-C, so optional numbers become `NSNumber` objects.
      return attribute.isOptional
        ? names.foundation("NSNumber") + "?"
        : attribute.type == .integer64 ? names.swift("Int64") : names.type(of: attribute)
    case .string, .date, .binary, .uuid, .uri:
      return names.type(of: attribute) + (attribute.isOptional ? "?" : "")
    }
  }

  private func relationship(_ relationship: Relationship) -> String {
    let name = SwiftNames.quoted(relationship.name)
    let set = names.foundation(relationship.isOrdered ? "NSOrderedSet" : "NSSet")
    let value = relationship.isToMany ? set : type(relationship.destination)
    return "@NSManaged var \(name): \(value)?"
  }
}
