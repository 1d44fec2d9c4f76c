import Basics
import Foundation
import Testing

@testable import Forecasting

struct PopulationTests {
  private let forecast = SyntheticLadder(seconds: { 0.01 + 25e-6 * $0 }).forecast()

  private func population(_ csv: String) throws -> Population {
    try PopulationFile(csv: csv, path: "users.csv", shape: forecast.shape)
      .population(for: forecast)
  }

  @Test func `reads one store a line`() throws {
    let read = try population("objects,users\n100,1\n5000, 3\n20,1\n")
    #expect(
      read.groups == [
        .init(objects: 20, users: 1), .init(objects: 100, users: 1), .init(objects: 5000, users: 3),
      ]
    )
    #expect(read.share(above: 100) == 0.6)
  }

  @Test func `reads bytes and counts of entities by what the ladder's stores are like`() throws {
    let bytes = try population("store_bytes\n5200000\n")
    #expect(abs(try #require(bytes.groups.first).objects / 10_000 - 1) < 0.01)
    // Four in five objects are tasks, so 8,000 tasks mean 10,000 objects.
    let counts = try population("user,Task_Count\na,8000\n")
    #expect(abs(try #require(counts.groups.first).objects / 10_000 - 1) < 0.01)
  }

  @Test func `reads quantiles and histograms evenly by logarithms`() throws {
    let quantiles = try population("quantile,objects\n0.5,1000\n0.9,10000\n1,100000\n")
    #expect(abs(quantiles.users - 1) < 1e-9)
    #expect(abs(quantiles.share(above: 10_000) - 0.1) < 1e-9)
    #expect(abs(quantiles.share(above: 31_623) - 0.05) < 0.006)
    let bins = try population("from,to,users\n0,1000,90\n1000,100000,10\n")
    #expect(abs(bins.share(above: 10_000) - 0.05) < 0.006)
  }

  @Test func `reads a histogram of bytes, and numbers between quotes`() throws {
    let bins = try population("from_bytes,to_bytes,users\n0,200000,3\n5200000,50200000,1\n")
    #expect(abs(bins.share(above: 10_000) - 0.25) < 1e-9)
    #expect(abs(bins.largest / 100_000 - 1) < 0.1)
    let quoted = try population("\"user\",\"objects\"\n\"Doe, Jo\",\"500\"\n")
    #expect(quoted.groups == [.init(objects: 500, users: 1)])
  }

  @Test func `counts every user in bins without gaps`() throws {
    let read = try population("objects,users\n1000,900\n119000,50\n400000,49\n50000000,1\n")
    let bins = read.bins()
    #expect(bins.reduce(0) { $0 + $1.users } == 1000)
    #expect(bins.first.map { $0.from <= 1000 && $0.to > 1000 && $0.users == 900 } == true)
    #expect(bins.last.map { $0.from <= 5e7 && $0.to > 5e7 && $0.users == 1 } == true)
    #expect(zip(bins, bins.dropFirst()).allSatisfy { $0.to == $1.from })
    #expect(Population([]).bins().isEmpty)
  }

  @Test func `narrows the interval of a time to 80 and 50 of 100 outcomes`() throws {
    for objects in [1000.0, 64_000, 1_000_000] {
      let whole = try forecast.predict(.time, objects: objects).get()
      let bands = try forecast.timeBands(objects: objects).get()
      let lows = bands.intervals.map(\.low)
      let highs = bands.intervals.map(\.high)
      #expect(lows == lows.sorted(by: >) && highs == highs.sorted())
      #expect(abs((lows.last ?? 0) / whole.low - 1) < 1e-9)
      #expect(abs((highs.last ?? 0) / whole.high - 1) < 1e-9)
      #expect(lows.allSatisfy { $0 < whole.value } && highs.allSatisfy { $0 > whole.value })
    }
  }

  @Test func `names the counts that are of no entity`() throws {
    let read = try population("task_count,launch_count,user_count\n80,7,2\n")
    #expect(read.unread == ["launch_count"])
    #expect(read.users == 2)
  }

  @Test func `tells the share of users over a budget with its range`() throws {
    let read = try population("objects,users\n1000,900\n119000,50\n400000,49\n50000000,1\n")
    let found = try read.exceeding(ResourceBudget(.time, limit: 3), of: forecast).get()
    #expect(abs(found.share - 0.05) < 1e-9)
    #expect(abs(found.high - 0.1) < 1e-9)
    #expect(abs(found.unknown - 0.001) < 1e-9)
    #expect(found.low <= found.share)
  }

  @Test func `shares of users are fractions, which numbers of users are not`() throws {
    let read = try population("objects,share\n100,0.25\n5000,0.75\n")
    #expect(read.users == 1 && read.share(above: 100) == 0.75)
  }

  @Test func `the largest store is the largest listed size`() throws {
    let read = try population("quantile,objects\n0.5,2000\n1,500000\n")
    #expect(read.largest == 500_000 && read.beyond == 0)
    let bins = try population("from,to,users\n0,1000,90\n1000,100000,10\n200000,300000,0\n")
    #expect(bins.largest == 100_000)
  }

  @Test func `users above the last quantile are unknown, unless that size is too slow`() throws {
    let read = try population("quantile,objects\n0.5,2000\n0.99,50000\n")
    #expect(abs(read.beyond - 0.01) < 1e-9)
    let fitting = try read.exceeding(ResourceBudget(.time, limit: 3), of: forecast).get()
    #expect(fitting.share == 0 && fitting.low == 0 && fitting.judged == 0)
    #expect(abs(fitting.high - 0.01) < 1e-9 && abs(fitting.unknown - 0.01) < 1e-9)
    let over = try read.exceeding(ResourceBudget(.time, limit: 0.5), of: forecast).get()
    #expect(over.low >= 0.01 - 1e-9 && over.high >= over.share)
    #expect(read.knownQuantile(0.995) == nil && read.knownQuantile(0.99) != nil)
  }

  @Test(arguments: [
    ("", "'users.csv' has no rows: it needs a first line with column names, then one line per row"),
    (
      "objects\n",
      "'users.csv' has no rows: it needs a first line with column names, then one line per row"
    ),
    (
      "objects\n10\n-5\n",
      "'users.csv', line 3: 'objects' must be from 0 to 10,000,000,000 objects, not '-5'"
    ),
    (
      "objects\n1e99\n",
      "'users.csv', line 2: 'objects' must be from 0 to 10,000,000,000 objects, not '1e99'"
    ),
    (
      "objects\nmany\n",
      "'users.csv', line 2: 'objects' must be from 0 to 10,000,000,000 objects, not 'many'"
    ),
    (
      "objects,users\n1,2\n3\n",
      "'users.csv', line 3: 1 fields, but the first line names 2"
    ),
    (
      "weight\n1\n",
      "'users.csv' has the columns 'weight'; it needs 'objects', 'bytes', or a count of each "
        + "entity, such as 'task_count'"
    ),
    (
      "photo_count\n1\n",
      "'users.csv' counts 'photo_count', but the store's entities are 'Project', 'Task'"
    ),
    (
      "quantile,objects\n0.5,100\n0.4,200\n",
      "'users.csv', line 3: quantiles and sizes must increase from line to line"
    ),
    ("from,to,users\n10,5,1\n", "'users.csv', line 2: 'to' must be above 'from'"),
    (
      "from,to,users\n500,2000,1\n0,1000,1\n",
      "'users.csv', line 2: 'from' is 500, but an earlier range ends at 1000, so users would count twice"
    ),
    (
      "from,to\n1,10\n",
      "'users.csv' has the columns 'from', 'to'; it needs 'users' beside 'from' and 'to'"
    ),
    (
      "objects;users\n5;1\n",
      "'users.csv' separates its fields by ';': export it with commas"
    ),
    (
      "objects\n\"1,000\"\n",
      "'users.csv', line 2: 'objects' must be from 0 to 10,000,000,000 objects, not '1,000': "
        + "write it without thousands separators"
    ),
    (
      // A size without a unit could be objects or bytes, which differ by a factor of hundreds.
      "size\n50000000\n",
      "'users.csv' has the columns 'size'; it needs 'objects', 'bytes', or a count of each entity, "
        + "such as 'task_count'"
    ),
    ("objects,users\n5,0\n", "'users.csv' counts no users: at least one number must be above 0"),
    (
      "objects,users\n5,nan\n",
      "'users.csv', line 2: 'users' must be a whole number of users, not 'nan'"
    ),
    (
      "objects,users\n5,1.5\n",
      "'users.csv', line 2: 'users' must be a whole number of users, not '1.5'"
    ),
    (
      "objects,users\n5,\"1'234'567\"\n",
      "'users.csv', line 2: 'users' must be a whole number of users, not '1'234'567': write it "
        + "without thousands separators"
    ),
    (
      "objects,users\n5,\"12,5\"\n",
      "'users.csv', line 2: 'users' must be a whole number of users, not '12,5'"
    ),
  ])
  func `says where a population is wrong`(csv: String, message: String) {
    let error = #expect(throws: Refusal.self) { try population(csv) }
    #expect(error?.description == message)
  }
}
