using System;
using System.Threading;
using System.Threading.Tasks;
using Xunit;
using Xunit.Abstractions;

namespace Shop.Tests
{
    public class CartTests // @class
    {
        private readonly ITestOutputHelper output;
        public CartTests(ITestOutputHelper output) => this.output = output;

        [Fact]
        public void Adds() // @adds
        {
            output.WriteLine("written by Adds");
            Console.WriteLine("the console of Adds");
            Assert.Equal(2, 1 + 1); // @sum
        }

        [Fact]
        public void Names() // @names
        {
            var name = "one\ntwo";
            Assert.Equal("one\nthree", name); // @fails
        }

        [Theory]
        [InlineData(1, 2)]
        [InlineData(2, 5)]
        public async Task Doubles(int value, int expected) // @doubles
        {
            await Task.Delay(1);
            Assert.Equal(expected, value * 2);
        }

        [Fact]
        public async Task Throws() => await Assert.ThrowsAsync<InvalidOperationException>(async () =>
        {
            await Task.Delay(1);
            throw new InvalidOperationException("as it should");
        });

        [Fact(Skip = "not today")]
        public void Later() { }
    }

    public class BadTests
    {
        [Fact]
        public void Dies() => Environment.FailFast("this ends the host"); // @dies

        [Fact]
        public void Hangs() // @hangs
        {
            Console.WriteLine("it hangs");
            Thread.Sleep(Timeout.Infinite);
        }
    }
}
