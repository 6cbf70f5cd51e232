using System;
using System.Threading.Tasks;

namespace RuntimeAsync
{
    // Built with the compiler's feature runtime-async: the runtime suspends Later and Fail, and there are no state machines.
    public static class Program
    {
        public static int Main()
        {
            int before = 1; // @before
            int result = before + Later(2).Result; // @calls
            try
            {
                Fail(3).Wait();
            }
            catch (AggregateException)
            {
                Console.WriteLine("caught");
            }
            return result; // @after
        }

        private static async Task<int> Later(int number)
        {
            int twice = Twice(number); // @in-later
            await Task.Yield();
            return Twice(twice) - 4; // @in-async
        }

        private static int Twice(int number)
        {
            return number * 2; // @in-twice
        }

        private static async Task Fail(int number)
        {
            await Task.Yield();
            throw new InvalidOperationException("fails" + number); // @throws
        }
    }
}
