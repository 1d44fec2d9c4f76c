import Basics
import DataModel

struct ClassWriter {
  let model: Model
  let entity: Entity
  let names: SwiftNames
  /// The properties that get an empty default value, because a migration step needs a default that
  /// the model lacks.
  var filled: Set<String> = []

  init(model: Model, entity: Entity, types: some Sequence<String>, filled: Set<String> = []) {
    let properties =
      model.attributes(of: entity).map(\.name) + model.relationships(of: entity).map(\.name)
    (self.model, self.entity, self.filled) = (model, entity, filled)
    names = SwiftNames(types: types, properties: properties)
  }

  private var indent: Int { 4 }

  var lines: [String] {
    let isParent = !model.subentities(of: entity.name).isEmpty
    let above = entity.superentity.map { ": \(SwiftNames.quoted($0))" } ?? ""
    let head = "\(isParent ? "" : "final ")class \(SwiftNames.quoted(entity.name))\(above) {"
    let parts: [[String]] = [
      unique, indexes, attributes, relationships, structs, [], initializer,
    ].filter { !$0.isEmpty }
    let body = parts.reduce(into: [String]()) { lines, part in
      lines += (lines.isEmpty ? [] : [""]) + part
    }
    return documentation
      + (entity.superentity == nil ? [] : [Self.availability])
      + ["@\(names.swiftData("Model"))", head] + SwiftText.indented(body) + ["}"]
  }

  /// The first systems on which model classes can have subclasses.
  static let availability = "@available(iOS 26, macOS 26, tvOS 26, watchOS 26, visionOS 26, *)"

  private var documentation: [String] {
    let own = notes.filter { $0.place == entity.name }
    return SwiftText.doc("The entity `\(entity.name)`.", indent: indent)
      + own.flatMap { ["///"] + SwiftText.doc("- Note: \($0.text).", indent: indent) }
  }

  // MARK: Constraints and indexes

  private func property(_ name: String) -> String { SwiftNames.quoted(SwiftNames.property(name)) }

  private func paths(_ properties: [String]) -> String {
    "["
      + properties.map { "\\.\(SwiftNames.member(SwiftNames.property($0)))" }
      .joined(separator: ", ") + "]"
  }

  private var unique: [String] {
    let constraints = EntityFacts(model: model, entity: entity).constraints.filter { constraint in
      constraint.count > 1 || entity.attribute(named: constraint[0]) == nil
    }
    guard !constraints.isEmpty else { return [] }
    let head = "#Unique<\(SwiftNames.quoted(entity.name))>"
    return SwiftText.list(head, constraints.map(paths), "", indent: indent)
  }

  private var indexes: [String] {
    let indexes = EntityFacts(model: model, entity: entity).indexes
      .map { SwiftIndexText(entity: entity.name, index: $0) }
    guard !indexes.isEmpty else { return [] }
    let isMixed = indexes.contains(where: \.isRTree)
    let head = "#Index<\(SwiftNames.quoted(entity.name))>"
    let arguments = indexes.map { isMixed ? $0.mixedArgument : $0.argument }
    return SwiftText.list(head, arguments, "", indent: indent)
  }

  // MARK: Properties

  private var attributes: [String] { entity.attributes.flatMap(lines) }
  private var relationships: [String] { entity.relationships.flatMap(lines) }

  private func documentation(of property: String) -> [String] {
    notes.filter { $0.place == "\(entity.name).\(property)" }
      .flatMap { SwiftText.doc("\($0.text.capitalizedFirst).", indent: indent) }
  }

  private func lines(_ attribute: Attribute) -> [String] {
    let type = names.type(of: attribute) + (isOptional(attribute) ? "?" : "")
    let value =
      literal(attribute) ?? (attribute.isTransient ? transientValue(attribute) : nil)
    let declaration =
      "var \(property(attribute.name)): \(type)" + (value.map { " = \($0)" } ?? "")
    return documentation(of: attribute.name) + with(macro(attribute), declaration)
  }

  private func isOptional(_ attribute: Attribute) -> Bool {
    attribute.isOptional || [.undefined, .objectID].contains(attribute.type)
  }

