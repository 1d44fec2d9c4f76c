import Basics
import Forecasting
import Foundation
import Generators
import PersistentStore
import Runner

/// Makes the stores of a fleet's users, and a list of them.
struct FleetJob {
  let command: PlanDocument.Command.Fleet
  let reference: RecipeReference
  /// `nil` for the whole fleet.
  let shard: Shard?
  /// `nil` for a folder of the recipe's name.
  let folder: String?
  let isReplacing: Bool
  let writer: any StoreWriter

  private static let listName = "fleet.csv"

  func perform(on console: Console) throws -> CommandStatus {
    Signals.listen()
    let name = URL(fileURLWithPath: reference.path).deletingPathExtension().lastPathComponent
    let folder = folder ?? name + "-fleet"
    let store = try ScaledStore(name: name, reference)
    let fleet = try command.fleet(of: store)
    let numbers = (1...command.users).filter { number in
      shard.map { (number - 1) % $0.count == $0.index - 1 } ?? true
    }
    var rows = ["user,file,objects,version,years,dirt,seed,bytes"]
    var bytes: Int64 = 0
    try ProgressLine.during(console) { line in
      for (index, number) in numbers.enumerated() {
        guard !Signals.isStopped() else { throw RunnerError.interrupted }
        let user = fleet.user(number)
        line.take(index, of: numbers.count, "user \(number), \(user.objects.grouped) objects")
        let recipe = try fleet.recipe(of: user, from: store)
        let made = try StoreGenerator(try recipe.read(), writer: writer)
          .generate(at: "\(folder)/user-\(number).sqlite", replacing: isReplacing)
        bytes += made.file.bytes
        let facts: [String] = [
          "\(number)", made.file.name, "\(user.objects)",
          user.version.split(separator: "/").last.map(String.init) ?? "", user.years.shortest,
          user.dirt.shortest, "\(recipe.seed ?? 0)", "\(made.file.bytes)",
        ]
        rows.append(facts.joined(separator: ","))
      }
    }
    let part = shard.map { "-\($0.index)-of-\($0.count)" } ?? ""
    let list = folder + "/" + Self.listName.replacing(".", with: part + ".")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try AtomicFile.write(rows.joined(separator: "\n") + "\n", to: list)
    console.print(list)
    console.note(
      "\(Figures.counted(numbers.count, "store")), \(Figures.bytes(Double(bytes), .rough))"
    )
    return .done
  }
}
