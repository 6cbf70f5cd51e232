"""What tests, benchmarks and the demo share: finding .NET, building test programs, checking messages."""
