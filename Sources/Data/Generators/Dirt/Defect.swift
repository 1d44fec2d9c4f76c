import DataModel
import PersistentStore

/// What is wrong with a value, a reference, a file or a key of a dirty store.
package enum Defect: String, CaseIterable, Hashable, Sendable {
  /// Nothing, where the model requires a value or a target.
  case null
  /// A value that the attribute's enumeration, `weighted` in the recipe, does not list.
  case unknownCase
  /// A number that the attribute's type or the model's bounds exclude.
  case outOfRange
  /// A text without a character.
  case empty
  /// A text of a megabyte.
  case long
  /// Letters under stacks of combining marks.
  case combining
  /// Hebrew and Arabic amid Latin text, with marks that turn the direction.
  case rightToLeft
  /// Emoji of several code points: families, flags, skin tones, keycaps.
  case emoji
  /// A date of 1970, as a Unix time of 0 gives it.
  case year1970
  /// A date of 2100, as "never" is written.
  case year2100
  /// The key of a target that does not exist.
  case dangling
  /// A join row whose other object does not exist.
  case orphaned
  /// A file that a row refers to and that is gone.
  case missingFile
  /// A file that no row refers to.
  case orphanedFile
  /// A record of the highest key that is lower than keys in use.
  case tooLow

  /// Whether the defect lies in the values of a row, so that every writer makes it.
  var isOfRow: Bool {
    switch self {
    case .orphaned, .missingFile, .orphanedFile, .tooLow: false
    default: true
    }
  }

  /// The defects that values of an attribute can have, made by that rule.
  static func all(of attribute: Attribute, made generator: AttributeGenerator?) -> [Defect] {
    if case .file = generator { return [.missingFile, .orphanedFile] }
    if attribute.allowsExternalStorage { return [.missingFile, .orphanedFile] }
    var defects: [Defect] = attribute.isOptional ? [] : [.null]
    if generator?.listed.isEmpty == false, attribute.type != .boolean {
      defects.append(.unknownCase)
    }
    if rule(of: .outOfRange, attribute.type) != nil || attribute.hasBounds {
      defects.append(.outOfRange)
    }
    switch attribute.type {
    case .string: defects += [.empty, .long, .combining, .rightToLeft, .emoji]
    case .uri: defects += [.empty, .long]
    case .date: defects += [.year1970, .year2100]
    default: break
    }
    return defects
  }

  /// The audit's rule that the defect breaks in an attribute of a type; `nil` where none does.
  static func rule(of defect: Defect, _ type: AttributeType) -> AuditRule? {
    switch (defect, type) {
    case (.null, _): .missingValue
    case (.outOfRange, .boolean), (.outOfRange, .integer16), (.outOfRange, .integer32):
      .valueOutOfRange
    case (.missingFile, _): .missingExternalFile
    case (.orphanedFile, _): .orphanedExternalFile
    default: nil
    }
  }
}

extension Attribute {
  /// Whether the model gives numbers a smallest or largest value.
  fileprivate var hasBounds: Bool {
    switch type {
    case .integer16, .integer32, .integer64, .decimal, .double, .float:
      minimum != .null || maximum != .null
    default: false
    }
  }
}
