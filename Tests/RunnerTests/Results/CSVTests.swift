import Runner
import TestSupport
import Testing

@Suite struct CSVTests {
  @Test func `writes every measurement of cases that did not fail, and a record of those that did`()
    throws
  {
    let rows = [
      "workload,kind,case,metric,unit,trial,iteration,value,status,direction,parameters,trials,batchSize,order",
      "fetch/paging,fetch,fetch/paging/batchSize=50,,,,,,failed,,batchSize=50,0,50,",
      #"fetch/paging,fetch,"fetch/paging/batchSize=20,order=""title""",sqlite.vmSteps,count,1,1,1234567,passed,cost,"batchSize=20,order=""title""",2,20,"""title""""#,
      #"fetch/paging,fetch,"fetch/paging/batchSize=20,order=""title""",sqlite.vmSteps,count,2,1,1234567,passed,cost,"batchSize=20,order=""title""",2,20,"""title""""#,
      #"fetch/paging,fetch,"fetch/paging/batchSize=20,order=""title""",wallClock,s,1,1,0.1,passed,cost,"batchSize=20,order=""title""",2,20,"""title""""#,
      #"fetch/paging,fetch,"fetch/paging/batchSize=20,order=""title""",wallClock,s,2,1,0.30000000000000004,passed,cost,"batchSize=20,order=""title""",2,20,"""title""""#,
      "fetch/paging,fetch,fetch/paging/batchSize=90,wallClock,s,1,1,3,failedAsExpected,cost,batchSize=90,1,90,",
    ]
    #expect(try ResultFixture.small.text(as: .samples) == rows.map { $0 + "\r\n" }.joined())
  }

  @Test func `summarises every sample, with no deviation for a single value`() throws {
    let rows = [
      "workload,kind,case,metric,unit,count,min,p50,p90,p99,max,mean,sd,status,direction,parameters,trials,batchSize,order",
      "fetch/paging,fetch,fetch/paging/batchSize=50,,,,,,,,,,,failed,,batchSize=50,0,50,",
      #"fetch/paging,fetch,"fetch/paging/batchSize=20,order=""title""",sqlite.vmSteps,count,2,1234567,1234567,1234567,1234567,1234567,1234567,0,passed,cost,"batchSize=20,order=""title""",2,20,"""title""""#,
      #"fetch/paging,fetch,"fetch/paging/batchSize=20,order=""title""",wallClock,s,2,0.1,0.1,0.30000000000000004,0.30000000000000004,0.30000000000000004,0.2,0.14142135623730953,passed,cost,"batchSize=20,order=""title""",2,20,"""title""""#,
      "fetch/paging,fetch,fetch/paging/batchSize=90,wallClock,s,1,3,3,3,3,3,3,,failedAsExpected,cost,batchSize=90,1,90,",
    ]
    let text = try ResultFixture.small.text(as: .csv)
    #expect(text.split(separator: "\r\n").map(String.init) == rows)
  }

  @Test
  func `has a column for each parameter and each list of the store, sizes as files write them`()
    throws
  {
    var document = ResultFixture.small
    document.workloads[0].workload += "@Note=10k"
    document.workloads[0].cases[2].parameters = [
      "size": "5120", "blob": "3145728", "limit": "5120",
    ]
    for format in [ResultFormat.csv, .samples] {
      let lines = try document.text(as: format).split(separator: "\r\n")
      #expect(lines[0].hasSuffix(",trials,batchSize,blob,limit,order,size,store.Note"))
      #expect(lines.last?.hasSuffix(",1,,3 MB,5120,,5 KB,10k") == true, "\(lines.last ?? "")")
    }
  }
}
