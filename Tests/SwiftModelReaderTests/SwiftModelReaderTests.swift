#if SwiftSource
  import SwiftModelReader
  import Testing

  @Suite struct SwiftModelReaderTests {
    @Test func `a class with the macro is a model`() {
      #expect(declaresModel("@Model class A {}"))
    }
  }
#endif
