import Foundation
import PersistentStore
import SQLite
import Synchronization
import TestSupport
import Testing

@testable import Runner

struct StartingStoresTests {
  /// An executor that counts the starting stores that it makes.
  private final class CountingExecutor: TrialExecutor {
    private let made = Mutex(0)
    private let obstacle: String?
    var count: Int { made.withLock { $0 } }

    init(obstacle: String? = nil) {
      self.obstacle = obstacle
    }

    func execute(_ request: TrialRequest, within limits: TrialLimits) throws -> TrialResponse {
      #expect(request.task == .makeStartingStore)
      made.withLock { $0 += 1 }
      return TrialResponse(
        outcome: obstacle.map { .failed($0) } ?? .passed(Verification(digest: ""))
      )
    }
  }

  private let bench: Bench
  private let scratch: ScratchFolder

  init() throws {
    bench = try Bench()
    scratch = try ScratchFolder(in: bench.folder.path + "/scratch")
  }

  private func planned(_ name: String) -> Case {
    let none = ParameterValues()
    return Case(
      id: name,
      shownParameters: none,
      parameters: none,
      allParameters: none,
      traits: CaseTraits(endState: "", startingStore: name)
    )
  }

  private func start(
    _ name: String,
    in stores: StartingStores,
    by executor: CountingExecutor,
    cachePages: Int = 2000
  ) throws -> (store: StoreFile, obstacle: String?) {
    var file = try bench.plan("parameters: { strategy: raise }").workloads[0].file
    file.settings.cachePages = cachePages
    return try stores.store(
      for: planned(name),
      of: file,
      from: try GivenStore(store: bench.store).store(for: file, in: scratch),
      in: scratch,
      executor: executor
    )
  }

  @Test func `each is made once, and again for other settings`() throws {
    let (stores, executor) = (StartingStores(capacity: 9), CountingExecutor())
    let first = try start("old", in: stores, by: executor)
    let again = try start("old", in: stores, by: executor)
    #expect(executor.count == 1)
    #expect(first.store == again.store && first.store != bench.store && first.store.exists)
    let small = try start("old", in: stores, by: executor, cachePages: 100)
    let other = try start("other", in: stores, by: executor)
    #expect(executor.count == 3)
    #expect(Set([first, small, other].map(\.store)).count == 3)
    #expect([first, small, other].allSatisfy { $0.store.exists })
  }

  @Test func `the oldest that is not in use is removed where no more may be kept`() throws {
    let (stores, executor) = (StartingStores(capacity: 1), CountingExecutor())
    let first = try start("old", in: stores, by: executor)
    let second = try start("new", in: stores, by: executor)
    #expect(first.store.exists && second.store.exists)
    stores.release(first.store, in: scratch)
    #expect(first.store.exists)
    stores.release(second.store, in: scratch)
    #expect(!first.store.exists && second.store.exists)
    _ = try start("old", in: stores, by: executor)
    #expect(executor.count == 3)
  }

  @Test func `one that cannot be made is not tried again`() throws {
    let (stores, executor) = (StartingStores(capacity: 9), CountingExecutor(obstacle: "no model"))
    for _ in 0..<3 {
      #expect(try start("old", in: stores, by: executor).obstacle == "no model")
    }
    #expect(executor.count == 1)
  }
}

struct TimeSpentTests {
  @Test func `what no part has taken is other time`() {
    var time = 10.0
    let spent = TimeSpent(now: { time })
    spent.makingStores { time += 4 }
    spent.copying { time += 1 }
    time += 3
    var response = TrialResponse(outcome: .passed(Verification(digest: "")))
    response.times = TrialResponse.Times(work: 1.5, checks: 0.5, preparation: 0.25)
    _ = spent.executing {
      time += 3
      return response
    }
    // A failed trial reports no times, so all of its time counts as 'other'.
    _ = spent.executing {
      time += 1
      return TrialResponse(outcome: .failed("no store"))
    }
    spent.keepingResults { time += 0.5 }
    #expect(
      spent.text
        == "12.5 s: stores 4.00 s, copies 1.00 s, work 1.50 s, checks 500 ms, preparation 250 ms, "
        + "workers 750 ms, results 500 ms, other 4.00 s"
    )
  }

  @Test func `a run adds up its copies, its work and its checks`() throws {
    let bench = try Bench()
    let scratch = try ScratchFolder(in: bench.folder.path + "/scratch")
    let times = TimeSpent()
    _ = try Run(
      plan: try bench.plan("parameters: { strategy: raise }\ntrials: { trials: 2 }"),
      environment: .example,
      stores: GivenStore(store: bench.store),
      executor: bench.executor,
      scratch: scratch,
      times: times
    ).perform()
    for part in [times.copies, times.work, times.checks] { #expect(part > 0) }
    #expect(times.copies + times.work + times.checks <= times.wall)
  }
}
