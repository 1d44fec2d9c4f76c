#if SwiftSource
  import DataModel
  import SwiftModelReader
  import SwiftModels
  import Testing

  @Suite struct RelationshipReadingTests {
    private func pair(_ left: String, _ right: String) -> SwiftModelFamily {
      .read("@Model class A {\n\(left)\n}\n@Model class B {\n\(right)\n}")
    }

    @Test func `a variable of a model's type is a to-one, optional or required`() {
      let family = pair("var b: B?\nvar c: B", "var x: Int")
      #expect(family.relationship("A.b")?.isOptional == true)
      #expect(family.relationship("A.c")?.isOptional == false)
      #expect(family.relationship("A.b")?.isToMany == false)
      #expect(family.relationship("A.b")?.deleteRule == .nullify)
    }

    @Test(arguments: [": [B]", ": [B]?", "= [B]()", ": Array<B>", ": [B] = []"])
    func `an array of models is a to-many without order`(_ type: String) {
      let items = pair("var items \(type)", "var x: Int").relationship("A.items")
      #expect(items?.isToMany == true)
      #expect(items?.isOrdered == false)
      #expect(items?.isOptional == type.hasSuffix("?"))
      #expect(items?.destination == "B")
    }

    @Test func `an array and one optional to-one are each other's inverse`() {
      let family = pair("var items: [B]", "var owner: A?")
      #expect(family.relationship("A.items")?.inverse == "owner")
      #expect(family.relationship("B.owner")?.inverse == "items")
    }

    @Test func `two optional to-ones are each other's inverse`() {
      #expect(pair("var b: B?", "var a: A?").relationship("B.a")?.inverse == "b")
    }

    @Test func `with a required to-one there are two relationships without inverse`() {
      let family = pair("var items: [B]", "var owner: A")
      #expect(family.relationship("A.items")?.inverse == nil)
      #expect(family.relationship("B.owner")?.inverse == nil)
    }

    @Test(
      arguments: [
        ("var items: [B]", "var owners: [A]"), ("var items: [B]", "var one: A?\nvar two: A?"),
        ("var one: [B]\nvar two: [B]", "var owner: A?"),
      ]
    )
    func `where several fit, or both are arrays, there is no inverse`(
      _ left: String,
      _ right: String
    ) {
      let family = pair(left, right)
      let all = family.current.model.entities.flatMap(\.relationships)
      #expect(all.allSatisfy { $0.inverse == nil })
    }

    @Test func `a relation of a class to itself has the inverse that it names`() {
      let family = SwiftModelFamily.read(
        """
        @Model class A { var parent: A?
          @Relationship(deleteRule: .cascade, inverse: \\A.parent) var children: [A]? = [] }
        @Model class B { var up: B?; var down: [B] }
        """
      )
      #expect(family.relationship("A.children")?.inverse == "parent")
      #expect(family.relationship("A.parent")?.inverse == "children")
      #expect(family.relationship("B.down")?.inverse == nil)
    }

    @Test func `the arguments of a relationship are those of the schema`() {
      let family = pair(
        """
        @Relationship(deleteRule: .deny, minimumModelCount: 1, maximumModelCount: 3,
          originalName: "old", inverse: \\B.owner, hashModifier: "2") var items: [B]
        """,
        "var owner: A?"
      )
      let items = family.relationship("A.items")
      #expect(items?.deleteRule == .deny)
      #expect(items?.minimumCount == 1)
      #expect(items?.maximumCount == 3)
      #expect(items?.renamingIdentifier == "old")
      #expect(items?.versionHashModifier == "2")
      #expect(family.relationship("B.owner")?.inverse == "items")
    }

    @Test(
      arguments: [("nullify", DeleteRule.nullify), ("cascade", .cascade), ("noAction", .noAction)]
    )
    func `each delete rule is read`(_ name: String, _ rule: DeleteRule) {
      let family = pair("@Relationship(deleteRule: .\(name)) var b: B?", "var x: Int")
      #expect(family.relationship("A.b")?.deleteRule == rule)
    }

    @Test func `an inverse that is not there is a warning, and the relationship has none`() {
      let family = pair("@Relationship(inverse: \\B.gone) var items: [B]", "var x: Int")
      #expect(family.relationship("A.items")?.inverse == nil)
      #expect(family.notes.contains { $0.message.contains("'gone'") && $0.place?.line == 3 })
    }

    @Test func `a relationship to what is no model of the sources is left out with a warning`() {
      let family = SwiftModelFamily.read("@Model class A { @Relationship var b: Far? }")
      #expect(family.current.model.entities[0].relationships.isEmpty)
      #expect(family.notes.contains { $0.message.contains("left out") })
    }
  }
#endif
