#if SwiftSource
  import DataModel
  import SwiftModelReader
  import SwiftModels

  extension SwiftModelFamily {
    /// Reads the model of the classes in a text.
    static func read(_ text: String) -> SwiftModelFamily {
      SwiftSource.read(text: "import SwiftData\n" + text)
    }

    func attribute(_ path: String) -> Attribute? {
      let parts = path.split(separator: ".").map(String.init)
      return current.model.entity(named: parts[0])?.attribute(named: parts[1])
    }

    func relationship(_ path: String) -> Relationship? {
      let parts = path.split(separator: ".").map(String.init)
      return current.model.entity(named: parts[0])?.relationship(named: parts[1])
    }

    var entityNames: [String] { current.model.entities.map(\.name) }

    /// Reads the model of a class `A` with the given body.
    static func body(_ text: String) -> SwiftModelFamily {
      read("@Model final class A {\n\(text)\n}")
    }
  }
#endif
