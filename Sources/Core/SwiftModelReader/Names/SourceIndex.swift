#if SwiftSource
  import SwiftModels

  /// All types of the sources by their full names, with lookup by Swift's rules.
  struct SourceIndex {
    enum Found {
      case type(Declaration)
      /// The target of a type alias, such as `Double`, if the sources do not declare the target.
      case outside(SourceType)
    }

    private(set) var types: [String: [Declaration]] = [:]
    private var extensions: [String: Declaration] = [:]
    private var aliases: [String: [Alias]] = [:]
    private static let longestChain = 16
    /// The maximum number of types with the same name, for example in several targets of an app.
    private static let mostTwins = 64

    init(_ files: [SourceFileContent]) {
      for alias in files.flatMap(\.aliases) {
        aliases[Self.key(alias.path), default: []].append(alias)
      }
      let all = files.flatMap(\.declarations)
      for declaration in all {
        let key = Self.key(declaration.path)
        if declaration.kind == .extensionOfType {
          extensions[
            key,
            default: Declaration(kind: .extensionOfType, path: [], place: declaration.place)
          ]
          .extend(by: declaration)
        } else if types[key, default: []].count < Self.mostTwins {
          types[key, default: []].append(declaration)
        }
      }
      adoptExtensionsOfAliases()
    }

    private static func key(_ path: [String]) -> String { path.joined(separator: ".") }

    /// Moves the types that `extension Current { … }` declares to the type behind the alias
    /// `Current`.
    private mutating func adoptExtensionsOfAliases() {
      for key in types.keys.sorted() {
        guard let all = types[key], let first = all.first, first.path.count > 1,
          types[first.path[0]] == nil, let alias = aliases[first.path[0]]?.first,
          case .named(let target, _) = alias.target
        else { continue }
        for declaration in all {
          var moved = declaration
          moved.path = target + declaration.path.dropFirst()
          types[Self.key(moved.path), default: []].append(moved)
        }
        types[key] = nil
      }
    }

    var models: [Declaration] {
      types.values.flatMap { $0 }.filter(\.isModel).sorted { $0.place < $1.place }
    }

    func types(conformingTo name: String) -> [Declaration] {
      let all = types.values.flatMap { $0 }
      var (names, found): (Set, [Declaration]) = ([name], [])
      for _ in 0..<Self.longestChain {
        found = all.filter { type in
          inherited(by: type).contains { $0.lastName.map(names.contains) ?? false }
        }
        let protocols = found.filter { $0.kind == .protocolType }.map(\.name)
        if names.isSuperset(of: protocols) { break }
        names.formUnion(protocols)
      }
      return found.filter { $0.kind != .protocolType }.sorted { $0.place < $1.place }
    }

    func inherited(by type: Declaration) -> [SourceType] {
      type.inherited + (extensions[Self.key(type.path)]?.inherited ?? [])
    }

    func property(_ name: String, of type: Declaration) -> Property? {
      type.property(name)
        ?? extensions[Self.key(type.path)]?.property(name)
    }

    func hasOwnCoding(_ type: Declaration) -> Bool {
      type.hasOwnCoding || extensions[Self.key(type.path)]?.hasOwnCoding == true
    }

    /// Modules whose types the sources cannot declare: `Foundation.Data` is not the app's own
    /// `Data`.
    private static let systemModules: Set = [
      "Swift", "Foundation", "FoundationEssentials", "CoreData", "CoreFoundation", "CoreGraphics",
      "CoreLocation", "MapKit", "SwiftData", "SwiftUI", "UIKit", "AppKit",
    ]

    /// Looks up a name inside a type, then in its enclosing types and at the top level.
    ///
    /// At the top level, the name's first part may also be a module of the app.
    func find(_ parts: [String], in context: [String], from file: String, depth: Int = 0) -> Found?
    {
      guard depth < Self.longestChain, let first = parts.first, !first.isEmpty else { return nil }
      for length in (0...context.count).reversed() {
        let scope = Array(context[..<length])
        if let found = member(first, of: scope, from: file, depth: depth) {
          return follow(found, Array(parts.dropFirst()), from: file, depth: depth)
        }
        // An extension in the sources may declare the name inside a type that the sources do not
        // declare.
        if parts.count > 1, let found = types[Self.key(scope + parts)] {
          return nearest(found, to: file).map { .type($0) }
        }
      }
      guard parts.count > 1, !Self.systemModules.contains(first) else { return nil }
      return find(Array(parts.dropFirst()), in: [], from: file, depth: depth + 1)
    }

    private func follow(_ found: Found, _ rest: [String], from file: String, depth: Int) -> Found? {
      guard let next = rest.first else { return found }
      guard case .type(let type) = found,
        let inner = member(next, of: type.path, from: file, depth: depth)
      else { return nil }
      return follow(inner, Array(rest.dropFirst()), from: file, depth: depth + 1)
    }

    private func member(_ name: String, of scope: [String], from file: String, depth: Int) -> Found?
    {
      let key = Self.key(scope + [name])
      if let found = types[key] { return nearest(found, to: file).map { .type($0) } }
      guard let alias = nearest(aliases[key] ?? [], to: file) else { return nil }
      guard case .named(let parts, let arguments) = alias.target, arguments.isEmpty else {
        return .outside(alias.target)
      }
      // In `typealias Trip = Trip` inside a type, the target is the `Trip` of an enclosing scope.
      let isSelf = parts == [name]
      let context = isSelf ? Array(scope.dropLast()) : scope
      return find(parts, in: context, from: alias.place.file, depth: depth + 1)
        ?? .outside(alias.target)
    }

    /// Selects one of several types with the same name: the type in the same file, or else in the
    /// nearest folder.
    private func nearest<Item>(_ items: [Item], to file: String) -> Item?
    where Item: HasPlace {
      guard items.count > 1 else { return items.first }
      return items.enumerated().max { first, second in
        let (left, right) = (first.element.place.file, second.element.place.file)
        let (near, far) = (Self.closeness(left, file), Self.closeness(right, file))
        return near == far ? first.offset > second.offset : near < far
      }?.element
    }

    private static func closeness(_ file: String, _ other: String) -> Int {
      if file == other { return Int.max }
      let pairs = zip(file.split(separator: "/"), other.split(separator: "/"))
      return pairs.prefix { $0.0 == $0.1 }.count * 2 + (SourceFolder.isTest(file) ? 0 : 1)
    }
  }

  protocol HasPlace { var place: SourcePlace { get } }
  extension Declaration: HasPlace {}
  extension Alias: HasPlace {}

  extension SourceType {
    var lastName: String? {
      if case .named(let parts, _) = self { parts.last } else { nil }
    }
  }
#endif
