extension ModelCheck {
  mutating func checkAttribute(_ attribute: Attribute, of entity: Entity) {
    for fault in attributeFaults(attribute) {
      report(fault, entity: entity, part: attribute.name)
    }
    // Apple's own models have transformers on binary attributes, so it is no error.
    if attribute.transformerName != nil, ![.transformable, .binary].contains(attribute.type) {
      let message = "a transformer does nothing to an attribute of type \(attribute.type.name)"
      report(message, entity: entity, part: attribute.name, severity: .warning)
    }
    for element in attribute.elements {
      if let fault = propertyNameFault(element.name) {
        report("the element '\(element.name)' \(fault)", entity: entity, part: attribute.name)
      }
      for fault in attributeFaults(element) {
        report("the element '\(element.name)': \(fault)", entity: entity, part: attribute.name)
      }
    }
  }

  private func attributeFaults(_ attribute: Attribute) -> [String] {
    let type = attribute.type
    var faults: [String] = []
    if [.objectID, .composite].contains(type), !attribute.isTransient {
      faults.append("how a store keeps an attribute of type \(type.name) is not known")
    }
    if !attribute.elements.isEmpty, type != .composite {
      faults.append("only a composite attribute has elements")
    }
    if attribute.allowsExternalStorage, ![.binary, .transformable].contains(type) {
      faults.append("external storage is for binary attributes, not for \(type.name)")
    }
    if attribute.pattern != nil, type != .string {
      faults.append("a pattern is for string attributes, not for \(type.name)")
    }
    if attribute.isTransient, attribute.derivation != nil {
      faults.append("a derived attribute is stored and cannot be transient")
    }
    return faults + valueFaults(attribute)
  }

  private func valueFaults(_ attribute: Attribute) -> [String] {
    var faults: [String] = []
    let type = attribute.type
    if !type.accepts(attribute.defaultValue) {
      faults.append("the default \(attribute.defaultValue.summary) is not of type \(type.name)")
    }
    let bounds = [("minimum", attribute.minimum), ("maximum", attribute.maximum)]
    for (word, bound) in bounds where !type.acceptsBound(bound) {
      faults.append("the \(word) \(bound.summary) does not fit the type \(type.name)")
    }
    if let least = attribute.minimum.number, let most = attribute.maximum.number, least > most {
      faults.append("the minimum is above the maximum")
    }
    return faults
  }
}

extension AttributeType {
  /// Whether a value can be one of this type's, in storage form; `.null` always can.
  func accepts(_ value: Value) -> Bool {
    switch (self, value) {
    case (_, .null), (.integer64, .integer), (.string, .text), (.uri, .text), (.binary, .blob):
      true
    case (.integer16, .integer(let value)): Int16(exactly: value) != nil
    case (.integer32, .integer(let value)): Int32(exactly: value) != nil
    case (.boolean, .integer(let value)): value == 0 || value == 1
    case (.double, _), (.float, _), (.date, _), (.decimal, _): value.number?.isNaN == false
    case (.uuid, .blob(let bytes)): bytes.count == 16
    default: false
    }
  }

  /// Whether a value can be a smallest or largest one: of numbers and dates, or of a text's length.
  fileprivate func acceptsBound(_ value: Value) -> Bool {
    switch (self, value) {
    case (_, .null): true
    case (.string, .integer(let length)): length >= 0
    case (.integer16, _), (.integer32, _), (.integer64, _), (.double, _), (.float, _),
      (.decimal, _),
      (.date, _):
      accepts(value)
    default: false
    }
  }
}

extension Value {
  /// The number, or `nil` for texts, blobs and nothing.
  fileprivate var number: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .real(let value): value
    case .null, .text, .blob: nil
    }
  }

  fileprivate var summary: String {
    switch self {
    case .null: "null"
    case .integer(let value): "\(value)"
    case .real(let value): "\(value)"
    case .text(let text): "'\(text.prefix(40))'"
    case .blob(let bytes): "of \(bytes.count) bytes"
    }
  }
}