  private func literal(_ attribute: Attribute) -> String? {
    let literals = SwiftLiteral(names: names)
    if let text = literals.text(attribute.defaultValue, type: attribute.type) { return text }
    // Use the default's source expression if the model was read from Swift source.
    if let expression = attribute.computedDefault { return expression }
    return filled.contains(attribute.name) ? literals.placeholder(attribute) : nil
  }

  private func transientValue(_ attribute: Attribute) -> String {
    isOptional(attribute) ? "nil" : SwiftLiteral(names: names).placeholder(attribute)
  }

  private func macro(_ attribute: Attribute) -> (String, [String])? {
    if attribute.isTransient { return (names.swiftData("Transient"), []) }
    let isUnique = EntityFacts(model: model, entity: entity).constraints
      .contains { $0 == [attribute.name] }
    let options = [
      isUnique ? ".unique" : nil,
      attribute.allowsExternalStorage ? ".externalStorage" : nil,
      attribute.preservesValueOnDeletion ? ".preserveValueOnDeletion" : nil,
      attribute.isIndexedBySpotlight ? ".spotlight" : nil,
      attribute.type == .transformable
        ? ".transformable(by: \(SwiftText.literal(attribute.transformerName ?? Self.transformer)))"
        : nil,
    ].compactMap(\.self)
    let arguments =
      options
      + labels(
        original: attribute.renamingIdentifier,
        name: attribute.name,
        modifier: attribute.versionHashModifier
      )
    return arguments.isEmpty ? nil : (names.swiftData("Attribute"), arguments)
  }

  /// The transformer that Core Data uses if a model does not name a transformer.
  static let transformer = "NSSecureUnarchiveFromData"

  private func originalName(_ former: String?, _ name: String) -> [String] {
    let original = former ?? (SwiftNames.property(name) == name ? nil : name)
    return original.map { ["originalName: \(SwiftText.literal($0))"] } ?? []
  }

  private func labels(original: String?, name: String, modifier: String?) -> [String] {
    originalName(original, name)
      + (modifier.map { ["hashModifier: \(SwiftText.literal($0))"] } ?? [])
  }

  private func lines(_ relationship: Relationship) -> [String] {
    let declaration =
      "var \(property(relationship.name)): \(type(of: relationship))"
      + (relationship.isToMany && !relationship.isOptional ? " = []" : "")
    return documentation(of: relationship.name) + with(macro(relationship), declaration)
  }

  private func type(of relationship: Relationship) -> String {
    let name = SwiftNames.quoted(relationship.destination)
    return (relationship.isToMany ? "[\(name)]" : name) + (relationship.isOptional ? "?" : "")
  }

  private func macro(_ relationship: Relationship) -> (String, [String])? {
    if relationship.isTransient { return (names.swiftData("Transient"), []) }
    let inverse = EntityFacts(model: model, entity: entity).writtenInverse(of: relationship)
    let (least, most) = (relationship.minimumCount, relationship.maximumCount)
    // The arguments follow the parameter order of the `@Relationship` macro.
    let arguments =
      [
        relationship.isIndexedBySpotlight ? ".spotlight" : nil,
        relationship.deleteRule == .nullify ? nil : "deleteRule: .\(relationship.deleteRule.name)",
        relationship.isToMany && least > 0 ? "minimumModelCount: \(least)" : nil,
        relationship.isToMany && most > 0 ? "maximumModelCount: \(most)" : nil,
      ].compactMap(\.self) + originalName(relationship.renamingIdentifier, relationship.name)
      + [
        inverse.map {
          "inverse: \\\(SwiftNames.quoted(relationship.destination))."
            + SwiftNames.member(SwiftNames.property($0.name))
        }, relationship.versionHashModifier.map { "hashModifier: \(SwiftText.literal($0))" },
      ].compactMap(\.self)
    return arguments.isEmpty ? nil : (names.swiftData("Relationship"), arguments)
  }

  private func with(_ macro: (name: String, arguments: [String])?, _ declaration: String)
    -> [String]
  {
    guard let macro else { return [declaration] }
    guard !macro.arguments.isEmpty else { return ["@\(macro.name) \(declaration)"] }
    let line = "@\(macro.name)(\(macro.arguments.joined(separator: ", "))) \(declaration)"
    if line.count + indent <= SwiftText.width { return [line] }
    return SwiftText.list("@\(macro.name)", macro.arguments, "", indent: indent) + [declaration]
  }

  // MARK: Value types

