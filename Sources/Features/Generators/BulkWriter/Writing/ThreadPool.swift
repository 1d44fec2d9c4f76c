import Basics

final class ThreadPool: @unchecked Sendable {
  typealias Work = @Sendable (_ worker: Int, _ turn: Turn) throws -> Void

  /// The permission to write an item, which is given after all earlier items have been written.
  struct Turn: Sendable {
    fileprivate let pool: ThreadPool
    let item: Int

    func wait() throws {
      try pool.monitor.locked {
        while pool.turn != item, pool.failure == nil { pool.monitor.wait() }
        if pool.failure != nil { throw Stopped() }
      }
    }

    func pass(_ progress: BulkProgress) {
      pool.changing {
        pool.news = progress
        pool.turn += 1
      }
    }
  }

  private struct Stopped: Error {}

  // The following properties are accessed only while the monitor is locked.
  private let monitor = Monitor()
  private var next = 0
  private var turn = 0
  private var running = 0
  private var failure: (any Error)?
  private var news: BulkProgress?

  private let itemCount: Int
  private let work: Work

  private init(itemCount: Int, work: @escaping Work) {
    self.itemCount = itemCount
    self.work = work
  }

  static func run(
    items: Int,
    threads: Int,
    progress: (BulkProgress) throws -> Void,
    work: @escaping Work
  ) throws {
    let pool = ThreadPool(itemCount: items, work: work)
    pool.running = min(threads, items)
    let handles = (0..<pool.running).map { worker in
      Thread { pool.take(worker) }
    }
    while let report = pool.waitForNews() {
      do {
        try progress(report)
      } catch {
        pool.stop(error)
      }
    }
    for handle in handles { handle.join() }
    if let failure = pool.failure { throw failure }
  }

  private func take(_ worker: Int) {
    while let item = claim() {
      do {
        try work(worker, Turn(pool: self, item: item))
      } catch {
        stop(error)
      }
    }
    changing { running -= 1 }
  }

  private func claim() -> Int? {
    monitor.locked {
      guard failure == nil, next < itemCount else { return nil }
      next += 1
      return next - 1
    }
  }

  private func stop(_ error: any Error) {
    changing {
      if failure == nil, !(error is Stopped) { failure = error }
    }
  }

  private func changing(_ body: () -> Void) {
    monitor.locked {
      body()
      monitor.wakeAll()
    }
  }

  /// Waits for the next progress report; returns `nil` after all threads have ended.
  private func waitForNews() -> BulkProgress? {
    monitor.locked {
      while news == nil, running > 0 { monitor.wait() }
      defer { news = nil }
      return news
    }
  }

  private struct Thread {
    private final class Body: Sendable {
      let run: @Sendable () -> Void

      init(_ run: @escaping @Sendable () -> Void) {
        self.run = run
      }
    }

    private let handle: pthread_t?

    init(_ body: @escaping @Sendable () -> Void) {
      let context = Unmanaged.passRetained(Body(body))
      var handle = pthread_t()
      let start: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = {
        if let context = $0 { Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run() }
        return nil
      }
      let status = pthread_create(&handle, nil, start, context.toOpaque())
      self.handle = status == 0 ? handle : nil
      if status != 0 { context.takeRetainedValue().run() }
    }

    func join() {
      if let handle { pthread_join(handle, nil) }
    }
  }

  /// A lock with which threads can wait for each other.
  private final class Monitor: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

    init() {
      pthread_mutex_init(mutex, nil)
      pthread_cond_init(condition, nil)
    }

    deinit {
      pthread_cond_destroy(condition)
      pthread_mutex_destroy(mutex)
      condition.deallocate()
      mutex.deallocate()
    }

    func locked<Result>(_ body: () throws -> Result) rethrows -> Result {
      pthread_mutex_lock(mutex)
      defer { pthread_mutex_unlock(mutex) }
      return try body()
    }

    /// Releases the lock until another thread calls ``wakeAll()``; the lock must be held.
    func wait() {
      pthread_cond_wait(condition, mutex)
    }

    func wakeAll() {
      pthread_cond_broadcast(condition)
    }
  }
}
