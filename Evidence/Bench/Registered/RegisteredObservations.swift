import Basics
import Forecasting
import Foundation
import Generators
import PersistentStore
import Runner
import SQLite
import WorkloadKinds

/// Everything that was measured of one registered migration, as it is kept, compressed.
struct RegisteredObservations: Codable {
  static let currentFormat = 1
  /// No ladder has more bytes.
  private static let limit = 64 << 20

  var format = currentFormat
  var number: Int
  /// The commit whose method it was measured for, and the machine.
  var environment: Environment
  /// What the ladder's sizes were divided by: 1, but for a try.
  var divisor: Int
  var batchSize: Int?
  var failure: String?
  /// What the machine was found to do with memory, before anything was measured; `nil` where it
  /// returns none.
  var memoryReturn: MemoryReturn?
  /// In the order in which they were made.
  var observations: [Observation]

  static func path(of number: Int, in folder: String) -> String {
    "\(folder)/registered-\(number < 10 ? "0" : "")\(number).json.gz"
  }

  /// What is kept of a migration; `nil` where nothing is.
  ///
  /// - Throws: ``RegisteredError/damaged(path:)``.
  static func read(_ number: Int, in folder: String) throws -> RegisteredObservations? {
    let path = path(of: number, in: folder)
    guard let data = FileManager.default.contents(atPath: path) else { return nil }
    guard let bytes = try? Gzip.decompress([UInt8](data), limit: limit),
      let found = try? JSONDecoder().decode(Self.self, from: Data(bytes)),
      found.format == currentFormat, found.number == number
    else { throw RegisteredError.damaged(path: path) }
    return found
  }

  /// Keeps them, at once and whole.
  func write(in folder: String) throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let bytes = try Gzip.compress([UInt8](encoder.encode(self)), level: 9)
    try Data(bytes).write(
      to: URL(fileURLWithPath: Self.path(of: number, in: folder)),
      options: .atomic
    )
  }
}

/// Measures registered migrations: the ladder and the size that is judged, in one random order.
struct RegisteredMeasurement {
  /// Where single runs are kept until a migration is whole.
  let workFolder: String
  let program: String
  /// What all sizes are divided by, to try the bench out.
  let divisor: Int

  /// The profile of a store that the file's recipe made, of so many objects.
  private static let likeObjects = 20_000

  static func design(of registered: RegisteredCase, divisor: Int) -> LadderDesign {
    let usual = registered.ladder == .full ? LadderDesign.full() : .quick()
    return LadderDesign(
      rungs: usual.rungs.map { max($0 / divisor, 20) },
      repeats: usual.repeats,
      truths: [max(registered.objects / divisor, 40)],
      truthRepeats: divisor == 1 ? 3 : 1
    )
  }

  /// Measures what is not kept yet; a run that was interrupted goes on.
  ///
  /// - Throws: ``RegisteredError/noCase(file:id:)``, and what keeps a store from being made.
  func measure(_ registered: RegisteredCase) throws -> RegisteredObservations {
    let holder = registered.isHeld && divisor == 1 ? try Process.holdingMemory() : nil
    defer { holder?.terminate() }
    // As in a forecast: beyond what is in use before the largest store is migrated.
    let memoryReturn = MemoryProbe.measure(bytes: .infinity)
    let plan = try Plan(paths: [registered.file], kinds: WorkloadCatalog.kinds)
    let found = plan.workloads.lazy.flatMap { workload in workload.cases.map { (workload, $0) } }
      .first { RegisteredCase.field($0.1.id) == registered.id }
    guard let (workload, planned) = found else {
      throw RegisteredError.noCase(file: registered.file, id: registered.id)
    }
    guard case .recipe(let name, let reference) = workload.file.store else {
      throw RegisteredError.noCase(file: registered.file, id: registered.id)
    }
    let recipe = registered.isLike ? try like(reference) : reference
    var file = workload.file
    file.settings.cachePages = registered.cachePages
    let scratch = try ScratchFolder(in: workFolder + "/scratch")
    let environment = EnvironmentProbe.read(
      workFolder: scratch.path,
      codeFolder: ".",
      startedAt: Date.now.formatted(.iso8601)
    )
    let run = LadderRun(
      cases: [
        LadderCase(
          workload: workload.with(file),
          planned: planned,
          store: try ScaledStore(name: name, recipe)
        )
      ],
      design: Self.design(of: registered, divisor: divisor),
      environment: environment,
      stores: StoreLibrary(cacheFolder: workFolder + "/stores"),
      executor: WorkerProcess(executable: program),
      scratch: scratch,
      cacheFolder: workFolder + "/stores",
      keepFolder: workFolder + "/runs-\(registered.number)"
    )
    let outcome = try run.perform().first
    // A store of millions of objects is not needed again.
    try? FileManager.default.removeItem(atPath: workFolder + "/stores")
    return RegisteredObservations(
      number: registered.number,
      environment: environment,
      divisor: divisor,
      batchSize: outcome?.batchSize,
      failure: outcome?.failure,
      memoryReturn: memoryReturn,
      observations: outcome?.observations ?? []
    )
  }

  /// A profile of a store that the recipe makes: the way of `forecast --like`.
  private func like(_ reference: RecipeReference) throws -> RecipeReference {
    let name = URL(fileURLWithPath: reference.path).deletingPathExtension().lastPathComponent
    let kept = "\(workFolder)/like/\(name).profile.yaml"
    guard !FileManager.default.fileExists(atPath: kept) else { return RecipeReference(path: kept) }
    let folder = try BenchFolder()
    let scaled = try ScaledStore(name: name, reference).source(objects: Self.likeObjects / divisor)
    guard case .recipe(_, let sized) = scaled else { return reference }
    let path = try folder.file("like.sqlite")
    try StoreGenerator(sized.read()).generate(at: path)
    let store = StoreFile(path: path)
    let layout = try PersistentStore.open(store).layout
    let profile = try StoreProfiler(StoreContent(store: store, layout: layout), k: 1).profile()
    try FileManager.default.createDirectory(
      atPath: workFolder + "/like",
      withIntermediateDirectories: true
    )
    try AtomicFile.write(ProfileWriter(profile).text, to: kept)
    return RecipeReference(path: kept)
  }
}

extension Process {
  /// A process that holds the memory that would be free, from when it is taken until it is ended.
  fileprivate static func holdingMemory() throws -> Process {
    let holder = Process.bench(["hold-memory"])
    let ready = Pipe()
    holder.standardOutput = ready
    printProgress("reserving the free memory, which takes about a minute")
    try holder.run()
    _ = try ready.fileHandleForReading.read(upToCount: 1)
    return holder
  }
}

/// What can go wrong with the registered validation.
enum RegisteredError: Error, Equatable, CustomStringConvertible {
  case damaged(path: String)
  case noCase(file: String, id: String)
  case noDraw(path: String)
  case otherDraw(path: String)
  case otherPredictions([Int])

  var description: String {
    switch self {
    case .damaged(let path): "'\(path)' is damaged: take it from the repository again"
    case .noCase(let file, let id):
      "'\(file)' no longer has the case '\(id)', which was chosen from an earlier version of the "
        + "file"
    case .noDraw(let path): "'\(path)' is missing: choose the migrations with '--commit HASH' first"
    case .otherDraw(let path):
      "'\(path)' contains other chosen migrations: use another results folder"
    case .otherPredictions(let numbers):
      "predictions that differ from the stored predictions: "
        + numbers.map(String.init).joined(separator: ", ")
    }
  }
}
