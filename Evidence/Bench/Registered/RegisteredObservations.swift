import Basics
import Forecasting
import Foundation
import Generators
import PersistentStore
import Runner
import SQLite
import WorkloadKinds

/// All measurements of one registered migration, as stored in a compressed file.
struct RegisteredObservations: Codable {
  static let currentFormat = 1
  /// The largest accepted size of the uncompressed file, in bytes; every ladder is smaller.
  private static let limit = 64 << 20

  var format = currentFormat
  var number: Int
  var environment: Environment
  /// The divisor of the ladder's sizes; 1 except in tests of the bench.
  var divisor: Int
  var batchSize: Int?
  var failure: String?
  /// The cost of memory that the machine returns to its host; `nil` if that was not measured.
  var memoryReturn: MemoryReturn?
  var observations: [Observation]

  static func path(of number: Int, in folder: String) -> String {
    "\(folder)/registered-\(number < 10 ? "0" : "")\(number).json.gz"
  }

  static func read(_ number: Int, in folder: String) throws -> RegisteredObservations? {
    let path = path(of: number, in: folder)
    guard let data = FileManager.default.contents(atPath: path) else { return nil }
    guard let bytes = try? Gzip.decompress([UInt8](data), limit: limit),
      let found = try? JSONDecoder().decode(Self.self, from: Data(bytes)),
      found.format == currentFormat, found.number == number
    else { throw RegisteredError.damaged(path: path) }
    return found
  }

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

/// Measures registered migrations: the ladder and the judged size, together in one random order.
struct RegisteredMeasurement {
  /// The folder that keeps single runs until a migration is complete.
  let workFolder: String
  let program: String
  let divisor: Int

  /// The number of objects in the profiled store that the file's recipe generates.
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

  /// Makes the measurements that are not stored yet, so that an interrupted run continues.
  ///
  /// - Throws: ``RegisteredError/noCase(file:id:)``, or an error of generating a store.
  func measure(_ registered: RegisteredCase) throws -> RegisteredObservations {
    let holder = registered.isHeld && divisor == 1 ? try Process.holdingMemory() : nil
    defer { holder?.terminate() }
    // Probe the unused memory before the largest store is migrated, as `forecast` does.
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
  /// Starts a process that holds the free memory until it is terminated; returns once the memory is
  /// held.
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
