import Basics

/// Reads the `elements` file of an `.xcdatamodel`, which Xcode before 4.0 wrote instead of
/// `contents`.
///
/// The file is a keyed archive of the editor's objects, which is converted to the elements of a
/// `contents` file.
struct LegacyModelReader {
  private typealias Element = MarkupReader.Element
  private typealias Object = ArchiveDecoder.Object

  private let decoder: ArchiveDecoder

  static func markup(_ bytes: [UInt8]) throws -> MarkupReader.Element {
    try LegacyModelReader(decoder: ArchiveDecoder(bytes)).model()
  }

  private func model() throws -> Element {
    let root = try decoder.required(decoder.root, "XDPMModel")
    var facts: [String: String] = [:]
    facts["userDefinedModelVersionIdentifier"] = try decoder.string(
      root.fields["_modelVersionIdentifier"]
    )
    let package = try decoder.required(root.fields["_xd_rootPackage"], "XDModelPackage")
    var model = element("model", facts)
    for entry in try decoder.entries(package.fields["XDBucketForClassesstorage"]) {
      let object = try decoder.object(entry.value)
      if let object, object.className == "XDPMEntity" { model.children.append(try entity(object)) }
    }
    for entry in try decoder.entries(root.fields["_configurationsByName"]) {
      var configuration = element("configuration", ["name": entry.key])
      configuration.children = try members(entry.value).map {
        element("memberEntity", ["name": $0])
      }
      model.children.append(configuration)
    }
    return model
  }

  private func element(_ name: String, _ facts: [String: String]) -> Element {
    Element(name: name, attributes: facts, place: Place(line: 0, column: 0))
  }

  private func members(_ value: PropertyList) throws -> [String] {
    let objects = try decoder.object(value)?.fields["NS.objects"]?.array ?? []
    return try objects.compactMap { item in
      try decoder.string(item) ?? decoder.object(item).flatMap { try name(of: $0) }
    }
  }

  private func name(of object: Object) throws -> String? {
    try decoder.string(object.fields["_name"])
  }

  private func facts(of object: Object) throws -> [String: PropertyList] {
    var facts: [String: PropertyList] = [:]
    for stereotype in try decoder.entries(object.fields["XDBucketForStereotypesstorage"]) {
      let owned = try decoder.object(stereotype.value)?.fields["XDBucketForOwnedAttributesstorage"]
      for entry in try decoder.entries(owned) {
        facts[entry.key] = try decoder.object(entry.value)?.fields["_default"]
      }
    }
    return facts
  }

  private func entity(_ object: Object) throws -> Element {
    let facts = try facts(of: object)
    var keys = try texts(
      facts,
      [
        "representedClassName": "XD_PSK_entityClassName", "isAbstract": "XD_PSK_isAbstract",
        "elementID": "XD_PSK_elementID", "versionHashModifier": "XD_PSK_versionHashModifier",
      ]
    )
    keys["name"] = try name(of: object)
    for item in try decoder.items(object.fields["XDBucketForGeneralizationsstorage"]) {
      let above = try decoder.object(decoder.object(item)?.fields["_general"])
      keys["parentEntity"] = try above.flatMap { try name(of: $0) }
    }
    var entity = element("entity", keys)
    for entry in try decoder.entries(object.fields["XDBucketForOwnedAttributesstorage"]) {
      if let property = try decoder.object(entry.value) {
        entity.children.append(try self.property(property))
      }
    }
    entity.children += try lists(
      facts["XDPMUniquenessConstraints"],
      ("uniquenessConstraints", "uniquenessConstraint", "constraint")
    )
    entity.children += try lists(
      facts["XDPMCompoundIndexes"],
      ("compoundIndexes", "compoundIndex", "index")
    )
    entity.children += try userInfo(facts["XD_PSK_userInfo"])
    for _ in try decoder.items(facts["XD_PSK_fetchRequestsArray"]) {
      entity.children.append(element("XD_PSK_fetchRequestsArray", [:]))
    }
    return entity
  }

