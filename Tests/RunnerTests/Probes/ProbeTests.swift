import Basics
import Foundation
import PersistentStore
import TestSupport
import Testing

@testable import Runner

struct ProbeTests {
  @Test func `reads the peak of the resident set as the system writes it`() {
    let status = "Name:\tstorebench\nVmPeak:\t  9000 kB\nVmHWM:\t    1234 kB\nVmRSS:\t 1000 kB\n"
    #expect(Probes.PeakMemory.value(of: "VmHWM", in: status) == 1_263_616)
    #expect(Probes.PeakMemory.value(of: "VmSwap", in: status) == nil)
    #expect(Probes.PeakMemory.value(of: "VmHWM", in: "VmHWM: lots\n") == nil)
  }

  #if os(Linux)
    @Test func `the peak of the resident set sees what was held meanwhile`() throws {
      #expect(Probes.PeakMemory.reset())
      let before = try #require(Probes.PeakMemory.read())
      var bytes: [UInt8]? = [UInt8](repeating: 1, count: 64 << 20)
      bytes?[7] = 3
      bytes = nil
      let after = try #require(Probes.PeakMemory.read())
      #expect(after - before > 32 << 20)
    }

    @Test func `drops a file from memory and sees that it is gone`() throws {
      let folder = try TemporaryFolder(in: URL(fileURLWithPath: "/var/tmp"))
      let path = try folder.write(Data(repeating: 7, count: 1 << 20), to: "a.sqlite")
      try folder.write(Data(repeating: 7, count: 1 << 20), to: ".a_SUPPORT/_EXTERNAL_DATA/B")
      let cache = PageCache(of: StoreFile(path: path))
      cache.warm()
      #expect(cache.residentShare() == 1)
      cache.drop()
      #expect(PageCache.isCold(cache.residentShare()))
      cache.warm()
      #expect(cache.residentShare() == 1)
    }
  #endif

  @Test func `a store without pages has none in memory`() throws {
    let folder = try TemporaryFolder()
    #expect(PageCache(of: StoreFile(path: folder.path + "/none.sqlite")).residentShare() == 0)
  }

  @Test func `the clock rises and knows its resolution`() {
    let first = MonotonicClock.now()
    #expect(MonotonicClock.now() >= first)
    #expect((1e-9...1).contains(MonotonicClock.resolution()))
  }

  @Test(arguments: [("low 0\nhigh 3\noom 2\noom_kill 5\n", 5), ("", 0), ("oom_kill x\n", 0)])
  func `reads how often memory ran out`(events: String, count: Int) {
    #expect(WorkerFault.MemoryControl.count(in: events) == count)
  }
}
