import Basics
import Foundation
import Runner
import TestSupport
import Testing
import WorkloadKinds

@testable import StoreBenchCommand

struct NewCommandTests {
  @Test(
    arguments: WorkloadCatalog.kinds.filter { $0.description.exampleFiles.isEmpty }.map { $0.name }
  )
  func `a new workload of every kind can be planned`(kind: String) throws {
    let folder = try TemporaryFolder()
    let name = folder.file("own")
    let made = RecordingConsole()
    #expect(
      Storebench.run(["new", "workload", name, "--kind", kind], on: made.console) == .done,
      "\(made.errors)"
    )
    let planned = RecordingConsole()
    #expect(
      Storebench.run(["plan", name + ".yaml"], on: planned.console) == .done,
      "\(planned.errors)"
    )
    #expect(planned.output.contains("1 case"))
  }

  @Test func `a new workload lists no parameter that cannot have an effect`() throws {
    let folder = try TemporaryFolder()
    let console = RecordingConsole().console
    let name = folder.file("own")
    #expect(
      Storebench.run(["new", "workload", name, "--kind", "cascadeDelete"], on: console) == .done
    )
    let text = try String(contentsOfFile: name + ".yaml", encoding: .utf8)
    #expect(text.contains("\n  shape: own\n"))
    for parameter in ["rule", "mandatory", "depth", "fanOut", "roots", "blob", "history"] {
      #expect(!text.contains("# \(parameter):"), "\(parameter)")
    }
    for parameter in ["strategy", "childIndex", "rootsPerSave", "batchShape"] {
      #expect(text.contains("# \(parameter):"), "\(parameter)")
    }
  }

  @Test func `a new workload that its store cannot run says so at once`() throws {
    let folder = try TemporaryFolder()
    try "entities:\n  Effort: { attributes: { reps: integer32 } }\n"
      .write(toFile: folder.file("fit.yaml"), atomically: true, encoding: .utf8)
    let console = RecordingConsole()
    let words = ["new", "workload", folder.file("own"), "--kind", "session"]
    let model = ["--store", folder.file("fit.yaml")]
    #expect(Storebench.run(words + model, on: console.console) == .done)
    #expect(console.errors.contains("refuses the file as it is"), "\(console.errors)")
    #expect(console.errors.contains("'Effort' has no text to search"))
    #expect(!console.errors.contains("next: storebench run"))
  }

  @Test func `a new workload lists each parameter once, with its comment apart`() throws {
    let folder = try TemporaryFolder()
    for kind in ["fetch", "blobStorage"] {
      let name = folder.file(kind)
      let words = ["new", "workload", name, "--kind", kind]
      #expect(Storebench.run(words, on: RecordingConsole().console) == .done)
      let text = try String(contentsOfFile: name + ".yaml", encoding: .utf8)
      #expect(text.components(separatedBy: " engine:").count == 2, "\(text)")
      #expect(!text.contains(/[0-9a-zA-Z]#/), "\(text)")
    }
  }

  @Test func `a new recipe is of the model that it is made from`() throws {
    let folder = try TemporaryFolder()
    let console = RecordingConsole().console
    let model = Repository.path("Workloads/scenario/models/notes.yaml")
    let own = folder.file("own.yaml")
    #expect(Storebench.run(["new", "recipe", own, "--from", model], on: console) == .done)
    let text = try String(contentsOfFile: own, encoding: .utf8)
    #expect(text.contains("  Notebook:\n") && !text.contains("Project"))
  }

  @Test func `a new recipe has the objects of a store, and makes one of the same model`() throws {
    let folder = try TemporaryFolder()
    let store = folder.file("like.sqlite")
    let recipe = Repository.path("Workloads/recipes/tasks.yaml")
    let console = RecordingConsole().console
    #expect(
      Storebench.run(
        ["generate", recipe, "--objects", "Task=200", "--output", store],
        on: console
      ) == .done
    )
    let own = folder.file("own.yaml")
    #expect(Storebench.run(["new", "recipe", own, "--store", store], on: console) == .done)
    #expect(try String(contentsOfFile: own, encoding: .utf8).contains("  Task:\n    count: 200\n"))
    let made = folder.file("made.sqlite")
    #expect(Storebench.run(["generate", own, "--output", made], on: console) == .done)
  }

  @Test func `a new file never replaces one`() throws {
    let folder = try TemporaryFolder()
    let console = RecordingConsole()
    #expect(Storebench.run(["new", "recipe", folder.file("m")], on: console.console) == .done)
    #expect(Storebench.run(["new", "recipe", folder.file("m")], on: console.console).code == 73)
    #expect(console.errors.contains("m-model.yaml' exists already: choose another name"))
  }

  private static let people = """
    configurations: { default: [Person] }
    entities:
      Person: { attributes: { name: string } }
    """

  @Test func `a new recipe keeps the framework and the history of its source`() throws {
    let folder = try TemporaryFolder()
    let console = RecordingConsole().console
    try folder.write(Self.people, to: "people.yaml")
    let own = folder.file("own.yaml")
    let model = folder.file("people.yaml")
    #expect(Storebench.run(["new", "recipe", own, "--from", model], on: console) == .done)
    #expect(try String(contentsOfFile: own, encoding: .utf8).contains("\nflavour: swiftData "))
    let store = folder.file("people.sqlite")
    #expect(Storebench.run(["generate", own, "--output", store], on: console) == .done)
    let again = folder.file("again.yaml")
    #expect(Storebench.run(["new", "recipe", again, "--store", store], on: console) == .done)
    #expect(try String(contentsOfFile: again, encoding: .utf8).contains("\nflavour: swiftData "))
    try folder.write(
      """
      format: 1
      model: plain.yaml
      history: true
      entities: { Person: { count: 3 } }
      """,
      to: "plain-recipe.yaml"
    )
    try folder.write("entities: { Person: { attributes: { name: string } } }", to: "plain.yaml")
    let plain = folder.file("plain.sqlite")
    let words = ["generate", folder.file("plain-recipe.yaml"), "--output", plain]
    #expect(Storebench.run(words, on: console) == .done)
    let kept = folder.file("kept.yaml")
    #expect(Storebench.run(["new", "recipe", kept, "--store", plain], on: console) == .done)
    let text = try String(contentsOfFile: kept, encoding: .utf8)
    #expect(text.contains("\nhistory: true ") && !text.contains("flavour"), "\(text)")
  }

  @Test func `a new recipe that cannot be generated says why`() throws {
    let folder = try TemporaryFolder()
    try folder.write(
      """
      entities:
        Person:
          attributes:
            address: { type: composite, optional: false, elements: { city: { type: string } } }
      """,
      to: "people.yaml"
    )
    let console = RecordingConsole()
    let words = ["new", "recipe", folder.file("own"), "--from", folder.file("people.yaml")]
    #expect(Storebench.run(words, on: console.console) == .done)
    #expect(console.errors.contains("'storebench generate' refuses the file as it is"))
    #expect(console.errors.contains("no values can be made for Person.address"))
    #expect(console.errors.contains("or set 'count: 0' for Person"), "\(console.errors)")
    #expect(!console.errors.contains("next:"))
  }

  @Test func `a model without objects gets no recipe`() throws {
    let folder = try TemporaryFolder()
    try folder.write(
      "entities: { Base: { abstract: true, attributes: { name: string } } }",
      to: "base.yaml"
    )
    let console = RecordingConsole()
    let words = ["new", "recipe", folder.file("own"), "--from", folder.file("base.yaml")]
    #expect(Storebench.run(words, on: console.console) == .badInput)
    #expect(console.errors.contains("are abstract"), "\(console.errors)")
    #expect(try folder.names() == ["base.yaml"])
  }

  @Test func `a folder with one store stands for the store, and a recipe can name a store`() throws
  {
    let folder = try TemporaryFolder()
    let console = RecordingConsole().console
    let store = folder.file("App.xcappdata/Documents/app.sqlite")
    let recipe = Repository.path("Workloads/recipes/tasks.yaml")
    let generate = ["generate", recipe, "--objects", "Task=200", "--output", store]
    #expect(Storebench.run(generate, on: console) == .done)
    let own = folder.file("own.yaml")
    let app = folder.file("App.xcappdata")
    #expect(Storebench.run(["new", "recipe", own, "--store", app], on: console) == .done)
    let text = try String(contentsOfFile: own, encoding: .utf8)
    #expect(text.contains("  Task:\n    count: 200\n"), "\(text)")
    #expect(text.contains("model: \"own-model.yaml\""), "\(text)")
    let made = folder.file("made.sqlite")
    #expect(Storebench.run(["generate", own, "--output", made], on: console) == .done)
    let work = folder.file("work.yaml")
    #expect(Storebench.run(["new", "workload", work, "--store", app], on: console) == .done)
    #expect(try String(contentsOfFile: work, encoding: .utf8).contains("path: \"\(store)\""))
    try folder.write(
      "format: 1\nmodel: made.sqlite\nentities: { Task: { count: 3 } }",
      to: "named.yaml"
    )
    let named = ["generate", folder.file("named.yaml"), "--output", folder.file("n.sqlite")]
    #expect(Storebench.run(named, on: console) == .done)
  }

  @Test(arguments: ["workload", "recipe"])
  func `a new file in a folder that cannot be made is refused`(kind: String) throws {
    let folder = try TemporaryFolder()
    try folder.write("", to: "file")
    let console = RecordingConsole()
    let words = ["new", kind, folder.file("file/below/own")]
    #expect(Storebench.run(words, on: console.console).code == 73)
    #expect(console.errors.contains("cannot be made; choose another folder"), "\(console.errors)")
  }

  @Test func `nothing is written if one of the files exists`() throws {
    let folder = try TemporaryFolder()
    try folder.write("", to: "own-recipe.yaml")
    let console = RecordingConsole()
    let status = Storebench.run(["new", "workload", folder.file("own")], on: console.console)
    #expect(status.code == 73)
    #expect(console.errors.contains("own-recipe.yaml' exists already"), "\(console.errors)")
    #expect(try folder.names() == ["own-recipe.yaml"])
  }

  @Test func `a replay is made from a log, and the message says how`() {
    let console = RecordingConsole()
    #expect(
      Storebench.run(["new", "workload", "own", "--kind", "replay"], on: console.console) == .misuse
    )
    #expect(console.errors.contains("storebench analyze LOG --workload own.yaml"))
  }

  @Test func `an unknown command gets a suggestion`() {
    let console = RecordingConsole()
    #expect(Storebench.run(["comprae", "a", "b"], on: console.console) == .misuse)
    #expect(
      console.errors
        == "unknown command 'comprae'; did you mean 'compare'? See 'storebench --help'\n"
    )
  }
}
