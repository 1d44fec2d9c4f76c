import Basics
import DataModel
import Foundation
import PersistentStore

/// Evidence that the version given as OLD is later than the version given as NEW.
///
/// The evidence is indirect, because neither a model nor a store records when it was created.
struct SwapSign {
  let old: ModelInput
  let new: ModelInput
  /// Whether version identifiers and hash modifiers start over in NEW, as in a move to SwiftData.
  let countsAnew: Bool

  /// The evidence in words; `nil` if there is no evidence, or if the first evidence found supports
  /// the given order.
  var words: String? {
    if let store = new.store, old.store == nil {
      return "NEW is a store, \(store.store.name), and OLD a model without data"
    }
    let all = [Self.version, Self.formerName, Self.modifier, Self.fileName, Self.framework]
    let lasting = [Self.formerName, Self.fileName, Self.framework]
    for sign in countsAnew ? lasting : all {
      if sign(new, old) != nil { return nil }
      if let words = sign(old, new) { return words }
    }
    return nil
  }

  private static func version(_ old: ModelInput, _ new: ModelInput) -> String? {
    let names = [old, new].map { $0.version.model.versionIdentifiers }
    guard names.allSatisfy({ $0.count == 1 }) else { return nil }
    let numbers = names.map { $0[0].split(separator: ".").compactMap { Int($0) } }
    guard zip(names, numbers).allSatisfy({ $0[0].split(separator: ".").count == $1.count }),
      !numbers[1].isEmpty, numbers[1].lexicographicallyPrecedes(numbers[0])
    else { return nil }
    return "OLD is version \(names[0][0]), NEW version \(names[1][0])"
  }

  private static func formerName(_ old: ModelInput, _ new: ModelInput) -> String? {
    pairs(old, new).lazy.compactMap { late, early -> String? in
      guard late.former == early.name, late.name != early.name, early.former == early.name else {
        return nil
      }
      return "OLD's '\(late.path)' was '\(early.name)' before, as it is in NEW"
    }.first
  }

  /// Compares hash modifiers, which distinguish a version from the previous one and increase if
  /// they are numbers.
  private static func modifier(_ old: ModelInput, _ new: ModelInput) -> String? {
    pairs(old, new).lazy.compactMap { late, early -> String? in
      guard let number = late.modifier.flatMap({ Int($0) }),
        let other = early.modifier == nil ? 0 : early.modifier.flatMap({ Int($0) }), number > other
      else { return nil }
      let words = early.modifier == nil ? "has none" : "has \(other)"
      return "OLD has the hash modifier \(number) for '\(late.path)', where NEW \(words)"
    }.first
  }

  /// Compares numbers in names, because Xcode numbers the versions of a model and apps often number
  /// their files.
  private static func fileName(_ old: ModelInput, _ new: ModelInput) -> String? {
    let names = [old, new].map { input in
      input.kind == .family
        ? input.version.name
        : URL(fileURLWithPath: input.path).deletingPathExtension().lastPathComponent
    }
    let parts = names.map { name -> (stem: String, number: Int?) in
      let digits = String(name.reversed().prefix { $0.isASCII && $0.isNumber }.reversed())
      let stem = name.dropLast(digits.count).trimmingCharacters(in: .whitespaces).lowercased()
      return (stem, digits.isEmpty ? 1 : Int(digits))
    }
    guard parts[0].stem == parts[1].stem, let late = parts[0].number, let early = parts[1].number,
      late > early
    else { return nil }
    return "OLD is called '\(names[0])', NEW '\(names[1])'"
  }

  /// Compares framework versions; checked last because a later framework may write an older model.
  private static func framework(_ old: ModelInput, _ new: ModelInput) -> String? {
    guard let late = old.store?.metadata.frameworkVersion,
      let early = new.store?.metadata.frameworkVersion, late > early
    else { return nil }
    return "OLD is of framework \(late), NEW of the earlier \(early)"
  }

  // MARK: Names

  private struct Named {
    let path: String
    let name: String
    let former: String
    let modifier: String?
  }

  /// Returns the elements that the old and the new version share, matched by the names that a
  /// migration uses.
  private static func pairs(_ old: ModelInput, _ new: ModelInput) -> [(Named, Named)] {
    let early = Dictionary(keepingFirst: named(in: new.version.model))
    return named(in: old.version.model).compactMap { key, late in early[key].map { (late, $0) } }
  }

  private static func named(in model: Model) -> [([String], Named)] {
    model.entities.flatMap { entity -> [([String], Named)] in
      let former = entity.identifier
      func property(_ name: String, _ identifier: String?, _ modifier: String?) -> Named {
        Named(
          path: "\(entity.name).\(name)",
          name: name,
          former: identifier ?? name,
          modifier: modifier
        )
      }
      let own = Named(
        path: entity.name,
        name: entity.name,
        former: former,
        modifier: entity.versionHashModifier
      )
      let properties =
        entity.attributes.map { property($0.name, $0.renamingIdentifier, $0.versionHashModifier) }
        + entity.relationships.map {
          property($0.name, $0.renamingIdentifier, $0.versionHashModifier)
        }
      return [([former], own)] + properties.map { ([former, $0.former], $0) }
    }
  }
}