  private var structs: [String] {
    entity.attributes.filter { $0.type == .composite }.flatMap { attribute in
      CompositeWriter(names: names, attribute: attribute).lines
    }
  }

  // MARK: Initializer

  private var parameters: [(name: String, text: String, isOwn: Bool)] {
    model.lineage(of: entity).flatMap { declarer in
      let writer = ClassWriter(model: model, entity: declarer, names: names, filled: filled)
      return writer.ownParameters.map { ($0.name, $0.text, declarer.name == entity.name) }
    }
  }

  private init(model: Model, entity: Entity, names: SwiftNames, filled: Set<String>) {
    (self.model, self.entity, self.names, self.filled) = (model, entity, names, filled)
  }

  private var ownParameters: [(name: String, text: String)] {
    let attributes = entity.attributes.filter { !$0.isTransient }.map { attribute in
      let value = literal(attribute) ?? (isOptional(attribute) ? "nil" : nil)
      let type = names.type(of: attribute) + (isOptional(attribute) ? "?" : "")
      return (attribute.name, type, value)
    }
    let relationships = entity.relationships.filter { !$0.isTransient }.map { relationship in
      let value = relationship.isOptional ? "nil" : relationship.isToMany ? "[]" : nil
      return (relationship.name, type(of: relationship), value)
    }
    return (attributes + relationships).map { name, type, value in
      (
        name,
        "\(SwiftNames.quoted(SwiftNames.property(name))): \(type)"
          + (value.map { " = \($0)" } ?? "")
      )
    }
  }

  var initialNames: [String] { parameters.map(\.name) }

  private var initializer: [String] {
    let all = parameters
    let own = all.filter(\.isOwn)
    let isOverride = entity.superentity != nil && own.isEmpty
    let head = SwiftText.list(
      (isOverride ? "override " : "") + "init",
      all.map(\.text),
      " {",
      indent: indent
    )
    let assignments = own.map { parameter in
      let name = SwiftNames.property(parameter.name)
      return "self.\(SwiftNames.member(name)) = \(SwiftNames.quoted(name))"
    }
    let above = all.filter { !$0.isOwn }.map { parameter in
      let name = SwiftNames.property(parameter.name)
      return "\(SwiftNames.quoted(name)): \(SwiftNames.quoted(name))"
    }
    let call =
      entity.superentity == nil
      ? [] : SwiftText.list("super.init", above, "", indent: indent + 2)
    let body = assignments + call
    if body.isEmpty { return head.dropLast() + [(head.last ?? "") + "}"] }
    return head + SwiftText.indented(body) + ["}"]
  }

  var notes: [WritingNote] {
    EntityFacts(model: model, entity: entity).notes
      + filled.sorted().map { name in
        WritingNote(
          .defaultValue,
          "\(entity.name).\(name)",
          "this default is an empty value that only the step to this version needs: the model has "
            + "none"
        )
      }
  }
}

struct CompositeWriter {
  let names: SwiftNames
  let attribute: Attribute

  var lines: [String] {
    let inner = attribute.elements.filter { $0.type == .composite }.flatMap { element in
      CompositeWriter(names: names, attribute: element).lines
    }
    let properties = attribute.elements.map { element in
      "var \(SwiftNames.quoted(element.name)): \(Self.type(of: element, names))"
    }
    return SwiftText.doc("The composite attribute `\(attribute.name)`.", indent: 4)
      + ["struct \(names.type(of: attribute)): Codable {"]
      + SwiftText.indented(properties + (inner.isEmpty ? [] : [""] + inner)) + ["}"]
  }

  private static func type(of element: Attribute, _ names: SwiftNames) -> String {
    let isBytes = [.transformable, .undefined, .objectID].contains(element.type)
    let type = isBytes ? names.foundation("Data") : names.type(of: element)
    return type + (element.isOptional ? "?" : "")
  }

  var placeholder: String {
    let literals = SwiftLiteral(names: names)
    let values = attribute.elements.map { element -> String in
      let isBytes = [.transformable, .undefined, .objectID].contains(element.type)
      let value =
        element.isOptional
        ? "nil" : isBytes ? "\(names.foundation("Data"))()" : literals.placeholder(element)
      return "\(SwiftNames.quoted(element.name)): \(value)"
    }
    return "\(names.type(of: attribute))(\(values.joined(separator: ", ")))"
  }
}
