import DataModel
import Testing

@testable import Generators

struct CanonicalFormTests {
  private struct Part: Hashable {
    var name = "a"
    var size = 1.5
    var isSet = true
    var list = [1, 2]
    var choice = Choice.plain
    var options: [String: Int] = ["b": 2, "a": 1]
    var nothing: Int?
  }

  private enum Choice: Hashable {
    case plain
    case other
    case value(Int)
  }

  @Test func `the text is fixed`() {
    #expect(
      CanonicalForm.text(of: Part())
        == "(name=1:a,size=d3ff8000000000000,isSet=true,list=(=1,=2,),choice=.plain(),"
        + "options={1:a=1,1:b=2,},nothing=(),)"
    )
  }

  @Test func `every property shapes the digest`() {
    var parts = [Part(), Part(), Part(), Part(), Part(), Part(), Part(), Part(), Part()]
    parts[1].name = "b"
    parts[2].size = 1.25
    parts[3].isSet = false
    parts[4].list = [12]
    parts[5].choice = .other
    parts[6].choice = .value(0)
    parts[7].options["c"] = 3
    parts[8].nothing = 0
    #expect(Set(parts.map(CanonicalForm.digest)).count == 9)
  }

  @Test func `texts cannot be mistaken for structure`() {
    #expect(CanonicalForm.text(of: ["a,1:b"]) != CanonicalForm.text(of: ["a", "b"]))
  }

  @Test func `equal recipes have equal digests, and any change another`() throws {
    let recipe = try Recipes.named("tasks")
    let again = try Recipes.named("tasks")
    #expect(CanonicalForm.digest(of: again) == CanonicalForm.digest(of: recipe))
    var changed = recipe
    changed.seed += 1
    #expect(CanonicalForm.digest(of: changed) != CanonicalForm.digest(of: recipe))
    changed = recipe
    changed.model.versionIdentifiers = ["9"]
    #expect(CanonicalForm.digest(of: changed) != CanonicalForm.digest(of: recipe))
    changed = recipe
    changed.entities[0].attributes["filename"]?.nullShare = 0.5
    #expect(CanonicalForm.digest(of: changed) != CanonicalForm.digest(of: recipe))
  }
}
