using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;

namespace AsyncQuery
{
    // The elements of an async iterator go through the library's async operators, which call lambdas for each.
    public static class Program
    {
        public static async Task Main()
        {
            List<int> found = await Numbers()
                .Where(number => number > 0) // @where
                .Select(async (int number, CancellationToken token) =>
                { // @select-open
                    await Task.Yield(); // @select
                    return number * 2; // @select-return
                }) // @select-close
                .ToListAsync();
            Console.WriteLine(found.Count); // @end
        }

        private static async IAsyncEnumerable<int> Numbers()
        {
            await Task.Delay(300); // until Main awaits: who takes an element is known only then
            yield return 1; // @first
            yield return 2; // @second
            await Task.Yield(); // @last-await
        } // @close
    }
}
