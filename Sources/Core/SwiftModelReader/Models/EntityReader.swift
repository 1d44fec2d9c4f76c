#if SwiftSource
  import DataModel
  import SwiftModels

  struct ReadEntity {
    var entity: Entity
    var declaration: Declaration
    /// The classes that the entity refers to, by property; the superclass has an empty property
    /// name.
    var destinations: [(property: String, type: Declaration)] = []
    var values: [(property: String, type: Declaration)] = []
    var assumed: [String: String] = [:]
    /// The cases of each property's enum type with their raw values, by property.
    var enumCases: [String: [EnumValue]] = [:]
    var unknown: Set<String> = []
    var places: [String: SourcePlace] = [:]
    var notes: [SourceNote] = []
  }

  struct EntityReader {
    /// SQLite's default limit on the number of columns in a table.
    private static let mostProperties = 2_000

    let resolver: TypeResolver
    let type: Declaration
    var result: ReadEntity

    static func read(_ type: Declaration, with resolver: TypeResolver) -> ReadEntity {
      var reader = EntityReader(resolver: resolver, type: type)
      reader.readSuperclass()
      for property in type.properties.prefix(mostProperties) { reader.read(property) }
      if type.properties.count > mostProperties {
        reader.result.notes.append(
          SourceNote(
            "\(type.name) has more than \(mostProperties) properties, and a table of SQLite no more "
              + "columns; the others are left out",
            at: type.place
          )
        )
      }
      reader.readMacros()
      reader.checkName()
      return reader.result
    }

    private init(resolver: TypeResolver, type: Declaration) {
      self.resolver = resolver
      self.type = type
      // Use a generic class, because SwiftData's stores contain no class names (coredata-format.md,
      // section 14).
      let entity = Entity(name: type.name, className: Entity.genericClassName)
      result = ReadEntity(entity: entity, declaration: type)
      result.places[""] = type.place
    }

    private var scope: Scope { Scope(type) }

    private mutating func note(_ message: String, _ property: Property) {
      result.notes.append(
        SourceNote("\(type.name).\(property.name): \(message)", at: property.place)
      )
    }

    private mutating func checkName() {
      if type.isGeneric {
        result.notes.append(
          SourceNote(
            "\(type.name): a generic class is no model; it is read all the same",
            at: type.place
          )
        )
      }
    }

    private mutating func readSuperclass() {
      guard let first = type.inherited.first, case .named(let parts, _) = first,
        case .type(let above)? = resolver.index.find(
          parts,
          in: Array(type.path.dropLast()),
          from: type.place.file
        ), above.isModel, above.path != type.path
      else { return }
      result.entity.superentity = above.name
      result.destinations.append(("", above))
    }

    private mutating func read(_ property: Property) {
      guard !property.isStatic, !property.isComputed, !property.isLazy,
        property.attribute("Transient") == nil
      else { return }
      result.places[property.name] = property.place
      guard
        let spelled = property.type
          ?? property.value.flatMap({
            resolver.literalType(of: $0, in: scope)
          })
      else {
        return addUnknown(property)
      }
      var type = resolver.resolve(spelled, in: scope.path, from: scope.file)
      switch type.form {
      case .toOne(let model): add(property, to: model, isToMany: false, type)
      case .toMany(let model): add(property, to: model, isToMany: true, type)
      case .attribute where property.attribute("Relationship") != nil:
        if let unknown = type.unknown { result.unknown.insert(unknown) }
        leaveOut(property, "its destination '\(spelled.text)' is no @Model of the sources")
      case .attribute: add(property, &type)
      }
    }

    private mutating func leaveOut(_ property: Property, _ reason: String) {
      note("\(reason); left out", property)
      result.assumed[property.name] = reason
    }

    private mutating func addUnknown(_ property: Property) {
      guard property.attribute("Relationship") == nil else {
        return leaveOut(property, "its destination is not spelled")
      }
      var type = PropertyType(.transformable)
      type.assumption = "its type is not spelled"
      type.warning = "only a compiler knows its type; taken as one transformable value"
      add(property, &type)
    }
  }

  extension EntityReader {
    private mutating func add(_ property: Property, _ type: inout PropertyType) {
      guard case .attribute(let kind, let elements, let valueClass) = type.form else { return }
      var attribute = Attribute(
        name: property.name,
        type: kind,
        isOptional: type.isOptional,
        valueClassName: valueClass,
        elements: elements
      )
      let options = apply(property.attribute("Attribute"), to: &attribute, property)
      if options.contains("ephemeral") { return }
      if options.contains("codable") {
        (attribute.type, attribute.elements) = (.transformable, [])
        type.assumption = "a value stored by its Codable form is one encoded value"
        type.warning = nil
      }
      if attribute.transformerName != nil {
        (attribute.type, attribute.elements) = (.transformable, [])
        (type.assumption, type.warning) = (nil, nil)
      }
      setDefault(of: &attribute, property, type)
      if let warning = type.warning { note(warning, property) }
      if let assumption = type.assumption { result.assumed[property.name] = assumption }
      if let unknown = type.unknown { result.unknown.insert(unknown) }
      if property.isConstant, property.value != nil {
        note(
          "a 'let' with a value is stored; whether reading gives the stored value is not known",
          property
        )
      }
      for value in type.values { result.values.append((property.name, value)) }
      if let cases = type.cases {
        result.enumCases[property.name] = rawValues(of: cases, attribute.type)
      }
      result.entity.attributes.append(attribute)
    }

    private static let options: Set = [
      "unique", "externalStorage", "spotlight", "allowsCloudEncryption",
      "preserveValueOnDeletion", "transformable", "ephemeral", "codable",
    ]

    private mutating func apply(
      _ use: AttributeUse?,
      to attribute: inout Attribute,
      _ property: Property
    ) -> Set<String> {
      guard let use else { return [] }
      var options: Set<String> = []
      for argument in use.arguments where argument.label == nil {
        let call = argument.value.namedCall
        var names = call?.name ?? []
        if case .names(let parts) = argument.value.kind { names = parts }
        let name = names.last ?? ""
        guard Self.options.contains(name) else {
          note("the option '\(argument.value.text)' is unknown; ignored", property)
          continue
        }
        options.insert(name)
        if name == "transformable", let by = call?.arguments.first?.value {
          attribute.transformerName =
            by.textValue ?? by.metatype?.last ?? Self.transformer(by) ?? by.text
        }
      }
      if options.contains("unique") {
        result.entity.uniquenessConstraints.append([property.name])
      }
      attribute.allowsExternalStorage = options.contains("externalStorage")
      attribute.isIndexedBySpotlight = options.contains("spotlight")
      attribute.preservesValueOnDeletion = options.contains("preserveValueOnDeletion")
      attribute.renamingIdentifier = text(use, "originalName", property)
      attribute.versionHashModifier = text(use, "hashModifier", property)
      return options
    }

    /// The name of a value transformer.
    ///
    /// For a constant such as `MyTransformer.name.rawValue`, whose value is unknown, the result is
    /// the type's name.
    private static func transformer(_ value: SourceExpression) -> String? {
      if case .names(let parts) = value.kind { parts.first { !$0.isEmpty } } else { nil }
    }

    private mutating func text(_ use: AttributeUse, _ label: String, _ property: Property)
      -> String?
    {
      guard let value = use.argument(label), value.kind != .null else { return nil }
      if let text = constant(value)?.textValue { return text }
      note("'\(label)' is computed; its expression is taken as the text", property)
      return value.text
    }

    private func constant(_ value: SourceExpression) -> SourceExpression? {
      guard case .names(let spelled) = value.kind, let last = spelled.last else { return value }
      let parts = spelled.first == "Self" ? scope.path + spelled.dropFirst() : spelled
      guard parts.count > 1,
        case .type(let owner)? = resolver.index.find(
          Array(parts.dropLast()),
          in: scope.path,
          from: scope.file
        )
      else { return value }
      return resolver.index.property(last, of: owner)?.value ?? value
    }
  }

  extension EntityReader {
    private mutating func setDefault(
      of attribute: inout Attribute,
      _ property: Property,
      _ type: PropertyType
    ) {
      guard let value = property.value, value.kind != .null else { return }
      if let constant = storageValue(value, of: attribute.type, type.cases) {
        attribute.defaultValue = constant
      } else {
        attribute.computedDefault = value.text
      }
    }

    private func storageValue(
      _ value: SourceExpression,
      of type: AttributeType,
      _ cases: Declaration?,
      depth: Int = 0
    ) -> Value? {
      guard depth < 4 else { return nil }
      switch (value.kind, type) {
      case (.integer(let number), .integer16), (.integer(let number), .integer32),
        (.integer(let number), .integer64), (.integer(let number), .decimal):
        return Self.fits(number, type) ? .integer(number) : nil
      case (.integer(let number), .double), (.integer(let number), .float):
        return .real(Double(number))
      case (.real(let number), .double), (.real(let number), .decimal): return .real(number)
      case (.real(let number), .float): return .real(Double(Float(number)))
      case (.boolean(let value), .boolean): return .integer(value ? 1 : 0)
      case (.text(let text), .string): return .text(text)
      case (.names(let parts), _):
        let found = cases.flatMap { rawValues(of: $0, type).first { $0.name == parts.last } }
        if let found { return found.value }
        guard let constant = constant(value), constant != value else { return nil }
        return storageValue(constant, of: type, cases, depth: depth + 1)
      case (.cast(let inner, _), _): return storageValue(inner, of: type, cases, depth: depth + 1)
      case (.member(let inner, "rawValue"), _):
        return storageValue(inner, of: type, cases, depth: depth + 1)
      case (.call(_, let arguments), _) where arguments.isEmpty && value.text == "String()":
        return .text("")
      default: return ConstantCall.value(of: value, type)
      }
    }

    private static func fits(_ number: Int64, _ type: AttributeType) -> Bool {
      switch type {
      case .integer16: Int16(exactly: number) != nil
      case .integer32: Int32(exactly: number) != nil
      default: true
      }
    }

    /// The raw values of an enum's cases.
    ///
    /// A case without a raw value in the source gets the previous value plus 1 if it is an integer,
    /// or the case's name if it is a string.
    private func rawValues(of type: Declaration, _ raw: AttributeType) -> [EnumValue] {
      var next: Int64 = 0
      return type.cases.compactMap { element -> EnumValue? in
        if case .integer(let number)? = element.rawValue?.kind { next = number }
        defer { next &+= 1 }
        switch raw {
        case .string:
          let text = element.rawValue?.textValue ?? element.name
          return EnumValue(name: element.name, value: .text(text))
        case .integer16, .integer32, .integer64:
          return EnumValue(name: element.name, value: .integer(next))
        default: return nil
        }
      }
    }
  }

  extension EntityReader {
    private mutating func add(
      _ property: Property,
      to model: Declaration,
      isToMany: Bool,
      _ type: PropertyType
    ) {
      let use = property.attribute("Relationship")
      var relationship = Relationship(
        name: property.name,
        destination: model.name,
        isToMany: isToMany,
        isOptional: type.isOptional
      )
      if let use {
        relationship.deleteRule = deleteRule(use, property)
        relationship.minimumCount = count(use, "minimumModelCount") ?? 0
        if isToMany, let most = count(use, "maximumModelCount") { relationship.maximumCount = most }
        relationship.renamingIdentifier = text(use, "originalName", property)
        relationship.versionHashModifier = text(use, "hashModifier", property)
        relationship.inverse = inverse(use, property)
        if use.arguments.contains(where: { $0.label == nil && $0.value.text.hasSuffix("unique") }) {
          result.entity.uniquenessConstraints.append([property.name])
        }
      }
      if let attribute = property.attribute("Attribute") {
        relationship.renamingIdentifier = text(attribute, "originalName", property)
      }
      result.destinations.append((property.name, model))
      result.entity.relationships.append(relationship)
    }

    private mutating func deleteRule(_ use: AttributeUse, _ property: Property) -> DeleteRule {
      let unlabelled = use.arguments.first { argument in
        argument.label == nil
          && DeleteRule.allCases.contains { ".\($0.name)" == argument.value.text }
      }
      // In the first beta of SwiftData, the delete rule had no label.
      guard let value = use.argument("deleteRule") ?? unlabelled?.value else { return .nullify }
      if case .names(let parts) = value.kind,
        let rule = DeleteRule.allCases.first(where: { $0.name == parts.last })
      {
        return rule
      }
      note("the delete rule '\(value.text)' is unknown; nullify is used", property)
      return .nullify
    }

    private func count(_ use: AttributeUse, _ label: String) -> Int? {
      guard case .integer(let value)? = use.argument(label)?.kind else { return nil }
      return Int(exactly: value)
    }

    private mutating func inverse(_ use: AttributeUse, _ property: Property) -> String? {
      guard let value = use.argument("inverse"), value.kind != .null else { return nil }
      if case .keyPath(_, let parts) = value.kind, let name = parts.last { return name }
      note("the inverse '\(value.text)' is no key path; ignored", property)
      return nil
    }
  }
#endif
