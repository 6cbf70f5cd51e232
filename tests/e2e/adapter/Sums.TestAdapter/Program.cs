// Two tests, and what the test platform needs to find and to run them: no package is needed to build it.
using System;
using System.Collections.Generic;
using System.Linq;
using Microsoft.VisualStudio.TestPlatform.ObjectModel;
using Microsoft.VisualStudio.TestPlatform.ObjectModel.Adapter;
using Microsoft.VisualStudio.TestPlatform.ObjectModel.Logging;

static class Sums
{
    public static void Two()
    {
        int sum = 1 + 1;
        Expect(2, sum); // @two
    }

    public static void Three()
    {
        int sum = 1 + 1;
        Expect(3, sum); // @three
    }

    static void Expect(int expected, int actual)
    {
        if (expected != actual)
            throw new Exception("expected " + expected + ", got " + actual);
    }
}

[FileExtension(".dll")]
[DefaultExecutorUri(Address)]
[ExtensionUri(Address)]
public class SumsAdapter : ITestDiscoverer, ITestExecutor
{
    const string Address = "executor://sums/v1";

    static readonly Dictionary<string, Action> Tests = new Dictionary<string, Action>
    {
        ["Sums.Two"] = Sums.Two,
        ["Sums.Three"] = Sums.Three,
    };

    static IEnumerable<TestCase> Cases(IEnumerable<string> sources) =>
        from source in sources from name in Tests.Keys select new TestCase(name, new Uri(Address), source);

    public void DiscoverTests(
        IEnumerable<string> sources, IDiscoveryContext context, IMessageLogger logger, ITestCaseDiscoverySink sink)
    {
        foreach (TestCase test in Cases(sources))
            sink.SendTestCase(test);
    }

    public void RunTests(IEnumerable<string> sources, IRunContext context, IFrameworkHandle handle)
    {
        TestProperty Property(string name) => name == "FullyQualifiedName" ? TestCaseProperties.FullyQualifiedName : null;
        ITestCaseFilterExpression filter = context.GetTestCaseFilter(new[] { "FullyQualifiedName" }, Property);
        RunTests(
            Cases(sources).Where(test =>
                filter == null || filter.MatchTestCase(test, name => test.GetPropertyValue(Property(name)))),
            context,
            handle);
    }

    public void RunTests(IEnumerable<TestCase> tests, IRunContext context, IFrameworkHandle handle)
    {
        foreach (TestCase test in tests)
        {
            var result = new TestResult(test) { Outcome = TestOutcome.Passed };
            handle.RecordStart(test);
            try
            {
                Tests[test.FullyQualifiedName]();
            }
            catch (Exception thrown)
            {
                result.Outcome = TestOutcome.Failed;
                result.ErrorMessage = thrown.Message;
            }
            handle.RecordEnd(test, result.Outcome);
            handle.RecordResult(result);
        }
    }

    public void Cancel()
    {
    }
}
