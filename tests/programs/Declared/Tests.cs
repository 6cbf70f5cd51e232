using System;
using System.Threading.Tasks;
using Microsoft.VisualStudio.TestTools.UnitTesting;
using NUnit.Framework;
using Xunit;

namespace Declared.Ms
{
    [TestClass]
    public class Orders // @Orders
    {
        [TestMethod] public void Pays() { } // @Pays
        [TestMethod("With a name")] public void Named() { } // @Named
        [DataTestMethod] public async Task Counts(int count) // @Counts
        {
            await Task.Delay(count);
        } // @Counts-end
        [TestMethod, Microsoft.VisualStudio.TestTools.UnitTesting.Ignore] public void Later() { }
    }

    public class NoTests { [TestMethod] public void NotThis() { } }
    [TestClass] class Hidden { [TestMethod] public void NotThisEither() { } }
}

namespace Declared.N
{
    public class Carts
    {
        [Test] public void Adds() { }
        [TestCase(1, 2)]
        [TestCase(2, 3)]
        public void Sums(int one, int other) { }
        [Test, NUnit.Framework.Ignore("not today")] public void Later() { }
    }

    [TestFixture(3)]
    public class Sized
    {
        public Sized(int size) { }
        [Test] public void Fits() { }
    }

    [TestFixture(typeof(int))]
    public class Of<T> { [Test] public void Holds() { } }
    public class Open<T> { [Test] public void NotThis() { } }
}

namespace Declared.T
{
    public class Clocks
    {
        [TUnit.Core.Test] public void Ticks() { }
        [TUnit.Core.Test, TUnit.Core.DisplayName("Strikes twelve")] public void Strikes() { }
        [TUnit.Core.Test, TUnit.Core.Skip("broken")] public void Rings() { }
    }
}

namespace Declared.X
{
    public sealed class SlowFactAttribute : TheoryAttribute { }

    public abstract class Base<T>
    {
        [Fact] public void Inherited() { } // @Inherited
        [Fact] public virtual void Overridden() { }
    }

    public class Derived : Base<int>
    {
        public override void Overridden() { } // @Overridden
        [SlowFact] public void Slow(int seconds) { }
        public class Nested { [Fact(DisplayName = "down here")] public void Deep() { } }
    }

    public static class Statics { [Fact(Skip = "never")] public static void Alone() { } }
    class Internal { [Fact] public void NotThis() { } }
}
