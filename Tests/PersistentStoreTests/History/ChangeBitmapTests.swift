import DataModel
import PersistentStore
import Testing

struct ChangeBitmapTests {
  @Test func `orders properties by the bytes of their names`() throws {
    // The decomposed é sorts after `f` as a Swift string, but before it as bytes.
    let accented = "e\u{301}tat"
    let entity = Entity(
      name: "Thing",
      attributes: [accented, "f", "a"].map { Attribute(name: $0, type: .string) },
      relationships: [
        Relationship(name: "one", destination: "Thing", inverse: "many"),
        Relationship(name: "many", destination: "Thing", inverse: "one", isToMany: true),
      ]
    )
    let layout = StoreLayout(model: Model(entities: [entity]), keepsHistory: true)
    let columns = try #require(layout.table(of: "Thing")).columns
    let bitmap = ChangeBitmap(columns: columns, toManys: ["many"])
    func bytes(_ name: String) -> [UInt8] {
      bitmap.bytes(columns.indices.filter { columns[$0].property == name })
    }
    #expect(bytes("one") == [0b1000_0000])
    #expect(bytes("a") == [0b0100_0000])
    #expect(bytes(accented) == [0b0010_0000])
    #expect(bytes("f") == [0b0001_0000])
    #expect(bitmap.bytes([], toManys: ["many"]) == [0b0000_1000])
  }
}
