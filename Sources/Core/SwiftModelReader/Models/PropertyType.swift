#if SwiftSource
  import DataModel
  import SwiftModels

  /// A property's form in the schema, derived from its type.
  struct PropertyType {
    enum Form {
      case attribute(AttributeType, elements: [Attribute], valueClass: String?)
      case toOne(Declaration)
      case toMany(Declaration)
    }

    var form: Form
    var isOptional = false
    /// The assumption on which the form is based; `nil` if the form is known.
    var assumption: String?
    var warning: String?
    var values: [Declaration] = []
    var unknown: String?
    /// The property's enum type, in which a default value such as `.low` is looked up.
    var cases: Declaration?

    init(_ type: AttributeType, elements: [Attribute] = [], valueClass: String? = nil) {
      form = .attribute(type, elements: elements, valueClass: valueClass)
    }

    init(_ form: Form) { self.form = form }
  }

  struct Scope {
    var path: [String]
    var file: String

    init(_ type: Declaration) { (path, file) = (type.path, type.place.file) }
    init(path: [String], file: String) { (self.path, self.file) = (path, file) }
  }

  struct TypeResolver {
    private static let deepest = 8

    let index: SourceIndex

    /// The attribute types of values that a store holds without conversion, by the Swift type's
    /// name.
    private static let primitives: [String: AttributeType] = [
      "String": .string, "Bool": .boolean, "Int": .integer64, "Int16": .integer16,
      "Int32": .integer32, "Int64": .integer64, "Float": .float, "Double": .double,
      "Decimal": .decimal, "Date": .date, "Data": .binary, "UUID": .uuid, "URL": .uri,
      "TimeInterval": .double, "CFTimeInterval": .double, "Float32": .float, "Float64": .double,
      "CLLocationDegrees": .double, "CLLocationDistance": .double, "CLLocationAccuracy": .double,
      "CLLocationDirection": .double, "CLLocationSpeed": .double, "CFAbsoluteTime": .double,
      "NSDate": .date, "NSData": .binary, "NSString": .string, "NSDecimalNumber": .decimal,
    ]

    /// Types of the standard library whose attribute type is undocumented.
    private static let assumed: [String: AttributeType] = [
      "Int8": .integer16, "UInt8": .integer16, "UInt16": .integer32, "UInt32": .integer64,
      "UInt": .integer64, "UInt64": .integer64, "CGFloat": .double, "Character": .string,
      "Substring": .string,
    ]

    /// Types that encode themselves without keys.
    ///
    /// Apps report that SwiftData crashes when it saves such a type: *Composite Coder only supports
    /// Keyed Container*.
    private static let unkeyed: Set = [
      "AttributedString", "CGAffineTransform", "CGPoint", "CGRect", "CGSize", "CGVector",
    ]

    func resolve(
      _ type: SourceType,
      in context: [String],
      from file: String,
      depth: Int = 0
    ) -> PropertyType {
      guard depth < Self.deepest else { return opaque(type, "it is nested too deeply") }
      switch type {
      case .optional(let wrapped):
        var result = resolve(wrapped, in: context, from: file, depth: depth + 1)
        result.isOptional = true
        return result
      case .array(let element):
        return collection(type, of: element, in: context, from: file, depth: depth)
      case .dictionary: return values(type)
      case .other(let text): return opaque(type, "'\(text)' is no type that a schema has")
      case .named(let parts, let arguments):
        if parts.last == "Set", arguments.count == 1 { return values(type) }
        switch index.find(parts, in: context, from: file) {
        case .type(let declaration): return resolve(declaration, as: type, depth: depth)
        case .outside(let target):
          let isSame = target == type
          return isSame ? named(parts, type) : resolve(target, in: [], from: file, depth: depth + 1)
        case nil: return named(parts, type)
        }
      }
    }

    private func named(_ parts: [String], _ type: SourceType) -> PropertyType {
      let name = parts.last ?? ""
      if let known = Self.primitives[name] { return PropertyType(known) }
      if let known = Self.assumed[name] {
        var result = PropertyType(known)
        result.assumption = "\(name) is stored as \(known.name)"
        return result
      }
      if Self.unkeyed.contains(name) {
        return opaque(
          type,
          "'\(name)' encodes itself without keys, on which SwiftData is reported to stop"
        )
      }
      var result = opaque(type, "the type '\(type.text)' is not in the sources")
      result.unknown = name
      return result
    }

    /// Treats a collection of values as a single value, whose class in the archived model is a name
    /// such as `Array<String>`.
    private func values(_ type: SourceType) -> PropertyType {
      var result = PropertyType(.transformable, valueClass: Self.className(type))
      result.assumption = "a collection of values is one transformable value"
      return result
    }

    private static func className(_ type: SourceType) -> String {
      switch type {
      case .array(let element): "Array<\(className(element))>"
      case .dictionary(let key, let value): "Dictionary<\(className(key)), \(className(value))>"
      case .optional(let wrapped): "Optional<\(className(wrapped))>"
      case .named(let parts, let arguments):
        (parts.last ?? "")
          + (arguments.isEmpty ? "" : "<\(arguments.map(className).joined(separator: ", "))>")
      case .other(let text): text
      }
    }

    private func collection(
      _ type: SourceType,
      of element: SourceType,
      in context: [String],
      from file: String,
      depth: Int
    ) -> PropertyType {
      let inner = resolve(element, in: context, from: file, depth: depth + 1)
      if case .toOne(let model) = inner.form { return PropertyType(.toMany(model)) }
      var result = values(type)
      (result.values, result.unknown) = (inner.values, inner.unknown)
      if inner.unknown != nil {
        (result.assumption, result.warning) = (inner.assumption, inner.warning)
      }
      return result
    }

    private func resolve(_ declaration: Declaration, as type: SourceType, depth: Int)
      -> PropertyType
    {
      if declaration.isModel { return PropertyType(.toOne(declaration)) }
      var result: PropertyType
      switch declaration.kind {
      case .enumType:
        result = enumeration(declaration, depth: depth)
      case .structType where isRawRepresentable(declaration):
        result = rawRepresentable(declaration, depth: depth)
      case .structType: result = composite(declaration, depth: depth)
      case .classType:
        result = opaque(
          type,
          "the class '\(type.text)' is no @Model, on which SwiftData is reported to stop"
        )
      case .protocolType, .extensionOfType:
        result = opaque(type, "the protocol '\(type.text)' is no type that a schema has")
      }
      result.values.append(declaration)
      return result
    }

    private func opaque(_ type: SourceType, _ reason: String) -> PropertyType {
      var result = PropertyType(.transformable, valueClass: Self.className(type))
      result.assumption = reason
      result.warning = "\(reason); taken as one transformable value"
      return result
    }
  }

  extension TypeResolver {
    private func enumeration(_ type: Declaration, depth: Int) -> PropertyType {
      for inherited in index.inherited(by: type) {
        guard case .named(let parts, _) = inherited, let name = parts.last else { continue }
        guard let raw = Self.primitives[name] ?? Self.assumed[name] else { continue }
        var result = PropertyType(raw)
        result.cases = type
        result.assumption = "an enum is stored as its raw value, \(name)"
        return result
      }
      if isRawRepresentable(type) { return rawRepresentable(type, depth: depth) }
      var result = PropertyType(.transformable, valueClass: type.name)
      result.cases = type
      let names = type.cases.map(\.name).joined(separator: ", ")
      result.assumption = "an enum without raw values (\(names)) is one encoded value"
      return result
    }

    private func isRawRepresentable(_ type: Declaration) -> Bool {
      index.inherited(by: type).contains {
        ["RawRepresentable", "OptionSet"].contains($0.lastName)
      }
    }

    private func rawRepresentable(_ type: Declaration, depth: Int) -> PropertyType {
      var result = PropertyType(.transformable, valueClass: type.name)
      if let raw = index.property("rawValue", of: type)?.type {
        result = resolve(raw, in: type.path, from: type.place.file, depth: depth + 1)
      }
      result.assumption = "a RawRepresentable value is stored as its raw value"
      return result
    }

    private func composite(_ type: Declaration, depth: Int) -> PropertyType {
      var result = PropertyType(.composite)
      var elements: [Attribute] = []
      for property in type.properties where !property.isStatic && !property.isComputed {
        guard !property.isLazy else { continue }
        guard
          let spelled = property.type
            ?? property.value.flatMap({ literalType(of: $0, in: Scope(type)) })
        else {
          continue
        }
        let inner = resolve(spelled, in: type.path, from: type.place.file, depth: depth + 1)
        guard case .attribute(let kind, let nested, let valueClass) = inner.form else { continue }
        elements.append(
          Attribute(
            name: property.name,
            type: kind,
            isOptional: inner.isOptional,
            valueClassName: valueClass,
            elements: nested
          )
        )
        result.values += inner.values
      }
      result.form = .attribute(.composite, elements: elements, valueClass: nil)
      let coding = index.hasOwnCoding(type) ? ", whatever its own coding writes" : ""
      result.assumption =
        "the struct \(type.name) is a composite attribute, one element a field\(coding)"
      return result
    }

    /// The type of an initial value; `nil` if only a compiler can determine it.
    func literalType(of value: SourceExpression, in scope: Scope) -> SourceType? {
      switch value.kind {
      case .integer: return .named("Int")
      case .real: return .named("Double")
      case .text: return .named("String")
      case .boolean: return .named("Bool")
      case .list(let elements):
        guard let first = elements.first else { return nil }
        return literalType(of: first, in: scope).map { .array($0) }
      case .cast(_, let type): return type
      case .type(let type): return type
      case .call(let callee, _): return calledType(callee, in: scope)
      case .member(_, let name): return Self.memberTypes[name]
      case .names(let parts): return staticMember(parts, in: scope)
      case .operation(let operands, let operators):
        return operationType(operands, operators, in: scope)
      case .dictionary: return .dictionary(.other("_"), .other("_"))
      case .null, .keyPath, .other: return nil
      }
    }

    /// The types of members with which initial values often end, as in `UUID().uuidString`.
    private static let memberTypes: [String: SourceType] = [
      "uuidString": .named("String"), "timeIntervalSince1970": .named("Double"),
      "timeIntervalSinceReferenceDate": .named("Double"), "rawValue": .named("String"),
      "description": .named("String"), "count": .named("Int"), "identifier": .named("String"),
    ]

    private func calledType(_ callee: SourceExpression, in scope: Scope) -> SourceType? {
      switch callee.kind {
      case .names(let parts):
        if parts.last == "init", parts.count > 1 {
          return .named(Array(parts.dropLast()), arguments: [])
        }
        if parts.last?.first?.isUppercase == true { return .named(parts, arguments: []) }
        if let known = parts.last.flatMap({ Self.methodTypes[$0] }) { return known }
        // A static function such as `Date.now()` usually returns the type that declares it.
        return parts.count > 1 ? staticMember(parts, in: scope) : nil
      case .type(let type): return type
      case .list(let elements): return elements.first.flatMap(spelledType).map { .array($0) }
      case .dictionary: return .dictionary(.other("_"), .other("_"))
      case .member(_, let name): return Self.methodTypes[name]
      default: return nil
      }
    }

    private func spelledType(_ expression: SourceExpression) -> SourceType? {
      switch expression.kind {
      case .names(let parts): .named(parts, arguments: [])
      case .type(let type): type
      case .list(let elements): elements.first.flatMap(spelledType).map { .array($0) }
      default: nil
      }
    }

    private static let methodTypes: [String: SourceType] = [
      "addingTimeInterval": .named("Date"), "startOfDay": .named("Date"),
      "lowercased": .named("String"), "uppercased": .named("String"),
    ]

    /// The type of a static member: `Date` for `Date.now`, `Kind` for `Kind.low`, and the type of
    /// the raw value for `Kind.low.rawValue`.
    private func staticMember(_ spelled: [String], in scope: Scope) -> SourceType? {
      let parts = spelled.first == "Self" ? scope.path + spelled.dropFirst() : spelled
      guard parts.count > 1, let last = parts.last else { return nil }
      if last == "rawValue" {
        let owner = Array(parts.dropLast(2))
        guard case .type(let type)? = index.find(owner, in: scope.path, from: scope.file),
          case .attribute(let raw, _, _) = enumeration(type, depth: 0).form,
          let name = Self.primitives.filter({ $0.value == raw }).keys.min()
        else { return .named("String") }
        return .named(name)
      }
      if parts.count > 2,
        case .type(let type)? = index.find(
          Array(parts.dropLast(2)),
          in: scope.path,
          from: scope.file
        ),
        let spelled = index.property(last, of: type)?.type
      {
        return spelled
      }
      if let known = Self.memberTypes[last] { return known }
      let owner = Array(parts.dropLast())
      guard owner.last?.first?.isUppercase == true else { return nil }
      if case .type(let type)? = index.find(owner, in: scope.path, from: scope.file),
        let property = index.property(last, of: type), property.isStatic
      {
        if let type = property.type { return type }
        if let value = property.value { return literalType(of: value, in: Scope(type)) }
      }
      return .named(owner, arguments: [])
    }

    private static let comparisons: Set = ["==", "!=", "<", ">", "<=", ">=", "&&", "||"]
    private static let arithmetic: Set = ["+", "-", "*", "/", "%", "&+", "<<", ">>", "|", "&"]

    private func operationType(
      _ operands: [SourceExpression],
      _ operators: [String],
      in scope: Scope
    ) -> SourceType? {
      let types = operands.compactMap { literalType(of: $0, in: scope) }
      // An expression `a ?? b` or `a ? b : c` has the type of its last operand.
      if operators.contains("??") || operators.contains("?") {
        return operands.last.flatMap { literalType(of: $0, in: scope) }
      }
      if !Self.comparisons.isDisjoint(with: operators) { return .named("Bool") }
      guard Self.arithmetic.isSuperset(of: operators) else { return nil }
      return types.contains(.named("Double")) ? .named("Double") : types.first
    }
  }
#endif