  private func lists(
    _ value: PropertyList?,
    _ names: (whole: String, item: String, part: String)
  ) throws -> [Element] {
    var whole = element(names.whole, [:])
    for item in try decoder.items(value) {
      var list = element(names.item, [:])
      list.children = try decoder.items(item).map { part in
        let property = try decoder.string(part) ?? decoder.object(part).flatMap { try name(of: $0) }
        return element(names.part, ["value": property ?? ""])
      }
      whole.children.append(list)
    }
    return whole.children.isEmpty ? [] : [whole]
  }

  private func userInfo(_ value: PropertyList?) throws -> [Element] {
    var info = element("userInfo", [:])
    for entry in try decoder.entries(value) where !entry.key.hasPrefix("com.apple.syncservices") {
      guard let text = try decoder.string(entry.value) else { continue }
      info.children.append(element("entry", ["key": entry.key, "value": text]))
    }
    return info.children.isEmpty ? [] : [info]
  }

  private func property(_ object: Object) throws -> Element {
    let facts = try facts(of: object)
    var keys = try texts(
      facts,
      [
        "optional": "XD_PPSK_isOptional", "transient": "XD_PPSK_isTransient",
        "indexed": "XD_PPSK_isIndexed", "spotlightIndexingEnabled": "XD_PPSK_isSpotlightIndexed",
        "elementID": "XD_PPSK_elementID", "versionHashModifier": "XD_PPSK_versionHashModifier",
        "defaultValueString": "XD_PAttK_defaultValueAsString",
        "minValueString": "XD_PAttK_minValueString", "maxValueString": "XD_PAttK_maxValueString",
        "regularExpressionString": "XD_PAttK_regularExpressionString",
        "valueTransformerName": "XD_PAttK_valueTransformerName",
        "allowsExternalBinaryDataStorage": "XD_PAttK_allowsExternalBinaryDataStorage",
        "minCount": "XD_PRK_minCount", "maxCount": "XD_PRK_maxCount",
        "toMany": "XD_PRK_isToMany", "ordered": "XD_PRK_ordered",
      ]
    )
    keys["name"] = try name(of: object)
    let kind: String
    switch object.className {
    case "XDPMAttribute":
      kind = "attribute"
      let number = try decoder.resolved(facts["XD_PAttK_attributeType"])?.integer ?? 0
      keys["attributeType"] = Self.types[number] ?? "\(number)"
    case "XDPMRelationship":
      kind = "relationship"
      let destination = try decoder.object(facts["XD_PRK_destination"])
      let inverse = try decoder.object(facts["XD_PRK_inverseRelationship"])
      let rule = try decoder.resolved(facts["XD_PRK_deleteRule"])?.integer ?? 1
      keys["destinationEntity"] = try destination.flatMap { try name(of: $0) }
      keys["inverseName"] = try inverse.flatMap { try name(of: $0) }
      keys["deletionRule"] = Self.rules[rule] ?? "\(rule)"
      // A maximum of 0 means unlimited, and a maximum of 1 makes the relationship to-one.
      if let most = keys["maxCount"] { keys["toMany"] = most == "1" ? "NO" : "YES" }
    default: kind = object.className == "XDPMFetchedProperty" ? "fetchedProperty" : object.className
    }
    var property = element(kind, keys)
    property.children = try userInfo(facts["XD_PPSK_userInfo"])
    return property
  }

  private static let types: [Int64: String] = [
    0: "Undefined", 100: "Integer 16", 200: "Integer 32", 300: "Integer 64", 400: "Decimal",
    500: "Double", 600: "Float", 700: "String", 800: "Boolean", 900: "Date", 1000: "Binary",
    1800: "Transformable", 2000: "Object ID",
  ]

  private static let rules: [Int64: String] = [
    0: "No Action", 1: "Nullify", 2: "Cascade", 3: "Deny",
  ]

  private func texts(
    _ facts: [String: PropertyList],
    _ keys: [String: String]
  ) throws -> [String: String] {
    var texts: [String: String] = [:]
    for (key, legacy) in keys {
      switch try decoder.resolved(facts[legacy]) {
      case .boolean(let value)?: texts[key] = value ? "YES" : "NO"
      case .integer(let value)?: texts[key] = "\(value)"
      case .real(let value)?: texts[key] = "\(value)"
      default: texts[key] = try decoder.string(facts[legacy])
      }
    }
    return texts
  }
}
