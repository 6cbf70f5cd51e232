using System;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;

namespace Interleaved
{
    // Two hundred calls of one async method at once.
    public static class Program
    {
        private static int sum;

        public static async Task Main()
        {
            await Task.WhenAll(Enumerable.Range(0, 200).Select(Work));
            Console.WriteLine(sum);
        }

        private static async Task Work(int number)
        {
            await Task.Yield();
            int own = number; // @work
            await Task.Delay(number % 7 + 1); // @work-delay
            own += 1; // @work-on
            own += await Inner(number); // @work-inner
            Interlocked.Add(ref sum, own); // @work-end
        }

        private static async Task<int> Inner(int number)
        {
            await Task.Delay(1); // @inner-delay
            Console.Write(""); // @inner-on
            return number * 2;
        } // @inner-close
    }
}
