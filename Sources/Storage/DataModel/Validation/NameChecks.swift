/// The longest name of an entity, a property or an index.
private let longestName = 255

/// Names that are methods of every managed object and so cannot be properties.
private let reservedNames: Set<String> = [
  "autorelease", "class", "debugDescription", "description", "entity", "faultingState",
  "hasChanges", "hash", "isDeleted", "isFault", "isInserted", "isProxy", "isUpdated",
  "managedObjectContext", "objectID", "observationInfo", "release", "retain", "retainCount", "self",
  "superclass", "zone",
]

/// What is wrong with a name that becomes part of SQL, or `nil`.
func nameFault(_ name: String) -> String? {
  guard let first = name.utf8.first else { return "is empty" }
  let letters = name.utf8.allSatisfy { isLetter($0) || isDigit($0) }
  guard letters, !isDigit(first) else {
    return "must have letters, digits and underscores only, and no digit at its start"
  }
  return name.utf8.count > longestName ? "is longer than \(longestName) characters" : nil
}

private func isLetter(_ byte: UInt8) -> Bool {
  (65...90).contains(byte) || (97...122).contains(byte) || byte == 95
}

private func isDigit(_ byte: UInt8) -> Bool {
  (48...57).contains(byte)
}

/// Why a property cannot have that name, or `nil`.
func propertyNameFault(_ name: String) -> String? {
  if let fault = nameFault(name) { return fault }
  if reservedNames.contains(name) { return "is a method of every managed object" }
  let upper = name.uppercased()
  let tail = upper.dropFirst()
  let isSystemColumn = ["_PK", "_ENT", "_OPT"].contains(upper) || upper.hasPrefix("_FOK_")
  let isJoinColumn = upper.hasPrefix("_") && tail.utf8.first.map(isDigit) == true
  return isSystemColumn || isJoinColumn ? "would be a column that the store keeps for itself" : nil
}

extension ModelCheck {
  /// Checks the names of an entity's properties against one another and against inherited ones.
  mutating func checkProperties(of entity: Entity) {
    let own = entity.attributes.map(\.name) + entity.relationships.map(\.name)
    for name in own {
      if let fault = propertyNameFault(name) {
        report("the name '\(name.prefix(300))' \(fault)", entity: entity, part: name)
      }
    }
    var declared: [String: (name: String, entity: String)] = [:]
    for ancestor in ancestors(of: entity).dropFirst() {
      for name in ancestor.attributes.map(\.name) + ancestor.relationships.map(\.name) {
        declared[name.uppercased()] = (name, ancestor.name)
      }
    }
    for name in own {
      if let other = declared[name.uppercased()] {
        let place = other.entity == entity.name ? "" : " of '\(other.entity)'"
        let clash = other.name == name ? "is also" : "differs in case only from"
        report("the name \(clash) '\(other.name)'\(place)", entity: entity, part: name)
      }
      declared[name.uppercased()] = (name, entity.name)
    }
    checkRenaming(of: entity)
  }

  /// Two properties cannot both be the former one.
  private mutating func checkRenaming(of entity: Entity) {
    var former: Set<String> = []
    let renamed =
      entity.attributes.map { ($0.name, $0.renamingIdentifier) }
      + entity.relationships.map { ($0.name, $0.renamingIdentifier) }
    for case (let name, let identifier?) in renamed where !former.insert(identifier).inserted {
      report("another property was renamed from '\(identifier)' too", entity: entity, part: name)
    }
  }
}
