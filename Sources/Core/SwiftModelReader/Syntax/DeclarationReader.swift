#if SwiftSource
  import SwiftModels
  import SwiftParser
  import SwiftSyntax

  struct DeclarationReader {
    /// The maximum nesting of brackets, at which the parser stops.
    private static let deepestNesting = 256

    let lines: LineTable
    let expressions: ExpressionReader
    var content = SourceFileContent()

    static func read(_ all: [UInt8], file: String) -> SourceFileContent {
      let bytes = NestingLimit.cut(all)
      var reader = DeclarationReader(lines: LineTable(file: file, bytes: bytes))
      let tree = bytes.withUnsafeBufferPointer {
        Parser.parse(source: $0, maximumNestingLevel: deepestNesting)
      }
      for item in tree.statements { reader.read(item, in: []) }
      reader.noteErrors(in: tree)
      reader.readCalls(in: tree)
      return reader.content
    }

    private init(lines: LineTable) {
      self.lines = lines
      expressions = ExpressionReader(lines: lines)
    }

    func place(_ node: some SyntaxProtocol) -> SourcePlace {
      SourcePlace(file: lines.file, line: lines.line(of: node))
    }

    private mutating func noteErrors(in tree: SourceFileSyntax) {
      guard tree.hasError else { return }
      if let rest = tree.unexpectedBetweenStatementsAndEndOfFileToken {
        let note = "it cannot be parsed from here on; the rest of the file is left out"
        content.notes.append(SourceNote(note, at: place(rest)))
      } else {
        let note = "it has errors of syntax; what can be parsed is read"
        let first = tree.tokens(viewMode: .all).lazy.prefix(200_000)
          .first { $0.presence == .missing || $0.parent?.is(UnexpectedNodesSyntax.self) == true }
        content.notes.append(
          SourceNote(note, at: first.map { place($0) } ?? SourcePlace(file: lines.file, line: 1))
        )
      }
    }
  }

  extension DeclarationReader {
    private mutating func read(_ item: CodeBlockItemSyntax, in context: [String]) {
      guard case .decl(let declaration) = item.item else { return }
      var ignored = Declaration(kind: .structType, path: context, place: place(declaration))
      read(declaration, into: &ignored, in: context)
      for property in ignored.properties where context.isEmpty {
        content.values[property.name] = property.value
      }
    }

    private mutating func read(
      _ declaration: DeclSyntax,
      into owner: inout Declaration,
      in context: [String]
    ) {
      switch declaration.as(DeclSyntaxEnum.self) {
      case .classDecl(let type): read(type, .classType, type.inheritanceClause, in: context)
      case .structDecl(let type): read(type, .structType, type.inheritanceClause, in: context)
      case .enumDecl(let type): read(type, .enumType, type.inheritanceClause, in: context)
      case .actorDecl(let type): read(type, .classType, type.inheritanceClause, in: context)
      case .protocolDecl(let type):
        content.declarations.append(
          Declaration(
            kind: .protocolType,
            path: context + [type.name.plain],
            inherited: inherited(type.inheritanceClause),
            place: place(type)
          )
        )
      case .extensionDecl(let type): readExtension(type, in: context)
      case .typeAliasDecl(let alias):
        content.aliases.append(
          Alias(
            path: context + [alias.name.plain],
            target: expressions.type(alias.initializer.value),
            place: place(alias)
          )
        )
      case .variableDecl(let variable): owner.properties += properties(variable)
      case .functionDecl(let function): readFunction(function, into: &owner)
      case .initializerDecl(let initializer):
        let parameters = initializer.signature.parameterClause.parameters
        if parameters.count == 1, parameters.first?.firstName.text == "from" {
          owner.hasOwnCoding = true
        }
      case .enumCaseDecl(let cases): owner.cases += cases.elements.map(enumCase)
      case .macroExpansionDecl(let macro):
        owner.macros.append(
          MacroUse(
            name: macro.macroName.plain,
            arguments: expressions.arguments(macro.arguments),
            place: place(macro)
          )
        )
      case .ifConfigDecl(let condition): readBranches(condition, into: &owner, in: context)
      default: break
      }
    }

    private mutating func read(
      _ type: some DeclGroupSyntax & NamedDeclSyntax & WithAttributesSyntax,
      _ kind: Declaration.Kind,
      _ inheritance: InheritanceClauseSyntax?,
      in context: [String]
    ) {
      var declaration = Declaration(
        kind: kind,
        path: context + [type.name.plain],
        attributes: attributeUses(type.attributes),
        inherited: inherited(inheritance),
        place: SourcePlace(file: lines.file, line: lines.line(of: type.name))
      )
      let generic = (type as? any WithGenericParametersSyntax)?.genericParameterClause
      declaration.isGeneric = generic != nil
      let path = declaration.path
      for item in type.memberBlock.members { read(item.decl, into: &declaration, in: path) }
      content.declarations.append(declaration)
    }

    private mutating func readExtension(_ type: ExtensionDeclSyntax, in context: [String]) {
      guard case .named(let parts, _) = expressions.type(type.extendedType) else { return }
      var declaration = Declaration(
        kind: .extensionOfType,
        path: parts,
        inherited: inherited(type.inheritanceClause),
        place: place(type)
      )
      for item in type.memberBlock.members { read(item.decl, into: &declaration, in: parts) }
      content.declarations.append(declaration)
    }

    private func inherited(_ clause: InheritanceClauseSyntax?) -> [SourceType] {
      (clause?.inheritedTypes ?? []).flatMap { inherited -> [SourceType] in
        guard let list = inherited.type.as(CompositionTypeSyntax.self) else {
          return [expressions.type(inherited.type)]
        }
        return list.elements.map { expressions.type($0.type) }
      }
    }

    private func enumCase(_ element: EnumCaseElementSyntax) -> EnumCase {
      EnumCase(
        name: element.name.plain,
        rawValue: element.rawValue.map { expressions.expression($0.value) }
      )
    }

    /// Reads the branch of `#if` that is compiled for an iOS app, or else the first one.
    private mutating func readBranches(
      _ condition: IfConfigDeclSyntax,
      into owner: inout Declaration,
      in context: [String]
    ) {
      var isUnknown = false
      for clause in condition.clauses {
        let isElse = clause.poundKeyword.tokenKind == .poundElse
        let answer = isElse ? .yes : BuildCondition.answer(clause.condition)
        if answer == .no { continue }
        let before = (content.declarations.count, owner.properties.count)
        switch clause.elements {
        case .decls(let members):
          for item in members { read(item.decl, into: &owner, in: context) }
        case .statements(let items): for item in items { read(item, in: context) }
        default: break
        }
        let hasMore = (content.declarations.count, owner.properties.count) != before
        if answer == .unknown, hasMore {
          isUnknown = true
          let text = clause.condition.map { expressions.text($0) } ?? ""
          content.notes.append(
            SourceNote("'#if \(text)' depends on the build; taken as true", at: place(clause))
          )
        }
        if answer == .yes || isUnknown { return }
      }
    }
  }

  extension DeclarationReader {
    private func attributeUses(_ list: AttributeListSyntax) -> [AttributeUse] {
      list.flatMap { element -> [AttributeUse] in
        switch element {
        case .attribute(let attribute):
          guard case .named(let parts, _) = expressions.type(attribute.attributeName) else {
            return []
          }
          var use = AttributeUse(name: parts.last ?? "")
          if case .argumentList(let list)? = attribute.arguments {
            use.arguments = expressions.arguments(list)
          }
          return [use]
        case .ifConfigDecl(let condition):
          for clause in condition.clauses {
            let isElse = clause.poundKeyword.tokenKind == .poundElse
            if isElse || BuildCondition.answer(clause.condition) != .no,
              case .attributes(let list)? = clause.elements
            {
              return attributeUses(list)
            }
          }
          return []
        }
      }
    }

    func properties(_ variable: VariableDeclSyntax) -> [Property] {
      let modifiers = Set(variable.modifiers.map(\.name.text))
      let attributes = attributeUses(variable.attributes)
      let bindings = Array(variable.bindings)
      return bindings.indices.compactMap { index in
        let binding = bindings[index]
        guard let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.plain else {
          return nil
        }
        // In `var a, b: Int`, the type applies to both names.
        let annotation = bindings[index...].lazy.compactMap(\.typeAnnotation).first
        var property = Property(
          name: name,
          type: annotation.map { expressions.type($0.type) },
          value: binding.initializer.map { expressions.expression($0.value) },
          isStatic: modifiers.contains("static") || modifiers.contains("class"),
          isConstant: variable.bindingSpecifier.text == "let",
          isLazy: modifiers.contains("lazy"),
          attributes: attributes,
          place: SourcePlace(file: lines.file, line: lines.line(of: binding))
        )
        if binding.initializer != nil, binding.typeAnnotation == nil { property.type = nil }
        switch binding.accessorBlock?.accessors {
        case .getter(let body):
          property.isComputed = true
          property.value = result(of: body)
        case .accessors(let list):
          let words = list.map(\.accessorSpecifier.text)
          property.isComputed = !words.allSatisfy { ["willSet", "didSet"].contains($0) }
          if let getter = list.first(where: { $0.accessorSpecifier.text == "get" }) {
            property.value = getter.body.flatMap { result(of: $0.statements) }
          }
        case nil: break
        }
        return property
      }
    }

    private mutating func readFunction(
      _ function: FunctionDeclSyntax,
      into owner: inout Declaration
    ) {
      let parameters = function.signature.parameterClause.parameters
      if function.name.text == "encode", parameters.first?.firstName.text == "to" {
        owner.hasOwnCoding = true
      }
      guard function.modifiers.contains(where: { $0.name.text == "static" }), parameters.isEmpty
      else { return }
      owner.properties.append(
        Property(
          name: function.name.plain,
          value: function.body.flatMap { result(of: $0.statements) },
          isStatic: true,
          isComputed: true,
          place: place(function)
        )
      )
    }
  }
#endif
