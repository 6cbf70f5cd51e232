// Attributes with the names of the real ones: the packages of these frameworks are not on every machine.
using System;

namespace NUnit.Framework
{
    public class TestAttribute : Attribute { public string Description { get; set; } }
    [AttributeUsage(AttributeTargets.Method, AllowMultiple = true)]
    public class TestCaseAttribute : Attribute { public TestCaseAttribute(params object[] arguments) { } public string TestName { get; set; } }
    [AttributeUsage(AttributeTargets.Class, AllowMultiple = true)]
    public class TestFixtureAttribute : Attribute { public TestFixtureAttribute(params object[] arguments) { } }
    public class IgnoreAttribute : Attribute { public IgnoreAttribute(string reason) { } }
}

namespace Microsoft.VisualStudio.TestTools.UnitTesting
{
    public class TestClassAttribute : Attribute { }
    public class TestMethodAttribute : Attribute
    {
        public TestMethodAttribute() { }
        public TestMethodAttribute(string name) { }
        public string DisplayName { get; set; }
    }
    public class DataTestMethodAttribute : TestMethodAttribute { }
    public class IgnoreAttribute : Attribute { }
}

namespace TUnit.Core
{
    public class TestAttribute : Attribute { }
    public class DisplayNameAttribute : Attribute { public DisplayNameAttribute(string name) { } }
    public class SkipAttribute : Attribute { public SkipAttribute(string reason) { } }
}

namespace Xunit
{
    public class FactAttribute : Attribute { public string DisplayName { get; set; } public string Skip { get; set; } }
    public class TheoryAttribute : FactAttribute { }
}
