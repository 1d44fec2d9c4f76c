import TestSupport

typealias Fixture = ResultFixture
